//! Decodes the text of a token: numbers, quoted text and its escapes.

use std::borrow::Cow;

use memchr::{memchr2, memchr3};
use num_bigint::BigInt;

use super::SyntaxError;
use super::lexer::{LexError, LexemeKind};
use super::tokens::Token;
use crate::term::letters::excerpt;
use crate::term::{Node, Span};

/// A number that the text of a term denotes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NumberLiteral {
    /// An integer that fits in 64 bits.
    Int(i64),
    /// An integer that does not.
    BigInt(BigInt),
    /// A float.
    Float(f64),
}

impl NumberLiteral {
    /// The number with the opposite sign; NaN stays as it is.
    pub(crate) fn negated(self) -> NumberLiteral {
        match self {
            NumberLiteral::Int(value) => {
                value.checked_neg().map_or_else(|| NumberLiteral::BigInt(-BigInt::from(value)), NumberLiteral::Int)
            }
            NumberLiteral::BigInt(value) => from_big(-value),
            NumberLiteral::Float(value) if value.is_nan() => self,
            NumberLiteral::Float(value) => NumberLiteral::Float(-value),
        }
    }
}

impl From<NumberLiteral> for Node {
    fn from(number: NumberLiteral) -> Node {
        match number {
            NumberLiteral::Int(value) => Node::Int(value),
            NumberLiteral::BigInt(value) => Node::BigInt(value),
            NumberLiteral::Float(value) => Node::Float(value),
        }
    }
}

fn from_big(value: BigInt) -> NumberLiteral {
    i64::try_from(&value).map_or(NumberLiteral::BigInt(value), NumberLiteral::Int)
}

/// The number that a token with this text denotes; `None` if the token is not a number.
pub(super) fn number(text: &str, token: Token) -> Option<Result<NumberLiteral, SyntaxError>> {
    match token.kind {
        LexemeKind::Integer => Some(Ok(integer(text))),
        LexemeKind::Float => Some(float(text, token.span)),
        LexemeKind::Character => Some(character(text, token.span)),
        _ => None,
    }
}

/// The value of an integer token: `12`, `1_000`, `0xff`, `16'ff`, `1 000 000`.
fn integer(text: &str) -> NumberLiteral {
    if let Ok(value) = text.parse::<i64>() {
        return NumberLiteral::Int(value);
    }
    let (radix, digits) = radix_and_digits(text);
    let digits: Cow<str> =
        if digits.contains(['_', ' ']) { digits.replace(['_', ' '], "").into() } else { digits.into() };
    match i64::from_str_radix(&digits, radix) {
        Ok(value) => NumberLiteral::Int(value),
        Err(_) => from_big(big_integer(&digits, radix)),
    }
}

/// Converts blocks of digits and joins them in pairs, so that a million digits do not take quadratic time.
fn big_integer(digits: &str, radix: u32) -> BigInt {
    const BLOCK: usize = 1024;
    let number = |block| BigInt::parse_bytes(block, radix).expect("the lexer lets digits of the radix through");
    let mut blocks: Vec<BigInt> = digits.as_bytes().rchunks(BLOCK).map(number).collect();
    let mut weight = BigInt::from(radix).pow(BLOCK as u32);
    while blocks.len() > 1 {
        blocks =
            blocks.chunks(2).map(|pair| pair.iter().rev().fold(BigInt::ZERO, |sum, b| sum * &weight + b)).collect();
        weight = &weight * &weight;
    }
    blocks.pop().unwrap_or_default()
}

fn radix_and_digits(text: &str) -> (u32, &str) {
    match text.as_bytes() {
        [b'0', b'x', ..] => (16, &text[2..]),
        [b'0', b'o', ..] => (8, &text[2..]),
        [b'0', b'b', ..] => (2, &text[2..]),
        _ => match text.split_once('\'') {
            Some((radix, digits)) => (radix.parse().expect("the lexer checked the radix"), digits),
            None => (10, text),
        },
    }
}

/// Length of `'ff` after the `16` of `16'ff`; 0 if no digits of that radix follow.
pub(super) fn radix_digits(radix: &str, rest: &str) -> usize {
    let Some(digits) = rest.strip_prefix('\'') else { return 0 };
    let Ok(radix) = radix.parse::<u32>() else { return 0 };
    if !(2..=36).contains(&radix) {
        return 0;
    }
    match digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count() {
        0 => 0,
        n => n + 1,
    }
}

