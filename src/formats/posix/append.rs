//! Adding the lines of a chunk to the trace. Fast events while the trace runs break no rule and open no window: many are added at once.

use std::iter::repeat_n;

use super::event_types::{EventMeaning, TypeClass};
use super::events::PosixReader;
use super::fast::{FastEvents, UnusualLine, UsualEvent};
use super::line::Truncation;
use crate::formats::lines::text;
use crate::formats::lines::{Chunk, LineEnding, line_end};
use crate::trace::{EventId, Field, KeyId, ProgramPoint, Rows, ValueId, refill};

/// Columns of the events that are added at once; their memory is reused.
#[derive(Default)]
pub(crate) struct RowBuffers {
    shared: Vec<SharedByEvent>,
    /// By address of the chunk.
    addrs: Vec<Option<ValueId>>,
    keys: Vec<KeyId>,
    calls: Vec<i64>,
    depths: Vec<i64>,
    places: Vec<ProgramPoint>,
    lines: Vec<u32>,
    numbers: Vec<i64>,
    values: Vec<ValueId>,
}

/// Values that an event shares with many others.
#[derive(Clone, Copy)]
struct SharedByEvent {
    class: ValueId,
    addr: ValueId,
    trunc: ValueId,
}

impl PosixReader<'_> {
    /// Adds the events of the next chunk.
    pub(crate) fn chunk(&mut self, chunk: &Chunk, batch: &FastEvents) {
        if chunk.ending == LineEnding::TooLong {
            self.n_input_lines += 1;
            return self.long_line(self.n_input_lines);
        }
        self.buffers.addrs.clear();
        self.buffers.addrs.resize(batch.addrs.len(), None);
        let mut from = 0;
        for UnusualLine { n_before, text, line } in &batch.others {
            self.events(chunk.text(), batch, from..*n_before);
            self.any_line(&chunk.text()[text.clone()], self.n_input_lines + line + 1);
            from = *n_before;
        }
        self.events(chunk.text(), batch, from..batch.events.len());
        self.n_input_lines += batch.n_lines;
    }

    /// Adds fast events; those that may break a rule are read again by the full parser.
    fn events(&mut self, text: &[u8], batch: &FastEvents, events: std::ops::Range<usize>) {
        let mut rest = &batch.events[events];
        while !rest.is_empty() {
            let n_steady = if self.is_steady() { self.steady(batch, rest) } else { 0 };
            let (steady, others) = rest.split_at(n_steady);
            self.append(batch, steady);
            let Some((event, others)) = others.split_first() else { break };
            let start = event.start as usize;
            let end = line_end(text, start).map_or(text.len(), |(end, _)| end);
            self.any_line(&text[start..end], self.n_input_lines + u64::from(event.line) + 1);
            rest = others;
        }
    }

    /// A line of any kind that is not blank.
    fn any_line(&mut self, line: &[u8], number: u64) {
        if let Err(message) = self.line(&text::visible_in_json(line), number) {
            self.builder.finding(super::FORMAT.rule, None, Some(number), message);
        }
    }

    /// Whether events of users change nothing now.
    fn is_steady(&self) -> bool {
        self.windows.is_steady()
            && self.builder.n_events() > 0
            && self.statuses.pending.is_empty()
            && self.end.is_none()
    }

    /// The number of next events that break no rule and change nothing; their shared values are in the buffers then.
    fn steady(&mut self, batch: &FastEvents, events: &[UsualEvent]) -> usize {
        self.buffers.shared.clear();
        self.buffers.keys.clear();
        for (index, event) in events.iter().enumerate() {
            let Some(event_type) = self.types.known(event.id).filter(|found| self.is_sound(event, *found)) else {
                return index;
            };
            if self.share(batch, event, event_type).is_none() {
                return index;
            }
            self.windows.pass(event.time);
        }
        events.len()
    }

    /// Whether an event breaks no rule and changes nothing.
    #[inline]
    fn is_sound(&self, event: &UsualEvent, index: usize) -> bool {
        let found = self.types.at(index);
        let is_usual = found.kind == EventMeaning::Event && self.windows.may_pass(event.time, event.id);
        is_usual && (found.class != Some(TypeClass::User) || (event.pid != 0 && event.tid != 0 && self.has_size(event)))
    }

    #[inline]
    fn has_size(&self, event: &UsualEvent) -> bool {
        let (Some(data), Some(most)) = (event.data, self.header.max_data_size) else { return true };
        let size = u64::from(data.length);
        size == most || (size < most && event.trunc != Truncation::Record)
    }

    /// Looks up the shared values of an event; none if its type is not declared.
    #[inline]
    fn share(&mut self, batch: &FastEvents, event: &UsualEvent, index: usize) -> Option<()> {
        let arity = usize::from(event.data.is_some());
        let (key, class) = (self.key(index, arity), self.class(index)?);
        let trunc = self.truncation(event.trunc)?;
        let addr = &mut self.buffers.addrs[event.addr as usize];
        let builder = &mut *self.builder;
        let addr = *addr.get_or_insert_with(|| builder.value(self.ids.addr, Field::Atom(batch.addrs.text(event.addr))));
        self.buffers.keys.push(key);
        self.buffers.shared.push(SharedByEvent { class, addr, trunc });
        Some(())
    }

    /// Adds the events whose shared values are in the buffers.
    fn append(&mut self, batch: &FastEvents, events: &[UsualEvent]) {
        if events.is_empty() {
            return;
        }
        let depth = self.windows.open().len();
        let place = self.place(depth);
        let (running, filter) = (self.running(), self.filter());
        let RowBuffers { calls, depths, places, lines, keys, .. } = &mut self.buffers;
        refill(calls, repeat_n(place.call.unwrap_or_default(), events.len()));
        refill(depths, repeat_n(depth as i64, events.len()));
        let goal_path = ProgramPoint { path: Some(place.goal_path), line_number: None };
        refill(places, repeat_n(goal_path, events.len()));
        refill(lines, events.iter().map(|event| event.line));
        let first_line = self.n_input_lines + 1;
        let rows =
            Rows { chronos: &[], calls, depths, keys, places, args: &[], lines, first_line, text: &[], offset: 0 };
        self.n_lines += events.len() as u64;
        let Some(first) = self.builder.append(&rows) else { return };
        self.payload.append(events, &batch.bytes);
        self.append_own(first, events);
        for (id, value) in
            [(self.ids.filter, Some(filter)), (self.ids.running, running), (self.ids.window, place.window)]
        {
            let values = &mut self.buffers.values;
            refill(values, value.into_iter().flat_map(|value| repeat_n(value, events.len())));
            self.builder.append_values(id, first, values);
        }
    }

    /// Gives the events the values of their lines.
    fn append_own(&mut self, first: EventId, events: &[UsualEvent]) {
        let (ids, builder, RowBuffers { numbers, values, shared, .. }) =
            (&self.ids, &mut *self.builder, &mut self.buffers);
        let mut append_ints = |id, number: fn(&UsualEvent) -> i64| {
            refill(numbers, events.iter().map(number));
            builder.append_ints(id, first, numbers);
        };
        append_ints(ids.time, |event| event.time);
        append_ints(ids.id, |event| event.id);
        append_ints(ids.pid, |event| event.pid);
        append_ints(ids.tid, |event| event.tid);
        let wanted = |(event, plain): (EventId, &UsualEvent)| Some((event, Field::Int(plain.wanted?.into())));
        builder.fill(ids.wanted, (first..).zip(events).filter_map(wanted));
        let mut append_values = |id, value: fn(&SharedByEvent) -> ValueId| {
            refill(values, shared[..events.len()].iter().map(value));
            builder.append_values(id, first, values);
        };
        append_values(ids.class, |shared| shared.class);
        append_values(ids.addr, |shared| shared.addr);
        append_values(ids.trunc, |shared| shared.trunc);
    }
}
