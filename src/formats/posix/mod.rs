//! The `posix` format: a POSIX trace (IEEE 1003.1-2001, option TRC) as JSON Lines.
//!
//! A header, a line for each event type, a line for each event, and a last line with the status. `part` reads the events of
//! a chunk on any thread, `events` takes them in order, and `windows` finds what an event means for the windows of the trace.

mod columns;
mod data;
mod event_types;
mod events;
mod line;
mod part;
mod rules;
mod stream;
mod windows;

use serde_json::{Map, Value};

use super::Format;
use super::checks::{BOXES_ALTERNATE, Need, ReadyCheck, WELL_FORMED};
use super::drawing::{Aside, Draw, Drawing, Whose};
use super::lines::{Lines, read_ahead, text};
use crate::formats::lines::split_lines;
use crate::formats::spans::CERTAIN;
use crate::trace::{PortRecord, PortRole, PortSet, TraceBuilder, Traced};
use columns::AttributeIds;
use events::PosixReader;
use part::PosixPart;

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "posix",
    doc: "a POSIX trace as JSON Lines: header, event types, events, status",
    sample: r#"{"t":"3176.141185264","id":36,"pid":24220,"tid":4,"addr":"0x55d0","trunc":"POSIX_TRACE_NOT_TRUNCATED","data":"776f"}"#,
    missing: "no line is an object with `posix_trace`, or with `t` and `id`",
    rule: "P1",
    ports: PortSet::Closed(PORTS),
    attributes: columns::ATTRIBUTES,
    sniff,
    read,
    checks: CHECKS,
    drawing: Draw::Always(&DRAWING),
    has_spans: true,
    blind: &["running", "window"],
    shown: &["time", "tid"],
    ..Format::PLAIN
};

/// The assertions that fit its traces.
const CHECKS: &[ReadyCheck] = &[
    WELL_FORMED,
    ReadyCheck::with("every_span_ends", &[Need::Attribute("call"), Need::Port("call")]),
    BOXES_ALTERNATE,
    ReadyCheck::new("nothing_lost"),
    ReadyCheck::new("nothing_truncated"),
];

/// How its traces are drawn.
const DRAWING: Drawing = Drawing {
    known_by: &["tid", "trunc"],
    process: &[("process ", "pid")],
    thread: &[("thread ", "tid")],
    aside: &[
        Aside { ports: &["start", "stop"], name: "running", whose: Whose::Process },
        Aside { ports: &["overflow", "resume"], name: "overflow", whose: Whose::Process },
        Aside { ports: &["flush_start", "flush_stop"], name: "flush", whose: Whose::Process },
    ],
    instant: &[("", "name")],
    time: Some(("time", 1000)),
    ..Drawing::ONE_TRACK
};

const fn port(name: &'static str, spellings: &'static [&'static str], role: PortRole, doc: &'static str) -> PortRecord {
    PortRecord { name, spellings, role, traced: Traced::Yes, doc }
}

/// The ports: the system events by their names without `posix_trace_`, and one for all events of users.
pub(crate) const PORTS: &[PortRecord] = &[
    port("event", &[], PortRole::Inside, "the program makes an event of one of its own types"),
    port("call", &[], PortRole::Opens, "the program makes an event that opens a span, with --span"),
    port("exit", &[], PortRole::Closes, "the program makes an event that closes a span, with --span"),
    port("start", &["posix_trace_start", "POSIX_TRACE_START"], PortRole::Opens, "tracing starts"),
    port("stop", &["posix_trace_stop", "POSIX_TRACE_STOP"], PortRole::Closes, "tracing stops"),
    port(
        "overflow",
        &["posix_trace_overflow", "POSIX_TRACE_OVERFLOW"],
        PortRole::Opens,
        "the stream is full, and events are lost from here on",
    ),
    port("resume", &["posix_trace_resume", "POSIX_TRACE_RESUME"], PortRole::Closes, "the stream has room again"),
    port(
        "flush_start",
        &["posix_trace_flush_start", "POSIX_TRACE_FLUSH_START"],
        PortRole::Opens,
        "the stream begins to be flushed to the log",
    ),
    port("flush_stop", &["posix_trace_flush_stop", "POSIX_TRACE_FLUSH_STOP"], PortRole::Closes, "a flush ends"),
    port(
        "filter",
        &["posix_trace_filter", "POSIX_TRACE_FILTER"],
        PortRole::Inside,
        "the set of event types that are filtered out changes",
    ),
    port("error", &["posix_trace_error", "POSIX_TRACE_ERROR"], PortRole::Inside, "an error of the tracing itself"),
];

/// How many of the first lines belong to such a trace; few, as parsing is slow.
fn sniff(head: &[u8]) -> usize {
    let lines = split_lines(head).filter(|line| !line.trim_ascii().is_empty());
    let object = |line: &[u8]| line::object(&text::visible_in_json(line)).ok();
    let ours: Vec<Map<String, Value>> =
        lines.take(50).filter(|line| may_be_ours(line)).filter_map(object).filter(is_ours).collect();
    // the types of events, which follow, look like events of other formats
    let is_header = |object: &Map<String, Value>| ["posix_trace", "attr"].iter().all(|key| object.contains_key(*key));
    if ours.iter().any(is_header) { CERTAIN } else { ours.len() }
}

/// The keys, in quotes, of which a line of this format has all of one list.
const OWN_KEYS: [&[&str]; 5] = [
    &["\"posix_trace\""],
    &["\"type\"", "\"name\"", "\"class\""],
    &["\"t\"", "\"id\"", "\"trunc\""],
    &["\"t\"", "\"id\"", "\"tid\""],
    &["\"end\"", "\"events\""],
];

fn is_ours(object: &Map<String, Value>) -> bool {
    OWN_KEYS.iter().any(|keys| keys.iter().all(|key| object.contains_key(key.trim_matches('"'))))
}

/// Whether the keys stand somewhere on the line, or something is written that may stand for them: most lines of other formats
/// need not be parsed.
fn may_be_ours(line: &[u8]) -> bool {
    let has = |text: &str| memchr::memmem::find(line, text.as_bytes()).is_some();
    OWN_KEYS.iter().any(|keys| keys.iter().all(|key| has(key))) || has("\\u")
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let ids = AttributeIds::new(builder);
    let mut reader = PosixReader::new(ids, lines.number(), builder);
    let parse = |text: &[u8], part: &mut PosixPart| part.read(text, &ids);
    read_ahead::read(lines, None, parse, |chunk, part| reader.part(chunk, part));
    lines.count_lines(reader.n_input_lines - lines.number());
    reader.finish(lines.number());
}

#[cfg(test)]
mod chunk_tests;
#[cfg(test)]
mod sample_tests;
