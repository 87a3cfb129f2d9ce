//! The values of the fields of events, packed by chunk until a lazy column needs them.

use crate::formats::lines::packed;

/// The values of the events of a chunk: of each value its length and its text.
#[derive(Debug, Default)]
pub(crate) struct ChunkValues {
    bytes: Vec<u8>,
    /// The same, packed.
    packed: Vec<u8>,
}

impl ChunkValues {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// The bytes so far, for [`ChunkValues::truncate`].
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets the values that were added after there were so many bytes.
    pub(crate) fn truncate(&mut self, n_bytes: usize) {
        self.bytes.truncate(n_bytes);
    }

    /// Adds a value.
    #[inline]
    pub(crate) fn push(&mut self, value: &[u8]) {
        match u8::try_from(value.len()) {
            Ok(small) if small < u8::MAX => self.bytes.push(small),
            _ => {
                self.bytes.push(u8::MAX);
                // less than a chunk, which is less than 4 GiB long
                self.bytes.extend_from_slice(&(value.len() as u32).to_le_bytes());
            }
        }
        self.bytes.extend_from_slice(value);
    }

    /// Packs what was added.
    pub(crate) fn pack(&mut self) {
        packed::pack(&self.bytes, &mut self.packed);
    }

    /// The values, to be kept.
    pub(crate) fn packed(&self) -> PackedValues {
        PackedValues { n_bytes: self.bytes.len(), packed: self.packed.as_slice().into() }
    }
}

/// The packed values of a chunk.
#[derive(Debug)]
pub(crate) struct PackedValues {
    n_bytes: usize,
    packed: Box<[u8]>,
}

impl PackedValues {
    /// Bytes of memory in use.
    pub(crate) fn n_bytes(&self) -> usize {
        self.packed.len()
    }

    /// All values, one after the other; `bytes` is memory to reuse.
    pub(crate) fn unpack<'b>(&self, bytes: &'b mut Vec<u8>) -> ValueTexts<'b> {
        packed::unpack(&self.packed, self.n_bytes, bytes);
        ValueTexts(bytes)
    }
}

/// The texts of values that are left.
#[derive(Debug)]
pub(crate) struct ValueTexts<'b>(&'b [u8]);

impl<'b> ValueTexts<'b> {
    /// The text of the next value.
    pub(crate) fn take(&mut self) -> &'b str {
        let length = match self.bytes(1).first() {
            Some(&u8::MAX) => u32::from_le_bytes(self.bytes(4).first_chunk().copied().unwrap_or_default()) as usize,
            small => small.copied().unwrap_or_default().into(),
        };
        std::str::from_utf8(self.bytes(length)).unwrap_or_default()
    }

    fn bytes(&mut self, length: usize) -> &'b [u8] {
        let (bytes, rest) = self.0.split_at_checked(length).unwrap_or_default();
        self.0 = rest;
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_whatever_their_length() {
        let long = "x".repeat(70_000);
        let texts = ["", "1", &long[..254], &long[..255], &long, "é"];
        let mut values = ChunkValues::default();
        for _ in 0..2 {
            values.clear();
            texts.iter().for_each(|text| values.push(text.as_bytes()));
            let before = values.len();
            values.push(b"not kept");
            values.truncate(before);
            values.pack();
            let (packed, mut bytes) = (values.packed(), vec![7; 9]);
            let mut back = packed.unpack(&mut bytes);
            assert_eq!(texts.map(|_| back.take()), texts);
            assert_eq!(back.take(), "");
        }
    }
}
