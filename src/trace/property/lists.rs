//! Lists of rows, and chains of lists, searched by galloping.

use std::cell::Cell;
use std::ops::Range;

use smallvec::SmallVec;

use super::Slice;
use crate::trace::event::EventId;

/// Rows in order; each search starts where the previous one ended.
pub(super) struct RowList<'a> {
    pub(super) rows: &'a [EventId],
    hint: Cell<usize>,
}

impl<'a> RowList<'a> {
    fn new(rows: &'a [EventId]) -> RowList<'a> {
        RowList { rows, hint: Cell::new(0) }
    }

    /// The number of rows below one.
    pub(super) fn place(&self, row: EventId) -> usize {
        let hint = self.hint.get();
        let place = match self.rows.get(hint) {
            Some(at) if *at < row => forward(self.rows, hint, row),
            _ => backward(self.rows, hint, row),
        };
        self.hint.set(place);
        place
    }

    /// The first row from one on.
    pub(super) fn next(&self, from: EventId) -> Option<EventId> {
        self.rows.get(self.place(from)).copied()
    }

    /// The last row below one.
    pub(super) fn prev(&self, below: EventId) -> Option<EventId> {
        self.place(below).checked_sub(1).map(|place| self.rows[place])
    }

    /// Whether it contains a row.
    pub(super) fn has(&self, row: EventId) -> bool {
        self.next(row) == Some(row)
    }

    /// The rows in a half-open range.
    pub(super) fn part(&self, from: EventId, below: EventId) -> &'a [EventId] {
        let start = self.place(from);
        let end = self.place(below).max(start);
        &self.rows[start..end]
    }

    /// The first row from one on that it does not contain.
    pub(super) fn gap(&self, from: EventId) -> EventId {
        let start = self.place(from);
        let (mut low, mut step) = (start, 1);
        let is_run = |place: usize| self.rows.get(place).is_some_and(|row| (row - from) as usize == place - start);
        while is_run(low + step - 1) {
            low += step;
            step *= 2;
        }
        while step > 1 {
            step /= 2;
            low += if is_run(low + step - 1) { step } else { 0 };
        }
        from + (low - start) as EventId
    }
}

/// The first index from `start` on whose row is at least `row`; the row at `start` is less.
fn forward(rows: &[EventId], start: usize, row: EventId) -> usize {
    let (mut low, mut step) = (start, 1);
    while rows.get(low + step).is_some_and(|at| *at < row) {
        low += step;
        step *= 2;
    }
    let high = rows.len().min(low + step);
    low + rows[low..high].partition_point(|at| *at < row)
}

/// The first index whose row is at least `row`; the rows from `end` on are.
fn backward(rows: &[EventId], end: usize, row: EventId) -> usize {
    let (mut high, mut step) = (end.min(rows.len()), 1);
    while high >= step && rows[high - step] >= row {
        high -= step;
        step *= 2;
    }
    let low = high.saturating_sub(step);
    low + rows[low..high].partition_point(|at| *at < row)
}

/// The lists of a slice.
pub(super) struct SliceLists<'a>(pub(super) SmallVec<[RowList<'a>; 6]>);

impl<'a> SliceLists<'a> {
    pub(super) fn new(slice: &Slice<'a>) -> SliceLists<'a> {
        SliceLists(slice.lists.iter().map(|rows| RowList::new(rows)).collect())
    }

    /// A chain of lists.
    pub(super) fn chain(&self, lists: &Range<usize>) -> ListChain<'_, 'a> {
        ListChain(&self.0[lists.clone()])
    }
}

/// Lists whose events must match one after the other.
#[derive(Clone, Copy)]
pub(super) struct ListChain<'l, 'a>(&'l [RowList<'a>]);

impl<'l, 'a> ListChain<'l, 'a> {
    /// The first list.
    pub(super) fn first(self) -> &'l RowList<'a> {
        &self.0[0]
    }

    /// The last list.
    pub(super) fn last(self) -> &'l RowList<'a> {
        &self.0[self.0.len() - 1]
    }

    /// Whether it has only one list.
    pub(super) fn is_single(self) -> bool {
        self.0.len() == 1
    }

    /// The last of the earliest events in a half-open range that form the chain.
    pub(super) fn completion(self, from: EventId, below: EventId) -> Option<EventId> {
        let (mut next, mut last) = (from, None);
        for list in self.0 {
            let row = list.next(next).filter(|row| *row < below)?;
            (next, last) = (row + 1, Some(row));
        }
        last
    }

    /// The first of the latest events in an inclusive range that form the chain.
    pub(super) fn latest_start(self, from: EventId, up_to: EventId) -> Option<EventId> {
        let mut below = up_to.checked_add(1)?;
        for list in self.0.iter().rev() {
            below = list.prev(below).filter(|row| *row >= from)?;
        }
        Some(below)
    }

    /// The earliest events from a row on that form the chain.
    pub(super) fn events(self, from: EventId) -> Vec<EventId> {
        let mut next = from;
        let row = |list: &RowList<'_>| {
            let row = list.next(next)?;
            next = row + 1;
            Some(row)
        };
        self.0.iter().map_while(row).collect()
    }

    /// The occurrences in a half-open range: each first event with the earliest others. Occurrences with the same last
    /// event count as one.
    pub(super) fn occurrences(self, from: EventId, below: EventId) -> Occurrences<'l, 'a> {
        Occurrences { chain: self, next: from, below }
    }
}

/// The first event of an occurrence, as late as possible, and the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub(super) start: EventId,
    pub(super) end: EventId,
}

/// The occurrences of a chain, in order.
pub(super) struct Occurrences<'l, 'a> {
    chain: ListChain<'l, 'a>,
    next: EventId,
    below: EventId,
}

impl Iterator for Occurrences<'_, '_> {
    type Item = Occurrence;

    fn next(&mut self) -> Option<Occurrence> {
        let end = self.chain.completion(self.next, self.below)?;
        let start = if self.chain.is_single() { end } else { self.chain.latest_start(self.next, end)? };
        self.next = start + 1;
        Some(Occurrence { start, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_found_from_wherever_the_last_search_ended() {
        let rows: Vec<EventId> = (0..40).map(|row| row * 3 + 1).collect();
        for first in 0..125 {
            for second in 0..125 {
                let list = RowList::new(&rows);
                list.place(first);
                assert_eq!(list.place(second), rows.partition_point(|row| *row < second), "{first} {second}");
            }
        }
        assert_eq!(RowList::new(&[]).place(3), 0);
    }

    #[test]
    fn a_gap_is_the_first_row_that_is_missing() {
        let rows: Vec<EventId> = (2..20).chain([21, 22]).collect();
        let list = RowList::new(&rows);
        assert_eq!([0, 2, 5, 19, 20, 21, 23].map(|from| list.gap(from)), [0, 20, 20, 20, 20, 23, 23]);
    }
}
