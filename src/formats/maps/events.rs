//! From lines to events: takes the chunks in order, finds the box of each event, and hands it to the builder.

use super::boxes::{BoxFault, EventPlace, KeyedBoxes, KeyedEvent};
use super::chunk::{CALL, Column, EventKey, LineFault, LineReader, MappedEvent, MappedLines, StoredKind, StoredValue};
use super::columns::MapAttributes;
use super::rules::shown;
use crate::formats::json::own_value::OwnValue;
use crate::formats::json::value::Json;
use crate::formats::lines::Lines;
use crate::trace::{AttributeId, EventId, EventRow, Field, KeyId, ListField, ProcRow, TextSpan, TraceBuilder};

/// Reads a trace; holds what is known so far.
pub(crate) struct MappedReader<'r> {
    reader: &'r LineReader<'r>,
    builder: &'r mut TraceBuilder,
    ids: MapAttributes,
    boxes: KeyedBoxes,
    /// The calls around calls, at the first events of these.
    parents: Vec<(EventId, i64)>,
    last_time: Option<i64>,
    n_lines: u64,
}

impl<'r> MappedReader<'r> {
    /// Nothing is read yet.
    pub(crate) fn new(reader: &'r LineReader<'r>, builder: &'r mut TraceBuilder) -> MappedReader<'r> {
        MappedReader {
            ids: MapAttributes::new(reader.map, builder),
            boxes: KeyedBoxes::new(reader.map.nest.is_some()),
            parents: Vec::new(),
            last_time: None,
            n_lines: 0,
            reader,
            builder,
        }
    }

    /// Takes all events of a chunk.
    pub(crate) fn take(&mut self, lines: &MappedLines) {
        let mut faults = lines.faults.iter().peekable();
        let mut values_start = 0;
        let keys: Vec<KeyId> = lines.keys.iter().map(|key| self.key(lines, key)).collect();
        for (index, event) in lines.events.iter().enumerate() {
            let has_before = |fault: &&LineFault| fault.n_before <= index;
            while let Some(fault) = faults.next_if(has_before) {
                self.report(fault);
            }
            let key = keys.get(event.key_number as usize).copied();
            self.event(lines, event, key, &lines.values[values_start..event.values_end]);
            values_start = event.values_end;
        }
        faults.for_each(|fault| self.report(fault));
        self.n_lines += lines.n_lines;
    }

    /// Counts a line that is too long.
    pub(crate) fn leave_out(&mut self) {
        self.n_lines += 1;
        let message = format!("a line of more than {} MiB is left out", Lines::LONGEST >> 20);
        self.builder.finding("J1", None, Some(self.n_lines), message);
    }

    /// Hands over what is known only at the end; returns the number of lines.
    pub(crate) fn finish(self) -> u64 {
        let parents = self.parents.iter().map(|(event, parent)| (*event, Field::Int(*parent)));
        self.builder.fill(AttributeId::PARENT, parents);
        self.n_lines
    }

    fn report(&mut self, fault: &LineFault) {
        let chrono = fault.is_of_event.then(|| self.chrono());
        self.builder.finding(fault.rule, chrono, Some(self.n_lines + fault.line + 1), fault.message.clone());
    }

    /// The number of the next event.
    fn chrono(&self) -> i64 {
        i64::from(self.builder.n_events()) + 1
    }

    /// The name, module and port of events of a chunk as the builder knows them.
    fn key(&mut self, lines: &MappedLines, key: &EventKey) -> KeyId {
        let text = |span: Option<TextSpan>| span.and_then(|span| lines.text_of(span));
        let proc = ProcRow { name: text(key.name), decl_module: text(key.module), ..ProcRow::default() };
        self.builder.key(&proc, Some(self.reader.ports[usize::from(key.port)].0), None)
    }

    fn event(&mut self, lines: &MappedLines, event: &MappedEvent, known: Option<KeyId>, values: &[StoredValue]) {
        let text = |span: Option<TextSpan>| span.and_then(|span| lines.text_of(span));
        let role = self.reader.ports[usize::from(event.port)].1;
        let name = text(event.name);
        let key = text(event.key);
        let place = self.boxes.place(&KeyedEvent {
            role,
            key,
            parent: text(event.parent),
            thread: text(event.thread),
            around: text(event.around),
            name,
            may_open: event.may_open,
        });
        let line = self.n_lines + event.line + 1;
        let extra = self.extra(lines, event, values);
        let row = EventRow { key: known, extra: &extra, source_line: line, ..EventRow::default() };
        let new_in = place.found.and_then(|found| found.new_in);
        let call = match new_in {
            Some(_) if event.port != CALL => {
                let (name, module) = (event.name, event.module);
                let key = self.key(lines, &EventKey { name, module, port: CALL });
                self.push(&EventRow { key: Some(key), ..row }, &place)
            }
            _ => None,
        };
        self.check(event, key, &place, line);
        let args = text(event.args).map_or(ListField::Absent, ListField::Text);
        let arg_names = self.reader.arg_names.of_first(event.n_args);
        let own = self.push(&EventRow { args, arg_names, ..row }, &place);
        self.parents.extend(call.or(own).zip(new_in.flatten()));
    }

    /// The attributes of an event beyond those that all formats have.
    fn extra<'l>(
        &self,
        lines: &'l MappedLines,
        event: &MappedEvent,
        values: &[StoredValue],
    ) -> Vec<(AttributeId, Field<'l>)> {
        let mut extra: Vec<(AttributeId, Field<'l>)> = Vec::with_capacity(values.len() + 1);
        extra.extend(self.ids.time.zip(event.time.map(Field::Int)));
        for value in values {
            let id = match value.column {
                Column::Pid => self.ids.pid,
                Column::Thread => self.ids.thread,
                Column::Own(number) => self.ids.columns.get(number).copied().flatten(),
            };
            let text = lines.text_of(value.text).unwrap_or_default();
            extra.extend(id.map(|id| (id, field(value.kind, text))));
        }
        extra
    }

    /// Reports what is wrong with the key or the time of the next event.
    fn check(&mut self, event: &MappedEvent, key: Option<&str>, place: &EventPlace, line: u64) {
        let key = || shown(key.unwrap_or("null"));
        match place.fault {
            Some(BoxFault::OpenAlready) => {
                self.fault("J6", line, format!("a box with the key {} is open already", key()))
            }
            Some(BoxFault::NotOpen) => self.fault("J7", line, format!("no box with the key {} is open", key())),
            None => {}
        }
        let Some(time) = event.time else { return };
        if let Some(last) = self.last_time.filter(|last| time < *last) {
            self.fault("J8", line, format!("time goes back from {last} to {time}"));
        }
        self.last_time = Some(time);
    }

    fn fault(&mut self, rule: &'static str, line: u64, message: String) {
        let chrono = self.chrono();
        self.builder.finding(rule, Some(chrono), Some(line), message);
    }

    fn push(&mut self, row: &EventRow<'_>, place: &EventPlace) -> Option<EventId> {
        let call = place.found.map(|found| found.call);
        let depth = Some(place.found.map_or(0, |found| found.depth));
        self.builder.push(&EventRow { call, depth, ..*row })
    }
}

/// The value for the builder.
fn field(kind: StoredKind, text: &str) -> Field<'_> {
    match kind {
        StoredKind::Text => Field::Text(text),
        StoredKind::Bool => Field::Bool(text == "true"),
        StoredKind::Nested => Field::Json(text),
        StoredKind::Number => match OwnValue::of(&Json::of(text)) {
            OwnValue::Int(value) => Field::Int(value),
            OwnValue::Float(value) => Field::Float(value),
            OwnValue::BigInt(_) => Field::BigInt(text),
            _ => Field::Text(text),
        },
    }
}
