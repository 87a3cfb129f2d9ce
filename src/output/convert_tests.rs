//! Tests of conversion: what is written loads as the same relation.

use std::io::Write as _;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::formats::{LoadOptions, load};
use crate::trace::{AttributeId, Value};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

fn data(name: &str) -> Trace {
    load(&Path::new(DATA).join(name), &LoadOptions::default()).expect("the sample traces load")
}

fn from_text_with_findings(text: &[u8]) -> Trace {
    let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
    file.write_all(text).expect("temporary files can be written");
    load(file.path(), &LoadOptions::default()).expect("what was written is recognised")
}

fn from_text(text: &[u8]) -> Trace {
    let trace = from_text_with_findings(text);
    assert!(trace.findings().kept().is_empty(), "{:?}", trace.findings().kept());
    trace
}

fn bytes_written(trace: &Trace, name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    target(name).expect("a known target").write(Arc::new(trace.clone()), &mut out).expect("memory takes everything");
    out
}

fn written(trace: &Trace, name: &str) -> String {
    String::from_utf8(bytes_written(trace, name)).expect("text is written")
}

/// Every event with the values of the named attributes that the trace has.
fn relation(trace: &Trace, leave_out: &[&str]) -> Vec<String> {
    let show = |event, id| match trace.value(event, id) {
        Value::Args(list) | Value::Texts(list) => format!("{:?}", list.iter().collect::<Vec<_>>()),
        Value::Proc(id) => trace.proc(id).to_string(),
        // a name beyond the usual attributes is a text of JSON
        Value::Atom(name) => format!("Text({:?})", name.as_str()),
        other => format!("{other:?}"),
    };
    let attributes: Vec<_> =
        trace.schema().iter().filter(|(id, row)| !trace.is_computed(*id) && !leave_out.contains(&&*row.name)).collect();
    let row = |event| {
        let values = attributes.iter().map(|(id, attribute)| format!("{}={}", attribute.name, show(event, *id)));
        values.collect::<Vec<_>>().join(" ")
    };
    (0..trace.n_events()).map(row).collect()
}

/// Compares row by row, so that a difference is shown alone.
fn assert_same(left: &Trace, right: &Trace, leave_out: &[&str]) {
    for (left, right) in relation(left, leave_out).iter().zip(relation(right, leave_out)) {
        assert_eq!(*left, right);
    }
    assert_eq!(left.n_events(), right.n_events());
}

#[test]
fn queens_comes_back_to_the_byte() {
    let expected = std::fs::read_to_string(Path::new(DATA).join("queens.trace")).expect("the sample is there");
    assert!(written(&data("queens.trace"), "morphine") == expected);
}

#[test]
fn objects_come_back_with_the_same_keys_and_values() {
    let expected = std::fs::read_to_string(Path::new(DATA).join("queens.jsonl")).expect("the sample is there");
    let object = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("a line is an object");
    let is_event = |line: &&str| !line.starts_with("{\"papaver\"");
    let written = written(&data("queens.jsonl"), "jsonl");
    for (line, expected) in written.lines().filter(is_event).zip(expected.lines().filter(is_event)) {
        assert_eq!(object(line), object(expected));
    }
}

#[test]
fn traces_that_event_lines_cannot_hold_are_refused_with_the_reason() {
    let refused = |trace: &Trace| {
        let error = morphine(trace, &mut Vec::new()).expect_err("it cannot be read back");
        error.to_string()
    };
    assert_eq!(
        refused(&data("mpd/philos_deadlock.trc")),
        "event lines do not have 11 of its ports, such as `body`; `--to jsonl` keeps every event"
    );
    let point = from_text(b"{\"port\": \"call\", \"name\": \"p\"}\n{\"port\": \"alarm\", \"name\": \"p\"}\n");
    assert_eq!(refused(&point), "event lines have no port `alarm`; `--to jsonl` keeps every event");
    let with_boxes = |events: &str| from_text(format!("{{\"papaver\": 1, \"boxes\": \"told\"}}\n{events}").as_bytes());
    let nameless = refused(&with_boxes("{\"port\": \"call\"}\n"));
    assert!(nameless.starts_with("the first events have too little"), "{nameless}");
    let sound = "{\"port\": \"call\", \"name\": \"p\"}\n";
    let below = refused(&with_boxes(&format!("{sound}{}", sound.replace('}', ", \"depth\": -1}"))));
    assert!(below.starts_with("event 2: "), "{below}");
}

