//! The names in a part of a log, by their spellings.

use std::hash::BuildHasher;

use super::log::NameId;
use crate::formats::lines::swar::before_byte;
use crate::term::hash::{HashMap, RandomState};

/// Names, numbered in the order of their first occurrence.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    texts: Vec<Box<str>>,
    ids: HashMap<Box<str>, NameId>,
    /// Those that are written in no more than [`LONGEST`] bytes: a power of two of places, half of them free at least.
    short: Vec<ShortName>,
    n_short: usize,
    /// The others, if they are simple.
    long: HashMap<Box<[u8]>, NameId>,
    hasher: Hasher,
}

/// What is written in a few bytes, in one number.
type NameKey = u128;

#[derive(Clone, Copy, Debug)]
struct ShortName {
    key: NameKey,
    id: NameId,
}

/// The key of what is written in no bytes, which is nothing.
const FREE: ShortName = ShortName { key: 0, id: 0 };

/// Bytes of the longest name that has a key.
const LONGEST: usize = 15;

/// The numbers by which keys are hashed; other ones in each run, as names come from hostile logs.
#[derive(Debug)]
struct Hasher(u64, u64);

impl Default for Hasher {
    fn default() -> Hasher {
        let random = RandomState::default();
        Hasher(random.hash_one(0), random.hash_one(1))
    }
}

impl Hasher {
    #[inline]
    fn hash(&self, key: NameKey) -> usize {
        let product = u128::from(key as u64 ^ self.0) * u128::from((key >> 64) as u64 ^ self.1);
        (product as u64 ^ (product >> 64) as u64) as usize
    }
}

/// The key of a text of at most [`LONGEST`] bytes, given its first eight and its last bytes, zero after the end.
#[inline]
fn key_of(low: u64, high: u64, length: usize) -> NameKey {
    NameKey::from(low) | NameKey::from(high | (length as u64) << 56) << 64
}

fn short_key(written: &[u8]) -> Option<NameKey> {
    let mut bytes = [0; 16];
    bytes.get_mut(..written.len()).filter(|_| written.len() <= LONGEST)?.copy_from_slice(written);
    let [low, high] = halves(bytes);
    Some(key_of(low, high, written.len()))
}

/// The first of eight bytes, and the last, with the first byte of each in the lowest bits.
#[inline]
fn halves(bytes: [u8; 16]) -> [u64; 2] {
    let both = u128::from_le_bytes(bytes);
    [both as u64, (both >> 64) as u64]
}

/// The first `length` bytes, fewer than eight, and zeros after them.
#[inline]
fn first(bytes: u64, length: usize) -> u64 {
    bytes & ((1 << (8 * length)) - 1)
}

impl NameTable {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The text of a name.
    pub(crate) fn text(&self, name: NameId) -> &str {
        &self.texts[name as usize]
    }

    /// The number of a name that was written in the same way before.
    pub(crate) fn known(&self, written: &[u8]) -> Option<NameId> {
        match short_key(written) {
            Some(key) => self.find(key).filter(|_| !written.is_empty()),
            None => self.long.get(written).copied(),
        }
    }

    /// The number and the end of a short name that was written in the same way before and that `mark` follows.
    #[inline]
    pub(crate) fn known_before(&self, mark: u8, text: &[u8], at: usize) -> Option<(NameId, usize)> {
        let [low, high] = halves(*text.get(at..)?.first_chunk()?);
        let (length, key) = match before_byte(low, mark) {
            0 => return None,
            8 => match before_byte(high, mark) {
                8 => return None,
                length => (8 + length, key_of(low, first(high, length), 8 + length)),
            },
            length => (length, key_of(first(low, length), 0, length)),
        };
        Some((self.find(key)?, at + length))
    }

    /// The number of a name that is not empty.
    #[inline]
    fn find(&self, key: NameKey) -> Option<NameId> {
        let mask = self.short.len().checked_sub(1)?;
        let mut place = self.hasher.hash(key) & mask;
        loop {
            let short = self.short[place];
            if short.key == key {
                return Some(short.id);
            }
            if short.key == FREE.key {
                return None;
            }
            place = (place + 1) & mask;
        }
    }

    /// The number of a name, which is remembered for what was `written` for it.
    pub(crate) fn add(&mut self, text: &str, written: Option<&[u8]>) -> NameId {
        let id = self.ids.get(text).copied().unwrap_or_else(|| {
            let id = self.texts.len() as NameId;
            self.texts.push(text.into());
            self.ids.insert(text.into(), id);
            id
        });
        let Some(written) = written.filter(|written| !written.is_empty()) else { return id };
        match short_key(written) {
            Some(key) => self.remember(ShortName { key, id }),
            None => self.long.extend([(written.into(), id)]),
        }
        id
    }

    fn remember(&mut self, short: ShortName) {
        if self.find(short.key).is_some() {
            return;
        }
        self.n_short += 1;
        if self.n_short * 2 > self.short.len() {
            let larger = vec![FREE; (self.short.len() * 2).max(16)];
            let known = std::mem::replace(&mut self.short, larger);
            known.into_iter().filter(|short| short.key != FREE.key).for_each(|short| self.put(short));
        }
        self.put(short);
    }

    fn put(&mut self, short: ShortName) {
        let mask = self.short.len() - 1;
        let mut place = self.hasher.hash(short.key) & mask;
        while self.short[place].key != FREE.key {
            place = (place + 1) & mask;
        }
        self.short[place] = short;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_by_what_was_written() {
        let mut names = NameTable::default();
        let written: Vec<String> =
            (0..1000).map(|number| format!("<0.{number}.{}>", number * number * number)).collect();
        for (id, name) in (0..).zip(&written) {
            assert_eq!(names.known(name.as_bytes()), None);
            assert_eq!(names.add(name, Some(name.as_bytes())), id);
        }
        for (id, name) in (0..).zip(&written) {
            assert_eq!(names.known(name.as_bytes()), Some(id));
            let text = format!("{name},and what follows");
            let found = names.known_before(b',', text.as_bytes(), 0);
            assert_eq!(found, (name.len() <= LONGEST).then_some((id, name.len())), "{name}");
        }
        assert_eq!(names.add("<0.1.1>", None), 1);
    }

    #[test]
    fn a_name_is_not_taken_for_a_longer_one() {
        let mut names = NameTable::default();
        names.add("ab", Some(b"ab"));
        for text in ["ab\0,..............", "abc,..............", "a,b..............", "ab ..............,", "ab,"] {
            assert_eq!(names.known_before(b',', text.as_bytes(), 0), None, "{text:?}");
        }
        assert_eq!(names.known_before(b',', b",ab,.............", 0), None);
        assert_eq!(names.known(b""), None);
        assert_eq!(names.known_before(b',', b"xab,..............", 1), Some((0, 3)));
        assert_eq!(names.known_before(b'>', b"ab>>>>>>>>>>>>>>>>", 0), Some((0, 2)));
    }
}
