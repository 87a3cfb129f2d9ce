//! A Chrome trace that papaver wrote: each slice and instant has the attributes of an event as its arguments, so that the
//! events are read from them; so are the header, the trailer and the gaps. Other records, such as arrows, repeat what the
//! attributes say.

use super::events::JsonLinesReader;
use super::{FORMAT, read_object};
use crate::formats::json::cut::{DocumentRules, OpenContainer, PieceKind, Treatment};
use crate::formats::json::document::{self, Piece};
use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::terms::ArgumentTexts;
use crate::formats::lines::Lines;
use crate::trace::TraceBuilder;

/// The number of records in the first bytes of a file that have the attributes of an event.
pub(crate) fn count(head: &[u8]) -> usize {
    let text = head.trim_ascii_start();
    let is_chrome = text.first() == Some(&b'{') && memchr::memmem::find(text, b"\"traceEvents\"").is_some();
    let args = b"\"args\"";
    let attributes = |at: usize| begins_event(&text[at + args.len()..]);
    if is_chrome { memchr::memmem::find_iter(text, args).filter(|at| attributes(*at)).count() } else { 0 }
}

/// Whether `: {"chrono": ...` follows.
fn begins_event(rest: &[u8]) -> bool {
    let mut rest = rest;
    for part in [b":".as_slice(), b"{", b"\"chrono\""] {
        match rest.trim_ascii_start().strip_prefix(part) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    true
}

const RULES: DocumentRules =
    DocumentRules { treatment, resume: |open, _| open.len(), drops_line: false, has_loose_commas: true };

fn treatment(open: &[OpenContainer], key: Option<&str>, kind: JsonKind) -> Treatment {
    match (open, key) {
        ([], _) => Treatment::Enter,
        ([_], Some("traceEvents")) if kind == JsonKind::Array => Treatment::Enter,
        ([_], _) => Treatment::Skip,
        _ => Treatment::Record,
    }
}

/// What a record holds.
enum SlicePart {
    /// The attributes of an event, or what the header, the trailer or a gap says.
    Attributes(String),
    Broken(String),
}

/// Reads the events of all records that have attributes. Without a header, texts are terms.
pub(crate) fn read(lines: &mut Lines, reader: &mut JsonLinesReader, builder: &mut TraceBuilder) {
    reader.header.texts = ArgumentTexts::Written;
    reader.header.states_boxes = true;
    reader.boxes.are_stated = true;
    let parse = |piece: &Piece<'_>, found: &mut Vec<(u64, SlicePart)>| {
        found.extend(part(piece)?.map(|part| (piece.line, part)));
        Ok(())
    };
    document::read(lines, RULES, parse, |part, found| {
        for (line, piece) in found.drain(..) {
            let line = part.first_line + line;
            match piece {
                SlicePart::Attributes(text) => read_object(&text, line, reader, builder),
                SlicePart::Broken(message) => builder.finding(FORMAT.rule, None, Some(line), message),
            }
        }
    });
}

fn part(piece: &Piece<'_>) -> Result<Option<SlicePart>, JsonError> {
    Ok(match piece.kind {
        PieceKind::Record => attributes(piece.text)?.map(SlicePart::Attributes),
        PieceKind::Broken | PieceKind::Cut | PieceKind::TooLong => {
            let why = piece.error.map_or_else(|| "it does not end".to_owned(), |error| error.to_string());
            Some(SlicePart::Broken(format!("a record is no JSON: {why}")))
        }
        PieceKind::Unfinished => Some(SlicePart::Broken("the array of events has no end".to_owned())),
        PieceKind::Begin | PieceKind::End | PieceKind::Value | PieceKind::Comma => None,
    })
}

/// The attributes, in which an arity that is not there is said to be none: it is not the number of arguments.
fn with_absent_arity(attributes: &str) -> String {
    let has_arity = memchr::memmem::find(attributes.as_bytes(), b"\"arity\"").is_some();
    match attributes.trim_end().strip_suffix('}') {
        Some(inner) if !has_arity => format!("{inner}, \"arity\": null}}"),
        _ => attributes.to_owned(),
    }
}

/// The arguments of a record if they are the attributes of an event, or the header, the trailer or a gap.
fn attributes(record: &str) -> Result<Option<String>, JsonError> {
    let mut scanner = JsonScanner::new(record);
    let mut args = None;
    scanner.begin_object()?;
    while let Some(key) = scanner.next_key()? {
        let value = scanner.raw()?;
        args = if key == "args" { Some(value) } else { args };
    }
    scanner.end()?;
    Ok(args.and_then(|args| match keys(args).unwrap_or_default() {
        ArgsKeys { has_port: true, is_about: true, .. } => Some(args.to_owned()),
        ArgsKeys { has_port: true, is_event: true, .. } => Some(with_absent_arity(args)),
        _ => None,
    }))
}

/// Which keys an object has.
#[derive(Default)]
struct ArgsKeys {
    has_port: bool,
    /// `chrono`
    is_event: bool,
    /// `papaver`
    is_about: bool,
}

fn keys(object: &str) -> Option<ArgsKeys> {
    let (mut scanner, mut keys) = (JsonScanner::new(object), ArgsKeys::default());
    scanner.begin_object().ok()?;
    while let Some(key) = scanner.next_key().ok()? {
        keys.has_port |= key == "port";
        keys.is_event |= key == "chrono";
        keys.is_about |= key == "papaver";
        scanner.skip().ok()?;
    }
    Some(keys)
}