/// Length of ` 000 000` after the `1` of `1 000 000`: at least two groups of digits, each after one blank. Groups have
/// three digits in a decimal number, and any length that they share in others. A single group is more likely a missing
/// comma.
pub(super) fn grouped_digits(first: &str, rest: &str, radix: u32) -> usize {
    let is_digit = |byte: &u8| char::from(*byte).is_digit(radix);
    let group_length = |from: usize| rest.as_bytes()[from..].iter().take_while(|byte| is_digit(byte)).count();
    let begins_group =
        |at: usize| rest.as_bytes().get(at) == Some(&b' ') && rest.as_bytes().get(at + 1).is_some_and(is_digit);
    if !begins_group(0) || first.contains('_') {
        return 0;
    }
    let width = if radix == 10 { 3 } else { group_length(1) };
    if radix_and_digits(first).1.len() > width {
        return 0;
    }
    let (mut end, mut n_groups) = (0, 0);
    while begins_group(end) && group_length(end + 1) == width {
        (end, n_groups) = (end + 1 + width, n_groups + 1);
    }
    let goes_on = rest[end..].starts_with(|c: char| c == '_' || c.is_alphanumeric());
    if n_groups >= 2 && !begins_group(end) && !goes_on { end } else { 0 }
}

/// The value of a float token; a finite number that is too large is an error.
fn float(text: &str, span: Span) -> Result<NumberLiteral, SyntaxError> {
    if text.ends_with("Inf") {
        return Ok(NumberLiteral::Float(f64::INFINITY));
    }
    if text.ends_with("NaN") {
        return Ok(NumberLiteral::Float(f64::NAN));
    }
    let digits: Cow<str> = if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    let value: f64 = digits.parse().expect("the lexer lets floats through");
    match value.is_finite() {
        true => Ok(NumberLiteral::Float(value)),
        false => Err(SyntaxError::new("float_overflow", format!("{} is too large for a float", excerpt(text)), span)),
    }
}

/// The code of `0'c`.
fn character(text: &str, span: Span) -> Result<NumberLiteral, SyntaxError> {
    let inside = &text[2..];
    let code = match inside.as_bytes() {
        [b'\\', ..] => {
            let mut decoded = String::new();
            escape(inside, span.start + 2, &mut decoded)?;
            decoded.chars().next()
        }
        _ => inside.chars().next(),
    };
    let missing = || SyntaxError::new("illegal_number", "expected a character after `0'`", span);
    code.map(|c| NumberLiteral::Int(i64::from(u32::from(c)))).ok_or_else(missing)
}

/// Length of the `c` of `0'c`.
pub(super) fn character_length(rest: &str) -> Option<usize> {
    match rest.as_bytes() {
        [b'\'', b'\'', ..] => Some(2),
        [b'\\', b'\n' | b'\r', ..] | [b'\\'] => None,
        [b'\\', ..] => Some(escape_length(rest.as_bytes())),
        _ => rest.chars().next().filter(|c| !c.is_control()).map(char::len_utf8),
    }
}

/// The offset of the closing quote; `None` if the line ends first.
pub(super) fn closing_quote(rest: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr3(quote, b'\\', b'\n', &rest[at..])?;
        match rest[at] {
            b'\\' if at + 1 < rest.len() => at += escape_length(&rest[at..]),
            byte if byte == quote && rest.get(at + 1) == Some(&quote) => at += 2,
            byte if byte == quote => return Some(at),
            _ => return None,
        }
    }
}

/// Length of the escape at the start of `text`, or of a part of it that holds no quote.
fn escape_length(text: &[u8]) -> usize {
    let digits = |from: usize, radix| text[from..].iter().take_while(|b| char::from(**b).is_digit(radix)).count();
    let (from, n) = match text[1] {
        b'x' => (2, digits(2, 16)),
        b'0'..=b'7' => (1, digits(1, 8)),
        b'\r' if text.get(2) == Some(&b'\n') => return 3,
        byte if byte < 0x80 => return 2,
        _ => return 1,
    };
    from + n + usize::from(n > 0 && text.get(from + n) == Some(&b'\\'))
}

/// The text that a quoted token denotes; its first byte is the quote.
pub(super) fn unquote(token: &str, span: Span) -> Result<Cow<'_, str>, SyntaxError> {
    decode(&token[1..token.len() - 1], token.as_bytes()[0], span.start + 1)
}

