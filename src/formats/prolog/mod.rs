//! The `prolog` format: what the debuggers of Prolog systems print, in a file or in a session that was copied from a terminal.

mod boxes;
mod chunk;
mod columns;
mod events;
mod goal;
mod line;
mod operators;
mod rebuild;
mod redo;
mod rules;
mod tokens;
mod variables;

use super::Format;
use super::checks::{Need, ReadyCheck, WELL_FORMED};
use super::lines::{Attached, Lines, read_ahead};
use crate::trace::{PortRecord, PortRole, PortSet, TraceBuilder, Traced};
use chunk::TracerChunk;
use events::{ProcCodes, TracerReader};
use line::Tracer;
use operators::GoalOperators;

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "prolog",
    doc: "what the tracer of a Prolog system prints: SWI-Prolog, GNU Prolog, SICStus, Quintus, YAP",
    sample: "   Call: (10) pair(_88, _90)",
    missing: "no line like `   Call: (10) p(_1)` or `      1    1  Call: p(_1)`",
    rule: "T1",
    ports: PortSet::Closed(PORTS),
    attributes: columns::ATTRIBUTES,
    severities: rules::SEVERITIES,
    sniff,
    read,
    checks: CHECKS,
    ends_silently: true,
    ..Format::PLAIN
};

/// The assertions that fit its traces: a redo of an open box is its next clause or branch, so that boxes do not alternate.
const CHECKS: &[ReadyCheck] = &[WELL_FORMED, ReadyCheck::with("every_call_ends", &[Need::Attribute("call")])];

const fn port(name: &'static str, role: PortRole, traced: Traced, doc: &'static str) -> PortRecord {
    PortRecord { name, spellings: &[], role, traced, doc }
}

const PORTS: &[PortRecord] = &[
    port("call", PortRole::Opens, Traced::Yes, "a procedure is called"),
    port("exit", PortRole::Closes, Traced::Yes, "a call succeeds"),
    port(
        "redo",
        PortRole::Reopens,
        Traced::Yes,
        "backtracking enters a call again, or another clause or branch of an open one",
    ),
    port("fail", PortRole::Closes, Traced::Yes, "a call fails, or has no more solutions"),
    port("exception", PortRole::Closes, Traced::Yes, "a call is left by an exception"),
    port("unify", PortRole::Inside, Traced::No, "the head of a clause has been unified with the goal"),
    port("head", PortRole::Inside, Traced::No, "the head of a clause is tried"),
];

/// How many of the first lines are events of the likeliest tracer.
fn sniff(head: &[u8]) -> usize {
    Tracer::likeliest(head).map_or(0, |(_, count)| count)
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let tracer = tracer(lines);
    let operators = GoalOperators::new(lines.operators.take().as_deref());
    let mut reader = TracerReader::new(tracer, builder);
    read_ahead::read(
        lines,
        Some(Attached::Unless(tracer.begins_event())),
        |text, (batch, _): &mut (TracerChunk, ProcCodes)| batch.read(tracer, &operators, text),
        |chunk, (batch, procs)| reader.chunk(chunk, batch, procs),
    );
    lines.count_lines(reader.n_lines);
    reader.finish();
}

/// The tracer that printed most of the first events; the output before them may be long.
fn tracer(lines: &mut Lines) -> Tracer {
    let mut n_bytes = Lines::SAMPLE;
    loop {
        lines.fill_to(n_bytes);
        let head = lines.head();
        if let Some((tracer, _)) = Tracer::likeliest(&head[..head.len().min(n_bytes)]) {
            return tracer;
        }
        if lines.ends_within(n_bytes) || n_bytes >= Lines::LONGEST {
            return Tracer::Swi;
        }
        n_bytes *= 4;
    }
}

#[cfg(test)]
mod tests;
