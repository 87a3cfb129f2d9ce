//! The hexadecimal numbers of a chunk as they are written: each spelling has a number, so that it is looked at once.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use super::fast::HexKey;
use crate::formats::lines::hex::Hex;
use crate::term::hash::RandomState;

/// Keys that were found last, by a part of their hash: as many as stay in the nearest memory.
const N_LAST: usize = 512;

/// A spelling.
#[derive(Clone, Copy, Debug)]
struct HexSpelling {
    value: u64,
    /// Where it ends in the common text.
    end: usize,
}

/// The spellings so far, numbered from 0.
#[derive(Default)]
pub(crate) struct HexSpellings {
    text: Vec<u8>,
    words: Vec<HexSpelling>,
    /// Keyed, as the numbers come from hostile traces.
    numbers: HashTable<u32>,
    hasher: RandomState,
    /// Keys and their numbers + 1.
    last: Vec<(HexKey, u32)>,
}

impl HexSpellings {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.words.clear();
        self.numbers.clear();
        self.last.clear();
        self.last.resize(N_LAST, (HexKey::default(), 0));
    }

    /// The number of a spelling that was added.
    #[inline(always)]
    pub(crate) fn find(&mut self, key: HexKey) -> Option<u32> {
        let place = place(key);
        match self.last.get(place) {
            Some((last, number)) if *last == key && *number > 0 => Some(number - 1),
            _ => self.look_up(key),
        }
    }

    #[inline(never)]
    fn look_up(&mut self, key: HexKey) -> Option<u32> {
        let bytes: [u8; 16] =
            std::array::from_fn(
                |index| if index < 8 { key.0.to_le_bytes()[index] } else { key.1.to_le_bytes()[index - 8] },
            );
        let number = self.known(&bytes[..usize::from(bytes[15])])?;
        self.last[place(key)] = (key, number + 1);
        Some(number)
    }

    fn known(&self, digits: &[u8]) -> Option<u32> {
        self.numbers.find(self.hasher.hash_one(digits), |number| self.digits(*number) == digits).copied()
    }

    /// The number of a spelling.
    pub(crate) fn number(&mut self, hex: Hex<'_>) -> u32 {
        if let Some(number) = self.known(hex.digits) {
            return number;
        }
        let number = self.words.len() as u32;
        self.text.extend_from_slice(hex.digits);
        self.words.push(HexSpelling { value: hex.value, end: self.text.len() });
        let (text, words) = (&self.text, &self.words);
        let hash = |number: &u32| self.hasher.hash_one(digits(text, words, *number));
        self.numbers.insert_unique(hash(&number), number, hash);
        number
    }

    /// All of them, in the order of their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = Hex<'_>> {
        (0..).zip(&self.words).map(|(number, word)| Hex { value: word.value, digits: self.digits(number) })
    }

    fn digits(&self, number: u32) -> &[u8] {
        digits(&self.text, &self.words, number)
    }
}

fn digits<'t>(text: &'t [u8], words: &[HexSpelling], number: u32) -> &'t [u8] {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| words[before].end);
    &text[start..words[number].end]
}

fn place(HexKey(first, rest): HexKey) -> usize {
    let mixed = (first ^ rest.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (64 - N_LAST.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spelling_keeps_its_number_among_many_others() {
        let mut words = HexSpellings::default();
        for _ in 0..2 {
            words.clear();
            let spelled: Vec<String> = (0..3000_u64).map(|number| format!("{:x}", number * number * number)).collect();
            for digits in &spelled {
                let key = HexKey::of(digits.as_bytes()).expect("it is short");
                let before = words.find(key);
                let number = words.number(Hex::of(digits.as_bytes()).expect("it is a number"));
                assert!(before.is_none_or(|before| before == number));
                assert_eq!(words.find(key), Some(number), "{digits}");
            }
            for (number, digits) in spelled.iter().enumerate() {
                assert_eq!(words.find(HexKey::of(digits.as_bytes()).expect("it is short")), Some(number as u32));
            }
            assert!(words.all().map(Hex::written).eq(spelled.iter().map(String::as_str)));
        }
    }

    #[test]
    fn spellings_of_one_number_are_different() {
        let mut words = HexSpellings::default();
        words.clear();
        let numbers = ["af", "AF", "aF", "0aF", "00000000000000000000af", "af"]
            .map(|digits| words.number(Hex::of(digits.as_bytes()).expect("it is a number")));
        assert_eq!(numbers, [0, 1, 2, 3, 4, 0]);
        assert_eq!(words.find(HexKey(u64::from_le_bytes(*b"af\0\0\0\0\0\0"), 3 << 56)), None);
    }
}
