//! Dictionaries: every distinct text is stored once and numbered.

use std::hash::{BuildHasher, RandomState};

/// Distinct texts in one buffer, numbered from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    buffer: String,
    ends: Vec<usize>,
}

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn at(&self, code: u32) -> &str {
        let code = code as usize;
        let start = code.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.buffer[start..self.ends[code]]
    }

    fn push(&mut self, text: &str) {
        self.buffer.push_str(text);
        self.ends.push(self.buffer.len());
    }

    fn shrink(&mut self) {
        self.buffer.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    pub(super) fn bytes(&self) -> usize {
        self.buffer.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}

/// Texts that are being numbered. The hash is keyed, as they come from hostile traces.
#[derive(Clone, Debug, Default)]
pub(super) struct Interner {
    texts: Texts,
    hashes: Vec<u32>,
    /// Code + 1 by hash, 0 for a free slot; a power of two of them, at most three in four taken.
    slots: Vec<u32>,
    keys: RandomState,
}

impl Interner {
    pub(super) fn at(&self, code: u32) -> &str {
        self.texts.at(code)
    }

    /// The number of `text`, a new one if it was not there yet.
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        if self.texts.len() * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let hash = self.keys.hash_one(text) as u32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while let Some(code) = self.slots[slot].checked_sub(1) {
            if self.hashes[code as usize] == hash && self.texts.at(code) == text {
                return code;
            }
            slot = (slot + 1) & mask;
        }
        let code =
            u32::try_from(self.texts.len()).expect("there are fewer texts than events, which are counted in 32 bits");
        self.slots[slot] = code + 1;
        self.hashes.push(hash);
        self.texts.push(text);
        code
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        self.slots.clear();
        self.slots.resize(size, 0);
        for (hash, code) in self.hashes.iter().zip(1..) {
            let mut slot = *hash as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = code;
        }
    }

    pub(super) fn finish(mut self) -> Texts {
        self.texts.shrink();
        self.texts
    }
}

#[cfg(test)]
mod tests {
    use super::Interner;

    #[test]
    fn equal_texts_share_a_number_and_different_ones_do_not() {
        let mut interner = Interner::default();
        let codes: Vec<u32> = (0..2000).map(|number| interner.intern(&format!("t{}", number % 1000))).collect();
        assert_eq!(codes[..1000], codes[1000..]);
        assert_eq!(codes[..1000], (0..1000).collect::<Vec<u32>>());
        assert_eq!(interner.intern(""), 1000);
        let texts = interner.finish();
        assert_eq!((texts.at(7), texts.at(1000), texts.len()), ("t7", "", 1001));
    }
}
