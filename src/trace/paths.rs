//! Goal paths: whole paths are numbered, their steps are atoms.

use std::collections::HashMap;

use foldhash::quality::RandomState;

use super::dictionary::Texts;
use super::lazy::Lazy;
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

/// The distinct paths of a trace, while it is read. Texts are hashed with a key, as they come from hostile traces.
#[derive(Clone, Debug, Default)]
pub(super) struct PathTable {
    /// By the lengths and texts of their steps.
    ids: HashMap<Box<[u8]>, PathId, RandomState>,
    paths: Vec<Path>,
    /// The last steps of those that continue others.
    steps: Texts,
    key: Vec<u8>,
}

/// A path as it was told.
#[derive(Clone, Debug)]
enum Path {
    Whole(Box<[Atom]>),
    /// One before it, and the number of its last step.
    Longer(PathId, u32),
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
        let id = self.push(Path::Whole(steps.iter().map(|step| Atom::new(step)).collect()));
        self.ids.insert(self.key.as_slice().into(), id);
        id
    }

    /// Adds a path that is longer than another one by a step, and was not there before.
    pub(super) fn add_longer(&mut self, path: PathId, step: &str) -> PathId {
        let step = self.steps.push(step);
        self.push(Path::Longer(path, step))
    }

    fn push(&mut self, path: Path) -> PathId {
        let id = PathId(u32::try_from(self.paths.len()).expect("memory ends before 2^32 paths"));
        self.paths.push(path);
        id
    }

    /// The steps of all paths: made when they are first asked for, if there are some that continue others.
    pub(super) fn finish(self) -> Lazy<Vec<Box<[Atom]>>> {
        let (paths, steps) = (self.paths, self.steps);
        match steps.len() {
            0 => whole(&paths, &steps).into(),
            _ => Lazy::new(move || whole(&paths, &steps)),
        }
    }
}

/// The steps of each path, which stands behind the one that it continues.
fn whole(paths: &[Path], steps: &Texts) -> Vec<Box<[Atom]>> {
    let mut made: Vec<Box<[Atom]>> = Vec::with_capacity(paths.len());
    for path in paths {
        made.push(match path {
            Path::Whole(steps) => steps.clone(),
            Path::Longer(before, step) => {
                made[before.0 as usize].iter().copied().chain([Atom::new(steps.at(*step))]).collect()
            }
        });
    }
    made
}
