//! Python as a recorder: the calls of any program that Python runs.

use std::ffi::{OsStr, OsString};

use super::{Limit, Recorder, RecorderFile, Request, Start};

/// The row of the recorder.
pub(super) const RECORDER: Recorder = Recorder {
    kind: "python",
    doc: "the calls of Python programs, with arguments and results",
    page: "python",
    // the module `site` imports a file of this name from the folders of PYTHONPATH before the program starts
    files: &[RecorderFile { name: "sitecustomize.py", text: include_str!("python.py") }],
    // `uv run` passes its environment on
    programs: &["python*", "pytest", "ipython*", "uv", "uvx"],
    endings: &["py"],
    format: "jsonl",
    question: "fget([port=exception])",
    overview: None,
    needs: "a Python program that reads PYTHONPATH and `site`: no `-E`, `-I`, `-S`, `--version`, and no emptied environment",
    limits: &[
        Limit::Only,
        Limit::Skip,
        Limit::MaxEvents,
        Limit::Depth,
        Limit::Text,
        Limit::Levels,
        Limit::NoArgs,
        Limit::Sample,
        Limit::Lines,
    ],
    kept_outside: None,
    start,
};

/// The command stays as it is: the interpreter finds the recorder by PYTHONPATH, so that the program sees no frame, no
/// argument and no main module but its own.
fn start(request: &Request<'_>) -> Result<Start, String> {
    if let Some(option) = deaf_option(request.command) {
        return Err(format!(
            "with the option {option} Python does not read PYTHONPATH, by which programs are recorded"
        ));
    }
    let mut path = request.folder.as_os_str().to_os_string();
    if let Some(own) = request.wrapper.variable("PYTHONPATH") {
        path.push(":");
        path.push(own);
    }
    request.start(request.command.to_vec(), vec![("PYTHONPATH", path)])
}

/// The option of the interpreter by which it takes no notice of PYTHONPATH or of `site`.
fn deaf_option(command: &[OsString]) -> Option<char> {
    let (program, arguments) = command.split_first()?;
    let name = std::path::Path::new(program).file_name().and_then(OsStr::to_str)?;
    if !name.starts_with("python") {
        return None;
    }
    let mut arguments = arguments.iter().filter_map(|argument| argument.to_str());
    while let Some(letters) = arguments.next().and_then(|argument| argument.strip_prefix('-')) {
        if letters.starts_with('-') {
            continue;
        }
        let valued = letters.find(['c', 'm', 'X', 'W']);
        let flags = &letters[..valued.unwrap_or(letters.len())];
        if let Some(option) = flags.chars().find(|letter| matches!(letter, 'E' | 'I' | 'S')) {
            return Some(option);
        }
        match valued.map(|at| letters.split_at(at + 1)) {
            Some((flags, _)) if flags.ends_with(['c', 'm']) => return None,
            Some((_, "")) => drop(arguments.next()),
            Some(_) => {}
            None if letters.is_empty() => return None,
            None => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deaf(line: &str) -> Option<char> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        deaf_option(&words)
    }

    #[test]
    fn an_option_that_hides_the_recorder_is_found_before_the_script() {
        for line in
            ["python3 -I app.py", "python -uE app.py", "python3 -X dev -W error -S -m app", "python3 -Xdev -BI -c 1"]
        {
            assert!(deaf(line).is_some(), "{line}");
        }
        for line in [
            "python3 app.py -I",
            "python3 -m app -E",
            "python3 -c -E",
            "python3 - -I",
            "python3 -X E app.py",
            "python3 -WI app.py",
            "python3 -u --check-hash-based-pycs never app.py",
            "make -E",
            "python3",
        ] {
            assert_eq!(deaf(line), None, "{line}");
        }
    }

    #[test]
    fn the_recorder_states_the_version_of_papaver() {
        assert!(RECORDER.files[0].text.contains(concat!("VERSION = \"", env!("CARGO_PKG_VERSION"), "\"")));
    }
}
