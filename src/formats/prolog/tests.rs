//! Tests of the reader on recorded traces, on those with one fault each, and on texts that show one point each.

use std::path::Path;

use super::*;
use crate::formats::testing::{self, in_chunks};
use crate::formats::{LoadOptions, load, load_bytes};
use crate::term::Atom;
use crate::term::ops::{OpKind, OpTable};
use crate::trace::{AttributeId, Trace, Value};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/prolog");

fn data(name: &str) -> Trace {
    load(&Path::new(DATA).join(name), &LoadOptions::default()).expect("the samples load")
}

fn of_text(text: &str) -> Trace {
    load_bytes(Path::new("test.txt"), text.as_bytes().to_vec(), &LoadOptions::default()).expect("the text loads")
}

fn integer(trace: &Trace, event: u32, name: &str) -> i64 {
    match trace.schema().find(name).map(|id| trace.value(event, id)) {
        Some(Value::Int(number)) => number,
        _ => 0,
    }
}

/// The events as `call parent depth port name/arity`.
fn events(trace: &Trace) -> Vec<String> {
    let event = |event| {
        let number = |name| integer(trace, event, name);
        let port = trace.port(event).map_or("", |port| port.as_str());
        let (call, parent, depth) = (number("call"), number("parent"), number("depth"));
        format!("{call} {parent} {depth} {port} {}/{}", name(trace, event), number("arity"))
    };
    (0..trace.n_events()).map(event).collect()
}

fn name(trace: &Trace, event: u32) -> String {
    trace.value(event, AttributeId::NAME).characters().unwrap_or_default().to_owned()
}

fn rules(trace: &Trace) -> Vec<(&'static str, Option<i64>)> {
    trace.findings().kept().iter().map(|finding| (finding.rule, finding.chrono)).collect()
}

/// The values of an attribute as text, `-` for none.
fn values(trace: &Trace, attribute: &str) -> Vec<String> {
    let id = trace.schema().find(attribute).unwrap_or_else(|| panic!("the trace has no {attribute}"));
    let shown = |value: Value<'_>| match value {
        Value::Absent => "-".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Args(list) => list.iter().collect::<Vec<_>>().join("; "),
        value => value.characters().unwrap_or("?").to_owned(),
    };
    (0..trace.n_events()).map(|event| shown(trace.value(event, id))).collect()
}

/// The machine printed the frame of each event beside the trace.
#[test]
fn the_boxes_are_the_frames_of_the_machine() {
    for (name, n_events) in [("swi_redo", 320), ("swi_errors", 130), ("swi_sets", 772)] {
        let trace = data(&format!("{name}.txt"));
        let truth = std::fs::read_to_string(Path::new(DATA).join(format!("{name}.truth"))).expect("it is there");
        let found: Vec<String> = (0..trace.n_events())
            .map(|event| {
                let number = |attribute| integer(&trace, event, attribute);
                let port = trace.port(event).map_or("", |port| port.as_str());
                format!(
                    "{port} {} {} {}/{}",
                    number("call"),
                    number("level"),
                    self::name(&trace, event),
                    number("arity")
                )
            })
            .collect();
        assert_eq!(found, truth.lines().collect::<Vec<_>>(), "{name}");
        assert_eq!((trace.n_events(), rules(&trace)), (n_events, Vec::new()), "{name}");
    }
}

#[test]
fn each_system_is_recognised_by_its_lines() {
    for (name, tracer, n_events, n_calls, n_guesses) in [
        ("form_quintus.txt", "Quintus Prolog", 4, 2, 0),
        ("form_sicstus.txt", "SICStus Prolog", 10, 4, 0),
        ("form_yap.txt", "YAP", 8, 3, 0),
        ("gnu_leashed_pair.txt", "GNU Prolog", 7, 4, 0),
        ("gnu_redo.txt", "GNU Prolog", 196, 76, 0),
        ("swi_leashed_pair.txt", "SWI-Prolog", 13, 6, 0),
        ("swi_limit_trip.txt", "SWI-Prolog", 21, 10, 0),
        ("swi_trace2_redo.txt", "SWI-Prolog trace/2", 95, 18, 8),
        ("swi_colours.txt", "SWI-Prolog", 15, 7, 0),
    ] {
        let trace = data(name);
        assert_eq!((trace.origin().format, trace.n_events(), trace.n_calls()), ("prolog", n_events, n_calls), "{name}");
        assert_eq!(trace.recording().fact("tracer"), Some(Value::Text(tracer)), "{name}");
        assert_eq!(rules(&trace).len(), n_guesses, "{name}: {:?}", rules(&trace));
    }
}

