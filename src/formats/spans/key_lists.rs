//! Lists of keys: spans of one kind have the same keys, so each list is stored once and numbered.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::term::hash::RandomState;

/// Different lists of numbers of texts, numbered from 0.
#[derive(Default)]
pub(crate) struct KeyLists {
    keys: Vec<u32>,
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hash: RandomState,
}

impl KeyLists {
    /// The number of lists.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The keys of a list.
    #[inline]
    pub(crate) fn keys(&self, list: u32) -> &[u32] {
        keys_of(&self.keys, &self.ends, list)
    }

    /// The number of a list.
    pub(crate) fn number(&mut self, keys: &[u32]) -> u32 {
        let hash = self.hash.hash_one(keys);
        let is_same = |list: &u32| keys_of(&self.keys, &self.ends, *list) == keys;
        if let Some(list) = self.numbers.find(hash, is_same) {
            return *list;
        }
        let list = self.ends.len() as u32;
        self.keys.extend_from_slice(keys);
        self.ends.push(self.keys.len());
        let (keys, ends, hasher) = (&self.keys, &self.ends, &self.hash);
        self.numbers.insert_unique(hash, list, |list| hasher.hash_one(keys_of(keys, ends, *list)));
        list
    }

    /// Gives back the memory that only adding lists needs.
    pub(crate) fn shrink(&mut self) {
        self.numbers = HashTable::new();
        self.keys.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// The size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u32>() + self.ends.capacity() * size_of::<usize>()
    }
}

fn keys_of<'k>(keys: &'k [u32], ends: &[usize], list: u32) -> &'k [u32] {
    let list = list as usize;
    let start = list.checked_sub(1).map_or(0, |before| ends[before]);
    &keys[start..ends[list]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_keys_have_the_same_number() {
        let mut lists = KeyLists::default();
        let numbers: Vec<u32> = [&[1, 2][..], &[], &[2, 1], &[1, 2], &[]].map(|keys| lists.number(keys)).to_vec();
        assert_eq!(numbers, [0, 1, 2, 0, 1]);
        assert_eq!((lists.keys(2), lists.keys(1), lists.len()), (&[2, 1][..], &[][..], 3));
    }
}
