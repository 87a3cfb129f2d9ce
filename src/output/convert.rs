//! Writes a whole trace in a format, event by event.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use super::jsonl::JsonLines;
use super::{Display, read_back, write_event};
use crate::trace::{EventId, Trace};

pub(crate) use super::chrome::chrome;
pub(crate) use super::csv::write_csv as csv;

/// A format in which traces can be written.
pub(crate) struct WritableFormat {
    /// Its name for `--to`.
    pub(crate) name: &'static str,
    /// The file name extensions of this format.
    pub(crate) endings: &'static [&'static str],
    writer: TraceWriter,
}

/// A way to write a trace.
enum TraceWriter {
    /// Reads it.
    Reading(fn(&Trace, &mut dyn Write) -> io::Result<()>),
    /// Drops its parts one after the other.
    Dropping(fn(Trace, &mut dyn Write) -> io::Result<()>),
}

impl WritableFormat {
    /// Writes the trace; an error if its file has changed since it was read. What nobody else needs of the trace may be
    /// dropped meanwhile.
    pub(crate) fn write(&self, trace: Arc<Trace>, out: &mut dyn Write) -> io::Result<()> {
        match self.writer {
            TraceWriter::Reading(write) => {
                write(&trace, out)?;
                trace.fault().map_or(Ok(()), |fault| Err(io::Error::other(fault)))
            }
            TraceWriter::Dropping(write) => write(Arc::unwrap_or_clone(trace), out),
        }
    }
}

/// All formats in which traces can be written.
pub(crate) const TARGETS: &[WritableFormat] = &[
    WritableFormat { name: "morphine", endings: &["trace", "morphine"], writer: TraceWriter::Reading(morphine) },
    WritableFormat { name: "jsonl", endings: &["jsonl", "ndjson"], writer: TraceWriter::Reading(jsonl) },
    WritableFormat { name: "papaver", endings: &["papaver"], writer: TraceWriter::Dropping(saved) },
    WritableFormat { name: "csv", endings: &["csv"], writer: TraceWriter::Reading(csv) },
    WritableFormat { name: "chrome", endings: &["json", "chrome"], writer: TraceWriter::Reading(chrome) },
];

/// The target with a name or with an extension of file names.
pub(crate) fn target(name_or_ending: &str) -> Option<&'static WritableFormat> {
    TARGETS.iter().find(|target| target.name == name_or_ending || target.endings.contains(&name_or_ending))
}

/// Writes event lines with every part that the trace has; an error if they could not be read back as the same events.
pub(crate) fn morphine(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    read_back::check_ports(trace)?;
    let display = Display::of(trace).only_parts(trace);
    read_back::check_first(&first_lines(trace, &display))?;
    each_line(trace, out, |block, event| {
        let start = block.len();
        write_event(block, trace, event, &display).expect(A_STRING);
        read_back::check_line(trace, event, &block[start..])
    })
}

/// The event lines of the first events.
fn first_lines(trace: &Trace, display: &Display) -> String {
    let mut lines = String::new();
    for event in 0..trace.n_events().min(FIRST) {
        write_event(&mut lines, trace, event, display).expect(A_STRING);
        lines.push('\n');
    }
    lines
}

/// The number of events checked before any is written.
const FIRST: EventId = 50;

/// Writes a header, a JSON object for each event, and a trailer.
pub(crate) fn jsonl(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let (lines, mut out) = (JsonLines::of(trace), BufWriter::with_capacity(BLOCK, out));
    lines.write_header(&mut out)?;
    (0..trace.n_events()).try_for_each(|event| lines.write_event(&mut out, event))?;
    lines.write_trailer(&mut out)?;
    out.flush()
}

/// Writes a saved trace, which can be opened without parsing text.
pub(crate) fn saved(trace: Trace, out: &mut dyn Write) -> io::Result<()> {
    trace.save(out)?;
    out.flush()
}

fn each_line(
    trace: &Trace,
    out: &mut dyn Write,
    write: impl Fn(&mut String, EventId) -> io::Result<()>,
) -> io::Result<()> {
    let mut block = String::with_capacity(BLOCK + 4096);
    for event in 0..trace.n_events() {
        write(&mut block, event)?;
        block.push('\n');
        if block.len() >= BLOCK {
            out.write_all(block.as_bytes())?;
            block.clear();
        }
    }
    out.write_all(block.as_bytes())?;
    out.flush()
}

const A_STRING: &str = "writing to a string cannot fail";

/// The size of the blocks in which output is written, in bytes.
pub(super) const BLOCK: usize = 1 << 16;

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
