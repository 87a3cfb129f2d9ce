//! Events while the trace runs: they break no rule and change nothing, so that they are added many at a time.

use std::iter::repeat_n;

use super::Reader;
use super::event_types::{Class, Kind};
use super::fast::{Batch, Odd, Plain, Status};
use crate::formats::lines::text;
use crate::formats::lines::{Chunk, Ending, line_end};
use crate::trace::{EventId, Field, KeyId, ProgramPoint, Rows, ValueId, refill};

/// What events have beside what stands on their lines; memory that is used again.
#[derive(Default)]
pub struct Columns {
    shared: Vec<Shared>,
    /// Of each address of the chunk.
    addrs: Vec<Option<ValueId>>,
    keys: Vec<KeyId>,
    calls: Vec<i64>,
    depths: Vec<i64>,
    places: Vec<ProgramPoint>,
    lines: Vec<u32>,
    numbers: Vec<i64>,
    values: Vec<ValueId>,
}

/// What an event shares with many others.
#[derive(Clone, Copy)]
struct Shared {
    class: ValueId,
    addr: ValueId,
    trunc: ValueId,
}

impl Reader<'_> {
    /// Adds what stands in the next chunk.
    pub fn chunk(&mut self, chunk: &Chunk, batch: &Batch) {
        if chunk.ending == Ending::TooLong {
            self.n_input_lines += 1;
            return self.long_line(self.n_input_lines);
        }
        self.columns.addrs.clear();
        self.columns.addrs.resize(batch.addrs.len(), None);
        let mut from = 0;
        for Odd { n_before, text, line } in &batch.odd {
            self.events(chunk.text(), batch, from..*n_before);
            self.any_line(&chunk.text()[text.clone()], self.n_input_lines + line + 1);
            from = *n_before;
        }
        self.events(chunk.text(), batch, from..batch.events.len());
        self.n_input_lines += batch.n_lines;
    }

    /// Adds plain events, those that need a closer look one by one.
    fn events(&mut self, text: &[u8], batch: &Batch, events: std::ops::Range<usize>) {
        let mut rest = &batch.events[events];
        while !rest.is_empty() {
            let n_steady = if self.is_steady() { self.steady(text, batch, rest) } else { 0 };
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

    /// Whether the events of users are all alike now.
    fn is_steady(&self) -> bool {
        self.windows.is_steady()
            && self.builder.n_events() > 0
            && self.statuses.pending.is_empty()
            && self.end.is_none()
    }

    /// How many of the next events break no rule and change nothing; what they share stands in the columns then.
    fn steady(&mut self, text: &[u8], batch: &Batch, events: &[Plain]) -> usize {
        self.columns.shared.clear();
        self.columns.keys.clear();
        for (place, event) in events.iter().enumerate() {
            let Some(index) = self.types.known(event.id).filter(|index| self.is_sound(event, *index)) else {
                return place;
            };
            if self.share(text, batch, event, index).is_none() {
                return place;
            }
            self.windows.pass(event.time);
        }
        events.len()
    }

    /// Whether an event breaks no rule and changes nothing.
    #[inline]
    fn is_sound(&self, event: &Plain, index: usize) -> bool {
        let found = self.types.at(index);
        let is_usual = found.kind == Kind::Event && self.windows.may_pass(event.time, event.id);
        is_usual && (found.class != Some(Class::User) || (event.pid != 0 && event.tid != 0 && self.has_size(event)))
    }

    #[inline]
    fn has_size(&self, event: &Plain) -> bool {
        let (Some(data), Some(most)) = (event.data, self.header.max_data_size) else { return true };
        let size = u64::from(data.length);
        size == most || (size < most && event.trunc != Status::Record)
    }

    /// Looks up what an event shares with others; none if its type is not declared.
    #[inline]
    fn share(&mut self, text: &[u8], batch: &Batch, event: &Plain, index: usize) -> Option<()> {
        let arity = usize::from(event.data.is_some());
        let (key, class) = (self.key(index, arity), self.class(index)?);
        let trunc = match self.told.truncations[event.trunc as usize] {
            None => self.truncation(event.trunc.truncation())?,
            Some(known) => known,
        };
        let addr = &mut self.columns.addrs[event.addr as usize];
        let builder = &mut *self.builder;
        let addr = *addr.get_or_insert_with(|| {
            let written = batch.addrs[event.addr as usize].of(text).expect("an address is plain text");
            builder.value(self.ids.addr, Field::Atom(written))
        });
        self.columns.keys.push(key);
        self.columns.shared.push(Shared { class, addr, trunc });
        Some(())
    }

    /// Adds the events whose shared values stand in the columns.
    fn append(&mut self, batch: &Batch, events: &[Plain]) {
        if events.is_empty() {
            return;
        }
        let depth = self.windows.open().len();
        let place = self.place(depth);
        let (running, filter) = (self.running(), self.filter());
        let Columns { calls, depths, places, lines, keys, .. } = &mut self.columns;
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
            let values = &mut self.columns.values;
            refill(values, value.into_iter().flat_map(|value| repeat_n(value, events.len())));
            self.builder.append_values(id, first, values);
        }
    }

    /// Gives the events what stands on their lines.
    fn append_own(&mut self, first: EventId, events: &[Plain]) {
        let (ids, builder, Columns { numbers, values, shared, .. }) =
            (&self.ids, &mut *self.builder, &mut self.columns);
        let mut append_ints = |id, number: fn(&Plain) -> i64| {
            refill(numbers, events.iter().map(number));
            builder.append_ints(id, first, numbers);
        };
        append_ints(ids.time, |event| event.time);
        append_ints(ids.id, |event| event.id);
        append_ints(ids.pid, |event| event.pid);
        append_ints(ids.tid, |event| event.tid);
        let wanted = |(event, plain): (EventId, &Plain)| Some((event, Field::Int(plain.wanted?.into())));
        builder.fill(ids.wanted, (first..).zip(events).filter_map(wanted));
        let mut append_values = |id, value: fn(&Shared) -> ValueId| {
            refill(values, shared[..events.len()].iter().map(value));
            builder.append_values(id, first, values);
        };
        append_values(ids.class, |shared| shared.class);
        append_values(ids.addr, |shared| shared.addr);
        append_values(ids.trunc, |shared| shared.trunc);
    }
}
