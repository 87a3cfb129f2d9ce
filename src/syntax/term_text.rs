//! Whether a text is a term. Most texts of traces are plain terms, which one scan recognises without building them.

use std::sync::LazyLock;

use super::reader::{ReadFlags, read_goal};
use crate::term::ops::OpTable;

static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

/// Whether the text reads as one term with the standard operators.
pub(crate) fn is_term(text: &str) -> bool {
    is_plain(text.as_bytes()) || read_goal(text, &OPERATORS, &ReadFlags::default()).is_ok()
}

/// Whether the text is a plain term: one without operators and escapes.
fn is_plain(text: &[u8]) -> bool {
    let mut brackets: Vec<u8> = Vec::new();
    let mut at = 0;
    loop {
        at = after_blanks(text, at);
        match primary(text, at) {
            Some(Primary::Whole(end)) => at = end,
            Some(Primary::Open(end, close)) => {
                brackets.push(close);
                at = end;
                continue;
            }
            None => return false,
        }
        loop {
            at = after_blanks(text, at);
            let Some(bracket) = brackets.last_mut() else { return at == text.len() };
            match (text.get(at), *bracket) {
                (Some(b','), b')' | b']') => break,
                (Some(b'|'), b']') => {
                    *bracket = TAIL;
                    break;
                }
                (Some(b')'), b')') | (Some(b']'), b']' | TAIL) => brackets.pop(),
                _ => return false,
            };
            at += 1;
        }
        at += 1;
    }
}

/// Marks an open list whose bar the scan has passed.
const TAIL: u8 = b'|';

/// The start of a term.
enum Primary {
    /// A whole term, and where it ends.
    Whole(usize),
    /// An open bracket: where it ends, and the bracket that closes it.
    Open(usize, u8),
}

fn primary(text: &[u8], at: usize) -> Option<Primary> {
    let next = |at: usize| text.get(at).copied().unwrap_or(b' ');
    match next(at) {
        b'[' if next(after_blanks(text, at + 1)) == b']' => whole(text, after_blanks(text, at + 1) + 1),
        b'[' => Some(Primary::Open(at + 1, b']')),
        b'"' => whole(text, quoted_end(text, at)?),
        b'\'' => name(text, quoted_end(text, at)?),
        b'a'..=b'z' => name(text, word_end(text, at)),
        b'A'..=b'Z' | b'_' => whole(text, word_end(text, at)),
        b'-' if next(at + 1).is_ascii_digit() => whole(text, number_end(text, at + 1)),
        b'-' => whole(text, at + 1),
        b'0'..=b'9' => whole(text, number_end(text, at)),
        _ => None,
    }
}

/// An atom that ends at `end`, or the functor of a compound.
fn name(text: &[u8], end: usize) -> Option<Primary> {
    if text.get(end) == Some(&b'(') { Some(Primary::Open(end + 1, b')')) } else { whole(text, end) }
}

/// A term that ends at `end`, if the next byte may follow a term.
fn whole(text: &[u8], end: usize) -> Option<Primary> {
    let may_end = text.get(end).is_none_or(|byte| matches!(byte, b',' | b')' | b']' | b'|' | b' '));
    may_end.then_some(Primary::Whole(end))
}

fn word_end(text: &[u8], at: usize) -> usize {
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    at + text[at..].iter().take_while(is_word).count()
}

/// The end of `12` or `1.5`; numbers in other notations continue there.
fn number_end(text: &[u8], at: usize) -> usize {
    let digits = |at: usize| text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let end = at + digits(at);
    match text.get(end) {
        Some(b'.') if digits(end + 1) > 0 => end + 1 + digits(end + 1),
        _ => end,
    }
}

/// The end of the quoted text that begins at `at`, if it has no escapes.
fn quoted_end(text: &[u8], at: usize) -> Option<usize> {
    let quote = text[at];
    let end = at + 1 + memchr::memchr3(quote, b'\\', b'\n', &text[at + 1..])?;
    (text[end] == quote && text.get(end + 1) != Some(&quote)).then_some(end + 1)
}

fn after_blanks(text: &[u8], at: usize) -> usize {
    at + text[at.min(text.len())..].iter().take_while(|byte| **byte == b' ').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_operators_and_quotes_are_terms() {
        assert!(is_term("f([1, 'x y'|T], -)") && is_term("3 - 8"));
        assert!(!is_term("list.list(int)") && !is_term("a b"));
    }

    const TERMS: &[&str] = &[
        "a",
        "-",
        "-1",
        "1.5",
        "[]",
        "[ ]",
        "[a, b|c]",
        "f(a, [1, 2], 'x y', \"s\")",
        "[[], []]",
        "_",
        "X",
        "f(-)",
        "[a|[b]]",
        "f(mod, 'is')",
        "f( a )",
    ];
    const NONE: &[&str] =
        &["", " ", "f(", "[1, 2", "f(a))", "a b", "[a|b, c]", "f()", "[a,]", "1.", "'a", "list.list(int)"];

    #[test]
    fn plain_texts_are_terms() {
        for text in TERMS {
            assert!(is_plain(text.as_bytes()), "{text}");
            assert!(read_goal(text, &OPERATORS, &ReadFlags::default()).is_ok(), "{text}");
        }
        for text in NONE {
            assert!(!is_plain(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn other_terms_are_read() {
        for text in ["3 - 8", "a:b", "'it''s'", "0'a", "{a}", "f((a, b))", "é", "- 1"] {
            assert!(!is_plain(text.as_bytes()) && is_term(text), "{text}");
        }
        assert!(!is_term("list.list(int)") && !is_term("<<foreign>>"));
    }
}
