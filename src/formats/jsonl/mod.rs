//! The `jsonl` format: one JSON object an event; keys are full names of attributes, and any other key is an attribute of its
//! own.
//!
//! What each key means is in `columns`, which box an event belongs to in `boxes`, what the header says in `header`.

mod array;
mod boxes;
mod calls;
mod columns;
mod events;
mod goal_path;
mod header;
mod rules;
mod slices;
mod solutions;
mod time;

use super::drawing::{ArrowStart, BoxOrder, Draw, Drawing, Flow};
pub(crate) use super::json::terms::json_argument;
use super::json::value::{self, JsonObject};
use super::lines::{LineEnding, Lines, text};
use super::{Follow, Format, ReadAfter, mercury, not_terms};
use crate::formats::lines::split_lines;
use crate::trace::{AttributeId, FindingSeverity, OwnAttribute, PortSet, TraceBuilder};
use boxes::JsonBoxes;
use columns::{EventMark, event_mark};
use events::JsonLinesReader;

/// The attributes whose texts are those of terms, as the arguments of event lines are.
pub(crate) const VARIABLES: [AttributeId; 3] =
    [AttributeId::VARS, AttributeId::VAR_NAMES_AND_TYPES, AttributeId::LOCAL_VARS];

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "jsonl",
    doc: "one JSON object per event, with the full names of attributes as keys",
    sample: r#"{"chrono": 1, "call": 1, "depth": 1, "port": "call", "name": "main", "arity": 0}"#,
    missing: "no line is a JSON object with a `port` or a `name`",
    rule: "J1",
    ports: PortSet::Open(mercury::PORTS),
    attributes: ATTRIBUTES,
    severities: SEVERITIES,
    sniff,
    sniff_faint,
    read,
    follow: Follow::Remembering {
        batches: || following(JsonBoxes::default()),
        alone: || following(JsonBoxes::stated()),
    },
    drawing: Draw::ByAttributes { timed: &OBJECTS, timeless: &TIMELESS_OBJECTS },
    derive: Some(solutions::derive),
    ..Format::PLAIN
};

/// The rules whose findings are not faults.
const SEVERITIES: &[(&str, FindingSeverity)] = &[
    // calls whose arguments differ from those of their exits, and halves of characters
    ("J4", FindingSeverity::Warning),
    not_terms::SEVERITY,
];

/// Traces of objects, with what they say of processes, threads and time.
const OBJECTS: Drawing = Drawing {
    process: &[("process ", "pid")],
    thread: &[("thread ", "thread"), ("thread ", "tid")],
    time: Some(("time", 1000)),
    order: BoxOrder::Free,
    // a recorder of messages gives a send and its receive the same number
    flows: &[Flow {
        name: "message",
        ports: &["receive"],
        only: None,
        source: ArrowStart::Same("transfer", "transfer"),
    }],
    ..Drawing::ONE_TRACK
};

/// The same for a trace without times: time is the number of the event.
const TIMELESS_OBJECTS: Drawing = Drawing { time: None, ..OBJECTS };

/// The attributes that recorders have agreed on.
const ATTRIBUTES: &[OwnAttribute] = &[
    OwnAttribute::time("time", "time of the event in nanoseconds"),
    OwnAttribute::new("pid", "process in which the event happened"),
    OwnAttribute::new("thread", "thread in which the event happened"),
    OwnAttribute::new("tid", "thread in which the event happened"),
    OwnAttribute::new("origin", "number of the event from which this one of a derived trace was made"),
];

/// What JSON texts are as arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonTexts {
    /// Themselves.
    Texts,
    /// Texts of terms.
    Terms,
}

/// How many of the first lines are objects of an event or a header, if one has a key of this format alone.
fn sniff(head: &[u8]) -> usize {
    let n_slices = slices::count(head);
    if n_slices > 0 {
        return n_slices;
    }
    let (n_own, n_events) = count_events(head);
    if n_own > 0 { n_events } else { 0 }
}

/// As [`sniff`], also without such a key.
fn sniff_faint(head: &[u8]) -> usize {
    count_events(head).1
}

/// The events with a key of this format alone, and all events; only some lines are read, as parsing is slow.
fn count_events(head: &[u8]) -> (usize, usize) {
    let (mut n_own, mut n_events) = (0, 0);
    let mut count = |mark: Option<EventMark>| {
        n_own += usize::from(mark == Some(EventMark::Own));
        n_events += usize::from(mark.is_some());
    };
    if array::begins(head) {
        array::elements(&mut Lines::of_text(head, 0), |element, _| count(element.ok().and_then(mark_of_element)));
        return (n_own, n_events);
    }
    let lines = split_lines(head).filter(|line| !line.trim_ascii().is_empty());
    lines.take(50).for_each(|line| count(mark_of_line(line)));
    (n_own, n_events)
}

