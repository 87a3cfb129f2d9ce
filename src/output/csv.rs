//! A trace as CSV: a column for each attribute, a row for each event.

use std::borrow::Cow;
use std::io::{self, Write};

use super::event_line::path_text;
use crate::trace::{AttributeId, EventId, Trace, Value};

/// Writes a heading with the names of the attributes, then a row for each event; missing values are empty.
///
/// The procedure is written as its parts; the stack is omitted, as it follows from the calls. In a trace with times the
/// first and the last event of each call also have its duration and its self time, which other programs could not easily
/// compute.
pub(crate) fn write_csv(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let schema = trace.schema();
    let has_times = schema.find("time").is_some_and(|id| schema.has(id));
    let attributes = || {
        let stored = schema.iter().filter(|(id, _)| *id != AttributeId::PROC && !trace.is_computed(*id));
        stored.chain(schema.computed_of_calls().filter(|(id, _)| has_times && id.is_call_time()))
    };
    if attributes().next().is_none() {
        return Ok(());
    }
    writer.write_record(attributes().map(|(_, attribute)| attribute.name.as_bytes())).map_err(cause)?;
    for event in 0..trace.n_events() {
        for (id, _) in attributes() {
            writer.write_field(field(trace, event, id).as_bytes()).map_err(cause)?;
        }
        writer.write_record(None::<&[u8]>).map_err(cause)?;
    }
    writer.flush()
}

/// The error of the underlying output, so that a closed pipe is recognised.
fn cause(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn field(trace: &Trace, event: EventId, attribute: AttributeId) -> Cow<'_, str> {
    match trace.value(event, attribute) {
        Value::Absent => "".into(),
        Value::Int(number) => number.to_string().into(),
        Value::BigInt(digits) => digits.into(),
        Value::Float(number) => format!("{number:?}").into(),
        Value::Bool(value) => value.to_string().into(),
        Value::Atom(name) => name.as_str().into(),
        Value::Text(text) | Value::Term(text) | Value::Json(text) => text.into(),
        Value::Path(steps) => path_text(steps).into(),
        Value::Proc(id) => trace.proc(id).to_string().into(),
        Value::Args(list) | Value::Texts(list) => list.whole(),
    }
}
