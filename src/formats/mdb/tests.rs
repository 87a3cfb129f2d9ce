//! The samples of `tests/data/mdb`, every form of a line, conversion there and back, and damaged files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use regex::Regex;

use crate::formats::{LoadOptions, load, load_bytes};
use crate::output::convert::target;
use crate::trace::{AttributeId, MERCURY_PORTS, Trace, Value, box_findings};

const SAMPLES: [&str; 13] = [
    "again.txt",
    "delivery.txt",
    "edge.txt",
    "frames.txt",
    "generators.txt",
    "marks.txt",
    "old.txt",
    "points.txt",
    "stock.txt",
    "sums.txt",
    "thrown.txt",
    "towers.txt",
    "types.txt",
];

/// The samples with the numbers of events that mdb counts; others have those of the order in which they appear.
const REAL: [&str; 5] = ["delivery.txt", "frames.txt", "generators.txt", "old.txt", "sums.txt"];

fn sample(name: &str) -> String {
    format!("tests/data/mdb/{name}")
}

fn open(path: &str) -> Trace {
    load(Path::new(path), &LoadOptions::default()).expect("it can be read")
}

fn of_text(text: &str) -> Trace {
    let options = LoadOptions { from: Some("mdb"), ..LoadOptions::default() };
    load_bytes(Path::new("t.exp"), text.as_bytes().to_vec(), &options).expect("it can be read")
}

fn rules(trace: &Trace) -> BTreeSet<&'static str> {
    trace.findings().kept().iter().map(|finding| finding.rule).collect()
}

fn value(trace: &Trace, event: u32, name: &str) -> String {
    let Some(id) = trace.schema().find(name) else { return "-".to_string() };
    match trace.value(event, id) {
        Value::Absent => "-".to_string(),
        Value::Int(value) => value.to_string(),
        Value::Atom(name) => name.as_str().to_string(),
        Value::Text(text) | Value::Term(text) | Value::Json(text) => text.to_string(),
        Value::Path(steps) => steps.iter().map(|step| step.as_str()).collect::<Vec<_>>().join(","),
        Value::Args(list) | Value::Texts(list) => list.iter().collect::<Vec<_>>().join(" | "),
        other => format!("{other:?}"),
    }
}

/// Each event of each file, found by a pattern for heads, is in the trace once for its number.
#[test]
fn every_sample_gives_its_events_once() {
    let head =
        Regex::new(r"(E?\d+): +C?\d+( +\d+)? (CALL|EXIT|REDO|FAIL|TAIL|EXCP|COND|THEN|ELSE|NEG[ESF]|DISJ|SWTC|USER|FRST|LATR)( |$)").unwrap();
    // the events of a generator have numbers of their own
    for name in SAMPLES.into_iter().filter(|name| *name != "generators.txt") {
        let text = fs::read_to_string(sample(name)).unwrap();
        let events: BTreeMap<String, String> = text
            .lines()
            .filter_map(|line| head.captures(line))
            .map(|found| (found[1].to_string(), found[3].to_string()))
            .collect();
        let mut expected: BTreeMap<String, u32> = BTreeMap::new();
        events.into_values().for_each(|port| *expected.entry(port).or_default() += 1);
        let trace = open(&sample(name));
        assert_eq!(trace.origin().format, "mdb", "{name}");
        let mut found: BTreeMap<String, u32> = BTreeMap::new();
        for event in 0..trace.n_events() {
            let port = trace.port(event).unwrap();
            let record = MERCURY_PORTS.iter().find(|record| record.name == port.as_str()).unwrap();
            let short =
                record.spellings.iter().find(|one| one.len() == 4 && one.chars().all(|c| c.is_ascii_uppercase()));
            *found.entry(short.unwrap().to_string()).or_default() += 1;
        }
        assert_eq!(found, expected, "{name}");
        assert_eq!(rules(&trace).contains("D2"), !REAL.contains(&name), "{name}");
        assert!(rules(&trace).is_subset(&BTreeSet::from(["D2", "T1"])), "{name}");
    }
}

