//! Building traces whose events lack values or are out of order.

use super::super::{
    ArgTexts, AttributeId, AttributeType, Bound, EventRow, EventTable, Field, Findings, FormOp, ListField, PortRole,
    ProcRow, Trace, Value, box_findings, count,
};
use crate::term::Atom;

use super::{atom, between, builder, path, pattern};

fn numbered(chronos: &[Option<i64>]) -> Trace {
    let mut builder = builder();
    for (chrono, source_line) in chronos.iter().zip(1..) {
        builder.push(&EventRow { chrono: *chrono, port: Some("call"), source_line, ..EventRow::default() });
    }
    builder.finish()
}

fn chronos(trace: &Trace) -> Vec<i64> {
    (0..trace.n_events()).map(|event| trace.chrono(event)).collect()
}

#[test]
fn printed_numbers_are_kept_where_they_increase() {
    let trace = numbered(&[Some(3), Some(4), Some(9), Some(70_000)]);
    assert_eq!(chronos(&trace), [3, 4, 9, 70_000]);
    assert_eq!(trace.find_chrono(9), Some(2));
    assert_eq!(trace.find_chrono(5), None);
    assert_eq!(trace.findings().total(), 0);
    let middle = pattern(&trace, &[(AttributeId::CHRONO, &[between(Some(4), Some(100))])]);
    assert_eq!(count(&trace, &middle), 2);
}

#[test]
fn a_repeated_number_gives_ranks_and_a_finding_with_both_lines() {
    let trace = numbered(&[Some(3), Some(4), Some(4), Some(5)]);
    assert_eq!(chronos(&trace), [1, 2, 3, 4]);
    let findings = trace.findings().kept();
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].line, findings[0].chrono), (Some(3), Some(3)));
    assert_eq!(findings[0].message, "number 4 twice, also on the event before (line 2): events are numbered by rank");
}

#[test]
fn events_are_numbered_by_rank_if_a_number_is_missing() {
    assert_eq!(chronos(&numbered(&[None, None])), [1, 2]);
    assert_eq!(numbered(&[None, None]).findings().total(), 0);
    for mixed in [[Some(5), None, Some(6)], [None, Some(5), Some(6)]] {
        let trace = numbered(&mixed);
        assert_eq!(chronos(&trace), [1, 2, 3]);
        assert_eq!(trace.findings().total(), 1);
    }
}

#[test]
fn the_first_findings_are_kept_and_all_are_counted() {
    let mut builder = builder();
    for line in 1..=20_000 {
        builder.finding("L1", None, Some(line), "no event");
    }
    let trace = builder.finish();
    assert_eq!(trace.findings().total(), 20_000);
    assert_eq!(trace.findings().kept().len(), Findings::LIMIT);
}

#[test]
fn a_trace_without_events_lacks_no_attribute() {
    let trace = builder().finish();
    assert_eq!(trace.n_events(), 0);
    assert_eq!(trace.schema().iter().count(), 0);
    assert_eq!(count(&trace, &pattern(&trace, &[(AttributeId::PORT, &[atom("exception")])])), 0);
    assert!(trace.schema().resolve("nonsense").is_err());
}

#[test]
fn rows_of_tables_become_events_in_any_choice() {
    let mut builder = builder();
    let ids = ["some", "late", "mixed"].map(|name| builder.attribute(name).expect("there are few attributes"));
    let mut expected = Vec::new();
    for part in 0..3_u32 {
        let mut table = EventTable::default();
        let some = |row: u32| if row % 2 == part % 2 { Value::Int((part * 10 + row).into()) } else { Value::Absent };
        let late = |row: u32| if row > 7 { Value::Text(["x", "y", "x"][part as usize]) } else { Value::Absent };
        let mixed = |row: u32| if part == 1 { Value::Bool(row > 4) } else { Value::Int(row.into()) };
        for row in 0..10 {
            for (id, value) in ids.into_iter().zip([some(row), late(row), mixed(row)]) {
                match value {
                    Value::Int(value) => table.set(id, row, Field::Int(value)),
                    Value::Text(text) => table.set(id, row, Field::Text(text)),
                    Value::Bool(value) => table.set(id, row, Field::Bool(value)),
                    _ => {}
                }
            }
            table.end_row();
        }
        let (first, rows) = (builder.n_events(), [3, 3, 9, 0, 8, 2]);
        for row in rows {
            builder.push(&EventRow { port: Some("call"), ..EventRow::default() });
            expected.push([some(row), late(row), mixed(row)]);
        }
        builder.append_table(first, &table, rows.into_iter());
    }
    let trace = builder.finish();
    let found: Vec<_> = (0..trace.n_events()).map(|event| ids.map(|id| trace.value(event, id))).collect();
    assert_eq!(found, expected);
}

