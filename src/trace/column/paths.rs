//! Goal paths: each path has a number, and its steps are atoms.

use std::hash::BuildHasher;
use std::sync::LazyLock;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::dictionary::Texts;
use super::lazy::Lazy;
use crate::term::Atom;
use crate::term::hash::RandomState;

/// Number of a path within a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PathId(pub(crate) u32);

/// The step that replaces all omitted steps.
static LEFT_OUT: LazyLock<Atom> = LazyLock::new(|| Atom::new("..."));

/// Whether a path equals the one in a query, whose step `s2` also matches `s2-3` (an arm of a type with 3 constructors)
/// and `s2-na`.
pub(crate) fn is_path_match(asked: &[Atom], path: &[Atom]) -> bool {
    asked.len() == path.len() && asked.iter().zip(path).all(|(asked, step)| is_step_match(*asked, *step))
}

fn is_step_match(asked: Atom, step: Atom) -> bool {
    if asked == step {
        return true;
    }
    let rest = step.as_str().strip_prefix(asked.as_str());
    rest.is_some_and(|rest| rest.starts_with('-')) && asked.as_str().starts_with('s') && asked.as_str().len() > 1
}

/// Builder of the distinct paths of a trace. Steps are hashed with a random key, because they come from hostile traces.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathTable {
    /// Paths that are stored whole, with the hashes of their steps.
    ids: HashTable<(u64, PathId)>,
    hasher: RandomState,
    paths: Vec<Path>,
    /// The last steps of paths that extend others.
    steps: Texts,
    scratch: Vec<Atom>,
}

/// A path as it is stored.
#[derive(Clone, Debug)]
enum Path {
    Whole(Box<[Atom]>),
    /// The path that it extends, and the number of its last step.
    Longer(PathId, u32),
}

impl PathTable {
    pub(crate) fn intern(&mut self, steps: &[&str]) -> PathId {
        self.scratch.clear();
        self.scratch.extend(steps.iter().map(|step| Atom::new(step)));
        self.intern_scratch()
    }

    /// The number of the path that extends a whole path, or the empty path, by a step. Only the last `most` steps are
    /// kept, after `...`.
    pub(crate) fn extend(&mut self, path: Option<PathId>, step: &str, most: usize) -> PathId {
        self.scratch.clear();
        if let Some(Path::Whole(steps)) = path.map(|path| &self.paths[path.0 as usize]) {
            self.scratch.extend_from_slice(steps);
        }
        self.scratch.push(Atom::new(step));
        let n_marks = usize::from(self.scratch[0] == *LEFT_OUT);
        if self.scratch.len() - n_marks > most {
            self.scratch.drain(..n_marks);
            self.scratch[0] = *LEFT_OUT;
        }
        self.intern_scratch()
    }

    fn intern_scratch(&mut self) -> PathId {
        let (paths, steps) = (&mut self.paths, self.scratch.as_slice());
        let hash = self.hasher.hash_one(steps);
        let is_same = |(known, id): &(u64, PathId)| {
            *known == hash && matches!(&paths[id.0 as usize], Path::Whole(known) if **known == *steps)
        };
        match self.ids.entry(hash, is_same, |(known, _)| *known) {
            Entry::Occupied(known) => known.get().1,
            Entry::Vacant(place) => {
                let id = next_id(paths.len());
                place.insert((hash, id));
                paths.push(Path::Whole(steps.into()));
                id
            }
        }
    }

    /// Adds a new path that extends another one by a step; it is not looked up.
    pub(crate) fn add_longer(&mut self, path: PathId, step: &str) -> PathId {
        let step = self.steps.push(step);
        self.push(Path::Longer(path, step))
    }

    fn push(&mut self, path: Path) -> PathId {
        let id = next_id(self.paths.len());
        self.paths.push(path);
        id
    }

    /// The steps of all paths.
    pub(crate) fn steps(&self) -> Vec<Box<[Atom]>> {
        whole(&self.paths, &self.steps)
    }

    /// The steps of all paths; lazy if some paths extend others.
    pub(crate) fn finish(self) -> Lazy<Vec<Box<[Atom]>>> {
        let (paths, steps) = (self.paths, self.steps);
        if steps.len() > 0 {
            return Lazy::new(move || whole(&paths, &steps));
        }
        let whole = paths.into_iter().filter_map(|path| match path {
            Path::Whole(steps) => Some(steps),
            Path::Longer(..) => None,
        });
        whole.collect::<Vec<_>>().into()
    }
}

fn next_id(n_paths: usize) -> PathId {
    PathId(u32::try_from(n_paths).expect("memory ends before 2^32 paths"))
}

/// The steps of each path; a path comes after the one that it extends.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_keeps_its_last_steps_and_equal_ones_have_one_number() {
        let mut table = PathTable::default();
        let grown = |table: &mut PathTable, steps: &[&str]| {
            steps.iter().fold(None, |path, step| Some(table.extend(path, step, 2))).expect("there are steps")
        };
        let ids = [&["a"][..], &["a", "b"], &["a", "b", "c"], &["a", "b", "c", "d"], &["x", "y", "c", "d"]]
            .map(|steps| grown(&mut table, steps));
        let expected = [&["a"][..], &["a", "b"], &["...", "b", "c"], &["...", "c", "d"], &["...", "c", "d"]]
            .map(|steps| table.intern(steps));
        assert_eq!(ids, expected);
        let paths = table.finish();
        assert_eq!(paths[ids[4].0 as usize].iter().map(|step| step.as_str()).collect::<Vec<_>>(), ["...", "c", "d"]);
    }
}