#[test]
fn a_whole_run_has_no_gap_and_stays_well_formed() {
    let trace = open(&sample("delivery.txt"));
    let numbers: Vec<i64> = (0..trace.n_events()).map(|event| trace.chrono(event)).collect();
    assert_eq!(numbers, (1..=102).collect::<Vec<i64>>());
    assert_eq!((trace.findings().total(), box_findings(&trace).total()), (0, 0));
    // event 17 follows the output `9`, event 98 follows `42`
    assert_eq!((value(&trace, 16, "name"), value(&trace, 16, "call")), ("write_int".to_string(), "8".to_string()));
    assert_eq!((trace.chrono(97), value(&trace, 97, "depth")), (98, "3".to_string()));
    // 43:     16  2 ELSE pred delivery.kind/2-0 (det) e;t;e; delivery.m:86
    assert_eq!(
        (value(&trace, 42, "goal_path"), value(&trace, 42, "line_number")),
        ("e,t,e".to_string(), "86".to_string())
    );
    // 44 is an exit: its line is that of the call
    assert_eq!((value(&trace, 43, "goal_path"), value(&trace, 43, "line_number")), (String::new(), "15".to_string()));
    assert_eq!(value(&trace, 0, "line_number"), "-");
}

#[test]
fn contexts_on_other_lines_and_variables_belong_to_their_event() {
    let trace = open(&sample("stock.txt"));
    assert_eq!((value(&trace, 1, "context"), value(&trace, 1, "line_number")), ("stock.m:31".into(), "15".into()));
    assert_eq!(value(&trace, 6, "args"), "[pen, ink] | 31");
    assert_eq!(value(&trace, 6, "vars"), "[live_var(\"Items\", [pen, ink], -), live_var(\"Sum\", 31, -)]");
    assert_eq!(value(&trace, 1, "args"), "[pen, ink] | -");
    let towers = open(&sample("towers.txt"));
    // E9, with the context on the line before the procedure
    assert_eq!(value(&towers, 8, "name"), "ok");
    assert_eq!((value(&towers, 8, "context"), value(&towers, 8, "line_number")), ("towers.m:46".into(), "46".into()));
    // E5: variables of the event, not those of its ancestors that were printed later
    assert_eq!(value(&towers, 4, "vars"), "[live_var(\"HeadVar__1\", [1, 2, 3], -)]");
    let edge = open(&sample("edge.txt"));
    let found = ["name", "context", "decl_module", "def_module"].map(|name| value(&edge, 1, name));
    assert_eq!(found, ["near", "edge_tools.m:17", "edge_tools", "edge"]);
}

#[test]
fn user_events_and_procedures_of_types_are_events() {
    let users = open(&sample("marks.txt"));
    assert_eq!(
        (value(&users, 2, "user_event"), value(&users, 2, "goal_path")),
        ("too_near".into(), "s2-2,c4,t,c2".into())
    );
    assert!(value(&users, 2, "vars").contains("live_var(\"rest_of_all\", [9, 16], -)"));
    assert_eq!((value(&users, 3, "user_event"), value(&users, 3, "name")), ("try_places".into(), "-".into()));
    assert_eq!((value(&users, 4, "user_event"), value(&users, 4, "context")), ("too_near".into(), "marks.m:57".into()));
    let types = open(&sample("types.txt"));
    assert_eq!((value(&types, 1, "name"), value(&types, 1, "of_type")), ("__Compare__".into(), "types.tree/1".into()));
    let text = "       1:      1  1 USER <a> \n       2:      1  1 USER <b>  f.m:3\n       3:      1  1 CALL pred a.b/0-0 (det)\n";
    let trace = of_text(text);
    assert_eq!((value(&trace, 0, "user_event"), value(&trace, 1, "context")), ("a".into(), "f.m:3".into()));
}

#[test]
fn functions_exceptions_and_values_of_the_samples_are_read() {
    let sums = open(&sample("sums.txt"));
    assert_eq!((value(&sums, 5, "args"), value(&sums, 5, "result")), ("3".into(), "10".into()));
    assert_eq!((value(&sums, 7, "args"), value(&sums, 7, "result")), (String::new(), "1".into()));
    let points = open(&sample("points.txt"));
    assert_eq!((value(&points, 2, "name"), value(&points, 2, "result")), ("+".into(), "7".into()));
    assert_eq!((value(&points, 4, "args"), value(&points, 8, "result")), ("[1, 2] | 2".into(), "\"here\"".into()));
    let thrown = open(&sample("thrown.txt"));
    assert_eq!(value(&thrown, 2, "exception"), "\"no such door\"");
    assert_eq!(value(&thrown, 4, "exception"), "\"door(3, list.list(int)) - [1, 2]\"");
    assert_eq!(value(&thrown, 3, "exception"), "-");
}

#[test]
fn lines_of_old_versions_have_determinisms_and_modules() {
    let old = open(&sample("old.txt"));
    let found = ["name", "decl_module", "det"].map(|name| value(&old, 1, name));
    assert_eq!(found, ["part", "parts", "nondet"]);
    assert_eq!((value(&old, 4, "decl_module"), value(&old, 4, "det")), ("parts:inner".into(), "semidet".into()));
    assert_eq!((value(&old, 8, "goal_path"), value(&old, 2, "args")), ("first".into(), "- | [a, b] | -".into()));
}

