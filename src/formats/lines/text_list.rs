//! Many texts in one buffer, numbered from 0.

/// Texts, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextList {
    bytes: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl TextList {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text with a number.
    #[inline]
    pub(crate) fn at(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[number]]
    }

    /// The same, if it is text.
    pub(crate) fn text(&self, number: u32) -> &str {
        std::str::from_utf8(self.at(number)).unwrap_or_default()
    }

    /// Adds a text; returns its number.
    #[inline]
    pub(crate) fn push(&mut self, text: &[u8]) -> u32 {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        self.ends.len() as u32 - 1
    }

    /// Adds all texts of another list.
    pub(crate) fn append(&mut self, others: &TextList) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&others.bytes);
        self.ends.extend(others.ends.iter().map(|end| start + end));
    }

    /// Removes all texts.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}
