//! Goals that read lines from the user.

use crate::session::{Options, Session};

/// The output of a goal, and the questions that it asks, each answered with `a.`.
fn written_and_asked(goal: &str) -> (String, Vec<String>) {
    let output = tempfile::NamedTempFile::new().unwrap();
    let writer = Box::new(output.reopen().unwrap());
    let mut session = Session::new(Options { output: writer, ..Options::default() });
    let (sender, asked) = std::sync::mpsc::channel();
    session.ask_lines(Box::new(move |question: &str| {
        sender.send(question.to_owned()).unwrap();
        Ok(Some("a.".to_owned()))
    }));
    assert!(session.solve_once(goal).unwrap(), "{goal}");
    (std::fs::read_to_string(output.path()).unwrap(), asked.try_iter().collect())
}

#[test]
fn a_question_is_shown_by_whoever_reads_the_answer_alone() {
    let asked = |questions: &[&str]| questions.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(written_and_asked("read(a), nl"), ("\n".to_owned(), asked(&["|: "])));
    assert_eq!(written_and_asked("write('name '), read(a)"), ("name ".to_owned(), asked(&["name "])));
    assert_eq!(written_and_asked("'$ask_line'('one\\ntwo? ', _)"), ("one\n".to_owned(), asked(&["two? "])));
    assert_eq!(written_and_asked("with_output_to(string(_), '$ask_line'('q? ', _))"), (String::new(), asked(&["q? "])));
}
