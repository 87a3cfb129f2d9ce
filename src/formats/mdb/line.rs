//! The head of an event line: its numbers and its port. [`procedure`](super::procedure) reads the rest of the line.
//!
//! Output of the program without a line end may precede the head, so that it is searched from the right.

use crate::formats::lines::text::column;
use crate::term::letters::excerpt;

/// The head of an event line, and the text around it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EventHead<'l> {
    /// Output of the program, or the generator that the event belongs to.
    pub(crate) before: &'l str,
    /// Whether numbers are written `E1` and `C1`: in the order of their first appearance.
    pub(crate) is_standardised: bool,
    pub(crate) number: i64,
    pub(crate) call: i64,
    pub(crate) depth: Option<i64>,
    /// As it is printed: `SWTC`.
    pub(crate) port: &'static str,
    /// What follows the port, its blank included.
    pub(crate) rest: &'l str,
}

const PORTS: &[&str] = &[
    "CALL", "EXIT", "REDO", "FAIL", "TAIL", "EXCP", "COND", "THEN", "ELSE", "NEGE", "NEGS", "NEGF", "DISJ", "SWTC",
    "USER", "FRST", "LATR",
];

/// The last head in a line.
pub(crate) fn find(line: &str) -> Option<EventHead<'_>> {
    let mut end = line.len();
    while let Some(at) = line[..end].rfind(' ') {
        if let Some(head) = head_at(line, at) {
            return Some(head);
        }
        end = at;
    }
    None
}

/// The head whose port follows the blank at `at`.
fn head_at(line: &str, at: usize) -> Option<EventHead<'_>> {
    let word = line.get(at + 1..at + 5).filter(|word| word.bytes().all(|byte| byte.is_ascii_uppercase()))?;
    let rest = &line[at + 5..];
    let port = PORTS.iter().find(|port| **port == word).filter(|_| rest.is_empty() || rest.starts_with(' '))?;
    let (numbers, last) = last_word(&line[..at])?;
    let (numbers, call, depth) = match last.strip_prefix('C') {
        Some(call) => (numbers, call, None),
        None => {
            let (numbers, call) = last_word(numbers)?;
            (numbers, call.strip_prefix('C').unwrap_or(call), Some(integer(last)?))
        }
    };
    let numbers = numbers.strip_suffix(':')?;
    let digits = numbers.len() - numbers.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (before, number) = numbers.split_at(digits);
    let standard = before.strip_suffix('E').filter(|before| before.is_empty() || before.ends_with(' '));
    Some(EventHead {
        before: standard.unwrap_or(before).trim_end_matches(' '),
        is_standardised: standard.is_some(),
        number: integer(number)?,
        call: integer(call)?,
        depth,
        port,
        rest,
    })
}

/// The fault of a line without a head that looks like an event: a number with a colon, a call and a port precede a procedure.
/// Lists of breakpoints and stacks look different.
pub(crate) fn fault(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().take(MOST_WORDS).collect();
    let kind = words.iter().rposition(|word| matches!(*word, "pred" | "func"))?;
    let port =
        words[..kind].last().filter(|port| port.len() == 4 && port.bytes().all(|byte| byte.is_ascii_uppercase()))?;
    let is_number = |word: &&str| {
        word.trim_end_matches(':').trim_start_matches(['E', 'C', '-']).starts_with(|c: char| c.is_ascii_digit())
    };
    let numbers = words[..kind - 1].iter().rposition(|word| word.ends_with(':'))?;
    let numbers = words[numbers..kind - 1].iter().all(is_number).then_some(&words[numbers..kind - 1])?;
    if !matches!(numbers.len(), 2 | 3) {
        return None;
    }
    let is_wrong = |word: &&&str| integer(word.trim_end_matches(':').trim_start_matches(['E', 'C'])).is_none();
    let (culprit, expected) = match numbers.iter().find(is_wrong) {
        Some(number) => (number, "a number below 2^63"),
        None if !PORTS.contains(port) => (port, "a port"),
        None => (&numbers[0], "the head of an event with blanks between its parts"),
    };
    let (column, shown) = (column(line.as_bytes(), culprit.as_bytes()), excerpt(culprit));
    Some(format!("column {column}: expected {expected}, found {shown}"))
}

/// Words of a line without a head that are examined.
const MOST_WORDS: usize = 64;

/// The text before the last word, without blanks, and that word.
fn last_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end_matches(' ');
    let (before, word) = text.rsplit_once(' ')?;
    (!word.is_empty()).then(|| (before.trim_end_matches(' '), word))
}

fn integer(digits: &str) -> Option<i64> {
    digits.parse().ok().filter(|number| *number >= 0 && !digits.starts_with('+'))
}

impl EventHead<'_> {
    /// The generator, such as `tc(1)`, whose events have numbers of their own.
    pub(crate) fn generator(&self) -> Option<&str> {
        let (name, args) = self.before.strip_suffix(')')?.split_once('(')?;
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        (is_name && !args.is_empty() && !args.contains(['(', ' '])).then_some(self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(line: &str) -> Option<(&str, i64, i64, Option<i64>, &str)> {
        find(line).map(|head| (head.before, head.number, head.call, head.depth, head.rest))
    }

    #[test]
    fn heads_are_found_after_output() {
        assert_eq!(numbers("       2:      2  2 CALL pred a"), Some(("", 2, 2, Some(2), " pred a")));
        assert_eq!(numbers("13      20:     11  3 EXIT pred a"), Some(("13", 20, 11, Some(3), " pred a")));
        assert_eq!(
            numbers("x 1: 2 3 CALL y       4:      5  6 FAIL pred"),
            Some(("x 1: 2 3 CALL y", 4, 5, Some(6), " pred"))
        );
        assert_eq!(numbers("      E2:     C2 CALL pred a"), Some(("", 2, 2, None, " pred a")));
        assert_eq!(numbers("      E2:     C2  7 CALL pred a"), Some(("", 2, 2, Some(7), " pred a")));
    }

    #[test]
    fn other_lines_have_none() {
        for line in [
            "",
            " 0: + stop  interface pred queens.data/1-0 (det)",
            "pred dice.main/2-0  CALL  dice.m:32",
            "1: CALL",
            "CALL",
        ] {
            assert_eq!(numbers(line), None, "{line}");
        }
    }

    #[test]
    fn a_line_that_only_looks_like_an_event_has_a_fault() {
        let with = |head: &str| fault(&format!("{head} pred m.p/1-0 (det) m.m:3"));
        assert_eq!(with("       2:      2  2 BOGS").as_deref(), Some("column 21: expected a port, found `BOGS`"));
        assert_eq!(
            with("99999999999999999999:      2  2 CALL").as_deref(),
            Some("column 1: expected a number below 2^63, found `99999999999999999999:`")
        );
        assert_eq!(
            with("2:\t2\t2 CALL").as_deref(),
            Some("column 1: expected the head of an event with blanks between its parts, found `2:`")
        );
        for other in
            [" 0: + stop  interface", "   1     E15      C8    5", "   0    4*", "Note: see CALL", "", "a: 1 b CALL"]
        {
            assert_eq!(with(other), None, "{other}");
        }
    }

    #[test]
    fn a_generator_is_distinguished_from_output() {
        let generator = |line| find(line).and_then(|head| head.generator().map(str::to_owned));
        assert_eq!(generator("tc(1)        1:      1  1 CALL pred a"), Some("tc(1)".to_owned()));
        assert_eq!(generator("[f(1)]        1:      1  1 CALL pred a"), None);
    }
}
