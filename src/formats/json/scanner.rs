//! Pulling values out of a JSON text one by one, without recursion; the caller says what it expects next.
//!
//! ```text
//! let mut scanner = JsonScanner::new(record);
//! scanner.begin_object()?;
//! while let Some(key) = scanner.next_key()? {
//!     match &*key {
//!         "name" => name = scanner.value()?,
//!         "attributes" => {
//!             scanner.begin_array()?;
//!             while scanner.next_element()? {
//!                 attributes.push(scanner.value()?);
//!             }
//!         }
//!         _ => scanner.skip()?,
//!     }
//! }
//! scanner.end()?;
//! ```
//!
//! After each key and each element the caller takes exactly one value: by [`value`](JsonScanner::value),
//! [`skip`](JsonScanner::skip), or by entering it. Keys come in the order of the text and as often as they stand there, so
//! that a caller that assigns keeps the last one.

use std::borrow::Cow;

use thiserror::Error;

use super::masks;
use super::value::{Json, unquoted};
use crate::formats::lines::swar;

/// Where and why a text is no JSON.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("expected {expected}")]
pub(crate) struct JsonError {
    /// The offset of the byte that is not allowed; the length of the text if it ends too early.
    pub(crate) at: usize,
    /// What was expected there.
    pub(crate) expected: &'static str,
}

/// What a value is, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonKind {
    Object,
    Array,
    Text,
    /// A number, `NaN` and `Infinity` included.
    Number,
    Bool,
    Null,
}

impl JsonKind {
    /// What begins with a byte.
    #[inline(always)]
    pub(super) fn of(first: u8) -> Option<JsonKind> {
        Some(match first {
            b'"' => JsonKind::Text,
            b'{' => JsonKind::Object,
            b'[' => JsonKind::Array,
            b'-' | b'0'..=b'9' | b'N' | b'I' | b'i' => JsonKind::Number,
            b't' | b'f' => JsonKind::Bool,
            b'n' => JsonKind::Null,
            _ => return None,
        })
    }
}

/// A position in a JSON text.
#[derive(Clone, Debug)]
pub(crate) struct JsonScanner<'t> {
    text: &'t str,
    at: usize,
    /// The containers that were entered.
    depth: usize,
    /// Whether the container was entered and nothing in it was taken.
    is_first: bool,
}

impl<'t> JsonScanner<'t> {
    /// Containers that may enclose a value.
    pub(crate) const DEEPEST: usize = 128;

