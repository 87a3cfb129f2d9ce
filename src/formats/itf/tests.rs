//! Tests of whole files.

use std::path::{Path, PathBuf};

use super::FORMAT;
use crate::formats::testing::{in_chunks, shown};
use crate::formats::{LoadOptions, load};
use crate::trace::{AttributeId, Trace, Value};

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus/itf");
    let entries = std::fs::read_dir(folder).expect("the corpus is part of the project");
    entries.map(|entry| entry.expect("the corpus can be read").path()).collect()
}

/// The values of an attribute, event by event.
fn values(trace: &Trace, name: &str) -> Vec<String> {
    let id = trace.schema().find(name).expect("the trace has the attribute");
    let shown = |event| match trace.value(event, id) {
        Value::Term(text) | Value::Text(text) | Value::BigInt(text) => text.to_owned(),
        Value::Atom(name) => name.as_str().to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        _ => "-".to_owned(),
    };
    (0..trace.n_events()).map(shown).collect()
}

#[test]
fn every_bad_file_is_recognised_and_breaks_its_rule_alone() {
    let mut n_bad = 0;
    for path in corpus() {
        let trace = load(&path, &LoadOptions::default()).expect("the corpus can be read");
        assert_eq!(trace.origin().format, "itf", "{}", path.display());
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let Some((rule, _)) = name.split_once('_').filter(|(rule, _)| rule.starts_with('I')) else { continue };
        n_bad += 1;
        let found: Vec<&str> = trace.findings().kept().iter().map(|finding| finding.rule).collect();
        assert!(found.contains(&rule), "{name}: {found:?}");
        let others = found.iter().filter(|other| **other != rule && **other != "I5" && **other != "input").count();
        assert_eq!(others, 0, "{name}: {found:?}");
        let n_states = if name.starts_with("I1_no") {
            0
        } else if name.starts_with("I1") {
            3
        } else {
            4
        };
        assert_eq!(trace.n_events(), n_states, "{name}");
    }
    assert_eq!(n_bad, 10);
}

#[test]
fn expressions_are_terms_and_equal_sets_are_no_change() {
    let text = r##"{"vars": ["x", "s"], "states": [
        {"x": {"#tup": [1, {"#bigint": "-007"}, "q\"", true]}, "s": {"#set": [1, {"#set": [2, 3]}]}},
        {"x": {"tag": "Move", "value": {"to": "ann", "by": {"#bigint": "-1"}}}, "s": {"#set": [{"#set": [3, 2]}, 1]}},
        {"x": {"tag": "Idle", "value": {"#tup": []}}, "s": {"#map": [[{"#tup": ["a", 1]}, -2], ["b", []]]}},
        {"x": {"#unserializable": "[Int -> Int]"}, "s": {"b": [], "a": {}}}], "loop": 2}"##;
    let trace = in_chunks(&FORMAT, text.as_bytes(), 1 << 20);
    let expected = [
        "tuple([1, -7, \"q\\\"\", true])",
        "'Move'(record([by- -1, to-\"ann\"]))",
        "'Idle'",
        "unserializable(\"[Int -> Int]\")",
    ];
    assert_eq!(values(&trace, "x"), expected);
    let expected = [
        "set([1, set([2, 3])])",
        "set([set([3, 2]), 1])",
        "map([tuple([\"a\", 1])- -2, \"b\"-[]])",
        "record([a-record([]), b-[]])",
    ];
    assert_eq!(values(&trace, "s"), expected);
    assert_eq!(values(&trace, "changed"), ["[]", "[x]", "[s,x]", "[s,x]"]);
    assert_eq!(values(&trace, "loop"), ["-", "-", "true", "true"]);
    assert_eq!(values(&trace, "next"), ["2", "3", "4", "3"]);
    assert_eq!(trace.findings().total(), 1);
    assert_eq!(
        trace.value(0, AttributeId::VARS),
        Value::Term("[x-tuple([1, -7, \"q\\\"\", true]),s-set([1, set([2, 3])])]")
    );
}

