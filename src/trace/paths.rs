//! Goal paths: whole paths are numbered, their steps are atoms.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::term::Atom;

/// Number of a path within a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(pub(super) u32);

/// Whether a path is the one that was asked for, whose step `s2` is also `s2-3` (an arm of a type with 3 constructors) and `s2-na`.
pub(super) fn is_path_match(asked: &[Atom], path: &[Atom]) -> bool {
    asked.len() == path.len() && asked.iter().zip(path).all(|(asked, step)| is_step_match(*asked, *step))
}

fn is_step_match(asked: Atom, step: Atom) -> bool {
    if asked == step {
        return true;
    }
    let rest = step.as_str().strip_prefix(asked.as_str());
    rest.is_some_and(|rest| rest.starts_with('-')) && asked.as_str().starts_with('s') && asked.as_str().len() > 1
}

/// The distinct paths of a trace.
#[derive(Clone, Debug, Default)]
pub(super) struct PathTable {
    /// By the lengths and texts of their steps.
    ids: HashMap<Box<[u8]>, PathId>,
    /// By the path that they continue, and the step behind it.
    continued: HashMap<(PathId, Atom), PathId, RandomState>,
    paths: Vec<Box<[Atom]>>,
    key: Vec<u8>,
}

impl PathTable {
    pub(super) fn intern(&mut self, steps: &[&str]) -> PathId {
        self.key.clear();
        for step in steps {
            self.key.extend_from_slice(&(step.len() as u64).to_le_bytes());
            self.key.extend_from_slice(step.as_bytes());
        }
        if let Some(id) = self.ids.get(self.key.as_slice()) {
            return *id;
        }
        let id = self.push(steps.iter().map(|step| Atom::new(step)).collect());
        self.ids.insert(self.key.as_slice().into(), id);
        id
    }

    pub(super) fn continued(&mut self, path: PathId, step: &str) -> PathId {
        let step = Atom::new(step);
        if let Some(id) = self.continued.get(&(path, step)) {
            return *id;
        }
        let steps = &self.paths[path.0 as usize];
        let id = self.push(steps.iter().copied().chain([step]).collect());
        self.continued.insert((path, step), id);
        id
    }

    fn push(&mut self, steps: Box<[Atom]>) -> PathId {
        let id = PathId(u32::try_from(self.paths.len()).expect("memory ends before 2^32 paths"));
        self.paths.push(steps);
        id
    }

    pub(super) fn finish(self) -> Vec<Box<[Atom]>> {
        self.paths
    }
}
