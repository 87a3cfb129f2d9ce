//! The `posix` format: a POSIX trace (IEEE 1003.1-2001, option TRC) as JSON Lines.
//!
//! A header, a line for each event type, a line for each event, and a last line with the status. What an event means for
//! the windows of the trace is told by `windows`.

mod append;
mod columns;
mod data;
mod event_types;
mod events;
mod fast;
mod line;
mod scan;
mod shared_values;
mod stream;
mod windows;

use serde_json::{Map, Value};

use super::Format;
use super::checks::{BOXES_ALTERNATE, Need, ReadyCheck, WELL_FORMED};
use super::drawing::{Aside, Draw, Drawing, Whose};
use super::lines::{Lines, read_ahead, text};
use crate::trace::{Field, PortRecord, PortRole, PortSet, TraceBuilder, Traced};
use append::Columns;
use columns::Payload;
use event_types::Types;
use fast::Batch;
use line::Record;
use stream::{Statuses, object_term};
use windows::Windows;

/// The record of the format.
pub const FORMAT: Format = Format {
    name: "posix",
    doc: "a POSIX trace as JSON Lines: header, event types, events, status",
    sample: r#"{"t":"3176.141185264","id":36,"pid":24220,"tid":4,"addr":"0x55d0","trunc":"POSIX_TRACE_NOT_TRUNCATED","data":"776f"}"#,
    missing: "no line is an object with `posix_trace`, or with `t` and `id`",
    rule: "P1",
    ports: PortSet::Closed(PORTS),
    attributes: events::ATTRIBUTES,
    sniff,
    read,
    checks: CHECKS,
    drawing: Draw::Always(&DRAWING),
    has_spans: true,
    blind: &["running", "window"],
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
pub const PORTS: &[PortRecord] = &[
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
    let lines = head.split(|&byte| byte == b'\n' || byte == b'\r').filter(|line| !line.trim_ascii().is_empty());
    lines.take(50).filter_map(|line| line::object(&text::visible_in_json(line)).ok()).filter(is_ours).count()
}

fn is_ours(object: &Map<String, Value>) -> bool {
    let has = |keys: &[&str]| keys.iter().all(|key| object.contains_key(*key));
    has(&["posix_trace"])
        || has(&["type", "name", "class"])
        || has(&["t", "id", "trunc"])
        || has(&["t", "id", "tid"])
        || has(&["end", "events"])
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut reader = Reader::new(lines.number(), builder);
    read_ahead::read(lines, None, |text, batch| Batch::read(batch, text), |chunk, batch| reader.chunk(chunk, batch));
    lines.count_lines(reader.n_input_lines - lines.number());
    reader.finish(lines.number());
}

/// What the header says that the rules need.
#[derive(Default)]
struct Header {
    object: Option<Map<String, Value>>,
    max_data_size: Option<u64>,
}

impl Header {
    /// The attributes of the stream.
    fn attributes(&self) -> Option<&Map<String, Value>> {
        self.object.as_ref()?.get("attr")?.as_object()
    }

    fn attribute(&self, name: &str) -> Option<&Value> {
        self.attributes()?.get(name)
    }

    fn has_policy(&self, name: &str, policy: &str) -> bool {
        self.attribute(name).and_then(Value::as_str).is_some_and(|value| value.ends_with(policy))
    }

    /// Whether the implementation has an option; one that does not say may have all.
    fn has_option(&self, option: &str) -> bool {
        let options = self.object.as_ref().and_then(|object| object.get("options")?.as_array());
        options.is_none_or(|options| options.iter().any(|one| one.as_str() == Some(option)))
    }

    fn take(&mut self, object: Map<String, Value>) {
        self.object = Some(object);
        self.max_data_size = self.attribute("max_data_size").and_then(Value::as_u64);
    }
}

/// A trace that is being read.
struct Reader<'b> {
    builder: &'b mut TraceBuilder,
    ids: events::Ids,
    header: Header,
    types: Types,
    windows: Windows,
    told: shared_values::Told,
    payload: Payload,
    columns: Columns,
    statuses: Statuses,
    /// How many lines there were that are not blank.
    n_lines: u64,
    /// How many lines the chunks before had.
    n_input_lines: u64,
    end: Option<Map<String, Value>>,
    has_overflow: bool,
    was_overrun: bool,
}

