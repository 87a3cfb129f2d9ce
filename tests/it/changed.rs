//! Answers after another program has changed the file of an open trace.

use std::fmt::Write as _;
use std::io::Write as _;

use papaver::Session;

/// A trace that is long enough for its texts to stay in the file.
fn file() -> tempfile::NamedTempFile {
    let mut text = String::new();
    for number in 1..=40_000 {
        writeln!(text, "{number}: 1 [1] call p({number}, [a, b, c]) []").expect("strings take everything");
    }
    let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
    file.write_all(text.as_bytes()).expect("temporary files can be written");
    file
}

/// Whether a goal has an answer, or the message of its error.
fn answered(session: &mut Session, goal: &str) -> Result<bool, String> {
    let first = session.ask(goal).expect("the goal is well-formed").next();
    first.transpose().map(|answer| answer.is_some()).map_err(|error| error.to_string())
}

#[test]
fn an_answer_from_a_file_that_was_cut_is_an_error_and_the_columns_still_answer() {
    let file = file();
    let mut session = Session::of_trace(file.path()).expect("the trace loads");
    assert_eq!(answered(&mut session, "event([chrono=39999, args=L]), L = [39999, [a|_]]"), Ok(true));
    file.as_file().set_len(1_000_000).expect("temporary files can be cut");
    assert_eq!(answered(&mut session, "event([chrono=40000, port=call, call=1])"), Ok(true));
    for goal in ["event([chrono=30000, args=[X|_]])", "event([chrono=30001])", "\\+ event([args=[no, such]])"] {
        let message = answered(&mut session, goal).expect_err("the text is gone");
        assert!(message.contains("it was truncated after the trace was read"), "{message}");
    }
}

#[test]
fn a_search_over_changed_arguments_is_an_error_not_a_failure() {
    let mut file = file();
    let mut session = Session::of_trace(file.path()).expect("the trace loads");
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(900_000)).expect("files can be moved in");
    file.write_all(b"0: 0").expect("temporary files can be written");
    let goal = "aggregate_all(count, event([args=[_, [a, b, c]]]), N), write(N)";
    let message = answered(&mut session, goal).expect_err("the text is another");
    assert!(message.contains("it has changed since the trace was read"), "{message}");
}
