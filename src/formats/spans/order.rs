//! The order of events: times are never changed, but an event stands where its span and the spans around it allow.
//!
//! With `from` = max(start, from of the parent) and `to` = max(end, from), call and links stand at `from`, an event at its
//! time brought into \[from, to\], the end at `to`. At one place, events of spans that began before come first, then ends of
//! these spans, inner ones first, then the spans that begin there; among equals the tour decides, which walks the forest
//! depth first.

use super::parents::NO_SPAN;
use super::records::{NO_TIME, SpanRecords};

/// Where spans stand.
pub(super) struct SpanPlaces<'r> {
    records: &'r SpanRecords,
    /// Where each span begins.
    pub(super) from: Vec<i64>,
    /// Entry of each span in the tour.
    enter: Vec<u32>,
    /// Exit of each span in the tour.
    leave: Vec<u32>,
    /// What happens first at a place: see [`rank_at_begin`](SpanPlaces::rank_at_begin).
    rank: Vec<u8>,
}

/// Events of spans that began before.
const BEFORE: u8 = 0;
/// Ends of spans that began before, and the spans that begin and end with them.
const ENDING: u8 = 1;
/// Other spans that begin.
const BEGINNING: u8 = 2;

/// The children of each span, and the tops.
struct SpanForest {
    children: Vec<u32>,
    /// Where the children of each span end.
    ends: Vec<u32>,
    tops: Vec<u32>,
}

impl SpanForest {
    fn new(parents: &[u32]) -> SpanForest {
        let mut ends = vec![0; parents.len()];
        parents.iter().filter(|parent| **parent != NO_SPAN).for_each(|parent| ends[*parent as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            (sum, *end) = (sum + *end, sum);
        }
        let (mut children, mut tops) = (vec![0; sum as usize], Vec::new());
        for (span, parent) in (0..).zip(parents) {
            match ends.get_mut(*parent as usize) {
                Some(end) => {
                    children[*end as usize] = span;
                    *end += 1;
                }
                None => tops.push(span),
            }
        }
        SpanForest { children, ends, tops }
    }

    /// Where the children of a span stand.
    fn range(&self, span: u32) -> std::ops::Range<usize> {
        let start = (span as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[span as usize] as usize
    }

    /// All spans, each after its parent.
    fn down(&self) -> Vec<u32> {
        let (mut down, mut next) = (self.tops.clone(), 0);
        while let Some(span) = down.get(next) {
            down.extend_from_slice(&self.children[self.range(*span)]);
            next += 1;
        }
        down
    }
}

impl SpanPlaces<'_> {
    /// The places of spans with these parents.
    pub(super) fn new<'r>(records: &'r SpanRecords, parents: &[u32]) -> SpanPlaces<'r> {
        let mut forest = SpanForest::new(parents);
        let earliest = earliest_of_tops(records, parents, &forest);
        let n_spans = parents.len();
        let mut places = SpanPlaces {
            records,
            from: vec![0; n_spans],
            enter: vec![0; n_spans],
            leave: vec![0; n_spans],
            rank: vec![BEGINNING; n_spans],
        };
        for top in &forest.tops {
            places.from[*top as usize] = records.records.start(*top).unwrap_or_else(|| earliest.get(*top));
        }
        forest.tops.sort_by_key(|top| places.from[*top as usize]);
        places.tour(&mut forest);
        places
    }

    /// Walks the forest depth first, siblings by where they begin.
    fn tour(&mut self, forest: &mut SpanForest) {
        let (mut number, mut open) = (0, Vec::new());
        for top in std::mem::take(&mut forest.tops) {
            open.push((top, self.enter(top, &mut number, forest)));
            while let Some((span, next)) = open.last_mut() {
                if *next < forest.ends[*span as usize] {
                    let child = forest.children[*next as usize];
                    *next += 1;
                    open.push((child, self.enter(child, &mut number, forest)));
                } else {
                    self.leave[*span as usize] = number;
                    number += 1;
                    open.pop();
                }
            }
        }
    }

    /// Enters a span: places its children and sorts them; where the first one stands.
    fn enter(&mut self, span: u32, number: &mut u32, forest: &mut SpanForest) -> u32 {
        self.enter[span as usize] = *number;
        *number += 1;
        let range = forest.range(span);
        let first = range.start as u32;
        let children = &mut forest.children[range];
        let around = self.from[span as usize];
        for child in &*children {
            let start = self.records.records.start(*child).unwrap_or(around);
            self.from[*child as usize] = around.max(start);
            self.rank[*child as usize] = self.rank_at_begin(*child, span);
        }
        children.sort_by_key(|child| self.from[*child as usize]);
        first
    }

    /// The rank of a span that begins: with the ends, if it also ends there, below one that ends there and began before.
    fn rank_at_begin(&self, span: u32, parent: u32) -> u8 {
        let (from, to, end) = (self.from[span as usize], self.to(span), self.to(parent));
        match from == to && to == end {
            true if self.from[parent as usize] < end => ENDING,
            true => self.rank[parent as usize],
            false => BEGINNING,
        }
    }

    /// Where a span ends; [`NO_TIME`] if it does not.
    fn to(&self, span: u32) -> i64 {
        self.records.records.end(span).map_or(NO_TIME, |end| end.max(self.from[span as usize]))
    }

    /// The key of the call of a span.
    pub(super) fn call(&self, span: u32) -> PlaceKey {
        let at = span as usize;
        PlaceKey::new(self.from[at], self.rank[at], self.enter[at], 0)
    }

    /// The key of a link of a span.
    pub(super) fn link(&self, span: u32) -> PlaceKey {
        let at = span as usize;
        PlaceKey::new(self.from[at], self.rank[at], self.enter[at], 1)
    }

    /// The key of an event of a span.
    pub(super) fn event(&self, span: u32, time: Option<i64>) -> PlaceKey {
        let (at, place) = (span as usize, place_of(self.from[span as usize], self.to(span), time));
        let rank = if place == self.from[at] { self.rank[at] } else { BEFORE };
        PlaceKey::new(place, rank, self.enter[at], 2)
    }

    /// The key of the end of a span; none if it has no end.
    pub(super) fn end(&self, span: u32) -> Option<PlaceKey> {
        let at = span as usize;
        let to = Some(self.to(span)).filter(|to| *to != NO_TIME)?;
        let rank = if to == self.from[at] { self.rank[at] } else { ENDING };
        Some(PlaceKey::new(to, rank, self.leave[at], 3))
    }
}

