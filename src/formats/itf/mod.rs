//! The `itf` format: traces of model checkers, as Apalache and Quint write them.
//!
//! Each state is an event, each variable an attribute. States are parsed on all cores (`part`), and collected as a column of each
//! variable (`states`). `line` is the grammar of expressions.

mod columns;
mod events;
mod line;
mod part;
mod rules;
mod states;
#[cfg(test)]
mod tests;

use self::events::ItfTrace;
use self::line::entry;
use self::part::PartStates;
use self::states::StateTable;
use super::Format;
use super::checks::{ReadyCheck, WELL_FORMED};
use super::json::cut::{COMMA, DocumentRules, OpenContainer, PieceKind, Treatment};
use super::json::document::{self, DocumentPart, Piece};
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

/// What is in a part of a file.
#[derive(Default)]
struct ItfPart {
    states: PartStates,
    /// What stands between the states, each with the number of states before.
    others: Vec<(usize, SourcePlace, OtherPiece)>,
}

/// What stands between states.
enum OtherPiece {
    /// The array of states begins.
    States,
    /// Another key, with its value.
    Beside(String, String),
    Broken(String),
    Unfinished,
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut trace = ItfTrace::default();
    document::read(lines, RULES, parse, |place, part| take(&mut trace, place, part, builder));
    trace.emit(builder);
}

fn parse(piece: &Piece<'_>, part: &mut ItfPart) -> Result<(), JsonError> {
    let other = match piece.kind {
        PieceKind::Record => return part.states.add(piece.text, piece.place),
        PieceKind::Begin if piece.key.as_deref() == Some("states") => OtherPiece::States,
        PieceKind::Begin | PieceKind::End | PieceKind::Cut => return Ok(()),
        PieceKind::Value => {
            let mut scanner = JsonScanner::new(piece.text);
            scanner.skip().and_then(|()| scanner.end())?;
            match &piece.key {
                Some(key) => OtherPiece::Beside(key.clone(), piece.text.to_owned()),
                None => return Ok(()),
            }
        }
        PieceKind::Broken => OtherPiece::Broken(match piece.error {
            Some(error) => format!("{error} at byte {} of the value", error.at + 1),
            None => "this is no JSON, up to the next line that begins with a bracket".to_owned(),
        }),
        PieceKind::Comma => OtherPiece::Broken(COMMA.to_owned()),
        PieceKind::TooLong => OtherPiece::Broken(Lines::too_long("state")),
        PieceKind::Unfinished => OtherPiece::Unfinished,
    };
    part.others.push((part.states.states.len(), piece.place, other));
    Ok(())
}

/// Adds what is in a part to the trace.
fn take(
    trace: &mut ItfTrace,
    place: DocumentPart,
    ItfPart { states, others }: &mut ItfPart,
    builder: &mut TraceBuilder,
) {
    if !builder.make_room(states.table.n_rows(), 0) {
        return;
    }
    let (mut others, mut broken) = (others.drain(..).peekable(), states.broken.iter().peekable());
    let (mut rows, mut n_objects) = (0..states.table.n_rows(), 0);
    for index in 0..=states.states.len() {
        while let Some((_, at, other)) = others.next_if(|(n_before, ..)| *n_before == index) {
            if matches!(other, OtherPiece::States) {
                rows.start = n_objects;
            }
            take_other(trace, place.place(at).line, other, builder);
        }
        if let Some(state) = states.states.get(index) {
            let of_state = std::iter::from_fn(|| broken.next_if(|(of, _)| *of == index).map(|(_, rule)| *rule));
            trace.states.add(state, place, of_state);
            n_objects += u32::from(state.is_object);
        }
    }
    trace.states.append(states, rows, builder);
}

fn take_other(trace: &mut ItfTrace, line: u64, other: OtherPiece, builder: &mut TraceBuilder) {
    match other {
        OtherPiece::States => {
            trace.has_states = true;
            trace.states = StateTable::default();
        }
        OtherPiece::Beside(key, value) => beside(trace, &key, &value, builder),
        OtherPiece::Broken(message) => builder.finding("I1", None, Some(line), message),
        OtherPiece::Unfinished => {
            builder.finding("I1", None, Some(line), "the file ends before the object of the trace");
        }
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