#[test]
fn qsort_differs_only_in_blanks() {
    let expected = std::fs::read_to_string(Path::new(DATA).join("qsort.trace")).expect("the sample is there");
    for (line, expected) in written(&data("qsort.trace"), "morphine").lines().zip(expected.lines()) {
        assert!(line.split_whitespace().eq(expected.split_whitespace()), "{line}");
    }
}

#[test]
fn a_trace_is_the_same_relation_after_a_conversion() {
    for file in ["queens.trace", "queens.jsonl", "qsort.trace", "qsort.jsonl"] {
        let trace = data(file);
        assert_same(&from_text(written(&trace, "jsonl").as_bytes()), &trace, &[]);
        assert_same(&from_text(written(&trace, "morphine").as_bytes()), &trace, &["arg_names"]);
    }
}

#[test]
fn event_lines_are_the_same_after_a_conversion() {
    let call = "  1: 7 [3] call p(X, f(Y, _Z, 'A'), \"X\", <<foreign>>, list.list(int), -) []  3 \n";
    let trace = from_text(format!("{call}  2: 8 [4] call q(3 ==> X)\n").as_bytes());
    let back = from_text(written(&trace, "jsonl").as_bytes());
    let lines = |trace: &Trace| {
        let line = |event| crate::output::event_line(trace, event, &Display::default());
        (0..trace.n_events()).map(line).collect::<Vec<_>>()
    };
    assert_eq!(lines(&back), lines(&trace));
    let deep = from_text(b"{\"port\": \"call\", \"name\": \"a\", \"depth\": 33}\n");
    let back = from_text(written(&deep, "jsonl").as_bytes());
    assert_eq!(lines(&back), ["  1: 1 [33] call a()"]);
}

#[test]
fn results_that_are_no_terms_are_the_same_texts_after_a_conversion() {
    let text = "{\"papaver\": 1, \"args\": \"terms\"}\n{\"port\": \"exit\", \"name\": \"a\", \"args\": [1], \"result\": \"a b\"}\n";
    let trace = from_text_with_findings(format!("{text}{{\"papaver\": 1, \"port\": \"trailer\"}}\n").as_bytes());
    let back = from_text(written(&trace, "jsonl").as_bytes());
    assert_eq!(crate::output::event_line(&back, 0, &Display::default()), "  1: 1 [1] exit a(1) = \"a b\"");
}

#[test]
fn results_that_are_atoms_stay_atoms_in_a_conversion() {
    let arguments = r#"{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.call.result","value":{"stringValue":"3"}}"#;
    let span = format!(
        r#"{{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"a","startTimeUnixNano":"1","endTimeUnixNano":"5","attributes":[{arguments}]}}"#
    );
    let trace = from_text(format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{span}]}}]}}]}}"#).as_bytes());
    assert!(matches!(trace.value(1, AttributeId::RESULT), Value::Atom(name) if name.as_str() == "3"));
    for target in ["jsonl", "chrome"] {
        let back = from_text(written(&trace, target).as_bytes());
        assert!(matches!(back.value(1, AttributeId::RESULT), Value::Term("'3'")), "{target}");
    }
}

#[test]
fn local_variables_survive_both_conversions() {
    let text = "  1: 1 [1] call p(a {int}) []  3 \nNon-argument live variables:\n\tX = [1, 2] {list__list(int)}\n";
    let trace = from_text(text.as_bytes());
    let back = from_text(written(&trace, "jsonl").as_bytes());
    assert_same(&back, &trace, &[]);
    assert_eq!(written(&back, "morphine"), text);
}

