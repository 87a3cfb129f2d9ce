//! Sessions at the prompt, in `tests/sessions`: goals and commands to the browser, and what is answered under each.
//!
//! A file begins with comments, one of which tells the command: `% $ papaver tests/data/queens.trace`. A line `?- goal.`
//! is typed, lines `|  more` below it are more of the goal, and what stands behind `browser> ` is typed too. All other
//! lines are what is written.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::shell;

struct Session {
    command: String,
    typed: String,
    written: String,
}

fn session(text: &str) -> Option<Session> {
    let mut session = Session { command: String::new(), typed: String::new(), written: String::new() };
    for line in text.lines() {
        let typed = ["?- ", "|  ", "browser> "].into_iter().find_map(|mark| line.strip_prefix(mark));
        match (typed, line.strip_prefix("% ")) {
            (Some(typed), _) => session.typed.extend([typed, "\n"]),
            (None, Some(comment)) if session.typed.is_empty() => {
                if let Some(command) = comment.strip_prefix("$ ") {
                    session.command = command.to_owned();
                }
            }
            (None, _) => session.written.extend([line, "\n"]),
        }
    }
    (!session.command.is_empty() && !session.typed.is_empty()).then_some(session)
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    let entries = fs::read_dir(folder).expect("the folder is part of the project");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "session")).collect();
    files.sort();
    files
}

fn fault(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).expect("the file can be read");
    let Some(session) = session(&text) else {
        return Some(format!("{}: no command, or nothing typed", path.display()));
    };
    let mut typed = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    typed.write_all(session.typed.as_bytes()).expect("a temporary file can be written to");
    let found = shell::run(&format!("{} < '{}'", session.command, typed.path().display())).text;
    (found != session.written)
        .then(|| format!("{}: {}", path.display(), shell::first_difference(&found, &session.written)))
}

#[test]
fn every_session_goes_as_it_is_written() {
    let files = files();
    assert!(files.len() >= 5, "only {} sessions were found", files.len());
    let faults: Vec<String> = files.iter().filter_map(|path| fault(path)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
