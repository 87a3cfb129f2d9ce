//! Goals that wait for variables: `dif/2`, `freeze/2`, `when/2`, and attributes.

use crate::support::{data, file, papaver, stdout};

/// The output of `main`.
fn written(script: &str) -> String {
    let (_folder, path) = file("script.pl", script);
    stdout(papaver().arg("run").arg(&path), 0)
}

/// The answers of a goal about the sample of `queens`, with more arguments before it.
fn answers(arguments: &[&str], goal: &str) -> String {
    stdout(papaver().arg("query").args(arguments).args([goal, &data("queens.trace")]), 0)
}

/// Checks the output of each goal, or `no` if it fails.
fn check_all(clauses: &str, cases: &[(&str, &str)]) {
    let goals: String = cases.iter().map(|(goal, _)| format!("t(({goal})).\n")).collect();
    let script = format!("{clauses}\n{goals}main :- forall(t(G), ( call(G) -> nl ; write(no), nl )).\n");
    let written = written(&script);
    for ((goal, expected), line) in cases.iter().zip(written.lines()) {
        assert_eq!(line, *expected, "{goal}");
    }
    assert_eq!(written.lines().count(), cases.len());
}

#[test]
fn an_inequality_holds_whoever_binds_the_variable() {
    let clauses = "p(a, first) :- !.\np(b, second).\nq(X) :- X = a, !.\nq(_).\nfact(a, 1).\nfact(b, 2).\n:- dynamic(d/1).\nd(a).\nd(b).";
    check_all(
        clauses,
        &[
            ("dif(X, a), p(X, N), write(X-N)", "b-second"),
            ("dif(X, a), q(X), write(free)", "free"),
            ("dif(X, a), fact(X, N), write(N)", "2"),
            ("dif(X, a), d(X), write(X)", "b"),
            ("dif(X, a), clause(d(X), true), write(X)", "b"),
            ("dif(X, a), ( X = a -> write(yes) ; write(no) )", "no"),
            ("dif(X, a), \\+ X = a, X \\= a, write(yes)", "yes"),
            ("dif(X, a), memberchk(X, [a, b]), write(X)", "b"),
            ("dif(X, 2), findall(X, between(1, 3, X), L), write(L)", "[1,3]"),
            ("dif(f(X, Y), f(1, 2)), X = 1, ( Y = 2 ; Y = 3 ), write(Y)", "3"),
            ("dif(X, Y), X = Y, write(X)", "no"),
            ("dif(X, f(Y)), X = f(Z), Y = 1, Z = 2, write(Z)", "2"),
            ("dif(X, a), length(L, 2), L = [X|_], nth0(0, L, a), write(L)", "no"),
            ("dif(X, 3), X is 1 + 2, write(X)", "no"),
            ("dif(X, 1), forall(member(X, [1, 2]), X == 2), write(yes)", "yes"),
        ],
    );
}

#[test]
fn a_frozen_goal_runs_in_the_middle_of_a_clause_that_goes_on_as_before() {
    let clauses = "
r(A, B, 1, C) :- B = s(A), !, C = [A, B].
r(_, _, _, none).
s([], S, S).
s([X|Xs], S0, S) :- S1 is S0 + X, s(Xs, S1, S).
choose(1). choose(2).";
    check_all(
        clauses,
        &[
            ("freeze(X, write(x)), r(k, B, X, C), write(B-C)", "xs(k)-[k,s(k)]"),
            ("freeze(X, fail), r(k, b, X, C), write(C)", "none"),
            ("freeze(X, (choose(Y), write(Y))), r(k, _, X, _), Y == 2, write(end)", "1no"),
            ("freeze(X, freeze(Y, write(both))), Y = 1, write(-), X = 2", "-both"),
            ("freeze(X, write(a)), freeze(Y, write(b)), X = Y, write(-), X = 1", "-ab"),
            ("freeze(X, X > 1), catch(X = a, error(E, _), write(E))", "type_error(evaluable,a/0)"),
        ],
    );
}

#[test]
fn conditions_of_when_are_looked_at_again() {
    check_all(
        "",
        &[
            ("when((nonvar(X) ; nonvar(Y)), write(w)), Y = 1, X = 2", "w"),
            ("when((nonvar(X), nonvar(Y)), write(w)), Y = 1, write(-), X = 2", "-w"),
            ("when(?=(X, Y), write(w)), X = f(Z), Y = f(1), write(-), Z = 2", "-w"),
            ("when(?=(X, Y), write(w)), X = Y", "w"),
            ("when(ground(f(X, Y)), write(w)), X = g(Z), Y = 1, write(-), Z = 1", "-w"),
            ("when(nonvar(X), write(w)), copy_term(X, Y), Y = 1", "w"),
        ],
    );
}

