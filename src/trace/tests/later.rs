//! Columns that are told when they are first asked for: the trace is the one whose events were told all at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::super::{
    AttributeId, AttributeType, EventId, Field, ListField, Pattern, ProcRow, Trace, TraceBuilder, Value, count,
    next_match,
};
use super::saved::reopened;
use super::{FormOp, atom, builder, pattern, queens};
use crate::term::Atom;

/// What is told of an event of the sample twice: with the event, and later.
const COLUMNS: [AttributeId; 5] =
    [AttributeId::CALL, AttributeId::DEPTH, AttributeId::LINE_NUMBER, AttributeId::GOAL_PATH, AttributeId::ARGS];

fn int(trace: &Trace, event: EventId, id: AttributeId) -> Option<i64> {
    match trace.value(event, id) {
        Value::Int(number) => Some(number),
        _ => None,
    }
}

/// Keys and lines of the events of the sample.
fn append_events(builder: &mut TraceBuilder, whole: &Trace) {
    let event = |event| {
        let proc = whole.proc_of(event).map(|id| *whole.proc(id)).unwrap_or_default();
        let (name, module) = (proc.name.map(|name| name.to_string()), proc.decl_module.map(|name| name.to_string()));
        let row = ProcRow {
            name: name.as_deref(),
            decl_module: module.as_deref(),
            def_module: module.as_deref(),
            arity: proc.arity,
            mode_number: proc.mode_number,
            ..ProcRow::default()
        };
        builder.key(&row, whole.port(event).as_ref().map(|port| port.as_str()), None)
    };
    let keys: Vec<_> = (0..whole.n_events()).map(event).collect();
    let (first, others) = keys.split_at(100);
    builder.append_keys(first, 1);
    builder.append_keys(others, 101);
}

/// The sample, with columns that are told later, two attributes more, and how often a column was told.
fn told_later() -> (Trace, Trace, Arc<AtomicUsize>) {
    let whole = Arc::new(queens());
    let n_told = Arc::new(AtomicUsize::new(0));
    let mut builder = builder();
    append_events(&mut builder, &whole);
    let rank = builder.attribute("rank").expect("there is room");
    let ranks: Vec<i64> = (0..i64::from(whole.n_events())).collect();
    builder.append_ints(rank, 0, &ranks);
    for id in [AttributeId::DEPTH, AttributeId::LINE_NUMBER] {
        let (whole, n_told) = (Arc::clone(&whole), Arc::clone(&n_told));
        builder.ints_later(id, move |told, column| {
            n_told.fetch_add(1, Relaxed);
            told.events().filter_map(|event| Some((event, int(&whole, event, id)?))).for_each(|(event, value)| {
                column.set(event, value);
            });
        });
    }
    let twice = builder.attribute("twice").expect("there is room");
    builder.ints_later(twice, move |told, column| {
        told.events().skip(1).for_each(|event| column.set(event, -2 * told.int(rank, event).unwrap_or(0)));
    });
    let parity = builder.attribute("parity").expect("there is room");
    builder.values_later(parity, |told, column| {
        let odd = column.value(Field::Atom("odd"));
        told.events().for_each(|event| match event % 4 {
            1 => column.set(event, Field::Known(odd)),
            3 => column.set(event, Field::Atom("odd")),
            _ => column.set(event, Field::Text("even")),
        });
    });
    tell_lists(&mut builder, &whole, &n_told);
    let whole = Arc::unwrap_or_clone(whole);
    (builder.finish(), whole, n_told)
}

fn tell_lists(builder: &mut TraceBuilder, told_before: &Arc<Trace>, n_told: &Arc<AtomicUsize>) {
    let (whole, n) = (Arc::clone(told_before), Arc::clone(n_told));
    builder.args_later(move |told, column| {
        n.fetch_add(1, Relaxed);
        for event in told.events() {
            let Value::Args(args) = whole.value(event, AttributeId::ARGS) else { continue };
            let text = args.whole();
            let known = column.list(&text);
            column.set(event, if event % 2 == 0 { ListField::Known(known) } else { ListField::Text(&text) });
        }
    });
    let (whole, n) = (Arc::clone(told_before), Arc::clone(n_told));
    builder.paths_later(move |told, column| {
        n.fetch_add(1, Relaxed);
        for event in told.events() {
            let Some(steps) = whole.goal_path(event) else { continue };
            let steps: Vec<&str> = steps.iter().map(|step| step.as_str()).collect();
            let path = column.path(&steps);
            column.set(event, path);
        }
    });
    let (whole, n) = (Arc::clone(told_before), Arc::clone(n_told));
    builder.calls_later(told_before.n_calls(), move |told, column| {
        n.fetch_add(1, Relaxed);
        told.events()
            .filter_map(|event| Some((event, int(&whole, event, AttributeId::CALL)?)))
            .for_each(|(event, call)| column.set(event, call));
    });
}

