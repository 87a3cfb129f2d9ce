//! All records in columns: what a few records differ in is stored once for all that have it.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use super::ends::RecordEnds;
use super::ids::SpanId;
use super::records::{HAS_DURATION, ID_HEX, ID_TEXT, IS_SHARED, NO_TIME, SpanRecord, unpacked};
use crate::term::hash::RandomState;
use crate::trace::{PlaceTable, SourcePlace};

/// Records by their numbers.
#[derive(Default)]
pub(super) struct RecordTable {
    ids: Vec<u64>,
    /// The ids of parents, until the parents are found.
    parents: Vec<u64>,
    starts: Vec<i64>,
    ends: RecordEnds,
    traces: Vec<u32>,
    /// Where the body of each record begins.
    at: Vec<u32>,
    /// The number of what each record has in common with others.
    shapes: Vec<u32>,
    known: Vec<RecordShape>,
    numbers: HashTable<u32>,
    hash: RandomState,
    /// Shapes that were looked for lately, by their names and contexts.
    recent: Vec<u32>,
    /// Where they begin; they are in the order of the file.
    places: PlaceTable,
}

/// What many records have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct RecordShape {
    pub(super) name: u32,
    pub(super) context: u32,
    pub(super) kind: u8,
    pub(super) status: u8,
    pub(super) has: u16,
}

impl RecordShape {
    /// The number to which the end is relative: the start, or nothing as long as there is a duration in its place.
    #[inline]
    fn ends_after(&self, start: i64) -> i64 {
        if self.has & HAS_DURATION > 0 { 0 } else { start }
    }

    #[inline]
    fn id(&self, id: u64) -> SpanId {
        unpacked(id, self.has & ID_HEX > 0, self.has & ID_TEXT > 0)
    }
}

impl RecordTable {
    /// The number of shapes that are kept at hand.
    const N_RECENT: usize = 64;
    /// After so many records it is decided how ends are stored.
    const WIDENED_EACH: u32 = 1 << 12;

    /// The number of records.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The numbers of all records.
    pub(super) fn numbers(&self) -> std::ops::Range<u32> {
        0..self.len() as u32
    }

    /// Adds a record that begins at a place.
    pub(super) fn push(&mut self, record: &SpanRecord, place: SourcePlace) {
        let number = self.len() as u32;
        if number.is_multiple_of(Self::WIDENED_EACH) {
            let (starts, shapes, known) = (&self.starts, &self.shapes, &self.known);
            self.ends.widen(|index| known[shapes[index] as usize].ends_after(starts[index]));
        }
        self.places.push(place);
        let shape = self.shape_number(record);
        self.ids.push(record.id);
        self.parents.push(record.parent);
        self.starts.push(record.start);
        self.ends.push(record.shape().ends_after(record.start), record.end);
        self.traces.push(record.trace);
        self.at.push(record.at);
        self.shapes.push(shape);
    }

    /// Changes a record, which stays at its place.
    pub(super) fn set(&mut self, number: u32, record: &SpanRecord) {
        let (shape, index) = (self.shape_number(record), number as usize);
        self.ids[index] = record.id;
        self.parents[index] = record.parent;
        self.starts[index] = record.start;
        self.ends.set(number, record.shape().ends_after(record.start), record.end);
        self.traces[index] = record.trace;
        self.at[index] = record.at;
        self.shapes[index] = shape;
    }

    /// A record; one without a parent, if the parents were forgotten.
    #[inline]
    pub(super) fn get(&self, number: u32) -> SpanRecord {
        let index = number as usize;
        let RecordShape { name, context, kind, status, has } = *self.shape(number);
        let mut record = SpanRecord {
            id: self.ids[index],
            parent: self.parents.get(index).copied().unwrap_or(0),
            start: self.starts[index],
            end: NO_TIME,
            trace: self.traces[index],
            name,
            context,
            at: self.at[index],
            kind,
            status,
            has,
        };
        record.end = self.ends.at(number, self.shape(number).ends_after(record.start));
        record
    }

