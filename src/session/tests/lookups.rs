//! Searches for one value after another: an index, once there is one, finds what a test of each event finds.

use std::fs;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::engine::ScriptFile;
use crate::formats::{LoadOptions, load};
use crate::session::{Options, Session};

/// A search with an exact number goes to that event, so it uses no index.
const SCRIPT: &str = r#"
asks(X, v = X).
asks(X, w = X).
asks(X, arg(2) = X).
asks(X, args = [_, X|_]).
asks(X, args = [X, X]).
asks(X, args = [job(X)|_]).
asks(X, arg(2) = [_, X|_]).
asks(X, args = [_, job([_, X], _)]).

value(X) :- findall(V, ( event([v = V]) ; event([w = V]) ; event([args = As]), member(V, As) ), Vs), sort(Vs, Sorted),
    member(X, Sorted), nonvar(X).
value(X) :- member(X, [a, "a", 1, 1.0, 'x y', true, "true", 9223372036854775808, 9223372036854775808.0, [], f(a), "f(a)"]).

found(List) :- catch(event(List), error(type_error(_, _), _), fail).

differs(A, Found, Wanted) :-
    between(1, 3, _),
    value(X),
    asks(X, A),
    findall(C, found([A, port = p, chrono = C]), Found),
    findall(C, ( event([port = p, chrono = C]), \+ \+ found([chrono = C, A]) ), Wanted),
    Found \== Wanted.
differs(next(A, C), Found, Wanted) :-
    value(X),
    asks(X, A),
    member(C, [5, 60, 100]),
    findall(N, ( goto_np(C), catch(once(fget_np([A, chrono = N])), error(type_error(_, _), _), fail) ), Found),
    findall(N, once(( event([chrono = N]), N > C, \+ \+ found([chrono = N, A]) )), Wanted),
    Found \== Wanted.
differs(last(A, C), Found, Wanted) :-
    value(X),
    asks(X, A),
    member(C, [5, 60, 100]),
    findall(N, ( goto_np(C), catch(once(bget_np([A, chrono = N])), error(type_error(_, _), _), fail) ), Found),
    findall(N, ( event([chrono = N]), N < C, \+ \+ found([chrono = N, A]) ), Before),
    ( last(Before, Last) -> Wanted = [Last] ; Wanted = [] ),
    Found \== Wanted.
"#;

/// Values as written in a trace.
pub(super) const VALUES: &[&str] = &[
    "1",
    "1.0",
    "2",
    "2.5",
    "-3",
    "\"a\"",
    "\"x y\"",
    "\"1\"",
    "\"true\"",
    "true",
    "null",
    "[1, 2]",
    "{\"k\": 1}",
    "9223372036854775808",
    "1e300",
    "\"f(a)\"",
    "\"_\"",
    "\"[]\"",
    "\"job(1)\"",
    "\"job( 'x y' )\"",
    "\"job([2, a], 1)\"",
    "[[1], \"a\", 2]",
];

#[test]
fn an_index_finds_what_a_test_of_each_event_finds() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (script, path) = (folder.path().join("s.pl"), folder.path().join("t.jsonl"));
    fs::write(&script, SCRIPT).expect("a temporary folder can be written to");
    let mut session = Session::new(Options::default());
    let consulted = session.consult(&ScriptFile::read(&script).expect("the script can be read"));
    assert_eq!(consulted.stop, None);
    let mut runner = TestRunner::deterministic();
    let value = || prop::sample::select(VALUES);
    for (round, header) in [(0, ""), (1, "{\"papaver\": 1, \"args\": \"terms\"}\n"), (2, "")] {
        let events = prop::collection::vec((value(), 0..40_i64, value(), value()), 120).new_tree(&mut runner);
        let line = |(v, w, first, second): (&str, i64, &str, &str)| {
            let port = if w % 7 == 0 { "q" } else { "p" };
            // a column of one kind of value, too
            let v = if round == 2 { format!("\"{}\"", w % 11) } else { v.to_owned() };
            format!("{{\"port\": \"{port}\", \"v\": {v}, \"w\": {w}, \"args\": [{first}, {second}]}}\n")
        };
        let lines: String = events.expect("a strategy without filters").current().into_iter().map(line).collect();
        fs::write(&path, format!("{header}{lines}")).expect("a temporary folder can be written to");
        let trace = Arc::new(load(&path, &LoadOptions::default()).expect("it can be read"));
        session.open(Arc::clone(&trace));
        let mut answers = session.ask("differs(Asked, Found, Wanted)").expect("the goal is well-formed");
        let difference = answers.next().map(|answer| {
            let answer = answer.expect("nothing stops the comparison");
            ["Asked", "Found", "Wanted"].map(|name| answer.text(name).unwrap_or_default())
        });
        assert_eq!(difference, None, "{lines}");
        drop(answers);
        assert!(trace.value_indexes.bytes() > 0, "no index was made");
    }
}
