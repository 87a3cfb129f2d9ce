//! Tests of the reader on real traces, on those with one fault each, and on texts that break one rule each.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::formats::testing::{self, in_chunks};
use crate::formats::{LoadOptions, load};
use crate::output::convert::target;
use crate::trace::{AttributeId, Trace, Value};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/visandor");

fn data(name: &str) -> Trace {
    load(&Path::new(DATA).join(name), &LoadOptions::default()).expect("the sample traces load")
}

fn read_as(bytes: &[u8], from: Option<&str>) -> Trace {
    let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
    file.write_all(bytes).expect("temporary files can be written");
    load(file.path(), &LoadOptions { from, ..LoadOptions::default() }).expect("the text loads")
}

fn of_text(text: &str) -> Trace {
    read_as(text.as_bytes(), Some("visandor"))
}

fn rules(trace: &Trace) -> Vec<(&'static str, Option<u64>)> {
    trace.findings().kept().iter().map(|finding| (finding.rule, finding.line)).collect()
}

/// The attributes of an event, but for those with fixed columns that every format has.
fn shown(trace: &Trace, event: u32) -> String {
    let attributes = trace.schema().iter().map(|(id, attribute)| match trace.value(event, id) {
        Value::Absent => String::new(),
        Value::Int(number) => format!("{} {number}, ", attribute.name),
        Value::Atom(_) | Value::Text(_) | Value::Bool(_) => {
            format!("{} {}, ", attribute.name, trace.value(event, id).characters().unwrap_or_default())
        }
        Value::Path(steps) => {
            format!("{} {:?}, ", attribute.name, steps.iter().map(|step| step.as_str()).collect::<Vec<_>>())
        }
        Value::Args(args) => format!("{} [{}], ", attribute.name, args.whole()),
        _ => String::new(),
    });
    attributes.collect()
}

#[test]
fn an_event_has_its_box_its_place_in_the_tree_and_its_numbers() {
    let trace = data("ciao_fib_2agents.ev");
    let expected = "chrono 20, call 16, depth 2, port start_goal, name goal, arity 2, goal_path [\"n1.1\"], args [n1, 1], \
                    parent 3, time 7827, agent 1, wam 6F7C23E8, node 6FFDEBE1, inst 1, branch 1, tasks 2, thief true, wait 7812, ";
    assert_eq!(shown(&trace, 19), expected);
    assert_eq!(trace.source_line(19), Some(21));
    let expected = "chrono 21, call 17, depth 2, port fork, name fork, arity 2, goal_path [\"n1.1\"], args [n6, 2], \
                    parent 16, time 7836, agent 1, wam 6F7C23E8, node 6F7C23E9, inst 6, tasks 2, ";
    assert_eq!(shown(&trace, 20), expected);
    let expected = "chrono 19, call 15, depth 1, port agent_busy, name agent, arity 2, goal_path [], args ['0', 1], \
                    time 7816, agent 1, wam 6F7C23E8, node 0, ";
    assert_eq!(shown(&trace, 18), expected);
}

#[test]
fn good_traces_have_no_findings_but_equal_times_and_the_overflow() {
    for name in ["synth_and.ev", "synth_or.ev", "synth_andorra.ev"] {
        assert_eq!(rules(&data(name)), [], "{name}");
    }
    for (name, message) in [
        ("ciao_fib_1agent.ev", "140 events"),
        ("ciao_fib_2agents.ev", "22 events"),
        ("ciao_qsort_3agents.ev", "73 events"),
    ] {
        let trace = data(name);
        assert_eq!(rules(&trace), [("same_time", Some(3))], "{name}");
        assert!(trace.findings().kept()[0].message.starts_with(message), "{:?}", trace.findings());
    }
    let overflow = data("ciao_overflow.ev.gz");
    assert_eq!(overflow.n_events(), 20_000);
    assert_eq!(rules(&overflow), [("full", Some(20_002)), ("same_time", Some(3))]);
    assert!(crate::trace::box_findings(&overflow).kept().is_empty());
}

#[test]
fn each_bad_file_breaks_the_rule_of_its_name() {
    for (name, rule, line) in [
        ("and_badcode.ev", "V3", 62),
        ("and_earlyjoin.ev", "V9", 98),
        ("and_fields.ev", "V2", 7),
        ("and_nostop.ev", "V5", 120),
        ("and_outoforder.ev", "V4", 63),
        ("andorra_unbalanced.ev", "V12", 41),
        ("or_noresume.ev", "V11", 149),
    ] {
        let trace = data(&format!("bad/{name}"));
        assert!(rules(&trace).contains(&(rule, Some(line))), "{name}: {:?}", trace.findings());
        assert!(trace.n_events() >= 119, "{name}");
    }
}

