//! The recorder for SWI-Prolog.

use std::ffi::{OsStr, OsString};

use super::{Limit, Recorder, RecorderFile, Request, Start};

/// The row of the recorder.
pub(super) const RECORDER: Recorder = Recorder {
    kind: "swi",
    doc: "calls, exits, failures, redos and exceptions of a Prolog program, in SWI-Prolog 9.0 and later",
    page: "swi",
    files: &[RecorderFile { name: FILE, text: include_str!("swi.pl") }],
    programs: &["swipl*"],
    endings: &["pl", "pro", "prolog"],
    format: "jsonl",
    question: "event([port=exception, name=Name, args=Args, exception=Exception])",
    overview: None,
    needs: "`swipl`, or a program that passes its options on to it",
    limits: &[Limit::Only, Limit::Skip, Limit::MaxEvents, Limit::Depth, Limit::Text, Limit::NoArgs, Limit::Sample],
    kept_outside: None,
    start,
};

const FILE: &str = "swi.pl";

/// The recorder is loaded as the first script, before those of the user, and leaves all other arguments as they are. A saved
/// state (`-x`) has to stand before everything else, and so has an option that only tells something, which starts no
/// program.
fn start(request: &Request<'_>) -> Result<Start, String> {
    let (program, arguments) = request.command.split_first().ok_or("there is no program to run")?;
    if let Some(option) = arguments.first().filter(|option| TELLS.iter().any(|name| starts_with(option, name))) {
        return Err(format!("`{} {}` runs no program", program.display(), option.display()));
    }
    let (state, rest) = match arguments {
        [option, _, rest @ ..] if option == "-x" => (&arguments[..2], rest),
        _ => (&arguments[..0], arguments),
    };
    let recorder: [OsString; 2] = ["-s".into(), request.folder.join(FILE).into()];
    let command = [program].into_iter().chain(state).chain(&recorder).chain(rest).cloned().collect();
    request.start(command, Vec::new())
}

/// Options of `swipl` that make it print something and end.
const TELLS: [&str; 5] = ["--help", "--version", "--abi-version", "--arch", "--dump-runtime-variables"];

fn starts_with(argument: &OsStr, name: &str) -> bool {
    argument.as_encoded_bytes().starts_with(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorders::Limits;

    fn started(command: &[&str]) -> Vec<OsString> {
        let command: Vec<OsString> = command.iter().map(OsString::from).collect();
        let limits = Limits::default();
        let request = Request::plain(&command, "/r", &limits);
        start(&request).expect("there is a program").command
    }

    #[test]
    fn the_recorder_is_loaded_first() {
        let expected = ["swipl", "-s", "/r/swi.pl", "-g", "main", "-l", "app.pl", "--", "-s", "x"];
        assert_eq!(started(&["swipl", "-g", "main", "-l", "app.pl", "--", "-s", "x"]), expected);
        let expected = ["swipl", "-x", "app.state", "-s", "/r/swi.pl", "-q"];
        assert_eq!(started(&["swipl", "-x", "app.state", "-q"]), expected);
    }

    #[test]
    fn what_runs_no_program_is_not_recorded() {
        let command = ["swipl", "--version"].map(OsString::from);
        let limits = Limits::default();
        let request = Request::plain(&command, "/r", &limits);
        assert_eq!(start(&request), Err("`swipl --version` runs no program".to_string()));
    }
}
