//! Samples of each preset, sound and bad, with the relations that the specification gives them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::FORMAT;
use crate::formats::mapping::read_maps;
use crate::formats::testing::{in_chunks, shown};
use crate::formats::{Lines, LoadOptions, load, load_bytes};
use crate::trace::{AttributeId, Trace, TraceBuilder, Value};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/json");

fn samples(folder: &str) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(Path::new(DATA).join(folder)).expect("the samples are there");
    let paths = folder.map(|entry| entry.expect("a folder can be listed").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> Trace {
    load(path, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// A text read by a preset or by these maps.
fn of_text(text: &str, maps: Option<&str>) -> Trace {
    let mut lines = Lines::of_text(text.as_bytes(), 0);
    lines.maps = maps.map(|maps| Arc::from(read_maps("test.pl", maps).unwrap_or_else(|error| panic!("{error}"))));
    let mut builder = TraceBuilder::new(FORMAT.origin(Path::new("test.jsonl")));
    super::read(&mut lines, &mut builder);
    builder.finish()
}

/// The events as `chrono call depth port time name line`, with 0 for no call and `-` for nothing.
fn events(trace: &Trace) -> Vec<String> {
    let time = trace.schema().find("time");
    let event = |event| {
        let call = trace.call(event).map_or(0, |call| trace.call_number(call));
        let time = time.map_or(Value::Absent, |time| trace.value(event, time));
        let time = if let Value::Int(time) = time { time.to_string() } else { "-".to_owned() };
        let name = trace.value(event, AttributeId::NAME).characters().unwrap_or("-");
        let port = trace.port(event).expect("every event has a port");
        let (depth, line) = (trace.depth(event).unwrap_or(-1), trace.source_line(event).unwrap_or(0));
        format!("{} {call} {depth} {port} {time} {name} {line}", trace.chrono(event))
    };
    (0..trace.n_events()).map(event).collect()
}

fn rules(trace: &Trace) -> Vec<&'static str> {
    trace.findings().kept().iter().map(|finding| finding.rule).collect()
}

/// The arguments of an event as printed.
fn args(trace: &Trace, event: u32) -> String {
    match trace.value(event, AttributeId::ARGS) {
        Value::Args(list) => list.whole().into_owned(),
        _ => String::new(),
    }
}

#[test]
fn every_sample_has_the_events_of_its_relation() {
    for path in [samples(""), samples("bad")].concat() {
        let trace = read(&path);
        let expected = std::fs::read_to_string(path.with_extension("events")).expect("each sample has its events");
        assert_eq!(events(&trace), expected.lines().collect::<Vec<_>>(), "{}", path.display());
        assert_eq!(trace.origin().format, "json", "{}", path.display());
    }
}

#[test]
fn every_bad_sample_breaks_the_rule_of_its_name_and_no_other() {
    for path in samples("bad") {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        assert_eq!(rules(&read(&path)), name.split('_').take(1).collect::<Vec<_>>(), "{name}");
    }
    for path in samples("") {
        assert!(rules(&read(&path)).iter().all(|rule| *rule == "J8"), "{}", path.display());
    }
}

#[test]
fn samples_are_the_same_in_chunks_of_any_size() {
    for path in [samples(""), samples("bad")].concat() {
        let text = std::fs::read(&path).expect("a sample can be read");
        let whole = shown(&in_chunks(&FORMAT, &text, 1 << 19));
        for chunk_bytes in [1, 100, 1000] {
            assert_eq!(shown(&in_chunks(&FORMAT, &text, chunk_bytes)), whole, "{} {chunk_bytes}", path.display());
        }
    }
}

#[test]
fn every_cut_and_every_changed_byte_leaves_the_lines_before_it() {
    for path in samples("") {
        let text = std::fs::read(&path).expect("a sample can be read");
        let text = &text[..text.len().min(2500)];
        let maps = std::fs::read_to_string(preset_of(&path)).expect("a preset can be read");
        let of_bytes = |bytes: &[u8]| of_text(&String::from_utf8_lossy(bytes), Some(&maps));
        let whole = events(&of_bytes(text));
        for cut in (0..text.len()).step_by(41) {
            let (found, n_lines) = (events(&of_bytes(&text[..cut])), memchr::memchr_iter(b'\n', &text[..cut]).count());
            let is_before = |event: &&String| {
                event.rsplit(' ').next().is_some_and(|line| line.parse::<usize>().is_ok_and(|line| line <= n_lines))
            };
            assert!(found.iter().zip(whole.iter().take_while(is_before)).all(|(one, other)| one == other));
            let mut changed = text.to_vec();
            for byte in [b'"', b'{', b']', b'\\', 0, 0xFF, b'9'] {
                changed[cut] = byte;
                assert!(of_bytes(&changed).n_events() + 3 >= n_lines.min(1) as u32);
            }
        }
    }
}

/// The file of the preset that reads a sample.
fn preset_of(path: &Path) -> PathBuf {
    let trace = read(path);
    let map = trace.recording().facts().find(|(_, key, _)| *key == "map").and_then(|(_, _, value)| value.characters());
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/formats/mapping/presets");
    Path::new(folder).join(format!("{}.pl", map.expect("the map is a fact of the recording")))
}

#[test]
fn each_preset_is_recognised_by_its_keys() {
    for (line, expected) in [
        (r#"{"levelname": "INFO", "name": "shop", "message": "m", "created": 1.5}"#, "python_json"),
        (r#"{"lev\u0065lname": "INFO", "name": "shop", "message": "m", "created": 1.5}"#, "python_json"),
        (r#"{"level": 30, "time": 1, "pid": 2, "hostname": "h", "msg": "listening", "port": 3000}"#, "pino"),
        (r#"{"role": "user", "content": "hello"}"#, "agent_calls"),
        (r#"{"event": "x", "level": "info", "timestamp": "2026-11-22T16:04:04Z"}"#, "structlog"),
        (r#"{"timestamp": "2026-11-22T16:04:04Z", "level": "INFO", "target": "t", "fields": {}}"#, "tracing"),
    ] {
        let trace = load_bytes(Path::new("t"), line.as_bytes().to_vec(), &LoadOptions::default()).expect(line);
        let map = trace.recording().facts().find(|(_, key, _)| *key == "map").map(|(_, _, value)| value);
        assert_eq!(map.and_then(Value::characters), Some(expected), "{line}");
    }
    let error = load_bytes(Path::new("t"), b"{\"a\": 1}\n{\"b\": 2}\n".to_vec(), &LoadOptions::default());
    assert!(error.expect_err("no map fits").to_string().contains("`papaver help maps`"));
}

#[test]
fn a_log_of_papaver_itself_is_not_read_through_a_map() {
    let line = r#"{"port": "call", "name": "f", "levelname": "INFO", "message": "m"}"#;
    let trace = load_bytes(Path::new("t"), line.as_bytes().to_vec(), &LoadOptions::default()).expect("it can be read");
    assert_eq!(trace.origin().format, "jsonl");
}

const OWN: &str = r#"
map(own, needs, [t]).
map(own, time, [t:s, at:date]).
map(own, port, kind, [in-call, out-exit, 'no'-fail, "mark"-mark]).
map(own, exception_if, code \= 0).
map(own, name, [what, const(none)]).
map(own, module, up(path, '/')).
map(own, key, key([who, job/id])).
map(own, parent, [who, job/of]).
map(own, thread, who).
map(own, args, [list/1, list/n, last(list), text:json, "item"]).
map(own, column, code).
map(own, column, job/id).
map(own, column, name).
"#;

#[test]
fn sources_lead_to_values_of_all_kinds() {
    let lines = r#"
{"t": 1, "kind": "in", "what": "f", "who": "a", "job": {"id": 1}, "path": "x/y/z", "text": "{\"k\": [1.50]}", "item": true}
{"t": "1.25", "kind": "in", "who": "a", "job": {"id": "2", "of": 1}, "list": [{"n": 1}, 2, {"n": null}]}
{"t": 2, "kind": "mark", "who": "a", "job": {"id": "2"}, "text": "{broken", "code": 1.5, "name": {"a": 1}}
{"t": 2.5, "kind": "out", "who": "a", "job": {"id": "2"}, "code": 7, "list": "no list"}
{"t": 3, "kind": "out", "who": "a", "job": {"id": 1}, "code": 0}
"#;
    let trace = of_text(lines, Some(OWN));
    let expected = [
        "1 1 1 call 1000000000 f 2",
        "2 2 2 call 1250000000 none 3",
        "3 2 2 mark 2000000000 none 4",
        "4 2 2 exception 2500000000 none 5",
        "5 1 1 exit 3000000000 f 6",
    ];
    assert_eq!((events(&trace), rules(&trace)), (expected.map(str::to_owned).to_vec(), vec![]));
    assert_eq!(args(&trace, 0), "-, -, -, {\"k\":[1.5]}, true");
    assert_eq!(args(&trace, 1), "2, [1,null], {\"n\":null}");
    assert_eq!(args(&trace, 2), "-, -, -, \"{broken\"");
    let value = |event, name| trace.value(event, trace.schema().find(name).expect("the map names it"));
    assert_eq!(value(0, "decl_module").characters(), Some("x/y"));
    assert_eq!((value(0, "job.id"), value(1, "job.id")), (Value::Int(1), Value::Text("2")));
    assert_eq!((value(2, "code"), value(2, "name_")), (Value::Float(1.5), Value::Json("{\"a\":1}")));
    let call = |event| trace.call(event).expect("it belongs to a call");
    assert_eq!(trace.parent(call(2)), Some(call(0)));
}

#[test]
fn a_line_of_nothing_but_brackets_is_only_a_finding() {
    let deep = format!("{{\"t\": {}1{}}}\n{{\"t\": 1}}\n", "[".repeat(100_000), "]".repeat(100_000));
    let trace = of_text(&deep, Some("map(m, needs, [t]).\n"));
    assert_eq!((trace.n_events(), rules(&trace)), (1, vec!["J1"]));
}

#[test]
fn the_elements_of_an_array_are_events_and_the_line_is_outside() {
    let map = "map(m, needs, [a]). map(m, each, a). map(m, name, [n, item]). map(m, time, outer/t:ms).
        map(m, args, [outer/a/0, rest]).";
    let lines = "{\"a\": [{\"n\": \"x\", \"y\": 1, \"z\": null}, 7, [8], \"z\"], \"t\": 5}\n{\"a\": [], \"t\": 6}\n{\"a\": \"one\", \"t\": 7}\n";
    let trace = of_text(lines, Some(map));
    let expected = ["1 0 0 event 5000000 x 1", "2 0 0 event 5000000 7 1", "3 0 0 event 5000000 - 1"];
    assert_eq!(events(&trace)[..3], expected);
    assert_eq!(events(&trace)[3..], ["4 0 0 event 5000000 z 1", "5 0 0 event 7000000 one 3"]);
    assert_eq!(args(&trace, 0), "{\"n\":\"x\",\"y\":1,\"z\":null}, {\"y\":1}");
}
