//! An event on its way from its line to the trace: its attributes, and the rules P9, P11 and P12.

use std::sync::Arc;

use serde_json::Value;
use smallvec::SmallVec;

use super::Reader;
use super::data;
use super::event_types::{Class, Kind};
use super::line::{Data, Record, Truncation};
use super::stream::object_term;
use super::windows::{Fault, Seen};
use crate::trace::{AttributeId, EventRow, Field, TraceBuilder, ValueId, known_attribute};

attributes! {
    attribute:
    time "time" "time of the event in nanoseconds";
    id "id" "number of the event type";
    class "class" "user or system: whether the program or the tracing itself made the event";
    pid "pid" "process of the event, 0 for none";
    tid "tid" "thread of the event, 0 for none";
    addr "addr" "address of the trace point";
    trunc "trunc" [
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
    creation_time "posix_trace_attr_creation_time" "when the stream was created, in nanoseconds, at starts";
    clock_resolution "posix_trace_attr_clock_resolution" "resolution of the clock in nanoseconds, at starts";
    stream_min_size "posix_trace_attr_stream_min_size" "least size of the stream in bytes, at starts";
    stream_full_policy "posix_trace_attr_stream_full_policy"
        "what happens when the stream is full: POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL or POSIX_TRACE_FLUSH, at starts";
    max_data_size "posix_trace_attr_max_data_size" "largest size of the data of an event in bytes, at starts";
    inheritance "posix_trace_attr_inheritance"
        "whether children are traced: POSIX_TRACE_INHERITED or POSIX_TRACE_CLOSE_FOR_CHILD, at starts";
    log_max_size "posix_trace_attr_log_max_size" "largest size of the log in bytes, at starts";
    log_full_policy "posix_trace_attr_log_full_policy"
        "what happens when the log is full: POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL or POSIX_TRACE_APPEND, at starts";
    stream_status "posix_stream_status" "POSIX_TRACE_RUNNING or POSIX_TRACE_SUSPENDED, where the status is known";
    stream_full_status "posix_stream_full_status" "POSIX_TRACE_FULL or POSIX_TRACE_NOT_FULL, where the status is known";
    stream_overrun_status "posix_stream_overrun_status"
        "POSIX_TRACE_OVERRUN or POSIX_TRACE_NO_OVERRUN: whether events were lost, where the status is known";
    stream_flush_status "posix_stream_flush_status"
        "POSIX_TRACE_FLUSHING or POSIX_TRACE_NOT_FLUSHING, where the status is known";
    stream_flush_error "posix_stream_flush_error" "first error of a flush, 0 for none, where the status is known";
    log_overrun_status "posix_log_overrun_status"
        "POSIX_TRACE_OVERRUN or POSIX_TRACE_NO_OVERRUN: whether the log lost events, where the status is known";
    log_full_status "posix_log_full_status" "POSIX_TRACE_FULL or POSIX_TRACE_NOT_FULL, where the status is known";
}

/// Keys of events that must not be taken for attributes of the format.
const OWN: &[&str] =
    &["time", "class", "filter", "running", "window", "header", "status", "event_types", "lost", "end", "id", "data"];

/// A value that is kept, such as one under a key that the format does not know.
#[derive(Debug)]
pub enum Other {
    Atom(String),
    Int(i64),
    Float(f64),
    Bool(bool),
    Json(String),
    Term(String),
}

impl Other {
    /// A value of JSON.
    pub fn of(value: &Value) -> Other {
        match value {
            Value::String(text) => Other::Atom(text.clone()),
            Value::Bool(value) => Other::Bool(*value),
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(integer), _) => Other::Int(integer),
                (None, Some(float)) if !number.is_u64() => Other::Float(float),
                _ => Other::Atom(number.to_string()),
            },
            other => Other::Json(other.to_string()),
        }
    }

    /// The value for the builder.
    pub fn as_field(&self) -> Field<'_> {
        match self {
            Other::Atom(text) => Field::Atom(text),
            Other::Int(value) => Field::Int(*value),
            Other::Float(value) => Field::Float(*value),
            Other::Bool(value) => Field::Bool(*value),
            Other::Json(text) => Field::Json(text),
            Other::Term(text) => Field::Term(text),
        }
    }
}

