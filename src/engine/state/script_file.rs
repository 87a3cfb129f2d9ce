//! A script that the user names: its file, and its text as it was read from there once.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::script_path::with_ending;
use crate::syntax::diagnostic::Source;

/// The file and the text of a script.
#[derive(Clone, Debug)]
pub(crate) struct ScriptFile {
    /// Where the text was found.
    pub(crate) path: PathBuf,
    /// The text.
    pub(crate) source: Arc<Source>,
}

impl ScriptFile {
    /// Reads the script that `name`, with or without `.pl`, denotes; invalid UTF-8 is replaced.
    pub(crate) fn read(name: &Path) -> io::Result<ScriptFile> {
        let read = |path: PathBuf| std::fs::read(&path).map(|bytes| (path, bytes));
        let (path, bytes) = read(name.to_path_buf()).or_else(|error| read(with_ending(name)).map_err(|_| error))?;
        let source = Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned());
        Ok(ScriptFile { path, source })
    }
}
