//! Lazy columns: the trace equals the one whose events were pushed with all their values.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::super::search::find::next_match;
use super::super::{
    AttributeId, AttributeType, EventId, Field, ListField, Pattern, ProcRow, Trace, TraceBuilder, Value, count,
};
use super::saved::reopened;
use super::{FormOp, args_code, atom, between, builder, pattern, queens};
use crate::term::Atom;
use crate::trace::EventTable;

/// The columns of the sample that are lazy in one trace and not in the other.
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

/// The sample with lazy columns and two more attributes, the sample itself, and how often a column was filled.
fn lazy_and_whole() -> (Trace, Trace, Arc<AtomicUsize>) {
    let whole = Arc::new(queens());
    let n_filled = Arc::new(AtomicUsize::new(0));
    let mut builder = builder();
    append_events(&mut builder, &whole);
    let rank = builder.attribute("rank").expect("there is room");
    let mut ranks = EventTable::default();
    for event in 0..whole.n_events() {
        ranks.set(rank, event, Field::Int(i64::from(event)));
        ranks.end_row();
    }
    builder.append_table(0, &ranks, 0..whole.n_events());
    for id in [AttributeId::DEPTH, AttributeId::LINE_NUMBER] {
        let (whole, n_filled) = (Arc::clone(&whole), Arc::clone(&n_filled));
        builder.lazy_ints(id, move |known, column| {
            n_filled.fetch_add(1, Relaxed);
            known.events().filter_map(|event| Some((event, int(&whole, event, id)?))).for_each(|(event, value)| {
                column.set(event, value);
            });
        });
    }
    let twice = builder.attribute("twice").expect("there is room");
    builder.lazy_ints(twice, move |known, column| {
        known.events().skip(1).for_each(|event| column.set(event, -2 * known.int(rank, event).unwrap_or(0)));
    });
    let parity = builder.attribute("parity").expect("there is room");
    builder.lazy_values(parity, |known, column| {
        let odd = column.value(Field::Atom("odd"));
        known.events().for_each(|event| match event % 4 {
            1 => column.set(event, Field::Known(odd)),
            3 => column.set(event, Field::Atom("odd")),
            _ => column.set(event, Field::Text("even")),
        });
    });
    add_lists(&mut builder, &whole, &n_filled);
    let whole = Arc::unwrap_or_clone(whole);
    (builder.finish(), whole, n_filled)
}

fn add_lists(builder: &mut TraceBuilder, sample: &Arc<Trace>, n_filled: &Arc<AtomicUsize>) {
    let (whole, n) = (Arc::clone(sample), Arc::clone(n_filled));
    builder.lazy_args(move |known, column| {
        n.fetch_add(1, Relaxed);
        for event in known.events() {
            let Value::Args(args) = whole.value(event, AttributeId::ARGS) else { continue };
            let text = args.whole();
            let known = column.new_list(&text);
            column.set(event, if event % 2 == 0 { ListField::Known(known) } else { ListField::Text(&text) });
        }
    });
    let (whole, n) = (Arc::clone(sample), Arc::clone(n_filled));
    builder.lazy_paths(move |known, column| {
        n.fetch_add(1, Relaxed);
        for event in known.events() {
            let Some(steps) = whole.goal_path(event) else { continue };
            let steps: Vec<&str> = steps.iter().map(|step| step.as_str()).collect();
            let path = column.path(&steps);
            column.set(event, path);
        }
    });
    let (whole, n) = (Arc::clone(sample), Arc::clone(n_filled));
    builder.lazy_calls(sample.n_calls(), move |known, column| {
        n.fetch_add(1, Relaxed);
        known
            .events()
            .filter_map(|event| Some((event, int(&whole, event, AttributeId::CALL)?)))
            .for_each(|(event, call)| column.set(event, call));
    });
}

fn assert_same(lazy: &Trace, whole: &Trace) {
    for event in 0..whole.n_events() {
        for id in COLUMNS {
            assert_eq!(lazy.value(event, id), whole.value(event, id), "{id:?} of event {event}");
        }
        assert_eq!((lazy.port(event), lazy.chrono(event)), (whole.port(event), whole.chrono(event)));
        assert_eq!(lazy.source_line(event), whole.source_line(event));
    }
    for call in whole.calls() {
        assert_eq!(lazy.call_number(call), whole.call_number(call));
        assert_eq!(lazy.call_events(call), whole.call_events(call));
        assert_eq!((lazy.call_first(call), lazy.call_last(call)), (whole.call_first(call), whole.call_last(call)));
        assert_eq!(lazy.parent(call), whole.parent(call));
        assert!(lazy.children(call).eq(whole.children(call)));
    }
}

