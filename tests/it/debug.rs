//! Declarative debugging: questions about a proof tree, and the defects that the answers reveal.

use crate::support::{data, file, papaver, stderr, stdout};

/// A program that sorts [2, 3, 1] to [1, 2]: insert(2, [3], _), call 9, forgets the 3.
fn isort() -> String {
    format!("{}/examples/debug/isort.trace", env!("CARGO_MANIFEST_DIR"))
}

fn session(input: &str, status: i32) -> String {
    stdout(papaver().arg(isort()).write_stdin(input.to_string()), status)
}

#[test]
fn each_answer_halves_the_suspects_until_one_is_left() {
    let text = session("debug_wrong_answer(1, B).\ny\nyes\n no.\n", 0);
    assert_eq!(text.matches("Right? ").count(), 3, "{text}");
    assert!(text.contains("The bug is in this call:\n 28:   9 [3] exit insert(2, [3], [2])"), "{text}");
    assert!(text.ends_with("B = 9.\n"), "{text}");
}

#[test]
fn a_wrong_answer_of_right_parts_is_the_bug_itself() {
    let text = session("debug_wrong_answer(8, B).\nyes\n", 0);
    assert!(text.contains("What it has called is right:\n    insert(2, [3], [2])\n"), "{text}");
    assert!(text.ends_with("B = 8.\n"), "{text}");
}

#[test]
fn inadmissible_calls_are_no_suspects() {
    let text = session("debug_wrong_answer(1, B).\nyes\nyes\ninadmissible\nno\n", 0);
    assert!(text.ends_with("B = 8.\n"), "{text}");
}

#[test]
fn what_was_answered_is_not_asked_again() {
    let text = session("debug_wrong_answer(8, B).\nno\ndebug_wrong_answer(1, B).\ny\ny\n", 0);
    assert_eq!(text.matches("Right? insert(2, [3], [2])\n").count(), 1, "{text}");
    assert!(text.contains("Right? insert(2, [3], [2])  (no, as was answered before)\n"), "{text}");
    assert_eq!(text.matches("B = 9.\n").count(), 2, "{text}");
}

#[test]
fn skipped_calls_stay_possible() {
    let text = session("debug_wrong_answer(8, B).\nskip\n", 1);
    let expected =
        "The bug is in one of these, as some were skipped:\n    insert(2, [1, 3], [1, 2])\n    insert(2, [3], [2])\n";
    assert!(text.contains(expected), "{text}");
    // a skipped call whose children are all correct may still be the wrong one
    let text = session("debug_wrong_answer(2, B).\nskip\nskip\nskip\nskip\nskip\n", 1);
    assert!(text.matches("Right? ").count() == 5, "{text}");
}

#[test]
fn help_explains_and_the_end_of_input_quits() {
    let text = session("debug_wrong_answer(1).\nwhat\n?\n", 1);
    assert_eq!(text.matches("skip: I do not know").count(), 2, "{text}");
    let mut command = papaver();
    command.arg(isort()).write_stdin("debug_wrong_answer(1).\ny\n");
    let message = stderr(&mut command, 1);
    assert_eq!(message, "papaver: note: the input ended before all questions were answered\n");
    let text = session("debug_wrong_answer(1).\nq\nX = 1.\n", 1);
    assert!(text.ends_with("X = 1.\n"), "{text}");
}

#[test]
fn the_question_comes_again_after_help() {
    let text = session("debug_wrong_answer(8, B).\nhelp\nno\n", 0);
    assert_eq!(text.matches("Right? insert(2, [3], [2])\n").count(), 2, "{text}");
}

#[test]
fn back_asks_the_question_before_again() {
    let text = session("debug_wrong_answer(1, B).\nback\nno\nback\nyes\nyes\ninadmissible\nno\n", 0);
    assert!(text.contains("there is no question before this one\nRight? isort([1], [1])\n"), "{text}");
    assert_eq!(text.matches("Right? isort([1], [1])\n").count(), 3, "{text}");
    assert!(text.ends_with("B = 8.\n"), "{text}");
    let text = session("debug_missing_answer(1, B).\nskip\nback\nquit\n", 1);
    let questions: Vec<&str> = text.lines().filter(|line| line.contains("? ")).collect();
    assert_eq!((questions.len(), questions[0]), (3, questions[2]), "{text}");
}

#[test]
fn an_answer_that_was_taken_back_is_not_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let answers = folder.path().join("answers.pl");
    let mut command = papaver();
    command.arg("--answers").arg(&answers).arg(isort()).write_stdin("debug_wrong_answer(8).\nyes\n");
    stdout(&mut command, 0);
    let mut command = papaver();
    command.arg("--answers").arg(&answers).arg(isort()).write_stdin("debug_wrong_answer(1).\nno\nb\ny\nq\n");
    stdout(&mut command, 1);
    let kept = std::fs::read_to_string(&answers).unwrap();
    assert_eq!(kept, "debug_answer(insert(2,[3],[2]),yes).\ndebug_answer(isort([1],[1]),yes).\n");
}

