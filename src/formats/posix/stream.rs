//! What the file says of the stream as a whole: its attributes, which stand at the starts, and its status.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Reader;
use super::events::{Ids, Other};
use super::line::time;
use crate::term::letters::atom_text;
use crate::trace::{AttributeId, EventId};

/// Tells which attribute of the trace something is.
type IdOf = fn(&Ids) -> AttributeId;

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

/// Those that are times: texts of seconds.
const TIMES: &[&str] = &["creation_time", "clock_resolution"];

/// A member of `posix_trace_status_info`.
struct Member {
    name: &'static str,
    /// The keys that it may have in a status.
    keys: [&'static str; 2],
    attribute: IdOf,
}

const fn member(name: &'static str, keys: [&'static str; 2], attribute: IdOf) -> Member {
    Member { name, keys, attribute }
}

/// All of them, by the names of the standard.
const STATUS: &[Member] = &[
    member("posix_stream_status", ["stream_status", "posix_stream_status"], |ids| ids.stream_status),
    member("posix_stream_full_status", ["stream_full", "stream_full_status"], |ids| ids.stream_full_status),
    member("posix_stream_overrun_status", ["stream_overrun", "stream_overrun_status"], |ids| ids.stream_overrun_status),
    member("posix_stream_flush_status", ["stream_flush", "stream_flush_status"], |ids| ids.stream_flush_status),
    member("posix_stream_flush_error", ["flush_error", "stream_flush_error"], |ids| ids.stream_flush_error),
    member("posix_log_overrun_status", ["log_overrun", "log_overrun_status"], |ids| ids.log_overrun_status),
    member("posix_log_full_status", ["log_full", "log_full_status"], |ids| ids.log_full_status),
];

impl Member {
    fn of(key: &str) -> Option<&'static Member> {
        STATUS.iter().find(|member| member.name == key || member.keys.contains(&key))
    }
}

/// Which status was read after which event.
#[derive(Default)]
pub struct Statuses {
    /// Those that were read after the last event.
    pub pending: Vec<Value>,
    by_event: BTreeMap<EventId, Vec<Value>>,
    starts: Vec<EventId>,
}

impl Statuses {
    /// Gives the pending ones to an event.
    pub fn settle(&mut self, event: EventId) {
        if !self.pending.is_empty() {
            self.by_event.entry(event).or_default().append(&mut self.pending);
        }
    }

    /// The last status, at the last event and at the starts after which none was read.
    fn end(&mut self, status: &Value, last: EventId) {
        self.by_event.entry(last).or_default().push(status.clone());
        for start in &self.starts {
            self.by_event.entry(*start).or_insert_with(|| vec![status.clone()]);
        }
    }
}

impl Reader<'_> {
    /// Gives the last event, a start or the first one, the attributes of the stream.
    pub(super) fn put_stream(&mut self, event: EventId) {
        self.statuses.starts.push(event);
        let Some(attributes) = self.header.attributes().cloned() else { return };
        for (key, attribute) in ATTRIBUTES {
            let value = attributes.get(*key).filter(|value| !value.is_null()).map(|value| stream_value(key, value));
            self.put(attribute(&self.ids), value.as_ref().map(Other::as_field));
        }
    }

    /// Gives events the statuses that were read after them, and the last one, which the line `end` has.
    pub(super) fn put_statuses(&mut self, end: Option<&Value>) {
        let Some(last) = self.builder.n_events().checked_sub(1) else { return };
        self.statuses.settle(last);
        if let Some(status) = end {
            self.statuses.end(status, last);
        }
        let by_event = std::mem::take(&mut self.statuses.by_event);
        let terms: Vec<(EventId, Other)> =
            by_event.iter().map(|(event, statuses)| (*event, Other::Term(status_term(statuses)))).collect();
        self.builder.fill(self.ids.status, terms.iter().map(|(event, term)| (*event, term.as_field())));
        for member in STATUS {
            let values: Vec<(EventId, Other)> = by_event
                .iter()
                .filter_map(|(event, statuses)| Some((*event, Other::of(value_of(member, statuses)?))))
                .collect();
            let fields = values.iter().map(|(event, value)| (*event, value.as_field()));
            self.builder.fill((member.attribute)(&self.ids), fields);
        }
    }
}

/// A time as nanoseconds, anything else as it is.
fn stream_value(key: &str, value: &Value) -> Other {
    let nanoseconds = value.as_str().filter(|_| TIMES.contains(&key)).and_then(time);
    nanoseconds.map_or_else(|| Other::of(value), Other::Int)
}

/// What the last status says of a member.
fn value_of<'s>(member: &Member, statuses: &'s [Value]) -> Option<&'s Value> {
    let members = statuses.iter().rev().filter_map(Value::as_object).flatten();
    members
        .filter(|(_, value)| !value.is_null())
        .find(|(key, _)| Member::of(key).is_some_and(|found| found.name == member.name))
        .map(|(_, value)| value)
}

/// `[posix_stream_status = 'POSIX_TRACE_RUNNING', ...]`, of several statuses one after the other.
fn status_term(statuses: &[Value]) -> String {
    let members = statuses.iter().filter_map(Value::as_object).flatten();
    let parts = members.map(|(key, value)| {
        format!("{} = {}", atom_text(Member::of(key).map_or(key, |member| member.name)), term_text(value))
    });
    format!("[{}]", parts.collect::<Vec<_>>().join(", "))
}

/// The text of an object as a list of `Key = Value`.
pub fn object_term(object: Map<String, Value>) -> String {
    term_text(&Value::Object(object))
}

/// The text of the term that a JSON value is: objects are lists of `Key = Value`, texts are atoms.
fn term_text(value: &Value) -> String {
    enum Step<'v> {
        Value(&'v Value),
        Text(String),
    }
    let mut text = String::new();
    let mut steps = vec![Step::Value(value)];
    while let Some(step) = steps.pop() {
        let parts: Vec<(String, &Value)> = match step {
            Step::Text(written) => {
                text.push_str(&written);
                continue;
            }
            Step::Value(Value::Array(items)) => items.iter().map(|item| (String::new(), item)).collect(),
            Step::Value(Value::Object(object)) => {
                object.iter().map(|(key, value)| (format!("{} = ", atom_text(key)), value)).collect()
            }
            Step::Value(Value::String(name)) => {
                text.push_str(&atom_text(name));
                continue;
            }
            Step::Value(other) => {
                text.push_str(&other.to_string());
                continue;
            }
        };
        text.push('[');
        steps.push(Step::Text("]".to_owned()));
        for (index, (key, value)) in parts.into_iter().enumerate().rev() {
            steps.push(Step::Value(value));
            steps.push(Step::Text(if index > 0 { format!(", {key}") } else { key }));
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
