//! A trace that grows while it is read: the new events of each batch of lines become a trace of their own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::recognise::likeliest;
use super::seams::Seams;
use crate::formats::json::facts::MARK;
use crate::formats::{EventOrder, Follow, Format, Lines, ReadAfter};
use crate::term::ops::OpTable;
use crate::trace::{EventId, Samples, Trace, TraceBuilder};

/// Bytes of the first lines that are read again with each batch, as readers infer from them what lines have in common.
const HEAD: usize = 1 << 16;

/// A trace to which lines are added.
pub(crate) struct Growing {
    path: PathBuf,
    format: &'static Format,
    /// The first lines, which are read again with each batch.
    head: Vec<u8>,
    n_head_lines: u64,
    n_head_events: EventId,
    n_lines: u64,
    n_events: EventId,
    last_chrono: Option<i64>,
    /// Whether there was a header and no trailer so far; unknown before the first lines.
    is_unfinished: Option<bool>,
    /// Reads the next batch.
    reader: ReadAfter,
    /// Values of each attribute so far: they decide what constraints mean.
    samples: Samples,
    seams: Seams,
    /// The operators of texts that are terms, if they are not the standard ones.
    operators: Option<Box<OpTable>>,
}

/// The events on new lines.
pub(crate) struct NewEvents {
    /// A trace with them, after events that are not new.
    pub(crate) trace: Arc<Trace>,
    /// The row of the first new event.
    pub(crate) first: EventId,
    /// The number of events in earlier batches.
    pub(crate) n_before: EventId,
}

/// An event that is kept after its batch is dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptEvent {
    /// Its number.
    pub(crate) chrono: i64,
    /// Its line in the file of the trace.
    pub(crate) line: u64,
    /// The text of its lines.
    pub(crate) text: Vec<u8>,
}

