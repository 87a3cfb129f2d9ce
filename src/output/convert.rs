//! Writing a whole trace in a format, event after event.

use std::fmt;
use std::io::{self, Write};

use super::{Display, json, write_event};
use crate::trace::{EventId, Trace};

pub use super::chrome::chrome;
pub use super::csv::write_csv as csv;

/// A format that traces can be written in.
pub struct Target {
    /// The name that `--to` takes.
    pub name: &'static str,
    /// Endings of files that mean this format.
    pub endings: &'static [&'static str],
    /// Writes the trace.
    pub write: fn(&Trace, &mut dyn Write) -> io::Result<()>,
}

/// Every format that traces can be written in.
pub const TARGETS: &[Target] = &[
    Target { name: "morphine", endings: &["trace", "morphine"], write: morphine },
    Target { name: "jsonl", endings: &["jsonl", "ndjson"], write: jsonl },
    Target { name: "papaver", endings: &["papaver"], write: saved },
    Target { name: "csv", endings: &["csv"], write: csv },
    Target { name: "chrome", endings: &["chrome"], write: chrome },
];

/// The target with that name, or the one that the ending of a file's name means.
pub fn target(name_or_ending: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name_or_ending || target.endings.contains(&name_or_ending))
}

/// Writes the event lines, with every part that the trace has.
pub fn morphine(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let display = Display::of(trace);
    each_line(trace, out, |line, event| write_event(line, trace, event, &display))
}

/// Writes one JSON object an event.
pub fn jsonl(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    each_line(trace, out, |line, event| json::write_event(line, trace, event))
}

/// Writes the saved trace, which is opened at once and needs no text.
pub fn saved(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    trace.save(out)?;
    out.flush()
}

fn each_line(
    trace: &Trace,
    out: &mut dyn Write,
    write: impl Fn(&mut String, EventId) -> fmt::Result,
) -> io::Result<()> {
    let mut block = String::with_capacity(BLOCK + 4096);
    for event in 0..trace.n_events() {
        write(&mut block, event).expect("writing to a string cannot fail");
        block.push('\n');
        if block.len() >= BLOCK {
            out.write_all(block.as_bytes())?;
            block.clear();
        }
    }
    out.write_all(block.as_bytes())?;
    out.flush()
}

/// Bytes that are written at once.
pub(super) const BLOCK: usize = 1 << 16;

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
