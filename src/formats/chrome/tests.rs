//! Tests of whole files: each bad file breaks its rule and no other event is lost.

use std::path::{Path, PathBuf};

use super::FORMAT;
use crate::formats::testing::{in_chunks, shown};
use crate::formats::{LoadOptions, load};
use crate::trace::{AttributeId, Finding, Trace, Value};

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus/chrome");
    let entries = std::fs::read_dir(folder).expect("the corpus is part of the project");
    entries.map(|entry| entry.expect("the corpus can be read").path()).collect()
}

/// The events of records in an array, as `chrono call parent depth port time name`.
fn events(records: &str) -> Vec<String> {
    events_of(&in_chunks(&FORMAT, records.as_bytes(), 1 << 20))
}

fn events_of(trace: &Trace) -> Vec<String> {
    let time = trace.schema().find("time").expect("it is declared");
    let number = |event, id| match trace.value(event, id) {
        Value::Int(number) => number,
        _ => 0,
    };
    let event = |event| {
        let [call, parent, depth] =
            [AttributeId::CALL, AttributeId::PARENT, AttributeId::DEPTH].map(|id| number(event, id));
        let name = match trace.value(event, AttributeId::NAME) {
            Value::Atom(name) => name.as_str(),
            _ => "None",
        };
        let port = trace.port(event).map_or("", |port| port.as_str());
        format!("{} {call} {parent} {depth} {port} {} {name}", event + 1, number(event, time))
    };
    (0..trace.n_events()).map(event).collect()
}

fn rules(trace: &Trace) -> Vec<&'static str> {
    trace.findings().kept().iter().map(|finding| finding.rule).filter(|rule| *rule != "end").collect()
}

#[test]
fn every_bad_file_is_recognised_breaks_its_rule_and_loses_nothing_else() {
    let mut n_bad = 0;
    for path in corpus() {
        let trace = load(&path, &LoadOptions::default()).expect("the corpus can be read");
        assert_eq!(trace.origin().format, "chrome", "{}", path.display());
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let Some((rule, _)) = name.split_once('_').filter(|(rule, _)| rule.starts_with('C') || *rule == "unterminated")
        else {
            continue;
        };
        n_bad += 1;
        let found = rules(&trace);
        assert!(found.contains(&rule), "{name}: {found:?}");
        let others = found.iter().filter(|other| **other != rule && **other != "C1").count();
        assert_eq!(others, 0, "{name}: {found:?}");
        let n_before = events_of(&trace).iter().filter(|event| event.ends_with(" a")).count();
        assert!(n_before >= 2, "{name}");
    }
    assert_eq!(n_bad, 15);
}

#[test]
fn parts_of_any_size_give_the_same_trace() {
    for path in corpus() {
        let text = std::fs::read(&path).expect("the corpus can be read");
        let whole = shown(&in_chunks(&FORMAT, &text, 1 << 20));
        for part_bytes in [1, 100, 3000] {
            assert!(shown(&in_chunks(&FORMAT, &text, part_bytes)) == whole, "{}", path.display());
        }
    }
}

#[test]
fn a_file_that_ends_anywhere_keeps_its_whole_records() {
    let record =
        |n: usize| format!("{{\"ph\":\"i\",\"ts\":{n},\"pid\":1,\"name\":\"x\\\\\",\"args\":{{\"k\":[{n}]}}}}");
    let text = format!("{{\"a\":[1],\"traceEvents\":[{},\n{},{}],\"z\":{{}}}}", record(1), record(2), record(3));
    let ends: Vec<usize> = memchr::memmem::find_iter(text.as_bytes(), "]}}").map(|at| at + 3).collect();
    for length in 0..=text.len() {
        let trace = in_chunks(&FORMAT, &text.as_bytes()[..length], 50);
        let n_whole = ends.iter().filter(|end| **end <= length).count();
        assert_eq!(trace.n_events() as usize, n_whole.min(3), "{}", &text[..length]);
        let found = rules(&trace);
        assert!(found == ["unterminated"] || length == 0 || length == text.len(), "{found:?}: {}", &text[..length]);
    }
}

