//! Texts that are terms at first sight: a scan over the bytes that saves the reader of the language.

use crate::term::hash::HashSet;
use std::sync::LazyLock;

use super::terms::STANDARD;

/// The names of the operators.
static OPERATORS: LazyLock<HashSet<&str>> = LazyLock::new(|| STANDARD.iter().map(|(name, _)| name.as_str()).collect());

/// Whether a text is a term of small names, numbers, lists and compounds only, as most arguments are.
pub(crate) fn is_plain(text: &[u8]) -> bool {
    // of each open bracket whether it is one of a list, and whether its bar was passed
    let mut open: Vec<(bool, bool)> = Vec::new();
    let mut at = 0;
    loop {
        match primary(text, &mut at) {
            Some(TermStart::Opens(is_list)) => {
                open.push((is_list, false));
                continue;
            }
            Some(TermStart::Whole) => {}
            None => return false,
        }
        loop {
            skip_blanks(text, &mut at);
            let Some((is_list, is_tail)) = open.last_mut() else { return at == text.len() };
            match text.get(at) {
                Some(b',') if !*is_tail => break,
                Some(b'|') if *is_list && !*is_tail => {
                    *is_tail = true;
                    break;
                }
                Some(b']') if *is_list => {}
                Some(b')') if !*is_list => {}
                _ => return false,
            }
            open.pop();
            at += 1;
        }
        at += 1;
    }
}

/// What begins a term.
enum TermStart {
    Whole,
    /// A bracket; whether it is that of a list.
    Opens(bool),
}

fn primary(text: &[u8], at: &mut usize) -> Option<TermStart> {
    skip_blanks(text, at);
    let first = *text.get(*at)?;
    match first {
        b'0'..=b'9' => number(text, at),
        b'-' if text.get(*at + 1).is_some_and(u8::is_ascii_digit) => {
            *at += 1;
            number(text, at)
        }
        b'[' => {
            *at += 1;
            skip_blanks(text, at);
            if text.get(*at) != Some(&b']') {
                return Some(TermStart::Opens(true));
            }
            *at += 1;
            (text.get(*at) != Some(&b'(')).then_some(TermStart::Whole)
        }
        b'"' => simple_quoted(text, at).then_some(TermStart::Whole),
        b'\'' if !simple_quoted(text, at) => None,
        b'\'' => Some(opens_compound(text, at)),
        b'a'..=b'z' | b'_' => {
            let name = word(text, at);
            match text.get(*at) {
                Some(b'(') if first != b'_' => Some(opens_compound(text, at)),
                _ => (first == b'_' || !is_operator(name)).then_some(TermStart::Whole),
            }
        }
        _ => None,
    }
}

/// What a name is: whole, or the opening of a compound.
fn opens_compound(text: &[u8], at: &mut usize) -> TermStart {
    if text.get(*at) != Some(&b'(') {
        return TermStart::Whole;
    }
    *at += 1;
    TermStart::Opens(false)
}

/// Whether a name is that of an operator.
pub(crate) fn is_operator(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(|name| OPERATORS.contains(name))
}

/// A text in quotes without escapes.
fn simple_quoted(text: &[u8], at: &mut usize) -> bool {
    let quote = text[*at];
    let inner = &text[*at + 1..];
    let Some(length) = memchr::memchr3(quote, b'\\', b'\n', inner) else { return false };
    *at += length + 2;
    inner[length] == quote && inner.get(length + 1) != Some(&quote)
}

/// `12`, `1.5`: other numbers are left to the reader of the language.
fn number(text: &[u8], at: &mut usize) -> Option<TermStart> {
    let digits = |at: &mut usize| {
        let from = *at;
        *at += text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        *at > from
    };
    let mut is_number = digits(at);
    if text.get(*at) == Some(&b'.') {
        *at += 1;
        is_number &= digits(at);
    }
    let ends = text.get(*at).is_none_or(|byte| matches!(byte, b',' | b')' | b']' | b'|' | b' '));
    (is_number && ends).then_some(TermStart::Whole)
}

fn word<'t>(text: &'t [u8], at: &mut usize) -> &'t [u8] {
    let from = *at;
    *at += text[from..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    &text[from..*at]
}

fn skip_blanks(text: &[u8], at: &mut usize) {
    while text.get(*at) == Some(&b' ') {
        *at += 1;
    }
}