#[test]
fn lines_without_events_are_counted() {
    for (name, n_others) in
        [("form_sicstus.txt", 1), ("gnu_leashed_pair.txt", 11), ("gnu_redo.txt", 24), ("swi_trace2_redo.txt", 4)]
    {
        assert_eq!(data(name).recording().fact("other_lines"), Some(Value::Int(n_others)), "{name}");
    }
}

#[test]
fn each_bad_file_breaks_the_rule_of_its_name() {
    for entry in std::fs::read_dir(Path::new(DATA).join("bad")).expect("the samples are there") {
        let file = entry.expect("the folder can be read").file_name().into_string().expect("names are text");
        let trace = data(&format!("bad/{file}"));
        let (rule, _) = file.split_once('_').expect("the name begins with the rule");
        assert_eq!(rules(&trace).iter().filter(|(found, _)| *found == rule).count(), 1, "{file}: {:?}", rules(&trace));
        let n_events = std::fs::read_to_string(Path::new(DATA).join("bad").join(&file)).expect("it is there");
        let n_events = n_events.lines().count() - usize::from(rule == "T1");
        assert_eq!(trace.n_events() as usize, n_events, "{file}");
    }
}

#[test]
fn a_redo_opens_its_ancestors_again() {
    let trace = of_text(
        "   Call: (10) a\n   Call: (11) b(_1)\n   Call: (12) p(_1)\n   Exit: (12) p(1)\n   Exit: (11) b(1)\n   \
         Call: (11) c\n   Fail: (11) c\n   Redo: (12) p(_1)\n   Exit: (12) p(2)\n   Exit: (11) b(2)\n   Exit: (10) a\n",
    );
    let expected = [
        "1 0 1 call a/0",
        "2 1 2 call b/1",
        "3 2 3 call p/1",
        "3 2 3 exit p/1",
        "2 1 2 exit b/1",
        "4 1 2 call c/0",
        "4 1 2 fail c/0",
        "3 2 3 redo p/1",
        "3 2 3 exit p/1",
        "2 1 2 exit b/1",
        "1 0 1 exit a/0",
    ];
    assert_eq!(events(&trace), expected);
    assert_eq!(trace.findings().total(), 0);
}

#[test]
fn the_goal_of_a_redo_chooses_its_box() {
    let calls = |redo: &str| {
        let text = format!(
            "   Call: (10) p(_1, a)\n   Exit: (10) p(1, a)\n   Call: (10) p(_2, b)\n   Exit: (10) p(1, b)\n   \
             Call: (10) p(c, _3)\n   Exit: (10) p(c, 1)\n   Redo: (10) {redo}\n"
        );
        let trace = of_text(&text);
        let guesses = rules(&trace).iter().filter(|(rule, _)| *rule == "guess").count();
        (integer(&trace, 6, "call"), guesses)
    };
    assert_eq!(calls("p(_1, a)"), (1, 0));
    assert_eq!(calls("p(_9, b)"), (2, 1));
    assert_eq!(calls("p(f(_9), a)"), (1, 1));
    assert_eq!(calls("p(d, d)"), (3, 1));
}

