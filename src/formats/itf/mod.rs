//! The `itf` format: traces of model checkers, as Apalache and Quint write them.
//!
//! Each state is an event, each variable an attribute. `line` is the grammar of a state.

mod columns;
mod events;
mod line;
mod rules;
#[cfg(test)]
mod tests;

use self::events::ItfTrace;
use self::line::{ItfState, entry};
use super::Format;
use super::checks::{ReadyCheck, WELL_FORMED};
use super::json::cut::{COMMA, DocumentRules, OpenContainer, PieceKind, Treatment};
use super::json::document::{self, Piece};
use super::json::scanner::{JsonError, JsonKind, JsonScanner};
use super::json::value::{Json, unquoted};
use super::lines::Lines;
use crate::trace::{Field, PortRecord, PortRole, PortSet, RecordedAt, SourcePlace, TraceBuilder, Traced};

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "itf",
    doc: "a trace of a model checker, as Apalache and Quint write it",
    sample: r##"{"vars": ["x"], "states": [{"#meta": {"index": 0}, "x": {"#bigint": "1"}}], "loop": 0}"##,
    missing: "no JSON object with `vars` and `states`",
    rule: "I1",
    ports: PortSet::Closed(PORTS),
    attributes: columns::ATTRIBUTES,
    lasso: Some("next"),
    sniff,
    read,
    checks: &[WELL_FORMED, ReadyCheck::new("no_stutter"), ReadyCheck::new("lasso_closes")],
    ..Format::PLAIN
};

const PORTS: &[PortRecord] = &[PortRecord {
    name: "state",
    spellings: &[],
    role: PortRole::Inside,
    traced: Traced::Yes,
    doc: "the model is in a state",
}];

/// The states are the records; everything beside them is kept.
const RULES: DocumentRules =
    DocumentRules { treatment, resume: |open, _| open.len(), drops_line: false, has_loose_commas: false };

fn treatment(open: &[OpenContainer], key: Option<&str>, kind: JsonKind) -> Treatment {
    match (open, key) {
        ([], _) => Treatment::Enter,
        ([top], Some("states")) if top.is_object && kind == JsonKind::Array => Treatment::Enter,
        ([_], _) => Treatment::Keep,
        _ => Treatment::Record,
    }
}

/// The number of lines of a file that begins as a trace of a model checker.
fn sniff(head: &[u8]) -> usize {
    let has = |key: &[u8]| memchr::memmem::find(head, key).is_some();
    let is_object = head.trim_ascii_start().first() == Some(&b'{');
    let has_states = has(b"\"states\"") && (has(b"\"vars\"") || has(b"\"#meta\""));
    let is_trace = is_object && (has_states || (has(b"\"#meta\"") && has(b"\"ITF\"")));
    if is_trace { memchr::memchr_iter(b'\n', head).count() + 1 } else { 0 }
}

/// What is in a part of a file, in order.
enum ItfPart {
    State(Option<Box<ItfState>>),
    /// The array of states begins.
    States,
    /// Another key, with its value.
    Beside(String, String),
    Broken(String),
    Unfinished,
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut trace = ItfTrace::default();
    let parse = |piece: &Piece<'_>, found: &mut Vec<(SourcePlace, ItfPart)>| {
        found.extend(part(piece)?.map(|part| (piece.place, part)));
        Ok(())
    };
    document::read(lines, RULES, parse, |part, found| {
        for (place, piece) in found.drain(..) {
            take(&mut trace, part.place(place), piece, builder);
        }
    });
    trace.emit(builder);
}

fn part(piece: &Piece<'_>) -> Result<Option<ItfPart>, JsonError> {
    Ok(match piece.kind {
        PieceKind::Record => Some(ItfPart::State(ItfState::read(piece.text)?.map(Box::new))),
        PieceKind::Begin if piece.key.as_deref() == Some("states") => Some(ItfPart::States),
        PieceKind::Begin | PieceKind::End => None,
        PieceKind::Value => {
            let mut scanner = JsonScanner::new(piece.text);
            scanner.skip().and_then(|()| scanner.end())?;
            piece.key.clone().map(|key| ItfPart::Beside(key, piece.text.to_owned()))
        }
        PieceKind::Broken => Some(ItfPart::Broken(match piece.error {
            Some(error) => format!("{error} at byte {} of the value", error.at + 1),
            None => "this is no JSON, up to the next line that begins with a bracket".to_owned(),
        })),
        PieceKind::Cut => None,
        PieceKind::Comma => Some(ItfPart::Broken(COMMA.to_owned())),
        PieceKind::TooLong => Some(ItfPart::Broken(Lines::too_long("state"))),
        PieceKind::Unfinished => Some(ItfPart::Unfinished),
    })
}

fn take(trace: &mut ItfTrace, place: SourcePlace, part: ItfPart, builder: &mut TraceBuilder) {
    let line = place.line;
    match part {
        ItfPart::State(state) => trace.states.push((place, state.map(|state| *state))),
        ItfPart::States => {
            trace.has_states = true;
            trace.states.clear();
        }
        ItfPart::Beside(key, value) => beside(trace, &key, &value, builder),
        ItfPart::Broken(message) => builder.finding("I1", None, Some(line), message),
        ItfPart::Unfinished => builder.finding("I1", None, Some(line), "the file ends before the object of the trace"),
    }
}

/// A key beside the states.
fn beside(trace: &mut ItfTrace, key: &str, value: &str, builder: &mut TraceBuilder) {
    match key {
        "vars" => {
            trace.variables = names(value);
            trace.variables.retain(|name| !name.starts_with("mbt::"));
        }
        "params" => trace.params = names(value),
        "loop" if value != "null" => trace.lasso = Some(value.to_owned()),
        "#meta" => {
            for key in ["source", "status", "description"] {
                if let Ok(Some(text)) = entry(value, key)
                    && let Json::Text(text) = Json::of(text)
                {
                    builder.recording().record(RecordedAt::Start, key, Field::Atom(&text));
                }
            }
        }
        _ => {}
    }
}

/// The texts in an array.
fn names(value: &str) -> Vec<String> {
    let (mut scanner, mut names) = (JsonScanner::new(value), Vec::new());
    let mut collect = || {
        scanner.begin_array()?;
        while scanner.next_element()? {
            let element = scanner.raw()?;
            names.extend(element.starts_with('"').then(|| unquoted(element).into_owned()));
        }
        Ok::<(), JsonError>(())
    };
    // an array that was kept is whole
    let _ = collect();
    names
}
