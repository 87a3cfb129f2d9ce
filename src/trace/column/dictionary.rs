//! Dictionaries: every distinct text is stored once and numbered.

use crate::term::hash::RandomState;
use std::hash::BuildHasher;

/// Distinct texts in one buffer, numbered from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    buffer: String,
    ends: Vec<usize>,
}

impl Texts {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    pub(crate) fn at(&self, code: u32) -> &str {
        let code = code as usize;
        let start = code.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.buffer[start..self.ends[code]]
    }

    /// Adds a text; returns its number.
    pub(crate) fn push(&mut self, text: &str) -> u32 {
        let code = u32::try_from(self.ends.len()).ok().filter(|code| *code < u32::MAX);
        self.buffer.push_str(text);
        self.ends.push(self.buffer.len());
        code.expect("there are fewer texts than events, which are counted in 32 bits")
    }

    /// The same texts, each with a letter in front.
    pub(crate) fn with_prefix(&self, letter: char) -> Texts {
        let mut texts = Texts { buffer: String::with_capacity(self.buffer.len() + self.len()), ends: Vec::new() };
        texts.ends.reserve_exact(self.len());
        for code in 0..self.len() as u32 {
            texts.buffer.push(letter);
            texts.push(self.at(code));
        }
        texts
    }

    fn shrink(&mut self) {
        self.buffer.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.buffer.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}

/// Builder of a dictionary. The hash has a random key, because the texts come from hostile traces.
#[derive(Clone, Debug, Default)]
pub(crate) struct DictionaryBuilder {
    texts: Texts,
    /// Upper half of the hash and code + 1, indexed by the lower half of the hash; 0 for a free slot. The number of
    /// slots is a power of two, and at most three in four are taken.
    slots: Vec<u64>,
    n_taken: usize,
    keys: RandomState,
}

/// How many texts are looked up together, so that the cache misses of their slots and texts overlap.
const TOGETHER: usize = 32;

impl DictionaryBuilder {
    /// The number of texts.
    pub(crate) fn len(&self) -> u32 {
        self.texts.len() as u32
    }

    /// The size of the texts in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.bytes() + self.slots.capacity() * size_of::<u64>()
    }

    /// Gives back the memory that only looking texts up needs; a text that is added afterwards gets a new number.
    pub(crate) fn forget_slots(&mut self) {
        (self.slots, self.n_taken) = (Vec::new(), 0);
        self.texts.shrink();
    }

    /// The text with a number.
    pub(crate) fn at(&self, code: u32) -> &str {
        self.texts.at(code)
    }

    /// The number of `text`; a new text gets the next number.
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        let hash = self.keys.hash_one(text);
        self.intern_hashed(text, hash)
    }

    /// The number of a new text that is not looked up again.
    pub(crate) fn add(&mut self, text: &str) -> u32 {
        self.texts.push(text)
    }

    /// Adds the numbers of texts to `codes`.
    pub(crate) fn intern_all(&mut self, texts: &[&str], codes: &mut Vec<u32>) {
        for texts in texts.chunks(TOGETHER) {
            let (mut hashes, mut slots) = ([0; TOGETHER], [0; TOGETHER]);
            for (hash, text) in hashes.iter_mut().zip(texts) {
                *hash = self.keys.hash_one(text);
            }
            if !self.slots.is_empty() {
                slots.iter_mut().zip(hashes).for_each(|(slot, hash)| *slot = self.slots[self.place(hash)]);
            }
            let mut known = [None; TOGETHER];
            for (index, text) in texts.iter().enumerate() {
                known[index] = code_in(slots[index], hashes[index]).filter(|code| self.texts.at(*code) == *text);
            }
            for (index, text) in texts.iter().enumerate() {
                codes.push(known[index].unwrap_or_else(|| self.intern_hashed(text, hashes[index])));
            }
        }
    }

    fn intern_hashed(&mut self, text: &str, hash: u64) -> u32 {
        if self.n_taken * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let mut place = self.place(hash);
        while self.slots[place] != 0 {
            if let Some(code) = code_in(self.slots[place], hash).filter(|code| self.texts.at(*code) == text) {
                return code;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        let code = self.texts.push(text);
        self.slots[place] = hash >> 32 << 32 | u64::from(code + 1);
        self.n_taken += 1;
        code
    }

    /// The first slot to look at for a hash.
    fn place(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    /// Doubles the number of slots.
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            let mut place = self.place(slot);
            while self.slots[place] != 0 {
                place = (place + 1) & (size - 1);
            }
            self.slots[place] = slot;
        }
    }

    pub(crate) fn finish(mut self) -> Texts {
        self.texts.shrink();
        self.texts
    }
}

/// The code in a slot if the hash may be that of its text.
fn code_in(slot: u64, hash: u64) -> Option<u32> {
    (slot as u32).checked_sub(1).filter(|_| slot >> 32 == hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::DictionaryBuilder;

    #[test]
    fn only_equal_texts_share_a_number() {
        let mut interner = DictionaryBuilder::default();
        let codes: Vec<u32> = (0..2000).map(|number| interner.intern(&format!("t{}", number % 1000))).collect();
        assert_eq!(codes[..1000], codes[1000..]);
        assert_eq!(codes[..1000], (0..1000).collect::<Vec<u32>>());
        assert_eq!(interner.intern(""), 1000);
        let texts = interner.finish();
        assert_eq!((texts.at(7), texts.at(1000), texts.len()), ("t7", "", 1001));
    }
    #[test]
    fn interning_in_batches_gives_the_same_numbers() {
        let texts: Vec<String> = (0..3000).map(|number| format!("t{}", number * 7 % 1000 + number / 2000)).collect();
        let (mut single, mut together) = (DictionaryBuilder::default(), DictionaryBuilder::default());
        let expected: Vec<u32> = texts.iter().map(|text| single.intern(text)).collect();
        let mut codes = Vec::new();
        together.intern_all(&texts.iter().map(String::as_str).collect::<Vec<_>>(), &mut codes);
        assert_eq!(codes, expected);
        assert_eq!(together.finish().len(), single.finish().len());
    }
}