/// As [`mark_of_line`], unless the object is one of a Chrome trace.
fn mark_of_element(element: &[u8]) -> Option<EventMark> {
    let text = text::visible_in_json(element);
    value::object(&text).ok().filter(|object| object.get("ph").is_none()).and_then(|object| mark_of_object(&object))
}

fn mark_of_line(line: &[u8]) -> Option<EventMark> {
    memchr::memchr(b'{', line)?;
    match value::object(&text::visible_in_json(line)) {
        Ok(object) => mark_of_object(&object),
        Err(_) => mark_of_beginning(line),
    }
}

/// The clearest mark of the keys.
fn mark_of_object(object: &JsonObject<'_>) -> Option<EventMark> {
    let marks = || object.0.iter().filter_map(|(key, value)| event_mark(key, Some(value)));
    marks().find(|mark| *mark == EventMark::Own).or_else(|| marks().next())
}

/// The mark with which a line begins that cannot be read: `{"chrono": 1, "args": [[[...`, nested too deep or cut.
fn mark_of_beginning(line: &[u8]) -> Option<EventMark> {
    let key = line.trim_ascii_start().strip_prefix(b"{")?.trim_ascii_start();
    let key = key.strip_prefix(b"\"")?.split(|byte| *byte == b'"').next()?;
    event_mark(std::str::from_utf8(key).ok()?, None)
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut reader = JsonLinesReader::new(lines);
    if slices::count(lines.sample()) > 0 {
        slices::read(lines, &mut reader, builder);
    } else if array::begins(lines.head()) {
        read_array(lines, &mut reader, builder);
    } else {
        read_lines(lines, &mut reader, builder);
    }
    reader.finish(builder);
}

/// Reads batches of lines that follow those after which `open` were open.
fn following(mut open: JsonBoxes) -> ReadAfter {
    Box::new(move |last, lines, builder| read_after(last, &mut open, lines, builder))
}

/// Reads lines; those after `last` follow the ones that left `open` open, and only they go into it.
fn read_after(last: u64, open: &mut JsonBoxes, lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut reader = JsonLinesReader::new(lines);
    let mut has_come = false;
    while let Some(line) = lines.next_line() {
        if line.number > last && !has_come {
            has_come = true;
            open.follow(&mut reader.boxes);
        }
        if !line.bytes.trim_ascii().is_empty() {
            read_object(&text::visible_in_json(line.bytes), line.number, &mut reader, builder);
        }
    }
    if has_come {
        reader.boxes.finish(builder);
        *open = std::mem::take(&mut reader.boxes);
        open.forget_parents();
    }
    reader.finish(builder);
}

fn read_lines(lines: &mut Lines, reader: &mut JsonLinesReader, builder: &mut TraceBuilder) {
    while let Some(line) = lines.next_line() {
        if line.bytes.trim_ascii().is_empty() && line.ending != LineEnding::TooLong {
            continue;
        }
        let number = line.number;
        match line.ending {
            LineEnding::TooLong => leave_out(number, builder),
            _ => read_object(&text::visible_in_json(line.bytes), number, reader, builder),
        }
    }
}

/// Reads a file that is one array of objects.
fn read_array(lines: &mut Lines, reader: &mut JsonLinesReader, builder: &mut TraceBuilder) {
    let end = array::elements(lines, |element, line| match element {
        Ok(element) => read_object(&text::visible_in_json(element), line, reader, builder),
        Err(()) => leave_out(line, builder),
    });
    if end == array::ArrayEnd::Open {
        builder.finding(FORMAT.rule, None, None, "the array of events has no end");
    }
}

fn leave_out(line: u64, builder: &mut TraceBuilder) {
    let message = Lines::too_long("line");
    builder.finding(FORMAT.rule, None, Some(line), message);
}

/// Reads a text that should be an object.
fn read_object(text: &str, line: u64, reader: &mut JsonLinesReader, builder: &mut TraceBuilder) {
    if !reader.has_halves && value::has_halves(text) {
        reader.has_halves = true;
        builder.finding("J4", None, Some(line), "half of a character, as `\\ud83d` alone, is read as U+FFFD");
    }
    match value::object(text) {
        Ok(object) if object.get("papaver").is_some() => reader.about(&object, line, builder),
        Ok(object) => reader.event(&object, line, builder),
        Err(message) => builder.finding(FORMAT.rule, None, Some(line), message),
    }
}
