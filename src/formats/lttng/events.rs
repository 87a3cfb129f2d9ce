//! From lines to events: times and contexts line by line; boxes when all names are known, at the end.

use std::sync::Arc;

use super::FORMAT;
use super::boxes::{BoxEffect, ThreadBoxes, effects};
use super::columns::ATTRIBUTES;
use super::fields::{write_arguments, write_pairs, written};
use super::line::{ClockStamp, DAY};
use super::losses::{LossWindow, losses};
use super::part::{LttngPart, OtherLine};
use crate::formats::lines::interner::BytesInterner;
use crate::formats::lines::kept::KeptBlocks;
use crate::formats::lines::{Chunk, LineEnding, Lines, text};
use crate::formats::times::CLOCK;
use crate::trace::{
    ArgsId, AttributeId, EventId, EventRow, EventTable, Field, Gap, KeyId, ListField, ProcRow, RecordedAt,
    TraceBuilder, Value, ValueColumn,
};

/// A trace that is being read.
pub(super) struct LttngReader<'b> {
    builder: &'b mut TraceBuilder,
    time: AttributeId,
    data: AttributeId,
    /// Times and contexts, by the indexes of attributes.
    table: EventTable,
    columns: Vec<AttributeId>,
    groups: KeptBlocks,
    /// The events with their heads, as they are pushed when all names are known.
    parts: Vec<PartEvents>,
    heads: Vec<EventHead>,
    names: BytesInterner,
    threads: BytesInterner,
    last_time: Option<i64>,
    n_days: i64,
    pub(super) n_lines: u64,
}

/// The events of a chunk.
struct PartEvents {
    first_line: u64,
    /// The head of each event, and its line, from the first one.
    events: Box<[(u32, u32)]>,
}

/// What an event has before the values of its fields.
struct EventHead {
    name: u32,
    /// The number of the thread to whose boxes the event belongs.
    thread: u32,
    arity: i64,
    arg_names: ArgsId,
    key: Option<KeyId>,
}

