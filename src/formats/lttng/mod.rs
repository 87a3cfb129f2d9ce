//! The `lttng` format: traces of LTTng as babeltrace2 prints them, an event a line.
//!
//! Chunks of lines are read on all cores (`fast`). Which names open and close boxes is known only when all names are, so
//! that events are added at the end (`events`). Contexts and fields stay as printed until a goal needs them (`tables`).
//! What the tracer lost is in another file (`losses`).

mod boxes;
mod columns;
mod events;
mod fast;
mod fields;
mod heads;
mod line;
mod losses;
mod tables;
mod values;

use super::Format;
use super::checks::{BOXES_ALTERNATE, Need, ReadyCheck, WELL_FORMED};
use super::drawing::{BoxOrder, Draw, Drawing};
use super::lines::{Lines, read_ahead, text};
use crate::formats::lines::split_lines;
use crate::trace::{PortRecord, PortRole, PortSet, TraceBuilder, Traced};
use events::LttngReader;
use fast::LttngChunk;
use line::{EventLine, LineFault};

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "lttng",
    doc: "traces of LTTng, as babeltrace2 prints them",
    sample: "[16:09:02.133720888] (+0.000006600) app shop:item: { cpu_id = 1 }, { vpid = 3652, vtid = 3659 }, { id = 1 }",
    missing: "no line has a time in brackets, the name of an event and its fields in braces",
    rule: "L1",
    ports: PortSet::Closed(PORTS),
    attributes: columns::ATTRIBUTES,
    sniff,
    read,
    has_losses: true,
    checks: CHECKS,
    drawing: Draw::Always(&DRAWING),
    shown: &["time", "tid"],
    ..Format::PLAIN
};

/// The assertions that fit its traces.
const CHECKS: &[ReadyCheck] = &[
    WELL_FORMED,
    ReadyCheck::with("every_span_ends", &[Need::Attribute("call"), Need::Port("call")]),
    BOXES_ALTERNATE,
    ReadyCheck::new("nothing_lost"),
];

/// How its traces are drawn.
const DRAWING: Drawing = Drawing {
    known_by: &["cpu", "host", "vtid"],
    process: &[("process ", "pid")],
    thread: &[("thread ", "tid"), ("cpu ", "cpu")],
    instant: &[("", "name")],
    time: Some(("time", 1000)),
    order: BoxOrder::Free,
    ..Drawing::ONE_TRACK
};

const fn port(name: &'static str, role: PortRole, doc: &'static str) -> PortRecord {
    PortRecord { name, spellings: &[], role, traced: Traced::Yes, doc }
}

const PORTS: &[PortRecord] = &[
    port("event", PortRole::Inside, "the program makes an event"),
    port("call", PortRole::Opens, "the program makes an event whose name ends with _entry, _enter, _begin or _start"),
    port("exit", PortRole::Closes, "the program makes the event that ends it: _exit, _end or _stop"),
];

/// How many of the first lines are events.
fn sniff(head: &[u8]) -> usize {
    let lines = split_lines(head).filter(|line| !line.is_empty());
    lines.take(1000).filter(|line| !matches!(EventLine::of(&text::visible(line)), Err(LineFault::Head))).count()
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    read_by(LttngChunk::read, lines, builder);
}

/// Reads all lines, each chunk of them by a function.
fn read_by(read: impl Fn(&mut LttngChunk, &[u8]) + Sync, lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut reader = LttngReader::new(builder);
    reader.n_lines = lines.number();
    read_ahead::read(
        lines,
        None,
        |text, chunk: &mut LttngChunk| read(chunk, text),
        |chunk, read| {
            reader.chunk(chunk, read);
        },
    );
    lines.count_lines(reader.n_lines - lines.number());
    reader.finish(lines.losses.as_deref());
}

#[cfg(test)]
mod chunk_tests;
