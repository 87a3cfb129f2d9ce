//! The law of values: a constraint finds exactly the events whose values pass the same test in Prolog, however the
//! trace is read.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use tempfile::TempDir;

use crate::engine::{ScriptFile, Stopped};
use crate::formats::{Growing, LoadOptions, load, load_merged};
use crate::output::convert;
use crate::session::{Answer, Check, FollowedOutcome, Following, Options, Outcome, Session, Verdict};
use crate::syntax::diagnostic::Source;
use crate::syntax::read_goal;
use crate::term::print::{self, Style};
use crate::trace::Trace;

/// Values as written in a trace.
const NUMBERS: &[&str] = &["1", "2", "-3", "0", "9223372036854775807", "9223372036854775808", "123456789012345678901"];
const FLOATS: &[&str] = &["1.0", "1.5", "2.0", "-3.5", "0.1", "1e300", "9007199254740993.0"];
const TEXTS: &[&str] = &["\"a\"", "\"1\"", "\"x y\"", "\"true\"", "\"-5\"", "\"f(X)\"", "\"\""];
const OTHERS: &[&str] = &["true", "false", "[1, \"a\"]", "[]", "{\"k\": [1.0, null]}", "null", "[[1], 1e3]"];

/// Every form, its meaning, and the comparison of both for a column `v`.
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
holds(matching(R), V) :- ( string(V) -> true ; number(V) -> true ; is_list(V) -> true ; compound(V) ), nb_getval(now, T), event([chrono = T, v = matches(R)]).

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

check(law) :- \+ differs(_, _, _).
"#;

/// A trace whose events have these values, those of every other thread in a second file.
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

/// A folder with the script of the law.
fn law() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("law.pl");
    fs::write(&path, LAW).expect("a temporary folder can be written to");
    (folder, path)
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

/// The assertions of a script, which is consulted.
fn checks_of(session: &mut Session, script: &Path) -> Vec<Check> {
    let consulted = session.consult(&ScriptFile::read(script).expect("the script can be read"));
    assert_eq!(consulted.stop, None);
    session.checks(&consulted)
}

/// The forms of the law, as written.
fn forms(session: &mut Session) -> Vec<String> {
    let goals = session.goals();
    let goal = read_goal("form(F, _)", &goals.operators, &goals.flags).expect("the goal is well-formed");
    let answers: Vec<_> = session.query(&goal, &Source::new("query", "")).expect("there are forms").collect();
    let form = |answer: Result<Answer, Stopped>| {
        let answer = answer.expect("forms are facts");
        print::to_string(&answer.tree, answer.values[0].1, &goals.operators, &Style::writeq())
    };
    answers.into_iter().map(form).collect()
}

/// The outcome of an assertion: the verdict, and the place of a violation, without the counts that reports add.
fn outcome_of(outcome: &Outcome) -> (Verdict, String) {
    let place = outcome.message.split("; ").next().unwrap_or_default();
    (outcome.verdict, if outcome.verdict == Verdict::Violated { place.to_owned() } else { String::new() })
}

/// The outcomes of assertions on a trace that arrives in batches of lines.
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
    let mut decided = Vec::new();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for lines in lines.chunks(n_lines) {
        decided.extend(following.feed(session, lines.concat().as_bytes()).expect("nothing interrupts"));
    }
    decided.extend(following.finish(session).expect("nothing interrupts"));
    let whole = Arc::new(load(trace, &LoadOptions::default()).expect("it can be read"));
    let mut outcome = |FollowedOutcome { check, found }: FollowedOutcome| match found {
        Some((_, outcome)) => (check.name, outcome_of(&outcome)),
        None => {
            session.open(Arc::clone(&whole));
            let outcome = session.check(&check);
            (check.name, outcome_of(&outcome))
        }
    };
    decided.into_iter().map(&mut outcome).collect()
}

