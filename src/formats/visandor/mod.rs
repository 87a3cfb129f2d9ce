//! The `visandor` format: events of and-parallel and or-parallel Prolog, six numbers a line, as VisAndOr draws them.

mod agents;
mod checks;
mod columns;
mod events;
mod line;
mod nodes;
mod part;
mod ports;
mod rules;

use super::Format;
use super::checks::{BOXES_ALTERNATE, Need, ReadyCheck, WELL_FORMED};
use super::drawing::{ArrowStart, Aside, Draw, Drawing, Flow, Whose};
use super::lines::{Lines, read_ahead, split_lines};
use crate::trace::{FindingSeverity, PortSet, TraceBuilder};
use events::VisandorReader;
use part::VisandorPart;
use ports::PORTS;

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
    split_lines(head).filter(|line| line::event(line).is_ok()).count()
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut reader = VisandorReader::new(builder);
    let attributes = reader.attributes;
    let parse = |text: &[u8], part: &mut VisandorPart| part.read(text, &attributes);
    read_ahead::read(lines, None, parse, |chunk, part| reader.part(chunk, part));
    lines.count_lines(reader.n_lines);
    reader.finish();
}

#[cfg(test)]
mod tests;
