//! From lines to events: takes the chunks in order, finds the box of each event, and hands them to the builder.

use super::args::AllArgs;
use super::boxes::{BoxFault, BoxRole, EventPlace, KeyedBoxes, KeyedEvent, PlacedBox};
use super::cells::{CellBuffers, NO_INT};
use super::chunk::{CALL, EventKey, LineFault, LineReader, MappedEvent, MappedLines};
use super::columns::MapAttributes;
use super::rules::shown;
use crate::formats::lines::Lines;
use crate::term::hash::NumberMap;
use crate::trace::{ArgsId, AttributeId, EventId, Field, KeyId, ProcRow, Rows, TextSpan, TraceBuilder, refill};

/// Reads a trace; holds what is known so far.
pub(crate) struct MappedReader<'r> {
    reader: &'r LineReader<'r>,
    builder: &'r mut TraceBuilder,
    ids: MapAttributes,
    boxes: KeyedBoxes,
    args: AllArgs,
    new: NewEvents,
    cells: CellBuffers,
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

/// The events of a chunk that are not in the trace yet, in columns.
#[derive(Default)]
struct NewEvents {
    /// The event of the chunk that each of them is; the call that an event implies is the same one.
    rows: Vec<u32>,
    keys: Vec<KeyId>,
    calls: Vec<i64>,
    has_calls: bool,
    depths: Vec<i64>,
    lines: Vec<u32>,
    /// The numbers of arguments.
    n_args: Vec<u32>,
    times: Vec<i64>,
    names: Vec<ArgsId>,
}

impl NewEvents {
    fn clear(&mut self) {
        self.rows.clear();
        self.keys.clear();
        self.calls.clear();
        self.has_calls = false;
        self.depths.clear();
        self.lines.clear();
        self.n_args.clear();
    }

    #[inline]
    fn push(&mut self, row: usize, line: u32, key: KeyId, found: Option<PlacedBox>, n_args: u32) {
        self.rows.push(row as u32);
        self.keys.push(key);
        self.calls.push(found.map_or(NO_INT, |found| found.call));
        self.has_calls |= found.is_some();
        self.depths.push(found.map_or(0, |found| found.depth));
        self.lines.push(line);
        self.n_args.push(n_args);
    }
}

