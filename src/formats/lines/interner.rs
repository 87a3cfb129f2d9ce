//! Numbers for texts that repeat, such as names of procedures.

use crate::term::hash::RandomState;
use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;

use super::swar::{before_byte, first_bytes, load};
use super::text_list::TextList;

/// A text of at most 15 bytes: the first eight as a number, whose lowest byte is the first one, and the others with the
/// length in the highest byte. Zeros follow the last byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShortText(u64, u64);

impl ShortText {
    /// What no text is.
    const NONE: ShortText = ShortText(u64::MAX, u64::MAX);

    /// A part of a text, if it is short.
    #[inline]
    fn of_part(text: &[u8], part: Range<usize>) -> Option<ShortText> {
        let length = part.end - part.start;
        let (low, high) = match (load(text, part.start), load(text, part.start + 8)) {
            (Some(low), Some(high)) => (low, high),
            _ if length < 16 => ShortText::last_words(&text[part]),
            _ => return None,
        };
        match length {
            0..8 => Some(ShortText(first_bytes(low, length, 0), (length as u64) << 56)),
            8..16 => Some(ShortText::long(low, high, length - 8)),
            _ => None,
        }
    }

    /// Less than sixteen bytes, followed by zeros.
    fn last_words(part: &[u8]) -> (u64, u64) {
        let mut words = [[0; 8]; 2];
        words.as_flattened_mut()[..part.len()].copy_from_slice(part);
        (u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1]))
    }

    /// The bytes at a position before a mark, one at least, and where they end.
    #[inline(always)]
    pub(crate) fn before(mark: u8, text: &[u8], at: usize) -> Option<(ShortText, usize)> {
        let low = load(text, at)?;
        match before_byte(low, mark) {
            0 => None,
            8 => {
                let high = load(text, at + 8)?;
                let more = before_byte(high, mark);
                (more < 8).then(|| (ShortText::long(low, high, more), at + 8 + more))
            }
            length => Some((ShortText(first_bytes(low, length, 0), (length as u64) << 56), at + length)),
        }
    }

    /// Eight bytes and fewer than eight more.
    #[inline(always)]
    fn long(low: u64, high: u64, more: usize) -> ShortText {
        ShortText(low, first_bytes(high, more, 0) | (8 + more as u64) << 56)
    }

    /// Where it is looked for among the recent ones.
    #[inline(always)]
    fn place(self, tag: i64) -> usize {
        let mixed = (self.0 ^ self.1.rotate_left(29) ^ tag as u64).wrapping_mul(MIXER);
        (mixed >> (64 - N_RECENT.trailing_zeros())) as usize
    }
}

const MIXER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Different texts, each with a tag that distinguishes it from the same text with another one, numbered from 0.
pub(crate) struct BytesInterner {
    texts: TextList,
    tags: Vec<i64>,
    numbers: HashTable<u32>,
    /// Keyed, as the texts come from hostile traces.
    hash: RandomState,
    /// Short texts that were found last.
    recent: Box<[RecentText; N_RECENT]>,
}

#[derive(Clone, Copy)]
struct RecentText {
    text: ShortText,
    tag: i64,
    number: u32,
}

/// As many recent texts as stay in the nearest memory.
const N_RECENT: usize = 1 << 9;

const NO_TEXT: RecentText = RecentText { text: ShortText::NONE, tag: 0, number: 0 };

impl Default for BytesInterner {
    fn default() -> BytesInterner {
        BytesInterner {
            texts: TextList::default(),
            tags: Vec::new(),
            numbers: HashTable::new(),
            hash: RandomState::default(),
            recent: Box::new([NO_TEXT; N_RECENT]),
        }
    }
}

impl BytesInterner {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The text with that number, and its tag.
    pub(crate) fn entry(&self, number: u32) -> (&[u8], i64) {
        (self.texts.at(number), self.tags[number as usize])
    }

    /// The text with that number, if it is text.
    pub(crate) fn text(&self, number: u32) -> &str {
        self.texts.text(number)
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.texts.clear();
        self.tags.clear();
        self.numbers.clear();
        self.recent.fill(NO_TEXT);
    }

    /// The number of a part of a text that was added with this tag.
    #[inline]
    pub(crate) fn find(&mut self, text: &[u8], part: Range<usize>, tag: i64) -> Option<u32> {
        match ShortText::of_part(text, part.clone()) {
            Some(short) => self.find_short(short, tag),
            None => self.find_any(&text[part], tag),
        }
    }

