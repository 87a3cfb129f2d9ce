//! A position in a text, and the tokens there: names, quoted texts and numbers.

use super::operations::{MatchVerdict, WalkResult};
use super::stack::Stack;

/// A position in a text, with the brackets around it.
pub(super) struct TextWalker<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) frames: Stack<Enclosure, 32>,
    pub(super) is_unsure: bool,
}

/// What a subterm is part of.
#[derive(Clone, Copy)]
pub(super) enum Enclosure {
    /// A compound, with the number of arguments that follow this one.
    Arguments(u32),
    /// A list, whose rest is the next operation.
    Elements,
    /// A list, after its bar.
    Tail,
}

impl<'t> TextWalker<'t> {
    pub(super) fn new(text: &'t str) -> TextWalker<'t> {
        TextWalker { text, at: 0, frames: Stack::new(Enclosure::Tail), is_unsure: false }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn skip_spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }

    /// Whether a part may end at an index.
    pub(super) fn ends_at(&self, at: usize) -> bool {
        self.text.as_bytes().get(at).is_none_or(|byte| matches!(byte, b',' | b')' | b']' | b'|' | b' '))
    }

    /// An atom or the name of a compound, in quotes or not.
    pub(super) fn name(&mut self) -> WalkResult<&'t str> {
        match self.peek() {
            Some(b'\'') => self.quoted(b'\''),
            _ => self.word(),
        }
    }

    /// Letters, digits and underscores; with a letter beyond ASCII, the verdict is unknown.
    pub(super) fn word(&mut self) -> WalkResult<&'t str> {
        let text = self.text;
        let rest = &text.as_bytes()[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        if rest.get(length).is_some_and(|byte| *byte >= 0x80) {
            return Err(MatchVerdict::Unknown);
        }
        let word = &text[self.at..self.at + length];
        self.at += length;
        Ok(word)
    }

    /// The text between quotes; with an escape in it, the verdict is unknown.
    pub(super) fn quoted(&mut self, quote: u8) -> WalkResult<&'t str> {
        let text = self.text;
        let inner = &text[self.at + 1..];
        let bytes = inner.as_bytes();
        let length = memchr::memchr3(quote, b'\\', b'\n', bytes).ok_or(MatchVerdict::Unknown)?;
        if bytes[length] != quote || bytes.get(length + 1) == Some(&quote) {
            return Err(MatchVerdict::Unknown);
        }
        self.at += length + 2;
        Ok(&inner[..length])
    }

    /// The text of a number in any spelling without a quote, or of the code of a letter or digit (`0'a`).
    pub(super) fn number(&mut self) -> WalkResult<&'t str> {
        let text = self.text;
        let bytes = &text.as_bytes()[self.at..];
        let sign = usize::from(bytes.first() == Some(&b'-'));
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
        let length = match bytes[sign..] {
            [b'0', b'\'', code, ..] if code.is_ascii_alphanumeric() => sign + 3,
            _ => sign + bytes[sign..].iter().take_while(|byte| is_part(byte)).count(),
        };
        if !self.ends_at(self.at + length) {
            return Err(MatchVerdict::Unknown);
        }
        let number = &text[self.at..self.at + length];
        self.at += length;
        Ok(number)
    }
}
