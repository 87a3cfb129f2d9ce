//! From lines to events: takes the chunks in order, finds the box of each event, and hands them to the builder.

use super::args;
use super::boxes::{BoxFault, BoxRole, EventPlace, KeyedBoxes, KeyedEvent, PlacedBox};
use super::chunk::{CALL, EventKey, LineFault, LineReader, MappedEvent, MappedLines};
use super::rules::shown;
use crate::formats::lines::Lines;
use crate::formats::lines::kept::KeptBlocks;
use crate::term::hash::NumberMap;
use crate::trace::{ArgsId, AttributeId, EventId, EventRow, Field, KeyId, ListField, ProcRow, TextSpan, TraceBuilder};

/// Reads a trace; holds what is known so far.
pub(crate) struct MappedReader<'r> {
    reader: &'r LineReader<'r>,
    builder: &'r mut TraceBuilder,
    boxes: KeyedBoxes,
    args: KeptBlocks,
    has_args: bool,
    /// The row of each event of a chunk; the call that an event implies has the same one.
    rows: Vec<u32>,
    /// By number of arguments, from 1, the number of their names.
    arg_names: Vec<Option<ArgsId>>,
    /// The calls around calls, at the first events of these.
    parents: Vec<(EventId, i64)>,
    /// The ends of calls of which no beginning was seen.
    unmeasured: Vec<EventId>,
    /// The keys of ends, by those of the beginnings and the ports.
    end_keys: NumberMap<(KeyId, u16), KeyId>,
    last_time: Option<i64>,
    n_lines: u64,
}

