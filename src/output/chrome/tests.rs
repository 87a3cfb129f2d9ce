//! Tests of the picture: whatever is drawn is JSON whose slices nest and whose arrows have both ends.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;

use serde_json::Value as Json;

use crate::formats::{LoadOptions, load};
use crate::output::convert::chrome;
use crate::trace::{EventRow, Field, MERCURY_PORTS, PortSet, ProcRow, Trace, TraceBuilder, TraceOrigin, Value};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

fn data(name: &str) -> Trace {
    load(&Path::new(DATA).join(name), &LoadOptions::default()).expect("the sample traces load")
}

fn of_bytes(bytes: &[u8], from: Option<&str>) -> Trace {
    let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
    file.write_all(bytes).expect("temporary files can be written");
    load(file.path(), &LoadOptions { from, ..LoadOptions::default() }).expect("the text loads")
}

/// What is drawn, after the test of what must hold of all pictures, without the header, the trailer and the gaps.
fn drawn(trace: &Trace) -> Vec<Json> {
    let mut bytes = Vec::new();
    chrome(trace, &mut bytes).expect("memory takes everything");
    let picture: Json = serde_json::from_slice(&bytes).expect("the picture is JSON");
    let mut items = picture["traceEvents"].as_array().expect("there is a list of events").clone();
    assert_sound(&items);
    let about = |item: &Json| Some(item["args"]["port"].as_str()?.to_owned()).filter(|_| item["name"] == "papaver");
    assert_eq!(items.first().and_then(about).as_deref(), Some("header"));
    assert_eq!(items.last().and_then(about).as_deref(), Some("trailer"));
    items.retain(|item| about(item).is_none());
    items
}