/// A trace around some events: each is `CODE NODE K AGENT`, with the WAM of the agent, a time unit apart.
fn around(flag: u8, events: &str) -> String {
    let mut text = format!("{flag}\n0 5 0 0 0 0\n");
    for (time, event) in (1..).zip(events.split(", ").filter(|event| !event.is_empty())) {
        let (numbers, agent) = event.rsplit_once(' ').expect("an event ends with an agent");
        text.push_str(&format!("{time} {numbers} {agent} {agent}\n"));
    }
    text + "99 6 0 0 0 0\n"
}

#[test]
fn each_rule_is_reported_at_its_line_and_nothing_else_is() {
    let and = "1 A 2 0, 2 A 0 0, 2 A 1 1, 3 A 0 0, 3 A 1 1, 4 A 2 0";
    assert_eq!(rules(&of_text(&around(0, and))), []);
    let or = "20 A 1 1, 21 A 0 1, 33 A 0 2, 34 A 0 2, 24 A 0 1, 25 A 0 3, 20 B 1 3, 21 B 0 3, 22 B 0 3";
    assert_eq!(rules(&of_text(&around(1, or))), []);
    for (rule, line, flag, events) in [
        ("V3", 3, 0, "77 0 0 0"),
        ("V6", 3, 0, "2 A 0 0"),
        ("V6", 4, 0, "1 A 1 0, 2 A 1 0, 3 A 1 0, 4 A 1 0"),
        ("V6", 6, 0, "1 A 2 0, 2 A 1 0, 3 A 1 0, 2 A 1 0, 3 A 1 0, 4 A 1 0"),
        ("V6", 7, 0, "1 A 1 0, 2 A 0 0, 3 A 0 0, 4 A 1 0, 2 A 0 0, 3 A 0 0"),
        ("V6", 4, 0, "1 A 1 0, 1 A 1 0, 2 A 0 0, 3 A 0 0, 4 A 1 0"),
        ("V7", 4, 0, "1 A 1 0, 3 A 0 0"),
        ("V7", 5, 0, "1 A 1 0, 2 A 0 0, 3 A 0 1, 4 A 1 0"),
        ("V7", 6, 0, "1 A 1 0, 2 A 0 0, 3 A 0 0, 3 A 0 0, 4 A 1 0"),
        ("V8", 7, 0, "1 A 1 0, 2 A 0 0, 1 B 1 0, 2 B 0 0, 3 A 0 0, 3 B 0 0, 4 B 1 0, 4 A 1 0"),
        ("V9", 4, 0, "1 A 1 0, 4 A 1 0"),
        ("V9", 7, 0, "1 A 1 0, 2 A 0 0, 3 A 0 0, 4 A 1 0, 4 A 1 0"),
        ("V9", 6, 0, "1 A 1 0, 2 A 0 0, 3 A 0 0, 4 A 1 1"),
        ("V9", 3, 0, "4 A 1 0"),
        ("V10", 5, 1, "20 A 1 1, 21 A 0 1, 22 A 0 2"),
        ("V10", 3, 1, "23 A 0 1"),
        ("V10", 6, 1, "20 A 1 1, 21 A 0 1, 20 B 1 1, 23 A 0 1"),
        ("V11", 5, 1, "20 A 1 1, 21 A 0 1, 25 A 0 1"),
        ("V11", 6, 1, "20 A 1 1, 21 A 0 1, 24 A 0 1"),
        ("V12", 6, 1, "20 A 1 1, 21 A 0 1, 33 A 0 2, 22 A 0 1, 34 A 0 2"),
        ("V12", 5, 1, "20 A 1 1, 21 A 0 1, 34 A 0 2"),
        ("V12", 4, 1, "20 A 1 1, 33 A 0 2"),
        ("V16", 5, 1, "20 A 1 1, 21 A 0 1"),
        ("V16", 5, 0, "1 A 1 0, 2 A 0 0"),
        ("V15", 3, 1, "1 A 1 0, 2 A 0 0, 3 A 0 0, 4 A 1 0"),
        ("V15", 3, 0, "20 A 1 1"),
    ] {
        let trace = of_text(&around(flag, events));
        let found = rules(&trace);
        assert!(found.contains(&(rule, Some(line))), "{events}: {found:?}");
        let others: Vec<_> = found.iter().filter(|(other, _)| *other != rule).collect();
        let follows = |other: &&&(&str, Option<u64>)| {
            matches!((rule, other.0), ("V7", "V9") | ("V12", "V6") | ("V10" | "V11" | "V12", "V16"))
        };
        assert!(others.iter().all(|other| follows(&other)), "{events}: {found:?}");
    }
}