impl Reader<'_> {
    /// Hands an event to the builder.
    pub(super) fn event(&mut self, record: &Record<'_>, line: u64) {
        let mut faults: Vec<Fault> = Vec::new();
        let (index, kind, class) = self.type_of(record, &mut faults);
        self.check(record, kind, class, &mut faults);
        let (old, new) = filters(record, kind);
        let automatic = matches!(record.data, Data::Integer(auto) if auto != 0);
        if kind == Kind::Stop && automatic {
            self.check_automatic(&mut faults);
        }
        let seen = Seen {
            kind,
            id: record.id,
            time: record.time,
            old_filter: old.as_deref(),
            new_filter: new.as_deref(),
            automatic,
        };
        let depth = self.windows.take(seen, &mut faults);
        self.has_overflow |= kind == Kind::Overflow;
        for (rule, message) in faults {
            let chrono = i64::from(self.builder.n_events()) + 1;
            self.builder.finding(rule, Some(chrono), Some(line), message);
        }
        self.push(record, index, depth, line);
        self.windows.leave(kind);
    }

    fn type_of(&mut self, record: &Record<'_>, faults: &mut Vec<Fault>) -> (usize, Kind, Option<Class>) {
        let (index, is_new) = self.types.of_event(record.id);
        if is_new {
            faults.push(("P2", format!("type {} is not declared", record.id)));
        }
        let found = self.types.type_mut(index);
        (index, found.kind, found.class)
    }

    fn check(&self, record: &Record<'_>, kind: Kind, class: Option<Class>, faults: &mut Vec<Fault>) {
        if class == Some(Class::User) {
            for (name, number) in [("pid", record.pid), ("tid", record.tid)] {
                if number == Some(0) {
                    faults.push(("P11", format!("`{name}` is 0, but the event is none of the system")));
                }
            }
            self.check_size(record, faults);
        }
        let has_filter = kind == Kind::Filter || (kind == Kind::Start && record.data != Data::Absent);
        if has_filter && !self.header.has_option("TEF") {
            faults.push(("P12", "a filter, but the options lack TEF".to_string()));
        }
        if matches!(kind, Kind::FlushStart | Kind::FlushStop) && !self.header.has_option("TRL") {
            faults.push(("P12", "a flush, but the options lack TRL".to_string()));
        }
    }

    fn check_size(&self, record: &Record<'_>, faults: &mut Vec<Fault>) {
        let Data::Hex(hex) = record.data else { return };
        let size = hex.len() as u64 / 2;
        match self.header.max_data_size {
            Some(most) if size > most => faults.push(("P9", format!("{size} bytes of data, but at most {most} fit"))),
            Some(most) if record.trunc == Truncation::Record && size != most => {
                faults.push(("P9", format!("data were truncated to {size} bytes, though {most} fit")));
            }
            _ => {}
        }
    }

    fn check_automatic(&self, faults: &mut Vec<Fault>) {
        let is_until_full = ["stream_full_policy", "log_full_policy"]
            .iter()
            .any(|policy| self.header.has_policy(policy, "_UNTIL_FULL"));
        if !is_until_full && self.header.object.is_some() {
            faults.push(("P8", "an automatic stop, but no policy is UNTIL_FULL".to_string()));
        }
    }

    fn push(&mut self, record: &Record<'_>, index: usize, depth: usize, source_line: u64) {
        let arity = usize::from(record.data != Data::Absent);
        let others = self.others(record);
        let header = self.header.object.as_ref().filter(|_| self.builder.n_events() == 0);
        let header = header.map(|object| object_term(object.clone()));
        let place = self.place(depth);
        let data = self.data(record, source_line);
        let key = Some(self.key(index, arity));
        let pushed = self.builder.push(&EventRow {
            call: place.call,
            depth: i64::try_from(depth).ok(),
            key,
            goal_path: Some(place.goal_path),
            source_line,
            ..EventRow::default()
        });
        let Some(event) = pushed else { return };
        self.statuses.settle(event.saturating_sub(1));
        if event == 0 || self.types.at(index).kind == Kind::Start {
            self.put_stream(event);
        }
        self.keep(data);
        self.put_known(record, index);
        others.iter().for_each(|(id, other)| self.put(*id, Some(other.as_field())));
        let running = self.running();
        self.put_value(self.ids.running, running);
        self.put_value(self.ids.window, place.window);
        self.put(self.ids.header, header.as_deref().map(Field::Term));
    }

    /// Gives the last event an attribute.
    #[inline]
    pub(super) fn put(&mut self, id: AttributeId, value: Option<Field<'_>>) {
        if let Some(value) = value {
            self.builder.extend_last(id, value);
        }
    }

    /// The same with a value that was told before.
    fn put_value(&mut self, id: AttributeId, value: Option<ValueId>) {
        self.put(id, value.map(Field::Known));
    }

    /// Gives the last event the attributes that the format knows, but for its data.
    fn put_known(&mut self, record: &Record<'_>, index: usize) {
        self.put(self.ids.time, record.time.map(Field::Int));
        self.put(self.ids.id, Some(Field::Int(record.id)));
        let class = self.class(index);
        self.put_value(self.ids.class, class);
        self.put(self.ids.pid, record.pid.map(Field::Int));
        self.put(self.ids.tid, record.tid.map(Field::Int));
        let addr = record.addr.map(|addr| self.addr(index, addr));
        self.put_value(self.ids.addr, addr);
        let truncation = self.truncation(record.trunc);
        self.put_value(self.ids.trunc, truncation);
        self.put(self.ids.wanted, record.wanted.map(Field::Int));
        let filter = self.filter();
        self.put_value(self.ids.filter, Some(filter));
    }

    /// The data of the event that comes next.
    fn data(&mut self, record: &Record<'_>, line: u64) -> Kept {
        match record.data {
            Data::Absent => Kept::Nothing,
            Data::Hex(hex) => self.hex(record, hex, line),
            Data::Integer(value) => Kept::Odd(Other::Int(value), value.to_string()),
            Data::Object(value) => {
                let text = value.to_string();
                let argument = set_argument(value).unwrap_or_else(|| string(&text));
                Kept::Odd(Other::Json(text), argument)
            }
        }
    }

    /// Data in hexadecimal, with the argument that they are: the text if the line tells it, else what the bytes are.
    fn hex(&mut self, record: &Record<'_>, hex: &str, line: u64) -> Kept {
        let told = record.others.iter().find(|(key, _)| *key == "text").and_then(|(_, value)| value.as_str());
        let bytes = data::bytes(hex);
        if bytes.is_none() {
            let message = "expected lower-case hexadecimal bytes as `data`";
            self.builder.finding("P1", Some(i64::from(self.builder.n_events()) + 1), Some(line), message);
        }
        match (told, bytes) {
            (None, Some(bytes)) => Kept::Bytes(bytes),
            (told, _) => Kept::Odd(Other::Atom(hex.to_string()), string(told.unwrap_or(hex))),
        }
    }

    /// Keeps the data of the last event.
    fn keep(&mut self, data: Kept) {
        match data {
            Kept::Nothing => self.payload.push_nothing(),
            Kept::Odd(data, argument) => self.payload.push_odd(data, argument),
            Kept::Bytes(bytes) => self.payload.push_bytes(&bytes),
        }
    }

    /// Leaves the data of all events to be made columns when they are asked for.
    pub(super) fn leave_data(&mut self) {
        if self.builder.n_events() == 0 {
            return;
        }
        let mut payload = std::mem::take(&mut self.payload);
        payload.shrink();
        self.builder.keeps_tables(payload.n_bytes());
        let payload = Arc::new(payload);
        if payload.has_texts() {
            let payload = Arc::clone(&payload);
            self.builder.lazy_values(self.ids.data, move |_, column| payload.each_value(column));
        } else {
            self.builder.fill(self.ids.data, payload.integers());
        }
        self.builder.lazy_args(move |_, column| payload.each_argument(column));
    }

    /// What stands under keys that the format does not know.
    fn others(&mut self, record: &Record<'_>) -> Vec<(AttributeId, Other)> {
        let mut others = Vec::new();
        for (key, value) in &record.others {
            let is_taken = known_attribute(key).is_some() || OWN.contains(key);
            let id =
                if is_taken { self.builder.attribute(&format!("posix_{key}")) } else { self.builder.attribute(key) };
            others.extend(id.map(|id| (id, Other::of(value))));
        }
        others
    }
}