    /// A scanner before the first value of `text`.
    pub(crate) fn new(text: &'t str) -> JsonScanner<'t> {
        JsonScanner { text, at: 0, depth: 0, is_first: false }
    }

    /// The kind of the next value.
    #[inline]
    pub(crate) fn kind(&mut self) -> Result<JsonKind, JsonError> {
        match JsonKind::of(self.next_byte()) {
            Some(kind) => Ok(kind),
            None => self.fault("a value"),
        }
    }

    /// Enters an object.
    #[inline]
    pub(crate) fn begin_object(&mut self) -> Result<(), JsonError> {
        self.begin(b'{', "an object")
    }

    /// The next key of the object; none at its end, which is left.
    #[inline]
    pub(crate) fn next_key(&mut self) -> Result<Option<Cow<'t, str>>, JsonError> {
        if !self.next_entry(b'}', "`,` or `}`")? {
            return Ok(None);
        }
        if self.next_byte() != b'"' {
            return self.fault("a key");
        }
        let key = self.quoted()?.text();
        if self.next_byte() != b':' {
            return self.fault("`:`");
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// Takes the next key of the object if it is written like this, in quotes and with a colon behind, as in most writers'
    /// output; otherwise takes nothing.
    #[inline]
    pub(crate) fn passes_key(&mut self, written: &[u8]) -> bool {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        if !self.is_first {
            if bytes.get(at) != Some(&b',') {
                return false;
            }
            at += 1;
        }
        at += usize::from(bytes.get(at) == Some(&b' '));
        if !bytes.get(at..).is_some_and(|rest| swar::starts_with(rest, written)) {
            return false;
        }
        self.at = at + written.len();
        self.is_first = false;
        true
    }

    /// As `passes_key`, given the characters of the key, none of which is written as an escape.
    #[inline]
    pub(crate) fn passes_plain_key(&mut self, key: &str) -> bool {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        if !self.is_first {
            if bytes.get(at) != Some(&b',') {
                return false;
            }
            at += 1;
        }
        at += usize::from(bytes.get(at) == Some(&b' '));
        let Some((b'"', rest)) = bytes.get(at..).and_then(<[u8]>::split_first) else { return false };
        if !swar::starts_with(rest, key.as_bytes()) || !rest[key.len()..].starts_with(b"\":") {
            return false;
        }
        self.at = at + key.len() + 3;
        self.is_first = false;
        true
    }

    /// Enters the container that comes next, if it is one of this kind; another value is skipped.
    #[inline]
    pub(crate) fn enters(&mut self, kind: JsonKind) -> Result<bool, JsonError> {
        match self.kind()? {
            found if found != kind => self.skip().map(|()| false),
            JsonKind::Array => self.begin_array().map(|()| true),
            _ => self.begin_object().map(|()| true),
        }
    }

    /// Enters the next element of an array that is an object; others are skipped. False at the end of the array.
    #[inline]
    pub(crate) fn next_object(&mut self) -> Result<bool, JsonError> {
        while self.next_element()? {
            if self.enters(JsonKind::Object)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where the next key begins, which is there.
    pub(crate) fn key_offset(&mut self) -> usize {
        if self.next_byte() == b',' {
            self.at += 1;
            self.next_byte();
        }
        self.at
    }

    /// The offset of the first byte that was not taken.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Enters an array.
    #[inline]
    pub(crate) fn begin_array(&mut self) -> Result<(), JsonError> {
        self.begin(b'[', "an array")
    }

    /// Whether there is another element in the array; without one, the array is left.
    #[inline]
    pub(crate) fn next_element(&mut self) -> Result<bool, JsonError> {
        self.next_entry(b']', "`,` or `]`")
    }

    /// Takes a value; what is nested stays as it is written.
    #[inline]
    pub(crate) fn value(&mut self) -> Result<Json<'t>, JsonError> {
        let first = self.next_byte();
        let from = self.at;
        Ok(match first {
            b'"' => Json::Text(self.quoted()?.text()),
            b'-' | b'0'..=b'9' | b'N' | b'I' => {
                let is_integer = self.number()?;
                let text = &self.text[from..self.at];
                if is_integer { Json::Integer(text) } else { Json::Decimal(text) }
            }
            b'{' | b'[' => {
                self.skip_nested()?;
                Json::Nested(&self.text[from..self.at])
            }
            b't' => self.word("true").map(|()| Json::Bool(true))?,
            b'f' => self.word("false").map(|()| Json::Bool(false))?,
            b'n' | b'i' => self.lower_word()?,
            _ => return self.fault("a value"),
        })
    }

    /// Takes a value as it is written.
    #[inline]
    pub(crate) fn raw(&mut self) -> Result<&'t str, JsonError> {
        self.kind()?;
        let from = self.at;
        self.skip()?;
        Ok(&self.text[from..self.at])
    }

    /// Skips a value, whatever is in it.
    #[inline]
    pub(crate) fn skip(&mut self) -> Result<(), JsonError> {
        match self.next_byte() {
            b'"' => self.quoted().map(|_| ()),
            b'-' | b'0'..=b'9' | b'N' | b'I' => self.number().map(|_| ()),
            b'{' | b'[' => self.skip_nested(),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' | b'i' => self.lower_word().map(|_| ()),
            _ => self.fault("a value"),
        }
    }

    /// Checks that nothing but white space follows.
    pub(crate) fn end(&mut self) -> Result<(), JsonError> {
        self.next_byte();
        if self.at < self.text.len() { self.fault("nothing more") } else { Ok(()) }
    }

    /// Skips a container, with the kinds of those that are open in it as bits, that of the innermost one in the lowest.
    fn skip_nested(&mut self) -> Result<(), JsonError> {
        let (mut objects, mut n_open) = (0u128, 0usize);
        loop {
            match self.next_byte() {
                b'{' => {
                    self.begin_object()?;
                    (objects, n_open) = (objects << 1 | 1, n_open + 1);
                }
                b'[' => {
                    self.begin_array()?;
                    (objects, n_open) = (objects << 1, n_open + 1);
                }
                _ => self.skip()?,
            }
            while !self.goes_on(objects & 1 == 1)? {
                (objects, n_open) = (objects >> 1, n_open - 1);
                if n_open == 0 {
                    return Ok(());
                }
            }
        }
    }

    /// Whether another value follows in the container; an object's key is skipped.
    #[inline]
    fn goes_on(&mut self, is_object: bool) -> Result<bool, JsonError> {
        if is_object { Ok(self.next_key()?.is_some()) } else { self.next_element() }
    }

    #[inline]
    fn begin(&mut self, bracket: u8, expected: &'static str) -> Result<(), JsonError> {
        if self.next_byte() != bracket {
            return self.fault(expected);
        }
        if self.depth == JsonScanner::DEEPEST {
            return self.fault("at most 128 values around a value");
        }
        self.at += 1;
        self.depth += 1;
        self.is_first = true;
        Ok(())
    }

    /// Whether another entry follows in the container, after a comma unless it is the first; without one, it is left.
    #[inline]
    fn next_entry(&mut self, close: u8, expected: &'static str) -> Result<bool, JsonError> {
        let byte = self.next_byte();
        if byte == close {
            self.at += 1;
            self.depth = self.depth.saturating_sub(1);
            self.is_first = false;
            return Ok(false);
        }
        if std::mem::take(&mut self.is_first) {
            return Ok(true);
        }
        if byte != b',' {
            return self.fault(expected);
        }
        self.at += 1;
        if self.next_byte() == close { self.fault("another entry") } else { Ok(true) }
    }

    /// The next byte that is not white space; 0 at the end.
    #[inline(always)]
    fn next_byte(&mut self) -> u8 {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                Some(byte) => return *byte,
                None => return 0,
            }
        }
    }