/// Many boxes of one procedure: looked up, they are those that are found one by one.
#[test]
fn many_boxes_are_chosen_from_as_few_are() {
    let goals = ["p(_V, 1)", "p(_V, 2)", "p(_V, _W)", "p(f(_V), 1)", "p(a, 1)", "p([a|_V], 2)", "p(_V, _V)"];
    let redos = ["p(_V, 1)", "p(_X, 2)", "p(_Y, _Z)", "p(f(b), 1)", "p([a, b], 2)", "p(c, c)", "p(a, 1)", "p(_Q, _Q)"];
    for redo in redos {
        for skip in 0..goals.len() {
            let few: Vec<&str> = goals.iter().copied().cycle().skip(skip).take(goals.len()).collect();
            let boxes = |goals: &[&str], offset: usize| -> String {
                let lines = goals.iter().enumerate().map(|(at, goal)| {
                    let goal =
                        goal.replace("_V", &format!("_V{}", offset + at)).replace("_W", &format!("_W{}", offset + at));
                    format!("   Call: (10) {goal}\n   Exit: (10) {goal}\n")
                });
                lines.collect()
            };
            let filler = "   Call: (10) p(z, z)\n   Exit: (10) p(z, z)\n".repeat(20);
            let call = |before: &str, n_before: i64| {
                let trace = of_text(&format!("{before}{}   Redo: (10) {redo}\n", boxes(&few, 0)));
                let guess = rules(&trace).iter().any(|(rule, _)| *rule == "guess");
                (integer(&trace, trace.n_events() - 1, "call") - n_before, guess)
            };
            assert_eq!(call(&filler, 20), call("", 0), "{redo} in {few:?}");
        }
    }
}

#[test]
fn a_group_that_is_redone_again_and_again_keeps_its_index_true() {
    let mut text = String::new();
    for number in 0..40 {
        text.push_str(&format!("   Call: (10) p(_{number}, k)\n   Exit: (10) p({number}, k)\n"));
    }
    for number in [39, 39, 35, 35, 10, 3, 3] {
        text.push_str(&format!("   Redo: (10) p(_{number}, k)\n   Exit: (10) p(x, k)\n"));
    }
    let trace = of_text(&text);
    let redone: Vec<i64> = (80..trace.n_events()).step_by(2).map(|event| integer(&trace, event, "call") - 1).collect();
    assert_eq!(redone, [39, 39, 35, 35, 10, 3, 3]);
    assert_eq!(rules(&trace), []);
}

#[test]
fn numbers_that_come_again_are_new_boxes() {
    let trace = data("gnu_redo.txt");
    let calls: Vec<String> = events(&trace).into_iter().filter(|event| event.contains("call")).collect();
    assert_eq!(calls.len(), 76);
    assert_eq!(calls[8], "9 2 3 call =:=/2");
    assert_eq!(integer(&trace, 11, "inv"), 5);
    assert_eq!(integer(&trace, 11, "call"), 6);
}

#[test]
fn an_event_that_a_command_prints_again_is_one_event() {
    let trace = data("swi_leashed_pair.txt");
    assert_eq!(events(&trace)[7..9], ["3 1 2 redo p/1", "3 1 2 exit p/1"]);
    assert_eq!((trace.source_line(7), trace.source_line(8)), (Some(12), Some(16)));
}

#[test]
fn threads_have_boxes_of_their_own() {
    let text = " T [1] Call: a\n[Thread 2]  T [2] Call: b\n T [2] Call: c\n \
                T [2 +0.5ms] Exit: c\n[Thread 2]  T [2] Exit: b\n T [1] Exit: a\n";
    let trace = of_text(text);
    let expected =
        ["1 0 1 call a/0", "2 0 1 call b/0", "3 1 2 call c/0", "3 1 2 exit c/0", "2 0 1 exit b/0", "1 0 1 exit a/0"];
    assert_eq!(events(&trace), expected);
    assert_eq!(values(&trace, "thread"), ["-", "2", "-", "-", "2", "-"]);
    assert_eq!(values(&trace, "ms"), ["-", "-", "-", "0.5", "-", "-"]);
}

#[test]
fn signs_context_and_arguments_are_attributes() {
    let trace = of_text("^* Call: (1,010) [user] 'my mod':p(a, [1|...])\n   Exit: (1,010) 'my mod':p(a, [1|...])\n");
    assert_eq!(values(&trace, "level"), ["1010", "1010"]);
    assert_eq!(values(&trace, "spied")[1], "-");
    assert_eq!(values(&trace, "flags"), ["^", "-"]);
    assert_eq!(values(&trace, "context"), ["user", "-"]);
    assert_eq!(values(&trace, "decl_module"), ["my mod", "my mod"]);
    assert_eq!(values(&trace, "args"), ["a; [1|...]", "a; [1|...]"]);
    let trace = of_text("      1    1  Call: X is 1+2\n      1    1  Exit: 3 is 1+2\n");
    assert_eq!((name(&trace, 0).as_str(), &*values(&trace, "args")[1]), ("is", "3; 1+2"));
}