/// The data of an event, on their way to where all are kept.
enum Kept {
    Nothing,
    Bytes(SmallVec<[u8; 128]>),
    /// Anything else, and the argument for it.
    Odd(Other, String),
}

/// A text as the string of the language.
fn string(text: &str) -> String {
    let mut string = String::new();
    data::write_string(text, &mut string);
    string
}

/// The sets that a start or a filter event tells.
fn filters(record: &Record<'_>, kind: Kind) -> (Option<Vec<i64>>, Option<Vec<i64>>) {
    let Data::Object(value) = record.data else { return (None, None) };
    let set = |key: &str| Some(value.get(key)?.as_array()?.iter().filter_map(Value::as_i64).collect());
    match kind {
        Kind::Start => (set("event_filter"), None),
        Kind::Filter => (set("old"), set("new")),
        _ => (None, None),
    }
}

/// `[36]` for the set of a start, `filter([36], [])` for those of a filter event.
fn set_argument(value: &Value) -> Option<String> {
    let set = |key: &str| {
        let ids: Option<Vec<i64>> = value.get(key)?.as_array()?.iter().map(Value::as_i64).collect();
        ids.map(|ids| list(&ids))
    };
    set("event_filter").or_else(|| Some(format!("filter({}, {})", set("old")?, set("new")?)))
}

/// `[33,36]`
pub fn list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", ids.join(","))
}