#[test]
fn what_follows_the_end_is_told_once() {
    for more in ["x", "\n[]", "{\"a\": 1} [2]\n{", "]"] {
        let trace = in_chunks(&FORMAT, format!("[{{\"ph\":\"i\",\"ts\":1}}] {more}").as_bytes(), 1 << 20);
        assert_eq!((trace.n_events(), rules(&trace)), (1, vec!["trailing"]), "{more}");
    }
}

#[test]
fn slices_of_equal_times_nest_as_their_writer_ended_them() {
    let record =
        |ts: u32, dur: u32, name: &str| format!("{{\"ph\":\"X\",\"ts\":{ts},\"dur\":{dur},\"name\":\"{name}\"}}");
    let begun = [record(1, 9, "outer"), record(2, 3, "same1"), record(2, 3, "same2")].join(",");
    let ended = [record(2, 3, "same1"), record(2, 3, "same2"), record(1, 9, "outer")].join(",");
    for (records, inner) in [(begun, ["same1", "same2"]), (ended, ["same2", "same1"])] {
        let [outer, inner] = inner;
        let expected = [
            "1 1 0 1 call 1000 outer".to_owned(),
            format!("2 2 1 2 call 2000 {outer}"),
            format!("3 3 2 3 call 2000 {inner}"),
            format!("4 3 2 3 exit 5000 {inner}"),
            format!("5 2 1 2 exit 5000 {outer}"),
            "6 1 0 1 exit 10000 outer".to_owned(),
        ];
        assert_eq!(events(&format!("[{records}]")), expected);
    }
}

#[test]
fn ends_come_before_beginnings_and_points_at_one_time_on_a_track_with_slices() {
    let text = r#"[{"ph":"X","ts":1,"dur":4,"name":"a"}, {"ph":"i","ts":5,"name":"p"}, {"ph":"B","ts":5,"name":"b"},
        {"ph":"X","ts":5,"dur":0,"name":"z"}, {"ph":"E","ts":6,"name":"b"}]"#;
    let expected = [
        "1 1 0 1 call 1000 a",
        "2 1 0 1 exit 5000 a",
        "3 2 0 1 call 5000 b",
        "4 3 2 2 call 5000 z",
        "5 3 2 2 exit 5000 z",
        "6 2 0 1 event 5000 p",
        "7 2 0 1 exit 6000 b",
    ];
    assert_eq!(events(text), expected);
}

#[test]
fn an_end_that_was_written_before_its_beginning_at_one_time_is_a_box_of_no_length() {
    let text = r#"[{"ph":"B","ts":1,"name":"a"}, {"ph":"E","ts":2,"name":"b"}, {"ph":"B","ts":2,"name":"b"},
        {"ph":"E","ts":3,"name":"a"}]"#;
    let trace = in_chunks(&FORMAT, text.as_bytes(), 1 << 20);
    assert_eq!(rules(&trace), [""; 0]);
    assert_eq!(events(text)[1..3], ["2 2 1 2 call 2000 b", "3 2 1 2 exit 2000 b"]);
}

