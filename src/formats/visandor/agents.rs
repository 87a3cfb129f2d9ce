//! Agents while a trace is read: what each of them is in.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::nodes::{Nodes, State};
use crate::formats::hex::Hex;
use crate::trace::ValueId;

/// An agent.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its number.
    pub number: i64,
    /// Its stacks.
    pub wam: u64,
    /// How they were written last, and the number of that as a value.
    pub written: (Box<[u8]>, ValueId),
    /// The box of its being busy.
    pub busy: Option<i64>,
    /// Whether its stacks were suspected to have a decimal number.
    pub is_suspected: bool,
    /// The tasks that it is in, the innermost last; some may have ended.
    inside: Vec<usize>,
}

impl Agent {
    /// Enters a task.
    pub fn enter(&mut self, task: usize) {
        self.inside.push(task);
    }

    /// The innermost task that the agent runs.
    pub fn innermost(&mut self, nodes: &Nodes) -> Option<usize> {
        let runs = |task: usize| nodes.tasks[task].state == State::Running && nodes.tasks[task].agent == self.number;
        while self.inside.last().is_some_and(|task| !runs(*task)) {
            self.inside.pop();
        }
        self.inside.last().copied()
    }
}

/// The agents of a trace.
#[derive(Default)]
pub struct Agents {
    /// The agents, in the order of their first events.
    pub all: Vec<Agent>,
    places: HashMap<i64, usize, RandomState>,
    /// That of the last event.
    last: usize,
}

impl Agents {
    /// The place of the agent with a number; one that is new works with the stacks `wam`, which are that value.
    pub fn place(&mut self, number: i64, wam: Hex<'_>, value: impl FnOnce() -> ValueId) -> usize {
        if self.all.get(self.last).is_none_or(|agent| agent.number != number) {
            self.last = *self.places.entry(number).or_insert_with(|| {
                let written = (wam.digits.into(), value());
                let inside = Vec::new();
                self.all.push(Agent { number, wam: wam.value, written, busy: None, is_suspected: false, inside });
                self.all.len() - 1
            });
        }
        self.last
    }
}

/// The boxes of slaves that work, by task and number of the agent.
pub type Slaves = HashMap<(usize, i64), i64, RandomState>;
