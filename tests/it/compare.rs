//! Several traces: goals on another trace, and the point where two runs diverge.

use crate::support::{data, file, papaver, stderr, stdout};

/// The names of the traces: queens, the same without call 17, the same with another argument in call 16.
fn traces() -> [String; 3] {
    ["queens.trace", "compare/queens_dropped.trace", "compare/queens_changed.trace"].map(data)
}

/// The first answer on the first trace.
fn first(goal: &str) -> String {
    let text = stdout(papaver().args(["query", goal]).args(traces()), 0);
    // the name of the trace comes first
    text.lines().nth(1).unwrap_or_default().to_string()
}

/// The answers of goals at a prompt over the traces, for the first trace.
fn session(goals: &str) -> Vec<String> {
    let text = papaver().args(traces()).write_stdin(goals.to_string()).output().expect("papaver can be run").stdout;
    let text = String::from_utf8(text).expect("papaver writes UTF-8");
    let [own, others @ ..] = traces();
    let mut is_own = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("% ") {
            Some(name) if name == own => is_own = true,
            Some(name) if others.iter().any(|other| other == name) => is_own = false,
            _ if is_own => lines.push(line.to_string()),
            _ => {}
        }
    }
    lines
}

#[test]
fn a_goal_is_put_to_another_trace_and_its_bindings_come_back() {
    let goal = "event([chrono=54, port=Here]), in_trace(2, event([chrono=54, port=There]))";
    assert_eq!(first(goal), "Here = call, There = fail");
    let goal = "findall(C, in_trace(2, event([port=exit, name=queen, chrono=C])), L), event([chrono=673, port=P])";
    assert_eq!(first(goal), "L = [671], P = exit");
    assert_eq!(first("in_trace(queens_changed, event([chrono=40, arg(2)=A]))"), "A = 7");
    assert_eq!(first("in_trace('queens_changed.trace', in_trace(1, event([chrono=40, arg(2)=A])))"), "A = 1");
    assert_eq!(first("findall(N, named_trace(N, _), L)"), "L = [1, 2, 3]");
}

#[test]
fn answers_of_both_traces_are_backtracked_into() {
    let goal = "findall(A-B, ( event([chrono=2..3, port=A]), in_trace(2, event([chrono=3..4, port=B])) ), L)";
    assert_eq!(first(goal), "L = [call-exit, call-call, exit-exit, exit-call]");
    let goal = "in_trace(2, member(X, [1, 2, 3])), event([chrono=54, port=P]), X > 1, !, in_trace(2, event([chrono=54, port=Q]))";
    assert_eq!(first(goal), "X = 2, P = call, Q = fail");
}

#[test]
fn each_trace_has_a_cursor_of_its_own() {
    let lines = session(
        "goto_np(10), in_trace(2, goto_np(20)), current(chrono=A), in_trace(2, current(chrono=B)).
         in_trace(2, current(chrono=B)), current(chrono=A).
         \\+ ( in_trace(2, goto_np(30)), fail ), in_trace(2, current(chrono=B)).
         ( once(in_trace(2, goto_np(30))), fail ; in_trace(2, current(chrono=B)) ).
         in_trace(2, fget_np([port=exit, chrono=C])), C > 30, !, current(chrono=A), in_trace(2, current(chrono=B)).
         in_trace(2, ( goto_np(50), in_trace(1, goto_np(60)), current(chrono=B) )), current(chrono=A).
         fail.
         in_trace(2, current(chrono=B)), current(chrono=A).",
    );
    // the first exits of the second trace after events 20 and 30
    let exit = "32";
    let expected = [
        "A = 10,",
        "B = 20.",
        "B = 20,",
        "A = 10.",
        "B = 20.",
        "B = 20.",
        &format!("C = {exit},"),
        "A = 10,",
        &format!("B = {exit}."),
        "B = 50,",
        "A = 60.",
        "false.",
        "B = 50,",
        "A = 60.",
    ]
    .map(str::to_string);
    assert_eq!(lines, expected);
}

#[test]
fn an_error_in_another_trace_leads_back_to_the_first() {
    let goal = "catch(in_trace(2, ( goto_np(40), throw(oops) )), Ball, true), event([chrono=54, port=P])";
    assert_eq!(first(goal), "Ball = oops, P = call");
    let lines = session("in_trace(2, throw(oops)). event([chrono=54, port=P]).");
    assert_eq!(lines, ["P = call."]);
}

