//! What many records have in common: their phases and names, and the keys of their arguments and other attributes.

use std::ops::Range;

use crate::formats::lines::interner::BytesInterner;

/// No text.
pub(super) const NONE: u32 = u32::MAX;

/// What a record has beside times and values. Texts and lists are those of the chunk or the log that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct RecordHead {
    pub(super) phase: char,
    /// What it has, as below.
    pub(super) has: u16,
    // codes of texts
    pub(super) name: u32,
    pub(super) pid: u32,
    pub(super) tid: u32,
    pub(super) cat: u32,
    /// How far an instant reaches.
    pub(super) scope: u32,
    /// The list of the names of arguments.
    pub(super) arg_names: u32,
    /// The list of other keys; those of integers are marked.
    pub(super) others: u32,
}

pub(super) const FLOWS_IN: u16 = 1;
pub(super) const FLOWS_OUT: u16 = 1 << 1;
pub(super) const BINDS_ENCLOSING: u16 = 1 << 2;
/// `id`, or `id2`.
pub(super) const HAS_ID: u16 = 1 << 3;
/// The id is another one in each process.
pub(super) const ID_IS_LOCAL: u16 = 1 << 4;
/// `bind_id`.
pub(super) const HAS_BIND: u16 = 1 << 5;
/// The record says which arguments there are.
pub(super) const STATES_ARGS: u16 = 1 << 6;
/// A result, named `return_value` or `retval`.
pub(super) const HAS_RETURN_VALUE: u16 = 1 << 7;
pub(super) const HAS_RETVAL: u16 = 1 << 8;
/// The record is a box, and does not say how long it took.
pub(super) const UNMEASURED: u16 = 1 << 9;

/// The tags of codes of texts.
pub(super) const TEXT: i64 = 0;
/// A JSON value other than a text.
pub(super) const JSON: i64 = 1;

impl RecordHead {
    /// A record without texts.
    pub(super) fn new(phase: char) -> RecordHead {
        RecordHead {
            phase,
            has: 0,
            name: NONE,
            pid: NONE,
            tid: NONE,
            cat: NONE,
            scope: NONE,
            arg_names: KeyLists::EMPTY,
            others: KeyLists::EMPTY,
        }
    }

    pub(super) fn has(&self, what: u16) -> bool {
        self.has & what > 0
    }

    /// Whether it is of an asynchronous operation.
    pub(super) fn is_async(&self) -> bool {
        matches!(self.phase, 'b' | 'n' | 'e' | 'S' | 'T' | 'p' | 'F')
    }

    /// Whether it is of an instant.
    pub(super) fn is_instant(&self) -> bool {
        matches!(self.phase, 'i' | 'I' | 'R')
    }

    /// Whether it opens a box that another record closes.
    pub(super) fn begins(&self) -> bool {
        matches!(self.phase, 'B' | 'b' | 'S')
    }

    /// Whether it closes a box that another record opens.
    pub(super) fn ends(&self) -> bool {
        matches!(self.phase, 'E' | 'e' | 'F')
    }

    /// Whether it opens a box.
    pub(super) fn is_box(&self) -> bool {
        self.phase == 'X' || self.begins()
    }

    /// The name of its result.
    pub(super) fn result_name(&self) -> Option<&'static str> {
        match self.has & (HAS_RETURN_VALUE | HAS_RETVAL) {
            0 => None,
            HAS_RETVAL => Some("retval"),
            _ => Some("return_value"),
        }
    }
}

/// Lists of keys, each of which is a shorter one with another key at its end, which may be marked.
#[derive(Default)]
pub(super) struct KeyLists {
    /// The last keys, with the number of the list before and the mark as tags.
    last: BytesInterner,
    lists: Vec<KeyList>,
}

struct KeyList {
    length: u32,
    is_simple: bool,
}

/// Longer lists are not simple.
const MOST_SIMPLE: u32 = 64;

/// Keys of arguments that stand for several or for none.
const SPECIAL: &[&[u8]] = &[b"func_args", b"return_value", b"retval", b"arguments"];

impl KeyLists {
    /// The list without keys.
    pub(super) const EMPTY: u32 = 0;

