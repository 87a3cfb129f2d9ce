//! Records by trace and id.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use super::ids::SpanId;
use super::record_table::RecordTable;
use crate::term::hash::{NumberMap, RandomState};

/// Records by trace and id, in the order of the file.
#[derive(Default)]
pub(super) struct RecordIndex {
    /// The first record with each trace and id.
    first: HashTable<u32>,
    /// All records with the trace and id of a first one, if there are several.
    several: NumberMap<u32, Vec<u32>>,
    hash: RandomState,
}

impl RecordIndex {
    /// The index of all records that have an id.
    pub(super) fn new(records: &RecordTable) -> RecordIndex {
        let (mut first, mut several) = (HashTable::with_capacity(records.len()), NumberMap::default());
        let hash = RandomState::default();
        let key = |number: u32| records.key(number);
        for number in records.numbers().filter(|number| key(*number).1 != SpanId::None) {
            let hashed = hash.hash_one(key(number));
            match first.find(hashed, |other| key(*other) == key(number)) {
                Some(same) => several.entry(*same).or_insert_with(|| vec![*same]).push(number),
                None => {
                    first.insert_unique(hashed, number, |other| hash.hash_one(key(*other)));
                }
            }
        }
        RecordIndex { first, several, hash }
    }

    /// The records of a span.
    pub(super) fn find(&self, records: &RecordTable, trace: u32, id: SpanId) -> &[u32] {
        let is_same = |other: &u32| records.key(*other) == (trace, id);
        let first = self.first.find(self.hash.hash_one((trace, id)), is_same);
        first.map_or(&[], |first| self.several.get(first).map_or(std::slice::from_ref(first), Vec::as_slice))
    }

    /// The records of each span that has several, in the order of the file.
    pub(super) fn several(&self) -> Vec<&[u32]> {
        let mut all: Vec<&[u32]> = self.several.values().map(Vec::as_slice).collect();
        all.sort_unstable_by_key(|records| records[0]);
        all
    }
}
