//! The stream as a whole: its header, its attributes, which events of starts have, and its status.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::columns::AttributeIds;
use super::events::PosixReader;
use super::line::time;
use crate::formats::json::own_value::OwnValue;
use crate::formats::json::value::{JsonToken, tokens, unquoted};
use crate::term::letters::atom_text;
use crate::trace::{AttributeId, EventId, EventTable, Field};

/// The header, and what the rules need of it.
#[derive(Default)]
pub(crate) struct StreamHeader {
    pub(crate) object: Option<Map<String, Value>>,
    /// The size of the data of an event at most.
    pub(crate) max_data_size: Option<u64>,
}

impl StreamHeader {
    /// The attributes of the stream.
    pub(crate) fn attributes(&self) -> Option<&Map<String, Value>> {
        self.object.as_ref()?.get("attr")?.as_object()
    }

    fn attribute(&self, name: &str) -> Option<&Value> {
        self.attributes()?.get(name)
    }

    /// Whether a policy of the stream ends so.
    pub(crate) fn has_policy(&self, name: &str, policy: &str) -> bool {
        self.attribute(name).and_then(Value::as_str).is_some_and(|value| value.ends_with(policy))
    }

    /// Whether the implementation has an option; one that does not say may have all.
    pub(crate) fn has_option(&self, option: &str) -> bool {
        let options = self.object.as_ref().and_then(|object| object.get("options")?.as_array());
        options.is_none_or(|options| options.iter().any(|one| one.as_str() == Some(option)))
    }

    /// Takes the first line.
    pub(crate) fn take(&mut self, object: Map<String, Value>) {
        self.object = Some(object);
        self.max_data_size = self.attribute("max_data_size").and_then(Value::as_u64);
    }
}

/// Selects an attribute of the trace.
type IdOf = fn(&AttributeIds) -> AttributeId;

/// Attributes of the stream: the key under `attr` of the header, and the attribute of the trace.
const ATTRIBUTES: &[(&str, IdOf)] = &[
    ("generation_version", |ids| ids.generation_version),
    ("trace_name", |ids| ids.trace_name),
    ("creation_time", |ids| ids.creation_time),
    ("clock_resolution", |ids| ids.clock_resolution),
    ("stream_min_size", |ids| ids.stream_min_size),
    ("stream_full_policy", |ids| ids.stream_full_policy),
    ("max_data_size", |ids| ids.max_data_size),
    ("inheritance", |ids| ids.inheritance),
    ("log_max_size", |ids| ids.log_max_size),
    ("log_full_policy", |ids| ids.log_full_policy),
];

/// The attributes that are times, written as seconds.
const TIMES: &[&str] = &["creation_time", "clock_resolution"];

/// The members of `posix_trace_status_info`: the name of the standard, another key in a status, the attribute of the trace.
/// The name may be without `posix_`, too.
const STATUS: &[(&str, &str, IdOf)] = &[
    ("posix_stream_status", "stream_status", |ids| ids.stream_status),
    ("posix_stream_full_status", "stream_full", |ids| ids.stream_full_status),
    ("posix_stream_overrun_status", "stream_overrun", |ids| ids.stream_overrun_status),
    ("posix_stream_flush_status", "stream_flush", |ids| ids.stream_flush_status),
    ("posix_stream_flush_error", "flush_error", |ids| ids.stream_flush_error),
    ("posix_log_overrun_status", "log_overrun", |ids| ids.log_overrun_status),
    ("posix_log_full_status", "log_full", |ids| ids.log_full_status),
];

/// The name of the standard for a key in a status; any other key itself.
fn member(key: &str) -> &str {
    let is_of = |name: &str, other: &str| key == name || Some(key) == name.strip_prefix("posix_") || key == other;
    STATUS.iter().find(|(name, other, _)| is_of(name, other)).map_or(key, |(name, ..)| name)
}

/// The statuses by the events after which they were read.
#[derive(Default)]
pub(crate) struct Statuses {
    /// The statuses that were read after the last event.
    pub(crate) pending: Vec<Value>,
    by_event: BTreeMap<EventId, Vec<Value>>,
    starts: Vec<EventId>,
}

impl Statuses {
    /// Gives the pending statuses to an event.
    pub(crate) fn settle(&mut self, event: EventId) {
        if !self.pending.is_empty() {
            self.by_event.entry(event).or_default().append(&mut self.pending);
        }
    }