#[test]
fn a_table_has_a_row_an_event() {
    let table = written(&data("queens.trace"), "csv");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let heading: Vec<String> = reader.headers().expect("there is a heading").iter().map(str::to_owned).collect();
    assert_eq!(heading, ["chrono", "call", "depth", "port", "name", "arity", "goal_path", "line_number", "args"]);
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("every row reads");
    assert_eq!(rows.len(), 698);
    let event_8: Vec<&str> = rows[7].iter().collect();
    assert_eq!(event_8, ["8", "5", "4", "disj", "qdelete", "3", "[c2, d1]", "52", "-, [1, 2, 3, 4, 5], -"]);
}

#[test]
fn a_table_of_a_trace_with_times_has_durations_at_the_ends_of_calls() {
    // p runs from 10 to 100, and q inside of it from 30 to 50
    let text = r#"{"call": 1, "depth": 1, "port": "call", "name": "p", "time": 10}
{"call": 2, "depth": 2, "port": "call", "name": "q", "time": 30}
{"call": 2, "depth": 2, "port": "exit", "name": "q", "time": 50}
{"depth": 2, "port": "event", "name": "note", "time": 60}
{"call": 1, "depth": 1, "port": "exit", "name": "p", "time": 100}
"#;
    let table = written(&from_text_with_findings(text.as_bytes()), "csv");
    let ends: Vec<Vec<&str>> = table.lines().map(|line| line.rsplit(',').take(2).collect()).collect();
    assert_eq!(ends, [["self_time", "duration"], ["70", "90"], ["20", "20"], ["20", "20"], ["", ""], ["70", "90"]]);
    // one that states durations by itself keeps them, and gets the self times
    let stated = text.replace("\"time\": 10}", "\"time\": 10, \"duration\": 5}");
    let table = written(&from_text_with_findings(stated.as_bytes()), "csv");
    let heading = table.lines().next().unwrap_or_default();
    assert_eq!(heading.matches("duration").count(), 1, "{heading}");
    assert!(heading.ends_with("self_time"), "{heading}");
}

#[test]
fn a_trace_without_events_gives_a_file_without_events() {
    let empty = load(Path::new("/dev/null"), &LoadOptions::default()).expect("an empty file is a trace");
    for target in TARGETS.iter().filter(|target| !matches!(target.name, "papaver" | "chrome" | "jsonl")) {
        assert_eq!(written(&empty, target.name), "");
    }
    assert_eq!(written(&empty, "jsonl").lines().count(), 2, "there are a header and a trailer");
}

#[test]
fn values_of_every_kind_come_back_through_objects() {
    let text = r#"{"port": "odd \u001b[2J", "name": "p", "args": ["a, b", "it's", "", null], "ratio": 0.5, "big": 18446744073709551615, "tags": ["a", {"b": 1}], "colour": "red"}"#;
    let trace = from_text_with_findings(format!("{text}\n{{\"name\": \"q\", \"depth\": 2}}\n").as_bytes());
    let back = from_text_with_findings(written(&trace, "jsonl").as_bytes());
    assert_same(&back, &trace, &[]);
    assert!(!written(&trace, "jsonl").contains('\u{1b}'));
}

#[test]
fn terms_texts_and_truths_come_back_through_objects_as_what_they_were() {
    let text = r#"{"name": "p", "tm": {"term": "f(X, 'A')"}, "tx": "a b", "is": true, "other": {"term": 1}, "none": null, "arity": null, "args": ["a"]}"#;
    let trace = from_text(format!("{text}\n").as_bytes());
    let value = |name: &str| trace.value(0, trace.schema().resolve(name).expect("the trace has it"));
    assert_eq!(
        [value("tm"), value("tx"), value("is")],
        [Value::Term("f(X, 'A')"), Value::Text("a b"), Value::Bool(true)]
    );
    assert_eq!([value("other"), value("none")], [Value::Json(r#"{"term":1}"#), Value::Absent]);
    assert!(trace.schema().resolve("arity").is_err());
    let back = from_text(written(&trace, "jsonl").as_bytes());
    assert_eq!(relation(&back, &[]), relation(&trace, &[]));
}

#[test]
fn traces_of_other_formats_come_back_through_objects_and_when_they_are_saved() {
    for name in [
        "mpd/buffer.trc",
        "mpd/dvm.trc",
        "mpd/philos_deadlock.trc",
        "mpd/CS_3_4.trc",
        "seq_trace/family.raw",
        "seq_trace/gen.raw",
        "seq_trace/lossy.raw",
        "seq_trace/seqex_timestamp.txt",
    ] {
        let trace = data(name);
        for target in ["jsonl", "papaver"] {
            let back = from_text(&bytes_written(&trace, target));
            assert_eq!(relation(&back, &[]), relation(&trace, &[]), "{name} as {target}");
            let parents = |trace: &Trace| trace.calls().map(|call| trace.parent(call)).collect::<Vec<_>>();
            assert_eq!(parents(&back), parents(&trace), "{name} as {target}");
        }
    }
}

/// Texts of arguments: terms, and what looks like the rest of an event line.
fn argument() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,4}",
        Just("-1".to_owned()),
        Just("[1, 2|_]".to_owned()),
        Just("'it''s, (]'".to_owned()),
        Just("\"a, \\\" b\"".to_owned()),
        Just("0''".to_owned() + "'"),
        Just("f(0'), {x})".to_owned()),
        Just("3 - 8".to_owned()),
        Just("'[] 5'".to_owned()),
        Just("é".to_owned()),
    ]
}

