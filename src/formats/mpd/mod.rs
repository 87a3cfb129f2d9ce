//! The `mpd` format: event traces of the languages MPD and SR, as their runtime systems write them.
//!
//! Threads take lines apart (`part`). What a line means depends on all lines before, so that the rest is done in turn
//! (`events`): each line is a step of its process (`rules`), which may begin a service or use a semaphore (`services`).
//! The rules M1 to M12 of what a sound trace is are checked on the way; a trace may stop anywhere.

mod columns;
mod events;
mod files;
mod invocations;
mod line;
mod part;
mod paths;
mod ports;
mod process;
mod rules;
mod semaphores;
mod services;

use super::Format;
use super::checks::{BOXES_ALTERNATE, ReadyCheck, WELL_FORMED};
use super::drawing::{ArrowStart, Draw, Drawing, Flow};
use super::lines::Lines;
use super::lines::read_ahead;
use crate::formats::lines::split_lines;
use crate::trace::{FindingSeverity, PortSet, TraceBuilder};
use events::MpdReader;
use line::parse;
use part::MpdPart;

pub(crate) use ports::PORTS;

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "mpd",
    doc: "event traces of MPD and SR (mpdtrace, srtrace)",
    sample: "CS.mpd, 8           CS.arbitrator         ARM       1731c0    173168",
    missing: "no line like `CS.mpd, 8 CS.arbitrator ARM 1731c0 173168`",
    rule: "M1",
    ports: PortSet::Closed(PORTS),
    attributes: columns::ATTRIBUTES,
    severities: SEVERITIES,
    sniff,
    read,
    checks: CHECKS,
    drawing: Draw::Always(&DRAWING),
    shown: &["process"],
    ..Format::PLAIN
};

/// The rules whose findings are not faults.
const SEVERITIES: &[(&str, FindingSeverity)] = &[
    // lines between the events that the traced program wrote
    ("output", FindingSeverity::Warning),
];

/// The assertions that fit its traces.
const CHECKS: &[ReadyCheck] = &[
    WELL_FORMED,
    ReadyCheck::new("every_process_ends"),
    BOXES_ALTERNATE,
    ReadyCheck::new("no_deadlock"),
    ReadyCheck::new("every_semaphore_released"),
    ReadyCheck::new("every_invocation_served"),
    ReadyCheck::new("every_invocation_answered"),
];

/// How its traces are drawn.
const DRAWING: Drawing = Drawing {
    known_by: &["vm", "inc"],
    process: &[("vm ", "vm")],
    thread: &[("", "pid"), ("#", "inc")],
    boxed: &[("", "port"), (" ", "name")],
    opening: &["in"],
    waiting: &["call"],
    flows: &[Flow {
        name: "invocation",
        ports: &["proc", "arm"],
        only: None,
        source: ArrowStart::Same("serves", "inv"),
    }],
    ..Drawing::ONE_TRACK
};

/// How many of the first lines are events.
fn sniff(head: &[u8]) -> usize {
    split_lines(head).filter(|line| parse(line).is_ok()).count()
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut reader = MpdReader::new(lines.number(), builder);
    // what is done in turn takes longest: the fewer turns there are, the less the threads wait for each other
    lines.chunk_bytes *= 2;
    let parse = |text: &[u8], part: &mut MpdPart| part.read(text);
    read_ahead::read(lines, None, parse, |chunk, part| reader.part(chunk, part));
    lines.count_lines(reader.n_lines - lines.number());
    reader.finish();
}

#[cfg(test)]
mod chunk_tests;
#[cfg(test)]
mod tests;