impl Reader<'_> {
    /// For a trace without events yet, behind so many lines.
    fn new(n_input_lines: u64, builder: &mut TraceBuilder) -> Reader<'_> {
        let ids = events::Ids::new(builder);
        Reader {
            builder,
            ids,
            header: Header::default(),
            types: Types::default(),
            windows: Windows::default(),
            told: shared_values::Told::default(),
            payload: Payload::default(),
            columns: Columns::default(),
            statuses: Statuses::default(),
            n_lines: 0,
            n_input_lines,
            end: None,
            has_overflow: false,
            was_overrun: false,
        }
    }

    fn long_line(&mut self, number: u64) {
        let message = format!("a line of more than {} MiB is left out", Lines::LONGEST >> 20);
        self.fault(FORMAT.rule, number, message);
    }

    fn line(&mut self, text: &str, number: u64) -> Result<(), String> {
        self.n_lines += 1;
        if self.end.is_some() {
            self.fault("P1", number, "nothing may stand behind the line `end`");
        }
        if let Some(record) = line::quick(text) {
            self.need_header(number);
            self.event(&record, number);
            return Ok(());
        }
        let object = line::object(text)?;
        if object.contains_key("posix_trace") {
            return self.header_line(object);
        }
        self.need_header(number);
        if object.contains_key("t") || object.contains_key("id") {
            let (record, faults) = Record::of(&object)?;
            faults.into_iter().for_each(|fault| self.builder.finding("P1", None, Some(number), fault));
            self.event(&record, number);
        } else if object.contains_key("type") {
            let fault = self.types.declare(&object)?;
            fault.into_iter().for_each(|fault| self.builder.finding("P2", None, Some(number), fault));
        } else if object.contains_key("end") {
            self.note_status(object.get("status"));
            self.end = Some(object);
        } else if let Some(status) = object.get("status") {
            self.note_status(Some(status));
            self.statuses.pending.push(status.clone());
        } else {
            return Err("expected a header, a type, an event, a status or the end".to_string());
        }
        Ok(())
    }

    fn header_line(&mut self, object: Map<String, Value>) -> Result<(), String> {
        if self.header.object.is_some() {
            return Err("a second header: it is left out".to_string());
        }
        let is_first = self.n_lines == 1;
        self.header.take(object);
        if is_first { Ok(()) } else { Err("the header must be the first line".to_string()) }
    }

    /// Says once that the header is missing.
    fn need_header(&mut self, number: u64) {
        if self.n_lines == 1 {
            self.fault("P1", number, "expected the header as the first line");
        }
    }

    fn note_status(&mut self, status: Option<&Value>) {
        let Some(status) = status else { return };
        let keys = ["stream_overrun", "stream_overrun_status", "log_overrun", "log_overrun_status"];
        let is_overrun = |key: &&str| matches!(status.get(*key), Some(Value::String(word)) if word.ends_with("_OVERRUN") && !word.ends_with("NO_OVERRUN"));
        self.was_overrun |= keys.iter().any(is_overrun);
    }

    fn fault(&mut self, rule: &'static str, line: u64, message: impl Into<String>) {
        self.builder.finding(rule, None, Some(line), message);
    }

    /// What can be said only at the end.
    fn finish(mut self, last_line: u64) {
        self.leave_data();
        if self.n_lines == 0 {
            return;
        }
        self.check_end(last_line);
        let end = self.end.take();
        self.put_statuses(end.as_ref().and_then(|end| end.get("status")).filter(|status| status.is_object()));
        self.builder.extend_last(self.ids.event_types, Field::Term(&self.types.table()));
        if let Some(end) = end {
            let lost = end.get("lost").and_then(Value::as_i64);
            lost.into_iter().for_each(|lost| self.builder.extend_last(self.ids.lost, Field::Int(lost)));
            self.builder.extend_last(self.ids.end, Field::Term(&object_term(end)));
        }
    }

    fn check_end(&mut self, last_line: u64) {
        let n_events = u64::from(self.builder.n_events());
        let Some(end) = &self.end else {
            return self.fault("P1", last_line, "the line `end` is missing: the log was cut");
        };
        let said = end.get("events").and_then(Value::as_u64);
        let lost = end.get("lost").and_then(Value::as_i64).unwrap_or(0);
        let has_status = end.contains_key("status");
        if said != Some(n_events) {
            let said = said.map_or("no number of events".to_string(), |said| format!("{said} events"));
            self.fault("P1", last_line, format!("the line `end` says {said}, the trace has {n_events}"));
        }
        if self.has_overflow && has_status && !self.was_overrun {
            self.fault("P10", last_line, "there was an overflow, but the status says that there was no overrun");
        }
        if lost > 0 && !self.has_overflow && self.header.has_policy("stream_full_policy", "_LOOP") {
            self.fault("P10", last_line, format!("{lost} events were lost, but no overflow is told"));
        }
    }
}

#[cfg(test)]
mod chunk_tests;
#[cfg(test)]
mod sample_tests;
