//! Folds over the events of a trace: what a step may do with the value that it passes on.

use crate::support::{data, file, papaver, stdout};

/// The output of `goal` in a run of a script of `clauses` over the queens trace.
fn written(clauses: &str, goal: &str) -> String {
    let script = format!(":- initialization(main).\n{clauses}\nmain :- {goal}, halt.\n");
    let (_folder, path) = file("folds.pl", &script);
    stdout(papaver().arg("run").arg(path).arg(data("queens.trace")), 0)
}

/// The lines of the events.
fn rows() -> Vec<String> {
    let text = std::fs::read_to_string(data("queens.trace")).unwrap();
    text.lines().filter(|line| line.contains("] ")).map(str::to_string).collect()
}

fn port(row: &str) -> &str {
    row.split("] ").nth(1).unwrap().split(' ').next().unwrap()
}

/// The numbers of the exits.
fn exits() -> Vec<u64> {
    let rows = rows();
    let exits = rows.iter().filter(|row| port(row) == "exit");
    exits.map(|row| row.split(':').next().unwrap().trim().parse().unwrap()).collect()
}

#[test]
fn a_list_grows_by_each_event_in_front_or_behind() {
    let clauses = "
        front(C, L, [C|L]).
        behind(C, L-[C|Rest], L-Rest).";
    let goal = "foldt([port=exit, chrono=C], front(C), [], L), reverse(L, Forwards), print(Forwards), nl,
        foldt([port=exit, chrono=C], behind(C), Q-Q, M-[]), print(M)";
    let list = format!("{:?}", exits()).replace(' ', "");
    assert_eq!(written(clauses, goal), format!("{list}\n{list}"));
}

#[test]
fn a_value_of_any_kind_is_handed_on() {
    let clauses = "
        longer(P, S0, S) :- string_concat(S0, P, S1), string_length(S1, L), ( L > 20 -> S = \"\" ; S = S1 ).
        larger(C, N0, N) :- N is N0 * 1000 + C.
        mean(C, F0, F) :- F is F0 * 0.5 + C.
        pair(C, P, f(X, _, _), f(C, P, X)).";
    let goal = "foldt([port=P], longer(P), \"\", S), write(S), nl,
        foldt([port=exit, chrono=C], larger(C), 0, N), M is N mod 1000007, write(M), nl,
        foldt([port=exit, chrono=C], mean(C), 0, F), write(F), nl,
        foldt([port=exit, chrono=C, proc=P], pair(C, P), f(a, b, c), T), write(T), nl";
    let number = exits().iter().fold(0, |n, chrono| (n * 1000 + chrono) % 1_000_007);
    let mean = exits().iter().fold(0.0, |f, chrono| f * 0.5 + *chrono as f64);
    let text = rows().iter().fold(String::new(), |text, row| match text + port(row) {
        longer if longer.len() > 20 => String::new(),
        text => text,
    });
    assert_eq!(written(clauses, goal), format!("{text}\n{number}\n{mean}\nf(698,main/2,697)\n"));
}

#[test]
fn what_a_step_binds_beside_its_value_is_undone() {
    let clauses = "step(Out, A0, [Out|A0]) :- Out = bound.";
    let goal = "foldt([chrono=1..2], step(Out), [], L), print(L), ( var(Out) -> print(free) ; true )";
    assert_eq!(written(clauses, goal), "[bound,bound]free");
}

#[test]
fn a_fold_ends_where_a_step_fails_or_throws() {
    let clauses = "
        few(A0, A) :- A0 < 3, A is A0 + 1.
        thrown(C, _, _) :- C > 5, throw(at(C)).
        thrown(_, A, A).";
    let goal = "foldt([port=exit], few, 0, N), write(N),
        catch(foldt([chrono=C], thrown(C), x, _), at(At), ( write(at), write(At) )),
        foldt([port=exception], few, none, V), write(V)";
    assert_eq!(written(clauses, goal), "3at6none");
}

#[test]
fn a_step_may_fold_and_leave_choices() {
    let clauses = "
        outer(C, A0, A) :- member(X, [1, 2]), foldt([chrono=1..2], inner, 0, N), A is A0 + N * X + C.
        inner(A0, A) :- ( A is A0 + 1 ; A = none ).";
    let goal = "foldt([chrono=1..3, chrono=C], outer(C), 0, S), write(S)";
    assert_eq!(written(clauses, goal), "12");
}

#[test]
fn a_long_fold_of_terms_runs_in_the_memory_of_its_value() {
    let clauses = "step(C, s(N0, _), s(N, [C, \"text\", 1.5|T])) :- N is N0 + 1, length(T, 1000).
        all(0) :- !.
        all(N) :- foldt([chrono=C], step(C), s(0, []), s(M, [C1|_])), M = 698, C1 = 698, N1 is N - 1, all(N1).";
    let (_folder, path) = file("folds.pl", &format!(":- initialization(main).\nmain :- all(20).\n{clauses}\n"));
    stdout(papaver().args(["run", "--memory-limit", "30MB"]).arg(path).arg(data("queens.trace")), 0);
}
