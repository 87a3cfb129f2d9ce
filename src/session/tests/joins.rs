//! Joins of lists of constraints: columns find what the machine finds, which walks through the events of one list for each
//! event of another. `PAPAVER_JOINS=100000` asks so many goals.

use std::fs;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::lookups::VALUES;
use crate::formats::{LoadOptions, load};
use crate::session::{Options, Session};

/// Integers and short texts.
const PLAIN: &[&str] = &["1", "2", "3", "\"a\"", "\"b\"", "\"1\""];

/// Terms with parts, for a trace whose arguments are terms.
const TERMS: &[&str] = &[
    "1",
    "\"a\"",
    "\"job(1)\"",
    "\"job( 1 )\"",
    "\"job(a)\"",
    "\"job('a')\"",
    "\"job(1.0)\"",
    "\"job(2, 1)\"",
    "\"job(X)\"",
    "\"job([1, a], b)\"",
    "\"job(f(1))\"",
    "\"job(1) + a\"",
    "[1, 2]",
    "[\"a\", 1]",
    "\"[1|T]\"",
    "\"[a, 1] - 1\"",
    "\"'.'(1, [])\"",
];

/// The header of such a trace.
const HEADER: &str = "{\"papaver\": 1, \"args\": \"terms\"}\n";

/// The number of goals for each trace.
const GOALS: usize = 100;
/// The number of events of a trace.
const N_EVENTS: usize = 24;

/// Lines of events in calls; `values` are those of a column `v` and of the arguments.
fn lines(values: &'static [&'static str]) -> impl Strategy<Value = String> {
    let event = (select(values), 0..12_i64, select(values), select(values), 0..4_u32, 0..3_u32);
    prop::collection::vec(event, N_EVENTS).prop_map(|events| {
        let line = |(at, (v, w, first, second, call, port)): (usize, (&str, i64, &str, &str, u32, u32))| {
            let port = ["call", "exit", "event"][port as usize];
            let call = if port == "event" { String::new() } else { format!("\"call\": {}, ", call + 1) };
            let parent = if w % 3 == 0 { format!("\"up\": {}, ", w % 5) } else { String::new() };
            format!(
                "{{\"port\": \"{port}\", \"name\": \"n{}\", {call}{parent}\"v\": {v}, \"w\": {w}, \"time\": {}, \"args\": [{first}, {second}]}}\n",
                w % 4,
                at * 3
            )
        };
        events.into_iter().enumerate().map(line).collect()
    })
}

/// A list of constraints; `X`, `Y` and `Z` stand for the variables that lists share.
fn list() -> impl Strategy<Value = Vec<String>> {
    let form = select(
        &[
            "v = $",
            "w = $",
            "arg(1) = $",
            "arg(2) = $",
            "args = [$, _]",
            "args = [_, $|_]",
            "call = $",
            "up = $",
            "name = $",
            "time = $",
            "chrono = $",
            "args = [$, $]",
            "arg(1) = job($)",
            "args = [job($)|_]",
            "args = [_, job($)]",
            "args = [_, [$|_]|_]",
            "arg(1) = job([_, $], _)",
            "arg(2) = [$, _]",
            "time = $..30",
            "time = 9..$",
            "w > $",
            "chrono < $",
            "time >= $",
        ][..],
    );
    let fixed = select(&["port = call", "w > 4", "name = [n0, n1]", "arg(1) \\= 1", "v = 1", "arg(2) = a"][..]);
    let variables = prop::sample::subsequence(&["X", "Y", "Z"][..], 0..3);
    let asked = variables.prop_flat_map(move |variables| {
        let asked = variables.into_iter().map(|variable| form.clone().prop_map(|form| form.replace('$', variable)));
        asked.collect::<Vec<_>>()
    });
    (asked, prop::option::of(fixed))
        .prop_map(|(asked, fixed)| asked.into_iter().chain(fixed.map(str::to_string)).collect())
}

/// A goal with searches that share variables, and its result.
fn goal() -> impl Strategy<Value = (String, String)> {
    let list = (list(), prop::bool::weighted(0.2));
    let test = select(&["true", "true", "C0 < C1", "C1 > C0 + 2", "X > 1"][..]);
    let what = select(
        &[
            "findall(C0-C1, @, R)",
            "findall(x(C1), @, R)",
            "findall(x(X, C1, Y), @, R)",
            "aggregate_all(r(count, sum(C1)), @, R)",
            "aggregate_all(count, @, R)",
            "tally(C0, @, R)",
            "sum_by(C0, C1, @, R)",
            "( \\+ ( @ ) -> R = no ; R = yes )",
        ][..],
    );
    let way = select(
        &[
            "event(@)",
            "event(@)",
            "once(event(@))",
            "goto_np(C0), fget_np(@)",
            "goto_np(C0), once(fget_np(@))",
            "goto_np(C0), bget_np(@)",
            "goto_np(C0), once(bget_np(@))",
        ][..],
    );
    (prop::collection::vec(list, 2..4), way, test, what).prop_map(|(lists, way, test, what)| {
        let search = |(number, (constraints, is_negated)): (usize, (Vec<String>, bool))| {
            let mut constraints = constraints;
            match is_negated && number > 1 {
                true => format!("\\+ event([{}])", constraints.join(", ")),
                false => {
                    constraints.push(format!("chrono = C{number}"));
                    let way = if number == 1 { way } else { "event(@)" };
                    way.replace('@', &format!("[{}]", constraints.join(", ")))
                }
            }
        };
        let searches: Vec<String> = lists.into_iter().enumerate().map(search).collect();
        let goal = format!("{}, {test}", searches.join(", "));
        (what.replace('@', &format!("( {goal} )")), goal)
    })
}

/// The answer of a goal as text; of an error its kind.
fn answer(session: &mut Session, goal: &str) -> String {
    let caught = format!("catch(( {goal} ), error(E, _), R = error(E))");
    let mut answers = session.ask(&caught).expect("the goal is well-formed");
    match answers.next() {
        Some(answer) => answer.expect("nothing stops it").text("R").unwrap_or_default(),
        None => "false".into(),
    }
}

#[test]
fn columns_join_as_the_machine_does() {
    let n_goals = std::env::var("PAPAVER_JOINS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("t.jsonl");
    let mut sessions = [Session::new(Options::default()), Session::new(Options::default())];
    sessions[1].solve_by_machine();
    let mut runner = TestRunner::deterministic();
    let (mut n_joined, mut n_asked) = (0, 0);
    while n_asked < n_goals {
        let (header, values) = [("", PLAIN), ("", VALUES), (HEADER, TERMS)][n_asked / GOALS % 3];
        let text = lines(values).new_tree(&mut runner).expect("a strategy without filters").current();
        fs::write(&path, format!("{header}{text}")).expect("a temporary folder can be written to");
        let trace = Arc::new(load(&path, &LoadOptions::default()).expect("it can be read"));
        sessions.iter_mut().for_each(|session| session.open(Arc::clone(&trace)));
        for _ in 0..GOALS {
            let (asked, inner) = goal().new_tree(&mut runner).expect("a strategy without filters").current();
            let [by_columns, by_machine] = &mut sessions;
            assert_eq!(answer(by_columns, &asked), answer(by_machine, &asked), "{asked}\n{text}");
            let is_joined = format!("( '$batch_total'(count, ( {inner} ), _) -> R = yes ; R = no )");
            n_joined += usize::from(answer(by_columns, &is_joined) == "yes");
            n_asked += 1;
        }
    }
    assert!(n_joined * 5 > n_asked, "{n_joined} of {n_asked} goals were answered by columns");
}
