//! The format's own columns: its attributes, and the data of all events, over which `data` and the arguments are lazy columns.

use serde_json::Value;

use super::data;
use super::fast::{DataSpan, UsualEvent};
use crate::trace::{AttributeId, EventId, Field, LazyLists, LazyValues, ListField, TraceBuilder};

attributes! {
    attribute:
    time "time" in Nanoseconds "time of the event in nanoseconds";
    id "id" "number of the event type";
    class "class" ["user" "system"] "user or system: whether the program or the tracing itself made the event";
    pid "pid" "process of the event, 0 for none";
    tid "tid" "thread of the event, 0 for none";
    addr "addr" "address of the trace point";
    trunc "trunc" [
        "none" "record" "read"
        "POSIX_TRACE_NOT_TRUNCATED" = "none"
        "POSIX_TRACE_TRUNCATED_RECORD" = "record"
        "POSIX_TRACE_TRUNCATED_READ" = "read"
    ] "whether the data were truncated: none, record (when the event was made) or read";
    data "data" "data of the event, in hexadecimal if they are bytes";
    wanted "wanted" "size of the data in bytes before they were truncated";
    filter "filter" "ids of the event types that are filtered out";
    running "running" "whether the stream is running after the event";
    window "window" "innermost window that the event lies in: run1, overflow1, flush1";
    header "header" "first line of the file as a list of Key=Value, at the first event";
    status "status" "status of the trace as a list of Member=Value, at the event that it was read after";
    event_types "event_types" "declared event types as a list of type(Id, Name, Class), at the last event: see event_type/3";
    lost "lost" "how many events were lost, at the last event";
    end "end" "last line of the file as a list of Key=Value, at the last event";
    generation_version "posix_trace_attr_generation_version" "origin and version of the trace system, at starts";
    trace_name "posix_trace_attr_trace_name" "name of the stream, at starts";
    creation_time "posix_trace_attr_creation_time" in Nanoseconds "when the stream was created, in nanoseconds, at starts";
    clock_resolution "posix_trace_attr_clock_resolution" in Nanoseconds "resolution of the clock in nanoseconds, at starts";
    stream_min_size "posix_trace_attr_stream_min_size" "least size of the stream in bytes, at starts";
    stream_full_policy "posix_trace_attr_stream_full_policy" ["POSIX_TRACE_LOOP" "POSIX_TRACE_UNTIL_FULL" "POSIX_TRACE_FLUSH"]
        "what happens when the stream is full: POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL or POSIX_TRACE_FLUSH, at starts";
    max_data_size "posix_trace_attr_max_data_size" "largest size of the data of an event in bytes, at starts";
    inheritance "posix_trace_attr_inheritance" ["POSIX_TRACE_INHERITED" "POSIX_TRACE_CLOSE_FOR_CHILD"]
        "whether children are traced: POSIX_TRACE_INHERITED or POSIX_TRACE_CLOSE_FOR_CHILD, at starts";
    log_max_size "posix_trace_attr_log_max_size" "largest size of the log in bytes, at starts";
    log_full_policy "posix_trace_attr_log_full_policy" ["POSIX_TRACE_LOOP" "POSIX_TRACE_UNTIL_FULL" "POSIX_TRACE_APPEND"]
        "what happens when the log is full: POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL or POSIX_TRACE_APPEND, at starts";
    stream_status "posix_stream_status" ["POSIX_TRACE_RUNNING" "POSIX_TRACE_SUSPENDED"]
        "POSIX_TRACE_RUNNING or POSIX_TRACE_SUSPENDED, where the status is known";
    stream_full_status "posix_stream_full_status" ["POSIX_TRACE_FULL" "POSIX_TRACE_NOT_FULL"]
        "POSIX_TRACE_FULL or POSIX_TRACE_NOT_FULL, where the status is known";
    stream_overrun_status "posix_stream_overrun_status" ["POSIX_TRACE_OVERRUN" "POSIX_TRACE_NO_OVERRUN"]
        "POSIX_TRACE_OVERRUN or POSIX_TRACE_NO_OVERRUN: whether events were lost, where the status is known";
    stream_flush_status "posix_stream_flush_status" ["POSIX_TRACE_FLUSHING" "POSIX_TRACE_NOT_FLUSHING"]
        "POSIX_TRACE_FLUSHING or POSIX_TRACE_NOT_FLUSHING, where the status is known";
    stream_flush_error "posix_stream_flush_error" "first error of a flush, 0 for none, where the status is known";
    log_overrun_status "posix_log_overrun_status" ["POSIX_TRACE_OVERRUN" "POSIX_TRACE_NO_OVERRUN"]
        "POSIX_TRACE_OVERRUN or POSIX_TRACE_NO_OVERRUN: whether the log lost events, where the status is known";
    log_full_status "posix_log_full_status" ["POSIX_TRACE_FULL" "POSIX_TRACE_NOT_FULL"]
        "POSIX_TRACE_FULL or POSIX_TRACE_NOT_FULL, where the status is known";
}

/// Keys of events that are not taken for attributes of the format.
pub(crate) const OWN: &[&str] =
    &["time", "class", "filter", "running", "window", "header", "status", "event_types", "lost", "end", "id", "data"];

/// A value that owns its text, such as that of a key that the format does not know.
#[derive(Debug)]
pub(crate) enum OwnedField {
    Atom(String),
    Int(i64),
    Float(f64),
    Bool(bool),
    Json(String),
    Term(String),
}

