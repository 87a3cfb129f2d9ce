//! From lines to events: what a line means for the trace, and the values of its event.

use std::sync::Arc;

use serde_json::{Map, Value};
use smallvec::SmallVec;

use super::FORMAT;
use super::columns::{AttributeIds, OWN};
use super::data;
use super::event_types::{EventMeaning, EventTypes};
use super::line;
use super::part::{EventData, EventRecord, OtherLine, PosixPart};
use super::rules::BrokenRule;
use super::stream::{Statuses, StreamHeader, object_term};
use super::windows::Windows;
use crate::formats::json::own_value::OwnValue;
use crate::formats::json::value::Json;
use crate::formats::lines::kept::KeptBlocks;
use crate::formats::lines::{Chunk, LineEnding, Lines};
use crate::trace::{
    AttributeId, EventRow, EventTable, Field, KeyId, ListField, PathId, ProcRow, TraceBuilder, known_attribute,
};

/// A trace that is being read.
pub(super) struct PosixReader<'b> {
    pub(super) builder: &'b mut TraceBuilder,
    pub(super) ids: AttributeIds,
    pub(super) header: StreamHeader,
    types: EventTypes,
    windows: Windows,
    /// The path of the windows that are open for an event, by the number of their changes and how many they are.
    path: Option<((u64, usize), PathId)>,
    data: KeptBlocks,
    /// Whether any data are not integers.
    has_texts: bool,
    pub(super) statuses: Statuses,
    /// The number of lines so far that are not blank.
    pub(super) n_lines: u64,
    /// The number of lines in earlier chunks.
    pub(super) n_input_lines: u64,
    /// The object of the line `end`.
    pub(super) end: Option<Map<String, Value>>,
    pub(super) has_overflow: bool,
    /// Whether a status reported an overrun.
    pub(super) was_overrun: bool,
}

impl PosixReader<'_> {
    /// A reader that fills a builder without events; `n_input_lines` lines were read before.
    pub(super) fn new(ids: AttributeIds, n_input_lines: u64, builder: &mut TraceBuilder) -> PosixReader<'_> {
        PosixReader {
            builder,
            ids,
            header: StreamHeader::default(),
            types: EventTypes::default(),
            windows: Windows::default(),
            path: None,
            data: KeptBlocks::default(),
            has_texts: false,
            statuses: Statuses::default(),
            n_lines: 0,
            n_input_lines,
            end: None,
            has_overflow: false,
            was_overrun: false,
        }
    }

    /// Takes the lines of the next chunk.
    pub(super) fn part(&mut self, chunk: &Chunk, part: &mut PosixPart) {
        if chunk.ending == LineEnding::TooLong {
            self.n_input_lines += 1;
            return self.fault(FORMAT.rule, self.n_input_lines, Lines::too_long("line"));
        }
        if !self.builder.make_room(part.table.n_rows(), part.data.n_bytes()) {
            return;
        }
        let (first, mut others) = (self.builder.n_events(), part.others.iter().peekable());
        for (row, record) in (0..).zip(&part.events) {
            while let Some(other) = others.next_if(|other| other.n_before <= row) {
                self.other(other);
            }
            self.event(record, row, &mut part.table);
        }
        others.for_each(|other| self.other(other));
        self.builder.append_table(first, &part.table, 0..part.table.n_rows());
        self.data.add(first, &part.data);
        self.n_input_lines += part.n_lines;
    }

    fn other(&mut self, other: &OtherLine) {
        let number = self.n_input_lines + other.line + 1;
        self.begin_line(number);
        let taken = match &other.text {
            Ok(text) => self.line(text, number),
            Err(reason) => {
                self.need_header(number);
                Err(reason.clone())
            }
        };
        if let Err(message) = taken {
            self.fault(FORMAT.rule, number, message);
        }
    }

    fn begin_line(&mut self, number: u64) {
        self.n_lines += 1;
        if self.end.is_some() {
            self.fault("P1", number, "nothing may follow the line `end`");
        }
    }

    /// Takes a header, a type, a status or the end. Any other line is an error.
    fn line(&mut self, text: &str, number: u64) -> Result<(), String> {
        let object = line::object(text)?;
        if object.contains_key("posix_trace") {
            return self.header_line(object);
        }
        self.need_header(number);
        if object.contains_key("type") {
            let fault = self.types.declare(&object)?;
            fault.into_iter().for_each(|fault| self.fault("P2", number, fault));
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
    pub(super) fn fault(&mut self, rule: &'static str, line: u64, message: impl Into<String>) {
        self.builder.finding(rule, None, Some(line), message);
    }

    /// Adds what is known only at the end of the file.
    pub(super) fn finish(mut self, last_line: u64) {
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
            self.builder.extend_last(self.ids.end, Field::Term(&object_term(&end)));
        }
    }

    /// Hands the data of all events to lazy columns.
    fn leave_data(&mut self) {
        if self.builder.n_events() == 0 {
            return;
        }
        let data = Arc::new(std::mem::take(&mut self.data));
        self.builder.keeps_tables(data.n_bytes());
        let (values, id) = (Arc::clone(&data), self.ids.data);
        match self.has_texts {
            true => self.builder.lazy_values(id, move |_, column| {
                values.each(|event, kind, bytes| data::with_value(kind, bytes, |field| column.set(event, field)));
            }),
            false => values.each(|event, kind, bytes| {
                data::with_value(kind, bytes, |field| self.builder.fill(id, [(event, field)].into_iter()));
            }),
        }
        self.builder.lazy_args(move |_, column| {
            data.each(|event, kind, bytes| {
                let mut text = String::new();
                data::write_argument_of(kind, bytes, &mut text);
                column.set(event, ListField::Text(&text));
            });
        });
    }
}