    /// What stands in the quotes, of which the first is the next byte.
    #[inline]
    fn quoted(&mut self) -> Result<Quoted<'t>, JsonError> {
        let from = self.at;
        self.at = masks::plain_end(self.text.as_bytes(), from + 1);
        if self.text.as_bytes().get(self.at) != Some(&b'"') {
            return self.quoted_with_escapes(from);
        }
        self.at += 1;
        Ok(Quoted { written: &self.text[from..self.at], has_escapes: false })
    }

    /// As `quoted`, from the first byte on that is not plain; the quotes begin at `from`.
    #[inline(never)]
    fn quoted_with_escapes(&mut self, from: usize) -> Result<Quoted<'t>, JsonError> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Quoted { written: &self.text[from..self.at], has_escapes: true });
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return self.fault("an escape in place of a control character"),
                None => return self.fault("the end of a text"),
            }
            self.at = masks::plain_end(bytes, self.at);
        }
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        let bytes = self.text.as_bytes();
        match bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u')
                if bytes.get(self.at + 2..self.at + 6).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) =>
            {
                self.at += 6;
            }
            _ => return self.fault("an escape"),
        }
        Ok(())
    }

    /// Skips a number; returns whether it is an integer.
    fn number(&mut self) -> Result<bool, JsonError> {
        let bytes = self.text.as_bytes();
        let mut is_integer = true;
        self.at += usize::from(bytes.get(self.at) == Some(&b'-'));
        match bytes.get(self.at) {
            Some(b'I') => return self.word("Infinity").map(|()| false),
            Some(b'N') => return self.word("NaN").map(|()| false),
            Some(b'i') => return self.word("inf").map(|()| false),
            Some(b'n') => return self.word("nan").map(|()| false),
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if bytes.get(self.at) == Some(&b'.') {
            is_integer = false;
            self.at += 1;
            self.digits()?;
        }
        if matches!(bytes.get(self.at), Some(b'e' | b'E')) {
            is_integer = false;
            self.at += 1;
            self.at += usize::from(matches!(bytes.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(is_integer)
    }

    /// `null`, or a number as C writes it that is none of JSON.
    fn lower_word(&mut self) -> Result<Json<'t>, JsonError> {
        let from = self.at;
        if self.text[from..].starts_with("nu") {
            return self.word("null").map(|()| Json::Null);
        }
        self.number()?;
        Ok(Json::Decimal(&self.text[from..self.at]))
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let (from, bytes) = (self.at, self.text.as_bytes());
        while let Some(word) = swar::load(bytes, self.at) {
            let length = swar::n_digits(word ^ swar::each(b'0'));
            self.at += length;
            if length < 8 {
                return if self.at == from { self.fault("a digit") } else { Ok(()) };
            }
        }
        while bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == from { self.fault("a digit") } else { Ok(()) }
    }

    fn word(&mut self, word: &'static str) -> Result<(), JsonError> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return self.fault("a value");
        }
        self.at += word.len();
        Ok(())
    }

    #[cold]
    fn fault<T>(&self, expected: &'static str) -> Result<T, JsonError> {
        Err(JsonError { at: self.at, expected })
    }
}

/// A text in its quotes.
#[derive(Clone, Copy)]
struct Quoted<'t> {
    written: &'t str,
    has_escapes: bool,
}

impl<'t> Quoted<'t> {
    #[inline]
    fn text(self) -> Cow<'t, str> {
        if self.has_escapes { unquoted(self.written) } else { Cow::Borrowed(self.inner()) }
    }

    /// What stands between the quotes.
    #[inline]
    fn inner(self) -> &'t str {
        &self.written[1..self.written.len() - 1]
    }
}

#[cfg(test)]
mod tests;
