//! A trace that grows while it is read: a trace of the events on the lines that have come, one after the other.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::recognise::likeliest;
use crate::formats::{Format, Lines};
use crate::term::ops::OpTable;
use crate::trace::{EventId, Samples, Trace, TraceBuilder};

/// How the lines of a trace that grows are read.
#[derive(Clone, Copy)]
pub enum Follow {
    /// Not at all: what an event is depends on lines after it.
    Never,
    /// As other lines: each says all about its event.
    Lines,
    /// By readers that remember the lines before.
    Remembering {
        /// Starts a reader of batch after batch.
        batches: fn() -> ReadAfter,
        /// Starts a reader of events that were taken out of their trace.
        alone: fn() -> ReadAfter,
    },
}

/// Reads lines; those up to the given one were read before, and come again as they say what the others are like.
pub type ReadAfter = Box<dyn FnMut(u64, &mut Lines, &mut TraceBuilder) + Send>;

impl Follow {
    /// A reader of batch after batch.
    fn batches(self, format: &Format) -> ReadAfter {
        match self {
            Follow::Remembering { batches, .. } => batches(),
            Follow::Lines | Follow::Never => forgetful(format),
        }
    }

    /// A reader of events that were taken out of their trace.
    fn alone(self, format: &Format) -> ReadAfter {
        match self {
            Follow::Remembering { alone, .. } => alone(),
            Follow::Lines | Follow::Never => forgetful(format),
        }
    }
}

fn forgetful(format: &Format) -> ReadAfter {
    let read = format.read;
    Box::new(move |_, lines, builder| read(lines, builder))
}

/// Bytes of the first lines that say what the others are like.
const HEAD: usize = 1 << 16;

/// A trace of which more lines come.
pub struct Growing {
    path: PathBuf,
    format: &'static Format,
    /// The first lines, which are read again with each batch.
    head: Vec<u8>,
    n_head_lines: u64,
    n_head_events: EventId,
    n_lines: u64,
    n_events: EventId,
    last_chrono: Option<i64>,
    /// Whether there was a header and no trailer so far; none before the first lines.
    is_unfinished: Option<bool>,
    /// Reads the next batch.
    reader: ReadAfter,
    /// What attributes have had so far, as it decides what constraints mean.
    samples: Samples,
    /// The operators of texts that are terms, if they are not the standard ones.
    operators: Option<Box<OpTable>>,
}

/// The events on some lines.
pub struct Batch {
    /// A trace that has them, behind others that do not count.
    pub trace: Arc<Trace>,
    /// The row of the first of them.
    pub first: EventId,
    /// How many events came before.
    pub n_before: EventId,
}

/// An event that is kept when its batch has gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its number.
    pub chrono: i64,
    /// The line of the trace's file on which it stands.
    pub line: u64,
    /// The text of its lines.
    pub text: Vec<u8>,
}

impl Growing {
    /// The format that a trace is in which begins with some lines, if it is one whose events can be read as they come;
    /// `forced` is its name if that was said.
    pub fn format(head: &[u8], forced: Option<&str>) -> Option<&'static Format> {
        let format = match forced {
            Some(name) => Format::named(name),
            None => likeliest(head),
        };
        format.filter(|format| !matches!(format.follow, Follow::Never))
    }

    /// A trace without lines yet.
    pub fn new(path: &Path, format: &'static Format, operators: Option<&OpTable>) -> Growing {
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
            samples: Samples::new(),
            reader: format.follow.batches(format),
            operators: operators.cloned().map(Box::new),
        }
    }

    /// The same trace without events.
    pub fn empty(&self) -> Trace {
        let origin = self.format.origin(&self.path);
        TraceBuilder::new(origin).finish()
    }

    /// How many events there have been.
    pub fn n_events(&self) -> EventId {
        self.n_events
    }

    /// Whether the recorder has begun and not come to its end.
    pub fn is_unfinished(&self) -> bool {
        self.is_unfinished == Some(true)
    }

    /// How many lines have come.
    pub fn n_lines(&self) -> u64 {
        self.n_lines
    }

    /// The events on whole lines that have come behind those before.
    pub fn read(&mut self, text: &[u8]) -> Batch {
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
            // they have no numbers of their own, or these begin anew: the rank goes on
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
        Batch { trace: Arc::new(trace), first, n_before }
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
    }

    /// A trace of kept events, with their own numbers and lines, behind others; and the row of the first of them.
    pub fn trace_of(&self, kept: &[Kept]) -> (Trace, EventId) {
        let text: Vec<u8> = kept.iter().flat_map(|event| event.text.iter().copied()).collect();
        let (mut lines, mut builder) = (self.lines(&text, 0), self.builder());
        (self.format.follow.alone(self.format))(self.n_head_lines, &mut lines, &mut builder);
        let mut trace = builder.finish();
        let first = self.n_head_events.min(trace.n_events());
        let places: Vec<(i64, u64)> = kept.iter().map(|event| (event.chrono, event.line)).collect();
        trace.place_from(first, &places);
        (trace, first)
    }
}

/// The lines of a batch.
pub struct BatchText<'t> {
    text: &'t [u8],
    /// The number of the first of them.
    first: u64,
    /// Where they begin.
    starts: Vec<usize>,
}

impl<'t> BatchText<'t> {
    /// The lines of a text, which follow some others.
    pub fn new(text: &'t [u8], n_before: u64) -> BatchText<'t> {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|end| end + 1)).collect();
        BatchText { text, first: n_before + 1, starts }
    }

    /// All of them.
    pub fn text(&self) -> &'t [u8] {
        self.text
    }

    /// What is kept of an event of a batch of these lines.
    pub fn keep(&self, batch: &Batch, event: EventId) -> Kept {
        let line = batch.trace.source_line(event).unwrap_or(0);
        let next = (event + 1 < batch.trace.n_events()).then(|| batch.trace.source_line(event + 1)).flatten();
        Kept { chrono: batch.trace.chrono(event), line, text: self.lines(line, next).to_vec() }
    }

    /// The lines from one on up to another, or all that follow.
    fn lines(&self, from: u64, to: Option<u64>) -> &'t [u8] {
        let start = |line: u64| {
            let place = usize::try_from(line.checked_sub(self.first)?).ok()?;
            self.starts.get(place).copied()
        };
        let Some(from) = start(from) else { return &[] };
        let to = to.and_then(start).unwrap_or(self.text.len());
        &self.text[from..to.max(from)]
    }
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
            let of_batch = |batch: Batch| {
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
            let text = BatchText::new(text.as_bytes(), before);
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
