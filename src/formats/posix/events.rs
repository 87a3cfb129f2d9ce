//! From lines to events: what a line means for the trace, and the values of its event.

use std::sync::Arc;

use serde_json::{Map, Value};
use smallvec::SmallVec;

use super::FORMAT;
use super::append::RowBuffers;
use super::columns::{AttributeIds, OWN, OwnedField, Payload};
use super::data;
use super::event_types::{EventMeaning, EventTypes, TypeClass};
use super::line::{self, EventData, EventRecord};
use super::rules::BrokenRule;
use super::shared_values::SharedValues;
use super::stream::{Statuses, StreamHeader, object_term};
use super::windows::{WindowEvent, Windows};
use crate::formats::lines::Lines;
use crate::trace::{AttributeId, EventRow, Field, TraceBuilder, ValueId, known_attribute};

/// A trace that is being read.
pub(crate) struct PosixReader<'b> {
    pub(crate) builder: &'b mut TraceBuilder,
    pub(crate) ids: AttributeIds,
    pub(crate) header: StreamHeader,
    pub(crate) types: EventTypes,
    pub(crate) windows: Windows,
    pub(crate) shared: SharedValues,
    pub(crate) payload: Payload,
    pub(crate) buffers: RowBuffers,
    pub(crate) statuses: Statuses,
    /// The number of lines so far that are not blank.
    pub(crate) n_lines: u64,
    /// The number of lines in earlier chunks.
    pub(crate) n_input_lines: u64,
    /// The object of the line `end`.
    pub(crate) end: Option<Map<String, Value>>,
    pub(crate) has_overflow: bool,
    /// Whether a status reported an overrun.
    pub(crate) was_overrun: bool,
}

impl PosixReader<'_> {
    /// A reader that fills a builder without events; `n_input_lines` lines were read before.
    pub(crate) fn new(n_input_lines: u64, builder: &mut TraceBuilder) -> PosixReader<'_> {
        let ids = AttributeIds::new(builder);
        PosixReader {
            builder,
            ids,
            header: StreamHeader::default(),
            types: EventTypes::default(),
            windows: Windows::default(),
            shared: SharedValues::default(),
            payload: Payload::default(),
            buffers: RowBuffers::default(),
            statuses: Statuses::default(),
            n_lines: 0,
            n_input_lines,
            end: None,
            has_overflow: false,
            was_overrun: false,
        }
    }

    /// Reports a line that is left out because it is too long.
    pub(crate) fn long_line(&mut self, number: u64) {
        let message = Lines::too_long("line");
        self.fault(FORMAT.rule, number, message);
    }

    /// Reads a line: a header, a type, an event, a status or the end. Any other line is an error.
    pub(crate) fn line(&mut self, text: &str, number: u64) -> Result<(), String> {
        self.n_lines += 1;
        if self.end.is_some() {
            self.fault("P1", number, "nothing may follow the line `end`");
        }
        let object = line::object(text)?;
        if object.contains_key("posix_trace") {
            return self.header_line(object);
        }
        self.need_header(number);
        if object.contains_key("t") || object.contains_key("id") {
            let (record, faults) = EventRecord::of(&object)?;
            faults.into_iter().for_each(|fault| self.builder.finding("P1", None, Some(number), fault));
            self.event(&record, number);
        } else if object.contains_key("type") {
            let fault = self.types.declare(&object)?;
            fault.into_iter().for_each(|fault| self.builder.finding("P2", None, Some(number), fault));
        } else if object.contains_key("end") {
            self.note_status(object.get("status"));
            self.end = Some(object);
        } else if let Some(status) = object.get("status") {
            self.note_status(Some(status));
            self.statuses.pending.push(status.clone());
        } else {
            return Err("expected a header, a type, an event, a status or the end".to_string());
        }
        Ok(())
    }

    fn header_line(&mut self, object: Map<String, Value>) -> Result<(), String> {
        if self.header.object.is_some() {
            return Err("a second header: it is left out".to_string());
        }
        let is_first = self.n_lines == 1;
        self.header.take(object);
        if is_first { Ok(()) } else { Err("the header must be the first line".to_string()) }
    }

    fn note_status(&mut self, status: Option<&Value>) {
        let Some(status) = status else { return };
        let keys = ["stream_overrun", "stream_overrun_status", "log_overrun", "log_overrun_status"];
        let is_overrun = |key: &&str| matches!(status.get(*key), Some(Value::String(word)) if word.ends_with("_OVERRUN") && !word.ends_with("NO_OVERRUN"));
        self.was_overrun |= keys.iter().any(is_overrun);
    }

    /// Reports a broken rule.
    pub(crate) fn fault(&mut self, rule: &'static str, line: u64, message: impl Into<String>) {
        self.builder.finding(rule, None, Some(line), message);
    }

    /// Adds what is known only at the end of the file.
    pub(crate) fn finish(mut self, last_line: u64) {
        self.leave_data();
        if self.n_lines == 0 {
            return;
        }
        self.check_end(last_line);
        let end = self.end.take();
        self.put_statuses(end.as_ref().and_then(|end| end.get("status")).filter(|status| status.is_object()));
        self.builder.extend_last(self.ids.event_types, Field::Term(&self.types.table()));
        if let Some(end) = end {
            let lost = end.get("lost").and_then(Value::as_i64);
            lost.into_iter().for_each(|lost| self.builder.extend_last(self.ids.lost, Field::Int(lost)));
            self.builder.extend_last(self.ids.end, Field::Term(&object_term(end)));
        }
    }
}