impl<'r> MappedReader<'r> {
    /// Nothing is read yet.
    pub(crate) fn new(reader: &'r LineReader<'r>, builder: &'r mut TraceBuilder) -> MappedReader<'r> {
        MappedReader {
            ids: MapAttributes::new(reader.map, builder),
            boxes: KeyedBoxes::new(reader.map.nest.is_some()),
            args: AllArgs::default(),
            new: NewEvents::default(),
            cells: CellBuffers::default(),
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
        let mut faults = lines.faults.iter().peekable();
        let keys: Vec<KeyId> = (0..lines.keys.len() as u32).map(|key| self.key(lines.keys.at(key))).collect();
        self.new.clear();
        for (index, event) in lines.events.iter().enumerate() {
            let has_before = |fault: &&LineFault| fault.n_before <= index;
            while let Some(fault) = faults.next_if(has_before) {
                self.report(fault);
            }
            self.event(lines, index, event, keys[event.key_number as usize]);
        }
        faults.for_each(|fault| self.report(fault));
        self.append(lines);
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
        self.args.leave(self.builder);
        self.n_lines
    }

    fn report(&mut self, fault: &LineFault) {
        let chrono = fault.is_of_event.then(|| self.chrono());
        let line = self.n_lines + u64::from(fault.line) + 1;
        self.builder.finding(fault.rule, chrono, Some(line), fault.message.clone());
    }

    /// The next event.
    fn next_event(&self) -> EventId {
        self.builder.n_events().saturating_add(self.new.rows.len() as EventId)
    }

    /// The number of the next event.
    fn chrono(&self) -> i64 {
        i64::from(self.next_event()) + 1
    }

    /// A name, module and port as the builder knows them.
    fn key(&mut self, key: EventKey<'_>) -> KeyId {
        let proc = ProcRow { name: key.name, decl_module: key.module, ..ProcRow::default() };
        self.builder.key(&proc, Some(self.reader.ports[usize::from(key.port)].0), None)
    }

    fn event(&mut self, lines: &MappedLines, index: usize, event: &MappedEvent, key: KeyId) {
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
        let first = self.next_event();
        let new_in = place.found.and_then(|found| found.new_in);
        if new_in.is_some() && event.port != CALL {
            let key = self.key(EventKey { port: CALL, ..named });
            self.args.leave_without(first);
            self.new.push(index, event.line, key, place.found, 0);
            self.unmeasured.extend((role == BoxRole::Closes).then_some(first.saturating_add(1)));
        }
        self.check(lines, index, event, &place);
        let key = match place.found {
            Some(PlacedBox { opener, new_in: None, .. }) if role == BoxRole::Closes => self.end_key(opener, event.port),
            _ => key,
        };
        self.new.push(index, event.line, key, place.found, event.n_args);
        self.parents.extend(new_in.flatten().map(|parent| (first, parent)));
    }

    /// The key of an event that closes a box, by that of the one that opened it.
    fn end_key(&mut self, opener: KeyId, port: u16) -> KeyId {
        let builder = &mut *self.builder;
        let (name, _) = self.reader.ports[usize::from(port)];
        *self.end_keys.entry((opener, port)).or_insert_with(|| builder.key_at_port(opener, name))
    }

    /// Reports what is wrong with the key or the time of the next event.
    fn check(&mut self, lines: &MappedLines, index: usize, event: &MappedEvent, place: &EventPlace) {
        let key = || shown(event.key.and_then(|key| lines.text_of(key)).unwrap_or("null"));
        match place.fault {
            Some(BoxFault::OpenAlready) => {
                self.fault("J6", event.line, format!("a box with the key {} is open already", key()));
            }
            Some(BoxFault::NotOpen) => self.fault("J7", event.line, format!("no box with the key {} is open", key())),
            None => {}
        }
        let time = lines.times[index];
        if time == NO_INT {
            return;
        }
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

    /// Adds the new events to the trace.
    fn append(&mut self, lines: &MappedLines) {
        let new = &self.new;
        let rows = Rows {
            chronos: &[],
            calls: if new.has_calls { &new.calls } else { &[] },
            depths: &new.depths,
            keys: &new.keys,
            places: &[],
            args: &[],
            lines: &new.lines,
            first_line: self.n_lines + 1,
            text: &[],
            offset: 0,
        };
        if new.rows.is_empty() {
            return;
        }
        let Some(first) = self.builder.append(&rows) else { return };
        self.append_attributes(lines, first);
        self.append_names(first);
        self.args.add(first, &lines.args, self.new.n_args.iter().any(|n_args| *n_args > 0));
    }

    fn append_attributes(&mut self, lines: &MappedLines, first: EventId) {
        let NewEvents { rows, times, .. } = &mut self.new;
        if let Some(id) = self.ids.time {
            refill(times, rows.iter().map(|row| lines.times[*row as usize]));
            self.builder.append_ints(id, first, times);
        }
        let columns = self.ids.columns.iter().zip(&lines.columns);
        let all = [(&self.ids.pid, &lines.pids), (&self.ids.thread, &lines.threads)].into_iter().chain(columns);
        for (id, cells) in all {
            if let Some(id) = id {
                cells.append(rows, first, *id, self.builder, &mut self.cells);
            }
        }
    }

    /// Gives the events that have arguments the names of these.
    fn append_names(&mut self, first: EventId) {
        let NewEvents { n_args, names, .. } = &mut self.new;
        let mut event = first;
        for stretch in n_args.chunk_by(|one, next| (*one > 0) == (*next > 0)) {
            if stretch[0] > 0 {
                names.clear();
                for n_args in stretch {
                    let known = &mut self.arg_names[*n_args as usize - 1];
                    let of_first = || self.builder.names(self.reader.arg_names.of_first(*n_args as usize));
                    names.push(*known.get_or_insert_with(of_first));
                }
                self.builder.append_arg_names(event, names);
            }
            event += stretch.len() as EventId;
        }
    }
}
