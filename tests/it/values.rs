//! The law of values: a constraint finds exactly the events whose value passes the same test in Prolog, whatever way the
//! trace is read.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use papaver::engine::Stop;
use papaver::formats::{Growing, LoadOptions, load};
use papaver::session::{Answer, Check, Following, Limits, Moves, Options, Outcome, Session, Told, Verdict};
use papaver::syntax::diagnostic::Source;
use papaver::syntax::read_goal;
use papaver::term::print::{self, Style};

use crate::support::{file, papaver, stderr, stdout};

/// Values as they stand in a trace.
const NUMBERS: &[&str] = &["1", "2", "-3", "0", "9223372036854775807", "9223372036854775808", "123456789012345678901"];
const FLOATS: &[&str] = &["1.0", "1.5", "2.0", "-3.5", "0.1", "1e300", "9007199254740993.0"];
const TEXTS: &[&str] = &["\"a\"", "\"1\"", "\"x y\"", "\"true\"", "\"-5\"", "\"f(X)\"", "\"\""];
const OTHERS: &[&str] = &["true", "false", "[1, \"a\"]", "[]", "{\"k\": [1.0, null]}", "null", "[[1], 1e3]"];

/// Every form, what it means, and the comparison of both for a column `v`; prints where they differ.
const LAW: &str = r#"
operand(X) :- member(X, [1, 2, 1.0, 1.5, -3, 0.1, 2.0, 9223372036854775807, 9223372036854775808,
    123456789012345678901, 9007199254740993, 1.0e300, a, "a", 'x y', "x y", true, "true", "1", '-5', "f(X)"]).
bound(X) :- operand(X), number(X).

form(v = X, is(X)) :- operand(X).
form(v \= X, not(is(X))) :- operand(X).
form(v = not(X), not(is(X))) :- operand(X).
form(v < X, less(X)) :- bound(X).
form(v > X, greater(X)) :- bound(X).
form(v =< X, at_most(X)) :- bound(X).
form(v >= X, at_least(X)) :- bound(X).
form(not(v > X), not(greater(X))) :- bound(X).
form(v = X..Y, within(X, Y)) :- member(X-Y, [0-2, 2-1, 0.5-1.5, -3-9223372036854775808, 1-1.0e300]).
form(v = not(X..Y), not(within(X, Y))) :- member(X-Y, [0-2, 0.5-1.5]).
form(v = [1, a, "x y"], any([1, a, "x y"])).
form(v = not([1.0, "a", 2..3]), not(either(any([1.0, "a"]), within(2, 3)))).
form(v = matches(R), matching(R)) :- member(R, ["a", "^1", "."]).
form(v = -, true).

holds(true, _).
holds(not(T), V) :- \+ holds(T, V).
holds(either(S, T), V) :- ( holds(S, V) -> true ; holds(T, V) ).
holds(any(Xs), V) :- member(X, Xs), holds(is(X), V), !.
holds(is(X), V) :- same(X, V), !.
holds(less(X), V) :- number(V), V < X.
holds(greater(X), V) :- number(V), V > X.
holds(at_most(X), V) :- number(V), V =< X.
holds(at_least(X), V) :- number(V), V >= X.
holds(within(X, Y), V) :- number(V), X =< V, V =< Y.
holds(matching(R), V) :- ( string(V) -> true ; is_list(V) -> true ; compound(V) ), nb_getval(now, T), event([chrono = T, v = matches(R)]).

same(X, V) :- number(X), number(V), ( X == V -> true ; kind(uniform), X =:= V ).
same(X, V) :- text(X, T), text(V, T), \+ ( string(X), member(V, [true, false]) ).
text(X, T) :- atom(X), X \== [], atom_string(X, T).
text(X, X) :- string(X).

kind(Kind) :- findall(K, ( event([v = V]), number(V), ( float(V) -> K = float ; K = integer ) ), Ks),
    sort(Ks, Sorted), ( Sorted = [_, _] -> Kind = mixed ; Kind = uniform ).

differs(Form, Found, Wanted) :-
    form(Form, Test),
    findall(T, event([Form, chrono = T]), Found),
    findall(T, ( event([chrono = T, v = V]), nb_setval(now, T), holds(Test, V) ), Wanted),
    Found \== Wanted.
differs(joined(V), Found, Wanted) :-
    event([chrono = _, v = V]),
    findall(T, event([v = V, chrono = T]), Found),
    findall(T, ( event([chrono = T, v = W]), ( same(V, W) -> true ; V == W ) ), Wanted),
    Found \== Wanted.

run :- forall(differs(Form, Found, Wanted), ( writeq(Form), write(' finds '), write(Found), write(', not '), write(Wanted), nl )).
check(law) :- \+ differs(_, _, _).
"#;

