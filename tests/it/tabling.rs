//! Tabled predicates: over a trace, from scripts, and under the limits of the session.

use crate::support::{data, file, papaver, stderr, stdout};

/// The output for a goal on the sample trace after a script: its answers, or with status 2 the error.
fn output(script: &str, arguments: &[&str], status: i32) -> String {
    let (_folder, path) = file("tabled.pl", script);
    let mut command = papaver();
    command.arg("query").args(arguments).arg(data("qsort.trace")).arg("-l").arg(&path);
    if status == 0 { stdout(&mut command, 0) } else { stderr(&mut command, status) }
}

/// `below/2` is the closure of the calls of the trace by their names, the same from every current event.
const CALLS: &str = ":- table below/2.
below(A, B) :- inside(A, B).
below(A, B) :- below(A, C), inside(C, B).
inside(A, B) :- event([port = call, call = N, name = B]), parent(N, M), event([port = call, call = M, name = A]).
";

#[test]
fn a_tabled_predicate_asks_the_trace() {
    let below = output(CALLS, &["setof(B, below(main1, B), L)"], 0);
    assert_eq!(below, "L = [data, partition, qsort]\n");
}

#[test]
fn a_tabled_goal_neither_depends_on_the_cursor_nor_moves_it() {
    let script = ":- table port/1.\nport(P) :- fget_np([port = P]).\n";
    let goal = "goto_np(10), aggregate_all(count, port(_), N), port(exit), current([chrono = C])";
    let later = output(script, &[goal, "--first"], 0);
    assert!(later.ends_with("C = 10\n"), "{later}");
    let from_start = output(script, &["aggregate_all(count, port(_), N)"], 0);
    assert!(later.contains(from_start.trim_end()), "{later} {from_start}");
}

#[test]
fn tables_without_end_reach_the_memory_limit() {
    let script = ":- table up/1.\nup(0).\nup(N) :- up(M), N is M + 1.\n";
    let complaint = output(script, &["up(_)", "--memory-limit", "50MB"], 2);
    assert!(complaint.contains("not enough memory"), "{complaint}");
}

#[test]
fn a_time_limit_ends_an_evaluation() {
    let script = ":- table loop/1.\nloop(X) :- loop(X).\nloop(X) :- repeat, X = 1, fail.\n";
    let complaint = output(script, &["catch(loop(_), _, true)", "--time-limit", "200ms"], 2);
    assert!(complaint.contains("time limit"), "{complaint}");
}

#[test]
fn a_tabled_predicate_without_clauses_is_unknown() {
    let complaint = output(":- table nothing/1.\n", &["nothing(_)"], 2);
    assert!(complaint.contains("nothing/1"), "{complaint}");
}

#[test]
fn answers_needed_while_they_are_found_are_an_error_that_says_so() {
    let script = ":- table lost/1.\nlost(X) :- member(X, [1, 2]), \\+ lost(X).\n";
    let complaint = output(script, &["lost(_)"], 2);
    assert!(complaint.contains("lost/1") && complaint.contains("needed"), "{complaint}");
}
