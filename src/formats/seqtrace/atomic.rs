//! Erlang terms without parts: atoms, numbers, texts, binaries, and what is printed in angle brackets.

use num_bigint::BigInt;
use std::fmt::Write;

use super::nodes::{BEGIN, END};
use super::quoted::{self, Quote};
use super::term_fault::{TermFault, TermResult, skip_layout};
use crate::formats::lines::text;

/// Appends the value at `at` to `out`; returns the place after it.
pub(crate) fn translate(text: &[u8], at: usize, out: &mut String) -> TermResult<usize> {
    match text.get(at) {
        Some(b'"') => string(text, at, out),
        Some(b'\'') => quoted::copy(text, at, Quote::Atom, out),
        Some(b'0'..=b'9' | b'-' | b'+') => number(text, at, out),
        Some(b'<') if text.get(at + 1) == Some(&b'<') => binary(text, at, out),
        Some(b'<') => pid(text, at, out),
        Some(b'#') => hashed(text, at, out),
        Some(b'$') => character(text, at, out),
        Some(b'.') if text[at..].starts_with(b"...") => {
            out.push_str("'...'");
            Ok(at + 3)
        }
        _ => word(text, at, out),
    }
}

/// `"text"`, maybe in several pieces that a printer has put on several lines.
fn string(text: &[u8], at: usize, out: &mut String) -> TermResult<usize> {
    out.push('"');
    let mut at = quoted::content(text, at, Quote::String, out)?;
    loop {
        let next = skip_layout(text, at);
        if text.get(next) != Some(&b'"') {
            break;
        }
        at = quoted::content(text, next, Quote::String, out)?;
    }
    out.push('"');
    Ok(at)
}

/// An atom without quotes, or `fun m:f/1`.
fn word(text: &[u8], at: usize, out: &mut String) -> TermResult<usize> {
    let after = word_end(text, at)?;
    let name = std::str::from_utf8(&text[at..after]).unwrap_or_default();
    if name == "fun" && text.get(after) == Some(&b' ') {
        return external_fun(text, at, out);
    }
    match name.contains('@') {
        false => out.push_str(name),
        true => write!(out, "'{name}'").expect("writing to a string cannot fail"),
    }
    Ok(after)
}

/// The end of an atom without quotes: a small letter, then letters, digits, `_` and `@`.
fn word_end(text: &[u8], at: usize) -> TermResult<usize> {
    let ascii = text[at.min(text.len())..].iter().take_while(|byte| is_in_word(**byte)).count();
    let first = text.get(at).copied().unwrap_or(b' ');
    if first.is_ascii_lowercase() && text.get(at + ascii).is_none_or(|byte| *byte < 0x80) {
        return Ok(at + ascii);
    }
    let expected = Err(TermFault { at, expected: "a term" });
    let rest = text[at.min(text.len())..].utf8_chunks().next().map_or("", |chunk| chunk.valid());
    if !rest.chars().next().is_some_and(char::is_lowercase) {
        return expected;
    }
    let length = rest.find(|character: char| !(character.is_alphanumeric() || matches!(character, '_' | '@')));
    Ok(at + length.unwrap_or(rest.len()))
}

fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@')
}

/// `fun m:f/1`, as a quoted atom.
fn external_fun(text: &[u8], at: usize, out: &mut String) -> TermResult<usize> {
    let mut inner = String::from("fun ");
    let name = |at: usize, inner: &mut String| {
        let start = at;
        let end = match text.get(at) {
            Some(b'\'') => quoted::copy(text, at, Quote::Atom, &mut String::new())?,
            _ => word_end(text, at)?,
        };
        inner.push_str(&text::visible(&text[start..end]));
        Ok(end)
    };
    let at = name(at + 4, &mut inner)?;
    let at = expect(text, at, b':', "`:`")?;
    inner.push(':');
    let at = name(at, &mut inner)?;
    let at = expect(text, at, b'/', "`/`")?;
    let after = digits_end(text, at);
    write!(inner, "/{}", String::from_utf8_lossy(&text[at..after])).expect("writing to a string cannot fail");
    quoted::write_atom(&inner, out);
    Ok(after)
}

fn expect(text: &[u8], at: usize, byte: u8, expected: &'static str) -> TermResult<usize> {
    if text.get(at) == Some(&byte) { Ok(at + 1) } else { Err(TermFault { at, expected }) }
}