impl<'r> MappedReader<'r> {
    /// Nothing is read yet.
    pub(crate) fn new(reader: &'r LineReader<'r>, builder: &'r mut TraceBuilder) -> MappedReader<'r> {
        MappedReader {
            boxes: KeyedBoxes::new(reader.map.nest.is_some()),
            args: KeptBlocks::default(),
            has_args: false,
            rows: Vec::new(),
            arg_names: vec![None; reader.map.args.len()],
            parents: Vec::new(),
            unmeasured: Vec::new(),
            end_keys: NumberMap::default(),
            last_time: None,
            n_lines: 0,
            reader,
            builder,
        }
    }

    /// Takes all events of a chunk.
    pub(crate) fn take(&mut self, lines: &MappedLines) {
        if !self.builder.make_room(lines.table.n_rows(), lines.args.n_bytes()) {
            return;
        }
        let (first, mut faults) = (self.builder.n_events(), lines.faults.iter().peekable());
        let keys: Vec<KeyId> = (0..lines.keys.len() as u32).map(|key| self.key(lines.keys.at(key))).collect();
        self.rows.clear();
        for (row, event) in (0..).zip(&lines.events) {
            while let Some(fault) = faults.next_if(|fault| fault.n_before <= row) {
                self.report(fault);
            }
            self.event(lines, row, event, keys[event.key_number as usize]);
        }
        faults.for_each(|fault| self.report(fault));
        self.builder.append_table(first, &lines.table, self.rows.iter().copied());
        self.args.add(first, &lines.args);
        self.n_lines += u64::from(lines.n_lines);
    }

    /// Counts a line that is too long.
    pub(crate) fn leave_out(&mut self) {
        self.n_lines += 1;
        let message = Lines::too_long("line");
        self.builder.finding("J1", None, Some(self.n_lines), message);
    }

    /// Hands over what is known only at the end; returns the number of lines.
    pub(crate) fn finish(self) -> u64 {
        let parents = self.parents.iter().map(|(event, parent)| (*event, Field::Int(*parent)));
        self.builder.fill(AttributeId::PARENT, parents);
        let unmeasured = self.unmeasured.iter().map(|event| (*event, Field::Bool(false)));
        self.builder.fill(AttributeId::DURATION_KNOWN, unmeasured);
        if self.has_args {
            args::leave(self.args, self.builder);
        }
        self.n_lines
    }

    fn report(&mut self, fault: &LineFault) {
        let chrono = fault.is_of_event.then(|| self.chrono());
        let line = self.n_lines + u64::from(fault.line) + 1;
        self.builder.finding(fault.rule, chrono, Some(line), fault.message.clone());
    }

    /// The number of the next event.
    fn chrono(&self) -> i64 {
        i64::from(self.builder.n_events()) + 1
    }

    /// A name, module and port as the builder knows them.
    fn key(&mut self, key: EventKey<'_>) -> KeyId {
        let proc = ProcRow { name: key.name, decl_module: key.module, ..ProcRow::default() };
        self.builder.key(&proc, Some(self.reader.ports[usize::from(key.port)].0), None)
    }

    fn event(&mut self, lines: &MappedLines, row: u32, event: &MappedEvent, key: KeyId) {
        let text = |span: Option<TextSpan>| span.and_then(|span| lines.text_of(span));
        let named = lines.keys.at(event.key_number);
        let role = self.reader.ports[usize::from(event.port)].1;
        let place = self.boxes.place(&KeyedEvent {
            role,
            key: text(event.key),
            parent: text(event.parent),
            thread: text(event.thread),
            around: text(event.around),
            name: named.name,
            may_open: event.may_open,
            opener: key,
        });
        let first = self.builder.n_events();
        let new_in = place.found.and_then(|found| found.new_in);
        if new_in.is_some() && event.port != CALL {
            let key = self.key(EventKey { port: CALL, ..named });
            self.args.leave_without(first);
            self.builder.make_room(1, 0);
            self.push(row, event.line, key, place.found, 0);
            self.unmeasured.extend((role == BoxRole::Closes).then_some(first.saturating_add(1)));
        }
        self.check(lines, event, &place);
        let key = match place.found {
            Some(PlacedBox { opener, new_in: None, .. }) if role == BoxRole::Closes => self.end_key(opener, event.port),
            _ => key,
        };
        self.push(row, event.line, key, place.found, event.n_args);
        self.parents.extend(new_in.flatten().map(|parent| (first, parent)));
    }

    /// The key of an event that closes a box, by that of the one that opened it.
    fn end_key(&mut self, opener: KeyId, port: u16) -> KeyId {
        let builder = &mut *self.builder;
        let (name, _) = self.reader.ports[usize::from(port)];
        *self.end_keys.entry((opener, port)).or_insert_with(|| builder.key_at_port(opener, name))
    }

    /// Reports what is wrong with the key or the time of the next event.
    fn check(&mut self, lines: &MappedLines, event: &MappedEvent, place: &EventPlace) {
        let key = || shown(event.key.and_then(|key| lines.text_of(key)).unwrap_or("null"));
        match place.fault {
            Some(BoxFault::OpenAlready) => {
                self.fault("J6", event.line, format!("a box with the key {} is open already", key()));
            }
            Some(BoxFault::NotOpen) => self.fault("J7", event.line, format!("no box with the key {} is open", key())),
            None => {}
        }
        let Some(time) = event.time else { return };
        if let Some(last) = self.last_time.filter(|last| time < *last) {
            self.fault("J8", event.line, format!("time goes back from {last} to {time}"));
        }
        self.last_time = Some(time);
    }

    #[cold]
    fn fault(&mut self, rule: &'static str, line: u32, message: String) {
        let (chrono, line) = (self.chrono(), self.n_lines + u64::from(line) + 1);
        self.builder.finding(rule, Some(chrono), Some(line), message);
    }

    /// Adds an event with its key, its box and the names of its arguments.
    fn push(&mut self, row: u32, line: u32, key: KeyId, found: Option<PlacedBox>, n_args: usize) {
        let names = n_args.checked_sub(1).map(|index| {
            let of_first = || self.builder.names(self.reader.arg_names.of_first(n_args));
            ListField::Known(*self.arg_names[index].get_or_insert_with(of_first))
        });
        self.has_args |= names.is_some();
        self.rows.push(row);
        self.builder.push(&EventRow {
            call: found.map(|found| found.call),
            depth: Some(found.map_or(0, |found| found.depth)),
            key: Some(key),
            arg_names: names.unwrap_or_default(),
            source_line: self.n_lines + u64::from(line) + 1,
            ..EventRow::default()
        });
    }
}
