//! Ids of traces: 16 bytes each, numbered. An id of 8 bytes is the trace whose id ends with these bytes: programs that know
//! only ids of 64 bits hand on the right half of longer ones.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::term::hash::RandomState;

/// Ids of traces, numbered from 1; 0 is no id. A text that is no id has the number of the text, marked.
#[derive(Default)]
pub(crate) struct TraceIds {
    ids: Vec<u128>,
    numbers: HashTable<u32>,
    /// By their right halves, the first id of each, once there are ids of both sizes.
    by_half: HashTable<u32>,
    /// Whether there are ids of 128 bits, and of 64.
    has_sizes: [bool; 2],
    hash: RandomState,
    /// The number that was looked for last: records of a trace often follow each other.
    last: u32,
    /// Digits with which an id is written at least.
    digits: usize,
}

/// A trace id by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TraceId {
    None,
    /// An id in hexadecimal digits.
    Hex(u128),
    /// The number of a text that is no id.
    Text(u32),
}

const TEXT: u32 = 1 << 31;

impl TraceIds {
    /// The number of an id, which is not 0 and is written with so many digits at least.
    pub(super) fn number(&mut self, id: u128, digits: usize) -> u32 {
        self.digits = digits;
        let is_last = |last: usize| self.ids.get(last) == Some(&id);
        if (self.last as usize).checked_sub(1).is_some_and(is_last) {
            return self.last;
        }
        self.last = self.look_up(id);
        self.last
    }

    fn look_up(&mut self, id: u128) -> u32 {
        let hash = self.hash.hash_one(id);
        if let Some(number) = self.numbers.find(hash, |number| self.ids[*number as usize - 1] == id) {
            return *number;
        }
        self.has_sizes[usize::from(id >> 64 == 0)] = true;
        if self.has_sizes == [true; 2] {
            if self.by_half.is_empty() {
                (1..=self.ids.len() as u32).for_each(|number| _ = self.first_of_half(number));
            }
            self.ids.push(id);
            let number = self.first_of_half(self.ids.len() as u32);
            self.ids.pop();
            if let Some(known) = self.ids.get_mut(number as usize - 1).filter(|known| is_same_trace(**known, id)) {
                *known = id.max(*known);
                return number;
            }
        }
        self.ids.push(id);
        let number = self.ids.len() as u32;
        assert!(number < TEXT, "there are fewer traces than records, of which there are fewer than this");
        let (ids, hasher) = (&self.ids, &self.hash);
        self.numbers.insert_unique(hash, number, |number| hasher.hash_one(ids[*number as usize - 1]));
        number
    }

    /// The first id with the right half of this one: itself, if there is no other.
    fn first_of_half(&mut self, number: u32) -> u32 {
        let (ids, hasher) = (&self.ids, &self.hash);
        let half = |number: &u32| ids[*number as usize - 1] as u64;
        let hash = |number: &u32| hasher.hash_one(half(number));
        *self.by_half.entry(hash(&number), |known| half(known) == half(&number), hash).or_insert(number).get()
    }

    /// The number for a text that is no id.
    pub(super) fn of_text(text: u32) -> u32 {
        text | TEXT
    }

    /// The id with a number.
    pub(super) fn id(&self, number: u32) -> TraceId {
        match number {
            0 => TraceId::None,
            text if text & TEXT > 0 => TraceId::Text(text & !TEXT),
            number => TraceId::Hex(self.ids[number as usize - 1]),
        }
    }

    /// The digits of an id.
    pub(super) fn written(&self, id: u128) -> String {
        let digits = if id >> (4 * self.digits.min(31)) > 0 { 32 } else { self.digits };
        format!("{id:0digits$x}")
    }

    /// The numbers that the ids of a chunk have here.
    pub(super) fn joined(&mut self, other: &TraceIds) -> Vec<u32> {
        other.ids.iter().map(|id| self.number(*id, other.digits)).collect()
    }

    /// Gives back the memory that only adding ids needs.
    pub(super) fn shrink(&mut self) {
        (self.numbers, self.by_half) = (HashTable::new(), HashTable::new());
        self.ids.shrink_to_fit();
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.ids.capacity() * size_of::<u128>() + self.numbers.allocation_size() + self.by_half.allocation_size()
    }
}

/// Whether ids are equal, or one is the right half of the other.
fn is_same_trace(one: u128, other: u128) -> bool {
    one == other || (one as u64 == other as u64 && one.min(other) >> 64 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_64_bits_is_the_trace_whose_id_ends_with_it() {
        let mut ids = TraceIds::default();
        let long = 0x463a_c35c_9f64_13ad_4848_5a39_53bb_6124;
        let other = 0x1111_c35c_9f64_13ad_4848_5a39_53bb_6125;
        assert_eq!([long, long as u64 as u128, other as u64 as u128, other].map(|id| ids.number(id, 16)), [1, 1, 2, 2]);
        assert_eq!((ids.id(1), ids.id(2)), (TraceId::Hex(long), TraceId::Hex(other)));
        assert_eq!(ids.number(0x2222 << 64 | other as u64 as u128, 16), 3);
        assert_eq!([long, other].map(|id| ids.number(id as u64 as u128, 16)), [1, 2]);
        // as many as there are with one right half take no longer than others
        (1..200_000).for_each(|high| assert_eq!(ids.number(high << 64 | 1, 16), 3 + high as u32));
        assert_eq!(ids.number(1, 16), 4);
    }

    #[test]
    fn an_id_is_written_with_the_digits_that_it_needs() {
        let mut short = TraceIds::default();
        let long = 0x5b8e_fff7_9803_8103_d269_b633_813f_c60c;
        assert_eq!([0xaf, long, 0xaf].map(|id| short.number(id, 16)), [1, 2, 1]);
        assert_eq!(short.written(0xaf), "00000000000000af");
        assert_eq!(short.written(long), "5b8efff798038103d269b633813fc60c");
        assert_eq!((short.id(1), short.id(0)), (TraceId::Hex(0xaf), TraceId::None));
        assert_eq!(short.id(TraceIds::of_text(7)), TraceId::Text(7));
        let mut all = TraceIds::default();
        all.number(1, 32);
        assert_eq!(all.joined(&short), [2, 3]);
    }
}
