//! The `lttng` format: traces of LTTng as babeltrace2 prints them, an event a line.
//!
//! Chunks of lines are read on all cores (`part`). Which names open and close boxes is known only when all names are, so
//! that events are added at the end (`events`). Fields stay as printed until a goal needs them. What the tracer lost is in
//! another file (`losses`).

mod boxes;
mod columns;
mod events;
mod fields;
mod line;
mod losses;
mod part;

use super::Format;
use super::checks::{BOXES_ALTERNATE, Need, ReadyCheck, WELL_FORMED};
use super::drawing::{BoxOrder, Draw, Drawing};
use super::lines::{Lines, read_ahead, text};
use crate::formats::lines::split_lines;
use crate::trace::{PortRecord, PortRole, PortSet, TraceBuilder, Traced};
use events::LttngReader;
use line::{ClockStamp, LineStart};
use part::LttngPart;

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "lttng",
    doc: "traces of LTTng, as babeltrace2 prints them",
    sample: "[16:09:02.133720888] (+0.000006600) app shop:item: { cpu_id = 1 }, { vpid = 3652, vtid = 3659 }, { id = 1 }",
    missing: "no line has the name of an event and its fields in braces, like `app shop:item: { id = 1 }`",
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
    let is_event = |line: &str| {
        let start = LineStart::of(line)?;
        let (_, groups) = start.name(line)?;
        let is_timed = start.stamp != ClockStamp::Unstated;
        (is_timed || start.fields(line, groups)?.contains(" = ")).then_some(())
    };
    lines.take(1000).filter(|line| is_event(&text::visible(line)).is_some()).count()
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut reader = LttngReader::new(lines.number(), builder);
    let parse = |text: &[u8], part: &mut LttngPart| part.read(text);
    read_ahead::read(lines, None, parse, |chunk, part| reader.part(chunk, part));
    lines.count_lines(reader.n_lines - lines.number());
    reader.finish(lines.losses.as_deref());
}

#[cfg(test)]
mod chunk_tests;
