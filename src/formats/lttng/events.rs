//! From lines to events: times and contexts line by line; boxes when all names are known, at the end.

use super::FORMAT;
use super::boxes::{BoxEffect, ThreadBoxes, effects};
use super::columns::AttributeIds;
use super::fast::{LineEvent, LttngChunk, OtherLine};
use super::heads::{EventHead, FieldName, TraceHeads};
use super::line::{ClockStamp, DAY, LineFault};
use super::losses::{LossWindow, losses};
use super::tables::{EventPart, EventTables};
use crate::formats::lines::{Chunk, LineEnding, Lines, text};
use crate::formats::times::CLOCK;
use crate::trace::{ArgsId, EventId, Field, Gap, KeyId, ListField, ProcRow, RecordedAt, Rows, TraceBuilder};

/// A trace that is being read.
pub(crate) struct LttngReader<'b> {
    builder: &'b mut TraceBuilder,
    ids: AttributeIds,
    parts: Vec<EventPart>,
    heads: TraceHeads,
    n_events: usize,
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
            parts: Vec::new(),
            heads: TraceHeads::new(ids),
            n_events: 0,
            last_time: None,
            n_days: 0,
            n_lines: 0,
        }
    }

    /// Takes the lines of the next chunk.
    pub(crate) fn chunk(&mut self, chunk: &Chunk, read: &mut LttngChunk) {
        if chunk.ending == LineEnding::TooLong {
            self.n_lines += 1;
            let message = Lines::too_long("line");
            return self.builder.finding(FORMAT.rule, None, Some(self.n_lines), message);
        }
        let LttngChunk { events, others, n_lines, heads, values, .. } = read;
        let first = self.n_lines + 1;
        let (mut times, mut ids) = (Vec::with_capacity(events.len()), Vec::with_capacity(events.len()));
        let mut take = |reader: &mut Self, events: &[LineEvent]| {
            for event in events {
                times.push(reader.event(event, first + u64::from(event.number)));
                ids.push(heads.in_trace(event.head, &mut reader.heads, reader.builder));
            }
        };
        let mut from = 0;
        for other in &*others {
            take(self, &events[from..other.n_before]);
            from = other.n_before;
            self.fault(&text::visible(&chunk.text()[other.text.clone()]), other, first + u64::from(other.number));
        }
        take(self, &events[from..]);
        self.n_lines += u64::from(*n_lines);
        if let (Some(first_event), Some(last)) = (events.first(), events.last()) {
            let are_dense = (last.number - first_event.number) as usize == events.len() - 1;
            let number = |event: &LineEvent| event.number - first_event.number;
            self.parts.push(EventPart {
                times,
                heads: ids.into(),
                first_line: first + u64::from(first_event.number),
                lines: (!are_dense).then(|| events.iter().map(number).collect()),
                values: values.packed(),
            });
        }
    }

    fn fault(&mut self, line: &str, other: &OtherLine, number: u64) {
        let message = match &other.fault {
            LineFault::Head => "expected a time, the name of an event and its fields",
            LineFault::Groups(name) => {
                // the name counts for boxes even if the line is no event
                self.heads.name(&line[name.clone()]);
                "the fields break off or are not separated by commas"
            }
        };
        let shown: String = line.chars().take(40).collect();
        self.builder.finding(FORMAT.rule, None, Some(number), format!("{message}: `{shown}`"));
    }

    /// Takes the time of an event.
    #[inline]
    fn event(&mut self, event: &LineEvent, line: u64) -> i64 {
        let time = self.time(event.stamp);
        self.check(time, event.delta, line);
        self.last_time = Some(time);
        self.n_events += 1;
        time
    }

    /// The time of an event. A time of the day that is more than 12 hours before the last time is of the next day.
    #[inline]
    fn time(&mut self, stamp: ClockStamp) -> i64 {
        let time = match stamp {
            ClockStamp::Fixed(time) => return time,
            ClockStamp::Cycles(time) => {
                self.builder.forget_unit(self.ids.time);
                return time;
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
        of_days(self.n_days)
    }

    /// Rules L2 and L3.
    #[inline]
    fn check(&mut self, time: i64, delta: Option<i64>, line: u64) {
        let Some(last) = self.last_time else { return };
        let difference = time.checked_sub(last);
        if time < last || delta.is_some_and(|delta| Some(delta) != difference) {
            self.report_time(time < last, delta, difference, line);
        }
    }

    #[cold]
    fn report_time(&mut self, is_before: bool, delta: Option<i64>, difference: Option<i64>, line: u64) {
        let chrono = i64::try_from(self.n_events + 1).ok();
        if is_before {
            self.builder.finding("L2", chrono, Some(line), "the time is before that of the event before");
        }
        if let Some(delta) = delta.filter(|delta| Some(*delta) != difference) {
            let message = match difference {
                Some(difference) => {
                    format!("the line says {delta} ns since the event before, the times {difference} ns")
                }
                None => format!("the line says {delta} ns since the event before, the times more"),
            };
            self.builder.finding("L3", chrono, Some(line), message);
        }
    }

    /// Adds all events, and what the tracer lost.
    pub(crate) fn finish(mut self, lost: Option<&[u8]>) {
        let first = self.parts.first().and_then(|part| part.times.first()).copied();
        let lost = lost.map(|lost| losses(&text::visible(lost), first));
        let gaps = lost.as_ref().map(|(windows, _)| self.gaps(windows));
        self.add_events();
        if let (Some((windows, faults)), Some(gaps)) = (lost, gaps) {
            for line in faults {
                let message = format!("line {line} of the file of losses is not understood");
                self.builder.finding(FORMAT.rule, None, None, message);
            }
            self.put_losses(&windows, gaps);
        }
        self.parts.shrink_to_fit();
        EventTables { parts: self.parts, heads: self.heads }.leave(&self.ids, self.builder);
    }

    fn add_events(&mut self) {
        let names = self.heads.names();
        let mut events = BoxedEvents::new(&self.heads, effects(&names));
        for part in &mut self.parts {
            events.fill(part, self.builder, &names);
            let rows = Rows {
                chronos: &[],
                calls: &events.calls,
                depths: &events.depths,
                keys: &events.keys,
                places: &[],
                args: &[],
                lines: &events.lines,
                first_line: part.first_line,
                text: &[],
                offset: 0,
            };
            let times = std::mem::take(&mut part.times);
            if let Some(first) = self.builder.append(&rows) {
                self.builder.append_ints(self.ids.time, first, &times);
                self.builder.append_arg_names(first, &events.arg_names);
            }
        }
    }

    /// The events in whose midst something is missing, by window.
    fn gaps(&self, windows: &[LossWindow]) -> Vec<Gap> {
        if windows.is_empty() {
            return Vec::new();
        }
        let times = self.parts.iter().flat_map(|part| &part.times);
        let latest: Vec<i64> = times
            .scan(i64::MIN, |latest, time| {
                *latest = (*time).max(*latest);
                Some(*latest)
            })
            .collect();
        let row = |time: i64| latest.partition_point(|latest| *latest <= time) as EventId;
        let gap = |window: &LossWindow| {
            let (first, before) = (row(window.from.saturating_sub(1)), row(window.to));
            Gap { first, before: before.max(first), lost: window.n_lost }
        };
        windows.iter().map(gap).collect()
    }

    /// Records the windows in which something is missing, for `lost/4`, `blind/2` and `sound/1`.
    fn put_losses(&mut self, windows: &[LossWindow], gaps: Vec<Gap>) {
        if windows.is_empty() {
            return;
        }
        let term = |window: &LossWindow| {
            let n_lost = window.n_lost.map_or("-".to_string(), |n_lost| n_lost.to_string());
            format!("lost({n_lost}, {}, {}, {})", window.unit, window.from, window.to)
        };
        let list = windows.iter().map(term).collect::<Vec<_>>().join(", ");
        let recording = self.builder.recording();
        recording.record(RecordedAt::End, "losses", Field::Term(&format!("[{list}]")));
        gaps.into_iter().for_each(|gap| recording.gap(gap));
    }
}

/// Events with their boxes, on their way to the trace.
struct BoxedEvents<'h> {
    heads: &'h TraceHeads,
    /// By name.
    effects: Vec<BoxEffect>,
    threads: Vec<ThreadBoxes>,
    n_calls: i64,
    n_events: usize,
    /// By head, what the trace knows of it.
    known: Vec<Option<(KeyId, ArgsId)>>,
    calls: Vec<i64>,
    depths: Vec<i64>,
    keys: Vec<KeyId>,
    arg_names: Vec<ArgsId>,
    lines: Vec<u32>,
}