    /// The number of a short text that was added with this tag.
    #[inline(always)]
    pub(crate) fn find_short(&mut self, text: ShortText, tag: i64) -> Option<u32> {
        let recent = self.recent[text.place(tag)];
        match recent.text == text && recent.tag == tag {
            true => Some(recent.number),
            false => self.look_up(text, tag),
        }
    }

    #[inline(never)]
    fn look_up(&mut self, text: ShortText, tag: i64) -> Option<u32> {
        let bytes = [text.0.to_le_bytes(), text.1.to_le_bytes()];
        let length = usize::from(bytes[1][7]);
        let number = self.find_any(&bytes.as_flattened()[..length], tag)?;
        self.recent[text.place(tag)] = RecentText { text, tag, number };
        Some(number)
    }

    /// The number of a text that was added with this tag.
    #[inline(never)]
    pub(crate) fn find_any(&self, text: &[u8], tag: i64) -> Option<u32> {
        let is_same = |number: &u32| self.entry(*number) == (text, tag);
        self.numbers.find(self.hash.hash_one((text, tag)), is_same).copied()
    }

    /// The number of a text with this tag, which is added if it is new.
    pub(crate) fn number(&mut self, text: &[u8], tag: i64) -> u32 {
        self.find(text, 0..text.len(), tag).unwrap_or_else(|| self.add(text, tag))
    }

    /// Adds a text that was not found.
    #[cold]
    pub(crate) fn add(&mut self, text: &[u8], tag: i64) -> u32 {
        let number = self.texts.push(text);
        self.tags.push(tag);
        let (texts, tags, hash) = (&self.texts, &self.tags, &self.hash);
        let rehash = |number: &u32| hash.hash_one((texts.at(*number), tags[*number as usize]));
        self.numbers.insert_unique(rehash(&number), number, rehash);
        number
    }
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
        for is_alone in [false, true, false] {
            for part in parts.clone() {
                for number in [0, 1] {
                    let alone = &text[part.clone()];
                    let found = match is_alone {
                        true => interner.find(alone, 0..alone.len(), number),
                        false => interner.find(text, part.clone(), number),
                    };
                    codes.push(found.unwrap_or_else(|| interner.add(alone, number)));
                }
            }
        }
        let expected: Vec<(&[u8], i64)> =
            parts.iter().flat_map(|part| [0, 1].map(|number| (&text[part.clone()], number))).collect();
        for (index, code) in codes.iter().enumerate() {
            assert_eq!(interner.entry(*code), expected[index % expected.len()]);
        }
    }

    #[test]
    fn a_text_before_a_mark_is_not_taken_for_a_longer_one() {
        let mut interner = BytesInterner::default();
        interner.add(b"ab", 0);
        let mut find = |mark: u8, text: &str, at: usize| {
            let (short, end) = ShortText::before(mark, text.as_bytes(), at)?;
            Some((interner.find_short(short, 0)?, end))
        };
        for text in ["ab\0,..............", "abc,..............", "a,b..............", "ab ..............,", "ab,"] {
            assert_eq!(find(b',', text, 0), None, "{text:?}");
        }
        assert_eq!(find(b',', ",ab,.............", 0), None);
        assert_eq!(find(b',', "xab,..............", 1), Some((0, 3)));
        assert_eq!(find(b'>', "ab>>>>>>>>>>>>>>>>", 0), Some((0, 2)));
    }

    #[test]
    fn a_text_keeps_its_number_among_many_others() {
        let mut interner = BytesInterner::default();
        for _ in 0..2 {
            interner.clear();
            let texts: Vec<String> = (0..3000_u64).map(|number| format!("<{}>", number * number * number)).collect();
            for (number, text) in (0..).zip(&texts) {
                assert_eq!(interner.find(text.as_bytes(), 0..text.len(), 0), None);
                assert_eq!(interner.add(text.as_bytes(), 0), number);
            }
            for (number, text) in (0..).zip(&texts) {
                let line = format!("{text},and what follows");
                let (short, end) = ShortText::before(b',', line.as_bytes(), 0).expect("it is short");
                assert_eq!((interner.find_short(short, 0), end), (Some(number), text.len()));
            }
            assert!((0..).zip(&texts).all(|(number, text)| interner.text(number) == text));
        }
    }
}