#[test]
fn rules_about_the_file_and_the_agents_are_reported() {
    let text = |lines: &str| rules(&of_text(lines));
    assert_eq!(text("7\n0 5 0 0 0 0\n1 6 0 0 0 0\n"), [("V1", Some(1))]);
    assert_eq!(text("0 5 0 0 0 0\n1 6 0 0 0 0\n"), [("V1", Some(1))]);
    assert_eq!(text("0\n0 5 0 0 0\n1 5 0 0 0 0\n2 6 0 0 0 0\n"), [("V2", Some(2))]);
    assert_eq!(text("0\n-1 5 0 0 0 0\n1 5 0x1 0 0 0\n1 5 0 0 0 0\n2 6 0 0 0 0\n"), [("V2", Some(2)), ("V2", Some(3))]);
    assert_eq!(text("0\n1 7 0 1 0 0\n2 6 0 0 0 0\n"), [("V5", Some(2))]);
    assert_eq!(text("0\n1 5 0 1 0 0\n2 6 0 0 0 0\n3 7 0 1 0 0\n"), [("V5", Some(4)), ("V5", Some(4))]);
    assert_eq!(text("0\n5 5 0 1 0 0\n2 7 0 1 0 0\n6 6 0 0 0 0\n"), [("V4", Some(3))]);
    assert_eq!(text("0\n5 5 0 1 0 0\n5 7 0 1 0 0\n6 6 0 0 0 0\n"), [("same_time", Some(3))]);
    assert_eq!(text("0\n1 5 0 1 0 0\n2 78 0 1 0 0\n"), [("V3", Some(3)), ("V5", Some(2))]);
    assert_eq!(text("0\n1 5 0 1 0 0\n0 1878911636 0 1 0 0\n"), [("full", Some(3))]);
    assert_eq!(text("0\n1 5 0 1 0 0\n2 7 0 1 B 0\n3 6 0 0 B 0\n"), [("V13", Some(3))]);
    assert_eq!(text("0\n1 5 0 1 0 0\n2 7 0 1 B -1\n3 6 0 0 0 0\n"), [("V2", Some(3))]);
    assert_eq!(
        text("0\n1 5 0 1 0 0\n2 7 0 1 10 10\n3 7 0 1 A 10\n4 6 0 0 0 0\n"),
        [("V14", Some(3)), ("V13", Some(4))]
    );
}

#[test]
fn the_first_line_that_is_not_blank_has_the_flag() {
    for (first, found) in [
        ("0", vec![]),
        ("\n \n1", vec![("V15", 5)]),
        ("0 > and", vec![]),
        ("", vec![("V1", 2)]),
        ("7", vec![("V1", 1)]),
        ("> and\n0", vec![("V1", 1), ("V2", 2)]),
        ("...\n0", vec![("V1", 1), ("V2", 2), ("excerpt", 1)]),
        ("1 99 0 0 0 0\n0", vec![("V1", 1), ("V2", 2), ("V3", 1)]),
        ("0\n0", vec![("V2", 2)]),
    ] {
        let mut rules = rules(&of_text(&format!(
            "{first}\n1 5 0 0 0 0\n2 1 A 1 0 0\n3 2 A 0 0 0\n4 3 A 0 0 0\n5 4 A 1 0 0\n6 6 0 0 0 0\n"
        )));
        rules.sort_unstable();
        let found: Vec<_> = found.into_iter().map(|(rule, line)| (rule, Some(line))).collect();
        assert_eq!(rules, found, "{first}");
    }
}

#[test]
fn a_line_is_read_in_any_spelling() {
    for (line, expected) in [
        ("    7827 2 6FFDEBE1 1 6F7C23E8 1 ", (7827, "6FFDEBE1", 1, "6F7C23E8", 1)),
        ("12345678 34 0 10 00 123", (12_345_678, "0", 10, "00", 123)),
        ("1236420313 33 ffffffffffffffff 1 0a 12   ", (1_236_420_313, "ffffffffffffffff", 1, "0a", 12)),
        ("9223372036854775807 1 1 0000000000000000000007 2 -3", (i64::MAX, "1", 7, "2", -3)),
        ("\t1\t2 \x0c 3 4 5 6> six > 7", (1, "3", 4, "5", 6)),
    ] {
        let line::SixNumbers { time, node, k, wam, agent, .. } = line::event(line.as_bytes()).expect("it is an event");
        assert_eq!((time, node.written(), k, wam.written(), agent), expected, "{line}");
    }
}