/// Of boxes on a track and of asynchronous ones.
#[test]
fn the_order_of_ends_at_one_time_does_not_matter() {
    for (begin, end, id) in [("B", "E", ""), ("b", "e", r#","cat":"c","id":"0x1""#)] {
        let record = |ph: &str, ts: u32, name: &str| format!(r#"{{"ph":"{ph}","ts":{ts},"name":"{name}"{id}}}"#);
        let [a, b] = [record(begin, 1, "a"), record(begin, 2, "b")];
        let of_length_0 = [record(end, 9, "z"), record(begin, 9, "z")];
        let text = format!("[{a},{b},{},{},{}]", record(end, 5, "a"), record(end, 5, "b"), of_length_0.join(","));
        let trace = in_chunks(&FORMAT, text.as_bytes(), 1 << 20);
        assert_eq!(rules(&trace), [""; 0], "{end}");
        let found: Vec<String> =
            events(&text).iter().map(|event| event.splitn(5, ' ').nth(4).unwrap().to_string()).collect();
        let expected = ["call 1000 a", "call 2000 b", "exit 5000 b", "exit 5000 a", "call 9000 z", "exit 9000 z"];
        assert_eq!(found, expected, "{end}");
    }
}

#[test]
fn overlapping_slices_and_deep_stacks_take_no_quadratic_time() {
    let n = 40_000;
    let staircase = |ts: usize| format!("{{\"ph\":\"X\",\"ts\":{ts},\"dur\":{n},\"name\":\"x\"}}");
    let crossing = |ph: &str, ts: usize| format!("{{\"ph\":\"{ph}\",\"ts\":1,\"name\":\"n{ts}\"}}");
    let instants = |_: usize| "{\"ph\":\"X\",\"ts\":1,\"dur\":0,\"name\":\"x\"}".to_owned();
    let texts: [Vec<String>; 4] = [
        (0..n).map(staircase).collect(),
        (0..n).map(|at| crossing("B", at)).chain((0..n).map(|at| crossing("E", at))).collect(),
        (0..n).map(|at| crossing("E", at)).chain((0..n).map(|at| crossing("B", at))).collect(),
        (0..n).map(|at| crossing("B", at)).chain((0..n).map(instants)).collect(),
    ];
    for text in texts {
        let trace = in_chunks(&FORMAT, format!("[{}]", text.join(",")).as_bytes(), 1 << 20);
        assert!(trace.n_events() as usize >= 2 * n);
    }
}

#[test]
fn arguments_keep_names_that_hold_commas() {
    let records = r#"[{"ph": "X", "ts": 1, "dur": 1, "name": "f", "args": {"a,b": 1, "c": "x"}},
        {"ph": "B", "ts": 3, "name": "g", "args": {"a,b": 1}}, {"ph": "E", "ts": 4, "name": "g", "args": {"(": 2}}]"#;
    let trace = in_chunks(&FORMAT, records.as_bytes(), 1 << 20);
    let names = |event| match trace.value(event, AttributeId::ARG_NAMES) {
        Value::Texts(names) => names.iter().collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(names(0), ["a,b", "c"]);
    assert_eq!(names(1), ["a,b", "c"]);
    assert_eq!(names(2), ["a,b"]);
    assert_eq!(names(3), ["a,b", "("]);
}

#[test]
fn boxes_end_by_the_exception_that_they_return_or_as_python_3_11_marks_it() {
    for result in ["KeyError('fig')", "<NULL>"] {
        let records = format!(
            r#"[{{"ph":"X","pid":1,"tid":1,"ts":1,"dur":9,"name":"f (a.py:1)","args":{{"return_value":"None"}}}},
                {{"ph":"X","pid":1,"tid":1,"ts":2,"dur":5,"name":"g (a.py:5)","args":{{"return_value":"{result}"}}}},
                {{"ph":"i","pid":1,"tid":1,"ts":6,"name":"Exception - KeyError('fig') = KeyError('fig')"}}]"#
        );
        let ends: Vec<String> = events(&records).into_iter().skip(3).collect();
        assert_eq!(ends, ["4 2 1 2 exception 7000 g", "5 1 0 1 exit 10000 f"], "{result}");
    }
}

/// The same text, in which the full grammar must read each record.
fn unusual(text: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(text).replace("\"ph\"", "\"p\\u0068\"").into_bytes()
}

/// Usual records with one more key, before the others, after them, and among the arguments.
fn records_with_another_key() -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    let values = [
        "1",
        "-0",
        "0.50",
        "1e3",
        "12345678901234567890",
        "\"a b\"",
        "\"7\"",
        "\"\"",
        "\"a\\n\"",
        "\"é\"",
        "true",
        "null",
        "[]",
        "[1, {\"k\": \"a, b\"}]",
        "{\"k\": [-1]}",
        "01",
        "NaN",
        "\"i\"",
        "\"X\"",
        "\"C\"",
        "\"b\"",
        "\"E\"",
        "\"M\"",
    ];
    let keys = [
        "ph", "ts", "dur", "pid", "tid", "name", "cat", "args", "id", "s", "tts", "flow_out", "id2", "long_key", "bp",
        "",
    ];
    for key in keys {
        for value in values {
            for usual in [
                r#""ph":"X","ts":1.5,"dur":2,"pid":1,"tid":2,"name":"f","args":{"n":1,"t":"x"}"#,
                r#""name":"c","args":{"n":1},"ts":9,"ph":"C""#,
                r#""args":{"t":"12"},"ph":"i","ts":"12","id":"0x1""#,
            ] {
                texts.push(format!("[{{{usual},\"{key}\":{value}}}]").into_bytes());
                texts.push(format!("[{{\"{key}\" : {value} , {usual} }}\n]").into_bytes());
                texts.push(
                    format!("[{{{usual}}},{{\"ph\":\"i\",\"ts\":3,\"args\":{{\"{key}\":{value}}}}}]").into_bytes(),
                );
            }
        }
    }
    texts
}

