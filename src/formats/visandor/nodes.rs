//! Forks and their tasks while a trace is read. Ids of forks come again, so each fork is an instance of its own.

use std::collections::HashMap;
use std::fmt::Write;

use foldhash::fast::RandomState;

use super::kinds::Kind;
use super::line::Numbers;
use crate::trace::{PathId, TraceBuilder};

/// Tasks below more forks than this have no path.
const MOST_LEVELS: usize = 256;

/// A fork: one of and-tasks, or one of or-branches.
#[derive(Clone, Debug)]
pub struct Node {
    pub call: i64,
    pub depth: i64,
    /// The task in which it was made.
    pub father: Option<usize>,
    pub agent: i64,
    pub time: i64,
    pub n_tasks: i64,
    pub n_finished: i64,
    pub is_joined: bool,
    /// Whether its tasks are branches.
    pub is_public: bool,
    /// How many of its branches run.
    pub n_running: i64,
    level: usize,
    /// Its tasks 0 and 1.
    first_tasks: [Option<usize>; 2],
}

/// What a task does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Running,
    Suspended,
    /// Finished, succeeded or failed.
    Ended,
    /// It published its choices, and goes on as the branches of these.
    Published,
}

/// A task of a fork: a goal or a branch.
#[derive(Clone, Debug)]
pub struct Task {
    pub node: usize,
    pub k: i64,
    pub call: i64,
    pub agent: i64,
    pub state: State,
    /// How many slaves work in its team.
    pub n_slaves: usize,
    pub path: Option<PathId>,
}

/// All forks and tasks so far.
pub struct Nodes {
    pub nodes: Vec<Node>,
    pub tasks: Vec<Task>,
    /// The latest instance of each id.
    by_id: HashMap<u64, usize, RandomState>,
    /// The tasks above 1 of all forks.
    others: HashMap<(usize, i64), usize, RandomState>,
    /// The path of no task.
    root: PathId,
    scratch: String,
}

impl Nodes {
    /// No forks yet.
    pub fn new(builder: &mut TraceBuilder) -> Nodes {
        Nodes {
            nodes: Vec::new(),
            tasks: Vec::new(),
            by_id: HashMap::default(),
            others: HashMap::default(),
            root: builder.path(&[]),
            scratch: String::new(),
        }
    }

    /// The latest fork with that id.
    pub fn find(&self, id: u64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// Task `k` of a fork.
    pub fn task(&self, node: usize, k: i64) -> Option<usize> {
        match k {
            0 | 1 => self.nodes[node].first_tasks[k as usize],
            _ => self.others.get(&(node, k)).copied(),
        }
    }

    /// The fork that a task belongs to.
    pub fn node_of(&self, task: usize) -> &Node {
        &self.nodes[self.tasks[task].node]
    }

    /// The depth of a task.
    pub fn depth(&self, task: usize) -> i64 {
        self.node_of(task).depth + 1
    }

    /// How a task is called in messages and paths: `n3.1`.
    pub fn name(&self, task: usize) -> String {
        let task = &self.tasks[task];
        format!("n{}.{}", task.node + 1, task.k)
    }

    /// Adds a fork that an agent makes in the task `father`.
    pub fn add_fork(&mut self, kind: Kind, numbers: &Numbers<'_>, call: i64, father: Option<usize>) -> usize {
        let node = Node {
            call,
            depth: father.map_or(1, |task| self.depth(task)),
            father,
            agent: numbers.agent,
            time: numbers.time,
            n_tasks: numbers.k,
            n_finished: 0,
            is_joined: false,
            is_public: kind == Kind::MakePublic,
            n_running: 0,
            first_tasks: [None; 2],
            level: father.map_or(0, |task| self.node_of(task).level + 1),
        };
        self.nodes.push(node);
        self.by_id.insert(numbers.node.value, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// Adds a task that an agent starts.
    pub fn add_task(&mut self, node: usize, k: i64, call: i64, agent: i64, builder: &mut TraceBuilder) -> usize {
        let path = match self.task(node, k) {
            Some(before) => self.tasks[before].path,
            None => self.path(node, k, builder),
        };
        self.tasks.push(Task { node, k, call, agent, state: State::Running, n_slaves: 0, path });
        let task = self.tasks.len() - 1;
        match k {
            0 | 1 => self.nodes[node].first_tasks[k as usize] = Some(task),
            _ => drop(self.others.insert((node, k), task)),
        }
        task
    }

    /// The path of a task: that of the task around its fork, and `n3.1` for itself.
    fn path(&mut self, node: usize, k: i64, builder: &mut TraceBuilder) -> Option<PathId> {
        let Node { father, level, .. } = self.nodes[node];
        if level >= MOST_LEVELS {
            return None;
        }
        let around = father.map_or(Some(self.root), |father| self.tasks[father].path)?;
        self.scratch.clear();
        write!(self.scratch, "n{}.{k}", node + 1).expect("writing to a string cannot fail");
        Some(builder.longer_path(around, &self.scratch))
    }
}
