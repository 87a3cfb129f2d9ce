//! Copies of events into another trace.

use crate::trace::{AttributeId, EventId, EventRow, Field, ListField, Proc, ProcRow, Trace, TraceBuilder, Value};

/// An event of one trace that becomes an event of another; it can be changed before it is added.
#[derive(Default)]
pub(crate) struct EventCopy<'t> {
    /// The values with fields of their own, except lists.
    pub(crate) row: EventRow<'t>,
    args: Option<Vec<Option<&'t str>>>,
    arg_types: Option<Vec<Option<&'t str>>>,
    arg_names: Option<Vec<Option<&'t str>>>,
    /// The other attributes, by their ids in the new trace.
    pub(crate) extra: Vec<(AttributeId, Field<'t>)>,
}

impl<'t> EventCopy<'t> {
    /// An event with all its values, except its number.
    pub(crate) fn of(trace: &'t Trace, event: EventId, builder: &mut TraceBuilder) -> EventCopy<'t> {
        let mut copied = EventCopy::default();
        copied.row.source_line = trace.source_line(event).unwrap_or(0);
        copied.row.call = trace.call(event).map(|call| trace.call_number(call));
        copied.row.port = trace.port(event).map(|port| port.as_str());
        for (id, attribute) in trace.schema().iter() {
            match (id, trace.value(event, id)) {
                (AttributeId::CHRONO | AttributeId::CALL | AttributeId::PORT | AttributeId::STACK, _) => {}
                (AttributeId::PARENT, Value::Int(parent)) => copied.extra.push((id, Field::Int(parent))),
                (AttributeId::GOAL_PATH, Value::Path(steps)) => {
                    let steps: Vec<&str> = steps.iter().map(|step| step.as_str()).collect();
                    copied.row.goal_path = Some(builder.path(&steps));
                }
                (_, Value::Proc(proc)) => copied.row.proc = proc_row(trace.proc(proc)),
                (_, value) if copied.has_taken(id, value) || is_of_proc(id) => {}
                (_, value) => copied.extra.extend(builder.own_attribute(&attribute.name).zip(field(value))),
            }
        }
        copied
    }

    /// Takes a value that has a field of its own; `false` for another value.
    fn has_taken(&mut self, id: AttributeId, value: Value<'t>) -> bool {
        match (id, value) {
            (AttributeId::DEPTH, Value::Int(depth)) => self.row.depth = Some(depth),
            (AttributeId::LINE_NUMBER, Value::Int(line)) => self.row.line_number = Some(line),
            (AttributeId::DET, Value::Atom(det)) => self.row.det = Some(det.as_str()),
            (AttributeId::ARGS, Value::Args(list)) => self.args = Some(list.iter().map(Some).collect()),
            (AttributeId::ARG_TYPES, Value::Texts(list)) => self.arg_types = Some(list.iter().map(Some).collect()),
            (AttributeId::ARG_NAMES, Value::Texts(list)) => self.arg_names = Some(list.iter().map(Some).collect()),
            _ => return false,
        }
        true
    }

    /// Adds the event.
    pub(crate) fn push(&self, builder: &mut TraceBuilder) {
        let [args, arg_types, arg_names] = [&self.args, &self.arg_types, &self.arg_names]
            .map(|list| list.as_deref().map_or(ListField::Absent, ListField::Parts));
        builder.push(&EventRow { args, arg_types, arg_names, extra: &self.extra, ..self.row });
    }
}

/// Whether an attribute is a part of the procedure.
fn is_of_proc(id: AttributeId) -> bool {
    use AttributeId as Id;
    [Id::PROC_TYPE, Id::DECL_MODULE, Id::DEF_MODULE, Id::NAME, Id::ARITY, Id::MODE_NUMBER].contains(&id)
}

fn proc_row(proc: &Proc) -> ProcRow<'static> {
    let name = |atom: Option<crate::term::Atom>| atom.map(|atom| atom.as_str());
    ProcRow {
        proc_type: name(proc.proc_type),
        decl_module: name(proc.decl_module),
        def_module: name(proc.def_module),
        name: name(proc.name),
        arity: proc.arity,
        mode_number: proc.mode_number,
    }
}

/// A value as a field for the builder; none for one that has a field of its own.
pub(crate) fn field(value: Value<'_>) -> Option<Field<'_>> {
    Some(match value {
        Value::Int(value) => Field::Int(value),
        Value::BigInt(digits) => Field::BigInt(digits),
        Value::Float(value) => Field::Float(value),
        Value::Bool(value) => Field::Bool(value),
        Value::Atom(name) => Field::Atom(name.as_str()),
        Value::Text(text) => Field::Text(text),
        Value::Term(text) => Field::Term(text),
        Value::Json(text) => Field::Json(text),
        _ => return None,
    })
}
