//! The source files below the folders of `--source-dir`.

use std::path::{Path, PathBuf};

use crate::engine::error::{existence_error, permission_error, with_message};
use crate::engine::{Cell, Sought, Stop, World, seek_below};

/// A source file.
pub(super) struct SourceFile {
    /// The path relative to the folder of `--source-dir`.
    pub(super) name: String,
    pub(super) text: String,
}

/// Why there is no file.
pub(super) enum SourceFileFault {
    /// No folder was named on the command line.
    NoFolder,
    Missing,
    Forbidden,
}

impl SourceFileFault {
    pub(super) fn error(&self, world: &World, culprit: Cell, name: &str) -> Stop {
        let store = &world.store;
        match self {
            SourceFileFault::NoFolder => with_message(
                permission_error(store, "open", "source", culprit),
                "sources are shown only where `--source-dir` says",
            ),
            SourceFileFault::Forbidden => with_message(
                permission_error(store, "open", "source", culprit),
                &format!("`{name}` does not lie below a folder of `--source-dir`"),
            ),
            SourceFileFault::Missing => {
                let folders: Vec<String> =
                    world.settings.source_folders.iter().map(|path| format!("`{}`", path.display())).collect();
                let error = existence_error(store, "source", culprit);
                with_message(error, &format!("no source of `{name}` in {}", folders.join(", ")))
            }
        }
    }
}

/// The source of a module, given by its name or its file: `queens`, `lib.queens`, `lib/queens.m`.
pub(super) fn file_of_module(world: &World, module: &str) -> Result<SourceFile, SourceFileFault> {
    file_below(&world.settings.source_folders, module)
}

/// The same below these folders.
pub(super) fn file_below(folders: &[PathBuf], module: &str) -> Result<SourceFile, SourceFileFault> {
    let dotted = module.replace("__", ".").replace(':', ".");
    let nested = dotted.replace('.', "/");
    let names = [
        module.to_owned(),
        format!("{module}.m"),
        format!("{dotted}.m"),
        format!("{nested}.m"),
        format!("{nested}.pl"),
    ];
    file(folders, &names)
}

/// The first of the files that exists.
fn file(folders: &[PathBuf], names: &[String]) -> Result<SourceFile, SourceFileFault> {
    if folders.is_empty() {
        return Err(SourceFileFault::NoFolder);
    }
    let mut fault = SourceFileFault::Missing;
    for folder in folders {
        let Ok(real) = folder.canonicalize() else { continue };
        for name in names {
            match seek_below(&real, &real, Path::new(name)) {
                Sought::Found(path) => return read(&path, &real).ok_or(SourceFileFault::Missing),
                Sought::Forbidden => fault = SourceFileFault::Forbidden,
                Sought::Missing => {}
            }
        }
    }
    Err(fault)
}

fn read(path: &Path, folder: &Path) -> Option<SourceFile> {
    let bytes = std::fs::read(path).ok()?;
    let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
    Some(SourceFile { name, text: String::from_utf8_lossy(&bytes).into_owned() })
}

/// All source files in the folders.
pub(super) fn sources(folders: &[PathBuf]) -> impl Iterator<Item = SourceFile> {
    folders.iter().flat_map(|folder| {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "m" || ending == "pl") && path.is_file());
        paths.sort();
        paths.into_iter().filter_map(|path| read(&path, folder))
    })
}
