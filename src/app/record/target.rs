//! The file to write: its name, its packing, and that it is there only once.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::pack::{PackedFile, Packing};
use super::recording::Recording;
use super::{RecordArgs, Refusal};
use crate::app::convert;
use crate::formats::{LoadOptions, load};
use crate::output::convert::target;
use crate::recorders::Recorder;

/// The name of a format of saved traces, which cannot be written before everything is known.
const SAVED: &str = "papaver";

/// Where a recording goes.
pub(super) struct Target {
    /// The file that the user gets.
    pub(super) path: PathBuf,
    /// The file that is written while the program runs, if it is another one.
    spool: Option<PathBuf>,
    packing: Packing,
}

impl Target {
    /// The file of the command line, or a new one that is called after the program.
    pub(super) fn new(
        args: &RecordArgs,
        recorder: &Recorder,
        command: &[OsString],
        program: &OsStr,
    ) -> Result<Target, Refusal> {
        let Some(path) = args.output.clone() else {
            let path = unused(&stem(recorder, command, program), recorder.format);
            return Ok(Target { path, spool: None, packing: Packing::Zstd });
        };
        if path.exists() && !args.force {
            return Err(Refusal::new(format!("`{}` exists already (--force replaces it)", path.display())));
        }
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let packing = match ending {
            "zst" | SAVED => Packing::Zstd,
            "gz" => Packing::Gzip,
            _ => Packing::Plain,
        };
        let spool = (ending == SAVED).then(|| path.with_extension(format!("{SAVED}.{}.zst", recorder.format)));
        Ok(Target { path, spool, packing })
    }

    /// Makes the file, which only this user can read.
    pub(super) fn create(&self, force: bool) -> Result<PackedFile, Refusal> {
        let path = self.written();
        let opened = create(path, force).and_then(|file| PackedFile::new(file, self.packing));
        opened.map_err(|error| {
            let hint = if error.kind() == io::ErrorKind::AlreadyExists { " (--force replaces it)" } else { "" };
            Refusal::new(format!("cannot write `{}`: {error}{hint}", path.display()))
        })
    }

    /// The file that is written while the program runs.
    pub(super) fn written(&self) -> &Path {
        self.spool.as_deref().unwrap_or(&self.path)
    }

    /// Makes the saved trace from what was written, if that was asked for; an empty file is removed.
    pub(super) fn finish(&self, recording: &Recording) -> Result<(), Refusal> {
        if recording.file.n_bytes == 0 && self.written().is_file() {
            let path = self.written();
            let removed = std::fs::remove_file(path);
            return removed.map_err(|error| Refusal::new(format!("cannot remove `{}`: {error}", path.display())));
        }
        let Some(spool) = &self.spool else { return Ok(()) };
        let failed = |why: String| {
            Refusal::new(format!(
                "cannot write `{}`: {why}; the trace is in `{}`",
                self.path.display(),
                spool.display()
            ))
        };
        let trace = load(spool, &LoadOptions::default()).map_err(|error| failed(error.to_string()))?;
        let saved = target(SAVED).ok_or_else(|| failed("no such format".to_string()))?;
        convert::to_file(Arc::new(trace), saved, &self.path).map_err(|error| failed(error.to_string()))?;
        std::fs::remove_file(spool).map_err(|error| failed(error.to_string()))
    }
}

fn create(path: &Path, force: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    if force {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    options.open(path)
}

/// The name of the program's file without its ending: `app` for `python3 app.py`.
fn stem(recorder: &Recorder, command: &[OsString], program: &OsStr) -> OsString {
    let is_source = |word: &&OsString| {
        let ending = Path::new(word).extension().and_then(OsStr::to_str);
        ending.is_some_and(|ending| recorder.endings.contains(&ending))
    };
    let source = command.iter().find(is_source).map_or(program, OsString::as_os_str);
    Path::new(source).file_stem().unwrap_or(OsStr::new("trace")).to_os_string()
}

/// The first of `app.jsonl.zst`, `app.2.jsonl.zst`, `app.3.jsonl.zst` that is not there.
fn unused(stem: &OsStr, format: &str) -> PathBuf {
    let named = |number: u32| {
        let mut name = stem.to_os_string();
        if number > 1 {
            name.push(format!(".{number}"));
        }
        name.push(format!(".{format}.zst"));
        PathBuf::from(name)
    };
    (1..).map(named).find(|path| !path.exists()).unwrap_or_else(|| named(1))
}
