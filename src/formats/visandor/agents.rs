//! Agents while a trace is read: what each of them is in.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::nodes::{Nodes, State};

/// An agent.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its stacks.
    pub wam: u64,
    /// The box of its being busy.
    pub busy: Option<i64>,
    /// Whether its stacks were suspected to have a decimal number.
    pub is_suspected: bool,
    /// The tasks that it is in, the innermost last; some may have ended.
    inside: Vec<usize>,
}

impl Agent {
    /// An agent that works with these stacks.
    pub fn new(wam: u64) -> Agent {
        Agent { wam, busy: None, is_suspected: false, inside: Vec::new() }
    }

    /// Enters a task.
    pub fn enter(&mut self, task: usize) {
        self.inside.push(task);
    }

    /// The innermost task that the agent runs.
    pub fn innermost(&mut self, number: i64, nodes: &Nodes) -> Option<usize> {
        let runs = |task: usize| nodes.tasks[task].state == State::Running && nodes.tasks[task].agent == number;
        while self.inside.last().is_some_and(|task| !runs(*task)) {
            self.inside.pop();
        }
        self.inside.last().copied()
    }
}

/// The agents by their numbers.
pub type Agents = HashMap<i64, Agent, RandomState>;

/// The boxes of slaves that work, by task and agent.
pub type Slaves = HashMap<(usize, i64), i64, RandomState>;
