//! The lines of one chunk, each read by itself: what they state of their events, in columns.

use std::borrow::Cow;

use serde_json::Value;

use super::columns::AttributeIds;
use super::data;
use super::line::time;
use crate::formats::json::value::{Json, JsonObject, object};
use crate::formats::lines::chunk_lines;
use crate::formats::lines::kept::KeptBytes;
use crate::formats::lines::text::visible_in_json;
use crate::term::letters::excerpt;
use crate::trace::{EventTable, Field};

/// The lines of a chunk.
#[derive(Default)]
pub(super) struct PosixPart {
    /// The events, with the values of their lines in the rows of the table.
    pub(super) events: Vec<EventRecord>,
    pub(super) table: EventTable,
    pub(super) data: KeptBytes,
    /// The lines that are neither events nor blank.
    pub(super) others: Vec<OtherLine>,
    pub(super) n_lines: u64,
    /// The data of the event that is read.
    bytes: Vec<u8>,
}

/// A line that is no event.
pub(super) struct OtherLine {
    /// The number of events before it.
    pub(super) n_before: u32,
    /// Its number in the chunk, from 0.
    pub(super) line: u64,
    /// Its text, or why it is no event.
    pub(super) text: Result<String, String>,
}

/// What the rules need of an event.
#[derive(Debug, Default, PartialEq)]
pub(super) struct EventRecord {
    /// The number of the line in the chunk, from 0.
    pub(super) line: u64,
    /// Nanoseconds.
    pub(super) time: Option<i64>,
    pub(super) id: i64,
    pub(super) pid: Option<i64>,
    pub(super) tid: Option<i64>,
    /// Whether the data were truncated when the event was made.
    pub(super) is_cut: bool,
    pub(super) data: EventData,
    /// What is wrong with the values.
    pub(super) faults: Vec<String>,
    /// Keys that the format does not know, with their values as JSON.
    pub(super) others: Vec<(String, String)>,
}

impl EventRecord {
    /// Whether its integer says that the tracing made it, as a stop does.
    pub(super) fn is_automatic(&self) -> bool {
        matches!(self.data, EventData::Integer(auto) if auto != 0)
    }
}

/// The keys of most events, in order.
const KEYS: [&str; 8] = ["t", "id", "pid", "tid", "addr", "trunc", "data", "wanted"];

/// The data of an event.
#[derive(Debug, Default, PartialEq)]
pub(super) enum EventData {
    #[default]
    Absent,
    /// So many bytes, and whether they are written as they should be.
    Bytes(u64, bool),
    Integer(i64),
    /// Any other JSON.
    Other(String),
}

impl PosixPart {
    /// Reads all lines of a chunk.
    pub(super) fn read(&mut self, text: &[u8], ids: &AttributeIds) {
        self.events.clear();
        self.table.clear();
        self.data.clear();
        self.others.clear();
        self.n_lines = 0;
        for line in chunk_lines(text) {
            if !line.trim_ascii().is_empty() {
                self.line(&visible_in_json(line), ids);
            }
            self.n_lines += 1;
        }
        self.data.pack();
    }