#[test]
fn usual_records_are_read_as_the_full_grammar_reads_them() {
    let corpus = corpus().into_iter().map(|path| std::fs::read(path).expect("the corpus can be read"));
    for text in corpus.chain(records_with_another_key()) {
        let traces = [text.clone(), unusual(&text)].map(|text| in_chunks(&FORMAT, &text, 1 << 20));
        // bytes differ: where a record begins, and where it is no JSON
        let message = |finding: &Finding| finding.message.split(" at byte ").next().map(str::to_owned);
        let found = |trace: &Trace| trace.findings().kept().iter().map(message).collect::<Vec<_>>();
        let after_place = |line: &str| match line.split_once("}) ") {
            Some((place, values)) if place.starts_with("Some(SourcePlace") => values.to_owned(),
            _ => line.to_owned(),
        };
        let events = |trace: &Trace| shown(trace).lines().skip(1).map(after_place).collect::<Vec<_>>();
        let [usual, full] = traces.each_ref().map(|trace| (found(trace), events(trace)));
        assert_eq!(usual, full, "{}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn slices_alone_nest_as_slices_inside_of_another_box() {
    let mut seed = 7u64;
    let mut dice = |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    for _ in 0..300 {
        let records: Vec<String> = (0..1 + dice(12))
            .map(|number| match dice(4) {
                0 => format!("{{\"ph\":\"i\",\"ts\":{},\"name\":\"p{number}\"}}", 1 + dice(8)),
                _ => format!(
                    "{{\"ph\":\"X\",\"ts\":{},\"dur\":{},\"name\":\"x{number}\"}}",
                    1 + dice(8),
                    [0, 1, 2, 4, 8][dice(5) as usize]
                ),
            })
            .collect();
        // without the calls, which have other numbers inside of a box, and with the depth outside
        let shown = |events: &[String], depth: u32| -> Vec<String> {
            let words = |event: &String| -> Option<String> {
                let words: Vec<&str> = event.split(' ').collect();
                let around = words[3].parse::<u32>().ok()?.checked_sub(depth)?;
                Some(format!("{around} {}", words[4..].join(" ")))
            };
            events.iter().filter_map(words).collect()
        };
        let alone = events(&format!("[{}]", records.join(",")));
        let inside = events(&format!("[{{\"ph\":\"B\",\"ts\":0,\"name\":\"b\"}},{}]", records.join(",")));
        assert_eq!(shown(&alone, 0), shown(&inside[1..], 1), "{records:?}");
    }
}