fn digits_end(text: &[u8], at: usize) -> usize {
    at + text[at.min(text.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// `17`, `-1_000`, `16#FF`, `1.5e-7`.
fn number(text: &[u8], at: usize, out: &mut String) -> TermResult<usize> {
    let start = at + usize::from(matches!(text[at], b'-' | b'+'));
    if text[at] == b'-' {
        out.push('-');
    }
    let is_digit = |byte: &&u8| byte.is_ascii_digit() || **byte == b'_';
    let after = start + text[start..].iter().take_while(is_digit).count();
    if !text.get(start).is_some_and(u8::is_ascii_digit) {
        return Err(TermFault { at: start, expected: "a digit" });
    }
    if text.get(after) == Some(&b'#') {
        return based(text, start, after, out);
    }
    out.extend(text[start..after].iter().filter(|byte| **byte != b'_').map(|byte| char::from(*byte)));
    let has_fraction = text.get(after) == Some(&b'.') && text.get(after + 1).is_some_and(u8::is_ascii_digit);
    if !has_fraction {
        return Ok(after);
    }
    let end = exponent_end(text, digits_end(text, after + 1));
    out.push_str(&String::from_utf8_lossy(&text[after..end]));
    Ok(end)
}

/// The end of `e-7`, if that is what stands there.
fn exponent_end(text: &[u8], at: usize) -> usize {
    if !matches!(text.get(at), Some(b'e' | b'E')) {
        return at;
    }
    let digits = at + 1 + usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
    let end = digits_end(text, digits);
    if end > digits { end } else { at }
}

/// The digits after `16#`, in decimal.
fn based(text: &[u8], start: usize, mark: usize, out: &mut String) -> TermResult<usize> {
    const EXPECTED: [&str; 37] = {
        let mut expected = ["digits of the base"; 37];
        expected[2] = "digits of base 2";
        expected[8] = "digits of base 8";
        expected[16] = "digits of base 16";
        expected
    };
    let base: Option<u32> = std::str::from_utf8(&text[start..mark]).ok().and_then(|digits| digits.parse().ok());
    let base = base.filter(|base| (2..=36).contains(base));
    let Some(base) = base else { return Err(TermFault { at: start, expected: "a base from 2 to 36" }) };
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(base) || **byte == b'_';
    let length = text[mark + 1..].iter().take_while(is_digit).count();
    let digits: Vec<u8> = text[mark + 1..mark + 1 + length].iter().copied().filter(|byte| *byte != b'_').collect();
    match BigInt::parse_bytes(&digits, base) {
        Some(value) => write!(out, "{value}").expect("writing to a string cannot fail"),
        None => return Err(TermFault { at: mark + 1, expected: EXPECTED[base as usize] }),
    }
    Ok(mark + 1 + length)
}

/// `$a`, whose value is a number.
fn character(text: &[u8], at: usize, out: &mut String) -> TermResult<usize> {
    let (code, after) = quoted::character(text, at + 1).ok_or(TermFault { at: at + 1, expected: "a character" })?;
    write!(out, "{code}").expect("writing to a string cannot fail");
    Ok(after)
}

/// `<<1,2>>`, `<<"text">>`, `<<5:3>>`: a quoted atom, without the layout of a printer.
fn binary(text: &[u8], at: usize, out: &mut String) -> TermResult<usize> {
    let mut inner = String::from("<<");
    let mut at = at + 2;
    let mut follows_string = false;
    loop {
        at = skip_layout(text, at);
        match text.get(at) {
            Some(b'>') if text.get(at + 1) == Some(&b'>') => break,
            Some(b'"') => {
                if follows_string {
                    inner.pop();
                } else {
                    inner.push('"');
                }
                let start = at + 1;
                at = quoted::content(text, at, Quote::String, &mut String::new())?;
                inner.push_str(&text::visible(&text[start..at]));
                follows_string = true;
                continue;
            }
            Some(byte) if byte.is_ascii_alphanumeric() || b",:/-_.#".contains(byte) => inner.push(char::from(*byte)),
            _ => return Err(TermFault { at, expected: "`>>`" }),
        }
        follows_string = false;
        at += 1;
    }
    inner.push_str(">>");
    quoted::write_atom(&inner, out);
    Ok(at + 2)
}

/// `<0.93.0>`, between marks, as its node may be known only later.
fn pid(text: &[u8], at: usize, out: &mut String) -> TermResult<usize> {
    let mut after = at + 1;
    for part in 0..3 {
        let end = digits_end(text, after);
        let (mark, expected) = if part < 2 { (b'.', "`.`") } else { (b'>', "`>`") };
        if end == after {
            return Err(TermFault { at: end, expected: "a digit" });
        }
        after = expect(text, end, mark, if end == text.len() { "`>`" } else { expected })?;
    }
    mark(&text[at..after], out);
    Ok(after)
}

/// `#Ref<0.1.2.3>`, `#Port<0.5>`, `#Fun<m.1.4499>` and other things in angle brackets.
fn hashed(text: &[u8], at: usize, out: &mut String) -> TermResult<usize> {
    let name = at + 1 + text[at + 1..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if name == at + 1 {
        return Err(TermFault { at: name, expected: "a name after `#`" });
    }
    let inner = expect(text, name, b'<', "`<`")?;
    let is_inner = |byte: &&u8| !matches!(**byte, b'>' | b'\n' | b'\r');
    let end = inner + text[inner..].iter().take_while(is_inner).count();
    let after = expect(text, end, b'>', "`>`")?;
    let is_numbered = text[inner..end].iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    match &text[at..inner] {
        b"#Ref<" | b"#Port<" if is_numbered => mark(&text[at..after], out),
        _ => quoted::write_atom(&text::visible(&text[at..after]), out),
    }
    Ok(after)
}

/// A name whose first number is that of a node.
fn mark(name: &[u8], out: &mut String) {
    out.push(BEGIN);
    out.push_str(std::str::from_utf8(name).unwrap_or_default());
    out.push(END);
}