#[test]
fn an_unclosed_call_is_open_and_orphans_have_no_parent() {
    let mut builder = builder();
    let rows = [(1, 1, "call"), (2, 2, "call"), (2, 2, "exit"), (3, 3, "call"), (4, 9, "call"), (4, 9, "exit")];
    for (call, depth, port) in rows {
        builder.push(&EventRow { call: Some(call), depth: Some(depth), port: Some(port), ..EventRow::default() });
    }
    let trace = builder.finish();
    let call = |number| trace.find_call(number).expect("the call is there");
    assert_eq!(trace.parent(call(2)), Some(call(1)));
    assert_eq!(trace.parent(call(3)), None, "call 2 was left before");
    assert_eq!(trace.parent(call(4)), None);
    assert_eq!(trace.open_calls().map(|call| trace.call_number(call)).collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn a_reopened_box_encloses_the_calls_that_follow() {
    let mut builder = builder();
    for (call, depth, port) in [(1, 1, "call"), (1, 1, "exit"), (1, 1, "redo"), (2, 2, "call"), (2, 2, "fail")] {
        builder.push(&EventRow { call: Some(call), depth: Some(depth), port: Some(port), ..EventRow::default() });
    }
    let trace = builder.finish();
    assert_eq!(trace.parent(trace.find_call(2).expect("it is there")), trace.find_call(1));
    assert_eq!(trace.port_role(2), PortRole::Reopens);
}

#[test]
fn call_numbers_may_come_in_any_order() {
    let mut builder = builder();
    for call in [50, 7, 50, -3, 7, i64::MAX, i64::MIN + 1] {
        builder.push(&EventRow { call: Some(call), ..EventRow::default() });
    }
    let trace = builder.finish();
    assert_eq!(trace.n_calls(), 5);
    for number in [50, 7, -3, i64::MAX, i64::MIN + 1] {
        assert_eq!(trace.find_call(number).map(|call| trace.call_number(call)), Some(number));
    }
    let low = pattern(&trace, &[(AttributeId::CALL, &[between(None, Some(10))])]);
    assert_eq!(count(&trace, &low), 4);
}

#[test]
fn unknown_attributes_have_the_type_of_their_values() {
    let mut builder = builder();
    let time = builder.attribute("time").expect("there is room");
    let node = builder.attribute("node").expect("there is room");
    assert_eq!(builder.attribute("ln"), Some(AttributeId::LINE_NUMBER));
    let fields = [
        [(time, Field::Int(-5)), (node, Field::Int(7))],
        [(time, Field::Int(1 << 40)), (node, Field::Atom("a1"))],
        [(time, Field::Int(3)), (node, Field::Float(2.5))],
    ];
    for extra in &fields {
        builder.push(&EventRow { extra, ..EventRow::default() });
    }
    builder.push(&EventRow::default());
    let trace = builder.finish();
    assert_eq!(trace.schema().get(time).kind, AttributeType::Integer);
    assert_eq!(trace.schema().get(node).kind, AttributeType::Any);
    let values = |id| (0..4).map(|event| trace.value(event, id)).collect::<Vec<_>>();
    assert_eq!(values(time), [Value::Int(-5), Value::Int(1 << 40), Value::Int(3), Value::Absent]);
    assert_eq!(values(node)[1..], [Value::Atom(crate::term::Atom::new("a1")), Value::Float(2.5), Value::Absent]);
    let n = |id, form: &[FormOp]| count(&trace, &pattern(&trace, &[(id, form)]));
    assert_eq!(n(time, &[between(Some(0), None), FormOp::Not]), 1, "an absent value is not in the complement");
    assert_eq!(n(node, &[between(Some(1), Some(9))]), 2);
    assert_eq!(n(node, &[FormOp::Range(Some(Bound { number: 2.5.into(), is_included: false }), None)]), 1);
    assert_eq!(n(node, &[atom("a1"), FormOp::Not]), 2);
    assert_eq!(n(node, &[FormOp::Any]), 3);
}

#[test]
fn a_step_of_a_path_is_also_the_arm_of_a_type() {
    let mut builder = builder();
    for steps in [&["c1", "s2-3"][..], &["c1", "s2"], &["c1", "s2-na"], &["c1", "s21"], &["c1", "s3-2"], &[]] {
        let goal_path = Some(builder.path(steps));
        builder.push(&EventRow { goal_path, ..EventRow::default() });
    }
    let trace = builder.finish();
    let n = |form: &[FormOp]| count(&trace, &pattern(&trace, &[(AttributeId::GOAL_PATH, form)]));
    assert_eq!(n(&[path(&["c1", "s2"])]), 3);
    assert_eq!(n(&[path(&["c1", "s2-3"])]), 1);
    assert_eq!(n(&[path(&[])]), 1);
    assert_eq!(n(&[path(&[]), FormOp::Not]), 5);
    assert_eq!(n(&[path(&["c1", "s21"]), path(&[]), FormOp::AnyOf(2)]), 2);
}

#[test]
fn a_missing_part_of_a_procedure_is_an_error_that_names_the_others() {
    let mut builder = builder();
    let proc = ProcRow { name: Some("p"), arity: Some(2), ..ProcRow::default() };
    builder.push(&EventRow { proc, ..EventRow::default() });
    let trace = builder.finish();
    let module = super::super::ProcPattern { module: Some(vec![atom("m")]), ..Default::default() };
    let error =
        super::Constraint::new(&trace, AttributeId::PROC, &[FormOp::Proc(module)]).expect_err("there are no modules");
    assert_eq!(error.to_string(), "the procedures of this trace have no `decl_module`; they have name, arity");
}

#[test]
fn boxes_that_are_not_opened_and_closed_in_turn_are_findings() {
    let mut builder = builder();
    let ports = [
        (1, "call"),
        (2, "exit"),
        (1, "exit"),
        (1, "exit"),
        (1, "redo"),
        (1, "redo"),
        (1, "then"),
        (1, "call"),
        (1, "fail"),
    ];
    for ((call, port), source_line) in ports.into_iter().zip(1..) {
        builder.push(&EventRow { call: Some(call), port: Some(port), source_line, ..EventRow::default() });
    }
    let trace = builder.finish();
    assert_eq!(trace.findings().total(), 0, "they are only looked for when asked");
    let findings = box_findings(&trace);
    let found: Vec<(&str, Option<u64>)> = findings.kept().iter().map(|finding| (finding.rule, finding.line)).collect();
    assert_eq!(found, [("B1", Some(2)), ("B2", Some(4)), ("B2", Some(6)), ("B2", Some(8))]);
    assert_eq!(findings.kept()[0].message, "call 2 is not opened before this event");
}

#[test]
fn the_parent_of_a_call_is_the_one_that_its_first_event_reports() {
    let mut builder = builder();
    // two processes in turn; the last one reports a call that begins later
    for (call, depth, parent) in
        [(1, 1, None), (2, 1, None), (3, 2, Some(1)), (4, 2, Some(2)), (5, 1, Some(6)), (6, 2, Some(5))]
    {
        let extra: Vec<_> = parent.map(|parent| (AttributeId::PARENT, Field::Int(parent))).into_iter().collect();
        builder.push(&EventRow { call: Some(call), depth: Some(depth), extra: &extra, ..EventRow::default() });
    }
    let trace = builder.finish();
    let numbers = |calls: &mut dyn Iterator<Item = crate::trace::CallId>| {
        calls.map(|call| trace.call_number(call)).collect::<Vec<_>>()
    };
    let parents: Vec<Option<i64>> =
        trace.calls().map(|call| trace.parent(call).map(|parent| trace.call_number(parent))).collect();
    assert_eq!(parents, [None, None, Some(1), Some(2), None, Some(5)]);
    let second = trace.find_call(2).expect("there is a call 2");
    assert_eq!(numbers(&mut trace.children(second)), [4]);
}

#[test]
fn known_values_are_the_same_as_repeated_ones() {
    let mut builder = builder();
    let (colour, empty) = (builder.attribute("colour").expect("room"), builder.attribute("empty").expect("room"));
    let key = builder.key(&ProcRow { name: Some("p"), ..ProcRow::default() }, Some("call"), Some("det"));
    let red = builder.value(colour, Field::Atom("red"));
    let args = builder.args("1, -");
    assert_eq!(builder.args("1, -"), args);
    let rows = [Some(Field::Known(red)), None, Some(Field::Int(7)), Some(Field::Atom("red")), Some(Field::Known(red))];
    for field in rows {
        let args = if field.is_some() { ListField::Known(args) } else { ListField::Absent };
        let extra = field.map(|field| (colour, field));
        builder.push(&EventRow { key: Some(key), args, extra: extra.as_slice(), ..EventRow::default() });
    }
    assert_eq!(builder.value(colour, Field::Known(red)), red);
    let trace = builder.finish();
    let colours: Vec<Value<'_>> = (0..5).map(|event| trace.value(event, colour)).collect();
    let red = Value::Atom(Atom::new("red"));
    assert_eq!(colours, [red, Value::Absent, Value::Int(7), red, red]);
    assert_eq!(trace.value(2, empty), Value::Absent);
    let lists: Vec<Value<'_>> = (0..5).map(|event| trace.value(event, AttributeId::ARGS)).collect();
    let list = Value::Args(ArgTexts::new("1, -"));
    assert_eq!(lists, [list, Value::Absent, list, list, list]);
    assert_eq!(trace.value(1, AttributeId::DET), Value::Atom(Atom::new("det")));
    assert_eq!(trace.value(1, AttributeId::PORT), Value::Atom(Atom::new("call")));
}

#[test]
fn a_path_that_extends_another_has_one_more_step() {
    let mut builder = builder();
    let root = builder.path(&["c1"]);
    let longer = builder.extend_path(Some(root), "d2", 9);
    let longest = builder.extend_path(Some(longer), "t", 9);
    for path in [longest, root, longer] {
        builder.push(&EventRow { goal_path: Some(path), ..EventRow::default() });
    }
    let trace = builder.finish();
    let steps = |event| trace.goal_path(event).map(|steps| steps.iter().map(|step| step.as_str()).collect::<Vec<_>>());
    assert_eq!([0, 1, 2].map(steps), [Some(vec!["c1", "d2", "t"]), Some(vec!["c1"]), Some(vec!["c1", "d2"])]);
}
