//! Codes for byte strings that repeat, such as names of procedures.

use crate::term::hash::RandomState;
use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;

/// Different byte strings with their codes, which count from 0.
pub(crate) struct BytesInterner {
    entries: Vec<InternedEntry>,
    codes: HashTable<u32>,
    /// Keyed, as the texts come from hostile traces.
    hash: RandomState,
    /// Short strings that were found last.
    short: Vec<ShortEntry>,
}

struct InternedEntry {
    bytes: Box<[u8]>,
    number: i64,
}

/// A byte string of at most 15 bytes packed into a number, with its length in the highest byte; no string has length 255.
#[derive(Clone, Copy)]
struct ShortEntry {
    packed: u128,
    number: i64,
    code: u32,
}

/// Slots for short strings.
const N_SHORT: usize = 1 << 8;

impl Default for BytesInterner {
    fn default() -> BytesInterner {
        let short = vec![ShortEntry { packed: u128::MAX, number: 0, code: 0 }; N_SHORT];
        BytesInterner { entries: Vec::new(), codes: HashTable::new(), hash: RandomState::default(), short }
    }
}

impl BytesInterner {
    /// The number of strings.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The string with that code, and the number that was added with it.
    pub(crate) fn entry(&self, code: u32) -> (&[u8], i64) {
        let entry = &self.entries[code as usize];
        (&entry.bytes, entry.number)
    }

    /// The code of a part of a text that was added with this number.
    #[inline]
    pub(crate) fn find(&mut self, text: &[u8], part: Range<usize>, number: i64) -> Option<u32> {
        let Some(packed) = pack(text, part.clone()) else { return self.find_any(&text[part], number) };
        let mixed = ((packed as u64) ^ (packed >> 64) as u64 ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (mixed >> 56) as usize;
        let short = self.short[place];
        if short.packed == packed && short.number == number {
            return Some(short.code);
        }
        let code = self.find_any(&text[part], number)?;
        self.short[place] = ShortEntry { packed, number, code };
        Some(code)
    }

    #[inline(never)]
    fn find_any(&self, bytes: &[u8], number: i64) -> Option<u32> {
        let is_same = |code: &u32| {
            let entry = &self.entries[*code as usize];
            entry.number == number && *entry.bytes == *bytes
        };
        self.codes.find(self.hash.hash_one((bytes, number)), is_same).copied()
    }

    /// Adds a string that was not found.
    #[cold]
    pub(crate) fn add(&mut self, bytes: &[u8], number: i64) -> u32 {
        let code = self.entries.len() as u32;
        self.entries.push(InternedEntry { bytes: bytes.into(), number });
        let (entries, hash) = (&self.entries, &self.hash);
        let rehash = |code: &u32| {
            let entry = &entries[*code as usize];
            hash.hash_one((&*entry.bytes, entry.number))
        };
        self.codes.insert_unique(hash.hash_one((bytes, number)), code, rehash);
        code
    }
}

/// A short part of a text packed into a number that no other part has, if enough text follows to load it at once.
#[inline]
fn pack(text: &[u8], part: Range<usize>) -> Option<u128> {
    let length = part.end - part.start;
    if length > 15 {
        return None;
    }
    let bytes = text.get(part.start..part.start + 16)?;
    let whole = u128::from_le_bytes(bytes.try_into().ok()?);
    Some(whole & ((1 << (8 * length)) - 1) | (length as u128) << 120)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_that_end_alike_have_different_codes() {
        let text = b"abcdefghijklmno a ab abcdefghijklmnop\0\0                ";
        let parts = [0..0, 0..1, 0..2, 0..15, 16..17, 18..20, 21..37, 21..36, 37..38, 37..39];
        let mut interner = BytesInterner::default();
        let mut codes = Vec::new();
        for _ in 0..3 {
            for part in parts.clone() {
                for number in [0, 1] {
                    let found = interner.find(text, part.clone(), number);
                    codes.push(found.unwrap_or_else(|| interner.add(&text[part.clone()], number)));
                }
            }
        }
        let expected: Vec<(&[u8], i64)> =
            parts.iter().flat_map(|part| [0, 1].map(|number| (&text[part.clone()], number))).collect();
        for (index, code) in codes.iter().enumerate() {
            assert_eq!(interner.entry(*code), expected[index % expected.len()]);
        }
    }
}
