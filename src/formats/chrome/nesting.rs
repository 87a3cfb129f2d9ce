//! Which box of a track is in which, if some are X: by the times at which they begin and end.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::heads::NONE;
use super::log::{ChromeLog, RecordIdx};
use super::pairs::BoxLinks;
use super::rules::RuleFindings;
use crate::term::hash::HashMap;

/// An event of a sequence: a record, or the end of an X.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SequenceItem(u32);

impl SequenceItem {
    /// The event that a record is.
    pub(super) fn of(record: RecordIdx) -> SequenceItem {
        SequenceItem(record << 1)
    }

    /// The end of an X.
    pub(super) fn end(record: RecordIdx) -> SequenceItem {
        SequenceItem(record << 1 | 1)
    }

    pub(super) fn record(self) -> RecordIdx {
        self.0 >> 1
    }

    /// Whether it is the end of an X.
    pub(super) fn is_end(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn time(self, log: &ChromeLog) -> i64 {
        if self.is_end() { log.end(self.record()) } else { log.time(self.record()) }
    }
}

/// The number of a box in the order in which boxes begin.
type Rank = u32;

/// A box of the track.
struct TrackBox {
    record: RecordIdx,
    start: i64,
    end: i64,
    is_slice: bool,
    /// The B in which it is by the order of the records; one that has ended may be skipped.
    outer: Rank,
    /// Boxes that are in it by the order of the records have entries between the two.
    entry: u32,
    last_entry: u32,
    is_open: bool,
}

/// Orders the events of a track.
pub(super) struct Nesting<'l> {
    log: &'l ChromeLog,
    links: &'l mut BoxLinks,
    findings: &'l mut RuleFindings,
    items: &'l mut Vec<SequenceItem>,
    boxes: Vec<TrackBox>,
    /// Open boxes in the order in which they began.
    open: BTreeSet<Rank>,
    /// Open boxes with a length, that which ends first on top.
    ends: BinaryHeap<(Reverse<i64>, Rank)>,
    /// Open boxes of no length at the current time, each in the one before.
    instant: Vec<Rank>,
    /// Open boxes that no later one outlasts, and the X among them: each ends before the one below.
    lasting: [Vec<Rank>; 2],
}

/// At most this many boxes that a box overlaps are reported.
const MOST_OVERLAPS: usize = 64;

/// No box.
const NO_BOX: Rank = u32::MAX;