#[test]
fn names_and_modules_of_every_kind_are_distinguished() {
    let names = [
        ("func int.+/2-0 (det)", "int", "+", "2"),
        ("func points.//2-0 (det)", "points", "/", "2"),
        ("pred points.deep.test.check_it/0-0 (det)", "points.deep.test", "check_it", "0"),
        ("pred a:b:c/3-1 (semidet)", "a:b", "c", "3"),
        ("NON   queens:qdelete/3-0 ", "queens", "qdelete", "3"),
    ];
    for (written, module, name, arity) in names {
        let trace = of_text(&format!("       7:      5  4 CALL {written}\n"));
        let found = ["decl_module", "name", "arity"].map(|attribute| value(&trace, 0, attribute));
        assert_eq!(found, [module, name, arity], "{written}");
    }
}

/// Standardised numbers are in the order of first appearance, so the merged events are too.
#[test]
fn events_that_are_printed_again_are_one_event() {
    let trace = open(&sample("again.txt"));
    let numbers: Vec<i64> = (0..trace.n_events()).map(|event| trace.chrono(event)).collect();
    assert_eq!(numbers, (1..=24).collect::<Vec<i64>>());
    let text = "       9:      3  2 CALL pred a.p/1-0 (det)\nmdb> retry 1\n       4:      2  2 CALL pred a.q/1-0 (det)\nmdb> print *\n       X (arg 1)\t7\nmdb> goto 9\n       9:      3  2 CALL pred a.p/1-0 (det) a.m:3 (a.m:2)\n";
    let trace = of_text(text);
    assert_eq!((trace.chrono(0), trace.chrono(1), trace.n_events()), (4, 9, 2));
    assert_eq!((value(&trace, 0, "args"), value(&trace, 1, "line_number")), ("7".into(), "2".into()));
    let other = of_text("       9:      3  2 CALL pred a.p/1-0 (det)\n       9:      3  2 EXIT pred a.p/1-0 (det)\n");
    assert_eq!((rules(&other), other.n_events()), (BTreeSet::from(["D3"]), 2));
}

#[test]
fn generators_number_their_own_events_and_calls() {
    let text = "       1:      1  1 CALL pred a.main/2-0 (det)\ntc(1)        1:      1  1 CALL pred a.tc/2-0 (nondet)\ntc(1)        2:      1  1 EXIT pred a.tc/2-0 (nondet)\n       2:      1  1 EXIT pred a.main/2-0 (det)\n";
    let trace = of_text(text);
    let of = |name: &str| (0..4).map(|event| value(&trace, event, name)).collect::<Vec<_>>();
    assert_eq!(of("generator"), ["-", "tc(1)", "tc(1)", "-"]);
    assert_eq!(
        (of("call"), of("chrono")),
        (["1", "2", "2", "1"].map(String::from).to_vec(), ["1", "2", "3", "4"].map(String::from).to_vec())
    );
}

#[test]
fn a_line_that_only_looks_like_an_event_is_reported() {
    let trace = of_text(
        "       1:      1  1 CALL pred a.p/0-0 (det)\n       2:      1  1 EXIT nonsense\n 0: + stop  interface pred a.p/0-0 (det)\n",
    );
    assert_eq!((trace.n_events(), rules(&trace)), (1, BTreeSet::from(["D1"])));
}

#[test]
fn conversion_there_and_back_gives_the_same_relation() {
    let folder = tempfile::tempdir().unwrap();
    for name in SAMPLES {
        let trace = open(&sample(name));
        for ending in ["jsonl", "papaver"] {
            let path = folder.path().join(format!("t.{ending}"));
            let target = target(ending).unwrap();
            target.write(Arc::new(trace.clone()), &mut fs::File::create(&path).unwrap()).unwrap();
            let back = load(&path, &LoadOptions::default()).unwrap();
            assert_eq!(trace.n_events(), back.n_events(), "{name}");
            let names: Vec<&str> = trace.schema().iter().map(|(_, attribute)| &*attribute.name).collect();
            for event in 0..trace.n_events() {
                for attribute in names.iter().filter(|name| !["stack", "proc"].contains(name)) {
                    assert_eq!(value(&trace, event, attribute), value(&back, event, attribute), "{name} {attribute}");
                }
                assert_eq!(trace.port(event), back.port(event));
            }
        }
    }
}