impl PosixReader<'_> {
    /// Adds an event to the trace, with findings for the rules that it breaks.
    pub(crate) fn event(&mut self, record: &EventRecord<'_>, line: u64) {
        let mut faults: Vec<BrokenRule> = Vec::new();
        let (index, kind, class) = self.type_of(record, &mut faults);
        self.check(record, kind, class, &mut faults);
        let (old, new) = filters(record, kind);
        let automatic = matches!(record.data, EventData::Integer(auto) if auto != 0);
        if kind == EventMeaning::Stop && automatic {
            self.check_automatic(&mut faults);
        }
        let in_windows = WindowEvent {
            kind,
            id: record.id,
            time: record.time,
            old_filter: old.as_deref(),
            new_filter: new.as_deref(),
            automatic,
        };
        let depth = self.windows.take(in_windows, &mut faults);
        self.has_overflow |= kind == EventMeaning::Overflow;
        for (rule, message) in faults {
            let chrono = i64::from(self.builder.n_events()) + 1;
            self.builder.finding(rule, Some(chrono), Some(line), message);
        }
        self.push(record, index, depth, line);
        self.windows.leave(kind);
    }

    fn type_of(
        &mut self,
        record: &EventRecord<'_>,
        faults: &mut Vec<BrokenRule>,
    ) -> (usize, EventMeaning, Option<TypeClass>) {
        let (index, is_new) = self.types.of_event(record.id);
        if is_new {
            faults.push(("P2", format!("type {} is not declared", record.id)));
        }
        let found = self.types.type_mut(index);
        (index, found.kind, found.class)
    }

    fn push(&mut self, record: &EventRecord<'_>, index: usize, depth: usize, source_line: u64) {
        let arity = usize::from(record.data != EventData::Absent);
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
        if event == 0 || self.types.at(index).kind == EventMeaning::Start {
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
    pub(crate) fn put(&mut self, id: AttributeId, value: Option<Field<'_>>) {
        if let Some(value) = value {
            self.builder.extend_last(id, value);
        }
    }

    /// Gives the last event an attribute whose value the trace has numbered already.
    fn put_value(&mut self, id: AttributeId, value: Option<ValueId>) {
        self.put(id, value.map(Field::Known));
    }

    /// Gives the last event the attributes that the format knows, except its data.
    fn put_known(&mut self, record: &EventRecord<'_>, index: usize) {
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

    /// The data of the next event.
    fn data(&mut self, record: &EventRecord<'_>, line: u64) -> KeptData {
        match record.data {
            EventData::Absent => KeptData::Nothing,
            EventData::Hex(hex) => self.hex(record, hex, line),
            EventData::Integer(value) => KeptData::Other(OwnedField::Int(value), value.to_string()),
            EventData::Object(value) => {
                let text = value.to_string();
                let argument = set_argument(value).unwrap_or_else(|| string(&text));
                KeptData::Other(OwnedField::Json(text), argument)
            }
        }
    }

    /// Data in hexadecimal, with the argument that shows them: the text that the line states, or else the bytes
    /// themselves.
    fn hex(&mut self, record: &EventRecord<'_>, hex: &str, line: u64) -> KeptData {
        let stated = record.others.iter().find(|(key, _)| *key == "text").and_then(|(_, value)| value.as_str());
        let bytes = data::bytes(hex);
        if bytes.is_none() {
            let message = "expected lower-case hexadecimal bytes as `data`";
            self.builder.finding("P1", Some(i64::from(self.builder.n_events()) + 1), Some(line), message);
        }
        match (stated, bytes) {
            (None, Some(bytes)) => KeptData::Bytes(bytes),
            (stated, _) => KeptData::Other(OwnedField::Atom(hex.to_string()), string(stated.unwrap_or(hex))),
        }
    }

    /// Keeps the data of the last event.
    fn keep(&mut self, data: KeptData) {
        match data {
            KeptData::Nothing => self.payload.push_nothing(),
            KeptData::Other(data, argument) => self.payload.push_odd(data, argument),
            KeptData::Bytes(bytes) => self.payload.push_bytes(&bytes),
        }
    }

    /// Hands the data of all events to lazy columns.
    pub(crate) fn leave_data(&mut self) {
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

    /// The values of keys that the format does not know.
    fn others(&mut self, record: &EventRecord<'_>) -> Vec<(AttributeId, OwnedField)> {
        let mut others = Vec::new();
        for (key, value) in &record.others {
            let is_taken = known_attribute(key).is_some() || OWN.contains(key);
            let id =
                if is_taken { self.builder.attribute(&format!("posix_{key}")) } else { self.builder.attribute(key) };
            others.extend(id.map(|id| (id, OwnedField::of(value))));
        }
        others
    }
}

/// The data of one event, before the payload takes them.
enum KeptData {
    Nothing,
    Bytes(SmallVec<[u8; 128]>),
    /// Any other value, and its argument.
    Other(OwnedField, String),
}

/// A text as a string of the query language.
fn string(text: &str) -> String {
    let mut string = String::new();
    data::write_string(text, &mut string);
    string
}

/// The filters that a start or a filter event states: the one in force or being replaced, and the new one.
fn filters(record: &EventRecord<'_>, kind: EventMeaning) -> (Option<Vec<i64>>, Option<Vec<i64>>) {
    let EventData::Object(value) = record.data else { return (None, None) };
    let set = |key: &str| Some(value.get(key)?.as_array()?.iter().filter_map(Value::as_i64).collect());
    match kind {
        EventMeaning::Start => (set("event_filter"), None),
        EventMeaning::Filter => (set("old"), set("new")),
        _ => (None, None),
    }
}

/// The filters as an argument: `[36]` for a start, `filter([36], [])` for a filter event.
fn set_argument(value: &Value) -> Option<String> {
    let set = |key: &str| {
        let ids: Option<Vec<i64>> = value.get(key)?.as_array()?.iter().map(Value::as_i64).collect();
        ids.map(|ids| list(&ids))
    };
    set("event_filter").or_else(|| Some(format!("filter({}, {})", set("old")?, set("new")?)))
}

/// Ids as a list: `[33,36]`.
pub(crate) fn list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", ids.join(","))
}