    fn line(&mut self, text: &str, ids: &AttributeIds) {
        let object = JsonObject::flat(text, &KEYS).or_else(|| object(text).ok().map(JsonObject::without_repeats));
        let is_event = |object: &JsonObject<'_>| {
            let has = |wanted: &[&str]| object.0.iter().any(|(key, _)| wanted.contains(&&**key));
            has(&["t", "id"]) && !has(&["posix_trace"])
        };
        let other = match object.filter(is_event) {
            Some(event) => self.event(&event, ids).err().map(Err),
            None => Some(Ok(text.to_owned())),
        };
        let (n_before, line) = (self.table.n_rows(), self.n_lines);
        self.others.extend(other.map(|text| OtherLine { n_before, line, text }));
    }

    /// Adds the event that an object is; an error if it is none.
    fn event(&mut self, object: &JsonObject<'_>, ids: &AttributeIds) -> Result<(), String> {
        let id = object.get("id").and_then(Json::integer).ok_or("expected an integer for `id`")?;
        let mut record = EventRecord { line: self.n_lines, id, ..EventRecord::default() };
        if object.get("t").is_none() {
            record.faults.push("the event has no time `t`".to_owned());
        }
        self.table.set(ids.id, self.table.n_rows(), Field::Int(id));
        for (key, value) in object.0.iter().filter(|(key, value)| *key != "id" && *value != Json::Null) {
            if let Err(expected) = self.value(&mut record, key, value, ids) {
                let found: Value = serde_json::from_str(&value.written()).unwrap_or_default();
                let found = excerpt(&found.to_string());
                record.faults.push(format!("expected {expected} for `{key}`, found {found}"));
            }
        }
        self.keep_data(&mut record, object);
        self.events.push(record);
        self.table.end_row();
        Ok(())
    }

    /// Takes a value of an event; an error says what was expected.
    fn value(
        &mut self,
        record: &mut EventRecord,
        key: &str,
        value: &Json<'_>,
        ids: &AttributeIds,
    ) -> Result<(), &'static str> {
        let integer = || value.integer().ok_or("an integer");
        let (id, field) = match key {
            "t" => {
                record.time = Some(value.text().and_then(time).ok_or("a string of seconds and nanoseconds")?);
                (ids.time, Field::Int(record.time.unwrap_or_default()))
            }
            "pid" => (ids.pid, Field::Int(*record.pid.insert(integer()?))),
            "tid" => (ids.tid, Field::Int(*record.tid.insert(integer()?))),
            "wanted" => (ids.wanted, Field::Int(integer()?)),
            "addr" => (ids.addr, Field::Atom(value.text().ok_or("a string")?)),
            "trunc" => {
                let status = value.text().ok_or("a string")?;
                let word = truncation(status);
                self.table.set(ids.trunc, self.table.n_rows(), Field::Atom(word.unwrap_or(status)));
                record.is_cut = word == Some("record");
                return word.map(|_| ()).ok_or("a truncation status");
            }
            "data" => {
                record.data = match value {
                    Json::Text(hex) => EventData::Bytes(hex.len() as u64 / 2, true),
                    Json::Integer(_) | Json::Decimal(_) => EventData::Integer(integer()?),
                    other => EventData::Other(other.written().into_owned()),
                };
                return Ok(());
            }
            _ => {
                record.others.push((key.to_owned(), value.written().into_owned()));
                return Ok(());
            }
        };
        self.table.set(id, self.table.n_rows(), field);
        Ok(())
    }

    /// Keeps the data of an event for the columns that show them.
    fn keep_data(&mut self, record: &mut EventRecord, object: &JsonObject<'_>) {
        let stated = object.get("text").filter(|text| text.text().is_some());
        let data = object.get("data").filter(|_| record.data != EventData::Absent);
        let hex = data.and_then(Json::text);
        let are_bytes = hex.is_some_and(|hex| data::read_bytes(hex, &mut self.bytes));
        if let EventData::Bytes(_, is_hex) = &mut record.data {
            *is_hex = are_bytes;
        }
        match (data, are_bytes, stated) {
            (None, ..) => self.data.push(0, &[]),
            (_, true, None) => self.data.push(data::BYTES, &self.bytes),
            (Some(data), ..) => {
                let all: Vec<Cow<'_, str>> = [data].into_iter().chain(stated).map(Json::written).collect();
                self.data.push(data::JSON, format!("[{}]", all.join(",")).as_bytes());
            }
        }
    }
}

/// The value of the attribute `trunc` for a truncation status.
fn truncation(status: &str) -> Option<&'static str> {
    match status.strip_prefix("POSIX_TRACE_")? {
        "NOT_TRUNCATED" => Some("none"),
        "TRUNCATED_RECORD" => Some("record"),
        "TRUNCATED_READ" => Some("read"),
        _ => None,
    }
}
