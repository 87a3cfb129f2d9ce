//! The `jaeger` format: traces of spans as Jaeger's user interface and interface for queries export them, in JSON.

mod document;
mod span;

use super::checks::OF_SPANS;
use super::drawing::Draw;
use super::lines::Lines;
use super::spans::{self, CERTAIN, Identity, SpanDocument, SpanRecords};
use super::{Format, Merge};
use crate::trace::{PortSet, TraceBuilder};

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "jaeger",
    doc: "traces of spans that Jaeger exports, in JSON",
    sample: r#"{"data":[{"traceID":"5b8efff798038103d269b633813fc60c","spans":[{"spanID":"eee19b7ec3c1b174",..."#,
    missing: "no JSON object with the key `spans`, whose elements have the key `spanID`",
    rule: "S8",
    ports: PortSet::Closed(spans::PORTS),
    attributes: spans::ATTRIBUTES,
    severities: spans::SEVERITIES,
    sniff,
    read,
    checks: OF_SPANS,
    order: super::EventOrder::OfTime,
    drawing: Draw::Always(&spans::DRAWING),
    merge: Some(MERGE),
    ..Format::PLAIN
};

/// All files are read before any event is placed.
const MERGE: Merge = |logs, builder| {
    let mut records = SpanRecords::default();
    for (name, lines) in logs {
        document::read(lines, &mut records);
        records.end_file(&name);
    }
    spans::finish(records, Identity::Repeated, builder);
};

fn sniff(head: &[u8]) -> usize {
    if spans::document_kind(head) == Some(SpanDocument::Jaeger) { CERTAIN } else { 0 }
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut records = SpanRecords::default();
    document::read(lines, &mut records);
    spans::finish(records, Identity::Repeated, builder);
}
