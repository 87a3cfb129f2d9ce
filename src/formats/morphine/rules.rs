//! Rule L1: each line is an event with the parts that most lines of the trace have, as its first lines show.

use super::line::{self, EventFields, UnreadableLine};
use crate::formats::lines::text;
use crate::formats::lines::{Line, LineEnding, split_lines};
use crate::formats::mercury::types;

/// Lines that are sampled.
const SAMPLE: usize = 200;

/// As many of them decide a question if all of them agree.
const ENOUGH: usize = 16;

/// The first lines of `head` that are not blank.
fn sample(head: &[u8]) -> Vec<&[u8]> {
    let lines = split_lines(head);
    lines.filter(|line| !line.trim_ascii().is_empty()).take(SAMPLE).collect()
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
        let lines = sample(head);
        let mut votes = LayoutVotes::default();
        for (number, line) in lines.iter().enumerate() {
            if votes.are_decided(lines.len() - number) {
                break;
            }
            if let Ok(event) = line::parse(line) {
                votes.add(line, &event);
            }
        }
        let usual = |parts: &[LinePart], first: usize| {
            let chosen = parts.iter().enumerate().filter(|(number, _)| votes.0[first + number].is_won());
            chosen.map(|(_, part)| *part).collect()
        };
        LineLayout {
            required: usual(&PARTS, 0),
            required_at_end: usual(&END_PARTS, PARTS.len()),
            ends_with_blank: votes.0[N_PARTS].is_won(),
            has_types: votes.0[N_PARTS + 1].is_won(),
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

const N_PARTS: usize = PARTS.len() + END_PARTS.len();

/// What lines say: of each part whether they have it, whether they end with a blank, and whether a type follows each of
/// their live arguments.
#[derive(Default)]
struct LayoutVotes([Vote; N_PARTS + 2]);

/// A question to lines.
#[derive(Clone, Copy, Debug, Default)]
struct Vote {
    n_for: usize,
    n_asked: usize,
}

impl Vote {
    fn add(&mut self, is_for: bool) {
        self.n_for += usize::from(is_for);
        self.n_asked += 1;
    }

    fn is_won(self) -> bool {
        self.n_for * 2 > self.n_asked
    }

    /// Whether as many more lines cannot change it, or so many have agreed that they are not asked.
    fn is_decided(self, n_more: usize) -> bool {
        let n_against = self.n_asked - self.n_for;
        let is_agreed = self.n_asked >= ENOUGH && (self.n_for == 0 || n_against == 0);
        is_agreed || self.n_for > n_against + n_more || self.n_for + n_more <= n_against
    }
}

impl LayoutVotes {
    fn add(&mut self, line: &[u8], event: &EventFields<'_>) {
        for (vote, part) in self.0.iter_mut().zip(PARTS.iter().chain(&END_PARTS)) {
            vote.add((part.is_in)(event));
        }
        self.0[N_PARTS].add(line.ends_with(b" "));
        let live = event.args.as_ref().filter(|args| args.text.iter().any(|byte| !b"-, ".contains(byte)));
        if let Some(args) = live {
            self.0[N_PARTS + 1].add(types::split(&text::visible(args.text)).is_some());
        }
    }

    fn are_decided(&self, n_more: usize) -> bool {
        self.0.iter().all(|vote| vote.is_decided(n_more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vote_is_decided_once_no_other_lines_can_change_it() {
        for n_for in 0..6 {
            for n_against in 0..6 {
                for n_more in 0..6 {
                    let vote = Vote { n_for, n_asked: n_for + n_against };
                    let outcomes = (0..=n_more).flat_map(|asked| (0..=asked).map(move |more_for| (asked, more_for)));
                    let later = |(asked, more_for)| Vote { n_for: n_for + more_for, n_asked: vote.n_asked + asked };
                    let is_fixed = outcomes.map(later).all(|later| later.is_won() == vote.is_won());
                    assert_eq!(vote.is_decided(n_more), is_fixed, "{vote:?} {n_more}");
                }
            }
        }
    }

    #[test]
    fn most_of_the_first_lines_decide() {
        let plain = "1: 1 [1] call p(a) []  7 \n";
        let typed = "1: 1 [1] call p(a {int}) []  7 \n";
        for (n_plain, n_typed) in [(99, 101), (101, 99), (10, 11), (11, 10), (1, 0), (0, 1), (150, 400)] {
            let mixed: String = (0..n_plain.max(n_typed))
                .map(|number| {
                    format!(
                        "{}{}",
                        if number < n_plain { plain } else { "" },
                        if number < n_typed { typed } else { "" }
                    )
                })
                .collect();
            let typed_first = format!("{}{}", typed.repeat(n_typed), plain.repeat(n_plain));
            let sampled = n_typed.min(200) * 2 > (n_typed + n_plain).min(200);
            let agreed = n_typed >= ENOUGH;
            assert_eq!(LineLayout::of(typed_first.as_bytes()).has_types, sampled || agreed, "{n_plain} {n_typed}");
            if n_plain + n_typed <= 200 {
                assert_eq!(LineLayout::of(mixed.as_bytes()).has_types, sampled, "{n_plain} {n_typed}");
            }
        }
    }
}