impl<'l> Nesting<'l> {
    pub(super) fn new(
        log: &'l ChromeLog,
        links: &'l mut BoxLinks,
        findings: &'l mut RuleFindings,
        items: &'l mut Vec<SequenceItem>,
    ) -> Nesting<'l> {
        Nesting {
            log,
            links,
            findings,
            items,
            boxes: Vec::new(),
            open: BTreeSet::new(),
            ends: BinaryHeap::new(),
            instant: Vec::new(),
            lasting: [Vec::new(), Vec::new()],
        }
    }

    /// Orders the records of a track, which come in the order in which B and E count.
    pub(super) fn order(mut self, records: &[RecordIdx]) {
        self.rank(records);
        let log = self.log;
        let is_point = |idx: &&RecordIdx| {
            let head = log.head(**idx);
            let is_end = head.ends() && self.links.partner(**idx) != NONE;
            let is_of_box = head.is_box() || is_end;
            !is_of_box
        };
        let mut points: Vec<RecordIdx> = records.iter().filter(is_point).copied().collect();
        points.sort_by_key(|idx| (log.time(*idx), *idx));
        let mut points = points.into_iter().peekable();
        for rank in 0..self.boxes.len() as Rank {
            let start = self.boxes[rank as usize].start;
            while let Some(point) = points.next_if(|point| log.time(*point) < start) {
                self.point(point);
            }
            self.begin(rank);
        }
        points.for_each(|point| self.point(point));
        self.end_before(i64::MAX);
    }

    /// The boxes in the order in which they begin.
    fn rank(&mut self, records: &[RecordIdx]) {
        let log = self.log;
        let mut begins: Vec<RecordIdx> = records.iter().filter(|idx| log.head(**idx).is_box()).copied().collect();
        let end = |idx: RecordIdx| self.end_of(idx);
        // the greatest end of the B that begin at a time, and their places
        let mut last_end: HashMap<i64, i64> = Default::default();
        let mut place = vec![];
        for idx in &begins {
            place.push((*idx, place.len() as i64));
            if !is_slice(log, *idx) {
                let last = last_end.entry(log.time(*idx)).or_insert(i64::MIN);
                *last = end(*idx).max(*last);
            }
        }
        let places: HashMap<RecordIdx, i64> = place.into_iter().collect();
        let sign = if are_written_at_end(log, &begins) { -1 } else { 1 };
        let key = |idx: &RecordIdx| {
            let (time, end) = (log.time(*idx), log.end(*idx));
            if !is_slice(log, *idx) {
                return (time, 1, Reverse(0), places[idx]);
            }
            let outlasts = last_end.get(&time).is_none_or(|last| end >= *last);
            let class = if outlasts && end > time { 0 } else { 2 };
            (time, class, Reverse(end), sign * i64::from(*idx))
        };
        begins.sort_by_cached_key(key);
        self.boxes = begins.iter().map(|idx| self.track_box(*idx)).collect();
        self.link();
    }

    fn end_of(&self, idx: RecordIdx) -> i64 {
        match self.links.partner(idx) {
            _ if is_slice(self.log, idx) => self.log.end(idx),
            NONE => i64::MAX,
            partner => self.log.time(partner),
        }
    }

    fn track_box(&self, record: RecordIdx) -> TrackBox {
        let (start, end, is_slice) = (self.log.time(record), self.end_of(record), is_slice(self.log, record));
        TrackBox { record, start, end, is_slice, outer: NO_BOX, entry: 0, last_entry: 0, is_open: false }
    }

    /// Finds for each B the one around it, and numbers them such that those inside of a B follow each other.
    fn link(&mut self) {
        let rank_of: HashMap<RecordIdx, Rank> =
            (0..).zip(&self.boxes).filter(|(_, one)| !one.is_slice).map(|(rank, one)| (one.record, rank)).collect();
        let mut sizes = vec![1u32; self.boxes.len()];
        let ranks: Vec<usize> = (0..self.boxes.len()).filter(|rank| !self.boxes[*rank].is_slice).collect();
        for rank in ranks.iter().rev().copied() {
            let around = self.links.around[self.boxes[rank].record as usize];
            let outer = rank_of.get(&around).copied().unwrap_or(NO_BOX);
            self.boxes[rank].outer = outer;
            if outer != NO_BOX {
                sizes[outer as usize] += sizes[rank];
            }
        }
        // the next free entry in each box, and outside of all
        let mut free = vec![0u32; self.boxes.len()];
        let mut free_outside = 0;
        for rank in ranks {
            let next = match self.boxes[rank].outer {
                NO_BOX => &mut free_outside,
                outer => &mut free[outer as usize],
            };
            let entry = *next;
            *next += sizes[rank];
            free[rank] = entry + 1;
            (self.boxes[rank].entry, self.boxes[rank].last_entry) = (entry, entry + sizes[rank] - 1);
        }
    }

    fn begin(&mut self, rank: Rank) {
        let TrackBox { record, start, end, is_slice, .. } = self.boxes[rank as usize];
        self.end_before(start);
        self.end_at(start);
        while let Some(last) = self.instant.pop_if(|last| !is_inside(&self.boxes, *last, rank)) {
            self.end(last);
        }
        let parent = self.parent(rank);
        if self.open.last().is_some_and(|last| *last != parent) {
            self.note_overlaps(rank, parent);
        }
        self.links.around[record as usize] = self.boxes.get(parent as usize).map_or(NONE, |parent| parent.record);
        self.items.push(SequenceItem::of(record));
        self.boxes[rank as usize].is_open = true;
        self.open.insert(rank);
        match start == end {
            true => self.instant.push(rank),
            false => self.last(rank, end, is_slice),
        }
    }

    /// Notes an open box with a length.
    fn last(&mut self, rank: Rank, end: i64, is_slice: bool) {
        if end < i64::MAX {
            self.ends.push((Reverse(end), rank));
        }
        let n_lists = if is_slice { 2 } else { 1 };
        for list in &mut self.lasting[..n_lists] {
            while list.pop_if(|outlasted| self.boxes[*outlasted as usize].end <= end).is_some() {}
            list.push(rank);
        }
    }

    /// The box in which a box begins: the last one that holds it.
    fn parent(&mut self, rank: Rank) -> Rank {
        let TrackBox { start, end, is_slice, .. } = self.boxes[rank as usize];
        let list = &mut self.lasting[usize::from(!is_slice)];
        while list.pop_if(|ended| self.boxes[*ended as usize].end <= start).is_some() {}
        let n_holding = list.partition_point(|around| self.boxes[*around as usize].end >= end);
        let by_time = n_holding.checked_sub(1).map(|last| list[last]);
        let by_order = if is_slice { None } else { self.open_outer(rank) };
        by_time.max(by_order).unwrap_or(NO_BOX)
    }

    /// The innermost open B around a B by the order of the records.
    fn open_outer(&mut self, rank: Rank) -> Option<Rank> {
        let first = self.boxes[rank as usize].outer;
        let mut outer = first;
        while outer != NO_BOX && !self.boxes[outer as usize].is_open {
            outer = self.boxes[outer as usize].outer;
        }
        // those that have ended are passed once only
        let mut passed = rank;
        while passed != outer {
            let next = std::mem::replace(&mut self.boxes[passed as usize].outer, outer);
            if next == NO_BOX || next == outer {
                break;
            }
            passed = next;
        }
        (outer != NO_BOX).then_some(outer)
    }

    /// Reports the open boxes that a box overlaps.
    fn note_overlaps(&mut self, rank: Rank, parent: Rank) {
        let inner = &self.boxes[rank as usize];
        let first = if parent == NO_BOX { 0 } else { parent + 1 };
        let overlaps = |outer: &&Rank| {
            let outer = &self.boxes[**outer as usize];
            (outer.is_slice || inner.is_slice) && outer.start < inner.start && outer.end < inner.end
        };
        for outer in self.open.range(first..).rev().take(MOST_OVERLAPS).filter(overlaps) {
            let [inner, outer] = [rank, *outer].map(|rank| self.boxes[rank as usize].record);
            let [inner_number, outer_number] = [inner, outer].map(|record| self.log.number(record));
            let message = format!("record {inner_number} overlaps record {outer_number}: neither is in the other");
            self.findings.add("C3", self.log.line(inner), message);
        }
    }

    /// An event at a point of time: what ends at that time has ended before.
    fn point(&mut self, idx: RecordIdx) {
        let time = self.log.time(idx);
        self.end_before(time);
        self.end_at(time);
        self.end_instant();
        let around = self.open.last().map_or(NONE, |rank| self.boxes[*rank as usize].record);
        self.links.around[idx as usize] = around;
        self.items.push(SequenceItem::of(idx));
    }

    /// Ends the boxes that end before a time.
    fn end_before(&mut self, time: i64) {
        let is_over = |boxes: &[TrackBox], rank: Rank| boxes[rank as usize].end < time;
        if self.instant.last().is_some_and(|last| is_over(&self.boxes, *last)) {
            self.end_instant();
        }
        while let Some((_, rank)) = self.ends.peek().copied().filter(|(Reverse(end), _)| *end < time) {
            self.ends.pop();
            self.end(rank);
        }
    }

    /// Ends the boxes with a length that end at a time.
    fn end_at(&mut self, time: i64) {
        while let Some((_, rank)) = self.ends.peek().copied().filter(|(Reverse(end), _)| *end == time) {
            self.ends.pop();
            self.end(rank);
        }
    }

    fn end_instant(&mut self) {
        while let Some(last) = self.instant.pop() {
            self.end(last);
        }
    }

    fn end(&mut self, rank: Rank) {
        let one = &mut self.boxes[rank as usize];
        one.is_open = false;
        self.open.remove(&rank);
        self.items.push(match one.is_slice {
            true => SequenceItem::end(one.record),
            false => SequenceItem::of(self.links.partner(one.record)),
        });
    }
}

fn is_slice(log: &ChromeLog, idx: RecordIdx) -> bool {
    log.head(idx).phase == 'X'
}

/// Whether the X stand in the order of their ends, and not of their starts: they were written when they ended.
pub(super) fn are_written_at_end(log: &ChromeLog, begins: &[RecordIdx]) -> bool {
    let is_slice = |idx: &&RecordIdx| is_slice(log, **idx);
    let mut slices: Vec<RecordIdx> = begins.iter().filter(is_slice).copied().collect();
    slices.sort_unstable();
    slices.is_sorted_by_key(|idx| log.end(*idx)) && !slices.is_sorted_by_key(|idx| log.time(*idx))
}

/// Whether a B is in another one by the order of the records.
fn is_inside(boxes: &[TrackBox], outer: Rank, inner: Rank) -> bool {
    let (outer, inner) = (&boxes[outer as usize], &boxes[inner as usize]);
    !outer.is_slice && !inner.is_slice && (outer.entry..=outer.last_entry).contains(&inner.entry)
}