impl OwnedField {
    /// A value of JSON.
    pub(crate) fn of(value: &Value) -> OwnedField {
        match value {
            Value::String(text) => OwnedField::Atom(text.clone()),
            Value::Bool(value) => OwnedField::Bool(*value),
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(integer), _) => OwnedField::Int(integer),
                (None, Some(float)) if !number.is_u64() => OwnedField::Float(float),
                _ => OwnedField::Atom(number.to_string()),
            },
            other => OwnedField::Json(other.to_string()),
        }
    }

    /// The value for the builder.
    pub(crate) fn as_field(&self) -> Field<'_> {
        match self {
            OwnedField::Atom(text) => Field::Atom(text),
            OwnedField::Int(value) => Field::Int(*value),
            OwnedField::Float(value) => Field::Float(*value),
            OwnedField::Bool(value) => Field::Bool(*value),
            OwnedField::Json(text) => Field::Json(text),
            OwnedField::Term(text) => Field::Term(text),
        }
    }
}

/// The data of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowData<'p> {
    Nothing,
    /// Bytes, which the argument shows.
    Bytes(&'p [u8]),
    /// Anything else, by its index.
    Odd(usize),
}

/// The data of all events so far.
#[derive(Debug, Default)]
pub(crate) struct Payload {
    /// By event: [`NOTHING`], [`ODD`], or the number of its bytes.
    lengths: Vec<u16>,
    bytes: Vec<u8>,
    /// Data that are not bytes, or whose argument the line states.
    odd: Vec<OddData>,
}

#[derive(Debug)]
struct OddData {
    data: OwnedField,
    argument: Box<str>,
}

const NOTHING: u16 = u16::MAX;
const ODD: u16 = u16::MAX - 1;

impl Payload {
    /// Adds an event without data.
    pub(crate) fn push_nothing(&mut self) {
        self.lengths.push(NOTHING);
    }

    /// Adds an event with bytes.
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) {
        match u16::try_from(bytes.len()).ok().filter(|length| *length < ODD) {
            Some(length) => {
                self.lengths.push(length);
                self.bytes.extend_from_slice(bytes);
            }
            None => {
                let (mut hex, mut argument) = (String::new(), String::new());
                data::write_hex(bytes, &mut hex);
                data::write_argument(bytes, &mut argument);
                self.push_odd(OwnedField::Atom(hex), argument);
            }
        }
    }

    /// Adds an event with anything else.
    pub(crate) fn push_odd(&mut self, data: OwnedField, argument: String) {
        self.lengths.push(ODD);
        self.odd.push(OddData { data, argument: argument.into() });
    }

    /// Adds consecutive events, whose data are contiguous in `bytes`.
    pub(crate) fn append(&mut self, events: &[UsualEvent], bytes: &[u8]) {
        self.lengths.extend(events.iter().map(|event| event.data.map_or(NOTHING, |data| data.length)));
        let range = |data: DataSpan| (data.start as usize, data.start as usize + usize::from(data.length));
        let first = events.iter().find_map(|event| event.data).map(range);
        let last = events.iter().rev().find_map(|event| event.data).map(range);
        if let (Some((start, _)), Some((_, end))) = (first, last) {
            self.bytes.extend_from_slice(&bytes[start..end]);
        }
    }

    /// Whether any data are not integers.
    pub(crate) fn has_texts(&self) -> bool {
        self.lengths.iter().any(|length| *length < ODD)
            || self.odd.iter().any(|odd| !matches!(odd.data, OwnedField::Int(_)))
    }

    /// Frees spare capacity.
    pub(crate) fn shrink(&mut self) {
        self.lengths.shrink_to_fit();
        self.bytes.shrink_to_fit();
        self.odd.shrink_to_fit();
    }

    /// Bytes of memory in use.
    pub(crate) fn n_bytes(&self) -> usize {
        self.lengths.capacity() * 2 + self.bytes.capacity() + self.odd.capacity() * size_of::<OddData>()
    }

    /// The values of the attribute `data`.
    pub(crate) fn each_value(&self, column: &mut LazyValues) {
        let mut hex = String::new();
        for (event, found) in self.events() {
            match found {
                RowData::Nothing => {}
                RowData::Bytes(bytes) => {
                    hex.clear();
                    data::write_hex(bytes, &mut hex);
                    column.set(event, Field::Atom(&hex));
                }
                RowData::Odd(index) => column.set(event, self.odd[index].data.as_field()),
            }
        }
    }

    /// The arguments.
    pub(crate) fn each_argument(&self, column: &mut LazyLists) {
        let mut text = String::new();
        for (event, found) in self.events() {
            text.clear();
            match found {
                RowData::Nothing => {}
                RowData::Bytes(bytes) => data::write_argument(bytes, &mut text),
                RowData::Odd(index) => text.push_str(&self.odd[index].argument),
            }
            column.set(event, ListField::Text(&text));
        }
    }

    /// The values of the attribute `data` of events whose data are not bytes.
    pub(crate) fn integers(&self) -> impl Iterator<Item = (EventId, Field<'_>)> {
        self.events().filter_map(|(event, found)| match found {
            RowData::Odd(index) => Some((event, self.odd[index].data.as_field())),
            RowData::Nothing | RowData::Bytes(_) => None,
        })
    }

    fn events(&self) -> impl Iterator<Item = (EventId, RowData<'_>)> {
        let (mut start, mut n_odd) = (0, 0);
        (0..).zip(&self.lengths).map(move |(event, length)| {
            let found = match *length {
                NOTHING => RowData::Nothing,
                ODD => {
                    n_odd += 1;
                    RowData::Odd(n_odd - 1)
                }
                length => {
                    let from = start;
                    start += usize::from(length);
                    RowData::Bytes(&self.bytes[from..start])
                }
            };
            (event, found)
        })
    }
}
