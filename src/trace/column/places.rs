//! Where records begin in a file, packed: two to five bytes a record.

use crate::trace::event::place::SourcePlace;
use crate::trace::file::bytes::{Decoder, Encoder};

/// The records after which a whole place is kept, from which the next ones are counted.
const STRETCH: usize = 64;

/// The places of records, in the order in which they are pushed, which is mostly that of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaceTable {
    /// What each place adds to the one before, as [`push`](PlaceTable::push) writes it.
    steps: Encoder,
    /// The place before each stretch, and where the steps of the stretch begin.
    stretches: Vec<(SourcePlace, usize)>,
    last: SourcePlace,
    n_places: usize,
}

impl PlaceTable {
    /// Adds a place. An even number says how far away it is on the same line; after a 1, the difference of the lines, the
    /// column and the difference of the offsets follow.
    pub(crate) fn push(&mut self, place: SourcePlace) {
        if self.n_places.is_multiple_of(STRETCH) {
            self.stretches.push((self.last, self.steps.bytes.len()));
        }
        let step = place.offset.wrapping_sub(self.last.offset);
        let is_near = place.line == self.last.line && step == place.column.wrapping_sub(self.last.column);
        if is_near && step < 1 << 62 {
            self.steps.number(step << 1);
        } else {
            self.steps.number(1);
            self.steps.signed(place.line.wrapping_sub(self.last.line) as i64);
            self.steps.number(place.column);
            self.steps.signed(step as i64);
        }
        self.last = place;
        self.n_places += 1;
    }

    /// A place by its number, from 0.
    pub(crate) fn at(&self, number: usize) -> Option<SourcePlace> {
        let (before, from) = self.stretches.get(number / STRETCH).filter(|_| number < self.n_places)?;
        PlaceSteps { steps: Decoder::new(self.steps().get(*from..)?), last: *before }.nth(number % STRETCH)
    }

    /// Removes all places but the first ones.
    pub(crate) fn truncate(&mut self, n_places: usize) {
        if n_places < self.n_places {
            let mut kept = PlaceTable::default();
            self.iter().take(n_places).for_each(|place| kept.push(place));
            *self = kept;
        }
    }

    /// All places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = SourcePlace> {
        PlaceSteps::new(self.steps())
    }

    /// The places as bytes, which [`of_steps`](PlaceTable::of_steps) takes.
    pub(crate) fn steps(&self) -> &[u8] {
        &self.steps.bytes
    }

    /// The places that have these steps.
    pub(crate) fn of_steps(steps: &[u8]) -> PlaceTable {
        let mut table = PlaceTable::default();
        PlaceSteps::new(steps).for_each(|place| table.push(place));
        table
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        self.steps.bytes.capacity() + self.stretches.capacity() * size_of::<(SourcePlace, usize)>()
    }
}

/// Adds up steps.
struct PlaceSteps<'s> {
    steps: Decoder<'s>,
    last: SourcePlace,
}

impl PlaceSteps<'_> {
    fn new(steps: &[u8]) -> PlaceSteps<'_> {
        PlaceSteps { steps: Decoder::new(steps), last: SourcePlace::default() }
    }
}

impl Iterator for PlaceSteps<'_> {
    type Item = SourcePlace;

    fn next(&mut self) -> Option<SourcePlace> {
        let SourcePlace { line, column, offset } = self.last;
        self.last = match self.steps.number()? {
            1 => SourcePlace {
                line: line.wrapping_add(self.steps.signed()? as u64),
                column: self.steps.number()?,
                offset: offset.wrapping_add(self.steps.signed()? as u64),
            },
            step => {
                SourcePlace { line, column: column.wrapping_add(step >> 1), offset: offset.wrapping_add(step >> 1) }
            }
        };
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u64, column: u64, offset: u64) -> SourcePlace {
        SourcePlace { line, column, offset }
    }

    #[test]
    fn places_are_found_by_their_numbers_on_one_line_on_many_and_in_several_files() {
        let one_line = (0..1000).map(|number| place(1, 20 + number * 200, 19 + number * 200));
        let many = (0..1000).map(|number| place(2 + number, 3, 1 << 33 | (number * 300)));
        let next_file = [place(1, 1, 0), place(1, 1, 0), SourcePlace::default(), place(7, 0, 0), place(1 << 60, 5, 9)];
        let all: Vec<SourcePlace> = one_line.chain(many).chain(next_file).collect();
        let mut table = PlaceTable::default();
        all.iter().for_each(|place| table.push(*place));
        let found: Vec<SourcePlace> = (0..table.n_places).filter_map(|number| table.at(number)).collect();
        assert_eq!(found, all);
        assert_eq!(table.iter().collect::<Vec<_>>(), all);
        assert_eq!(table.at(all.len()), None);
        assert!(table.bytes() < all.len() * 8, "{} bytes", table.bytes());
        let again = PlaceTable::of_steps(table.steps());
        assert_eq!(again.iter().collect::<Vec<_>>(), all);
        table.truncate(70);
        assert_eq!(table.iter().collect::<Vec<_>>(), all[..70]);
    }

    #[test]
    fn damaged_steps_give_some_places() {
        let mut table = PlaceTable::default();
        (0..200).for_each(|number| table.push(place(number / 3, number % 3 * 700, number * 700)));
        for cut in 0..table.steps().len() {
            assert!(PlaceTable::of_steps(&table.steps()[..cut]).n_places <= 200);
        }
        assert!(PlaceTable::of_steps(&[0xFF; 100]).n_places < 100);
    }
}
