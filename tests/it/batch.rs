//! Counts and sums over whole columns equal those that the machine computes answer by answer.

use crate::support::{data, file, papaver, stdout};

/// Goals with a number and a key for each answer: goals that columns can answer, and others that look like them.
const GOALS: &str = "
goal(C, P, event([port=P, chrono=C])).
goal(D, P-N, event([depth=D, port=P, name=N])).
goal(C, none, event([port=exit, chrono=C, depth>5])).
goal(C, none, (event([chrono=C]), C mod 7 =:= 3)).
goal(D, P, (event([port=exit, call=K, chrono=X, proc=P]), call_start(K, S), D is X - S)).
goal(D, K, (event([port=exit, call=K, chrono=X]), call_end(K, E), D is (E - X) * 2 + max(X, 3))).
goal(C, none, (event([port=call, call=K, chrono=C]), \\+ event([call=K, port=exit]))).
goal(C, N, (event([port=call, call=K, chrono=C, name=N]), \\+ event([call=K, port=[exit, fail], depth > 4]))).
goal(F, D, (event([port=call, call=K, chrono=C]), event([call=K, port=P, chrono=E, depth=D]), F is E - C, C < E)).
goal(P, D, (event([port=call, call=K, depth=D]), parent(K, P))).
goal(S, none, (event([port=fail, call=K]), parent(K, P), parent(P, Q), call_start(Q, S))).
goal(K, none, (between(1, 2000, I), C is I * 13 mod 900, event([chrono=C, call=K]))).
goal(C, none, (between(-3, 300, K), call_start(K, C))).
goal(C, none, (between(1, 700, C), \\+ event([chrono=C, port=exit]))).
goal(X, none, (between(1, 40, I), X is I * I - 3 * I, \\+ (X > 10, X < 100))).
goal(X, none, (between(1, 40, I), X is I - 20 // I)).
goal(X, none, (between(1, 30, I), J is 0 - I, X is J mod 7 + J // 7 + I mod 7 * (J - 1))).
goal(X, none, (between(1, 70, I), X is 2 ** I)).
goal(X, none, (between(1, 70, I), X is I * 4611686018427387904)).
goal(X, none, (between(1, 3, I), X is 9223372036854775806 + I)).
goal(X, none, (between(1, 9, I), X is I / 3)).
goal(C, none, event([chrono=C, depth=C])).
goal(C, none, (event([chrono=C, depth=D]), event([chrono=D, depth=D]))).
goal(C, none, (event([port=exit, chrono=C, args=[A|_]]), A = [1|_])).
goal(C, none, (event([chrono=C, line_number=L]), L =\\= 16, L >= 0, L =< 90)).
goal(C, P, (true, event([chrono=C, port=P]), true)).
goal(C, none, (event([call=K, chrono=C]), member(K, [1, 2, 3]))).
goal(C, G, event([chrono=C, goal_path=G])).
goal(C, none, event([port=exception, chrono=C])).
goal(C, none, (event([chrono=C]), fail)).
goal(C, A, (event([port=exit, arity=A, call=K, chrono=C]), \\+ event([call=K, chrono=C, port=call]))).
goal(C, none, event([chrono=700, chrono=C])).
goal(C, none, event([chrono=17, call=C])).
goal(C, P, event([port=P, args=[[1|_]|_], chrono=C])).
goal(C, P, event([port=P, args \\= [[1|_]|_], chrono=C])).
goal(C, none, event([args=[_, X, X], chrono=C])).
goal(C, none, event([arg(1)=X, arg(2)=X, chrono=C])).
goal(C, none, event([arg(2)=C, chrono=C])).
goal(C, none, event([arg(2)=C, chrono=D])).
goal(C, none, (event([name=qdelete, arg(1)=D, chrono=C]), event([chrono=D]))).
goal(D, none, (event([arg(1)=C, chrono=D]), event([arg(2)=C, chrono=D]))).
goal(C, none, event([arg(3) \\= 2, chrono=C])).
goal(C, none, event([arg(1) > 2, chrono=C])).
goal(C, none, event([arg(1) > 2, arg(2)=[_|_], chrono=C])).
goal(C, none, (event([port=call, call=K, chrono=C]), \\+ event([call=K, arg(2)=[_|_]]))).
goal(C, none, (event([port=call, call=K]), event([call=K, port=exit, arg(1)=[X|_], chrono=C]))).
goal(C, none, (event([port=call, chrono=D]), C is D + 1, \\+ event([chrono=C, args=[-|_]]))).
goal(C, none, (event([port=call, chrono=D]), C is D + 1, event([chrono=C, args=[[_, X|_]|_]]))).
goal(C, P, (event([port=P, args=[L|_], chrono=C]), is_list(L))).
goal(C, P, (event([port=P, args=[L|_], chrono=C]), is_list(L), memberchk(2, L))).
goal(C, none, (event([args=[_, L|_], chrono=C]), memberchk(1, L), memberchk(3, L))).
goal(C, none, (event([arg(2)=L, chrono=C]), memberchk(-, L))).
goal(C, none, (event([arg(1)=L, chrono=C]), memberchk(-3, L))).
goal(C, none, (event([args=L, chrono=C]), memberchk(-, L))).
goal(C, none, (event([args=[_|L], chrono=C]), is_list(L), memberchk(2, L))).
goal(C, none, (event([args=[[_|L]|_], chrono=C]), is_list(L), memberchk(2, L))).
goal(C, none, (event([args \\= [[_|L]|_], chrono=C]), is_list(L))).
goal(C, none, (event([args=[L|_], arg(2)=M, chrono=C]), is_list(M), is_list(L))).
goal(C, none, (event([args=[L|_], chrono=C]), \\+ is_list(L))).
goal(C, none, (event([args=[L|_], chrono=C]), memberchk(a+b, L))).
goal(X, none, (event([args=[L|_], chrono=C]), X is 1000 // (C - 5), is_list(L))).
goal(C, none, (event([port=call, call=K]), event([call=K, port=exit, args=[_, L|_], chrono=C]), memberchk(4, L))).
";

const CHECKS: &str = "
:- initialization(main).
main :- forall(goal(X, Key, Goal), check(X, Key, Goal)), aggregate_all(count, goal(_, _, _), N), write(N).
check(X, Key, Goal) :-
    outcome(slow(r(count, sum(X), min(X), max(X)), Goal), Slow),
    outcome(aggregate_all(r(count, sum(X), min(X), max(X)), Goal), Fast),
    same(Goal, aggregate_all, Slow, Fast),
    outcome(slow_sum(X, Goal), SlowSum), outcome(aggregate_all(sum(X), Goal), FastSum),
    same(Goal, sum, SlowSum, FastSum),
    outcome(slow_by(Key, X, Goal), SlowBy), outcome(sum_by(Key, X, Goal), FastBy),
    same(Goal, sum_by, SlowBy, FastBy),
    outcome(slow_by(Key, 1, Goal), SlowTally), outcome(tally(Key, Goal), FastTally),
    same(Goal, tally, SlowTally, FastTally),
    same_list(X-Key, Goal), same_list(Key, (Goal, true)), same_list(f(X, none, 7), Goal),
    forall(member(N, [1, 3, 10000]), same_list(X, limit(N, Goal))),
    forall(member(Bound, [-1000000, 5, 300, 100000]), check_all(X, Goal, Bound)).
check_all(X, Goal, Bound) :-
    outcome(slow_all(Goal, X > Bound), Slow), outcome(fast_all(Goal, X > Bound), Fast),
    same(Goal, forall(Bound), Slow, Fast).

same_list(Template, Goal) :-
    outcome([L]>>findall(Template, (repeat_once, Goal), L), Slow), outcome([L]>>findall(Template, Goal, L), Fast),
    ( Slow =@= Fast -> true ; print(findall(Template, Goal)), nl ).
repeat_once.

outcome(Goal, Outcome) :-
    catch(( call(Goal, Answer) -> Outcome = Answer ; Outcome = fails ), error(Formal, _), Outcome = Formal).
same(_, _, Slow, Fast) :- Slow == Fast, !.
same(Goal, What, Slow, Fast) :- print(Goal), nl, print(What-Slow-Fast), nl.

slow(r(count, sum(X), min(X), max(X)), Goal, r(N, S, Least, Greatest)) :-
    findall(X, Goal, Xs), Xs = [First|_],
    length(Xs, N), foldl([A, B, C]>>(C is A + B), Xs, 0, S),
    foldl([A, B, C]>>(C is min(A, B)), Xs, First, Least), foldl([A, B, C]>>(C is max(A, B)), Xs, First, Greatest).
slow_sum(X, Goal, S) :- findall(X, Goal, Xs), foldl([A, B, C]>>(C is A + B), Xs, 0, S).
slow_by(Key, X, Goal, Pairs) :- findall(Key-X, Goal, All), keysort(All, Sorted), runs(Sorted, Pairs).
runs([], []).
runs([K-X|Rest], [K-S|Pairs]) :- run(Rest, K, X, S, Others), runs(Others, Pairs).
run([K-X|Rest], L, S0, S, Others) :- K == L, !, S1 is S0 + X, run(Rest, L, S1, S, Others).
run(Others, _, S, S, Others).
slow_all(Goal, Test, Truth) :- ( \\+ ( call(Goal), \\+ call(Test) ) -> Truth = true ; Truth = false ).
fast_all(Goal, Test, Truth) :- ( forall(Goal, Test) -> Truth = true ; Truth = false ).
";

/// Checks all goals on a trace.
fn check(trace: &str) {
    let script = format!("{CHECKS}{GOALS}");
    let (_folder, path) = file("batch.pl", &script);
    assert_eq!(stdout(papaver().args(["run", "-q"]).arg(path).arg(data(trace)), 0), "62");
}

#[test]
fn columns_and_machine_agree_on_text_traces() {
    check("queens.trace");
    check("qsort.trace");
}

#[test]
fn columns_and_machine_agree_where_events_have_more_attributes() {
    check("queens.jsonl");
}

/// Terms for lists of arguments.
const PATTERNS: &str = "
pattern([[1|_]|_]).  pattern([_, -]).  pattern([X, X|_]).  pattern([_|_]).  pattern([]).  pattern([_, [A|_], [A|_]]).
pattern([[_, 2, 3|T], T|_]).  pattern([['1']|_]).  pattern([1 + 1|_]).  pattern([_, 0x2, _]).  pattern([_, 2.0, _]).
pattern([state(_)|_]).  pattern([state('<<c_pointer>>'), _|_]).  pattern([_, 1, [_, _]]).  pattern([D, D, D]).
";

const PATTERN_CHECKS: &str = "
:- initialization(main).
main :- forall(pattern(P), check(P)), write(done).
check(P) :-
    findall(C-P, event([args=P, chrono=C]), Found),
    findall(C-P, (event([args=A, chrono=C]), A = P), Expected), same(P, Found, Expected),
    findall(C, event([args \\= P, chrono=C]), Others),
    findall(C, (event([args=A, chrono=C]), A \\= P), ExpectedOthers), same(P, Others, ExpectedOthers),
    findall(D-P, event([args=[_|P], depth=D, arg(1)=D]), Both),
    findall(D-P, (event([args=[D|P], depth=D])), ExpectedBoth), same(P, Both, ExpectedBoth),
    forall((member(N, [1, 2, 3]), \\+ \\+ nth1(N, P, _)), (nth1(N, P, E) -> check(N, E))).
check(N, E) :-
    findall(C-E, event([arg(N)=E, chrono=C]), Found),
    findall(C-E, (event([arg(N)=A, chrono=C]), A = E), Expected), same(N-E, Found, Expected),
    findall(C, event([arg(N) \\= E, chrono=C]), Others),
    findall(C, (event([arg(N)=A, chrono=C]), A \\= E), ExpectedOthers), same(N-E, Others, ExpectedOthers),
    aggregate_all(count, event([arg(N)=E]), Count), length(Found, Length), same(N-E, Count, Length),
    aggregate_all(count, event([arg(N) \\= E]), Rest), length(Others, OtherLength), same(N-E, Rest, OtherLength).
same(What, Found, Expected) :- ( Found =@= Expected -> true ; print(What-Found-Expected), nl ).
";

#[test]
fn constraints_on_arguments_find_what_unifying_finds() {
    let (_keep, path) = file("patterns.pl", &(PATTERNS.to_string() + PATTERN_CHECKS));
    for trace in ["queens.trace", "qsort.trace", "queens.jsonl", "qsort.jsonl"] {
        assert_eq!(stdout(papaver().args(["run", "-q"]).arg(&path).arg(data(trace)), 0), "done", "{trace}");
    }
}

/// The lines of a trace: one for each text of arguments.
fn lines(texts: &[&str]) -> String {
    let line = |(index, text): (usize, &&str)| format!("{}: {} [1] call p({text})\n", index + 1, index + 1);
    texts.iter().enumerate().map(line).collect()
}

/// First arguments that are lists, that look like lists, and that are something else.
const FIRST: &[&str] = &[
    "[7]",
    "[]",
    "[ ]",
    "[1, 7]",
    "[17, 70, -7]",
    "[7|T]",
    "[1|[7]]",
    "[1|7]",
    "[X]",
    "[_, 1]",
    "_",
    "T",
    "7",
    "-7",
    "-",
    "a7",
    "[0x7]",
    "[7.0]",
    "[+7]",
    "[- 7]",
    "[0'a, 7]",
    "[[7]]",
    "[f(7)]",
    "[1 + 7]",
    "[7] + 1",
    "[1, 2",
    "[a, 'b c', \"7\"]",
    "['7']",
    "[a]",
    "['a']",
    "[a(1)]",
    "[007]",
    "[0007000000000000000000000]",
    "[7, <<x>>]",
    "[1, [2, X], 7]",
    "'[]'",
    "\"7\"",
    "[A, 7], A",
    "[7 ]",
    "[1,7]",
    "[  7  ,  8 ]",
    "'.'(7, [])",
    "[mod, 7]",
    "[é, 7]",
    "{7}",
    "[7|[]]",
    "[7]\t",
];

const LISTS: &str = "
:- initialization(main).
main :- forall(test(L, Test), check(L, Test)), write(done).
test(L, is_list(L)).  test(L, memberchk(7, L)).  test(L, (is_list(L), memberchk(7, L))).
test(L, (memberchk(7, L), is_list(L))).  test(L, memberchk(-7, L)).  test(L, memberchk(a, L)).
test(L, memberchk('7', L)).  test(L, (memberchk(7, L), memberchk(8, L))).  test(L, memberchk([], L)).
check(L, Test) :- forall(constraints(L, Cs), check(Cs, L, Test)).
constraints(L, [args=[L|_]]).  constraints(L, [arg(1)=L]).  constraints(L, [args=[L]]).  constraints(L, [args=[L, 3]]).
check(Cs, _, Test) :-
    findall(C, (event([chrono=C|Cs]), call(Test)), Slow),
    sum_by(C, 1, (event([chrono=C|Cs]), Test), Pairs), pairs_keys(Pairs, Fast),
    ( Slow == Fast -> true ; print(Cs-Test-Slow-Fast), nl ).
";

#[test]
fn tests_of_lists_behind_a_search_find_what_calling_them_finds() {
    let (_keep, script) = file("lists.pl", LISTS);
    let (_kept, trace) = file("lists.trace", &lines(FIRST));
    assert_eq!(stdout(papaver().args(["run", "-q"]).arg(script).arg(trace), 0), "done");
}

const MOVES: &str = "
:- initialization(main).
main :- forall(from(From), check(From)), write(done).
from(0).  from(1).  from(40).  from(150).
check(From) :-
    forall((constraints(Cs, C), move(Cs, Move)), ( start(From), same(C, Move), same(C, (Move, C > 20)),
        same(C, limit(2, Move)), same(C-K, (Move, current(call=K))), now(From) )).
constraints([port=exit, chrono=C], C).  constraints([chrono=C], C).  constraints([chrono=30, call=C], C).
constraints([call=3, chrono=C], C).  constraints([chrono=5..60, chrono=C], C).
move(Cs, fget_np(Cs)).  move(Cs, bget_np(Cs)).  move(Cs, event(Cs)).
start(0).
start(N) :- N > 0, goto_np(N).
now(0).
now(N) :- N > 0, current(chrono=C), ( C == N -> true ; print(moved(N, C)), nl ).
same(T, Goal) :-
    findall(T, (this, Goal), Slow), findall(T, Goal, Fast), ( Slow == Fast -> true ; print(Goal-Slow-Fast), nl ).
this.
";

#[test]
fn moves_are_collected_from_where_the_cursor_stands_and_leave_it_there() {
    let (_keep, script) = file("moves.pl", MOVES);
    assert_eq!(stdout(papaver().args(["run", "-q"]).arg(script).arg(data("queens.trace")), 0), "done");
}

/// Enough events for several threads: argument 1 cycles from 0 to 6, and every eleventh text has an operator.
const MANY: i64 = 600_000;

fn many() -> String {
    let argument = |n: i64| if n % 11 == 0 { "1 + 2".to_string() } else { (n % 7).to_string() };
    (1..=MANY).map(|n| format!("{n}: {n} [{}] call p({})\n", 1 + n % 3, argument(n))).collect()
}

const MANY_CHECKS: &str = "
:- initialization(main).
main :-
    aggregate_all(r(count, sum(C), min(C), max(C)), event([depth=2, chrono=C]), A), writeq(A), nl,
    aggregate_all(r(count, sum(C), min(C), max(C)), event([arg(1)=3, chrono=C]), B), writeq(B), nl,
    aggregate_all(r(count, sum(C), min(C), max(C)), event([arg(1)=(1 + 2), chrono=C]), D), writeq(D), nl,
    sum_by(E, F, event([depth=E, chrono=F]), G), writeq(G), nl,
    aggregate_all(sum(H), (event([chrono=H]), H mod 2 =:= 1, \\+ event([chrono=H, depth=1])), I), writeq(I), nl,
    aggregate_all(sum(J), (event([chrono=J]), J * 9223372036854775807 > 0), K), writeq(K), nl.
";

#[test]
fn what_many_threads_find_is_what_one_finds() {
    let total = |holds: &dyn Fn(i64) -> bool| {
        let found: Vec<i64> = (1..=MANY).filter(|n| holds(*n)).collect();
        let sum: i64 = found.iter().sum();
        (found.len(), sum, found[0], found[found.len() - 1])
    };
    let written =
        |(count, sum, least, greatest): (usize, i64, i64, i64)| format!("r({count},{sum},{least},{greatest})");
    let depth = |depth: i64| total(&move |n| 1 + n % 3 == depth);
    let expected = [
        written(depth(2)),
        written(total(&|n| n % 7 == 3 && n % 11 != 0)),
        written(total(&|n| n % 11 == 0)),
        format!("[1-{},2-{},3-{}]", depth(1).1, depth(2).1, depth(3).1),
        total(&|n| n % 2 == 1 && 1 + n % 3 != 1).1.to_string(),
        total(&|_| true).1.to_string(),
    ];
    let (_keep, script) = file("many.pl", MANY_CHECKS);
    let (_kept, trace) = file("many.trace", &many());
    assert_eq!(stdout(papaver().args(["run", "-q"]).arg(script).arg(trace), 0).trim_end(), expected.join("\n"));
}
