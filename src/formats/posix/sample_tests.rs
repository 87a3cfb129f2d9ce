//! The samples of `tests/data/posix`, each rule with a trace that breaks it, conversion there and back, and damaged files.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::formats::{LoadOptions, load, load_bytes};
use crate::output::convert::target;
use crate::trace::{AttributeId, Trace, Value, box_findings};

const GOOD: [&str; 5] = ["filter", "loop", "trunc", "unnamed", "untilfull"];

fn sample(name: &str) -> String {
    format!("tests/data/posix/{name}.jsonl")
}

fn open(path: &str) -> Trace {
    load(Path::new(path), &LoadOptions::default()).expect("it can be read")
}

fn of_text(text: &str) -> Trace {
    let options = LoadOptions { from: Some("posix"), ..LoadOptions::default() };
    load_bytes(Path::new("t.jsonl"), text.as_bytes().to_vec(), &options).expect("it can be read")
}

/// The rules that a trace breaks, in the order of the findings.
fn rules(trace: &Trace) -> Vec<&'static str> {
    trace.findings().kept().iter().map(|finding| finding.rule).collect()
}

#[test]
fn good_traces_are_recognised_and_break_no_rule() {
    for name in GOOD {
        let trace = open(&sample(name));
        assert_eq!((trace.origin().format, rules(&trace)), ("posix", vec![]), "{name}");
        assert_eq!(box_findings(&trace).total(), 0, "{name}");
    }
}

#[test]
fn each_bad_trace_breaks_its_rule_and_keeps_its_events() {
    for (name, rule, n_events) in [
        ("P1_cut_line", "P1", 39),
        ("P1_no_end", "P1", 40),
        ("P4_no_resume", "P4", 291),
        ("P6_filtered_event", "P6", 40),
    ] {
        let trace = open(&sample(&format!("bad/{name}")));
        assert!(rules(&trace).contains(&rule), "{name}: {:?}", rules(&trace));
        assert_eq!(trace.n_events(), n_events, "{name}");
    }
}

const HEADER: &str = r#"{"posix_trace":1,"attr":{"stream_full_policy":"POSIX_TRACE_LOOP","max_data_size":4},"options":["TRC","TEF","TRL"]}"#;
const TYPES: &str = r#"{"type":1,"name":"posix_trace_error","class":"system"}
{"type":2,"name":"posix_trace_start","class":"system"}
{"type":3,"name":"posix_trace_stop","class":"system"}
{"type":4,"name":"posix_trace_overflow","class":"system"}
{"type":5,"name":"posix_trace_resume","class":"system"}
{"type":6,"name":"posix_trace_flush_start","class":"system"}
{"type":7,"name":"posix_trace_flush_stop","class":"system"}
{"type":8,"name":"posix_trace_filter","class":"system"}
{"type":9,"name":"tick","class":"user"}"#;

/// A trace of events `(seconds, id, more)`, well formed around them.
fn trace_of(header: &str, events: &[(u32, u32, &str)], status: &str) -> Trace {
    let line = |(seconds, id, more): &(u32, u32, &str)| {
        let who = if *id == 9 && !more.contains("tid") { ",\"pid\":7,\"tid\":1" } else { "" };
        format!("{{\"t\":\"{seconds}.0\",\"id\":{id}{who}{more}}}\n")
    };
    let events_text: String = events.iter().map(line).collect();
    let n = events.len();
    of_text(&format!("{header}\n{TYPES}\n{events_text}{{\"end\":true,\"events\":{n}{status}}}\n"))
}

/// The samples have no status line but the last.
#[test]
fn no_status_line_is_lost() {
    let status = |n: u32| format!("{{\"status\":{{\"stream_status\":{n}}}}}\n");
    let event = |id: u32| format!("{{\"t\":\"1.{id}\",\"id\":{id},\"pid\":1,\"tid\":1,\"data\":\"00\"}}\n");
    let lines = [status(0), event(33), event(34), status(1), event(35), status(2), status(3)].concat();
    let trace = of_text(&format!("{HEADER}\n{TYPES}\n{lines}{{\"end\":true,\"events\":3}}\n"));
    let id = trace.schema().find("status").expect("there is a status");
    let found = |event| match trace.value(event, id) {
        Value::Term(text) => text.to_owned(),
        other => format!("{other:?}"),
    };
    let expected = [
        "[posix_stream_status = 0]",
        "[posix_stream_status = 1]",
        "[posix_stream_status = 2, posix_stream_status = 3]",
    ];
    assert_eq!((0..3).map(found).collect::<Vec<_>>(), expected);
}

