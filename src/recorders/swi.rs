//! The recorder for SWI-Prolog.

use std::ffi::OsStr;

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
    limits: &[Limit::Only, Limit::Skip, Limit::MaxEvents, Limit::Depth, Limit::Text, Limit::NoArgs, Limit::Sample],
    start,
};

const FILE: &str = "swi.pl";

/// Options of `swipl` whose value is the next argument.
const WITH_VALUE: [&str; 9] = ["-g", "-t", "-f", "-F", "-s", "-l", "-x", "-p", "-d"];

/// The recorder is loaded as a script before the files of the program, which leaves its arguments as they are. There can
/// be one script only: that of the user becomes the first of the files.
fn start(request: &Request<'_>) -> Result<Start, String> {
    let (program, arguments) = request.command.split_first().ok_or("there is no program to run")?;
    let mut command = vec![program.clone(), "-s".into(), request.folder.join(FILE).into()];
    let mut scripts = Vec::new();
    let mut rest = arguments;
    while let [option, others @ ..] = rest
        && is_option(option)
    {
        let (value, others) = match others {
            [value, others @ ..] if WITH_VALUE.iter().any(|name| option == name) => (Some(value), others),
            _ => (None, others),
        };
        match value {
            Some(script) if option == "-s" => scripts.push(script.clone()),
            _ => command.extend([option].into_iter().chain(value).cloned()),
        }
        rest = others;
    }
    command.extend(scripts);
    command.extend(rest.iter().cloned());
    Ok(Start { command, environment: Vec::new() })
}

fn is_option(argument: &OsStr) -> bool {
    argument.as_encoded_bytes().starts_with(b"-") && argument != "--"
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::*;
    use crate::recorders::Limits;

    fn started(command: &[&str]) -> Vec<OsString> {
        let command: Vec<OsString> = command.iter().map(OsString::from).collect();
        let request = Request { command: &command, folder: Path::new("/r"), limits: &Limits::default() };
        start(&request).expect("there is a program").command
    }

    #[test]
    fn the_recorder_is_loaded_first() {
        let expected = ["swipl", "-s", "/r/swi.pl", "-g", "main", "app.pl", "-s", "x"];
        assert_eq!(started(&["swipl", "-g", "main", "app.pl", "-s", "x"]), expected);
    }

    #[test]
    fn a_script_becomes_a_file() {
        let expected = ["swipl", "-s", "/r/swi.pl", "-q", "-g", "main", "app.pl", "--", "x"];
        assert_eq!(started(&["swipl", "-q", "-s", "app.pl", "-g", "main", "--", "x"]), expected);
    }
}
