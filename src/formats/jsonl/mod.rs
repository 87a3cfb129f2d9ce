//! The `jsonl` format: one JSON object an event; keys are full names of attributes, and any other key is an attribute of its
//! own.
//!
//! What each key means is in [`keys`], which box an event belongs to in [`boxes`], what the header says in [`header`].

mod boxes;
mod calls;
mod costs;
mod event;
mod header;
mod json;
mod keys;
mod procedure;
mod terms;
mod time;

use super::Format;
use super::lines::{Ending, Lines};
use super::morphine;
use crate::trace::{AttributeId, PortSet, TraceBuilder};
use event::Reader;

/// The attributes whose texts are those of terms, as the arguments of event lines are.
pub const VARIABLES: [AttributeId; 3] = [AttributeId::VARS, AttributeId::VAR_NAMES_AND_TYPES, AttributeId::LOCAL_VARS];

/// The record of the format.
pub const FORMAT: Format = Format {
    name: "jsonl",
    doc: "one JSON object an event, keys are full names of attributes",
    sample: r#"{"chrono": 1, "call": 1, "depth": 1, "port": "call", "name": "main", "arity": 0}"#,
    missing: "no line is a JSON object with a `port` or a `name`",
    rule: "J1",
    ports: PortSet::Open(morphine::PORTS),
    attributes: &[],
    sniff,
    read,
    excerpt: None,
};

/// How many of the first lines are objects that tell of an event or of the trace; few, as parsing is slow.
fn sniff(head: &[u8]) -> usize {
    let lines = head.split(|&byte| byte == b'\n' || byte == b'\r').filter(|line| !line.trim_ascii().is_empty());
    lines.take(50).filter(|line| is_event(line)).count()
}

fn is_event(line: &[u8]) -> bool {
    match json::object(&super::text::visible_in_json(line)) {
        Ok(object) => object.0.iter().any(|(key, _)| keys::tells_event(key)),
        Err(_) => begins_as_event(line),
    }
}

/// Whether a line that cannot be read begins as an event: `{"chrono": 1, "args": [[[...`, nested too deep or cut.
fn begins_as_event(line: &[u8]) -> bool {
    let key = line.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    let key = key.and_then(|key| key.strip_prefix(b"\"")?.split(|byte| *byte == b'"').next());
    key.and_then(|key| std::str::from_utf8(key).ok()).is_some_and(keys::tells_event)
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut reader = Reader::default();
    while let Some(line) = lines.next_line() {
        if line.bytes.trim_ascii().is_empty() && line.ending != Ending::TooLong {
            continue;
        }
        let number = line.number;
        match line.ending {
            Ending::TooLong => {
                let message = format!("a line of more than {} MiB is left out", Lines::LONGEST >> 20);
                builder.finding(FORMAT.rule, None, Some(number), message);
            }
            _ => read_object(&super::text::visible_in_json(line.bytes), number, &mut reader, builder),
        }
    }
    reader.finish(builder);
}

/// Reads a text that should be an object.
fn read_object(text: &str, line: u64, reader: &mut Reader, builder: &mut TraceBuilder) {
    match json::object(text) {
        Ok(object) if object.get("papaver").is_some() => reader.header.read(&object, line, builder),
        Ok(object) => reader.event(&object, line, builder),
        Err(message) => builder.finding(FORMAT.rule, None, Some(line), message),
    }
}
