//! From lines to events: times and contexts line by line; boxes when all names are known, at the end.

use super::FORMAT;
use super::boxes::{BoxEffect, ThreadBoxes, effects};
use super::columns::{AttributeIds, ContextThread, EventFields, KnownContext};
use super::fields::{fields, is_hidden};
use super::line::{ClockStamp, DAY, EventLine, LineFault, LineForm};
use super::losses::{LossWindow, losses};
use crate::formats::lines::{Chunk, LineEnding, Lines, line_end, text};
use crate::term::hash::HashMap;
use crate::trace::{EventId, EventRow, Field, Gap, KeyId, ListField, ProcRow, RecordedAt, TraceBuilder};

/// The lines of a chunk, parsed without those before.
#[derive(Default)]
pub(crate) struct LttngChunk {
    lines: Vec<Result<EventLine, LineFault>>,
}

impl LttngChunk {
    pub(crate) fn read(&mut self, chunk: &[u8]) {
        self.lines.clear();
        each_line(chunk, |line| self.lines.push(EventLine::of(&text::visible(line))));
    }
}

fn each_line(chunk: &[u8], mut take: impl FnMut(&[u8])) {
    let mut start = 0;
    while start < chunk.len() {
        let (end, next) = line_end(chunk, start).unwrap_or((chunk.len(), chunk.len()));
        take(&chunk[start..end]);
        start = next;
    }
}

/// An event before its box is known.
struct PlainEvent {
    time: i64,
    name: u32,
    context: u32,
    line: u64,
}

/// A trace that is being read.
pub(crate) struct LttngReader<'b> {
    builder: &'b mut TraceBuilder,
    ids: AttributeIds,
    events: Vec<PlainEvent>,
    fields: EventFields,
    names: HashMap<Box<str>, u32>,
    contexts: Vec<KnownContext>,
    context_ids: HashMap<Box<str>, u32>,
    last_time: Option<i64>,
    n_days: i64,
    pub(crate) n_lines: u64,
}

