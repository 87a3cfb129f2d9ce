//! Agents while a trace is read: what each of them is in.

use super::nodes::{ForkTree, TaskState};
use crate::term::hash::HashMap;

/// An agent.
pub(super) struct Agent {
    pub(super) number: i64,
    /// Its stacks, once it had an event.
    pub(super) wam: Option<u64>,
    /// The box of its being busy.
    pub(super) busy: Option<u32>,
    /// Whether its stacks were suspected to have a decimal number.
    pub(super) is_suspected: bool,
    /// The tasks that it is in, the innermost last; some may have ended.
    inside: Vec<u32>,
}

impl Agent {
    /// Enters a task.
    pub(super) fn enter(&mut self, task: u32) {
        self.inside.push(task);
    }

    /// The innermost task that the agent at that place runs.
    pub(super) fn innermost(&mut self, place: u32, nodes: &ForkTree) -> Option<u32> {
        let runs = |task: &u32| {
            let task = nodes.task(*task);
            task.state == TaskState::Running && task.agent == place
        };
        while self.inside.pop_if(|task| !runs(task)).is_some() {}
        self.inside.last().copied()
    }
}

/// The agents of a trace.
#[derive(Default)]
pub(super) struct Agents {
    pub(super) all: Vec<Agent>,
    places: HashMap<i64, u32>,
}

impl Agents {
    /// The place of the agent with a number.
    pub(super) fn place(&mut self, number: i64) -> u32 {
        *self.places.entry(number).or_insert_with(|| {
            self.all.push(Agent { number, wam: None, busy: None, is_suspected: false, inside: Vec::new() });
            self.all.len() as u32 - 1
        })
    }
}
