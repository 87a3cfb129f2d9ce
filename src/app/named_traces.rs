//! The traces that a command line names: files, folders of traces, patterns, and lists of them in a file.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::formats::{FirstLook, first_look, is_exported, traces_of};
use crate::term::hash::HashMap;
use crate::trace::threads::{n_openers, on_cores};

/// The files that a command line names, and what was left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct NamedTraces {
    /// In the order in which they are named; those of a folder or a pattern are sorted.
    pub(crate) paths: Vec<PathBuf>,
    /// The files of folders that no format recognises.
    pub(crate) left_out: Vec<PathBuf>,
    /// The formats of files of folders, where their first bytes are clear.
    pub(crate) formats: HashMap<PathBuf, &'static str>,
}

/// Whether the files of a folder are looked at before they are taken for traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderFiles {
    /// Those that a format recognises are traces.
    Recognised,
    /// All are, as the command line says how they are read.
    All,
}

impl NamedTraces {
    /// The traces that `named` stands for: `@list` for the lines of the file `list`, a folder for the traces in it, and a
    /// pattern such as `runs/*.jsonl` for the files that match. A name that is a file, or that stands for nothing, stays.
    pub(crate) fn of(named: &[PathBuf], folder_files: FolderFiles) -> NamedTraces {
        let mut traces = NamedTraces::default();
        named.iter().for_each(|name| traces.add(name, folder_files));
        traces
    }

    fn add(&mut self, name: &Path, folder_files: FolderFiles) {
        match listed(name) {
            Some(names) => names.iter().for_each(|name| self.add_unlisted(name, folder_files)),
            None => self.add_unlisted(name, folder_files),
        }
    }

    fn add_unlisted(&mut self, name: &Path, folder_files: FolderFiles) {
        let matching = matching(name);
        match matching.is_empty() {
            true => self.add_file_or_folder(name, folder_files),
            false => matching.iter().for_each(|name| self.add_file_or_folder(name, folder_files)),
        }
    }

    fn add_file_or_folder(&mut self, name: &Path, folder_files: FolderFiles) {
        if !name.is_dir() || is_exported(name) {
            return self.paths.extend(traces_of(name).unwrap_or_else(|| vec![name.to_path_buf()]));
        }
        let n_before = self.paths.len();
        let entries = WalkDir::new(name).sort_by_file_name().into_iter().filter_entry(|entry| !is_hidden(entry));
        let files = entries.filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
        let files: Vec<PathBuf> = files.map(DirEntry::into_path).collect();
        let look = |file: &PathBuf| match folder_files {
            FolderFiles::All => FirstLook::MaybeTrace,
            FolderFiles::Recognised => first_look(file),
        };
        let looks = on_cores(n_openers(), files.iter(), look);
        for (file, look) in files.into_iter().zip(looks) {
            match look {
                FirstLook::NoTrace => self.left_out.push(file),
                FirstLook::MaybeTrace => self.paths.push(file),
                FirstLook::Clear(format) => {
                    self.formats.insert(file.clone(), format);
                    self.paths.push(file);
                }
            }
        }
        if self.paths.len() == n_before {
            self.paths.push(name.to_path_buf());
        }
    }

    /// A note on the files that were left out, if there are any.
    pub(crate) fn note(&self) -> Option<String> {
        let first = self.left_out.first()?.display();
        Some(match self.left_out.len() {
            1 => format!("left out `{first}`, which no format recognises"),
            n_files => format!("left out {n_files} files that no format recognises, the first is `{first}`"),
        })
    }
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// The lines of the file `list`, if the name is `@list` and not itself a file.
fn listed(name: &Path) -> Option<Vec<PathBuf>> {
    let list = name.to_str()?.strip_prefix('@').filter(|_| !name.exists())?;
    let text = fs::read_to_string(list).ok()?;
    Some(text.lines().filter(|line| !line.trim().is_empty()).map(PathBuf::from).collect())
}

/// The paths that match a pattern, sorted; none if the name has no wildcard, or is itself a file.
fn matching(name: &Path) -> Vec<PathBuf> {
    let has_wildcard = |text: &OsStr| text.as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte));
    match name.to_str().filter(|_| has_wildcard(name.as_os_str()) && !name.exists()) {
        Some(pattern) => glob::glob(pattern).map_or(Vec::new(), |paths| paths.filter_map(Result::ok).collect()),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENT: &str = "1: 1 [1] call p(a) []\n";

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("it is in the folder")).expect("folders can be made");
            fs::write(path, text).expect("files can be written");
        };
        write("b.trace", EVENT);
        write("a/1.trace", EVENT);
        write("a/.hidden", EVENT);
        write("notes.md", "# nothing to trace\n");
        folder
    }

    fn names(folder: &Path, named: &[&str]) -> NamedTraces {
        let named: Vec<PathBuf> = named.iter().map(|name| folder.join(name)).collect();
        let mut traces = NamedTraces::of(&named, FolderFiles::Recognised);
        for path in traces.paths.iter_mut().chain(&mut traces.left_out) {
            *path = path.strip_prefix(folder).map(Path::to_path_buf).unwrap_or_default();
        }
        traces
    }

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn a_folder_stands_for_the_traces_in_it() {
        let folder = folder();
        let found = names(folder.path(), &[""]);
        assert_eq!(found.paths, paths(&["a/1.trace", "b.trace"]));
        assert_eq!(found.left_out, paths(&["notes.md"]));
        assert_eq!(found.formats.get(&folder.path().join("b.trace")), Some(&"morphine"));
        assert_eq!(found.note().as_deref(), Some("left out `notes.md`, which no format recognises"));
    }

    #[test]
    fn a_pattern_stands_for_the_files_that_match() {
        let folder = folder();
        assert_eq!(names(folder.path(), &["*/*.trace", "b.tr?ce"]).paths, paths(&["a/1.trace", "b.trace"]));
        assert_eq!(names(folder.path(), &["none*"]).paths, paths(&["none*"]));
        fs::write(folder.path().join("b.tr*ce"), EVENT).expect("files can be written");
        assert_eq!(names(folder.path(), &["b.tr*ce"]).paths, paths(&["b.tr*ce"]));
    }

    #[test]
    fn a_list_stands_for_its_lines() {
        let folder = folder();
        let (list, trace) = (folder.path().join("list"), folder.path().join("b.trace"));
        fs::write(&list, format!("{}\n\n{}\n", trace.display(), folder.path().join("a").display()))
            .expect("it is written");
        let found = NamedTraces::of(&[PathBuf::from(format!("@{}", list.display()))], FolderFiles::All);
        assert_eq!(found.paths, [trace, folder.path().join("a/1.trace")]);
        let missing = NamedTraces::of(&[PathBuf::from("@nowhere")], FolderFiles::All);
        assert_eq!(missing.paths, paths(&["@nowhere"]));
    }

    #[test]
    fn an_empty_folder_stays_as_its_name() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let found = NamedTraces::of(&[folder.path().to_path_buf()], FolderFiles::Recognised);
        assert_eq!(found.paths, [folder.path()]);
    }
}