#[test]
fn every_rule_finds_its_fault() {
    const START: (u32, u32, &str) = (1, 2, r#","data":{"event_filter":[]}"#);
    const TICK: (u32, u32, &str) = (2, 9, "");
    const STOP: (u32, u32, &str) = (9, 3, r#","data":0"#);
    let broken = |events: &[(u32, u32, &str)]| rules(&trace_of(HEADER, events, ""));
    let none: Vec<&str> = Vec::new();
    assert_eq!(broken(&[START, TICK, STOP]), none);
    assert_eq!(broken(&[START, (2, 77, ""), STOP]), ["P2"]);
    assert_eq!(broken(&[START, (3, 9, ""), TICK, STOP]), ["P3"]);
    assert_eq!(
        broken(&[START, (4, 9, ""), (2, 4, ""), (5, 5, ""), (5, 9, ""), STOP]),
        none,
        "an overflow may be earlier"
    );
    assert_eq!(broken(&[START, (2, 4, ""), (5, 5, ""), (6, 9, ""), STOP]), ["P3"], "resumed before the next event");
    assert_eq!(broken(&[START, (2, 4, ""), (5, 9, ""), STOP]), ["P4"]);
    assert_eq!(broken(&[START, (2, 5, ""), (2, 9, ""), STOP]), ["P4"]);
    assert_eq!(broken(&[(2, 4, ""), (5, 5, ""), (5, 9, ""), STOP]), none, "the start was overwritten");
    assert_eq!(broken(&[TICK, TICK, STOP]), ["P5"]);
    assert_eq!(broken(&[START, STOP, (9, 3, "")]), ["P5"]);
    assert_eq!(broken(&[START, TICK, START]), ["P3", "P5"]);
    assert_eq!(broken(&[(1, 2, r#","data":{"event_filter":[9]}"#), TICK, STOP]), ["P6"]);
    assert_eq!(broken(&[START, (2, 8, r#","data":{"old":[9],"new":[]}"#), STOP]), ["P6"]);
    assert_eq!(broken(&[START, (2, 6, ""), (3, 6, ""), (4, 7, ""), STOP]), ["P7"]);
    assert_eq!(broken(&[START, (2, 7, ""), STOP]), ["P7"]);
    assert_eq!(broken(&[START, (9, 3, r#","data":1"#)]), ["P8"]);
    let until_full = HEADER.replace("LOOP", "UNTIL_FULL");
    assert_eq!(rules(&trace_of(&until_full, &[START, (3, 3, r#","data":1"#)], "")), none);
    assert_eq!(rules(&trace_of(&until_full, &[START, (3, 3, r#","data":1"#), (4, 9, "")], "")), ["P8"]);
    assert_eq!(broken(&[START, (2, 9, r#","data":"0011223344""#), STOP]), ["P9"]);
    assert_eq!(broken(&[START, (2, 9, r#","trunc":"POSIX_TRACE_TRUNCATED_RECORD","data":"00""#), STOP]), ["P9"]);
    assert_eq!(broken(&[START, (2, 9, r#","tid":0"#), STOP]), ["P11"]);
    let no_options = HEADER.replace(r#""TRC","TEF","TRL""#, r#""TRC""#);
    assert_eq!(rules(&trace_of(&no_options, &[START, (2, 6, ""), (3, 7, ""), STOP], "")), ["P12"; 3]);
    let status = r#","status":{"stream_overrun":"POSIX_TRACE_NO_OVERRUN"}"#;
    let overflow = [START, (2, 4, ""), (5, 5, ""), (5, 9, ""), STOP];
    assert_eq!(rules(&trace_of(HEADER, &overflow, status)), ["P10"]);
    assert_eq!(rules(&trace_of(HEADER, &[START, STOP], r#","lost":3"#)), ["P10"]);
}

#[test]
fn the_form_of_the_lines_is_rule_one_and_types_are_rule_two() {
    let text = fs::read_to_string(sample("filter")).unwrap();
    let broken = |from: &str, to: &str| rules(&of_text(&text.replacen(from, to, 1)));
    assert_eq!(broken("{\"posix_trace\"", "{\"posix\""), ["P1", "P1"]);
    assert_eq!(broken("\"events\":40", "\"events\":41"), ["P1"]);
    assert_eq!(broken("\"3176.167602073\"", "3176.167602073"), ["P1"]);
    assert_eq!(broken("\"data\":\"01000000\"", "\"data\":\"0100000\""), ["P1"]);
    assert_eq!(broken("NOT_TRUNCATED", "WHAT"), ["P1"]);
    assert_eq!(
        broken("\"posix_trace_start\",\"class\":\"system\"", "\"posix_trace_start\",\"class\":\"user\""),
        ["P2", "P11"]
    );
    assert_eq!(broken("\"job_wait\",\"class\":\"user\"", "\"job_wait\",\"class\":\"system\""), ["P2"]);
    assert_eq!(rules(&of_text(&format!("{text}{{\"end\":true,\"events\":40}}\n"))), ["P1"]);
}

#[test]
fn unknown_keys_are_attributes_and_none_hides_one_of_ours() {
    let start = (1, 2, "");
    let trace = trace_of(HEADER, &[start, (2, 9, r#","cpu":3,"type":"x","text":"hello","data":"00""#)], "");
    let value = |name: &str| {
        let id = trace.schema().find(name).unwrap_or_else(|| panic!("{name}"));
        format!("{:?}", trace.value(1, id))
    };
    assert_eq!((value("cpu"), value("posix_type")), ("Int(3)".to_string(), "Atom(\"x\")".to_string()));
    assert!(value("args").contains("hello"), "{}", value("args"));
}

/// All attributes of all events, each as text.
fn relation(trace: &Trace) -> Vec<Vec<(String, String)>> {
    let attributes: Vec<(AttributeId, String)> =
        trace.schema().iter().map(|(id, attribute)| (id, attribute.name.to_string())).collect();
    let text = |event, id| match id {
        AttributeId::PROC => format!("{:?}", trace.proc_of(event).map(|proc| *trace.proc(proc))),
        AttributeId::PORT => format!("{:?}", trace.port(event)),
        // a name beyond the usual attributes is a text of JSON
        _ => match trace.value(event, id) {
            Value::Atom(name) => format!("{:?}", Value::Text(name.as_str())),
            other => format!("{other:?}"),
        },
    };
    let row = |event| {
        let mut row: Vec<_> = attributes.iter().map(|(id, name)| (name.clone(), text(event, *id))).collect();
        row.sort();
        row
    };
    (0..trace.n_events()).map(row).collect()
}

#[test]
fn conversion_there_and_back_gives_the_same_relation() {
    let folder = tempfile::tempdir().unwrap();
    for name in GOOD.iter().map(|name| name.to_string()).chain(["bad/P4_no_resume".to_string()]) {
        let trace = open(&sample(&name));
        for ending in ["jsonl", "papaver"] {
            let path = folder.path().join(format!("t.{ending}"));
            let target = target(ending).unwrap();
            target.write(Arc::new(trace.clone()), &mut fs::File::create(&path).unwrap()).unwrap();
            let back = load(&path, &LoadOptions::default()).unwrap();
            for (one, other) in relation(&trace).iter().zip(&relation(&back)) {
                assert_eq!(one, other, "{name} by {ending}");
            }
            assert_eq!(trace.n_events(), back.n_events());
        }
    }
}

#[test]
fn a_trace_cut_anywhere_keeps_what_was_before() {
    let sample = fs::read_to_string(sample("loop")).unwrap();
    let lines: Vec<&str> = sample.lines().collect();
    let text = [&lines[..9], &lines[lines.len() - 1..]].concat().join("\n").into_bytes();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.jsonl");
    let options = LoadOptions { from: Some("posix"), ..LoadOptions::default() };
    for length in 0..text.len() {
        fs::write(&path, &text[..length]).unwrap();
        let trace = load(&path, &options).unwrap();
        let whole =
            text[..length].split(|byte| *byte == b'\n').rev().skip(1).filter(|line| line.starts_with(b"{\"t\""));
        let n_events = whole.count() as u32;
        assert!((n_events..=n_events + 1).contains(&trace.n_events()), "{length}");
    }
}

#[test]
fn a_flipped_byte_costs_at_most_its_line() {
    let text = fs::read(sample("untilfull")).unwrap();
    let whole = open(&sample("untilfull")).n_events();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flipped.jsonl");
    let mut start = 0;
    for line in text.split(|byte| *byte == b'\n') {
        for place in [0, line.len() / 3, line.len() / 2] {
            let mut flipped = text.clone();
            if place < line.len() {
                flipped[start + place] ^= 0x15;
            }
            fs::write(&path, &flipped).unwrap();
            let options = LoadOptions { from: Some("posix"), ..LoadOptions::default() };
            assert!(load(&path, &options).unwrap().n_events() + 1 >= whole);
        }
        start += line.len() + 1;
    }
}