fn assert_same(told: &Trace, whole: &Trace) {
    for event in 0..whole.n_events() {
        for id in COLUMNS {
            assert_eq!(told.value(event, id), whole.value(event, id), "{id:?} of event {event}");
        }
        assert_eq!((told.port(event), told.chrono(event)), (whole.port(event), whole.chrono(event)));
        assert_eq!(told.source_line(event), whole.source_line(event));
    }
    for call in whole.calls() {
        assert_eq!(told.call_number(call), whole.call_number(call));
        assert_eq!(told.call_events(call), whole.call_events(call));
        assert_eq!((told.call_first(call), told.call_last(call)), (whole.call_first(call), whole.call_last(call)));
        assert_eq!(told.parent(call), whole.parent(call));
        assert!(told.children(call).eq(whole.children(call)));
    }
}

#[test]
fn columns_that_are_told_later_hold_what_was_told() {
    let (told, whole, _) = told_later();
    let twin = told.clone();
    assert_eq!((told.n_events(), told.n_calls()), (whole.n_events(), whole.n_calls()));
    assert_same(&told, &whole);
    assert_same(&twin, &whole);
    let twice = told.schema().find("twice").expect("some event has it");
    let parity = told.schema().find("parity").expect("some event has it");
    assert_eq!([0, 1, 9].map(|event| told.value(event, twice)), [Value::Absent, Value::Int(-2), Value::Int(-18)]);
    let values = [1, 2, 3].map(|event| told.value(event, parity));
    assert_eq!(values, [Value::Atom(Atom::new("odd")), Value::Text("even"), Value::Atom(Atom::new("odd"))]);
    assert_eq!(told.schema().get(twice).kind, AttributeType::Integer);
}

#[test]
fn each_is_told_once_and_only_when_it_is_asked_for() {
    let (told, _, n_told) = told_later();
    let bytes = told.bytes();
    assert!(COLUMNS.iter().all(|id| told.schema().has(*id)));
    assert_eq!((told.n_calls() > 100, n_told.load(Relaxed)), (true, 0));
    for n_columns in 1..=2 {
        let before = n_told.load(Relaxed);
        (0..told.n_events()).for_each(|event| assert!(told.value(event, AttributeId::DEPTH) != Value::Absent));
        assert_eq!(n_told.load(Relaxed) - before, 2 - n_columns);
    }
    let all: Vec<_> =
        told.calls().map(|call| (told.call_number(call), told.call_first(call), told.parent(call))).collect();
    assert_eq!((all.len(), n_told.load(Relaxed)), (told.n_calls(), 2));
    assert!(told.bytes() > bytes);
}

#[test]
fn a_search_finds_in_them_what_it_finds_in_the_others() {
    let forms: [(AttributeId, &[FormOp]); 4] = [
        (AttributeId::DEPTH, &[FormOp::range(Some(3), Some(7))]),
        (AttributeId::CALL, &[FormOp::int(5)]),
        (AttributeId::ARGS, &[FormOp::Any]),
        (AttributeId::PORT, &[atom("exit")]),
    ];
    for form in &forms {
        let (told, whole, _) = told_later();
        let (in_told, in_whole): (Pattern, Pattern) = (pattern(&told, &[*form]), pattern(&whole, &[*form]));
        assert_eq!(next_match(&told, 99, &in_told), next_match(&whole, 99, &in_whole));
        assert_eq!(count(&told, &in_told), count(&whole, &in_whole));
    }
}

#[test]
fn a_saved_trace_has_them() {
    let (told, whole, _) = told_later();
    let back = reopened(&told);
    assert_same(&back, &whole);
    let parity = back.schema().find("parity").expect("some event has it");
    assert_eq!(back.value(3, parity), Value::Atom(Atom::new("odd")));
}

#[test]
fn a_term_that_is_told_later_is_a_value_and_the_only_argument() {
    let mut builder = builder();
    let keys: Vec<_> = (0..3).map(|_| builder.key(&ProcRow::default(), Some("call"), None)).collect();
    builder.append_keys(&keys, 1);
    let msg = builder.attribute("msg").expect("there is room");
    builder.terms_later(msg, |told, terms| {
        for event in told.events().filter(|event| *event != 1) {
            let term = terms.term("{a,b}");
            terms.set(event, term);
        }
    });
    builder.source_lines_later(|told, lines| told.events().for_each(|event| lines.set(event, u64::from(9 - event))));
    builder.paths_later(|told, paths| {
        let mut path = None;
        for event in told.events() {
            let longer = paths.path_behind(path, "s", 2);
            paths.set(event, longer);
            path = Some(longer);
        }
    });
    let trace = builder.finish();
    for trace in [&trace, &reopened(&trace)] {
        assert_eq!(trace.value(0, msg), Value::Term("{a,b}"));
        assert_eq!((trace.value(1, msg), trace.value(1, AttributeId::ARGS)), (Value::Absent, Value::Absent));
        assert_eq!(trace.args_code(2).map(|code| trace.args_text(code).whole().into_owned()), Some("{a,b}".to_owned()));
        assert_eq!((0..3).map(|event| trace.source_line(event)).collect::<Vec<_>>(), [Some(9), Some(8), Some(7)]);
        let path = trace.goal_path(2).map(|path| path.iter().map(|step| step.to_string()).collect::<Vec<_>>());
        assert_eq!(path, Some(["...", "s", "s"].map(str::to_owned).to_vec()));
    }
}