/// The trace of these values, read from one file, from a saved file and from two files.
fn readings(folder: &Path, [all, one, two]: &[String; 3]) -> [(&'static str, Trace); 3] {
    let options = LoadOptions::default();
    let whole = load(Path::new(all), &options).expect("it can be read");
    let saved = folder.join("all.papaver");
    let mut file = fs::File::create(&saved).expect("a temporary folder can be written to");
    convert::saved(whole.clone(), &mut file).expect("a temporary folder can be written to");
    let again = load(&saved, &options).expect("it was saved");
    let merged = load_merged(&[one.into(), two.into()], &options).expect("they have times");
    [("whole", whole), ("saved", again), ("merged", merged)]
}

/// The first form that finds events different from those of its meaning.
fn difference(session: &mut Session) -> Option<String> {
    let mut answers = session.ask("differs(Form, Found, Wanted)").expect("the goal is well-formed");
    let answer = answers.next()?.expect("nothing stops the comparison");
    let [form, found, wanted] =
        ["Form", "Found", "Wanted"].map(|variable| answer.text(variable).unwrap_or_else(|| "_".into()));
    Some(format!("{form} finds {found}, not {wanted}"))
}

#[test]
fn a_constraint_finds_what_the_same_test_in_prolog_finds() {
    let (folder, law) = law();
    let mut session = Session::new(Options::default());
    let checks = checks_of(&mut session, &law);
    for values in columns() {
        let files = traces(folder.path(), &values);
        for (reading, trace) in readings(folder.path(), &files) {
            session.open(Arc::new(trace));
            assert_eq!(difference(&mut session), None, "{values:?}, {reading}");
            assert_eq!(session.check(&checks[0]).verdict, Verdict::Holds, "{values:?}, {reading}");
        }
        let followed = followed(&mut session, &checks, Path::new(&files[0]), usize::MAX);
        assert_eq!(followed["law"].0, Verdict::Holds, "{values:?}");
    }
}

#[test]
fn followed_assertions_compare_as_those_of_a_whole_trace() {
    let (folder, law) = law();
    let mut session = Session::new(Options::default());
    checks_of(&mut session, &law);
    let forms = forms(&mut session);
    let script = folder.path().join("c.pl");
    let asserted = |(number, form): (usize, &String)| {
        let list = |first: i64| format!("[{form}, chrono = {first}..99]");
        let never = [1, 5].map(|first| format!("check('n{number} {first}') :- never({}).\n", list(first)));
        never.concat() + &format!("check('e{number} 3') :- exists({}).\n", list(3))
    };
    let checks: String = forms.iter().enumerate().map(asserted).collect();
    fs::write(&script, checks).expect("a temporary folder can be written to");
    let checks = checks_of(&mut session, &script);
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

/// Claims with a variable in two lists, and what they say in goals.
const SHARED: &str = r#"
takes(X, name = X).
takes(X, v = X).
takes(X, w = X).
takes(X, arg(1) = X).
takes(X, args = [_, X|_]).

claim(P, Q, never(P, after(Q)), \+ ( found([chrono = A|Q]), found([chrono = B|P]), B > A )).
claim(P, Q, never(P, before(Q)), \+ ( found([chrono = A|P]), \+ ( found([chrono = B|Q]), B =< A ), found([chrono = _|Q]) )).
claim(P, Q, responds(Q, P), \+ ( found([chrono = A|P]), \+ ( found([chrono = B|Q]), B > A ) )).
claim(P, Q, precedes(P, Q), \+ ( found([chrono = B|Q]), \+ ( found([chrono = A|P]), A < B ) )).

% P2 and Q2 share X with P and Q, and nothing else
claim(X, P, Q, Claim, Goal) :-
    member(Min-Max, [0-1, 1-2, 2-2, 2-inf]),
    copy_term(X-[P, Q], X-[P2, Q2]),
    apart(P-P2, Q-Q2, Min, Max, within(chrono, Min..Max), Claim, Goal).

apart(P-_, Q-_, Min, Max, Within, responds(Q, P, globally, Within),
    \+ ( found([chrono = A|P]), \+ ( found([chrono = B|Q]), B - A >= Min, B - A =< Max ) )).
apart(P-_, Q-_, Min, Max, Within, precedes(P, Q, globally, Within),
    \+ ( found([chrono = B|Q]), \+ ( found([chrono = A|P]), B - A >= Min, B - A =< Max ) )).
apart(P-_, Q-Q2, Min, Max, Within, never(P, after(Q), Within),
    \+ ( found([chrono = A|Q]), \+ ( found([chrono = F|Q2]), F < A ),
         found([chrono = B|P]), B - A >= Min, B - A =< Max )).
apart(P-P2, Q-Q2, Min, Max, Within, exists(P, at_most(1), after(Q), Within),
    \+ ( found([chrono = A|Q]), \+ ( found([chrono = F|Q2]), F < A ),
         found([chrono = B|P]), B - A >= Min, found([chrono = C|P2]), C > B, C - A =< Max )).

differs(Claim, Found, Wanted) :-
    takes(X, C),
    takes(X, D),
    P = [port = p, C],
    Q = [port = q, D],
    ( claim(P, Q, Claim, Goal) ; claim(X, P, Q, Claim, Goal) ),
    verdict(Claim, Found),
    verdict(Goal, Wanted),
    Found \== Wanted.

% where a goal complains that a number is no name, claims find nothing
found(List) :- catch(event(List), error(type_error(_, _), _), fail).

verdict(Goal, Verdict) :- ( \+ \+ Goal -> Verdict = true ; Verdict = false ).
"#;

/// Pairs of traces, of which the numbers in `v` of the first event and in `w` of the last are equal or not, whichever comes
/// first: by value, unless both attributes mix integers and floats.
#[test]
fn numbers_that_two_lists_share_are_compared_by_value_unless_kinds_are_mixed() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (script, path) = (folder.path().join("c.pl"), folder.path().join("t.jsonl"));
    let text = "check(after) :- never([w=X], after([v=X])).\ncheck(goals) :- \\+ (event([v=X]), event([w=X])).\n";
    fs::write(&script, text).expect("a temporary folder can be written to");
    let mut session = Session::new(Options::default());
    let checks = checks_of(&mut session, &script);
    for (v, w, between, verdict) in [
        ("20", "20.0", "", Verdict::Violated),
        ("20.0", "20", "", Verdict::Violated),
        ("9223372036854775808", "9223372036854775808.0", "", Verdict::Violated),
        ("20", "20.5", "", Verdict::Holds),
        ("20", "\"20\"", "", Verdict::Holds),
        ("20", "20.0", "{\"port\":\"p\",\"v\":1.5}\n", Verdict::Violated),
        ("20", "20.0", "{\"port\":\"p\",\"v\":1.5,\"w\":3}\n", Verdict::Holds),
    ] {
        let text = format!("{{\"port\":\"p\",\"v\":{v}}}\n{between}{{\"port\":\"p\",\"w\":{w}}}\n");
        fs::write(&path, &text).expect("a temporary folder can be written to");
        session.open(Arc::new(load(&path, &LoadOptions::default()).expect("it can be read")));
        for check in &checks {
            assert_eq!(session.check(check).verdict, verdict, "{}: {text}", check.name);
        }
        for n_lines in [1, usize::MAX] {
            assert_eq!(followed(&mut session, &checks, &path, n_lines)["after"].0, verdict, "{n_lines}: {text}");
        }
    }
}

/// A line of a trace whose event has these values: a text, any two, and two arguments.
fn event_of(port: &str, [name, v, w, first, second]: [&str; 5]) -> String {
    let name = if name.starts_with('"') { name } else { "\"b\"" };
    format!("{{\"port\": \"{port}\", \"name\": {name}, \"v\": {v}, \"w\": {w}, \"args\": [{first}, {second}]}}\n")
}

#[test]
fn a_variable_of_two_lists_has_equal_values_as_in_goals() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (script, path) = (folder.path().join("shared.pl"), folder.path().join("t.jsonl"));
    fs::write(&script, SHARED).expect("a temporary folder can be written to");
    let mut session = Session::new(Options::default());
    checks_of(&mut session, &script);
    // a list that is bound at run time stands for several values
    let values = vec!["1", "1.5", "\"1\"", "\"a\"", "\"x y\"", "\"é\"", "{\"k\": \"a\"}", "-7", "\"-7\""];
    let value = prop::sample::select(values);
    let event = (prop::sample::select(vec!["p", "q"]), prop::array::uniform5(value));
    let mut runner = TestRunner::deterministic();
    for _ in 0..100 {
        let events = prop::collection::vec(event.clone(), 2..6).new_tree(&mut runner);
        let events = events.expect("a strategy without filters").current();
        let text: String = events.into_iter().map(|(port, values)| event_of(port, values)).collect();
        fs::write(&path, &text).expect("a temporary folder can be written to");
        session.open(Arc::new(load(&path, &LoadOptions::default()).expect("it can be read")));
        assert_eq!(difference(&mut session), None, "{text}");
    }
}