/// Replaces escapes and doubled quotes in the text between two `quote`s, which begins at offset `start`.
fn decode(inside: &str, quote: u8, start: u32) -> Result<Cow<'_, str>, SyntaxError> {
    let mut decoded = String::new();
    let mut at = 0;
    while let Some(plain) = memchr2(b'\\', quote, &inside.as_bytes()[at..]) {
        decoded.push_str(&inside[at..at + plain]);
        at += plain;
        at += match inside.as_bytes()[at] {
            b'\\' => escape(&inside[at..], start + at as u32, &mut decoded)?,
            _ => {
                decoded.push(char::from(quote));
                2
            }
        };
    }
    if at == 0 {
        return Ok(inside.into());
    }
    decoded.push_str(&inside[at..]);
    Ok(decoded.into())
}

/// Decodes the escape at the start of `text` and returns its length. ISO's escapes, and `\uXXXX`, `\UXXXXXXXX`.
fn escape(text: &str, start: u32, decoded: &mut String) -> Result<usize, SyntaxError> {
    let Some(letter) = text[1..].chars().next() else { return Err(undefined_escape(text, start)) };
    let simple = match letter {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '\\' | '\'' | '"' | '`' => letter,
        '\n' | '\r' => return Ok(escape_length(text.as_bytes())),
        'x' => return numbered(text, 2, 16, start, decoded),
        '0'..='7' => return numbered(text, 1, 8, start, decoded),
        'u' => return fixed(text, 4, start, decoded),
        'U' => return fixed(text, 8, start, decoded),
        _ => return Err(undefined_escape(text, start)),
    };
    decoded.push(simple);
    Ok(2)
}

/// `\x41\` and `\101\`; a hexadecimal escape needs no closing backslash.
fn numbered(text: &str, from: usize, radix: u32, start: u32, decoded: &mut String) -> Result<usize, SyntaxError> {
    let n = text[from..].bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    let closed = text.as_bytes().get(from + n) == Some(&b'\\');
    if n == 0 || !closed && radix == 8 {
        return Err(undefined_escape(text, start));
    }
    push_code(&text[..from + n], from, radix, start, decoded)?;
    Ok(from + n + usize::from(closed))
}

fn fixed(text: &str, n: usize, start: u32, decoded: &mut String) -> Result<usize, SyntaxError> {
    match text.get(2..2 + n) {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            push_code(&text[..2 + n], 2, 16, start, decoded)?;
            Ok(2 + n)
        }
        _ => Err(undefined_escape(text, start)),
    }
}

/// Appends the character whose code `escape` gives, in digits from byte `from`.
fn push_code(escape: &str, from: usize, radix: u32, start: u32, decoded: &mut String) -> Result<(), SyntaxError> {
    let digits = &escape[from..];
    let place = Span { start, end: start + escape.len() as u32 };
    let none =
        || SyntaxError::new("illegal_character_code", format!("no character has the code {}", excerpt(digits)), place);
    let code = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    decoded.push(code.ok_or_else(none)?);
    Ok(())
}

fn undefined_escape(text: &str, start: u32) -> SyntaxError {
    let shown: String = text.chars().take(2).collect();
    let span = Span { start, end: start + shown.len() as u32 };
    SyntaxError::new("undefined_char_escape", format!("unknown escape {}", excerpt(&shown)), span)
        .with_help("`\\\\` is a backslash, `\\n` a new line, `\\x41\\` the character with that code")
}

/// The error for a token that the lexer could not make.
pub(super) fn lex_error(error: LexError, text: &str, span: Span) -> SyntaxError {
    let first = Span { start: span.start, end: span.start + text.chars().next().map_or(0, char::len_utf8) as u32 };
    match error {
        LexError::BadCharacter => {
            let found = text.chars().next().map(|c| c.escape_unicode().to_string()).unwrap_or_default();
            SyntaxError::new("illegal_character", format!("unexpected character `{found}`"), first)
                .with_help("such characters stand in quotes only")
        }
        LexError::OpenComment => {
            let start = Span { start: span.start, end: span.start + 2 };
            SyntaxError::new("end_of_file_in_block_comment", "this comment has no end", start)
                .with_help("expected `*/`")
        }
        LexError::OpenQuote => {
            // In `'\xG\'` the wrong escape hides the closing quote.
            if let Err(error) = decode(&text[1..], text.as_bytes()[0], span.start + 1) {
                return error;
            }
            let mark = &text[..1];
            SyntaxError::new(
                "end_of_line_in_quoted",
                format!("this `{mark}` has no closing `{mark}` on its line"),
                first,
            )
            .with_help("write `\\n` for a new line inside, or end the line with `\\` to go on with the next")
        }
        LexError::BadCharacterCode => SyntaxError::new("illegal_number", "expected a character after `0'`", span)
            .with_help("`0'a` is the code of `a`, `0'\\n` that of a new line"),
    }
}
