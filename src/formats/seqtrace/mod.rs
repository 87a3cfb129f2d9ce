//! The `seqtrace` format: what Erlang's sequential tracing sends to its system tracer, as terms or as the printout of the
//! manual.
//!
//! A log is not in causal order, not even that of one node, so all of it is read before the first event is handed over:
//! events of one process keep their order, a receive follows its send, and serials decide the rest. Several
//! logs of one run are put together in the same way.
//!
//! Serials, their guarantees and what real systems do otherwise: the manual of `seq_trace` in Erlang's kernel, and logs
//! of OTP 25.

mod atomic;
mod chains;
mod chunk;
mod columns;
mod events;
mod fast;
mod line;
mod log;
mod name_table;
mod nodes;
mod order;
mod pairs;
mod ports;
mod quoted;
mod resets;
mod rows;
mod rules;
mod run;
mod sent_messages;
mod split;
mod stated;
mod term;
mod term_end;
mod term_fault;
#[cfg(test)]
mod tests;
mod totals;

use self::columns::OrderedEvents;
use self::log::SeqLog;
use self::rules::RuleChecks;
use self::run::SeqRun;
use self::split::EventForm;
use super::checks::{Need, ReadyCheck, WELL_FORMED};
use super::drawing::{ArrowStart, Boxes, Draw, Drawing, Flow};
use super::{Format, Lines};
use crate::formats::lines::split_lines;
use crate::trace::{FindingSeverity, PortSet, TraceBuilder};

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "seqtrace",
    doc: "Erlang's seq_trace: the tracer's terms, one per line, or a printout",
    sample: "{seq_trace,17,{send,{0,2},<0.93.0>,<0.94.0>,{<0.93.0>,the_message}}}.",
    missing: "no line is a seq_trace tuple or the head of a printed one",
    rule: "E1",
    ports: PortSet::Closed(ports::PORTS),
    attributes: columns::ATTRIBUTES,
    severities: SEVERITIES,
    sniff,
    read,
    checks: CHECKS,
    order: super::EventOrder::OfTime,
    drawing: Draw::Always(&DRAWING),
    merge: Some(merge),
    partner: Some("match"),
    ..Format::PLAIN
};

/// The rules whose findings are not faults.
const SEVERITIES: &[(&str, FindingSeverity)] = &[
    // the log of another node is missing, or a log is truncated
    ("sends", FindingSeverity::Warning),
    // the log was recorded without the flag `send`
    ("no_sends", FindingSeverity::Note),
    // reset_trace set all counters to 0
    ("reset", FindingSeverity::Note),
];

/// The assertions that fit its traces.
const CHECKS: &[ReadyCheck] = &[
    WELL_FORMED,
    ReadyCheck::with("every_message_received", &[Need::Port("send"), Need::Attribute("call")]),
    ReadyCheck::with("every_receive_sent", &[Need::Port("send")]),
];

/// How its traces are drawn.
const DRAWING: Drawing = Drawing {
    known_by: &["label", "cur"],
    process: &[("", "node")],
    thread: &[("", "pid")],
    time: Some(("time", 1000)),
    boxes: Boxes::Apart,
    flows: &[Flow { name: "message", ports: &["receive"], only: None, source: ArrowStart::Chrono("match") }],
    ..Drawing::ONE_TRACK
};

/// How many of the first lines begin an event.
fn sniff(head: &[u8]) -> usize {
    split_lines(head).filter(|line| EventForm::of(line) != EventForm::Other).count()
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let path = &builder.origin().path;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    merge(vec![(name, lines)], builder);
}

/// Reads the logs of one run, each with its name, as one trace; the order of the logs does not matter.
fn merge(logs: Vec<(String, &mut Lines)>, builder: &mut TraceBuilder) {
    let mut logs: Vec<SeqLog> = logs.into_iter().map(|(name, lines)| events::read(name, lines)).collect();
    pairs::name_nodes(&mut logs);
    note_unread(&logs, builder);
    let recordings = stated::recordings(&logs);
    let mut run = SeqRun::new(logs);
    let mut shared = pairs::pair(&mut run);
    let OrderedEvents { run, cycles, doubts } = columns::emit(run, &mut shared.again, builder);
    stated::record(&recordings, builder);
    RuleChecks { run: &run, cycles: &cycles }.findings(&doubts, &shared, builder);
}

/// E1: lines that are no events.
fn note_unread(logs: &[SeqLog], builder: &mut TraceBuilder) {
    for log in logs {
        for unread in &log.unread {
            let message = match logs.len() {
                1 => unread.message.clone(),
                _ => format!("{}: {}", log.name, unread.message),
            };
            builder.finding(FORMAT.rule, None, Some(unread.line), message);
        }
    }
}