    /// Gives the last status to the last event, and to the starts after which none was read.
    fn end(&mut self, status: &Value, last: EventId) {
        self.by_event.entry(last).or_default().push(status.clone());
        for start in &self.starts {
            self.by_event.entry(*start).or_insert_with(|| vec![status.clone()]);
        }
    }
}

impl PosixReader<'_> {
    /// Gives an event, which is a start or the first one, the attributes of the stream.
    pub(crate) fn put_stream(&mut self, event: EventId, row: u32, table: &mut EventTable) {
        self.statuses.starts.push(event);
        let Some(attributes) = self.header.attributes() else { return };
        for (key, attribute) in ATTRIBUTES {
            if let Some(value) = attributes.get(*key).filter(|value| !value.is_null()) {
                table.set(attribute(&self.ids), row, stream_value(key, value).as_field());
            }
        }
    }

    /// Gives events the statuses that were read after them; the line `end` has the last one.
    pub(crate) fn put_statuses(&mut self, end: Option<&Value>) {
        let Some(last) = self.builder.n_events().checked_sub(1) else { return };
        self.statuses.settle(last);
        if let Some(status) = end {
            self.statuses.end(status, last);
        }
        for (event, statuses) in &std::mem::take(&mut self.statuses.by_event) {
            let mut put = |id, field: Field<'_>| self.builder.fill(id, [(*event, field)].into_iter());
            put(self.ids.status, Field::Term(&status_term(statuses)));
            for (name, _, attribute) in STATUS {
                if let Some(value) = value_of(name, statuses) {
                    put(attribute(&self.ids), own(value).as_field());
                }
            }
        }
    }
}

/// A time in nanoseconds, or any other value unchanged.
fn stream_value<'v>(key: &str, value: &'v Value) -> OwnValue<'v> {
    let nanoseconds = value.as_str().filter(|_| TIMES.contains(&key)).and_then(time);
    nanoseconds.map_or_else(|| own(value), OwnValue::Int)
}

fn own(value: &Value) -> OwnValue<'_> {
    match value {
        Value::String(text) => OwnValue::Atom(text.into()),
        Value::Bool(value) => OwnValue::Bool(*value),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => OwnValue::Int(integer),
            (None, Some(float)) => OwnValue::Float(float),
            (None, None) => OwnValue::Json(number.to_string()),
        },
        other => OwnValue::Json(other.to_string()),
    }
}

/// The value of a member in the last status that has it.
fn value_of<'s>(name: &str, statuses: &'s [Value]) -> Option<&'s Value> {
    let members = statuses.iter().rev().filter_map(Value::as_object).flatten();
    members.filter(|(_, value)| !value.is_null()).find(|(key, _)| member(key) == name).map(|(_, value)| value)
}

/// `[posix_stream_status = 'POSIX_TRACE_RUNNING', ...]`, of several statuses in order.
fn status_term(statuses: &[Value]) -> String {
    let members = statuses.iter().filter_map(Value::as_object).flatten();
    let parts = members.map(|(key, value)| format!("{} = {}", atom_text(member(key)), term_text(value)));
    format!("[{}]", parts.collect::<Vec<_>>().join(", "))
}

/// The text of an object as a list of `Key = Value`.
pub(super) fn object_term(object: &Map<String, Value>) -> String {
    term_text(&serde_json::json!(object))
}

/// The text of a JSON value as a term: an object is a list of `Key = Value`, a string is an atom.
fn term_text(value: &Value) -> String {
    let (json, mut text) = (value.to_string(), String::new());
    for token in tokens(&json) {
        match token {
            JsonToken::Text(name) => text.push_str(&atom_text(&unquoted(name))),
            JsonToken::Number(other) => text.push_str(other),
            JsonToken::Other(other) => text.push_str(match other {
                "{" => "[",
                "}" => "]",
                ":" => " = ",
                "," => ", ",
                other => other,
            }),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_json_value_becomes_a_term() {
        let value: Value =
            serde_json::from_str(r#"{"a": [1, -2.5, {}], "B c": "POSIX", "n": [true, null]}"#).expect("it is JSON");
        assert_eq!(term_text(&value), "[a = [1, -2.5, []], 'B c' = 'POSIX', n = [true, null]]");
    }

    #[test]
    fn statuses_have_the_members_of_the_standard() {
        let status: Value = serde_json::from_str(r#"{"stream_full": "POSIX_TRACE_FULL", "flush_error": 0, "x": 1}"#)
            .expect("it is JSON");
        assert_eq!(
            status_term(&[status]),
            "[posix_stream_full_status = 'POSIX_TRACE_FULL', posix_stream_flush_error = 0, x = 1]"
        );
    }
}