#[test]
fn a_transcript_cut_anywhere_keeps_what_was_before() {
    let text = fs::read(sample("stock.txt")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.exp");
    let mut last = 0;
    for length in 0..text.len() {
        fs::write(&path, &text[..length]).unwrap();
        let trace = load(&path, &LoadOptions { from: Some("mdb"), ..LoadOptions::default() }).unwrap();
        assert!((last..=last + 1).contains(&trace.n_events()), "{length}");
        last = trace.n_events();
    }
    assert_eq!(last, 8);
}

#[test]
fn a_flipped_byte_costs_at_most_its_line() {
    let text = fs::read(sample("delivery.txt")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flipped.exp");
    let mut start = 0;
    for line in text.split(|byte| *byte == b'\n') {
        for place in [line.len() / 4, line.len() / 2].iter().filter(|place| **place < line.len()) {
            let mut flipped = text.clone();
            flipped[start + place] ^= 0x15;
            fs::write(&path, &flipped).unwrap();
            let trace = load(&path, &LoadOptions { from: Some("mdb"), ..LoadOptions::default() }).unwrap();
            assert!((101..=102).contains(&trace.n_events()), "{start}");
        }
        start += line.len() + 1;
    }
}

#[test]
fn other_attributes_are_there_only_if_printed() {
    let trace = open(&sample("delivery.txt"));
    assert!(!trace.schema().has(AttributeId::ARGS) && trace.schema().find("user_event").is_none());
}

/// A module with a function whose value is shown as its last argument.
const FUNCTION: &str = "       1:      1  1 CALL pred m.main/2-0 (det) m.m:5
mdb> step
       2:      2  2 CALL func m.p/2-0 (det) m.m:9 (m.m:6)
mdb> print *
       HeadVar__1             \t2
mdb> step
       3:      2  2 EXIT func m.p/2-0 (det) m.m:9 (m.m:6)
mdb> print *
       HeadVar__1             \t2
       HeadVar__2             \t55
       T                      \tlist.list(int)
       U                      \t1-[|]/2
mdb> step
       4:      3  2 CALL func m.q/0-0 (det) m.m:12 (m.m:6)
mdb> step
       5:      3  2 EXCP func m.q/0-0 (det) m.m:12 (m.m:6)
mdb> print exception
\t\"oops\" - [1, 2]
";

#[test]
fn the_last_argument_of_a_function_is_its_result() {
    let trace = of_text(FUNCTION);
    assert_eq!((value(&trace, 2, "args"), value(&trace, 2, "result")), ("2".into(), "55".into()));
    assert_eq!((value(&trace, 1, "args"), value(&trace, 1, "result")), ("2".into(), "-".into()));
    assert_eq!((value(&trace, 2, "arity"), value(&trace, 2, "arg_names")), ("2".into(), "HeadVar__1".into()));
    // arities that do not count results, as those of other versions of mdb
    let trace = of_text(&FUNCTION.replace("p/2", "p/1"));
    assert_eq!((value(&trace, 2, "args"), value(&trace, 2, "result")), ("2".into(), "55".into()));
    assert_eq!((value(&trace, 2, "arity"), value(&trace, 1, "args")), ("1".into(), "2".into()));
}

#[test]
fn a_function_that_only_shows_what_it_takes_has_no_result() {
    let text = "       2:      2  2 CALL func m.p/2-0 (det)
mdb> print *
       X (arg 1)              \t2
       Y (arg 2)              \t3
       3:      2  2 EXIT func m.p/2-0 (det)
mdb> print *
       X (arg 1)              \t2
       Y (arg 2)              \t3
";
    let trace = of_text(text);
    assert_eq!((value(&trace, 1, "args"), value(&trace, 1, "result")), ("2 | 3".into(), "-".into()));
}

#[test]
fn a_value_that_cannot_be_read_is_a_string_among_the_others() {
    let trace = of_text(FUNCTION);
    let expected = "[live_var(\"HeadVar__1\", 2, -), live_var(\"HeadVar__2\", 55, -), \
                    live_var(\"T\", \"list.list(int)\", -), live_var(\"U\", \"1-[|]/2\", -)]";
    assert_eq!(value(&trace, 2, "vars"), expected);
    let found: Vec<&str> = trace.findings().kept().iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(found, ["`list.list(int)` is no term and is kept as a string, and so is 1 more"]);
}

#[test]
fn a_printed_exception_is_a_value_of_its_event() {
    let trace = of_text(FUNCTION);
    assert_eq!(
        (value(&trace, 4, "exception"), value(&trace, 3, "exception")),
        ("\"oops\" - [1, 2]".into(), "-".into())
    );
}