/// Where an event of a span stands.
pub(super) fn place_of(from: i64, to: i64, time: Option<i64>) -> i64 {
    let place = time.map_or(from, |time| time.max(from));
    if to == NO_TIME { place } else { place.min(to) }
}

/// The order of events: place, rank, number in the tour, and kind; events and links of a span stand in their own order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PlaceKey {
    pub(super) place: i64,
    rest: u64,
}

impl PlaceKey {
    fn new(place: i64, rank: u8, tour: u32, kind: u8) -> PlaceKey {
        PlaceKey { place, rest: u64::from(rank) << 34 | u64::from(tour) << 2 | u64::from(kind) }
    }
}

#[cfg(test)]
impl PlaceKey {
    /// The first key at a place.
    pub(super) fn at(place: i64) -> PlaceKey {
        PlaceKey::new(place, BEFORE, 0, 0)
    }
}

/// The earliest time that is known of a top without a start and of all below it.
struct EarliestTimes(Vec<i64>);

impl EarliestTimes {
    fn get(&self, span: u32) -> i64 {
        self.0.get(span as usize).copied().filter(|time| *time != i64::MAX).unwrap_or(0)
    }
}

fn earliest_of_tops(records: &SpanRecords, parents: &[u32], forest: &SpanForest) -> EarliestTimes {
    if forest.tops.iter().all(|top| records.records.start(*top).is_some()) {
        return EarliestTimes(Vec::new());
    }
    let mut earliest: Vec<i64> = records.records.numbers().map(|span| earliest_of(records, span)).collect();
    for span in forest.down().iter().rev() {
        let time = earliest[*span as usize];
        if let Some(around) = earliest.get_mut(parents[*span as usize] as usize) {
            *around = time.min(*around);
        }
    }
    EarliestTimes(earliest)
}

/// The earliest time that the record of a span has.
fn earliest_of(records: &SpanRecords, span: u32) -> i64 {
    let (record, body) = (records.records.get(span), records.body_of(span));
    let of_events = records.parts(&body).filter(|(is_link, _)| !is_link).filter_map(|(_, part)| part.time());
    of_events.chain(record.start()).chain(record.end()).min().unwrap_or(i64::MAX)
}