#[test]
fn a_line_that_is_no_event_says_what_is_wrong_and_where() {
    for (line, expected) in [
        ("1 2 3 4 5 > 6", "column 14: expected six numbers, found 5"),
        ("1 2 3 4 5 6 7", "column 13: expected six numbers, found more"),
        ("-1 2 3 4 5 6", "column 1: expected a time, found `-1`"),
        ("1 2x 3 4 5 6", "column 3: expected an event code, found `2x`"),
        ("1 : 3 4 5 6", "column 3: expected an event code, found `:`"),
        ("1 2 0x1 4 5 6", "column 5: expected the hexadecimal number of a node, found `0x1`"),
        (
            "1 2 12345678901234567 4 5 6",
            "column 5: expected the hexadecimal number of a node, found `12345678901234567`",
        ),
        (
            "1 2 3 9223372036854775808 5 6",
            "column 7: expected a number of tasks or of a task, found `9223372036854775808`",
        ),
        ("1 2 3 4 W 6", "column 9: expected the hexadecimal number of a WAM, found `W`"),
        ("1 2 3 4 5 +6", "column 11: expected the number of an agent, found `+6`"),
        ("1 2 3 4 5 -", "column 11: expected the number of an agent, found `-`"),
    ] {
        assert_eq!(line::event(line.as_bytes()), Err(line::NoEvent::Wrong(expected.to_owned(), None)), "{line}");
    }
}

#[test]
fn a_node_that_is_forked_again_is_another_instance() {
    let trace = data("ciao_fib_2agents.ev");
    let inst = trace.schema().find("inst").expect("the trace has it");
    let forks = (0..trace.n_events()).filter(|event| trace.port(*event).is_some_and(|port| port.as_str() == "fork"));
    let numbers: Vec<_> = forks.map(|event| trace.value(event, inst)).collect();
    assert_eq!(numbers, (1..=12).map(Value::Int).collect::<Vec<_>>());
}

#[test]
fn comments_and_ellipses_of_the_manual_are_passed_over() {
    let text = "1   > OR parallelism\n1236420313 5 0 0 1 1\n...\n1236422609 20 0 1 1 1   > make public\n\n\
                1236424094 21 0 0 1 1>start\n1236425973 33 0 0 2 2\n1236427516 34 0 0 2 2\n1236427517 22 0 0 1 1\n1236427518 6 0 0 1 1\n";
    let trace = read_as(text.as_bytes(), None);
    assert_eq!((trace.origin().format, trace.n_events(), rules(&trace)), ("visandor", 7, vec![("excerpt", Some(3))]));
    assert_eq!(trace.source_line(2), Some(6));
    assert_eq!(rules(&of_text("1\n...\n5 20 0 1 1 1\n6 21 0 0 1 1\n...\n")), [("excerpt", Some(2))]);
}

#[test]
fn a_branch_keeps_its_box_while_it_is_put_aside_and_ends_where_it_publishes() {
    let events = "20 A 1 1, 21 A 0 1, 24 A 0 1, 25 A 0 2, 20 B 1 2, 21 B 0 2, 33 B 0 3, 34 B 0 3, 22 B 0 2";
    let trace = of_text(&around(1, events));
    let numbers = |id| (0..trace.n_events()).map(|event| trace.value(event, id)).collect::<Vec<_>>();
    let ints = |numbers: &[i64]| numbers.iter().copied().map(Value::Int).collect::<Vec<_>>();
    assert_eq!(numbers(AttributeId::CALL), ints(&[1, 2, 3, 3, 3, 4, 5, 6, 6, 5, 1]));
    assert_eq!(numbers(AttributeId::DEPTH), ints(&[1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 1]));
    let parent =
        |number| trace.find_call(number).and_then(|call| trace.parent(call)).map(|call| trace.call_number(call));
    assert_eq!([2, 3, 4, 5, 6].map(parent), [None, Some(2), Some(3), Some(4), Some(5)]);
}

#[test]
fn other_traces_are_not_taken_for_this_format() {
    for name in ["queens.trace", "queens.jsonl", "qsort.trace"] {
        let text = std::fs::read(Path::new(DATA).join("..").join(name)).expect("the sample is there");
        assert_eq!(sniff(&text), 0, "{name}");
    }
    assert_eq!(sniff(&std::fs::read(Path::new(DATA).join("synth_or.ev")).expect("the sample is there")), 149);
}