#[test]
fn a_goal_goes_on_until_its_brackets_and_quotes_are_closed() {
    let trace = of_text("   Call: (10) p('a (\n\n] b', _1)\nother\n   Exit: (10) p('a (\n\n] b', 1)\n");
    assert_eq!(values(&trace, "args"), ["'a (\n\n] b'; _1", "'a (\n\n] b'; 1"]);
    assert_eq!(trace.recording().fact("other_lines"), Some(Value::Int(1)));
    assert_eq!(rules(&trace), []);
}

#[test]
fn a_trace_cut_anywhere_keeps_what_was_before() {
    for name in ["swi_leashed_pair.txt", "gnu_leashed_pair.txt", "form_yap.txt", "swi_limit_trip.txt"] {
        let text = std::fs::read(Path::new(DATA).join(name)).expect("it is there");
        let whole = events(&data(name));
        for end in 0..text.len() {
            let options = LoadOptions { from: Some("prolog"), ..LoadOptions::default() };
            let trace = load_bytes(Path::new("cut"), text[..end].to_vec(), &options).expect("it loads");
            let found = events(&trace);
            let n_whole = found.len().saturating_sub(1);
            assert_eq!(found[..n_whole], whole[..n_whole], "{name} up to {end}");
        }
    }
}

#[test]
fn chunks_of_any_size_give_the_same_trace() {
    for name in ["swi_sets.txt", "gnu_leashed_pair.txt", "swi_colours.txt", "swi_trace2_redo.txt"] {
        let text = std::fs::read(Path::new(DATA).join(name)).expect("it is there");
        let whole = testing::shown(&in_chunks(&FORMAT, &text, 1 << 20));
        for chunk_bytes in [1, 30, 100, 1000] {
            assert_eq!(testing::shown(&in_chunks(&FORMAT, &text, chunk_bytes)), whole, "{name} {chunk_bytes}");
        }
    }
}

/// Traces that would take hours if each event searched the boxes before it.
#[test]
fn no_trace_makes_the_search_for_boxes_slow() {
    const N: usize = 20_000;
    let exited: String = (0..N).map(|n| format!("   Call: (9) p(_{n}, {n})\n   Exit: (9) p({n}, {n})\n")).collect();
    let newest: String = (0..N).map(|n| format!("   Redo: (9) p(a{n}, b)\n   Exit: (9) p(a{n}, b)\n")).collect();
    let deep: String = (0..N).map(|n| format!("   Call: ({n}) p(_{n})\n")).collect();
    let cut: String = (0..N).rev().map(|n| format!("   Exit: ({n}) p(_{n})\n")).collect();
    let numbers: String = (0..N).map(|n| format!("   {:4} {:4}  Exit: p({n})\n", N - n, 1)).collect();
    for text in [exited.clone() + &newest, deep + &cut, numbers] {
        let start = std::time::Instant::now();
        assert!(of_text(&text).n_events() as usize >= N);
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    }
}

#[test]
fn calls_that_a_cut_or_an_exception_ended_are_not_open() {
    let trace = of_text("   Call: (10) a\n   Call: (11) b\n   Exit: (10) a\n   Call: (10) c\n");
    assert_eq!(trace.open_calls().map(|call| trace.call_number(call)).collect::<Vec<_>>(), [3]);
}

#[test]
fn operators_of_constraints_and_of_scripts_are_terms_in_arguments() {
    let text =
        "   Call: (10) post(_12#=3, [_12])\n   Exit: (10) post(3#=3, [3])\n   Call: (10) told(mary likes wine)\n";
    let trace = of_text(text);
    assert_eq!(values(&trace, "args"), ["#=(_12,3); [_12]", "#=(3,3); [3]", "mary likes wine"]);
    let mut operators = OpTable::standard();
    operators.add(650, OpKind::Xfx, Atom::new("likes"));
    let options = LoadOptions { operators: Some(&operators), ..LoadOptions::default() };
    let trace = load_bytes(Path::new("test.txt"), text.as_bytes().to_vec(), &options).expect("the text loads");
    assert_eq!(values(&trace, "args")[2], "likes(mary,wine)");
    assert!(rules(&trace).is_empty());
}
