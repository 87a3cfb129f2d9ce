//! The `visandor` format: events of and-parallel and or-parallel Prolog, six numbers a line, as VisAndOr draws them.

mod agents;
mod chunk;
mod columns;
mod events;
mod fast;
mod line;
mod nodes;
mod ports;
mod rules;
mod tables;
mod texts;

use super::Format;
use super::checks::{BOXES_ALTERNATE, Need, ReadyCheck, WELL_FORMED};
use super::drawing::{ArrowStart, Aside, Draw, Drawing, Flow, Whose};
use super::lines::read_ahead;
use super::lines::{LineEnding, Lines};
use crate::formats::lines::split_lines;
use crate::trace::{FindingSeverity, PortSet, TraceBuilder};
use chunk::VisandorChunk;
use events::VisandorReader;
use line::{LineContent, SixNumbers};
use ports::{EventKind, PORTS, Parallelism};

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "visandor",
    doc: "events of and-parallel and or-parallel Prolog, as VisAndOr draws them",
    sample: "    7827 2 6FFDEBE1 1 6F7C23E8 1 ",
    missing: "no line of six numbers with a known event code like `15 1 6FFDEBE1 2 6FFDEBE0 0`",
    rule: "V2",
    ports: PortSet::Closed(PORTS),
    attributes: columns::ATTRIBUTES,
    severities: SEVERITIES,
    sniff,
    read,
    checks: CHECKS,
    order: super::EventOrder::OfTime,
    drawing: Draw::Always(&DRAWING),
    shown: &["agent", "time"],
    ..Format::PLAIN
};

/// The rules whose findings are not faults.
const SEVERITIES: &[(&str, FindingSeverity)] = &[
    // what writers should avoid, but some cannot
    ("V13", FindingSeverity::Warning),
    ("V14", FindingSeverity::Warning),
    ("V15", FindingSeverity::Warning),
    ("V16", FindingSeverity::Warning),
    // the writer's table of events was full; the program ran on unrecorded
    ("full", FindingSeverity::Warning),
    ("excerpt", FindingSeverity::Warning),
    ("same_time", FindingSeverity::Note),
];

/// The assertions that fit its traces.
const CHECKS: &[ReadyCheck] = &[
    WELL_FORMED,
    BOXES_ALTERNATE,
    ReadyCheck::with("every_fork_joins", &[Need::Port("fork"), Need::Attribute("call")]),
    ReadyCheck::with("every_goal_finishes", &[Need::Port("start_goal"), Need::Attribute("call")]),
    ReadyCheck::with("every_branch_ends", &[Need::Port("start_branch"), Need::Attribute("call")]),
];

/// How its traces are drawn.
const DRAWING: Drawing = Drawing {
    known_by: &["agent", "wam"],
    thread: &[("agent ", "agent")],
    aside: &[
        Aside { ports: &["start_time", "stop_time"], name: "run", whose: Whose::Process },
        Aside { ports: &["agent_busy", "agent_idle"], name: "busy", whose: Whose::Thread },
    ],
    boxed: &[("", "name"), (" n", "inst"), (".", "branch")],
    time: Some(("time", 1)),
    ending: &["make_public"],
    flows: &[
        Flow {
            name: "steal",
            ports: &["start_goal"],
            only: Some(("thief", "true")),
            source: ArrowStart::CallStart("father"),
        },
        Flow { name: "resume", ports: &["resume_branch"], only: None, source: ArrowStart::Before },
    ],
    ..Drawing::ONE_TRACK
};

/// How many of the first lines are events.
fn sniff(head: &[u8]) -> usize {
    let lines = split_lines(head);
    let known =
        |content| matches!(content, LineContent::Event(SixNumbers { code, .. }) if EventKind::of(code).is_some());
    lines.filter(|line| line::content(line).is_ok_and(known)).count()
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut run = VisandorReader::new(builder);
    read_flag(lines, &mut run);
    let n_before = run.n_lines;
    read_ahead::read(
        lines,
        None,
        |text, batch: &mut VisandorChunk| batch.read(text),
        |chunk, batch| match chunk.ending {
            LineEnding::TooLong => reject_long(&mut run),
            _ => run.take(batch),
        },
    );
    lines.count_lines(run.n_lines - n_before);
    run.finish();
}

/// Reads up to the first line that is not blank.
fn read_flag(lines: &mut Lines, run: &mut VisandorReader<'_>) {
    while let Some(line) = lines.next_line() {
        match line.ending {
            LineEnding::TooLong => reject_long(run),
            _ if line.bytes.trim_ascii().is_empty() => run.n_lines += 1,
            _ => return take_first(line.bytes, run),
        }
    }
}

/// Takes the first line: the flag, or an event if there is none.
fn take_first(line: &[u8], run: &mut VisandorReader<'_>) {
    if run.take_flag(flag(line)).is_some() {
        return;
    }
    let mut batch = VisandorChunk::default();
    match line::content(line) {
        Ok(_) => batch.read(line),
        Err(_) => batch.n_lines = 1,
    }
    run.take(&batch);
}

fn reject_long(run: &mut VisandorReader<'_>) {
    run.n_lines += 1;
    run.reject(run.n_lines, FORMAT.rule, Lines::too_long("line"));
}

/// What the first line says: that of an and-parallel or of an or-parallel execution.
fn flag(line: &[u8]) -> Option<Parallelism> {
    match line::without_comment(line) {
        b"0" => Some(Parallelism::And),
        b"1" => Some(Parallelism::Or),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