/// A trace whose events have these values, every other thread's in one of two files.
fn traces(folder: &Path, values: &[&str]) -> [String; 3] {
    let line =
        |(index, value): (usize, &&str)| format!("{{\"port\": \"p\", \"time\": {}, \"v\": {value}}}\n", index + 1);
    let lines: Vec<String> = values.iter().enumerate().map(line).collect();
    let parts = |rest: usize| {
        lines.iter().enumerate().filter(|(index, _)| index % 2 == rest).map(|(_, line)| line.as_str()).collect()
    };
    let files: [(&str, String); 3] = [("all.jsonl", lines.concat()), ("one.jsonl", parts(0)), ("two.jsonl", parts(1))];
    files.map(|(name, text)| {
        let path = folder.join(name);
        fs::write(&path, text).expect("a temporary folder can be written to");
        path.display().to_string()
    })
}

/// Columns of one kind of value and of all kinds.
fn columns() -> Vec<Vec<&'static str>> {
    let mixed: Vec<&str> = [NUMBERS, FLOATS, TEXTS, OTHERS].concat();
    let kinds = [NUMBERS.to_vec(), FLOATS.to_vec(), [FLOATS, TEXTS].concat(), mixed.clone(), mixed];
    let mut runner = TestRunner::deterministic();
    let column = |values: Vec<&'static str>| {
        let column = prop::collection::vec(prop::sample::select(values), 6..24).new_tree(&mut runner);
        column.expect("a strategy without filters").current()
    };
    kinds.into_iter().map(column).collect()
}

#[test]
fn a_constraint_finds_what_the_same_test_in_prolog_finds() {
    let (folder, law) = file("law.pl", LAW);
    let law = law.display().to_string();
    for values in columns() {
        let [all, one, two] = traces(folder.path(), &values);
        let saved = folder.path().join("all.papaver").display().to_string();
        papaver().args(["convert", &all, "-o", &saved]).assert().success();
        let ways: [&[&str]; 4] = [&[&all], &[&saved], &["--merge", &one, &two], &["--merge", &two, &one]];
        for way in ways {
            let mut query = papaver();
            query.args(["query", "-l", &law, "run"]).args(way);
            assert_eq!(stdout(&mut query, 0), "true\n", "{values:?} {way:?}");
        }
        assert!(stdout(papaver().args(["check", &law, &all]), 0).starts_with("holds"), "{values:?}");
        let mut followed = papaver();
        followed.args(["check", "--follow", &law, "-"]).write_stdin(fs::read(&all).expect("it was written"));
        assert!(stdout(&mut followed, 0).starts_with("holds"), "{values:?}");
    }
}

fn session() -> Session {
    let (moves, limits) = (Moves::Silent, Limits::default());
    Session::new(Options { output: Box::new(std::io::sink()), moves, argv: Vec::new(), limits })
}

/// The forms of the law as they are written.
fn forms(session: &mut Session) -> Vec<String> {
    let goals = session.goals();
    let goal = read_goal("form(F, _)", &goals.operators, &goals.flags).expect("the goal is well-formed");
    let answers: Vec<_> = session.query(&goal, &Source::new("query", "")).expect("there are forms").collect();
    let form = |answer: Result<Answer, Stop>| {
        let answer = answer.expect("forms are facts");
        print::to_string(&answer.tree, answer.values[0].1, &goals.operators, &Style::writeq())
    };
    answers.into_iter().map(form).collect()
}

/// What came out of an assertion: the verdict, and for a violation where it lies; reports count what matches beside.
fn outcome_of(outcome: &Outcome) -> (Verdict, String) {
    let place = outcome.message.split("; ").next().unwrap_or_default();
    (outcome.verdict, if outcome.verdict == Verdict::Violated { place.to_owned() } else { String::new() })
}

/// The outcomes of assertions on a trace that comes in batches of lines.
fn followed(
    session: &mut Session,
    checks: &[Check],
    trace: &Path,
    n_lines: usize,
) -> HashMap<String, (Verdict, String)> {
    let text = fs::read_to_string(trace).expect("it was written");
    let format = Growing::format(text.as_bytes(), None).expect("lines of objects can be followed");
    let growing = Growing::new(trace, format, None);
    session.open(Arc::new(growing.empty()));
    let mut following = Following::new(session, checks.to_vec(), growing).expect("the assertions are sound");
    let mut told = Vec::new();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for lines in lines.chunks(n_lines) {
        told.extend(following.feed(session, lines.concat().as_bytes()).expect("nothing interrupts"));
    }
    told.extend(following.finish(session).expect("nothing interrupts"));
    let whole = Arc::new(load(trace, &LoadOptions::default()).expect("it can be read"));
    let mut outcome = |Told { check, found }: Told| match found {
        Some((_, outcome)) => (check.name, outcome_of(&outcome)),
        None => {
            session.open(Arc::clone(&whole));
            let outcome = session.check(&check);
            (check.name, outcome_of(&outcome))
        }
    };
    told.into_iter().map(&mut outcome).collect()
}

