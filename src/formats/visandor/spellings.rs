//! Hexadecimal numbers as they are written, by their numbers as values of an attribute.

use crate::formats::lines::hex::Hex;
use crate::trace::ValueId;

/// The spellings so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueSpellings {
    text: String,
    ends: Vec<usize>,
}

impl ValueSpellings {
    /// Notes the spelling of a value, if it is a new one: these are numbered from 0.
    pub(crate) fn note(&mut self, hex: Hex<'_>, value: ValueId) -> ValueId {
        if value.index() == self.ends.len() {
            self.text.push_str(hex.written());
            self.ends.push(self.text.len());
        }
        value
    }

    /// How a value is written.
    pub(crate) fn of(&self, value: ValueId) -> &str {
        let start = value.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[value.index()]]
    }

    /// Bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}