#[test]
fn every_cut_and_every_changed_line_keeps_the_events_around_it() {
    let text = std::fs::read(Path::new(DATA).join("ciao_fib_2agents.ev")).expect("the sample is there");
    for end in 0..text.len() {
        let n_lines = text[..end].iter().filter(|byte| **byte == b'\n').count() as u32;
        let trace = read_as(&text[..end], Some("visandor"));
        assert!((n_lines.saturating_sub(1)..=n_lines).contains(&trace.n_events()), "cut at {end}");
        assert!(trace.findings().total() > 0, "cut at {end}");
    }
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    for index in 0..lines.len() {
        let mut changed = lines.clone();
        let flipped: Vec<u8> =
            lines[index].iter().map(|byte| if *byte == b'\n' { *byte } else { byte ^ 0x15 }).collect();
        changed[index] = &flipped;
        let trace = read_as(&changed.concat(), Some("visandor"));
        assert_eq!(trace.n_events(), if index == 0 { 80 } else { 79 }, "line {index}");
    }
}

#[test]
fn forks_in_forks_without_end_take_time_and_memory_that_grow_with_the_file() {
    let n = 20_000;
    let fork = |level: u32| format!("{level} 1 {level:x} 1 0 0\n{level} 2 {level:x} 0 0 0\n");
    let trace = of_text(&format!("0\n{}", (1..=n).map(fork).collect::<String>()));
    assert_eq!((trace.n_events(), trace.depth(2 * n - 1)), (2 * n, Some(i64::from(n) + 1)));
    assert_eq!(trace.goal_path(2 * 256 - 1).map(<[_]>::len), Some(256));
    assert_eq!(trace.goal_path(2 * 257 - 1), None);
}

#[test]
fn chunks_of_any_size_give_the_same_trace() {
    let overflow = std::fs::read(Path::new(DATA).join("bad/and_badcode.ev")).expect("the sample is there");
    let others = "\n\n0 > and\n0 5 0 0 0 0\n1 1 a 2 B 7\r\n\n2 2 0A 0 B 7 >first\r3 99 A 0 B 7\n4 x A 0 B 7\n5 2 A 1 C 7\n...\n6 3 A 1 C 7\n6 6 0 0 0 0";
    let faults = "4 5 6\n".repeat(40) + "0 5 0 0 0 0\n";
    for text in [&overflow[..], others.as_bytes(), faults.as_bytes(), b"", b"1"] {
        let whole = testing::shown(&in_chunks(&FORMAT, text, 1 << 20));
        for chunk_bytes in [1, 20, 100, 1000] {
            assert_eq!(testing::shown(&in_chunks(&FORMAT, text, chunk_bytes)), whole, "{chunk_bytes}");
        }
    }
}

#[test]
fn numbers_are_printed_back_as_they_were_written_and_one_number_is_one_node() {
    let trace = of_text("0\n0 5 0 0 0 0\n1 1 00af 2 0 0\n2 2 AF 0 0 0\n3 3 aF 0 00 0\n4 8 af 7 0 0\n9 6 0 0 0 0\n");
    for (event, numbers) in
        (0..).zip(["wam 0, node 0, ", "wam 0, node 00af, ", "wam 0, node AF, ", "wam 00, node aF, "])
    {
        assert!(shown(&trace, event).contains(numbers), "{event}: {}", shown(&trace, event));
    }
    assert_eq!([1, 2, 3].map(|event| shown(&trace, event).contains("inst 1, ")), [true; 3]);
    assert!(shown(&trace, 4).contains("args ['af', 7], "));
}

/// Every event with all of its attributes.
fn relation(trace: &Trace) -> Vec<String> {
    let sorted = |text: String| {
        let mut values: Vec<&str> = text.split(", ").collect();
        values.sort_unstable();
        values.join(", ")
    };
    (0..trace.n_events()).map(|event| sorted(shown(trace, event))).collect()
}

#[test]
fn objects_and_saved_traces_hold_the_same_relation() {
    for name in ["ciao_fib_2agents.ev", "synth_or.ev", "synth_andorra.ev", "bad/and_badcode.ev"] {
        let trace = data(name);
        for form in ["jsonl", "papaver"] {
            let mut bytes = Vec::new();
            target(form)
                .expect("a known target")
                .write(Arc::new(trace.clone()), &mut bytes)
                .expect("memory takes everything");
            let back = read_as(&bytes, None);
            for (back, event) in relation(&back).iter().zip(relation(&trace)) {
                assert_eq!(*back, event, "{name} through {form}");
            }
            assert_eq!(back.n_events(), trace.n_events(), "{name} through {form}");
            let parents = |trace: &Trace| trace.calls().map(|call| trace.parent(call)).collect::<Vec<_>>();
            assert_eq!(parents(&back), parents(&trace), "{name} through {form}");
        }
    }
}