/// Slices nest on each track, time does not go back there, and each arrow has a start and an end within a slice.
fn assert_sound(items: &[Json]) {
    let (mut open, mut now) = (HashMap::<_, Vec<&Json>>::new(), HashMap::new());
    let mut arrows = HashMap::<i64, Vec<&str>>::new();
    for item in items {
        let track = (item["pid"].as_i64().unwrap(), item["tid"].as_i64().unwrap());
        let phase = item["ph"].as_str().unwrap();
        if phase == "M" {
            continue;
        }
        let time = item["ts"].as_f64().expect("there is a time");
        assert!(time >= 0.0 && *now.get(&track).unwrap_or(&0.0) <= time, "{item}");
        now.insert(track, time);
        let stack = open.entry(track).or_default();
        match phase {
            "B" => stack.push(&item["name"]),
            "E" => assert_eq!(stack.pop(), Some(&item["name"]), "{item}"),
            "i" => assert_eq!(item["s"], "t"),
            "s" | "f" => {
                assert!(!stack.is_empty(), "{item}");
                arrows.entry(item["id"].as_i64().unwrap()).or_default().push(phase);
            }
            other => panic!("phase {other}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "{open:?}");
    for (id, mut phases) in arrows {
        phases.sort_unstable();
        assert_eq!(phases, ["f", "s"], "arrow {id}");
    }
}

fn with_phase<'p>(items: &'p [Json], phase: &str) -> Vec<&'p Json> {
    items.iter().filter(|item| item["ph"] == phase).collect()
}

#[test]
fn calls_of_mercury_are_slices_of_one_track() {
    for name in ["queens.trace", "queens.jsonl", "qsort.trace"] {
        let trace = data(name);
        let items = drawn(&trace);
        let has_port = |ports: &[&str]| {
            (0..trace.n_events())
                .filter(|event| trace.port(*event).is_some_and(|port| ports.contains(&port.as_str())))
                .count()
        };
        assert_eq!(with_phase(&items, "B").len(), has_port(&["call", "redo"]), "{name}");
        assert_eq!(with_phase(&items, "E").len(), has_port(&["exit", "fail", "exception"]), "{name}");
        assert_eq!(with_phase(&items, "M").len(), 2, "{name}");
    }
    let items = drawn(&data("queens.trace"));
    let first = with_phase(&items, "B")[2];
    assert_eq!((&first["name"], &first["ts"], &first["args"]["port"]), (&"queen".into(), &4.into(), &"call".into()));
    assert_eq!(first["args"]["args"], serde_json::json!(["[1, 2, 3, 4, 5]", null]));
}

#[test]
fn agents_are_tracks_and_steals_are_arrows() {
    let items = drawn(&data("visandor/ciao_fib_2agents.ev"));
    let names: Vec<&Json> =
        items.iter().filter(|item| item["name"] == "thread_name").map(|item| &item["args"]["name"]).collect();
    assert_eq!(names, ["run", "agent 0 busy", "agent 0", "agent 1 busy", "agent 1"]);
    assert_eq!(items[0]["args"]["name"], "ciao_fib_2agents.ev");
    let ends = |phase| {
        with_phase(&items, phase)
            .iter()
            .map(|item| (item["name"].as_str().unwrap(), item["tid"].as_i64().unwrap(), item["ts"].as_i64().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(ends("s"), [("steal", 3, 15), ("steal", 3, 19689)]);
    assert_eq!(ends("f"), [("steal", 5, 7827), ("steal", 5, 27539)]);
    let goal = items.iter().find(|item| item["name"] == "goal n1.1").expect("it is drawn");
    assert_eq!((&goal["ts"], &goal["args"]["wait"], &goal["tid"]), (&7827.into(), &7812.into(), &5.into()));
}

#[test]
fn a_branch_ends_where_it_is_put_aside_and_where_it_publishes() {
    for name in ["synth_or.ev", "synth_andorra.ev"] {
        let items = drawn(&data(&format!("visandor/{name}")));
        let is_branch = |item: &&&Json| item["name"].as_str().is_some_and(|name| name.starts_with("branch"));
        let n_begun = with_phase(&items, "B").iter().filter(is_branch).count();
        assert_eq!(n_begun, if name == "synth_or.ev" { 72 } else { 57 }, "{name}");
    }
    let items = drawn(&data("visandor/synth_or.ev"));
    let first: Vec<_> = items
        .iter()
        .filter(|item| item["name"] == "branch n1.0")
        .map(|item| (&item["ph"], item["ts"].as_i64()))
        .collect();
    assert_eq!(first, [(&"B".into(), Some(1_236_420_315)), (&"E".into(), Some(1_236_420_413))]);
}

/// Of the 41 times that a branch of the run is resumed, each is where it goes on after it was put aside.
#[test]
fn resumes_are_arrows_from_where_the_branch_was_suspended() {
    let trace = data("visandor/synth_or.ev");
    let items = drawn(&trace);
    let times = |phase| {
        let ends = with_phase(&items, phase).into_iter().filter(|item| item["name"] == "resume");
        let ends = ends.map(|item| (item["id"].as_i64(), item["ts"].as_i64(), item["tid"].as_i64()));
        ends.collect::<Vec<_>>()
    };
    let time = trace.schema().find("time").expect("the trace has it");
    let of_port = |name: &str| {
        let events = (0..trace.n_events()).filter(|event| trace.port(*event).is_some_and(|port| port.as_str() == name));
        events.map(|event| (trace.call(event), trace.value(event, time))).collect::<Vec<_>>()
    };
    let (suspends, resumes) = (of_port("suspend_branch"), of_port("resume_branch"));
    let (mut starts, ends) = (times("s"), times("f"));
    starts.sort_unstable();
    assert_eq!((starts.len(), ends.len(), resumes.len()), (41, 41, 41));
    for ((_, end, _), (call, at)) in ends.iter().zip(&resumes) {
        assert_eq!(end.map(Value::Int), Some(*at));
        assert!(suspends.iter().any(|(suspended, _)| suspended == call));
    }
    let is_suspend = |start: &(_, Option<i64>, _)| suspends.iter().any(|(_, at)| start.1.map(Value::Int) == Some(*at));
    assert!(starts.iter().all(is_suspend));
}

#[test]
fn a_picture_is_sound_wherever_its_trace_is_cut_and_whatever_is_wrong_with_it() {
    let text = std::fs::read(Path::new(DATA).join("visandor/ciao_fib_2agents.ev")).expect("the sample is there");
    for end in (0..text.len()).step_by(5) {
        drawn(&of_bytes(&text[..end], Some("visandor")));
    }
    let text = std::fs::read(Path::new(DATA).join("qsort.trace")).expect("the sample is there");
    for end in (0..text.len()).step_by(31) {
        drawn(&of_bytes(&text[..end], Some("morphine")));
    }
    for name in [
        "and_badcode",
        "and_earlyjoin",
        "and_fields",
        "and_nostop",
        "and_outoforder",
        "andorra_unbalanced",
        "or_noresume",
    ] {
        drawn(&data(&format!("visandor/bad/{name}.ev")));
    }
}

#[test]
fn a_trace_of_objects_is_drawn_as_the_one_that_it_was_made_of() {
    let trace = data("visandor/synth_and.ev");
    let mut objects = Vec::new();
    crate::output::convert::jsonl(&trace, &mut objects).expect("memory takes everything");
    let (direct, back) = (drawn(&trace), drawn(&of_bytes(&objects, None)));
    let rest = |items: &[Json]| items.iter().filter(|item| item["name"] != "process_name").cloned().collect::<Vec<_>>();
    assert_eq!(rest(&back), rest(&direct));
}

/// A port, a call, and attributes.
type Made<'m> = (&'m str, i64, &'m [(&'m str, Field<'m>)]);

/// A trace of another format, with the attributes that its drawing reads.
fn made(format: &'static str, events: &[Made<'_>]) -> Trace {
    let origin = TraceOrigin {
        path: "made".into(),
        format,
        ports: PortSet::Open(MERCURY_PORTS),
        attributes: &[],
        rule: "L1",
        severities: &[],
        is_by_line: true,
        ends_silently: false,
        lasso: None,
        results: &[],
        shown: &[],
        alike: &[],
    };
    let mut builder = TraceBuilder::new(origin);
    for (port, call, attributes) in events {
        let extra: Vec<_> =
            attributes.iter().map(|(name, field)| (builder.attribute(name).expect("there are few"), *field)).collect();
        let proc = ProcRow { name: Some("p"), ..ProcRow::default() };
        builder.push(&EventRow {
            call: Some(*call),
            depth: Some(1),
            port: Some(port),
            proc,
            extra: &extra,
            ..EventRow::default()
        });
    }
    builder.finish()
}

#[test]
fn messages_are_arrows_between_points_of_processes() {
    let at = |node, pid, time| [("node", Field::Atom(node)), ("pid", Field::Atom(pid)), ("time", Field::Int(time))];
    let with =
        |fields: [(&'static str, Field<'static>); 3], other| fields.into_iter().chain([other]).collect::<Vec<_>>();
    let send = with(at("a", "<0.1.0>", -2_000_500), ("match", Field::Int(3)));
    let print = at("a", "<0.1.0>", -1_999_000);
    let receive = with(at("b", "<0.2.0>", -1_000_500), ("match", Field::Int(1)));
    let items = drawn(&made("seqtrace", &[("send", 1, &send), ("print", 1, &print), ("receive", 1, &receive)]));
    let shown = |phase| {
        with_phase(&items, phase).iter().map(|item| (item["ts"].to_string(), item["pid"].as_i64())).collect::<Vec<_>>()
    };
    assert_eq!(shown("s"), [("0.000".to_owned(), Some(1))]);
    assert_eq!(shown("f"), [("1000.000".to_owned(), Some(2))]);
    assert_eq!(shown("i"), [("1.500".to_owned(), Some(1))]);
}

#[test]
fn invocations_are_arrows_to_what_serves_them() {
    let of = |vm, pid, other: &[(&'static str, Field<'static>)]| {
        [("vm", Field::Int(vm)), ("pid", Field::Atom(pid)), ("inc", Field::Int(1))]
            .into_iter()
            .chain(other.iter().copied())
            .collect::<Vec<_>>()
    };
    let send = of(1, "9462580", &[("inv", Field::Int(7))]);
    let proc = of(2, "94625D8", &[("serves", Field::Int(7))]);
    let items = drawn(&made(
        "mpd",
        &[("send", 1, &send), ("proc", 2, &proc), ("proc", 3, &of(2, "0", &[("serves", Field::Int(8))]))],
    ));
    assert_eq!((with_phase(&items, "s").len(), with_phase(&items, "f").len()), (1, 1));
    let names: Vec<&Json> = items.iter().filter(|item| item["ph"] == "M").map(|item| &item["args"]["name"]).collect();
    assert_eq!(names, ["vm 1", "9462580#1", "vm 2", "94625D8#1", "vm 2", "0#1"]);
}

#[test]
fn a_box_may_be_opened_by_an_event_that_comes_again_and_end_without_one() {
    let of = [("vm", Field::Int(1)), ("pid", Field::Atom("9462580")), ("inc", Field::Int(1))];
    let items = drawn(&made("mpd", &[("in", 1, &of), ("in", 1, &of), ("call", 2, &of), ("send", 3, &of)]));
    let phases: Vec<_> =
        items.iter().filter(|item| item["ph"] != "M").map(|item| item["ph"].as_str().unwrap()).collect();
    assert_eq!(phases[..2], ["B", "i"]);
    assert_eq!(phases.iter().filter(|phase| **phase == "B").count(), 2);
    assert_eq!(phases.iter().filter(|phase| **phase == "E").count(), 2);
}

#[test]
fn every_sample_trace_is_drawn_soundly() {
    let mut open = vec![Path::new(DATA).to_path_buf()];
    let mut n_drawn = 0;
    while let Some(path) = open.pop() {
        if let Ok(entries) = std::fs::read_dir(&path) {
            open.extend(entries.map(|entry| entry.expect("samples can be listed").path()));
        } else if let Ok(trace) = load(&path, &LoadOptions::default()) {
            n_drawn += drawn(&trace).len().min(1);
        }
    }
    assert!(n_drawn > 10, "{n_drawn}");
}

/// Siblings overlap, a child outlives its parent, and one starts before its parent does: each slice is as long as its
/// call, and lies on the track of its parent if it can.
#[test]
fn spans_that_do_not_nest_are_drawn_beside_each_other() {
    let lines = [
        (1, 0, 10, 90),
        (2, 1, 20, 60),
        (3, 1, 30, 80),
        (4, 3, 70, 75),
        (5, 1, 50, 120),
        (6, 5, 95, 110),
        (7, 1, 5, 40),
    ];
    let mut events: Vec<(i64, String)> = Vec::new();
    for (call, parent, start, end) in lines {
        let of = if parent == 0 { String::new() } else { format!(", \"parent\": {parent}") };
        let object = |port: &str, time: i64| {
            format!("{{\"port\": \"{port}\", \"name\": \"s{call}\", \"call\": {call}, \"time\": {time}{of}}}\n")
        };
        events.push((start.max(10), object("call", start)));
        events.push((end, object("exit", end)));
    }
    events.sort_by_key(|(place, _)| *place);
    let text: String = events.into_iter().map(|(_, line)| line).collect();
    let items = drawn(&of_bytes(text.as_bytes(), Some("jsonl")));
    let place = |name: &str, phase: &str| {
        let found = items.iter().find(|item| item["name"] == name && item["ph"] == phase).expect("it is drawn");
        (found["tid"].as_i64().unwrap(), (found["ts"].as_f64().unwrap() * 1000.0).round() as i64)
    };
    for (call, _, start, end) in lines {
        let name = format!("s{call}");
        assert_eq!((place(&name, "B").1, place(&name, "E").1), (start, end), "{name}");
    }
    assert_eq!(place("s2", "B").0, place("s1", "B").0);
    assert_eq!(place("s4", "B").0, place("s3", "B").0);
    assert_eq!(place("s6", "B").0, place("s5", "B").0);
}
