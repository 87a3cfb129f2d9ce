//! Long goals that build and drop terms need only the memory of the terms in use.

use crate::support::{file, papaver, stdout};

/// The output of `goal` in a run of `clauses` with a limit of 48 MB.
fn written(clauses: &str, goal: &str) -> String {
    let script = format!(":- initialization(main).\n{clauses}\nmain :- {goal}, halt.\n");
    let (_folder, path) = file("goals.pl", &script);
    stdout(papaver().args(["run", "--memory-limit", "48MB"]).arg(path), 0)
}

/// Each round builds lists, floats, strings and integers of more than a word; without collection 600,000 take 200 MB.
const ROUNDS: &str = "
rounds(0, State, State) :- !.
rounds(N, s(A, _, F, T), State) :-
    A1 is A + 1, F1 is F + 0.5, string_concat(\"x\", A, T1), Big is 7 ** 40 + A, check(Big, A),
    N1 is N - 1,
    rounds(N1, s(A1, [A1, A, T|_], F1, T1), State).
check(Big, A) :- Big - 7 ** 40 =:= A.
";

#[test]
fn a_last_call_that_builds_terms_runs_in_constant_memory() {
    let goal = "rounds(600000, s(0, [], 0.0, \"t\"), s(A, [B, C, D|_], F, T)), print([A, B, C, D, F, T])";
    let expected = "[600000,600000,599999,\"x599998\",300000.0,\"x599999\"]";
    assert_eq!(written(ROUNDS, goal), expected);
}

#[test]
fn what_older_variables_are_bound_to_meanwhile_is_kept() {
    let goal = "length(Old, 2), member(Z, [1, 2]), b_setval(kept, Old),
        once(( Old = [first|_], rounds(300000, s(0, [], 0.0, t), s(A, _, _, _)), Old = [_, f(A, \"text\", 1.5)] )),
        b_getval(kept, Kept), print(Kept), Z = 2, print(Z)";
    let half = "[first,f(300000,\"text\",1.5)]";
    assert_eq!(written(ROUNDS, goal), format!("{half}{half}2"));
}

/// A binding made inside a `catch/3` is trailed for the choice point of the catch, which no longer exists afterwards. A
/// round has eight calls: limits are polled inside of the catch or outside, by the number of calls before the loop.
#[test]
fn a_loop_that_catches_runs_in_constant_memory() {
    let clauses = "
        idle.
        catching(0) :- !.
        catching(N) :-
            M is N - 1,
            catch(f(A, B, C, D, E, F) = f(M, M, M, M, M, M), _, true),
            catch(throw(b(A, B, C, D, E, F)), b(_, _, _, _, _, X), true),
            catching(X).";
    for before in 0..8 {
        let goal = format!("{}catching(150000), write(done)", "idle, ".repeat(before));
        assert_eq!(written(clauses, &goal), "done", "{before} calls before the loop");
    }
}

#[test]
fn what_waits_in_environments_is_kept() {
    let clauses = "
        deep(0, []) :- !.
        deep(N, [N-X, Y|T]) :- M is N - 1, Y = g(X, N), waste(N), deep(M, T), X = h(N, T), waste(N).
        waste(N) :- length(L, 20), L = [N|_], msort(L, _).
        whole([], 0).
        whole([N-h(N, T), g(h(N, T), N)|T], N) :- M is N - 1, whole(T, M).";
    assert_eq!(written(clauses, "deep(20000, L), whole(L, N), write(N)"), "20000");
}

#[test]
fn an_older_cell_that_was_changed_often_is_moved_once() {
    let clauses = "
        loop(0) :- !.
        loop(N) :- b_getval(v, f(_, Last)), Last =:= N + 1, length(L, 3), b_setval(v, f(L, N)), M is N - 1, loop(M).";
    let goal = "b_setval(v, f([], 200001)), member(Z, [1, 2]), once(loop(200000)), b_getval(v, f(L, N)), length(L, K),
        write(Z-N-K), Z = 2";
    assert_eq!(written(clauses, goal), "1-1-32-1-3");
}
