//! Sessions at the prompt, in `tests/sessions`: goals and commands of the browser, each with its answer.
//!
//! A file begins with comments, one of which holds the command: `% $ papaver tests/data/queens.trace`. A line
//! `?- goal.` is typed, lines `|  more` below it continue the goal, and the text after `browser> ` is typed, too. All
//! other lines are output.

use std::fs;
use std::path::Path;

use crate::golden::{self, Golden};

/// The file with the current output of the session.
fn session(path: &Path) -> Golden {
    let text = fs::read_to_string(path).expect("the file can be read");
    let lines: Vec<&str> = text.lines().collect();
    let n_comments = lines.iter().take_while(|line| line.starts_with("% ")).count();
    let (comments, lines) = lines.split_at(n_comments);
    let command = comments.iter().find_map(|line| line.strip_prefix("% $ "));
    let command = command.unwrap_or_else(|| panic!("{} has no command", path.display()));
    let head: String = comments.iter().flat_map(|line| [line, "\n"]).collect();
    Golden { path: path.to_path_buf(), text: head + &golden::session(command, lines) }
}

#[test]
fn every_session_goes_as_it_is_written() {
    let files = golden::files("tests/sessions", "session");
    assert!(files.len() >= 5, "only {} sessions were found", files.len());
    golden::assert_all(files.iter().map(|path| session(path)));
}
