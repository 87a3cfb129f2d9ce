//! Arguments and goal paths of events, which are made when they are first asked for.

use super::tables::{Subject, SubjectTables};
use crate::formats::lines::text::push_decimal;
use crate::term::hash::HashMap;
use crate::trace::{ArgsId, KnownColumns, LazyLists, LazyPaths, ListField, PathId};

/// Tasks below more forks than this have no path.
const MOST_LEVELS: u32 = 256;

/// Something for each fork and number of a task.
struct ByTask<T> {
    /// Those of the tasks 0 and 1.
    first: Vec<[Option<T>; 2]>,
    others: HashMap<(u32, i64), T>,
}

impl<T: Copy> ByTask<T> {
    fn new(n_nodes: usize) -> ByTask<T> {
        ByTask { first: vec![[None; 2]; n_nodes], others: HashMap::default() }
    }

    fn of(&mut self, node: u32, k: i64, make: impl FnOnce() -> T) -> T {
        match k {
            0 | 1 => *self.first[node as usize][k as usize].get_or_insert_with(make),
            _ => *self.others.entry((node, k)).or_insert_with(make),
        }
    }
}

/// `n3`, and a number after it.
fn written<'s>(scratch: &'s mut String, node: u32, between: &str, k: i64) -> &'s str {
    scratch.clear();
    scratch.push('n');
    push_decimal(scratch, i64::from(node) + 1);
    scratch.push_str(between);
    push_decimal(scratch, k);
    scratch
}

impl SubjectTables {
    /// The arguments: `[n3, k]` for fork 3, and `['6FFDEBE1', k]` where no fork is known.
    pub(crate) fn fill_args(&self, events: &KnownColumns, column: &mut LazyLists) {
        let mut of_forks: Vec<Option<ArgsId>> = vec![None; self.boxes.nodes.len()];
        let mut of_tasks = ByTask::new(self.boxes.nodes.len());
        let mut scratch = String::new();
        self.each_with_k(events, |event, subject, k| {
            let Some(node) = self.fork(subject) else {
                self.write_node(events, event, k, &mut scratch);
                return column.set(event, ListField::Text(&scratch));
            };
            let mut new = || column.new_list(written(&mut scratch, node, ", ", k));
            let args = match self.boxes.nodes[node as usize].n_tasks == k {
                true => *of_forks[node as usize].get_or_insert_with(new),
                false => of_tasks.of(node, k, &mut new),
            };
            column.set(event, ListField::Known(args));
        });
    }

    /// `'6FFDEBE1', 0`
    fn write_node(&self, events: &KnownColumns, event: u32, k: i64, scratch: &mut String) {
        scratch.clear();
        scratch.push('\'');
        scratch.extend(events.value(self.node, event).map(|value| self.spellings.text(value.index() as u32)));
        scratch.push_str("', ");
        push_decimal(scratch, k);
    }

    /// The paths: a task has the path of the task around its fork, and `n3.1` for itself.
    pub(crate) fn fill_paths(&self, events: &KnownColumns, column: &mut LazyPaths) {
        let root = column.path(&[]);
        let of_tasks = self.task_paths(root, column);
        let path = |task: u32| of_tasks[task as usize];
        self.each(events, |event, _, subject| {
            let path = match subject {
                Subject::Nothing | Subject::Box(_) => Some(root),
                Subject::Fork(node) => self.boxes.nodes[node as usize].father().map_or(Some(root), path),
                Subject::Task(task) | Subject::Slave(task, _) => path(task),
            };
            if let Some(path) = path {
                column.set(event, path);
            }
        });
    }

    /// The path of each task.
    fn task_paths(&self, root: PathId, column: &mut LazyPaths) -> Vec<Option<PathId>> {
        let mut paths: Vec<Option<PathId>> = Vec::with_capacity(self.boxes.tasks.len());
        let mut known = ByTask::new(self.boxes.nodes.len());
        let mut scratch = String::new();
        for task in &self.boxes.tasks {
            let node = &self.boxes.nodes[task.node as usize];
            let around = node.father().map_or(Some(root), |father| paths[father as usize]);
            let path = around.filter(|_| node.depth <= MOST_LEVELS).map(|around| {
                known
                    .of(task.node, task.k, || column.longer_path(around, written(&mut scratch, task.node, ".", task.k)))
            });
            paths.push(path);
        }
        paths
    }
}