impl PosixReader<'_> {
    /// Adds an event to the trace, with findings for the rules that it breaks.
    fn event(&mut self, record: &EventRecord, row: u32, table: &mut EventTable) {
        let line = self.n_input_lines + record.line + 1;
        self.begin_line(line);
        self.need_header(line);
        record.faults.iter().for_each(|fault| self.fault("P1", line, fault.as_str()));
        let mut faults: Vec<BrokenRule> = Vec::new();
        let (index, is_new) = self.types.of_event(record.id);
        if is_new {
            faults.push(("P2", format!("type {} is not declared", record.id)));
        }
        let (kind, class) = (self.types.at(index).kind, self.types.at(index).class);
        self.check(record, kind, class, &mut faults);
        let [old_filter, new_filter] = filters(record, kind);
        if kind == EventMeaning::Stop && record.is_automatic() {
            self.check_automatic(&mut faults);
        }
        let filters = [old_filter.as_deref(), new_filter.as_deref()];
        let depth = self.windows.take(kind, record, filters, &mut faults);
        self.has_overflow |= kind == EventMeaning::Overflow;
        if let EventData::Bytes(_, false) = record.data {
            faults.push(("P1", "expected lower-case hexadecimal bytes as `data`".to_owned()));
        }
        for (rule, message) in faults {
            let chrono = i64::from(self.builder.n_events()) + 1;
            self.builder.finding(rule, Some(chrono), Some(line), message);
        }
        self.push(record, index, depth, (row, line), table);
        self.windows.leave(kind);
    }

    fn push(
        &mut self,
        record: &EventRecord,
        index: usize,
        depth: usize,
        (row, source_line): (u32, u64),
        table: &mut EventTable,
    ) {
        let goal_path = Some(self.path(depth));
        let key = Some(self.key(index, usize::from(record.data != EventData::Absent)));
        let window = depth.checked_sub(1).map(|innermost| &self.windows.open()[innermost]);
        let call = window.map(|window| window.call);
        let depth = i64::try_from(depth).ok();
        let pushed = self.builder.push(&EventRow { call, depth, key, goal_path, source_line, ..EventRow::default() });
        let Some(event) = pushed else { return };
        let mut put = |id, field: Option<Field<'_>>| field.into_iter().for_each(|field| table.set(id, row, field));
        put(self.ids.class, self.types.at(index).class.map(|class| Field::Atom(class.word())));
        put(self.ids.filter, Some(Field::Json(self.windows.filter())));
        put(self.ids.running, self.windows.is_running().map(Field::Bool));
        put(self.ids.window, window.map(|window| Field::Atom(&window.name)));
        self.has_texts |= !matches!(record.data, EventData::Absent | EventData::Integer(_));
        self.statuses.settle(event.saturating_sub(1));
        if event == 0 || self.types.at(index).kind == EventMeaning::Start {
            self.put_stream(event, row, table);
        }
        if let Some(header) = self.header.object.as_ref().filter(|_| event == 0) {
            table.set(self.ids.header, row, Field::Term(&object_term(header)));
        }
        for (key, value) in &record.others {
            if let Some(id) = self.other_attribute(key) {
                table.set(id, row, OwnValue::of(&Json::of(value)).text_as_atom().as_field());
            }
        }
    }

    /// The procedure and port of a type of events.
    fn key(&mut self, index: usize, arity: usize) -> KeyId {
        let found = self.types.type_mut(index);
        *found.keys[arity].get_or_insert_with(|| {
            let proc = ProcRow { name: Some(&found.name), arity: Some(arity as i64), ..ProcRow::default() };
            self.builder.key(&proc, Some(found.port), None)
        })
    }

    /// The names of the windows that are open for an event.
    fn path(&mut self, depth: usize) -> PathId {
        let state = (self.windows.n_changes(), depth);
        match self.path {
            Some((known, path)) if known == state => path,
            _ => {
                let names: SmallVec<[&str; 4]> = self.windows.open()[..depth].iter().map(|open| &*open.name).collect();
                self.path.insert((state, self.builder.path(&names))).1
            }
        }
    }

    /// The attribute of a key that the format does not know.
    fn other_attribute(&mut self, key: &str) -> Option<AttributeId> {
        match known_attribute(key).is_some() || OWN.contains(&key) {
            true => self.builder.attribute(&format!("posix_{key}")),
            false => self.builder.attribute(key),
        }
    }
}

/// The filters that a start or a filter event states: the one in force or being replaced, and the new one.
fn filters(record: &EventRecord, kind: EventMeaning) -> [Option<Vec<i64>>; 2] {
    let (EventData::Other(json), EventMeaning::Start | EventMeaning::Filter) = (&record.data, kind) else {
        return [None, None];
    };
    let value = serde_json::from_str(json).unwrap_or_default();
    match kind {
        EventMeaning::Start => [data::filter(&value, "event_filter"), None],
        _ => [data::filter(&value, "old"), data::filter(&value, "new")],
    }
}
