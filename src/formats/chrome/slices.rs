//! Which slice of a track is in which, if the track has only slices and points and no two slices overlap.

use std::cmp::Reverse;

use super::heads::NONE;
use super::log::{ChromeLog, RecordIdx};
use super::nesting::{SequenceItem, are_written_at_end};
use super::pairs::BoxLinks;

/// A slice that is open.
#[derive(Clone, Copy)]
struct OpenSlice {
    record: RecordIdx,
    end: i64,
}

/// A slice by the place at which it begins: those that last longer first, and of equal ones the outer one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SliceKey {
    start: i64,
    end: Reverse<i64>,
    order: i64,
}

/// Slices that are open, each in the one before.
struct OpenSlices<'l> {
    open: Vec<OpenSlice>,
    links: &'l mut BoxLinks,
    items: &'l mut Vec<SequenceItem>,
}

/// Orders the slices and points of a track, which come in the order of the file. Returns whether no slices overlap; if some
/// do, their order is not found.
pub(super) fn order_slices(
    log: &ChromeLog,
    records: &[RecordIdx],
    links: &mut BoxLinks,
    items: &mut Vec<SequenceItem>,
) -> bool {
    let is_slice = |idx: &&RecordIdx| log.head(**idx).phase == 'X';
    let slices = sorted_slices(log, records.iter().filter(is_slice).copied().collect());
    let mut points: Vec<RecordIdx> = records.iter().filter(|idx| !is_slice(idx)).copied().collect();
    if !points.is_sorted_by_key(|idx| log.time(*idx)) {
        points.sort_by_key(|idx| log.time(*idx));
    }
    let (n_before, mut points) = (items.len(), points.into_iter().peekable());
    let mut open = OpenSlices { open: Vec::new(), links, items };
    for SliceKey { start, end: Reverse(end), order } in slices {
        while let Some(point) = points.next_if(|point| log.time(*point) < start) {
            open.point(point, log.time(point));
        }
        if !open.begin(order.unsigned_abs() as RecordIdx, start, end) {
            open.items.truncate(n_before);
            return false;
        }
    }
    points.for_each(|point| open.point(point, log.time(point)));
    open.end_until(i64::MAX);
    true
}

/// The slices in the order in which they begin.
fn sorted_slices(log: &ChromeLog, slices: Vec<RecordIdx>) -> Vec<SliceKey> {
    let sign = if are_written_at_end(log, &slices) { -1 } else { 1 };
    let key = |idx: &RecordIdx| SliceKey {
        start: log.time(*idx),
        end: Reverse(log.end(*idx)),
        order: sign * i64::from(*idx),
    };
    let mut keys: Vec<SliceKey> = slices.iter().map(key).collect();
    if !keys.is_sorted() {
        keys.sort_unstable();
    }
    keys
}

impl OpenSlices<'_> {
    /// Begins a slice; returns whether it overlaps no other one.
    fn begin(&mut self, record: RecordIdx, start: i64, end: i64) -> bool {
        self.end_until(start);
        self.add(record);
        if self.open.last().is_some_and(|outer| outer.end < end) {
            return false;
        }
        match start == end {
            true => self.items.push(SequenceItem::end(record)),
            false => self.open.push(OpenSlice { record, end }),
        }
        true
    }

    fn point(&mut self, record: RecordIdx, time: i64) {
        self.end_until(time);
        self.add(record);
    }

    fn add(&mut self, record: RecordIdx) {
        self.links.around[record as usize] = self.open.last().map_or(NONE, |around| around.record);
        self.items.push(SequenceItem::of(record));
    }

    /// Ends the slices that end until a time.
    fn end_until(&mut self, time: i64) {
        while let Some(ended) = self.open.pop_if(|last| last.end <= time) {
            self.items.push(SequenceItem::end(ended.record));
        }
    }
}