    /// All records in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = SpanRecord> {
        self.numbers().map(|number| self.get(number))
    }

    /// What a record has in common with others.
    #[inline]
    pub(super) fn shape(&self, number: u32) -> &RecordShape {
        &self.known[self.shapes[number as usize] as usize]
    }

    /// The number of what a record has in common with others.
    #[inline]
    pub(super) fn shape_of(&self, number: u32) -> u32 {
        self.shapes[number as usize]
    }

    /// All that records have in common, by their numbers.
    pub(super) fn shapes(&self) -> &[RecordShape] {
        &self.known
    }

    #[inline]
    pub(super) fn is_shared(&self, number: u32) -> bool {
        self.shape(number).has & IS_SHARED > 0
    }

    #[inline]
    pub(super) fn trace(&self, number: u32) -> u32 {
        self.traces[number as usize]
    }

    /// Where the body of a record begins.
    #[inline]
    pub(super) fn at(&self, number: u32) -> usize {
        self.at[number as usize] as usize
    }

    /// The trace and the id of a record.
    #[inline]
    pub(super) fn key(&self, number: u32) -> (u32, SpanId) {
        let id = self.shape(number).id(self.ids[number as usize]);
        (self.traces[number as usize], id)
    }

    /// The start, if it is known.
    #[inline]
    pub(super) fn start(&self, number: u32) -> Option<i64> {
        Some(self.starts[number as usize]).filter(|time| *time != NO_TIME)
    }

    /// The end, if it is known.
    #[inline]
    pub(super) fn end(&self, number: u32) -> Option<i64> {
        Some(self.ends.at(number, self.starts[number as usize])).filter(|time| *time != NO_TIME)
    }

    /// Where the records begin.
    pub(super) fn places(&self) -> impl Iterator<Item = SourcePlace> {
        self.places.iter()
    }

    /// Hands over where the records begin.
    pub(super) fn take_places(&mut self) -> PlaceTable {
        std::mem::take(&mut self.places)
    }

    /// Gives the records other places.
    pub(super) fn put_at(&mut self, place: impl Fn(SourcePlace) -> SourcePlace) {
        let before = std::mem::take(&mut self.places);
        before.iter().for_each(|before| self.places.push(place(before)));
    }

    /// Changes the contexts of all records.
    pub(super) fn change_contexts(&mut self, change: impl Fn(u32) -> u32) {
        self.known.iter_mut().for_each(|shape| shape.context = change(shape.context));
        self.numbers = HashTable::new();
    }

    /// Removes the records from a number on.
    pub(super) fn truncate(&mut self, n_records: usize) {
        self.ids.truncate(n_records);
        self.parents.truncate(n_records);
        self.starts.truncate(n_records);
        self.ends.truncate(n_records);
        self.traces.truncate(n_records);
        self.at.truncate(n_records);
        self.shapes.truncate(n_records);
        self.places.truncate(n_records);
    }

    /// Leaves some records only.
    pub(super) fn retain(&mut self, is_kept: &[bool]) {
        let mut kept = RecordTable { known: std::mem::take(&mut self.known), ..RecordTable::default() };
        for (number, place) in self.numbers().zip(self.places.iter()).filter(|(number, _)| is_kept[*number as usize]) {
            let index = number as usize;
            kept.places.push(place);
            let start = kept.known[self.shapes[index] as usize].ends_after(self.starts[index]);
            kept.ids.push(self.ids[index]);
            kept.parents.push(self.parents[index]);
            kept.starts.push(self.starts[index]);
            kept.ends.push(start, self.ends.at(number, start));
            kept.traces.push(self.traces[index]);
            kept.at.push(self.at[index]);
            kept.shapes.push(self.shapes[index]);
        }
        *self = kept;
    }

    /// Forgets the ids of parents.
    pub(super) fn forget_parents(&mut self) {
        self.parents = Vec::new();
    }

    /// Gives back the memory that only adding records needs.
    pub(super) fn shrink(&mut self) {
        self.numbers = HashTable::new();
        self.ids.shrink_to_fit();
        self.parents.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.ends.shrink();
        self.traces.shrink_to_fit();
        self.at.shrink_to_fit();
        self.shapes.shrink_to_fit();
        self.known.shrink_to_fit();
    }

    /// Puts the records into another order: that of their old numbers in `old`. Places stay with the old numbers.
    pub(super) fn reorder(&mut self, old: &[u32]) {
        fn put<T: Copy>(column: &mut Vec<T>, old: &[u32]) {
            *column = old.iter().map(|number| column[*number as usize]).collect();
        }
        put(&mut self.ids, old);
        self.ends.reorder(old);
        put(&mut self.starts, old);
        put(&mut self.traces, old);
        put(&mut self.at, old);
        put(&mut self.shapes, old);
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> usize {
        (self.ids.capacity() + self.parents.capacity() + self.starts.capacity()) * 8
            + (self.traces.capacity() + self.at.capacity() + self.shapes.capacity()) * 4
            + self.known.capacity() * size_of::<RecordShape>()
            + self.ends.bytes()
            + self.places.bytes()
    }

    fn shape_number(&mut self, record: &SpanRecord) -> u32 {
        let shape = record.shape();
        let place = (shape.name ^ shape.context << 3) as usize % RecordTable::N_RECENT;
        if self.recent.is_empty() {
            self.recent = vec![0; RecordTable::N_RECENT];
        }
        let recent = self.recent[place];
        if self.known.get(recent as usize) == Some(&shape) {
            return recent;
        }
        self.recent[place] = self.new_shape_number(shape);
        self.recent[place]
    }

    fn new_shape_number(&mut self, shape: RecordShape) -> u32 {
        let hash = self.hash.hash_one(shape);
        if let Some(number) = self.numbers.find(hash, |number| self.known[*number as usize] == shape) {
            return *number;
        }
        let number = self.known.len() as u32;
        self.known.push(shape);
        let (known, hasher) = (&self.known, &self.hash);
        self.numbers.insert_unique(hash, number, |number| hasher.hash_one(known[*number as usize]));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records that differ in everything, on lines 3, 3, 5 and 6.
    fn table() -> (RecordTable, Vec<SpanRecord>) {
        let record = |number: u64| {
            let [name, context, at, trace] = [1, 2, 3, 4].map(|field| number as u32 * 7 + field);
            let (start, end) = (number as i64 * 100, number as i64 * 101);
            let (id, parent, kind, status, has) = (number + 1, number, number as u8, 1, ID_HEX);
            SpanRecord { id, parent, start, end, trace, name, context, at, kind, status, has }
        };
        let mut records: Vec<SpanRecord> = (0..4).map(record).collect();
        (records[1].end, records[3].start) = (i64::MAX, NO_TIME);
        (records[2].end, records[2].has) = (20, ID_HEX | HAS_DURATION);
        let mut table = RecordTable::default();
        records.iter().zip([3, 3, 5, 6]).for_each(|(record, line)| table.push(record, on_line(line)));
        (table, records)
    }

    fn on_line(line: u64) -> SourcePlace {
        SourcePlace { line, ..SourcePlace::default() }
    }

    fn found(table: &RecordTable) -> Vec<(SpanRecord, u64)> {
        table.iter().zip(table.places()).map(|(record, place)| (record, place.line)).collect()
    }

    #[test]
    fn records_are_those_that_were_added() {
        let (mut table, mut records) = table();
        let lines = [3, 3, 5, 6];
        let with_lines = |records: &[SpanRecord]| records.iter().copied().zip(lines).collect::<Vec<_>>();
        assert_eq!(found(&table), with_lines(&records));
        (records[1].kind, records[1].end) = (5, 103);
        table.set(1, &records[1]);
        assert_eq!(found(&table), with_lines(&records));
        table.truncate(3);
        assert_eq!(found(&table), with_lines(&records[..3]));
        table.push(&records[3], on_line(5));
        assert_eq!(found(&table)[3], (records[3], 5));
    }

    #[test]
    fn some_records_are_left_in_any_order() {
        let (mut table, records) = table();
        table.retain(&[true, false, true, true]);
        assert_eq!(found(&table), [(records[0], 3), (records[2], 5), (records[3], 6)]);
        table.reorder(&[2, 0, 1]);
        let ends = |table: &RecordTable| table.iter().map(|record| (record.id, record.end)).collect::<Vec<_>>();
        let expected = [3, 0, 2].map(|number: usize| (records[number].id, records[number].end));
        assert_eq!(ends(&table), expected);
        assert_eq!((table.start(0), table.end(1), table.key(2).1), (None, Some(0), SpanId::Hex(3)));
    }
}
