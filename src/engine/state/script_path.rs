//! Where the file of a script is, and whether it may be read.

use std::path::{Component, Path, PathBuf};

/// The outcome of looking for a script, the best first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sought {
    /// This file.
    Found(PathBuf),
    /// There is no such file.
    Missing,
    /// It is outside the folders that may be read.
    Forbidden,
}

/// The file that `name`, with or without `.pl`, denotes relative to `base`, if it is inside `folder` after symbolic
/// links are resolved; `folder` must be canonical.
pub(crate) fn seek_below(folder: &Path, base: &Path, name: &Path) -> Sought {
    match seek(base, name) {
        Sought::Found(path) => match path.canonicalize() {
            Ok(real) if real.starts_with(folder) => Sought::Found(path),
            _ => Sought::Forbidden,
        },
        _ if leaves(folder, &base.join(name)) => Sought::Forbidden,
        _ => Sought::Missing,
    }
}

/// The file that `name`, with or without `.pl`, denotes relative to `base`.
pub(crate) fn seek(base: &Path, name: &Path) -> Sought {
    let candidates = [base.join(name), base.join(with_ending(name))];
    candidates.into_iter().find(|path| path.is_file()).map_or(Sought::Missing, Sought::Found)
}

/// The name with `.pl` added.
pub(super) fn with_ending(name: &Path) -> PathBuf {
    let mut with_ending = name.as_os_str().to_os_string();
    with_ending.push(".pl");
    with_ending.into()
}

/// Whether a path to a missing file leaves the folder lexically.
fn leaves(folder: &Path, path: &Path) -> bool {
    let Ok(start) = std::path::absolute(path) else { return true };
    let mut steps = PathBuf::new();
    for component in start.components() {
        match component {
            Component::ParentDir => drop(steps.pop()),
            Component::CurDir => {}
            other => steps.push(other),
        }
    }
    !steps.starts_with(folder)
}

/// The canonical folder of a file.
pub(crate) fn folder_of(path: &Path) -> Option<PathBuf> {
    let parent = path.parent()?;
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    parent.canonicalize().ok()
}
