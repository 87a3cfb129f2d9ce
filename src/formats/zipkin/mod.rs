//! The `zipkin` format: spans as reporters send them to Zipkin, and as it exports them, in version 2 of its JSON.

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
    name: "zipkin",
    doc: "spans of Zipkin, in version 2 of its JSON",
    sample: r#"[{"traceId":"5b8efff798038103","id":"eee19b7ec3c1b174","kind":"CLIENT","name":"get",..."#,
    missing: "no JSON object with the keys `traceId`, `id` and `localEndpoint`, and no array of some",
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
    spans::finish(records, Identity::Parts, builder);
};

fn sniff(head: &[u8]) -> usize {
    if spans::document_kind(head) == Some(SpanDocument::Zipkin) { CERTAIN } else { 0 }
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut records = SpanRecords::default();
    document::read(lines, &mut records);
    spans::finish(records, Identity::Parts, builder);
}
