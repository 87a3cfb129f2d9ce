//! Quoted texts: the escapes of Erlang are read, those of Prolog are written.

use std::fmt::Write;

use super::term_fault::{TermFault, TermResult};

/// What is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    /// `'atom'`
    Atom,
    /// `"string"`
    String,
}

impl Quote {
    fn byte(self) -> u8 {
        match self {
            Quote::Atom => b'\'',
            Quote::String => b'"',
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Quote::Atom => "`'`",
            Quote::String => "`\"`",
        }
    }
}

/// Appends the quoted text at `at` with its quotes; returns the place after it.
pub(crate) fn copy(text: &[u8], at: usize, quote: Quote, out: &mut String) -> TermResult<usize> {
    out.push(char::from(quote.byte()));
    let after = content(text, at, quote, out)?;
    out.push(char::from(quote.byte()));
    Ok(after)
}

/// Appends the text between the quotes, the first of which is at `at`; returns the place after the second.
pub(crate) fn content(text: &[u8], at: usize, quote: Quote, out: &mut String) -> TermResult<usize> {
    let mut at = at + 1;
    loop {
        let rest = &text[at..];
        let plain =
            rest.iter().take_while(|byte| matches!(**byte, 0x20..=0x7E) && **byte != quote.byte() && **byte != b'\\');
        let length = plain.count();
        out.push_str(std::str::from_utf8(&rest[..length]).unwrap_or_default());
        at += length;
        match text.get(at) {
            None => return Err(TermFault { at, expected: quote.expected() }),
            Some(byte) if *byte == quote.byte() => return Ok(at + 1),
            Some(_) => at = unusual(text, at, quote, out),
        }
    }
}

/// An escape, a character beyond ASCII, a control character, or a byte that is no text.
fn unusual(text: &[u8], at: usize, quote: Quote, out: &mut String) -> usize {
    let (code, after) = match text[at] {
        b'\\' if matches!(text.get(at + 1), Some(b'\n')) => return at + 2,
        _ => character(text, at).unwrap_or((u32::from(b'\\'), at + 1)),
    };
    match char::from_u32(code).filter(|_| after > at + 1 || text[at] < 0x80) {
        Some(character) => write_character(character, quote, out),
        None => write!(out, "\\x{code:x}\\").expect("writing to a string cannot fail"),
    }
    after
}

/// The code of the character or escape at `at`, and the place after it; a byte that is no text is its own code.
pub(crate) fn character(text: &[u8], at: usize) -> Option<(u32, usize)> {
    match *text.get(at)? {
        b'\\' => escape(text, at + 1),
        byte if byte < 0x80 => Some((u32::from(byte), at + 1)),
        byte => {
            let end = text.len().min(at + 4);
            let valid = text[at..end].utf8_chunks().next().map_or("", |chunk| chunk.valid());
            let character = valid.chars().next();
            Some(character.map_or((u32::from(byte), at + 1), |found| (u32::from(found), at + found.len_utf8())))
        }
    }
}

/// The escape after a backslash.
fn escape(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let code = match *text.get(at)? {
        b'b' => 8,
        b'd' => 127,
        b'e' => 27,
        b'f' => 12,
        b'n' => 10,
        b'r' => 13,
        b's' => 32,
        b't' => 9,
        b'v' => 11,
        b'^' => return text.get(at + 1).map(|byte| (u32::from(byte & 31), at + 2)),
        b'x' if text.get(at + 1) == Some(&b'{') => {
            return digits(text, at + 2, 16, usize::MAX)
                .map(|(code, end)| (code, end + usize::from(text.get(end) == Some(&b'}'))));
        }
        b'x' => return digits(text, at + 1, 16, 2),
        b'0'..=b'7' => return digits(text, at, 8, 3),
        _ => return character_plain(text, at),
    };
    Some((code, at + 1))
}

/// The character itself, whatever it is.
fn character_plain(text: &[u8], at: usize) -> Option<(u32, usize)> {
    match text[at] {
        b'\\' => Some((u32::from(b'\\'), at + 1)),
        _ => character(text, at),
    }
}

fn digits(text: &[u8], at: usize, radix: u32, most: usize) -> Option<(u32, usize)> {
    let found =
        text[at.min(text.len())..].iter().take(most.min(9)).take_while(|byte| char::from(**byte).is_digit(radix));
    let length = found.count();
    let digits = std::str::from_utf8(&text[at..at + length]).ok()?;
    u32::from_str_radix(digits, radix).ok().map(|code| (code, at + length))
}

fn write_character(character: char, quote: Quote, out: &mut String) {
    match character {
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        _ if character == char::from(quote.byte()) => {
            out.push('\\');
            out.push(character);
        }
        _ if character.is_control() => {
            write!(out, "\\x{:x}\\", u32::from(character)).expect("writing to a string cannot fail");
        }
        _ => out.push(character),
    }
}

/// Appends `name` as an atom, in quotes if it needs them.
pub(crate) fn write_name(name: &str, out: &mut String) {
    let is_plain = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_plain { out.push_str(name) } else { write_atom(name, out) }
}

/// Appends `name` as a quoted atom.
pub(crate) fn write_atom(name: &str, out: &mut String) {
    out.push('\'');
    name.chars().for_each(|character| write_character(character, Quote::Atom, out));
    out.push('\'');
}