#[test]
fn followed_assertions_compare_as_those_of_a_whole_trace() {
    let (folder, law) = file("law.pl", LAW);
    let mut session = session();
    session.consult(&law).expect("the law is well-formed");
    let forms = forms(&mut session);
    let script = folder.path().join("c.pl");
    let asserted = |(number, form): (usize, &String)| {
        let list = |first: i64| format!("[{form}, chrono = {first}..99]");
        let never = [1, 5].map(|first| format!("check('n{number} {first}') :- never({}).\n", list(first)));
        never.concat() + &format!("check('e{number} 3') :- exists({}).\n", list(3))
    };
    let checks: String = forms.iter().enumerate().map(asserted).collect();
    fs::write(&script, checks).expect("a temporary folder can be written to");
    session.consult(&script).expect("the assertions are well-formed");
    let checks = session.checks(&script).expect("the script can be read");
    assert!(checks.len() > 300);
    for values in columns() {
        let [all, ..] = traces(folder.path(), &values);
        let trace = Arc::new(load(Path::new(&all), &LoadOptions::default()).expect("it can be read"));
        session.open(trace);
        let whole: HashMap<String, (Verdict, String)> =
            checks.iter().map(|check| (check.name.clone(), outcome_of(&session.check(check)))).collect();
        for n_lines in [2, 7] {
            let followed = followed(&mut session, &checks, Path::new(&all), n_lines);
            for check in &checks {
                let name = &check.name;
                assert_eq!(
                    followed.get(name),
                    whole.get(name),
                    "{values:?}, {n_lines}, {name}: {:?}",
                    forms[number_of(name)]
                );
            }
        }
    }
}

/// The number of the form that an assertion is about: 12 of `n12 4`.
fn number_of(check: &str) -> usize {
    let number = check[1..].split(' ').next().expect("a name has two numbers");
    number.parse().expect("a name has two numbers")
}

#[test]
fn texts_that_are_compared_with_numbers_are_told_and_an_error_of_a_check() {
    let (folder, trace) = file("t.jsonl", "{\"port\": \"p\", \"balance\": \"-5\"}\n");
    let script = folder.path().join("c.pl");
    fs::write(&script, "check(balance) :- never([balance < 0]).\n").expect("a temporary folder can be written to");
    let told = stderr(papaver().args(["query", "\\+ event([balance < 0])"]).arg(&trace), 0);
    assert_eq!(told, "papaver: note: balance holds texts (\"-5\", ...)\n");
    let error = stdout(papaver().arg("check").arg(&script).arg(&trace), 2);
    assert!(error.contains("balance holds texts (\"-5\", ...)"), "{error}");
}

#[test]
fn arguments_that_are_texts_and_compared_with_numbers_are_told_by_every_path() {
    let lines = "  1: 1 [1] call f(a, 1) []  1 \n  2: 1 [1] exit f(\"7\", b) []  1 \n  3: 2 [1] call g() []  1 \n";
    let (folder, trace) = file("t.trace", lines);
    let note = "papaver: note: arg(1) holds texts (\"a\", ...)\n";
    let told = |goal: &str, executor: &[&str], status: i32| {
        stderr(papaver().args(["query", goal]).args(executor).arg(&trace), status)
    };
    for executor in [&[][..], &["--executor", "whole"], &["--executor", "machine"]] {
        assert_eq!(told("\\+ event([name=f, arg(1) < 3])", executor, 0), note, "{executor:?}");
        assert!(told("event([name=f, arg(1)=0..3])", executor, 1).starts_with(note), "{executor:?}");
        assert_eq!(told("\\+ event([name=f, port=exit, arg(2) < 3])", executor, 0), "", "{executor:?}");
        assert_eq!(told("\\+ event([name=f, arg(1)=7])", executor, 0), "", "{executor:?}");
    }
    let script = folder.path().join("c.pl");
    fs::write(&script, "check(n) :- never([arg(1) < 0]).\n").expect("a temporary folder can be written to");
    for follow in [&[][..], &["--follow", "--until-idle", "0.2"]] {
        let error = stdout(papaver().arg("check").args(follow).arg(&script).arg(&trace), 2);
        assert!(error.contains("arg(1) holds texts (\"a\", ...)"), "{error}");
    }
}

#[test]
fn values_keep_their_types_from_json_to_json_and_to_tables() {
    let values =
        ["12345678901234567890123", "true", "\"true\"", "1", "1.0", "[1,2.50,{\"a\":null}]", "{\"k\":\"v\"}", "\"1\""];
    let text: String = values.map(|value| format!("{{\"port\": \"p\", \"v\": {value}}}\n")).concat();
    let (_folder, trace) = file("t.jsonl", &text);
    let written = stdout(papaver().arg("convert").arg(&trace).args(["-o", "-", "--to", "jsonl"]), 0);
    for value in values {
        let ends = [",", "}"].map(|end| format!("\"v\": {value}{end}"));
        assert!(ends.iter().any(|end| written.contains(end)), "{value}: {written}");
    }
    let table = stdout(papaver().arg("convert").arg(&trace).args(["-o", "-", "--to", "csv"]), 0);
    assert!(table.contains(",1.0,") && table.contains(",12345678901234567890123,"), "{table}");
}
