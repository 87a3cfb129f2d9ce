//! Agents while a trace is read: what each of them is in.

use super::nodes::{ForkTree, TaskState};
use crate::term::hash::HashMap;
use crate::trace::ValueId;

/// An agent.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    /// Its number.
    pub(crate) number: i64,
    /// Its stacks, once it had an event.
    pub(crate) wam: Option<u64>,
    /// How they were written at its last event, if nothing is wrong with it as long as they are written so.
    pub(crate) written: Option<ValueId>,
    /// The box of its being busy.
    pub(crate) busy: Option<u32>,
    /// Whether its stacks were suspected to have a decimal number.
    pub(crate) is_suspected: bool,
    /// The tasks that it is in, the innermost last; some may have ended.
    inside: Vec<u32>,
}

impl Agent {
    /// Enters a task.
    pub(crate) fn enter(&mut self, task: u32) {
        self.inside.push(task);
    }

    /// The innermost task that the agent at that place runs.
    #[inline]
    pub(crate) fn innermost(&mut self, place: u32, nodes: &ForkTree) -> Option<u32> {
        let runs = |task: u32| {
            let task = nodes.task_at(task);
            task.state == TaskState::Running && task.agent == place
        };
        while self.inside.last().is_some_and(|task| !runs(*task)) {
            self.inside.pop();
        }
        self.inside.last().copied()
    }
}

/// The agents of a trace.
#[derive(Default)]
pub(crate) struct Agents {
    /// The agents.
    pub(crate) all: Vec<Agent>,
    places: HashMap<i64, u32>,
}

impl Agents {
    /// The place of the agent with a number.
    pub(crate) fn place(&mut self, number: i64) -> u32 {
        *self.places.entry(number).or_insert_with(|| {
            let inside = Vec::new();
            self.all.push(Agent { number, wam: None, written: None, busy: None, is_suspected: false, inside });
            self.all.len() as u32 - 1
        })
    }
}

/// The boxes of slaves that work, by task and place of the agent.
pub(crate) type Slaves = HashMap<(u32, u32), u32>;
