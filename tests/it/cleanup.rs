//! Cleanups run when a query ends before its goal does: after a first answer, by `halt`, by a limit, at the prompt.

use crate::support::{data, papaver};

/// What papaver prints for a goal, and its status.
fn run(arguments: &[&str]) -> (String, i32) {
    let output = papaver().arg("query").args(arguments).arg(data("qsort.trace")).output().expect("papaver runs");
    let text = String::from_utf8(output.stdout).expect("papaver writes UTF-8");
    (text, output.status.code().expect("papaver is not killed"))
}

const GOAL: &str = "setup_call_cleanup(true, member(X, [1, 2]), (write(bye), nl))";

#[test]
fn a_query_that_ends_at_its_first_answer_cleans_up() {
    assert_eq!(run(&[GOAL, "--first"]), ("X = 1\nbye\n".into(), 0));
}

#[test]
fn halt_cleans_up() {
    let goal = format!("{GOAL}, setup_call_cleanup(true, halt(3), (write(inner), nl))");
    assert_eq!(run(&[&goal]), ("inner\nbye\n".into(), 3));
}

#[test]
fn a_time_limit_cleans_up() {
    assert_eq!(run(&[&format!("{GOAL}, repeat, fail"), "--time-limit", "100ms"]), ("bye\n".into(), 2));
}

#[test]
fn a_ball_that_nothing_catches_cleans_up_once() {
    assert_eq!(run(&[&format!("{GOAL}, throw(oops)")]), ("bye\n".into(), 2));
}

#[test]
fn a_goal_goes_on_behind_a_cut_with_the_values_that_it_had() {
    let goal = "A = f(B), C = g(A), setup_call_cleanup(true, (B = 1 ; B = 2), numlist(1, 1000, _)), !, D = C";
    assert_eq!(run(&[goal]).0, "A = f(1), B = 1, C = g(f(1)), D = g(f(1))\n");
}
