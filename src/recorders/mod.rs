//! Floor 2: recorders, which write a trace of a program while it runs.
//!
//! A recorder is a file in the language of the programs that it records, with a page beside it. Its row in `RECORDERS`
//! says which programs it is for and how it is put in front of one. `papaver record` gives it a named pipe to write to
//! and the limits; `papaver recorder KIND` prints its file for use by hand.

mod choice;
mod erlang;
mod limits;
mod process_depths;
mod python;
mod rust;
mod strace;
mod strace_limits;
mod strace_values;
mod swi;

use std::ffi::OsString;
use std::path::Path;

pub(crate) use choice::{chosen, with_interpreter};
pub(crate) use limits::{Limit, Limits};
pub(crate) use strace_limits::StraceLimits;

/// All recorders; the first that knows a program records it.
pub(crate) const RECORDERS: &[Recorder] =
    &[erlang::RECORDER, erlang::SEQTRACE, python::RECORDER, rust::RECORDER, swi::RECORDER, strace::RECORDER];

/// A recorder.
pub(crate) struct Recorder {
    /// Its name, for `--with` and `papaver recorder`.
    pub(crate) kind: &'static str,
    /// One line: what it records.
    pub(crate) doc: &'static str,
    /// The page of the manual about it.
    pub(crate) page: &'static str,
    /// Its files by name, which lie in a folder of their own while it records; `papaver recorder` prints the first.
    pub(crate) files: &'static [RecorderFile],
    /// Names of programs for which it is chosen; a `*` at the end stands for any version: `python*` is `python3.12`.
    pub(crate) programs: &'static [&'static str],
    /// Endings of the names of programs in its language: the trace of `app.py` is called after `app`.
    pub(crate) endings: &'static [&'static str],
    /// The format that it writes, by the name in `formats::FORMATS`.
    pub(crate) format: &'static str,
    /// The goal that shows what went wrong, if there were exceptions.
    pub(crate) question: &'static str,
    /// The limits that can be kept with it.
    pub(crate) limits: &'static [Limit],
    /// What papaver does for it to keep them, as its lines pass; without that, it keeps them itself.
    pub(crate) kept_outside: Option<fn(&Limits) -> Option<StraceLimits>>,
    /// Returns the command that runs a program under the recorder, or why it cannot.
    pub(crate) start: fn(&Request<'_>) -> Result<Start, String>,
}

/// A file of a recorder.
pub(crate) struct RecorderFile {
    /// Its name without a folder.
    pub(crate) name: &'static str,
    /// Its text.
    pub(crate) text: &'static str,
}

/// What a recorder is asked to record.
pub(crate) struct Request<'a> {
    /// The user's command: the program and its arguments. A script with a `#!` line stands behind its interpreter.
    pub(crate) command: &'a [OsString],
    /// The folder where the files of the recorder lie, and the pipe that it writes to.
    pub(crate) folder: &'a Path,
    /// What it leaves out.
    pub(crate) limits: &'a Limits,
}

/// How a program is started under a recorder.
#[derive(Debug, PartialEq)]
pub(crate) struct Start {
    /// The command to run instead of the user's.
    pub(crate) command: Vec<OsString>,
    /// Variables of its environment, besides those of papaver itself and `PAPAVER_OUT` and `PAPAVER_OPTIONS`.
    pub(crate) environment: Vec<(&'static str, OsString)>,
}

/// The name of the pipe in the folder of the recorder.
pub(crate) const PIPE: &str = "pipe";

impl Request<'_> {
    /// What the recorder writes to.
    pub(crate) fn out(&self) -> OsString {
        self.folder.join(PIPE).into()
    }

    /// The variables that tell every recorder where to write and what to leave out.
    pub(crate) fn environment(&self) -> [(&'static str, OsString); 2] {
        [("PAPAVER_OUT", self.out()), ("PAPAVER_OPTIONS", self.limits.options().into())]
    }
}

impl Recorder {
    /// The recorder of this kind.
    pub(crate) fn named(kind: &str) -> Option<&'static Recorder> {
        RECORDERS.iter().find(|recorder| recorder.kind == kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Format;
    use crate::manual;

    #[test]
    fn every_recorder_has_a_file_a_page_and_a_format() {
        for recorder in RECORDERS {
            assert!(recorder.files.iter().all(|file| !file.text.is_empty()), "{} has an empty file", recorder.kind);
            assert!(!recorder.files.is_empty(), "{} has no file", recorder.kind);
            assert!(manual::page(recorder.page).is_some(), "there is no page {}", recorder.page);
            assert!(Format::named(recorder.format).is_some(), "there is no format {}", recorder.format);
        }
    }

    #[test]
    fn no_kind_and_no_program_is_there_twice() {
        let mut names: Vec<&str> = RECORDERS.iter().flat_map(|recorder| recorder.programs).copied().collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        let is_first = |recorder: &Recorder| Recorder::named(recorder.kind).is_some_and(|one| one.doc == recorder.doc);
        assert!(RECORDERS.iter().all(is_first));
    }
}
