//! Values of attributes: as columns store them, and as terms in arguments.

use std::fmt::Write as _;

use crate::formats::json::terms::EMPTY_OBJECT;
use crate::term::letters::write_quoted;
use crate::term::print::float_text;
use crate::trace::Field;

/// A value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SpanValue<'v> {
    /// There is none.
    Absent,
    Text(&'v str),
    Int(i64),
    /// An integer beyond 64 bits, in decimal digits.
    Digits(&'v str),
    Float(f64),
    Bool(bool),
    /// The text of a term: a list, a map, bytes.
    Term(&'v str),
}

impl SpanValue<'_> {
    /// Writes the value as columns store it; nothing if there is none.
    pub(crate) fn write_stored(self, stored: &mut String) {
        match self {
            SpanValue::Absent => stored.clear(),
            SpanValue::Text(text) => Field::Atom(text).write_stored(stored),
            SpanValue::Int(value) => Field::Int(value).write_stored(stored),
            SpanValue::Digits(digits) => Field::BigInt(digits).write_stored(stored),
            SpanValue::Float(value) if value.is_finite() => Field::Float(value).write_stored(stored),
            SpanValue::Float(value) => Field::Term(name_of(value)).write_stored(stored),
            SpanValue::Bool(value) => Field::Bool(value).write_stored(stored),
            SpanValue::Term(text) => Field::Term(text).write_stored(stored),
        }
    }
}

impl SpanValue<'_> {
    /// Whether columns store the value so; false also if it is not worth the comparison.
    pub(super) fn is_stored_as(self, stored: &str) -> bool {
        match self {
            SpanValue::Text(text) => stored.strip_prefix('a') == Some(text),
            SpanValue::Int(value) => stored.strip_prefix('i').is_some_and(|digits| digits.parse() == Ok(value)),
            _ => false,
        }
    }
}

/// The name of a float that is not finite.
fn name_of(value: f64) -> &'static str {
    match value {
        value if value.is_nan() => "nan",
        value if value > 0.0 => "inf",
        _ => "'-inf'",
    }
}

/// The argument that a stored value is; none for an absent one.
pub(crate) fn write_argument(stored: &str, out: &mut String) {
    match (stored.as_bytes().first(), stored.get(1..)) {
        (Some(b'a'), Some(text)) => push_quoted(out, text, '"'),
        (Some(b'f'), Some(text)) => push_float(out, text.parse().unwrap_or(f64::NAN)),
        (Some(_), Some(text)) => out.push_str(text),
        _ => out.push('-'),
    }
}

/// The text of a term, while it is written.
#[derive(Default)]
pub(crate) struct TermText {
    pub(crate) text: String,
}

impl TermText {
    /// Writes a value inside a list or an object.
    pub(crate) fn value(&mut self, value: SpanValue<'_>) {
        let (start, out) = (self.text.len(), &mut self.text);
        match value {
            SpanValue::Absent => out.push_str("null"),
            SpanValue::Text(text) => push_quoted(out, text, '"'),
            SpanValue::Int(value) => write!(out, "{value}").expect("writing to a string cannot fail"),
            SpanValue::Digits(text) | SpanValue::Term(text) => out.push_str(text),
            SpanValue::Float(value) => push_float(out, value),
            SpanValue::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        }
        self.apart(start);
    }

    /// Writes the value of a column.
    pub(super) fn stored(&mut self, stored: &str) {
        let at = self.text.len();
        match stored.strip_prefix('a') {
            Some(name) => push_atom(&mut self.text, name),
            None => write_argument(stored, &mut self.text),
        }
        self.apart(at);
    }

    /// Keeps what begins at a place from being one operator with what is before.
    fn apart(&mut self, at: usize) {
        // `k--1` would have another operator
        if self.text[..at].ends_with('-') && self.text[at..].starts_with('-') {
            self.text.insert(at, ' ');
        }
    }

    /// Writes a comma, unless a list or an object begins here.
    pub(crate) fn separate(&mut self) {
        if !self.text.ends_with(['[', '{']) {
            self.text.push(',');
        }
    }

    /// Writes the key of an object and what follows it.
    pub(crate) fn member(&mut self, key: &str) {
        push_quoted(&mut self.text, key, '"');
        self.text.push(':');
    }

    /// Ends an object.
    pub(crate) fn end_object(&mut self) {
        match self.text.pop() {
            Some('{') => self.text.push_str(EMPTY_OBJECT),
            last => self.text.extend(last.into_iter().chain(['}'])),
        }
    }

    /// Writes the key of a pair and what follows it.
    pub(crate) fn key(&mut self, key: &str) {
        push_atom(&mut self.text, key);
        self.text.push('-');
    }

    /// Writes `bytes(Hex)`.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.text.push_str("bytes(");
        push_atom(&mut self.text, &digits);
        self.text.push(')');
    }
}

fn push_float(out: &mut String, value: f64) {
    match value.is_finite() {
        true => out.push_str(&float_text(value)),
        false => out.push_str(name_of(value)),
    }
}

fn push_quoted(out: &mut String, text: &str, quote: char) {
    write_quoted(out, text, quote).expect("writing to a string cannot fail");
}

/// Writes an atom, with quotes unless it consists of letters and digits.
fn push_atom(out: &mut String, name: &str) {
    let is_plain = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric());
    match is_plain {
        true => out.push_str(name),
        false => push_quoted(out, name, '\''),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_atoms_in_columns_and_strings_in_arguments() {
        for (value, stored, argument) in [
            (SpanValue::Absent, "", "-"),
            (SpanValue::Text("GET"), "aGET", "\"GET\""),
            (SpanValue::Int(-3), "i-3", "-3"),
            (SpanValue::Digits("99999999999999999999"), "n99999999999999999999", "99999999999999999999"),
            (SpanValue::Float(1.0), "f1", "1.0"),
            (SpanValue::Float(1e21), "f1000000000000000000000", "1.0e21"),
            (SpanValue::Float(f64::NAN), "tnan", "nan"),
            (SpanValue::Float(f64::NEG_INFINITY), "t'-inf'", "'-inf'"),
            (SpanValue::Bool(true), "btrue", "true"),
            (SpanValue::Term("[1,2]"), "t[1,2]", "[1,2]"),
        ] {
            let (mut text, mut term) = (String::new(), String::new());
            value.write_stored(&mut text);
            write_argument(&text, &mut term);
            assert_eq!((text.as_str(), term.as_str()), (stored, argument));
            assert_eq!(value.is_stored_as(stored), matches!(value, SpanValue::Text(_) | SpanValue::Int(_)), "{stored}");
            assert!(!value.is_stored_as("a-3") && !value.is_stored_as("iGET"));
        }
    }

    #[test]
    fn keys_and_bytes_are_atoms() {
        let mut term = TermText::default();
        term.key("a.b");
        term.value(SpanValue::Int(-1));
        term.key("k");
        term.stored("aGET /");
        term.key("n");
        term.stored("i-1");
        assert_eq!(term.text, "'a.b'- -1k-'GET /'n- -1");
        term.key("limit");
        term.bytes(&[0xAB, 1]);
        term.bytes(&[0x0B]);
        assert_eq!(term.text, "'a.b'- -1k-'GET /'n- -1limit-bytes(ab01)bytes('0b')");
    }
}