proptest! {
    #[test]
    fn event_lines_with_random_parts_are_read_back(
        rows in prop::collection::vec((1i64..50, 1i64..40, 0usize..18, "[a-zé][A-Za-z_0-9]{0,3}|[A-Z '=.]{1,3}|det|exit", prop::collection::vec(prop::option::of(argument()), 0..4), 0usize..4, 0i64..99), 1..8),
        parts in 0u8..32,
    ) {
        let mut text = String::from("{\"papaver\": 1, \"args\": \"terms\", \"boxes\": \"told\"}\n");
        for (call, depth, port, name, args, path, line) in &rows {
            let port = crate::formats::morphine::PORTS[*port].name;
            let path = [&[][..], &["s1", "c2", "t"], &["?", "~", "q!"], &["s2-2", "a;b", "x]y"]][*path];
            let mut object = format!("{{\"call\": {call}, \"depth\": {depth}, \"port\": \"{port}\", \"name\": ");
            object.push_str(&crate::output::json::to_string(name));
            object.push_str(&format!(", \"args\": {}, \"goal_path\": {}", serde_json::json!(args), serde_json::json!(path)));
            for (bit, part) in [", \"decl_module\": \"My.m\"", ", \"mode_number\": 3", ", \"det\": \"nondet\"", ", \"proc_type\": \"function\"", ", \"def_module\": \"}x{\""].iter().enumerate() {
                if parts & (1 << bit) != 0 {
                    object.push_str(part);
                }
            }
            text.push_str(&format!("{object}, \"line_number\": {line}}}\n"));
        }
        text.push_str("{\"papaver\": 1, \"port\": \"trailer\"}\n");
        let trace = from_text(text.as_bytes());
        let back = from_text(written(&trace, "morphine").as_bytes());
        prop_assert_eq!(relation(&back, &[]), relation(&trace, &[]));
    }

    #[test]
    fn random_bytes_never_stop_a_reader(bytes in prop::collection::vec(any::<u8>(), 0..300), prefix in 0usize..3) {
        let start: &[u8] = [&b""[..], b"1: 1 [1] call p(a) []\n2: 1 [1] exit ", b"{\"name\": \"p\"}\n{\"name\": "][prefix];
        let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
        file.write_all(&[start, &bytes].concat()).expect("temporary files can be written");
        if let Ok(trace) = load(file.path(), &LoadOptions::default()) {
            for target in TARGETS.iter().filter(|target| target.name != "papaver") {
                let mut lines = Vec::new();
                let is_written = target.write(Arc::new(trace.clone()), &mut lines).is_ok();
                if is_written && target.name == "morphine" && trace.n_events() > 0 {
                    prop_assert_eq!(from_text(&lines).n_events(), trace.n_events());
                }
            }
            let saved = from_text_with_findings(&bytes_written(&trace, "papaver"));
            prop_assert_eq!(relation(&saved, &[]), relation(&trace, &[]));
            prop_assert_eq!(saved.findings().kept(), trace.findings().kept());
        }
    }
}