#[test]
fn why_nothing_was_found_in_another_trace_is_told_of_that_one() {
    let mut command = papaver();
    command.args(["query", "in_trace(2, fget([chrono=698]))", "--first"]).args(traces());
    let message = stderr(&mut command, 1);
    // the second trace has two events less; the goal runs on all three
    assert_eq!(message.matches("chrono goes from 1 to 696").count(), 3, "{message}");
}

#[test]
fn answers_of_tables_are_those_of_their_trace() {
    let script = ":- table ports/1.\nports(P) :- event([chrono=54, port=P]).\n";
    let (_folder, path) = crate::support::file("tables.pl", script);
    let goal = "ports(A), in_trace(2, ports(B)), ports(C)";
    let text = stdout(papaver().args(["query", goal, "-l"]).arg(path).args(traces()), 0);
    assert_eq!(text.lines().nth(1), Some("A = call, B = fail, C = call"));
}

#[test]
fn a_trace_that_was_not_named_or_cannot_be_read_is_an_error() {
    let message = stderr(papaver().args(["query", "in_trace(4, true)"]).args(traces()), 2);
    assert!(message.contains("there is no trace number 4; there are those from 1 to 3: `"), "{message}");
    let message = stderr(papaver().args(["query", "first_difference(1, other, D)"]).args(traces()), 2);
    assert!(message.contains("`other` is the name of no trace, or of several; there are"), "{message}");
    let message = stderr(papaver().args(["query", "in_trace(2, true)", &traces()[0], "gone.trace"]), 2);
    assert!(message.contains("gone.trace"), "{message}");
    let message = stderr(papaver().args(["query", "only_in(1, _)", &traces()[0]]), 2);
    assert!(message.contains("only one trace"), "{message}");
}

#[test]
fn the_first_difference_is_told_with_the_values_that_differ() {
    assert_eq!(
        first("first_difference(1, 2, D)"),
        "D = difference(54, 54, [port=call-fail, depth=9-8, args=[-, [], -]-[-, [5], -]])"
    );
    assert_eq!(
        first("first_difference(3, 1, D)"),
        "D = difference(40, 40, [args=[1, 7, [2, 3, 4, 5]]-[1, 1, [2, 3, 4, 5]]])"
    );
    assert_eq!(first("\\+ first_difference(2, 2, _), X = same"), "X = same");
}

#[test]
fn the_same_run_in_two_formats_does_not_differ() {
    let goal = "\\+ first_difference(1, 2, _), \\+ only_in(2, _), \\+ in_trace(2, only_in(1, _))";
    let mut command = papaver();
    command.args(["query", goal, &data("queens.trace"), &data("queens.jsonl")]);
    let text = stdout(&mut command, 0);
    assert_eq!(text.lines().filter(|line| *line == "true").count(), 2, "{text}");
}

#[test]
fn a_run_that_ends_earlier_differs_at_its_end() {
    let text = std::fs::read_to_string(data("queens.trace")).unwrap();
    let cut: String = text.lines().take(600).map(|line| format!("{line}\n")).collect();
    let (_folder, path) = crate::support::file("cut.trace", &cut);
    let mut command = papaver();
    command.args(["query", "first_difference(1, 2, D)", &data("queens.trace")]).arg(&path);
    assert_eq!(stdout(&mut command, 0).lines().nth(1), Some("D = difference(601, end, [])"));
}

#[test]
fn calls_without_partners_are_those_that_were_dropped_or_changed() {
    assert_eq!(first("findall(C, only_in(1, C), Here), findall(C, only_in(2, C), There)"), "Here = [17], There = []");
    assert_eq!(first("findall(C, in_trace(3, only_in(1, C)), L), findall(C, only_in(3, C), M)"), "L = [16], M = [16]");
    // after the dropped call all numbers are less by one
    assert_eq!(first("partner(1, 16, 2, A), partner(1, 18, 2, B), partner(1, C, 2, 100)"), "A = 16, B = 17, C = 101");
    assert_eq!(first("\\+ partner(1, 17, 2, _), aggregate_all(count, partner(1, _, 2, _), N)"), "N = 145");
}

#[test]
fn witnesses_are_events_of_the_trace_that_was_asked() {
    let (_folder, rules) = file("rules.pl", "check(c) :- in_trace(2, never([port=exit, name=queen])).\n");
    let told = stdout(papaver().arg("check").arg(&rules).args(&traces()[..2]), 1);
    let witnesses: Vec<&str> = told.lines().filter(|line| line.contains("exit queen(")).collect();
    assert_eq!(witnesses.len(), 2, "{told}");
    assert!(witnesses.iter().all(|line| line.contains("queens_dropped.trace:671: 671: ")), "{told}");
}
