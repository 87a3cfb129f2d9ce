//! What becomes of answers when another program changes the file of a trace that is open.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use papaver::formats::{LoadOptions, load};
use papaver::session::{Limits, Moves, Options, Session};

/// A trace that is long enough to stay in its file.
fn file() -> tempfile::NamedTempFile {
    let mut text = String::new();
    for number in 1..=40_000 {
        writeln!(text, "{number}: 1 [1] call p({number}, [a, b, c]) []").expect("strings take everything");
    }
    let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
    file.write_all(text.as_bytes()).expect("temporary files can be written");
    file
}

fn session(path: &Path) -> Session {
    let trace = load(path, &LoadOptions::default()).expect("the trace loads");
    let options =
        Options { output: Box::new(Vec::new()), moves: Moves::Silent, argv: Vec::new(), limits: Limits::default() };
    let mut session = Session::new(options);
    session.open(Arc::new(trace));
    session
}

#[test]
fn an_answer_from_a_file_that_was_cut_is_an_error_and_the_columns_still_answer() {
    let file = file();
    let mut session = session(file.path());
    assert_eq!(session.solve_once("event([chrono=39999, args=L]), L = [39999, [a|_]]"), Ok(true));
    file.as_file().set_len(1_000_000).expect("temporary files can be cut");
    assert_eq!(session.solve_once("event([chrono=40000, port=call, call=1])"), Ok(true));
    for goal in ["event([chrono=30000, args=[X|_]])", "event([chrono=30001])", "\\+ event([args=[no, such]])"] {
        let stop = session.solve_once(goal).expect_err("the text is gone");
        let told = session.describe(&stop).expect("errors are told").message;
        assert!(told.contains("it was truncated after the trace was read"), "{told}");
    }
}

#[test]
fn a_search_over_changed_arguments_is_an_error_not_a_failure() {
    let mut file = file();
    let mut session = session(file.path());
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(900_000)).expect("files can be moved in");
    file.write_all(b"0: 0").expect("temporary files can be written");
    let goal = "aggregate_all(count, event([args=[_, [a, b, c]]]), N), write(N)";
    let stop = session.solve_once(goal).expect_err("the text is another");
    let told = session.describe(&stop).expect("errors are told").message;
    assert!(told.contains("it has changed since the trace was read"), "{told}");
}