impl LttngReader<'_> {
    pub(crate) fn new(builder: &mut TraceBuilder) -> LttngReader<'_> {
        let ids = AttributeIds::new(builder);
        LttngReader {
            builder,
            ids,
            events: Vec::new(),
            fields: EventFields::default(),
            names: HashMap::default(),
            contexts: Vec::new(),
            context_ids: HashMap::default(),
            last_time: None,
            n_days: 0,
            n_lines: 0,
        }
    }

    /// Takes the lines of the next chunk.
    pub(crate) fn chunk(&mut self, chunk: &Chunk, parsed: &LttngChunk) {
        if chunk.ending == LineEnding::TooLong {
            self.n_lines += 1;
            let message = Lines::too_long("line");
            return self.builder.finding(FORMAT.rule, None, Some(self.n_lines), message);
        }
        let mut parsed = parsed.lines.iter();
        each_line(chunk.text(), |line| {
            self.n_lines += 1;
            match parsed.next() {
                Some(Ok(event)) => self.event(&text::visible(line), event),
                Some(Err(fault)) if !line.is_empty() => self.fault(&text::visible(line), fault),
                _ => {}
            }
        });
    }

    fn fault(&mut self, line: &str, fault: &LineFault) {
        let message = match fault {
            LineFault::Head => "expected a time, the name of an event and its fields",
            LineFault::Groups(name) => {
                // the name counts for boxes even if the line is no event
                self.name(&line[name.clone()]);
                "the fields break off or are not separated by commas"
            }
        };
        let shown: String = line.chars().take(40).collect();
        self.builder.finding(FORMAT.rule, None, Some(self.n_lines), format!("{message}: `{shown}`"));
    }

    fn name(&mut self, name: &str) -> u32 {
        let number = self.names.len() as u32;
        match self.names.get(name) {
            Some(id) => *id,
            None => *self.names.entry(name.into()).or_insert(number),
        }
    }

    fn event(&mut self, line: &str, event: &EventLine) {
        let time = self.time(event.stamp);
        self.check(time, event.delta);
        self.last_time = Some(time);
        let name = self.name(&line[event.name.clone()]);
        let context = self.context(&line[event.context.clone()], event.form);
        self.fields.push(&line[event.fields.clone()]);
        self.events.push(PlainEvent { time, name, context, line: self.n_lines });
    }

    /// The time of an event. A time of the day that is more than 12 hours before the last time is of the next day.
    fn time(&mut self, stamp: ClockStamp) -> i64 {
        let time = match stamp {
            ClockStamp::Fixed(time) => return time,
            ClockStamp::Cycles(time) => {
                self.builder.forget_unit(self.ids.time);
                return time;
            }
            ClockStamp::OfDay(time) => time,
        };
        let of_days = |n_days: i64| n_days.saturating_mul(DAY).saturating_add(time);
        if self.last_time.is_some_and(|last| of_days(self.n_days) < last.saturating_sub(DAY / 2)) {
            self.n_days += 1;
        }
        of_days(self.n_days)
    }

    /// Rules L2 and L3.
    fn check(&mut self, time: i64, delta: Option<i64>) {
        let Some(last) = self.last_time else { return };
        let chrono = i64::try_from(self.events.len() + 1).ok();
        if time < last {
            self.builder.finding("L2", chrono, Some(self.n_lines), "the time is before that of the event before");
        }
        let difference = time.checked_sub(last);
        if let Some(delta) = delta.filter(|delta| Some(*delta) != difference) {
            let message = match difference {
                Some(difference) => {
                    format!("the line says {delta} ns since the event before, the times {difference} ns")
                }
                None => format!("the line says {delta} ns since the event before, the times more"),
            };
            self.builder.finding("L3", chrono, Some(self.n_lines), message);
        }
    }

    fn context(&mut self, text: &str, form: LineForm) -> u32 {
        // the name of the event is part of the text, but not of the context
        if let Some(id) = self.context_ids.get(text) {
            return *id;
        }
        let id = self.contexts.len() as u32;
        self.contexts.push(KnownContext::of(text, form, &self.ids, self.builder));
        self.context_ids.insert(text.into(), id);
        id
    }

    /// Adds all events, and what the tracer lost.
    pub(crate) fn finish(mut self, lost: Option<&[u8]>) {
        self.add_events();
        let first = self.events.first().map(|event| event.time);
        if let Some(lost) = lost {
            let (windows, faults) = losses(&text::visible(lost), first);
            for line in faults {
                let message = format!("line {line} of the file of losses is not understood");
                self.builder.finding(FORMAT.rule, None, None, message);
            }
            self.put_losses(&windows);
        }
        self.fields.leave(&self.ids, self.builder);
    }

    fn add_events(&mut self) {
        let mut names: Vec<&str> = vec![""; self.names.len()];
        self.names.iter().for_each(|(name, id)| names[*id as usize] = name);
        let effects = effects(&names);
        let mut threads: HashMap<&ContextThread, ThreadBoxes> = HashMap::default();
        let mut keys: HashMap<(u32, usize), KeyId> = HashMap::default();
        let mut n_calls = 0;
        let class = self.builder.value(self.ids.class, Field::Atom("user"));
        for (index, event) in self.events.iter().enumerate() {
            let context = &self.contexts[event.context as usize];
            let effect = effects[event.name as usize];
            let place = threads.entry(&context.thread).or_default().take(effect, &mut n_calls);
            if place.has_no_entry {
                let message = format!("{} has no entry in its thread", names[event.name as usize]);
                self.builder.finding("L4", Some(index as i64 + 1), Some(event.line), message);
            }
            let shown = fields(self.fields.at(index));
            let arg_names: Vec<Option<&str>> =
                shown.iter().filter(|(name, _)| !is_hidden(*name)).map(|(name, _)| *name).collect();
            let key = *keys.entry((event.name, arg_names.len())).or_insert_with(|| {
                let name = names[event.name as usize];
                let proc =
                    ProcRow { name: Some(name), arity: i64::try_from(arg_names.len()).ok(), ..ProcRow::default() };
                self.builder.key(&proc, Some(port(effect)), None)
            });
            let mut extra = vec![(self.ids.time, Field::Int(event.time)), (self.ids.class, Field::Known(class))];
            extra.extend(context.values.iter().map(|(id, value)| (*id, value.field())));
            self.builder.push(&EventRow {
                call: place.call,
                depth: i64::try_from(place.depth).ok(),
                key: Some(key),
                arg_names: ListField::Parts(&arg_names),
                extra: &extra,
                source_line: event.line,
                ..EventRow::default()
            });
        }
    }

    /// Records the windows in which something is missing, for `lost/4`, `blind/2` and `sound/1`.
    fn put_losses(&mut self, windows: &[LossWindow]) {
        if windows.is_empty() {
            return;
        }
        let term = |window: &LossWindow| {
            let n_lost = window.n_lost.map_or("-".to_string(), |n_lost| n_lost.to_string());
            format!("lost({n_lost}, {}, {}, {})", window.unit, window.from, window.to)
        };
        let list = windows.iter().map(term).collect::<Vec<_>>().join(", ");
        self.builder.recording().record(RecordedAt::End, "losses", Field::Term(&format!("[{list}]")));
        let latest: Vec<i64> = self
            .events
            .iter()
            .scan(i64::MIN, |latest, event| {
                *latest = event.time.max(*latest);
                Some(*latest)
            })
            .collect();
        let row = |time: i64| latest.partition_point(|latest| *latest <= time) as EventId;
        for window in windows {
            let (first, before) = (row(window.from.saturating_sub(1)), row(window.to));
            self.builder.recording().gap(Gap { first, before: before.max(first), lost: window.n_lost });
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