    /// The list that has one key more, which stands in a text.
    #[inline]
    pub(super) fn longer(&mut self, list: u32, text: &[u8], key: Range<usize>, is_marked: bool) -> u32 {
        let tag = i64::from(list) << 1 | i64::from(is_marked);
        let found = self.last.find(text, key.clone(), tag);
        found.unwrap_or_else(|| self.add(list, &text[key], tag)) + 1
    }

    #[cold]
    fn add(&mut self, list: u32, key: &[u8], tag: i64) -> u32 {
        let length = self.length(list) + 1;
        let is_simple = self.is_simple(list) && length <= MOST_SIMPLE && !SPECIAL.contains(&key);
        let is_simple = is_simple && self.keys_from_end(list).all(|(known, _)| known != key);
        self.lists.push(KeyList { length, is_simple });
        self.last.add(key, tag)
    }

    fn list(&self, list: u32) -> Option<&KeyList> {
        self.lists.get((list as usize).checked_sub(1)?)
    }

    /// The number of keys.
    pub(super) fn length(&self, list: u32) -> u32 {
        self.list(list).map_or(0, |list| list.length)
    }

    /// Whether each key occurs once, and stands for one argument.
    #[inline]
    pub(super) fn is_simple(&self, list: u32) -> bool {
        self.list(list).is_none_or(|list| list.is_simple)
    }

    /// The keys of a list, and whether they are marked.
    pub(super) fn keys(&self, list: u32) -> Vec<(&[u8], bool)> {
        let mut keys: Vec<_> = self.keys_from_end(list).collect();
        keys.reverse();
        keys
    }

    fn keys_from_end(&self, list: u32) -> impl Iterator<Item = (&[u8], bool)> {
        let mut list = list;
        std::iter::from_fn(move || {
            let (key, tag) = self.last.entry(list.checked_sub(1)?);
            list = (tag >> 1) as u32;
            Some((key, tag & 1 == 1))
        })
    }

    /// The number of lists, the empty one included.
    pub(super) fn len(&self) -> usize {
        self.lists.len() + 1
    }

    /// The list with the keys of a list of other lists.
    pub(super) fn adopt(&mut self, others: &KeyLists, list: u32) -> u32 {
        let keys = others.keys(list).into_iter();
        keys.fold(KeyLists::EMPTY, |list, (key, is_marked)| self.longer(list, key, 0..key.len(), is_marked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(lists: &mut KeyLists, keys: &[(&str, bool)]) -> u32 {
        let longer =
            |list, (key, is_marked): &(&str, bool)| lists.longer(list, key.as_bytes(), 0..key.len(), *is_marked);
        keys.iter().fold(KeyLists::EMPTY, longer)
    }

    #[test]
    fn equal_lists_have_one_number_also_in_other_lists() {
        let (mut lists, mut others) = (KeyLists::default(), KeyLists::default());
        let all: [&[(&str, bool)]; 5] =
            [&[], &[("a", false)], &[("a", true)], &[("a", false), ("b", true)], &[("b", false), ("a", false)]];
        let numbers: Vec<u32> = all.iter().map(|keys| list(&mut lists, keys)).collect();
        list(&mut others, &[("b", false)]);
        for (keys, number) in all.iter().zip(&numbers) {
            assert_eq!(list(&mut lists, keys), *number);
            let expected: Vec<(&[u8], bool)> =
                keys.iter().map(|(key, is_marked)| (key.as_bytes(), *is_marked)).collect();
            assert_eq!(lists.keys(*number), expected);
            assert_eq!(lists.length(*number) as usize, keys.len());
            let adopted = others.adopt(&lists, *number);
            assert_eq!(others.keys(adopted), expected);
        }
    }

    #[test]
    fn a_list_with_a_key_twice_or_a_special_one_is_not_simple() {
        let mut lists = KeyLists::default();
        for (keys, is_simple) in [
            (&["a", "b"][..], true),
            (&["a", "b", "a"], false),
            (&["a", "a", "b"], false),
            (&["retval"], false),
            (&["func_args", "x"], false),
        ] {
            let keys: Vec<(&str, bool)> = keys.iter().map(|key| (*key, false)).collect();
            let number = list(&mut lists, &keys);
            assert_eq!(lists.is_simple(number), is_simple, "{keys:?}");
        }
    }
}