#[test]
fn answers_are_kept_in_a_file_and_replayed() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let answers = folder.path().join("answers.pl");
    let run = |input: &str| {
        let mut command = papaver();
        command.arg("--answers").arg(&answers).arg(isort()).write_stdin(input.to_string());
        stdout(&mut command, 0)
    };
    run("debug_wrong_answer(1).\nyes\nyes\nno\n");
    let kept = std::fs::read_to_string(&answers).unwrap();
    let expected = "debug_answer(isort([1],[1]),yes).\ndebug_answer(isort([3,1],[1,3]),yes).\n\
                    debug_answer(insert(2,[3],[2]),no).\n";
    assert_eq!(kept, expected);
    let text = run("debug_wrong_answer(1, B).\n");
    assert_eq!(text.matches("as was answered before").count(), 3, "{text}");
    assert!(text.ends_with("B = 9.\n"), "{text}");
    assert_eq!(std::fs::read_to_string(&answers).unwrap(), expected);
}

#[test]
fn printed_answers_can_be_loaded() {
    let (_folder, path) = file("answers.pl", "debug_answer(insert(2,[3],[2]),yes).\n");
    let text = session(&format!("load_answers('{}'). print_answers. debug_wrong_answer(8, B).\n", path.display()), 0);
    assert!(text.starts_with("true.\ndebug_answer(insert(2,[3],[2]),yes).\ntrue.\n"), "{text}");
    assert!(text.ends_with("B = 8.\n"), "{text}");
}

/// The standard error of a search with a file of such answers, and the contents of the file afterwards.
fn with_answers(contents: &str, status: i32) -> (String, String) {
    let (_folder, path) = file("answers.pl", contents);
    let mut command = papaver();
    command.args(["query", "debug_wrong_answer(8, _)", "--answers"]).arg(&path).arg(isort()).write_stdin("no\n");
    let message = stderr(&mut command, status).replace(&path.display().to_string(), "FILE");
    (message, std::fs::read_to_string(&path).unwrap())
}

#[test]
fn a_file_of_anything_but_answers_is_refused_and_stays_as_it_is() {
    let refused = |contents: &str, place: &str, why: &str| {
        let (message, after) = with_answers(contents, 2);
        assert!(message.starts_with(&format!("FILE:{place}: error: ")) && message.contains(why), "{message}");
        assert_eq!(after, contents);
    };
    refused("debug_answer(a, yes).\n:- halt(3).\n", "2:1", "expected `debug_answer(Goal, Answer)`, found `:-halt(3)`");
    refused("foo(bar).\n", "1:1", "expected `debug_answer(Goal, Answer)`, found `foo(bar)`");
    refused("debug_answer(a, yes) :- halt.\n", "1:1", "expected `debug_answer(Goal, Answer)`");
    refused("debug_answer(a, what).\n", "1:1", "expected `yes`, `no` or `inadmissible`, found `what`");
    refused("debug_answer(_, yes).\n", "1:1", "expected a goal");
    refused("\n  garbage", "2:10", "expected `.`");
    refused("debug_answer(f(X, Y, X), yes).\ndebug_answer(f(A, B, A), no).\n", "2:1", "contradicts `yes` in line 1");
    let trace = std::fs::read_to_string(isort()).unwrap();
    refused(&trace, "30:47", "answers are facts `debug_answer(Goal, Answer)`");
}

#[test]
fn an_answer_begins_a_line_of_its_own() {
    let (_, after) = with_answers("debug_answer(a,yes). % by hand", 0);
    assert_eq!(after, "debug_answer(a,yes). % by hand\ndebug_answer(insert(2,[3],[2]),no).\n");
}

#[test]
fn a_file_that_cannot_be_written_is_told_of_before_a_question() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = papaver();
    command.args(["query", "debug_wrong_answer(8, _)", "--answers"]).arg(folder.path().join("none/answers.pl"));
    let output = command.arg(isort()).write_stdin("no\n").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && String::from_utf8_lossy(&output.stderr).contains("no permission to modify"));
}

