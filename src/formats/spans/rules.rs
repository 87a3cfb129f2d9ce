//! The integrity rules of spans, their ports, and the last step of reading: from records to a trace.

use std::sync::Arc;

use super::attribute_columns::AttributeColumns;
use super::columns;
use super::findings::SpanFindings;
use super::identity::{SpanIdentity, identify};
use super::parents::Parents;
use super::records::{HAS_LOST, Identity, NO_TEXT, SpanRecords};
use super::tables::SpanTables;
use crate::formats::drawing::{ArrowStart, BoxOrder, Drawing, Flow};
use crate::term::hash::HashSet;
use crate::trace::threads::{n_cores, with_helpers};
use crate::trace::{DROPPED, Field, FindingSeverity, PortRecord, PortRole, RecordedAt, TraceBuilder, Traced};

/// The ports of spans.
pub(crate) const PORTS: &[PortRecord] = &[
    port("call", PortRole::Opens, "a span starts"),
    port("exit", PortRole::Closes, "a span ends"),
    port("exception", PortRole::Closes, "a span ends, and its status is error"),
    port("event", PortRole::Inside, "an event of a span"),
    port("link", PortRole::Inside, "a link from a span to another one"),
];

const fn port(name: &'static str, role: PortRole, doc: &'static str) -> PortRecord {
    PortRecord { name, spellings: &[], role, traced: Traced::Yes, doc }
}

/// The rules whose findings are not faults.
pub(crate) const SEVERITIES: &[(&str, FindingSeverity)] = &[
    // what a run of several hosts, or a recording of a part of it, brings about
    ("S1", FindingSeverity::Warning),
    ("S5", FindingSeverity::Warning),
    ("S6", FindingSeverity::Warning),
    ("S9", FindingSeverity::Warning),
    ("S10", FindingSeverity::Warning),
    ("S11", FindingSeverity::Warning),
    ("S13", FindingSeverity::Warning),
    ("S15", FindingSeverity::Warning),
    // collectors write logs and metrics into the same file
    ("signals", FindingSeverity::Note),
    // all attributes are still in `args`
    ("S14", FindingSeverity::Note),
];

/// How spans are drawn: each service is a process, and siblings may overlap.
pub(crate) const DRAWING: Drawing = Drawing {
    process: &[("", "service")],
    time: Some(("time", 1000)),
    order: BoxOrder::Free,
    instant: &[("", "name")],
    flows: &[Flow { name: "link", ports: &["link"], only: None, source: ArrowStart::CallStart("to") }],
    ..Drawing::ONE_TRACK
};

/// Fewer records are not worth another thread.
const FEW: usize = 1 << 12;

/// Makes the events of a trace of all its records.
pub(crate) fn finish(mut records: SpanRecords, identity: Identity, builder: &mut TraceBuilder) {
    records.close_contexts();
    let n_records = records.len();
    let SpanIdentity { index, differing } = identify(&mut records, identity);
    records.shrink();
    let survey = || AttributeColumns::new(&records);
    let n_helpers = if n_records < FEW { 0 } else { n_cores().saturating_sub(1).min(1) };
    let (mut parents, surveys) = with_helpers(n_helpers, survey, || Parents::find(&records, &index));
    let keys = surveys.into_iter().next().unwrap_or_else(survey);
    let (mut tables, calls) = SpanTables::new(records, index, &mut parents);
    let findings = SpanFindings::of(&tables, &calls, &parents, &differing, &keys);
    drop((parents, calls));
    tables.records.forget_notes();
    record_totals(&tables, n_records, builder);
    let tables = Arc::new(tables);
    columns::declare(&tables, keys, builder);
    findings.report(&tables, builder);
}

/// The facts of `trace_info` that spans have.
fn record_totals(tables: &SpanTables, n_records: usize, builder: &mut TraceBuilder) {
    let records = &tables.records.records;
    let traces: HashSet<u32> = records.numbers().map(|span| records.trace(span)).collect();
    let n_traces = traces.iter().filter(|trace| **trace != NO_TEXT).count();
    let losing = records.numbers().filter(|span| records.shape(*span).has & HAS_LOST > 0);
    let n_dropped: usize = losing.map(|span| tables.records.body_of(span).lost as usize).sum();
    let dropped = Some((DROPPED, n_dropped)).filter(|_| n_dropped > 0);
    let totals = [("records", n_records), ("spans", tables.records.len()), ("traces", n_traces)];
    for (key, number) in totals.into_iter().chain(dropped) {
        builder.recording().record(RecordedAt::End, key, Field::Int(i64::try_from(number).unwrap_or(i64::MAX)));
    }
}
