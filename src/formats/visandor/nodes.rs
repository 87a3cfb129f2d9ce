//! Forks and their tasks while a trace is read. Ids of forks come again, so each fork is an instance of its own.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::kinds::Kind;
use super::line::Numbers;
use crate::formats::hex::Hex;
use crate::formats::text::push_decimal;
use crate::trace::{ArgsId, PathId, TraceBuilder, ValueId};

/// Tasks below more forks than this have no path.
const MOST_LEVELS: i64 = 256;

/// An id of forks.
#[derive(Clone, Debug)]
pub struct Id {
    /// How it was written first, and the number of that as a value.
    pub written: (Box<[u8]>, ValueId),
    /// The latest fork with this id.
    pub node: Option<usize>,
    value: u64,
}

/// A fork: one of and-tasks, or one of or-branches.
#[derive(Clone, Debug)]
pub struct Node {
    pub call: i64,
    /// Number of the forks around it + 1.
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
    /// The arguments of events of the fork itself, which have its number of tasks.
    args: ArgsId,
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
    /// The arguments of its events.
    pub args: ArgsId,
}

/// All forks and tasks so far.
pub struct Nodes {
    pub ids: Vec<Id>,
    pub nodes: Vec<Node>,
    pub tasks: Vec<Task>,
    /// The place of each id.
    places: HashMap<u64, usize, RandomState>,
    /// That of the last event.
    last_place: usize,
    /// The tasks above 1 of all forks.
    others: HashMap<(usize, i64), usize, RandomState>,
    /// The arguments of events that are neither about all tasks of a fork nor about one that was started.
    other_args: HashMap<(usize, i64), ArgsId, RandomState>,
    /// The path of no task.
    root: PathId,
    scratch: String,
}

impl Nodes {
    /// No forks yet.
    pub fn new(builder: &mut TraceBuilder) -> Nodes {
        Nodes {
            ids: Vec::new(),
            nodes: Vec::new(),
            tasks: Vec::new(),
            places: HashMap::default(),
            last_place: 0,
            others: HashMap::default(),
            other_args: HashMap::default(),
            root: builder.path(&[]),
            scratch: String::new(),
        }
    }

    /// The place of an id; one that is new is that value.
    pub fn place(&mut self, id: Hex<'_>, value: impl FnOnce() -> ValueId) -> usize {
        if self.ids.get(self.last_place).is_none_or(|last| last.value != id.value) {
            self.last_place = *self.places.entry(id.value).or_insert_with(|| {
                self.ids.push(Id { written: (id.digits.into(), value()), node: None, value: id.value });
                self.ids.len() - 1
            });
        }
        self.last_place
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

    /// Adds a fork with the id at a place that an agent makes in the task `father`.
    pub fn add_fork(
        &mut self,
        kind: Kind,
        (place, numbers): (usize, &Numbers<'_>),
        call: i64,
        father: Option<usize>,
        builder: &mut TraceBuilder,
    ) -> usize {
        let index = self.nodes.len();
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
            args: self.new_args(index, numbers.k, builder),
            first_tasks: [None; 2],
        };
        self.nodes.push(node);
        self.ids[place].node = Some(index);
        index
    }

    /// Adds a task that an agent starts.
    pub fn add_task(&mut self, node: usize, k: i64, call: i64, agent: i64, builder: &mut TraceBuilder) -> usize {
        let args = self.known_args(node, k).unwrap_or_else(|| self.new_args(node, k, builder));
        let path = match self.task(node, k) {
            Some(before) => self.tasks[before].path,
            None => self.path(node, k, builder),
        };
        self.tasks.push(Task { node, k, call, agent, state: State::Running, n_slaves: 0, path, args });
        let task = self.tasks.len() - 1;
        match k {
            0 | 1 => self.nodes[node].first_tasks[k as usize] = Some(task),
            _ => drop(self.others.insert((node, k), task)),
        }
        task
    }

    /// The arguments `[n3, k]` of an event of a fork.
    pub fn args(&mut self, node: usize, k: i64, builder: &mut TraceBuilder) -> ArgsId {
        self.known_args(node, k).unwrap_or_else(|| {
            let args = self.new_args(node, k, builder);
            self.other_args.insert((node, k), args);
            args
        })
    }

    fn known_args(&self, node: usize, k: i64) -> Option<ArgsId> {
        let found = &self.nodes[node];
        if found.n_tasks == k {
            return Some(found.args);
        }
        let of_task = self.task(node, k).map(|task| self.tasks[task].args);
        of_task.or_else(|| self.other_args.get(&(node, k)).copied())
    }

    fn new_args(&mut self, node: usize, k: i64, builder: &mut TraceBuilder) -> ArgsId {
        builder.new_args(self.written(node, ", ", k))
    }

    /// `n3`, and a number behind it.
    fn written(&mut self, node: usize, between: &str, k: i64) -> &str {
        self.scratch.clear();
        self.scratch.push('n');
        push_decimal(&mut self.scratch, node as i64 + 1);
        self.scratch.push_str(between);
        push_decimal(&mut self.scratch, k);
        &self.scratch
    }

    /// The path of a task: that of the task around its fork, and `n3.1` for itself.
    fn path(&mut self, node: usize, k: i64, builder: &mut TraceBuilder) -> Option<PathId> {
        let Node { father, depth, .. } = self.nodes[node];
        if depth > MOST_LEVELS {
            return None;
        }
        let around = father.map_or(Some(self.root), |father| self.tasks[father].path)?;
        Some(builder.longer_path(around, self.written(node, ".", k)))
    }
}
