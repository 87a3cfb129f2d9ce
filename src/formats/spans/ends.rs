//! When spans end: how long after their starts, in 32 bits while most spans are that short.

use super::records::NO_TIME;
use crate::term::hash::NumberMap;

/// The ends of records.
#[derive(Debug)]
pub(super) enum RecordEnds {
    /// Nanoseconds after the start, or a mark; with the ends that have no such number.
    Short(Vec<u32>, NumberMap<u32, i64>),
    /// The ends themselves.
    Whole(Vec<i64>),
}

/// There is no end.
const NONE: u32 = u32::MAX;
/// The end is among the others.
const OTHER: u32 = u32::MAX - 1;
/// If more than one in so many ends is among the others, all are stored whole.
const FEW: usize = 8;

impl Default for RecordEnds {
    fn default() -> RecordEnds {
        RecordEnds::Short(Vec::new(), NumberMap::default())
    }
}

impl RecordEnds {
    /// Adds the end of a record with a start, [`NO_TIME`] for none.
    #[inline]
    pub(super) fn push(&mut self, start: i64, end: i64) {
        match self {
            RecordEnds::Short(lengths, others) => {
                let length = length(start, end);
                if length == OTHER {
                    others.insert(lengths.len() as u32, end);
                }
                lengths.push(length);
            }
            RecordEnds::Whole(ends) => ends.push(end),
        }
    }

    /// Changes the end of a record.
    pub(super) fn set(&mut self, number: u32, start: i64, end: i64) {
        match self {
            RecordEnds::Short(lengths, others) => {
                let length = length(start, end);
                lengths[number as usize] = length;
                others.remove(&number);
                if length == OTHER {
                    others.insert(number, end);
                }
            }
            RecordEnds::Whole(ends) => ends[number as usize] = end,
        }
    }

    /// The end of a record with a start.
    #[inline]
    pub(super) fn at(&self, number: u32, start: i64) -> i64 {
        match self {
            RecordEnds::Short(lengths, others) => match lengths[number as usize] {
                NONE => NO_TIME,
                OTHER => others.get(&number).copied().unwrap_or(NO_TIME),
                length => start + i64::from(length),
            },
            RecordEnds::Whole(ends) => ends[number as usize],
        }
    }

    pub(super) fn truncate(&mut self, n_records: usize) {
        match self {
            RecordEnds::Short(lengths, others) => {
                for number in n_records..lengths.len() {
                    others.remove(&(number as u32));
                }
                lengths.truncate(n_records);
            }
            RecordEnds::Whole(ends) => ends.truncate(n_records),
        }
    }

    /// Stores the ends of records with these starts whole, if many are not short.
    pub(super) fn widen(&mut self, start: impl Fn(usize) -> i64) {
        let RecordEnds::Short(lengths, others) = &self else { return };
        if others.len() * FEW > lengths.len() {
            let end = |number: usize| self.at(number as u32, start(number));
            *self = RecordEnds::Whole((0..lengths.len()).map(end).collect());
        }
    }

    /// Puts the ends into another order: that of their old numbers in `old`.
    pub(super) fn reorder(&mut self, old: &[u32]) {
        match self {
            RecordEnds::Short(lengths, others) => {
                *lengths = old.iter().map(|number| lengths[*number as usize]).collect();
                if !others.is_empty() {
                    let moved = (0..).zip(old).filter_map(|(new, old)| Some((new, *others.get(old)?)));
                    *others = moved.collect();
                }
            }
            RecordEnds::Whole(ends) => *ends = old.iter().map(|number| ends[*number as usize]).collect(),
        }
    }

    pub(super) fn shrink(&mut self) {
        match self {
            RecordEnds::Short(lengths, others) => {
                lengths.shrink_to_fit();
                others.shrink_to_fit();
            }
            RecordEnds::Whole(ends) => ends.shrink_to_fit(),
        }
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            RecordEnds::Short(lengths, others) => lengths.capacity() * 4 + others.capacity() * 16,
            RecordEnds::Whole(ends) => ends.capacity() * 8,
        }
    }
}

/// The number that stands for an end.
#[inline]
fn length(start: i64, end: i64) -> u32 {
    match end.checked_sub(start).map(u32::try_from) {
        _ if end == NO_TIME => NONE,
        Some(Ok(length)) if length < OTHER => length,
        _ => OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_those_that_were_added_however_they_are_stored() {
        let pairs = [
            (10, 12),
            (10, NO_TIME),
            (NO_TIME, 12),
            (NO_TIME, NO_TIME),
            (10, 9),
            (0, i64::from(u32::MAX)),
            (0, i64::from(u32::MAX) - 1),
            (0, i64::from(u32::MAX) - 2),
            (i64::MAX, -1),
        ];
        let mut ends = RecordEnds::default();
        pairs.iter().for_each(|(start, end)| ends.push(*start, *end));
        let starts = pairs.map(|(start, _)| start);
        let found =
            |ends: &RecordEnds| (0..).zip(starts).map(|(number, start)| ends.at(number, start)).collect::<Vec<_>>();
        assert_eq!(found(&ends), pairs.map(|(_, end)| end));
        ends.set(4, 10, 11);
        ends.set(0, 10, -3);
        assert_eq!((ends.at(4, 10), ends.at(0, 10)), (11, -3));
        let short = found(&ends);
        ends.widen(|number| starts[number]);
        assert!(matches!(ends, RecordEnds::Whole(_)));
        assert_eq!(found(&ends), short);
    }
}
