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
mod wrapper;

use std::ffi::OsString;
use std::path::Path;

pub(crate) use choice::{chosen, with_interpreter};
pub(crate) use limits::{Limit, Limits};
pub(crate) use strace_limits::StraceLimits;
pub(crate) use wrapper::Wrapper;

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
    /// The goal that shows what happened, if nothing went wrong and events are no calls.
    pub(crate) overview: Option<&'static str>,
    /// What there must be, or nothing is recorded.
    pub(crate) needs: &'static str,
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
    /// What the user's command has in front of the program: `timeout 5`.
    pub(crate) wrapper: &'a Wrapper,
    /// The program and its arguments. A script with a `#!` line stands behind its interpreter.
    pub(crate) command: &'a [OsString],
    /// The command line to type if the wrapper hides the recorder from the program.
    pub(crate) instead: &'a str,
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
    /// Variables of its environment, besides those of papaver itself.
    pub(crate) environment: Vec<(&'static str, OsString)>,
}

/// The name of the pipe in the folder of the recorder.
pub(crate) const PIPE: &str = "pipe";

impl Request<'_> {
    /// What the recorder writes to.
    pub(crate) fn out(&self) -> OsString {
        self.folder.join(PIPE).into()
    }

    /// Starts a program behind its wrapper with some variables, and those that every recorder has.
    fn start(&self, program: Vec<OsString>, variables: Vec<(&'static str, OsString)>) -> Result<Start, String> {
        if let Some(name) = self.wrapper.hides {
            return Err(format!(
                "`{name}` hides the recorder from the program that it starts: type `{}`",
                self.instead
            ));
        }
        let environment = [variables, self.environment().to_vec()].concat();
        let mut command = self.wrapper.words.clone();
        if let Some(at) = self.wrapper.assignments {
            command.splice(at..at, environment.iter().map(assignment));
        }
        command.extend(program);
        Ok(Start { command, environment })
    }

    /// The variables that tell every recorder where to write and what to leave out.
    fn environment(&self) -> [(&'static str, OsString); 2] {
        [("PAPAVER_OUT", self.out()), ("PAPAVER_OPTIONS", self.limits.options().into())]
    }
}

/// `NAME=value`
fn assignment((name, value): &(&'static str, OsString)) -> OsString {
    let mut word = OsString::from(format!("{name}="));
    word.push(value);
    word
}

impl Recorder {
    /// The recorder of this kind.
    pub(crate) fn named(kind: &str) -> Option<&'static Recorder> {
        RECORDERS.iter().find(|recorder| recorder.kind == kind)
    }
}

#[cfg(test)]
impl<'a> Request<'a> {
    /// A command in which nothing stands in front of the program.
    fn plain(command: &'a [OsString], folder: &'a str, limits: &'a Limits) -> Request<'a> {
        const NONE: &Wrapper = &Wrapper { words: Vec::new(), assignments: None, hides: None };
        Request { wrapper: NONE, command, instead: "", folder: Path::new(folder), limits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Format;
    use crate::manual;

    #[test]
    fn what_starts_a_program_stays_in_front_of_it_and_may_assign_variables() {
        let started = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let wrapper = Wrapper::of(&words);
            let limits = Limits::default();
            let command = &words[wrapper.words.len()..];
            let request = Request { wrapper: &wrapper, instead: "LINE", ..Request::plain(command, "/r", &limits) };
            let start = (chosen(&command[0]).start)(&request)?;
            Ok(start.command.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" "))
        };
        for (line, expected) in [
            ("timeout 5 python3 a.py", "timeout 5 python3 a.py"),
            ("nice escript a", "nice escript -c a"),
            ("nohup swipl a.pl", "nohup swipl -s /r/swi.pl a.pl"),
            (
                "env PYTHONPATH=lib nice python3",
                "env PYTHONPATH=lib PYTHONPATH=/r:lib PAPAVER_OUT=/r/pipe PAPAVER_OPTIONS= nice python3",
            ),
            ("env -i python3", "env -i PYTHONPATH=/r PAPAVER_OUT=/r/pipe PAPAVER_OPTIONS= python3"),
        ] {
            assert_eq!(started(line), Ok(expected.to_string()), "{line}");
        }
        for line in ["sudo python3 a.py", "nice poetry run pytest", "sudo swipl", "doas erl"] {
            assert!(started(line).is_err_and(|why: String| why.ends_with("type `LINE`")), "{line}");
        }
        assert!(started("nice python3 -I a.py").is_err_and(|why| why.contains("option I")));
    }

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