impl Growing {
    /// The format of a trace that begins with `head`, if its lines can be read as they arrive; `forced` is its name, if given.
    pub(crate) fn format(head: &[u8], forced: Option<&str>) -> Option<&'static Format> {
        Growing::any_format(head, forced).filter(|format| !matches!(format.follow, Follow::Never))
    }

    /// Whether the format of a trace that begins with `head` is known: not by what a recorder states at the start.
    pub(crate) fn is_recognised(head: &[u8], forced: Option<&str>) -> bool {
        forced.is_some() || !events_of(head).is_empty() && Growing::any_format(head, forced).is_some()
    }

    fn any_format(head: &[u8], forced: Option<&str>) -> Option<&'static Format> {
        match forced {
            Some(name) => Format::named(name),
            None => {
                let events = events_of(head);
                let is_json = events.first().is_none_or(|first| matches!(first, b'{' | b'['));
                likeliest(if is_json { head } else { &events })
            }
        }
    }

    /// How the events of the format are ordered.
    pub(crate) fn order(&self) -> EventOrder {
        self.format.order
    }

    /// A trace without lines yet.
    pub(crate) fn new(path: &Path, format: &'static Format, operators: Option<&OpTable>) -> Growing {
        Growing {
            path: path.to_path_buf(),
            format,
            head: Vec::new(),
            n_head_lines: 0,
            n_head_events: 0,
            n_lines: 0,
            n_events: 0,
            last_chrono: None,
            is_unfinished: None,
            samples: Samples::default(),
            seams: Seams::default(),
            reader: format.batch_reader(),
            operators: operators.cloned().map(Box::new),
        }
    }

    /// The same trace without events.
    pub(crate) fn empty(&self) -> Trace {
        let origin = self.format.origin(&self.path);
        TraceBuilder::new(origin).finish()
    }

    /// The number of events so far.
    pub(crate) fn n_events(&self) -> EventId {
        self.n_events
    }

    /// Whether the recorder has begun and not finished.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.is_unfinished == Some(true)
    }

    /// The number of lines so far.
    pub(crate) fn n_lines(&self) -> u64 {
        self.n_lines
    }

    /// The events on whole lines that follow those before.
    pub(crate) fn read(&mut self, text: &[u8]) -> NewEvents {
        let n_before = self.n_events;
        let mut lines = self.lines(text, self.n_lines - self.n_head_lines);
        let mut builder = self.builder();
        (self.reader)(self.n_lines, &mut lines, &mut builder);
        let mut trace = builder.finish();
        let first = self.n_head_events.min(trace.n_events());
        let n_new = trace.n_events() - first;
        if n_new > 0
            && let Some(last) = self.last_chrono
            && trace.chrono(first) <= last
        {
            // the events are not numbered, or numbered from 1 again: the numbers go on
            trace.number_from(last + 1 - i64::from(first));
        }
        if n_new > 0 {
            self.last_chrono = Some(trace.chrono(trace.n_events() - 1));
        }
        // the header is among the lines that are read again, the trailer may not be
        self.is_unfinished = Some(self.is_unfinished != Some(false) && trace.recording().is_unfinished);
        self.samples.extend(trace.samples());
        self.grow_head(text, &trace);
        self.n_lines += memchr::memchr_iter(b'\n', text).count() as u64;
        self.n_events += n_new;
        NewEvents { trace: Arc::new(trace), first, n_before }
    }

    /// The lines of the head and others after it, which follow `n_lines_before`.
    fn lines(&self, text: &[u8], n_lines_before: u64) -> Lines {
        let whole = [self.head.as_slice(), text].concat();
        let mut lines = Lines::of_text(&whole, n_lines_before);
        lines.operators = self.operators.clone();
        lines
    }

    fn builder(&self) -> TraceBuilder {
        let mut builder = TraceBuilder::new(self.format.origin(&self.path));
        builder.remember(&self.samples);
        builder
    }

    /// Adds lines to the head, if all lines before are in it.
    fn grow_head(&mut self, text: &[u8], trace: &Trace) {
        if self.n_lines > self.n_head_lines {
            return;
        }
        let room = HEAD.saturating_sub(self.head.len()).min(text.len());
        let Some(end) = memchr::memrchr(b'\n', &text[..room]) else { return };
        self.head.extend_from_slice(&text[..=end]);
        self.n_head_lines += memchr::memchr_iter(b'\n', &text[..=end]).count() as u64;
        let is_in_head = |event: &EventId| trace.source_line(*event).is_some_and(|line| line <= self.n_head_lines);
        self.n_head_events = (0..trace.n_events()).take_while(is_in_head).count() as EventId;
        self.seams.of_head = self.read_alone(&[]).recording().clone();
    }

    /// Keeps what a batch tells of the recording.
    pub(crate) fn keep_seams(&mut self, batch: &NewEvents, text: &NewLines<'_>) {
        self.seams.add(batch, text, self.n_head_lines);
    }

    /// A trace whose recorder left out the same, with some events of the whole.
    pub(crate) fn outline(&self, events: &[KeptEvent]) -> Trace {
        let (kept, rest) = self.seams.with(events, self.n_head_lines);
        let texts: Vec<&[u8]> = kept.iter().map(|event| event.text.as_slice()).chain([rest]).collect();
        let mut trace = self.read_alone(&texts.concat());
        let of_head = (0..self.n_head_events).map(|row| (trace.chrono(row), trace.source_line(row).unwrap_or(0)));
        let places: Vec<(i64, u64)> = of_head.chain(kept.iter().map(|event| (event.chrono, event.line))).collect();
        trace.place_from(0, &places);
        trace
    }

    /// The trace of the head and some lines of later events.
    fn read_alone(&self, text: &[u8]) -> Trace {
        let (mut lines, mut builder) = (self.lines(text, 0), self.builder());
        (self.format.lone_event_reader())(self.n_head_lines, &mut lines, &mut builder);
        builder.finish()
    }

    /// A trace that ends with kept events, with their own numbers and lines; and the row of the first of them.
    pub(crate) fn trace_of(&self, kept: &[KeptEvent]) -> (Trace, EventId) {
        let text: Vec<u8> = kept.iter().flat_map(|event| event.text.iter().copied()).collect();
        let mut trace = self.read_alone(&text);
        let first = self.n_head_events.min(trace.n_events());
        let places: Vec<(i64, u64)> = kept.iter().map(|event| (event.chrono, event.line)).collect();
        trace.place_from(first, &places);
        (trace, first)
    }
}

/// The text of new lines.
pub(crate) struct NewLines<'t> {
    text: &'t [u8],
    /// The number of the first line.
    pub(super) first: u64,
    /// Where the lines begin.
    starts: Vec<usize>,
}

impl<'t> NewLines<'t> {
    /// The lines of a text, after `n_before` others.
    pub(crate) fn new(text: &'t [u8], n_before: u64) -> NewLines<'t> {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|end| end + 1)).collect();
        NewLines { text, first: n_before + 1, starts }
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &'t [u8] {
        self.text
    }

    /// An event of these lines, to be kept.
    pub(crate) fn keep(&self, batch: &NewEvents, event: EventId) -> KeptEvent {
        let line = batch.trace.source_line(event).unwrap_or(0);
        let next = (event + 1 < batch.trace.n_events()).then(|| batch.trace.source_line(event + 1)).flatten();
        KeptEvent { chrono: batch.trace.chrono(event), line, text: self.lines(line, next).to_vec() }
    }

    /// The lines from one up to another, or to the end.
    pub(super) fn lines(&self, from: u64, to: Option<u64>) -> &'t [u8] {
        let start = |line: u64| {
            let place = usize::try_from(line.checked_sub(self.first)?).ok()?;
            self.starts.get(place).copied()
        };
        let Some(from) = start(from) else { return &[] };
        let to = to.and_then(start).unwrap_or(self.text.len());
        &self.text[from..to.max(from)]
    }
}