#[test]
fn lazy_columns_hold_the_same_values() {
    let (lazy, whole, _) = lazy_and_whole();
    let twin = lazy.clone();
    assert_eq!((lazy.n_events(), lazy.n_calls()), (whole.n_events(), whole.n_calls()));
    assert_same(&lazy, &whole);
    assert_same(&twin, &whole);
    let twice = lazy.schema().find("twice").expect("some event has it");
    let parity = lazy.schema().find("parity").expect("some event has it");
    assert_eq!([0, 1, 9].map(|event| lazy.value(event, twice)), [Value::Absent, Value::Int(-2), Value::Int(-18)]);
    let values = [1, 2, 3].map(|event| lazy.value(event, parity));
    assert_eq!(values, [Value::Atom(Atom::new("odd")), Value::Text("even"), Value::Atom(Atom::new("odd"))]);
    assert_eq!(lazy.schema().get(twice).kind, AttributeType::Integer);
}

#[test]
fn each_column_is_filled_once_at_first_use() {
    let (lazy, _, n_filled) = lazy_and_whole();
    let bytes = lazy.bytes();
    assert!(COLUMNS.iter().all(|id| lazy.schema().has(*id)));
    assert_eq!((lazy.n_calls() > 100, n_filled.load(Relaxed)), (true, 0));
    for n_columns in 1..=2 {
        let before = n_filled.load(Relaxed);
        (0..lazy.n_events()).for_each(|event| assert!(lazy.value(event, AttributeId::DEPTH) != Value::Absent));
        assert_eq!(n_filled.load(Relaxed) - before, 2 - n_columns);
    }
    let all: Vec<_> =
        lazy.calls().map(|call| (lazy.call_number(call), lazy.call_first(call), lazy.parent(call))).collect();
    assert_eq!((all.len(), n_filled.load(Relaxed)), (lazy.n_calls(), 2));
    assert!(lazy.bytes() > bytes);
}

#[test]
fn a_search_finds_the_same_in_lazy_columns() {
    let forms: [(AttributeId, &[FormOp]); 4] = [
        (AttributeId::DEPTH, &[between(Some(3), Some(7))]),
        (AttributeId::CALL, &[FormOp::int(5)]),
        (AttributeId::ARGS, &[FormOp::Any]),
        (AttributeId::PORT, &[atom("exit")]),
    ];
    for form in &forms {
        let (lazy, whole, _) = lazy_and_whole();
        let (in_lazy, in_whole): (Pattern, Pattern) = (pattern(&lazy, &[*form]), pattern(&whole, &[*form]));
        assert_eq!(next_match(&lazy, 99, &in_lazy), next_match(&whole, 99, &in_whole));
        assert_eq!(count(&lazy, &in_lazy), count(&whole, &in_whole));
    }
}

#[test]
fn lazy_columns_are_saved() {
    let (lazy, whole, _) = lazy_and_whole();
    let back = reopened(&lazy);
    assert_same(&back, &whole);
    let parity = back.schema().find("parity").expect("some event has it");
    assert_eq!(back.value(3, parity), Value::Atom(Atom::new("odd")));
}

#[test]
fn a_lazy_term_is_a_value_and_the_only_argument() {
    let mut builder = builder();
    let keys: Vec<_> = (0..3).map(|_| builder.key(&ProcRow::default(), Some("call"), None)).collect();
    builder.append_keys(&keys, 1);
    let msg = builder.attribute("msg").expect("there is room");
    builder.lazy_terms(msg, |known, terms| {
        for event in known.events().filter(|event| *event != 1) {
            let term = terms.term("{a,b}");
            terms.set(event, term);
        }
    });
    builder.lazy_source_lines(|known, lines| known.events().for_each(|event| lines.set(event, u64::from(9 - event))));
    builder.lazy_paths(|known, paths| {
        let mut path = None;
        for event in known.events() {
            let longer = paths.extend_path(path, "s", 2);
            paths.set(event, longer);
            path = Some(longer);
        }
    });
    let trace = builder.finish();
    for trace in [&trace, &reopened(&trace)] {
        assert_eq!(trace.value(0, msg), Value::Term("{a,b}"));
        assert_eq!((trace.value(1, msg), trace.value(1, AttributeId::ARGS)), (Value::Absent, Value::Absent));
        assert_eq!(
            args_code(trace, 2).map(|code| trace.args_text(code).whole().into_owned()),
            Some("{a,b}".to_owned())
        );
        assert_eq!((0..3).map(|event| trace.source_line(event)).collect::<Vec<_>>(), [Some(9), Some(8), Some(7)]);
        let path = trace.goal_path(2).map(|path| path.iter().map(|step| step.to_string()).collect::<Vec<_>>());
        assert_eq!(path, Some(["...", "s", "s"].map(str::to_owned).to_vec()));
    }
}
