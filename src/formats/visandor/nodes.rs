//! Forks and their tasks while a trace is read. Ids of forks come again, so each fork is an instance of its own.

use std::collections::HashMap;

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
    /// `n3.1`
    name: Box<str>,
}

/// All forks and tasks so far.
#[derive(Default)]
pub struct Nodes {
    pub nodes: Vec<Node>,
    pub tasks: Vec<Task>,
    /// The latest instance of each id.
    by_id: HashMap<u64, usize, RandomState>,
    by_number: HashMap<(usize, i64), usize, RandomState>,
}

impl Nodes {
    /// The latest fork with that id.
    pub fn find(&self, id: u64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// Task `k` of a fork.
    pub fn task(&self, node: usize, k: i64) -> Option<usize> {
        self.by_number.get(&(node, k)).copied()
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
    pub fn name(&self, task: usize) -> &str {
        &self.tasks[task].name
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
            level: father.map_or(0, |task| self.node_of(task).level + 1),
        };
        self.nodes.push(node);
        self.by_id.insert(numbers.node.value, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// Adds a task that an agent starts.
    pub fn add_task(&mut self, node: usize, k: i64, call: i64, agent: i64, builder: &mut TraceBuilder) -> usize {
        let name = format!("n{}.{k}", node + 1).into_boxed_str();
        let path = self.path(node, &name, builder);
        self.tasks.push(Task { node, k, call, agent, state: State::Running, n_slaves: 0, path, name });
        self.by_number.insert((node, k), self.tasks.len() - 1);
        self.tasks.len() - 1
    }

    /// The path of a task: the tasks around it, the outermost first, and itself.
    fn path(&self, node: usize, name: &str, builder: &mut TraceBuilder) -> Option<PathId> {
        if self.nodes[node].level >= MOST_LEVELS {
            return None;
        }
        let around = |node: usize| self.nodes[node].father;
        let fathers = std::iter::successors(around(node), |task| around(self.tasks[*task].node));
        let mut steps: Vec<&str> = fathers.map(|task| &*self.tasks[task].name).collect();
        steps.reverse();
        steps.push(name);
        Some(builder.path(&steps))
    }
}
