//! Tests of the whole floor: a real trace, built event by event, and random ones compared with a naive model.

mod build;
mod lazy_columns;
mod queens;
mod random_search;
mod saved;
mod spans;

use serde_json::Value as Json;

use super::{
    AttributeId, Bound, Constraint, EventId, EventRow, FormOp, ListField, MERCURY_PORTS, Matches, Pattern, PortSet,
    ProcRow, SearchDirection, Trace, TraceBuilder, TraceOrigin,
};
use crate::term::Atom;
use crate::term::number::Number;

/// A builder for a trace in memory with Mercury's ports and no others.
fn builder() -> TraceBuilder {
    let ports = PortSet::Closed(MERCURY_PORTS);
    TraceBuilder::new(TraceOrigin {
        path: "test.trace".into(),
        format: "test",
        ports,
        attributes: &[],
        rule: "L1",
        severities: &[],
        is_by_line: true,
        ends_silently: false,
        lasso: None,
        results: &[],
        shown: &[],
        alike: &[],
    })
}

/// The last matching event whose row is less than `before`.
fn prev_match(trace: &Trace, before: u32, pattern: &Pattern) -> Option<EventId> {
    Matches::new(trace, pattern, SearchDirection::Backward, before).next(trace, pattern)
}

/// A number that only events with the same argument text share.
fn args_code(trace: &Trace, event: EventId) -> Option<u32> {
    assert!(trace.n_args_codes() > 0);
    trace.known_args_code(event)
}

/// Numbers between two integers, both included.
fn between(low: Option<i64>, high: Option<i64>) -> FormOp {
    let end = |number: i64| Bound { number: Number::Int(number), is_included: true };
    FormOp::Range(low.map(end), high.map(end))
}

/// The events of Morphine's regression program, with all their attributes.
fn queens() -> Trace {
    let mut builder = builder();
    let lines = include_str!("../../../examples/queens/queens.jsonl").lines();
    let events = lines.filter(|line| !line.starts_with("{\"papaver\""));
    for (line, source_line) in events.zip(1..) {
        push_json(&mut builder, &serde_json::from_str(line).expect("the sample is JSON"), source_line);
    }
    builder.finish()
}

fn push_json(builder: &mut TraceBuilder, object: &Json, source_line: u64) {
    let text = |key: &str| object[key].as_str();
    let number = |key: &str| object[key].as_i64();
    let list =
        |key: &str| -> Vec<Option<&str>> { object[key].as_array().into_iter().flatten().map(Json::as_str).collect() };
    let steps: Vec<&str> = list("goal_path").into_iter().flatten().collect();
    let (args, arg_types, arg_names) = (list("args"), list("arg_types"), list("arg_names"));
    let row = EventRow {
        chrono: number("chrono"),
        call: number("call"),
        depth: number("depth"),
        port: text("port"),
        proc: ProcRow {
            proc_type: text("proc_type"),
            decl_module: text("decl_module"),
            def_module: text("def_module"),
            name: text("name"),
            arity: number("arity"),
            mode_number: number("mode_number"),
        },
        det: text("det"),
        key: None,
        goal_path: Some(builder.path(&steps)),
        line_number: number("line_number"),
        args: ListField::Parts(&args),
        arg_types: ListField::Parts(&arg_types),
        arg_names: ListField::Parts(&arg_names),
        extra: &[],
        source_line,
    };
    builder.push(&row);
}

fn atom(name: &str) -> FormOp {
    FormOp::Atom(Atom::new(name))
}

fn path(steps: &[&str]) -> FormOp {
    FormOp::Path(steps.iter().map(|step| Atom::new(step)).collect())
}

fn constraint(trace: &Trace, attribute: AttributeId, form: &[FormOp]) -> Constraint {
    Constraint::new(trace, attribute, form).expect("the constraint has the right type")
}

fn pattern(trace: &Trace, constraints: &[(AttributeId, &[FormOp])]) -> Pattern {
    let constraints = constraints.iter().map(|(attribute, form)| constraint(trace, *attribute, form));
    Pattern::new(trace, constraints.collect())
}