#[test]
fn a_file_that_was_refused_is_refused_again() {
    let (_folder, path) = file("answers.pl", "foo(bar).\n");
    let goal = "catch(debug_wrong_answer(8, _), error(syntax_error(_), _), true), debug_wrong_answer(8, _)";
    let mut command = papaver();
    command.args(["query", goal, "--answers"]).arg(&path).arg(isort()).write_stdin("no\n");
    assert!(stderr(&mut command, 2).contains("found `foo(bar)`"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "foo(bar).\n");
}

#[test]
fn refused_boards_are_no_suspects() {
    // only the calls that made the board: 6 of qperm, 8 of qdelete, 6 of safe, 15 of nodiag, and the root
    let goal = "debug_wrong_answer(3, B)";
    let mut command = papaver();
    command.args(["query", goal]).arg(data("queens.trace")).write_stdin("no\n".repeat(40));
    let text = stdout(&mut command, 0);
    assert!(text.matches("Right? ").count() < 7, "{text}");
}

#[test]
fn the_answer_in_question_is_that_of_the_current_event_if_it_is_an_exit() {
    let mut command = papaver();
    command.arg(data("queens.trace")).write_stdin("goto_np(37), debug_wrong_answer(4).\nq\n");
    // event 37 is the first of eleven exits of call 4, with a proof of eleven calls
    let text = stdout(&mut command, 1);
    assert!(text.starts_with("Right? qperm([4, 5], [4, 5])\n"), "{text}");
}

#[test]
fn a_missing_answer_is_traced_to_the_call_that_lost_it() {
    let missing =
        |input: &str, status: i32| stdout(papaver().arg(data("queens.trace")).write_stdin(input.to_string()), status);
    // safe([1, 2, 3, 4, 5]), call 15, fails as nodiag, call 16, does
    let text = missing("debug_missing_answer(15, B).\nno\n", 0);
    assert!(text.starts_with("Rightly no answer? nodiag(1, 1, [2, 3, 4, 5])\n"), "{text}");
    assert!(text.ends_with("B = 16.\n"), "{text}");
    assert!(missing("debug_missing_answer(15, B).\nyes\n", 0).ends_with("B = 15.\n"));
    let text = missing("debug_missing_answer(15, B).\nskip\n", 1);
    assert!(text.contains("    safe([1, 2, 3, 4, 5])\n    nodiag(1, 1, [2, 3, 4, 5])\n"), "{text}");
    // a wrong answer of one of its calls is examined
    let text = missing("debug_missing_answer(10, B).\nyes\nno\n", 0);
    assert!(text.contains("\nRight? qdelete(4, [4, 5], [5])\nThe bug is in this call:\n"), "{text}");
}

#[test]
fn a_call_without_exit_has_no_answer_to_ask_about() {
    let mut command = papaver();
    command.args(["query", "debug_wrong_answer(17)"]).arg(data("queens.trace"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("call 17 has no exit"));
}

#[test]
fn a_trace_without_arguments_says_so() {
    let (_folder, path) = file(
        "bare.jsonl",
        "{\"port\": \"call\", \"call\": 1, \"depth\": 1, \"name\": \"p\"}\n{\"port\": \"exit\", \"call\": 1, \"depth\": 1, \"name\": \"p\"}\n",
    );
    let mut command = papaver();
    command.args(["query", "debug_wrong_answer(1)"]).arg(path);
    let text = stderr(&mut command, 2);
    assert!(text.contains("`args`"), "{text}");
}

#[test]
fn goals_that_are_piped_in_may_read_what_stands_between_them() {
    let text = session("read(X).\nfoo(bar).\nY = 1.\n", 0);
    assert_eq!(text, "X = foo(bar).\nY = 1.\n");
}

/// The answer of `double(2)` is wrong: it gives 5.
const FUNCTIONS: &str = "  1: 1 [1] call p(1, -) []  3
  2:  2 [2] call inc(1) []  4
  3:  2 [2] exit inc(1) = 2 []  4
  4:  3 [2] call double(2) []  4
  5:   4 [3] call id(2) []  9
  6:   4 [3] exit id(2) = 2 []  9
  7:  3 [2] exit double(2) = 5 []  4
  8: 1 [1] exit p(1, 5) []  3
";

#[test]
fn the_result_of_a_function_is_asked_about() {
    let (_folder, path) = file("functions.trace", FUNCTIONS);
    let text = stdout(papaver().arg(&path).write_stdin("debug_wrong_answer(1, B).\nno\nyes\n"), 0);
    assert!(text.starts_with("Right? double(2) = 5\n"), "{text}");
    assert!(
        text.contains("Right? id(2) = 2\n") && text.contains("What it has called is right:\n    id(2) = 2\n"),
        "{text}"
    );
    assert!(text.contains("\n  7:  3 [2] exit double(2) = 5 []  4 \n"), "{text}");
    let text = stdout(papaver().arg(&path).write_stdin("debug_missing_answer(1).\nyes\nyes\n"), 0);
    assert!(text.contains("Right? inc(1) = 2\n"), "{text}");
    let tree = stdout(papaver().args(["query", "--to", "none", "proof_tree(1, T), print_tree(T)"]).arg(&path), 0);
    assert_eq!(tree, "p(1, 5)\n├─ inc(1) = 2\n└─ double(2) = 5\n   └─ id(2) = 2\n");
}

#[test]
fn runs_part_where_a_function_gives_something_else() {
    let (_folder, one) = file("one.trace", FUNCTIONS);
    let (_other_folder, other) = file("other.trace", &FUNCTIONS.replace("= 5", "= 4"));
    let goal = "first_difference(1, 2, D)";
    let text = stdout(papaver().args(["query", "--first", goal]).args([&one, &other]), 0);
    assert!(text.contains("D = difference(7, 7, [result=5-4])"), "{text}");
}
