//! Arguments: kept as they stand in the lines, and made terms when a query needs them.

use super::line::{EventFields, elements, push_json};
use crate::formats::json::terms::{ArgumentTexts, argument};
use crate::formats::json::value::Json;
use crate::formats::lines::kept::KeptBlocks;
use crate::formats::mapping::Source;
use crate::trace::{ListField, TraceBuilder};

/// Writes the arguments of an event as a JSON array, up to the last one that is there; returns how many these are.
pub(super) fn write_args<'v>(sources: &'v [(Box<str>, Source)], fields: &EventFields<'v>, out: &mut String) -> usize {
    out.clear();
    let (mut n_args, mut end) = (0, 0);
    for (index, (_, source)) in sources.iter().enumerate() {
        out.push(if index > 0 { ',' } else { '[' });
        match fields.find(source) {
            Some(found) => found.with(|value| match value {
                Json::Nested(text) => out.push_str(text),
                other => push_json(out, other),
            }),
            None => out.push_str("null"),
        }
        if !out.ends_with("null") {
            (n_args, end) = (index + 1, out.len());
        }
    }
    out.truncate(end);
    out.push(']');
    n_args
}

/// Hands the arguments of all events to a lazy column.
pub(super) fn leave(kept: KeptBlocks, builder: &mut TraceBuilder) {
    builder.keeps_tables(kept.n_bytes());
    builder.lazy_args(move |_, column| {
        let mut list = String::new();
        kept.each(|event, kind, bytes| {
            if kind > 0 {
                list.clear();
                write_terms(std::str::from_utf8(bytes).unwrap_or_default(), &mut list);
                column.set(event, ListField::Text(&list));
            }
        });
    });
}

/// Writes the elements of an array as the language writes them.
fn write_terms(array: &str, out: &mut String) {
    for (index, element) in elements(array).enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        match argument(&Json::of(element), &ArgumentTexts::Themselves) {
            Some(Ok(text)) => out.push_str(&text),
            _ => out.push('-'),
        }
    }
}
