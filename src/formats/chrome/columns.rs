//! The attributes of the format.

use crate::formats::json::own_value::OwnValue;
use crate::formats::json::value::Json;
use crate::trace::{AttributeId, BASE, Field, TraceBuilder};

attributes! {
    attribute:
    time "time" "time of the event in nanoseconds";
    duration "duration" "nanoseconds from the call to the exit of a box that ended";
    pid "pid" "process of the event, as a number or a name";
    tid "tid" "thread of the event, as a number or a name; that of the process if the record has none";
    process "process" "name of the process";
    thread "thread" "name of the thread";
    cat "cat" "categories of the record, separated by commas";
    id "id" "what identifies an asynchronous operation, an arrow, an object or a counter";
    scope "scope" "how far an instant reaches: t (thread), p (process) or g (global)";
    series "series" "name of a counter, with its id if it has one";
    file "file" "source file of the function";
    record "record" "number of the record in the array of records, from 1";
    bp "bp" "e if the end of an arrow belongs to the slice around it, and not to the next one";
    bind_id "bind_id" "what identifies the arrow that begins or ends at a slice";
    flow_in "flow_in" "true if the arrow `bind_id` ends at the slice";
    flow_out "flow_out" "true if the arrow `bind_id` begins at the slice";
    flow_from "flow_from" "number of the event at which the arrow begins that ends at this event";
    flow_call "flow_call" "number of the call to which this end of an arrow belongs";
}

/// The attribute for another key of a record; none if there are too many.
pub(super) fn of_key(key: &str, builder: &mut TraceBuilder) -> Option<AttributeId> {
    let is_taken = BASE.iter().any(|row| row.name == key) || ATTRIBUTES.iter().any(|own| own.name == key);
    match is_taken {
        true => builder.own_attribute(&format!("{key}_")),
        false => builder.own_attribute(key),
    }
}

/// Hands over the value for a text as [`written`](super::record::written).
pub(super) fn with_written<T>(text: &str, then: impl FnOnce(Field<'_>) -> T) -> T {
    match text.split_at_checked(1) {
        Some(("s", characters)) => then(Field::Atom(characters)),
        Some((_, json)) => then(OwnValue::of(&Json::of(json)).as_field()),
        None => then(Field::Atom("")),
    }
}
