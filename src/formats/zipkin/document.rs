//! Spans, or arrays of spans, one after the other or in arrays.

use super::span;
use crate::formats::json::cut::{DocumentRules, OpenContainer, Treatment};
use crate::formats::json::document::{self, Piece};
use crate::formats::json::scanner::JsonKind;
use crate::formats::lines::Lines;
use crate::formats::spans::{self, DocumentChunk, DocumentWatch, SpanRecords};

const RULES: DocumentRules = DocumentRules { treatment, resume: |_, _| 0, drops_line: false, has_loose_commas: false };

/// Spans are the objects in two arrays at most.
fn treatment(open: &[OpenContainer], _: Option<&str>, kind: JsonKind) -> Treatment {
    match kind {
        JsonKind::Object if open.len() <= 2 && open.iter().all(|open| !open.is_object) => Treatment::Record,
        JsonKind::Array if open.len() < 2 && open.iter().all(|open| !open.is_object) => Treatment::Enter,
        _ if open.is_empty() => Treatment::Enter,
        _ => Treatment::Skip,
    }
}

type ZipkinChunk = DocumentChunk<()>;

/// Reads all values in `lines`.
pub(crate) fn read(lines: &mut Lines, records: &mut SpanRecords) {
    let mut watch = DocumentWatch::default();
    let parse = |piece: &Piece<'_>, chunk: &mut ZipkinChunk| {
        chunk.take(
            piece,
            |text, chunk| span::read(text, &mut chunk.records, &mut chunk.draft),
            |_, text, _| spans::checked(text).map(|()| None),
        )
    };
    document::read(lines, RULES, parse, |part, chunk: &mut ZipkinChunk| {
        for (line, depth, step) in chunk.drain_steps() {
            watch.step(line + part.first_line, depth, &step, &mut records.unread);
        }
        records.join(&chunk.records, part);
    });
}