/// The lines in which a recorder does not speak of the trace.
fn events_of(head: &[u8]) -> Vec<u8> {
    let lines = head.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| !line.starts_with(MARK) && !line.trim_ascii().is_empty()).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{AttributeId, Value};

    const TRACE: &str = include_str!("../../../examples/queens/queens.trace");

    fn growing(text: &str) -> Growing {
        Growing::new(Path::new("t"), Growing::format(text.as_bytes(), None).unwrap(), None)
    }

    /// The events of all batches, as number, port and line.
    fn in_batches(text: &str, n_lines: usize) -> Vec<(i64, String, Option<u64>)> {
        let mut growing = growing(text);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut events = Vec::new();
        for lines in lines.chunks(n_lines) {
            let batch = growing.read(lines.concat().as_bytes());
            assert_eq!(batch.n_before as usize, events.len());
            let event = |event| {
                let port = batch.trace.port(event).map(|port| port.to_string()).unwrap_or_default();
                (batch.trace.chrono(event), port, batch.trace.source_line(event))
            };
            events.extend((batch.first..batch.trace.n_events()).map(event));
        }
        events
    }

    #[test]
    fn events_are_the_same_in_whatever_batches_they_come() {
        for text in [TRACE, include_str!("../../../examples/queens/queens.jsonl")] {
            let whole = in_batches(text, 10_000);
            assert_eq!(whole.len(), 698);
            for n_lines in [1, 7, 100] {
                assert_eq!(in_batches(text, n_lines), whole, "{n_lines}");
            }
        }
    }

    #[test]
    fn boxes_of_threads_are_the_same_in_whatever_batches_they_come() {
        let text: String = (0..60)
            .flat_map(|index| {
                let thread = index % 3;
                [
                    format!("{{\"port\": \"call\", \"name\": \"f\", \"tid\": {thread}}}\n"),
                    format!("{{\"port\": \"{}\", \"tid\": {thread}}}\n", if index % 2 == 0 { "exit" } else { "log" }),
                ]
            })
            .collect();
        let boxes = |n_lines: usize| {
            let mut growing = growing(&text);
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let batches = lines.chunks(n_lines).map(|lines| growing.read(lines.concat().as_bytes()));
            let of_batch = |batch: NewEvents| {
                let of_event = |event| {
                    let call = batch.trace.call(event).map(|call| batch.trace.call_number(call));
                    (call, batch.trace.depth(event), batch.trace.value(event, AttributeId::PARENT) == Value::Absent)
                };
                (batch.first..batch.trace.n_events()).map(of_event).collect::<Vec<_>>()
            };
            batches.flat_map(of_batch).collect::<Vec<_>>()
        };
        let whole = boxes(1000);
        assert_eq!(whole.len(), 120);
        assert!(whole.iter().all(|(call, depth, _)| call.is_some() && depth.is_some()));
        for n_lines in [1, 7, 50] {
            assert_eq!(boxes(n_lines), whole, "{n_lines}");
        }
    }

    #[test]
    fn events_without_numbers_are_numbered_by_rank() {
        let text = "{\"port\": \"a\"}\n".repeat(9);
        let expected: Vec<i64> = (1..=9).collect();
        for n_lines in [1, 2, 9] {
            let numbers: Vec<i64> = in_batches(&text, n_lines).into_iter().map(|event| event.0).collect();
            assert_eq!(numbers, expected);
        }
    }

    #[test]
    fn a_kept_event_comes_back_with_its_number_and_line() {
        let mut growing = growing(TRACE);
        let lines: Vec<&str> = TRACE.split_inclusive('\n').collect();
        let mut kept = Vec::new();
        for lines in lines.chunks(50) {
            let text = lines.concat();
            let before = growing.n_lines();
            let batch = growing.read(text.as_bytes());
            let text = NewLines::new(text.as_bytes(), before);
            kept.push(text.keep(&batch, batch.first + 3));
        }
        let (trace, first) = growing.trace_of(&kept);
        let found: Vec<(i64, Option<u64>)> =
            (first..trace.n_events()).map(|event| (trace.chrono(event), trace.source_line(event))).collect();
        let expected: Vec<(i64, Option<u64>)> =
            (0..14).map(|place| (place * 50 + 4, Some(place as u64 * 50 + 4))).collect();
        assert_eq!(found, expected);
    }
}
