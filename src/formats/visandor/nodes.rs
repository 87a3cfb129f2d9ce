//! Forks and their tasks while a trace is read. Ids of forks come again, so each fork is an instance of its own.

use crate::term::hash::HashMap;
use crate::trace::EventId;

/// A fork: one of and-tasks, or one of or-branches.
#[derive(Clone, Debug)]
pub(crate) struct ForkInstance {
    /// Number of its tasks.
    pub(crate) n_tasks: i64,
    /// Its box.
    pub(crate) call: u32,
    /// Number of the forks around it + 1.
    pub(crate) depth: u32,
    /// Number of the task in which it was made + 1, or 0.
    father: u32,
    /// The event that made it.
    pub(crate) event: EventId,
    /// How many of its tasks run.
    pub(crate) n_running: u32,
}

impl ForkInstance {
    /// The task in which it was made.
    pub(crate) fn father(&self) -> Option<u32> {
        self.father.checked_sub(1)
    }
}

/// What a task does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskState {
    Running,
    Suspended,
    /// Finished, succeeded or failed.
    Ended,
    /// It published its choices, and goes on as the branches of these.
    Published,
}

/// A task of a fork: a goal or a branch.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// Its number in its fork.
    pub(crate) k: i64,
    /// Its fork.
    pub(crate) node: u32,
    /// Its box.
    pub(crate) call: u32,
    /// Place of its agent.
    pub(crate) agent: u32,
    pub(crate) state: TaskState,
}

/// The latest fork with an id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LatestFork {
    pub(crate) node: u32,
    /// Place of the agent that made it.
    pub(crate) agent: u32,
    pub(crate) n_tasks: i64,
    pub(crate) n_finished: i64,
    pub(crate) is_joined: bool,
    /// Whether its tasks are branches.
    pub(crate) is_public: bool,
    /// The numbers of its tasks 0 and 1, + 1.
    first_tasks: [u32; 2],
}

/// All forks and tasks so far.
#[derive(Default)]
pub(crate) struct ForkTree {
    /// All forks.
    pub(crate) nodes: Vec<ForkInstance>,
    /// All tasks.
    pub(crate) tasks: Vec<Task>,
    /// The latest fork with each id.
    forks: Vec<Option<LatestFork>>,
    /// The place of each id.
    places: HashMap<u64, u32>,
    /// The tasks above 1 of each fork.
    others: HashMap<(u32, i64), u32>,
}

impl ForkTree {
    /// The place of an id.
    pub(crate) fn place(&mut self, id: u64) -> u32 {
        *self.places.entry(id).or_insert_with(|| {
            self.forks.push(None);
            self.forks.len() as u32 - 1
        })
    }

    /// The latest fork with the id at a place.
    #[inline]
    pub(crate) fn fork(&self, place: u32) -> Option<&LatestFork> {
        self.forks[place as usize].as_ref()
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn fork_mut(&mut self, place: u32) -> Option<&mut LatestFork> {
        self.forks[place as usize].as_mut()
    }

    /// A fork.
    #[inline]
    pub(crate) fn node_at(&self, node: u32) -> &ForkInstance {
        &self.nodes[node as usize]
    }

    /// A task.
    #[inline]
    pub(crate) fn task_at(&self, task: u32) -> &Task {
        &self.tasks[task as usize]
    }

    /// Task `k` of the latest fork with an id.
    #[inline]
    pub(crate) fn task(&self, fork: &LatestFork, k: i64) -> Option<u32> {
        match k {
            0 | 1 => fork.first_tasks[k as usize].checked_sub(1),
            _ => self.others.get(&(fork.node, k)).copied(),
        }
    }

    /// How a task is called in messages: `n3.1`.
    pub(crate) fn name(&self, task: u32) -> String {
        let task = self.task_at(task);
        format!("n{}.{}", task.node + 1, task.k)
    }

    /// Whether an and-fork waits for its tasks, or a branch of an or-fork runs.
    #[inline]
    pub(crate) fn is_open(&self, fork: &LatestFork) -> bool {
        !fork.is_joined && (!fork.is_public || self.node_at(fork.node).n_running > 0)
    }

    /// Adds a fork that the agent at a place makes in the task `father`; gives its number.
    #[inline]
    pub(crate) fn add_fork(
        &mut self,
        place: u32,
        fork: LatestFork,
        (call, event): (u32, EventId),
        father: Option<u32>,
    ) -> u32 {
        let node = self.nodes.len() as u32;
        let depth = father.map_or(1, |task| self.node_at(self.task_at(task).node).depth + 1);
        let father = father.map_or(0, |task| task + 1);
        self.nodes.push(ForkInstance { n_tasks: fork.n_tasks, call, depth, father, event, n_running: 0 });
        self.forks[place as usize] = Some(LatestFork { node, ..fork });
        node
    }

    /// Adds a task of the latest fork with an id that an agent starts, and that runs; gives its number.
    #[inline]
    pub(crate) fn add_task(&mut self, place: u32, k: i64, call: u32, agent: u32) -> Option<u32> {
        let fork = self.forks[place as usize].as_mut()?;
        let task = self.tasks.len() as u32;
        match k {
            0 | 1 => fork.first_tasks[k as usize] = task + 1,
            _ => drop(self.others.insert((fork.node, k), task)),
        }
        self.nodes[fork.node as usize].n_running += 1;
        self.tasks.push(Task { k, node: fork.node, call, agent, state: TaskState::Running });
        Some(task)
    }

    /// Lets a suspended task run on an agent.
    pub(crate) fn run(&mut self, task: u32, agent: u32) {
        let run = &mut self.tasks[task as usize];
        (run.state, run.agent) = (TaskState::Running, agent);
        self.nodes[run.node as usize].n_running += 1;
    }

    /// Lets a task that runs do so no longer.
    #[inline]
    pub(crate) fn leave(&mut self, task: u32, state: TaskState) {
        let left = &mut self.tasks[task as usize];
        left.state = state;
        self.nodes[left.node as usize].n_running -= 1;
    }
}

impl LatestFork {
    /// A fork of `n_tasks` tasks, made by the agent at a place.
    pub(crate) fn new(n_tasks: i64, agent: u32, is_public: bool) -> LatestFork {
        LatestFork { node: 0, agent, n_tasks, n_finished: 0, is_joined: false, is_public, first_tasks: [0; 2] }
    }
}
