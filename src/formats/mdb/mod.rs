//! The `mdb` format: transcripts of the Mercury debugger, with commands, answers and program output between the events.
//!
//! An event that is printed several times (`current`, `retry`) is one event of the trace.

mod columns;
mod events;
mod functions;
mod line;
mod printed_event;
mod procedure;
mod rules;
mod variables;

use super::lines::{LineEnding, Lines, text};
use super::{Advice, Format, mercury, not_terms};
use crate::formats::lines::split_lines;
use crate::trace::{FindingSeverity, PortSet, TraceBuilder};
use events::Transcript;

/// What a transcript lacks unless mdb was asked for it.
const ADVICE: &[Advice] = &[
    Advice {
        attribute: "args",
        ports: &["call", "exit"],
        text: "constraints on values, proof trees with values and debug_wrong_answer/1 need them (`print *`)",
    },
    Advice {
        attribute: "goal_path",
        ports: &["cond", "then", "else", "switch", "disj"],
        text: "coverage of clauses needs it (`goal_paths on`)",
    },
    Advice {
        attribute: "context",
        ports: &[],
        text: "places in the source (`line_number`, call_site_cov/2) need it (`context after`)",
    },
    Advice {
        attribute: "exception",
        ports: &["exception"],
        text: "questions about what was thrown need it (`print exception`)",
    },
];

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "mdb",
    doc: "a transcript of the Mercury debugger, with its event lines among other text",
    sample: "       2:      2  2 CALL pred queens.data/1-0 (det) queens.m:32 (queens.m:24)",
    missing: "no line like `2:      2  2 CALL pred queens.data/1-0 (det) queens.m:32`",
    rule: "D1",
    ports: PortSet::Closed(mercury::PORTS),
    attributes: columns::ATTRIBUTES,
    severities: SEVERITIES,
    advice: ADVICE,
    sniff,
    read,
    ..Format::PLAIN
};

/// The rules whose findings are not faults.
const SEVERITIES: &[(&str, FindingSeverity)] = &[
    // standardised numbers, by which test suites replace the real ones
    ("D2", FindingSeverity::Warning),
    not_terms::SEVERITY,
];

/// Counts the events among the first lines.
fn sniff(head: &[u8]) -> usize {
    let lines = split_lines(head).take(2000);
    lines
        .filter(|line| line::find(&text::visible(line)).is_some_and(|head| procedure::is_likely(head.port, head.rest)))
        .count()
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut transcript = Transcript::default();
    while let Some(line) = lines.next_line() {
        if line.ending == LineEnding::TooLong {
            let message = Lines::too_long("line");
            builder.finding(FORMAT.rule, None, Some(line.number), message);
            continue;
        }
        if let Err(message) = transcript.line(&text::visible(line.bytes), line.number) {
            builder.finding(FORMAT.rule, None, Some(line.number), message);
        }
    }
    transcript.finish(builder);
}

#[cfg(test)]
mod tests;
