//! Forks and their tasks while a trace is read. Ids of forks come again, so each fork is an instance of its own.

use super::events::CurrentEvent;
use super::ports::EventKind;
use crate::term::hash::HashMap;

/// A fork: one of and-tasks, or one of or-branches.
#[derive(Clone, Copy)]
pub(super) struct Fork {
    pub(super) n_tasks: i64,
    pub(super) n_finished: u32,
    pub(super) time: i64,
    /// Its box.
    pub(super) call: u32,
    /// Number of the forks around it + 1.
    pub(super) depth: u32,
    /// The box of the task in which it was made.
    pub(super) father: Option<u32>,
    /// Place of the agent that made it.
    pub(super) agent: u32,
    /// How many of its tasks run.
    n_running: u32,
    pub(super) is_joined: bool,
    /// Whether its tasks are branches.
    pub(super) is_public: bool,
    /// Its tasks 0 and 1.
    first_tasks: [Option<u32>; 2],
}

impl Fork {
    /// Whether an and-fork waits for its tasks, or a branch of an or-fork runs.
    pub(super) fn is_open(&self) -> bool {
        !self.is_joined && (!self.is_public || self.n_running > 0)
    }
}

/// What a task does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskState {
    Running,
    Suspended,
    /// Finished, succeeded or failed.
    Ended,
    /// It published its choices, and goes on as the branches of these.
    Published,
}

/// A task of a fork: a goal or a branch.
#[derive(Clone, Copy)]
pub(super) struct Task {
    /// Its number in its fork.
    pub(super) k: i64,
    pub(super) fork: u32,
    /// Its box.
    pub(super) call: u32,
    /// Place of its agent.
    pub(super) agent: u32,
    pub(super) state: TaskState,
    /// How many slaves work in its team.
    pub(super) n_slaves: u32,
}

/// All forks and tasks so far.
#[derive(Default)]
pub(super) struct ForkTree {
    forks: Vec<Fork>,
    pub(super) tasks: Vec<Task>,
    /// The latest fork with each id.
    latest: HashMap<u64, u32>,
    /// The tasks above 1 of each fork.
    others: HashMap<(u32, i64), u32>,
}

impl ForkTree {
    /// The latest fork with an id.
    pub(super) fn latest(&self, id: u64) -> Option<u32> {
        self.latest.get(&id).copied()
    }

    pub(super) fn fork(&self, fork: u32) -> &Fork {
        &self.forks[fork as usize]
    }

    pub(super) fn fork_mut(&mut self, fork: u32) -> &mut Fork {
        &mut self.forks[fork as usize]
    }

    pub(super) fn task(&self, task: u32) -> &Task {
        &self.tasks[task as usize]
    }

    pub(super) fn task_mut(&mut self, task: u32) -> &mut Task {
        &mut self.tasks[task as usize]
    }

    /// Task `k` of a fork.
    pub(super) fn task_of(&self, fork: u32, k: i64) -> Option<u32> {
        match k {
            0 | 1 => self.fork(fork).first_tasks[k as usize],
            _ => self.others.get(&(fork, k)).copied(),
        }
    }

    /// How a task is called in messages: `n3.1`.
    pub(super) fn name(&self, task: u32) -> String {
        let Task { fork, k, .. } = self.task(task);
        format!("n{}.{k}", fork + 1)
    }

    /// Adds the fork that an event makes in the task `father`.
    pub(super) fn add_fork(&mut self, now: &CurrentEvent<'_>, call: u32, father: Option<u32>) -> u32 {
        let number = self.forks.len() as u32;
        let father = father.map(|task| *self.task(task));
        self.forks.push(Fork {
            n_tasks: now.k,
            n_finished: 0,
            time: now.time,
            call,
            depth: father.map_or(1, |task| self.fork(task.fork).depth + 1),
            father: father.map(|task| task.call),
            agent: now.agent,
            n_running: 0,
            is_joined: false,
            is_public: now.kind == EventKind::MakePublic,
            first_tasks: [None; 2],
        });
        self.latest.insert(now.node, number);
        number
    }

    /// Adds a task of a fork that an agent starts.
    pub(super) fn add_task(&mut self, fork: u32, k: i64, call: u32, agent: u32) -> u32 {
        let task = self.tasks.len() as u32;
        match k {
            0 | 1 => self.fork_mut(fork).first_tasks[k as usize] = Some(task),
            _ => drop(self.others.insert((fork, k), task)),
        }
        self.tasks.push(Task { k, fork, call, agent, state: TaskState::Suspended, n_slaves: 0 });
        self.run(task, agent);
        task
    }

    /// Lets a task that does not run do so on an agent.
    pub(super) fn run(&mut self, task: u32, agent: u32) {
        let run = &mut self.tasks[task as usize];
        (run.state, run.agent) = (TaskState::Running, agent);
        self.forks[run.fork as usize].n_running += 1;
    }

    /// Lets a task that runs do so no longer.
    pub(super) fn leave(&mut self, task: u32, state: TaskState) {
        let left = &mut self.tasks[task as usize];
        left.state = state;
        self.forks[left.fork as usize].n_running -= 1;
    }
}