impl<'h> BoxedEvents<'h> {
    fn new(heads: &'h TraceHeads, effects: Vec<BoxEffect>) -> BoxedEvents<'h> {
        BoxedEvents {
            heads,
            effects,
            threads: (0..heads.n_threads()).map(|_| ThreadBoxes::default()).collect(),
            n_calls: 0,
            n_events: 0,
            known: vec![None; heads.heads.len()],
            calls: Vec::new(),
            depths: Vec::new(),
            keys: Vec::new(),
            arg_names: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Takes the events of a part instead of those before.
    fn fill(&mut self, part: &EventPart, builder: &mut TraceBuilder, names: &[&str]) {
        self.calls.clear();
        self.depths.clear();
        self.keys.clear();
        self.arg_names.clear();
        self.lines.clear();
        match &part.lines {
            Some(lines) => self.lines.extend_from_slice(lines),
            None => self.lines.extend(0..part.heads.len() as u32),
        }
        for (index, head) in part.heads.iter().enumerate() {
            let EventHead { name, thread, .. } = self.heads.heads[*head as usize];
            let place = self.threads[thread as usize].take(self.effects[name as usize], &mut self.n_calls);
            self.n_events += 1;
            if place.has_no_entry {
                let message = format!("{} has no entry in its thread", names[name as usize]);
                let line = part.first_line + u64::from(self.lines[index]);
                builder.finding("L4", i64::try_from(self.n_events).ok(), Some(line), message);
            }
            let (key, arg_names) = match self.known[*head as usize] {
                Some(known) => known,
                None => self.new_head(*head, names, builder),
            };
            self.calls.push(place.call.unwrap_or(i64::MIN));
            self.depths.push(place.depth as i64);
            self.keys.push(key);
            self.arg_names.push(arg_names);
        }
    }

    #[cold]
    fn new_head(&mut self, head: u32, names: &[&str], builder: &mut TraceBuilder) -> (KeyId, ArgsId) {
        let EventHead { name, .. } = self.heads.heads[head as usize];
        let arg_names = self.heads.arg_names(&self.heads.heads[head as usize]);
        let arity = i64::try_from(arg_names.len()).ok();
        let proc = ProcRow { name: Some(names[name as usize]), arity, ..ProcRow::default() };
        let key = builder.key(&proc, Some(port(self.effects[name as usize])), None);
        let list: Vec<Option<&str>> = arg_names.iter().map(FieldName::as_deref).collect();
        let known = (key, builder.names(ListField::Parts(&list)));
        self.known[head as usize] = Some(known);
        known
    }
}

fn port(effect: BoxEffect) -> &'static str {
    match effect {
        BoxEffect::Opens(_) => "call",
        BoxEffect::Closes(_) => "exit",
        BoxEffect::Nothing => "event",
    }
}
