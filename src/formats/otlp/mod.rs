//! The `otlp` format: spans of OpenTelemetry, as its protocol writes them, in protobuf or JSON.

mod document;
mod json;
mod json_values;
mod messages;
mod protobuf;
mod values;
mod wire;

use super::checks::OF_SPANS;
use super::drawing::Draw;
use super::lines::Lines;
use super::spans::{self, CERTAIN, Identity, SpanDocument, SpanRecords};
use super::{Format, Merge};
use crate::trace::{PortSet, TraceBuilder};

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "otlp",
    doc: "spans of OpenTelemetry: OTLP in JSON or protobuf",
    sample: r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c",..."#,
    missing: r#"no JSON object with the key `resourceSpans`, and no message with its length before it"#,
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
        read_records(lines, &mut records);
        records.end_file(&name);
    }
    spans::finish(records, Identity::Repeated, builder);
};

/// Whether the text begins with a message or a document of OTLP.
fn sniff(head: &[u8]) -> usize {
    let is_document = || spans::document_kind(head) == Some(SpanDocument::Otlp);
    if messages::begins(head) || is_document() { CERTAIN } else { 0 }
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut records = SpanRecords::default();
    read_records(lines, &mut records);
    spans::finish(records, Identity::Repeated, builder);
}

fn read_records(lines: &mut Lines, records: &mut SpanRecords) {
    lines.fill_to(Lines::SAMPLE);
    match lines.head() {
        head if messages::begins(head) => messages::read(lines, records),
        head if messages::is_bare(head) => messages::read_bare(lines, records),
        _ => document::read(lines, records),
    }
}

#[cfg(test)]
mod tests;