/// The example of a domain as a list of values.
const DOMAIN: &str = "
domain(X, Values) :- var(Values), !, get_attr(X, domain, Values).
domain(X, List) :- list_to_ord_set(List, Values), put_attr(Y, domain, Values), X = Y.
attr_unify_hook(domain, Values, Y) :-
    (   get_attr(Y, domain, Values2)
    ->  ord_intersection(Values, Values2, Values3),
        (   Values3 = [Value]
        ->  Y = Value
        ;   Values3 = [_|_],
            put_attr(Y, domain, Values3)
        )
    ;   var(Y)
    ->  put_attr(Y, domain, Values)
    ;   ord_memberchk(Y, Values)
    ).
attribute_goals(X) --> { get_attr(X, domain, Values) }, [domain(X, Values)].
";

#[test]
fn a_script_makes_constraints_of_its_own() {
    check_all(
        DOMAIN,
        &[
            ("domain(X, [a, b]), X = c", "no"),
            ("domain(X, [a, b]), domain(X, [a, c]), write(X)", "a"),
            ("domain(X, [a, b, c]), domain(X, [a, c, d]), domain(X, V), write(V)", "[a,c]"),
            ("domain(X, [a, b]), copy_term(X, _, [domain(_, V)]), write(V)", "[a,b]"),
            ("domain(X, [a, b]), findall(X, member(X, [a, c, b]), L), write(L)", "[a,b]"),
        ],
    );
}

#[test]
fn garbage_is_collected_around_what_waits() {
    let script = "
numbers(N, [N|Rest]) :- N1 is N + 1, freeze(Rest, numbers(N1, Rest)).
sum(0, _, S, S) :- !.
sum(N, [X|Xs], S0, S) :- S1 is S0 + X, N1 is N - 1, sum(N1, Xs, S1, S).
loop(0) :- !.
loop(N) :- numlist(1, 100, L), last(L, 100), N1 is N - 1, loop(N1).
keeps(1, f(Y), B) :- B = g(Y, Z), Y = 2, Z = 3.
main :-
    freeze(Stream, numbers(1, Stream)), sum(100000, Stream, 0, Sum), write(Sum), nl,
    freeze(Other, true), dif(Other, Third), loop(5000), put_attr(Third, note, kept), get_attr(Third, note, Note),
    Other = 1, write(Note), nl,
    freeze(X, loop(5000)), keeps(X, A, B), write(A-B), nl.
";
    let (_folder, path) = file("script.pl", script);
    let text = stdout(papaver().args(["run", "--memory-limit", "64M"]).arg(&path), 0);
    assert_eq!(text, "5000050000\nkept\nf(2)-g(2,3)\n");
}

#[test]
fn what_still_waits_stands_in_the_answer() {
    assert_eq!(answers(&[], "dif(X, a), Y = 1"), "Y = 1, dif(X, a)\n");
    assert_eq!(answers(&[], "dif(f(X, Y), f(1, 2)), freeze(X, true)"), "freeze(X, true), dif(f(X, Y), f(1, 2))\n");
    assert_eq!(answers(&[], "dif(X, a), X = b"), "X = b\n");
    let json = answers(&["--to", "json"], "dif(X, a)");
    assert_eq!(
        json.trim_end(),
        r#"{"bindings": {"X": {"var": "_0"}}, "goals": [{"functor": "dif", "args": [{"var": "_0"}, "a"]}]}"#
    );
}

#[test]
fn searches_see_what_waits_for_their_variables() {
    let plain = answers(&["--count"], "event([port=P]), P \\== call");
    assert_eq!(answers(&["--count"], "dif(P, call), event([port=P])"), plain);
    let listed = answers(&[], "dif(P, call), findall(C, event([chrono=C, port=P]), _L), length(_L, N)");
    assert_eq!(listed, format!("N = {}, dif(P, call)\n", plain.trim()));
    let counted = answers(&[], "dif(P, call), aggregate_all(count, event([port=P]), N)");
    assert_eq!(counted, format!("N = {}, dif(P, call)\n", plain.trim()));
    assert!(!answers(&[], "dif(P, call), fget([port=P])").contains("P = call"));
}
