//! All events that match a pattern, in stretches that can be searched in any order and on any core.

use super::pattern::{BLOCK, Pattern, VisitedRows};
use super::scan::keep_from;
use crate::trace::event::EventId;
use crate::trace::relation::store::Trace;

/// The stretches of a search for all matches.
pub(crate) struct Sweep<'a> {
    trace: &'a Trace,
    pattern: &'a Pattern,
    /// The half-open range of rows to search.
    rows: (u32, u32),
    over: Over<'a>,
}

/// What is divided into stretches.
enum Over<'a> {
    Rows,
    List(&'a [EventId]),
    /// Several lists; a stretch is the part of each that lies in this many rows.
    Lists(Vec<&'a [EventId]>, u32),
}

/// Rows of a stretch of all rows; few in tests, so that small traces have several stretches.
const ROWS: u32 = if cfg!(test) { 100 } else { 4096 };
/// Events of a stretch of lists, approximately.
const EVENTS: usize = if cfg!(test) { 10 } else { 1024 };

impl<'a> Sweep<'a> {
    /// The stretches for all matches of a pattern.
    pub(crate) fn new(trace: &'a Trace, pattern: &'a Pattern) -> Sweep<'a> {
        let rows = match (pattern.rows.first(), pattern.rows.last()) {
            (Some(first), Some(last)) => (first.0, last.1),
            _ => (0, 0),
        };
        let below = |list: &[EventId], row: u32| list.partition_point(|event| *event < row);
        let mut lists: Vec<&[EventId]> =
            pattern.seek.lists(trace).map(|list| &list[below(list, rows.0)..below(list, rows.1)]).collect();
        let over = match (&pattern.seek, lists.len()) {
            (VisitedRows::Rows, _) => Over::Rows,
            (_, 1) => Over::List(lists.remove(0)),
            _ => {
                let n_events: usize = lists.iter().map(|list| list.len()).sum();
                let n_stretches = (n_events / EVENTS).max(1) as u32;
                Over::Lists(lists, ((rows.1 - rows.0) / n_stretches).max(1))
            }
        };
        Sweep { trace, pattern, rows, over }
    }

    /// The number of stretches.
    pub(crate) fn n_stretches(&self) -> usize {
        let n_rows = (self.rows.1 - self.rows.0) as usize;
        match &self.over {
            Over::Rows => n_rows.div_ceil(ROWS as usize),
            Over::List(list) => list.len().div_ceil(EVENTS),
            Over::Lists(_, width) => n_rows.div_ceil(*width as usize),
        }
    }

    /// The number of events in the lists; none if rows are scanned.
    pub(crate) fn n_listed(&self) -> Option<usize> {
        match &self.over {
            Over::Rows => None,
            Over::List(list) => Some(list.len()),
            Over::Lists(lists, _) => Some(lists.iter().map(|list| list.len()).sum()),
        }
    }

    /// The number of rows to scan; none if lists are walked.
    pub(crate) fn n_rows(&self) -> usize {
        self.pattern.rows.iter().map(|(start, end)| (end - start) as usize).sum()
    }

    /// Adds the matches of a stretch, in order.
    pub(crate) fn add(&self, stretch: usize, into: &mut Vec<i64>) {
        let before = into.len();
        match &self.over {
            Over::Rows => self.add_rows(self.part(stretch, ROWS), into),
            Over::List(list) => {
                let start = stretch * EVENTS;
                let part = &list[start..list.len().min(start + EVENTS)];
                into.extend(part.iter().copied().map(i64::from));
                self.sift(into, before);
            }
            Over::Lists(lists, width) => {
                let (start, end) = self.part(stretch, *width);
                for list in lists {
                    let first = list.partition_point(|event| *event < start);
                    let rest = &list[first..];
                    let part = &rest[..rest.partition_point(|event| *event < end)];
                    into.extend(part.iter().copied().map(i64::from));
                }
                into[before..].sort_unstable();
                self.sift(into, before);
            }
        }
    }

    /// The half-open range of rows of a stretch.
    fn part(&self, stretch: usize, width: u32) -> (u32, u32) {
        let start = self.rows.0 + stretch as u32 * width;
        (start, self.rows.1.min(start.saturating_add(width)))
    }

    /// Removes the events that do not match.
    fn sift(&self, rows: &mut Vec<i64>, from: usize) {
        if self.pattern.rows.len() > 1 {
            keep_from(rows, from, |row| self.pattern.has_row(row as EventId));
        }
        let is_listed_by_key = matches!(self.pattern.seek, VisitedRows::Keys(_));
        for test in self.pattern.tests.iter().filter(|test| !(is_listed_by_key && test.is_of_key())) {
            test.sift(self.trace, rows, from);
        }
    }

    fn add_rows(&self, (start, end): (u32, u32), into: &mut Vec<i64>) {
        let after = self.pattern.rows.partition_point(|(_, last)| *last <= start);
        for (first, last) in self.pattern.rows[after..].iter().take_while(|(first, _)| *first < end) {
            let (first, last) = (start.max(*first), end.min(*last));
            if self.pattern.tests.is_empty() {
                into.extend((first..last).map(i64::from));
                continue;
            }
            for block in (first..last).step_by(BLOCK) {
                let mut marks = [0; BLOCK];
                let n_rows = BLOCK.min((last - block) as usize);
                self.pattern.sieve(self.trace, block, &mut marks[..n_rows]);
                add_marked(block, &marks, into);
            }
        }
    }
}

/// Adds the rows whose mark is 1; a mark is 0 or 1.
fn add_marked(start: u32, marks: &[u8; BLOCK], into: &mut Vec<i64>) {
    let (chunks, _) = marks.as_chunks::<64>();
    for (chunk, first) in chunks.iter().zip((i64::from(start)..).step_by(64)) {
        let mut bits = chunk.as_chunks::<8>().0.iter().rev().fold(0, |bits, eight| bits << 8 | gathered(*eight));
        while bits != 0 {
            into.push(first + i64::from(bits.trailing_zeros()));
            bits &= bits - 1;
        }
    }
}

/// Eight marks as bits, the first one lowest.
fn gathered(marks: [u8; 8]) -> u64 {
    u64::from_le_bytes(marks).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::gathered;

    #[test]
    fn marks_become_bits_in_their_order() {
        for bits in 0..=255_u64 {
            let marks = std::array::from_fn(|place| (bits >> place & 1) as u8);
            assert_eq!(gathered(marks), bits);
        }
    }
}