impl LttngReader<'_> {
    pub(super) fn new(n_lines: u64, builder: &mut TraceBuilder) -> LttngReader<'_> {
        let mut declare = |name| builder.standing_attribute(name).expect("a format has few attributes");
        ATTRIBUTES.iter().for_each(|own| _ = declare(own.name));
        let [time, data] = ["time", "data"].map(declare);
        LttngReader {
            builder,
            time,
            data,
            table: EventTable::default(),
            columns: vec![time],
            groups: KeptBlocks::default(),
            parts: Vec::new(),
            heads: Vec::new(),
            names: BytesInterner::default(),
            threads: BytesInterner::default(),
            last_time: None,
            n_days: 0,
            n_lines,
        }
    }

    /// Takes the lines of the next chunk.
    pub(super) fn part(&mut self, chunk: &Chunk, part: &mut LttngPart) {
        let first_line = self.n_lines + 1;
        if chunk.ending == LineEnding::TooLong {
            self.n_lines = first_line;
            return self.builder.finding(FORMAT.rule, None, Some(first_line), Lines::too_long("line"));
        }
        let (first, n_rows) = (self.table.n_rows(), part.table.n_rows());
        if !self.builder.make_room(n_rows, part.groups.n_bytes() + size_of_val(&*part.events)) {
            return;
        }
        self.declare(part);
        let mut others = part.others.iter().peekable();
        for (row, event) in (0..).zip(&part.events) {
            while let Some(other) = others.next_if(|other| other.n_before <= row) {
                self.other(other);
            }
            let Some(time) = self.time_of(event.stamp) else { continue };
            self.check(time, event.delta, first_line + u64::from(event.line), first + row);
            self.table.set(self.time, first + row, Field::Int(time));
        }
        others.for_each(|other| self.other(other));
        let events = part.events.iter().map(|event| (part.known.heads_in_trace[event.head as usize], event.line));
        self.parts.push(PartEvents { first_line, events: events.collect() });
        self.table.append(&part.table, 0..n_rows, |column| part.known.columns[column], self.builder);
        self.groups.add(first, &part.groups);
        self.n_lines += u64::from(part.n_lines);
    }

    /// Numbers the attributes and heads that are new to a thread.
    fn declare(&mut self, part: &mut LttngPart) {
        let known = &mut part.known;
        for number in known.columns.len() as u32..known.attributes.len() as u32 {
            let id = self.builder.own_attribute(known.attributes.text(number));
            self.columns.extend(id);
            known.columns.push(id.map(AttributeId::index));
        }
        for number in known.heads_in_trace.len() as u32..known.heads.len() as u32 {
            let (_, owner) = known.heads.entry(number);
            let (name, thread) = known.owners.text(owner as u32).split_once('\n').unwrap_or_default();
            let shown = known.heads.text(number).lines().map(|name| Some(name).filter(|name| !name.is_empty()));
            let arg_names: Vec<Option<&str>> = shown.collect();
            known.heads_in_trace.push(self.heads.len() as u32);
            self.builder.make_room(0, size_of::<EventHead>());
            self.heads.push(EventHead {
                name: self.names.number(name.as_bytes(), 0),
                thread: self.threads.number(thread.as_bytes(), 0),
                arity: arg_names.len() as i64,
                arg_names: self.builder.names(ListField::Parts(&arg_names)),
                key: None,
            });
        }
    }

    fn other(&mut self, other: &OtherLine) {
        // the name counts for boxes even if the line is no event
        other.name.iter().for_each(|name| _ = self.names.number(name.as_bytes(), 0));
        let line = self.n_lines + 1 + u64::from(other.line);
        self.builder.finding(FORMAT.rule, None, Some(line), other.message.as_str());
    }

    /// The time of an event. A time of the day that is more than 12 hours before the last time is of the next day.
    #[inline]
    fn time_of(&mut self, stamp: ClockStamp) -> Option<i64> {
        let time = match stamp {
            ClockStamp::Unstated => return None,
            ClockStamp::Fixed(time) => return Some(time),
            ClockStamp::Cycles(time) => {
                self.builder.forget_unit(self.time);
                return Some(time);
            }
            ClockStamp::OfDay(time) => time,
        };
        if self.last_time.is_none() {
            self.builder.recording().record(RecordedAt::Start, CLOCK, Field::Text("day"));
        }
        let of_days = |n_days: i64| n_days.saturating_mul(DAY).saturating_add(time);
        if self.last_time.is_some_and(|last| of_days(self.n_days) < last.saturating_sub(DAY / 2)) {
            self.n_days += 1;
        }
        Some(of_days(self.n_days))
    }

    /// Rules L2 and L3.
    #[inline]
    fn check(&mut self, time: i64, delta: Option<i64>, line: u64, event: EventId) {
        let Some(last) = self.last_time.replace(time) else { return };
        let (chrono, difference) = (Some(i64::from(event) + 1), i128::from(time) - i128::from(last));
        if difference < 0 {
            self.builder.finding("L2", chrono, Some(line), "the time is before that of the event before");
        }
        if let Some(delta) = delta.filter(|delta| i128::from(*delta) != difference) {
            let message = format!("the line says {delta} ns since the event before, the times {difference} ns");
            self.builder.finding("L3", chrono, Some(line), message);
        }
    }

    /// Adds all events, and what the tracer lost.
    pub(super) fn finish(mut self, lost: Option<&[u8]>) {
        self.add_events();
        let n_columns = self.columns.iter().map(|id| id.index() + 1).max().unwrap_or_default();
        let columns = std::mem::take(&mut self.table).finish(n_columns, self.builder);
        let column = |id: AttributeId| columns[id.index()].clone();
        self.columns.iter().for_each(|id| self.builder.put_column(*id, column(*id)));
        if let Some(lost) = lost {
            self.losses(lost, &column(self.time));
        }
        self.leave_groups();
    }

    fn add_events(&mut self) {
        let names: Vec<&str> = (0..self.names.len() as u32).map(|name| self.names.text(name)).collect();
        let (effects, mut n_calls) = (effects(&names), 0);
        let mut threads: Vec<ThreadBoxes> = (0..self.threads.len()).map(|_| ThreadBoxes::default()).collect();
        for PartEvents { first_line, events } in std::mem::take(&mut self.parts) {
            for (head, line) in events {
                let head = &mut self.heads[head as usize];
                let (name, (effect, shown)) = (names[head.name as usize], effects[head.name as usize]);
                let place = threads[head.thread as usize].take(effect, &mut n_calls);
                let line = first_line + u64::from(line);
                if place.has_no_entry {
                    let chrono = i64::from(self.builder.n_events()) + 1;
                    let message = format!("{name} has no entry in its thread");
                    self.builder.finding("L4", Some(chrono), Some(line), message);
                }
                let proc = ProcRow { name: Some(shown), arity: Some(head.arity), ..ProcRow::default() };
                let key = *head.key.get_or_insert_with(|| self.builder.key(&proc, Some(port(effect)), None));
                self.builder.push(&EventRow {
                    call: place.call,
                    depth: Some(place.depth as i64),
                    key: Some(key),
                    arg_names: ListField::Known(head.arg_names),
                    source_line: line,
                    ..EventRow::default()
                });
            }
        }
    }

    /// Hands the fields to lazy columns.
    fn leave_groups(self) {
        if self.builder.n_events() == 0 {
            return;
        }
        self.builder.keeps_tables(self.groups.n_bytes());
        let groups = Arc::new(self.groups);
        let of_args = Arc::clone(&groups);
        self.builder.lazy_args(move |_, column| {
            of_args.each(|event, _, group| column.set(event, ListField::Text(&written(group, write_arguments))));
        });
        self.builder.lazy_values(self.data, move |_, column| {
            groups.each(|event, _, group| column.set(event, Field::Term(&written(group, write_pairs))));
        });
    }

    /// Records the windows in which something is missing, for `lost/4`, `blind/2` and `sound/1`.
    fn losses(&mut self, lost: &[u8], times: &ValueColumn) {
        let time = |event| match times.at(event) {
            Value::Int(time) => Some(time),
            _ => None,
        };
        let (windows, faults) = losses(&text::visible(lost), time(0));
        for line in faults {
            let message = format!("line {line} of the file of losses is not understood");
            self.builder.finding(FORMAT.rule, None, None, message);
        }
        if windows.is_empty() {
            return;
        }
        let (mut last, times) = (i64::MIN, (0..self.builder.n_events()).filter_map(time));
        let latest = |time: i64| {
            last = last.max(time);
            last
        };
        let latest: Vec<i64> = times.map(latest).collect();
        let row = |time: i64| latest.partition_point(|latest| *latest <= time) as EventId;
        let (terms, recording) = (windows.iter().map(LossWindow::term), self.builder.recording());
        let list = format!("[{}]", terms.collect::<Vec<_>>().join(", "));
        recording.record(RecordedAt::End, "losses", Field::Term(&list));
        for window in &windows {
            let (first, before) = (row(window.from.saturating_sub(1)), row(window.to));
            recording.gap(Gap { first, before: before.max(first), lost: window.n_lost });
        }
    }
}

fn port(effect: BoxEffect) -> &'static str {
    match effect {
        BoxEffect::Opens(_) => "call",
        BoxEffect::Closes(_) => "exit",
        BoxEffect::Nothing => "event",
    }
}
