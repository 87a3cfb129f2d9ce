//! Rule L1: each line is an event with the parts that most lines of the trace have, as its first lines show.

use super::line::{self, EventFields, UnreadableLine};
use crate::formats::lines::text;
use crate::formats::lines::{Line, LineEnding};
use crate::formats::mercury::types;

/// Lines that are sampled.
const SAMPLE: usize = 200;

/// The first lines of `head` that are not blank.
fn sample(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = head.split(|&byte| byte == b'\n' || byte == b'\r');
    lines.filter(|line| !line.trim_ascii().is_empty()).take(SAMPLE)
}

/// The parts that most lines have. A line without one of them is not an event of this trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineLayout {
    required: Vec<LinePart>,
    /// Parts that a last line without a line end must also have.
    required_at_end: Vec<LinePart>,
    ends_with_blank: bool,
    /// Whether a type in braces follows each live argument.
    pub(crate) has_types: bool,
}

/// A part of a line: its name, and whether an event has it.
#[derive(Clone, Copy, Debug)]
struct LinePart {
    expected: &'static str,
    is_in: fn(&EventFields<'_>) -> bool,
}

const PARTS: [LinePart; 5] = [
    LinePart { expected: "a chrono", is_in: |event| event.chrono.is_some() },
    LinePart { expected: "a call number", is_in: |event| event.call.is_some() },
    LinePart { expected: "a depth", is_in: |event| event.depth.is_some() },
    LinePart { expected: "a port", is_in: |event| event.port.is_some() },
    LinePart { expected: "a procedure", is_in: |event| event.name.is_some() },
];

const END_PARTS: [LinePart; 2] = [
    LinePart { expected: "a goal path", is_in: |event| event.goal_path.is_some() },
    LinePart { expected: "a line number", is_in: |event| event.line_number.is_some() },
];

impl LineLayout {
    /// The layout of the first lines of `head`.
    pub(crate) fn of(head: &[u8]) -> LineLayout {
        let events: Vec<(&[u8], EventFields<'_>)> =
            sample(head).filter_map(|line| Some((line, line::parse(line).ok()?))).collect();
        let most = |n_events: usize| n_events * 2 > events.len();
        let usual = |part: &LinePart| most(events.iter().filter(|(_, event)| (part.is_in)(event)).count());
        LineLayout {
            required: PARTS.into_iter().filter(usual).collect(),
            required_at_end: END_PARTS.into_iter().filter(usual).collect(),
            ends_with_blank: most(events.iter().filter(|(line, _)| line.ends_with(b" ")).count()),
            has_types: have_types(events.iter().map(|(_, event)| event)),
        }
    }

    /// The event, if it has the parts that the others have.
    pub(crate) fn check<'a>(&self, event: EventFields<'a>, line: Line<'_>) -> Result<EventFields<'a>, UnreadableLine> {
        if let Some(part) = self.required.iter().find(|part| !(part.is_in)(&event)) {
            let at = event.name.map_or(0, |name| (name.as_ptr() as usize).saturating_sub(line.bytes.as_ptr() as usize));
            return Err(UnreadableLine { at, expected: part.expected });
        }
        if line.ending == LineEnding::InputEnd && self.is_truncated(&event, line.bytes) {
            return Err(UnreadableLine { at: line.bytes.len(), expected: "the rest of the line" });
        }
        Ok(event)
    }

    fn is_truncated(&self, event: &EventFields<'_>, bytes: &[u8]) -> bool {
        let lacks_part = self.required_at_end.iter().any(|part| !(part.is_in)(event));
        lacks_part || (self.ends_with_blank && !bytes.ends_with(b" "))
    }
}

/// Whether most lines with live arguments have a type after each.
fn have_types<'e, 'a: 'e>(events: impl Iterator<Item = &'e EventFields<'a>>) -> bool {
    let args = events.filter_map(|event| event.args).filter(|args| args.text.iter().any(|byte| !b"-, ".contains(byte)));
    let (mut n_typed, mut n_args) = (0, 0);
    for args in args {
        n_args += 1;
        n_typed += usize::from(types::split(&text::visible(args.text)).is_some());
    }
    n_typed * 2 > n_args
}