#[test]
fn a_loop_that_repeats_its_first_state_goes_on_after_it() {
    let text = r##"{"states": [{"x": 1}, {"x": 2}, {"x": 3}, {"x": 2}], "loop": 1, "vars": ["x"]}"##;
    assert_eq!(values(&in_chunks(&FORMAT, text.as_bytes(), 1 << 20), "next"), ["2", "3", "4", "3"]);
}

#[test]
fn the_number_of_a_state_that_is_no_object_is_left_out() {
    let text = r##"{"states": [{"x": 1}, 7, {"x": 3}, {"x": 4}], "loop": 1, "vars": ["x"]}"##;
    let trace = in_chunks(&FORMAT, text.as_bytes(), 1 << 20);
    let chronos: Vec<i64> = (0..trace.n_events()).map(|event| trace.chrono(event)).collect();
    assert_eq!(chronos, [1, 3, 4]);
    assert_eq!(values(&trace, "next"), ["3", "4", "3"]);
    assert_eq!(trace.goes_on_with(), Some(1));
}

#[test]
fn a_file_that_ends_anywhere_keeps_its_whole_states() {
    for path in corpus() {
        let text = std::fs::read(&path).expect("the corpus can be read");
        let whole = shown(&in_chunks(&FORMAT, &text, 1 << 20));
        assert!(shown(&in_chunks(&FORMAT, &text, 10)) == whole, "{}", path.display());
        let mut n_events = 0;
        for length in 0..text.len() {
            let trace = in_chunks(&FORMAT, &text[..length], 1 << 20);
            assert!(trace.n_events() >= n_events, "{}: {length}", path.display());
            n_events = trace.n_events();
        }
    }
}

#[test]
fn states_of_any_shape_and_values_of_any_kind_are_the_same_in_parts_of_any_size() {
    let state = |n: usize| {
        let second = match n % 4 {
            0 => format!("{{\"#set\": [{n}, 1]}}"),
            1 => format!("{{\"#set\": [1, {}]}}", n - 1),
            2 => "true".to_owned(),
            _ => format!("{{\"#bigint\": \"{n}00000000000000000000\"}}"),
        };
        let extra = if n % 7 == 3 { format!(", \"other{}\": null", n % 2) } else { String::new() };
        format!("{{\"a\": {}, \"b\": {second}, \"index\": 1, \"index_\": \"{n}\", \"a\": {n}{extra}}}", n % 3)
    };
    let states: Vec<String> = (0..40).map(state).collect();
    let text = format!(
        "{{\"states\": [{}, 7, {}], \"loop\": 3, \"vars\": [\"a\", \"b\", \"index\", \"index_\"]}}",
        states[..20].join(", "),
        states[20..].join(",\n")
    );
    let whole = in_chunks(&FORMAT, text.as_bytes(), 1 << 20);
    for chunk_bytes in [1, 10, 100, 1000] {
        assert_eq!(shown(&in_chunks(&FORMAT, text.as_bytes(), chunk_bytes)), shown(&whole), "{chunk_bytes}");
    }
    assert_eq!(whole.n_events(), 40);
    assert_eq!(values(&whole, "a"), (0..40).map(|n| n.to_string()).collect::<Vec<_>>());
    assert_eq!(values(&whole, "index_"), vec!["1"; 40]);
    assert_eq!(values(&whole, "index__")[39], "\"39\"");
    assert_eq!(values(&whole, "b")[3..5], ["300000000000000000000", "set([4, 1])"]);
    assert_eq!(values(&whole, "changed")[..3], ["[]", "[a,index_]", "[a,b,index_]"]);
    assert_eq!(values(&whole, "changed")[5], "[a,index_]", "sets in another order are equal");
    assert_eq!(values(&whole, "loop")[2..4], ["-", "true"]);
}

#[test]
fn the_last_of_two_arrays_of_states_counts() {
    let text = r##"{"vars": ["x"], "states": [{"x": 1}, {"x": [1]}, {"y": 2}], "states": [{"x": [2]}, {"x": [1]}]}"##;
    let trace = in_chunks(&FORMAT, text.as_bytes(), 1 << 20);
    assert_eq!(values(&trace, "x"), ["[2]", "[1]"]);
    assert!(trace.findings().kept().iter().all(|finding| !finding.rule.starts_with('I')), "no state lacks a variable");
}
