//! The order of events: times are never changed, but an event stands where its span and the spans around it allow.
//!
//! With `from` = max(start, from of the parent) and `to` = max(end, from), call and links stand at `from`, an event at its
//! time brought into \[from, to\], the end at `to`. At one place, events of spans that began before come first, then ends of
//! these spans, inner ones first, then the spans that begin there; among equals the tour decides, which walks the forest
//! depth first.

use super::parents::NO_SPAN;
use super::records::{NO_TIME, SpanRecords};

/// Where spans stand.
pub(super) struct SpanPlaces {
    /// Where each span begins.
    pub(super) from: Vec<i64>,
    /// Where each span ends; [`NO_TIME`] if it does not.
    pub(super) to: Vec<i64>,
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
    ends: Vec<usize>,
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
        let (mut children, mut tops) = (vec![0; sum], Vec::new());
        for (span, parent) in (0..).zip(parents) {
            match ends.get_mut(*parent as usize) {
                Some(end) => {
                    children[*end] = span;
                    *end += 1;
                }
                None => tops.push(span),
            }
        }
        SpanForest { children, ends, tops }
    }

    fn range(&self, span: u32) -> std::ops::Range<usize> {
        let start = (span as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[span as usize]
    }

    fn children(&self, span: u32) -> &[u32] {
        &self.children[self.range(span)]
    }

    /// All spans, each after its parent.
    fn down(&self) -> Vec<u32> {
        let (mut down, mut next) = (self.tops.clone(), 0);
        while let Some(span) = down.get(next) {
            down.extend_from_slice(self.children(*span));
            next += 1;
        }
        down
    }

    /// Sorts siblings by where they begin.
    fn sort(&mut self, from: &[i64]) {
        let begin = |span: &u32| from[*span as usize];
        self.tops.sort_by_key(begin);
        let mut start = 0;
        for end in &self.ends {
            self.children[start..*end].sort_by_key(begin);
            start = *end;
        }
    }
}

impl SpanPlaces {
    /// The places of spans with these parents.
    pub(super) fn new(records: &SpanRecords, parents: &[u32]) -> SpanPlaces {
        let mut forest = SpanForest::new(parents);
        let down = forest.down();
        let earliest = earliest_of_tops(records, parents, &down);
        let n_spans = parents.len();
        let mut places = SpanPlaces {
            from: vec![0; n_spans],
            to: vec![NO_TIME; n_spans],
            enter: vec![0; n_spans],
            leave: vec![0; n_spans],
            rank: vec![BEGINNING; n_spans],
        };
        for span in &down {
            let (record, parent) = (&records.records[*span as usize], parents[*span as usize]);
            let around = places.from.get(parent as usize).copied();
            let start = record.start().or(around).unwrap_or_else(|| earliest.get(span));
            let from = around.map_or(start, |around| around.max(start));
            places.from[*span as usize] = from;
            places.to[*span as usize] = record.end().map_or(NO_TIME, |end| end.max(from));
            places.rank[*span as usize] = places.rank_at_begin(*span, parent);
        }
        forest.sort(&places.from);
        places.tour(&forest);
        places
    }

    /// The rank of a span that begins: with the ends, if it also ends there, below one that ends there and began before.
    fn rank_at_begin(&self, span: u32, parent: u32) -> u8 {
        let (span, parent) = (span as usize, parent as usize);
        match self.to.get(parent) {
            Some(end) if self.from[span] == self.to[span] && self.to[span] == *end => {
                if self.from[parent] < *end {
                    ENDING
                } else {
                    self.rank[parent]
                }
            }
            _ => BEGINNING,
        }
    }

    /// Walks the forest depth first.
    fn tour(&mut self, forest: &SpanForest) {
        let mut number = 0;
        for top in &forest.tops {
            let mut open = vec![(*top, forest.range(*top))];
            self.enter[*top as usize] = number;
            number += 1;
            while let Some((span, rest)) = open.last_mut() {
                match rest.next() {
                    Some(child) => {
                        let child = forest.children[child];
                        self.enter[child as usize] = number;
                        open.push((child, forest.range(child)));
                    }
                    None => {
                        self.leave[*span as usize] = number;
                        open.pop();
                    }
                }
                number += 1;
            }
        }
    }

    /// The key of the call of a span.
    pub(super) fn call(&self, span: u32) -> PlaceKey {
        let at = span as usize;
        PlaceKey::new(self.from[at], self.rank[at], self.enter[at], 0, 0)
    }

    /// The key of a link of a span.
    pub(super) fn link(&self, span: u32, index: u32) -> PlaceKey {
        let at = span as usize;
        PlaceKey::new(self.from[at], self.rank[at], self.enter[at], 1, index)
    }

    /// The key of an event of a span.
    pub(super) fn event(&self, span: u32, time: Option<i64>, index: u32) -> PlaceKey {
        let (at, place) = (span as usize, self.place_of(span, time));
        let rank = if place == self.from[at] { self.rank[at] } else { BEFORE };
        PlaceKey::new(place, rank, self.enter[at], 2, index)
    }

    /// The key of the end of a span; none if it has no end.
    pub(super) fn end(&self, span: u32) -> Option<PlaceKey> {
        let at = span as usize;
        let to = Some(self.to[at]).filter(|to| *to != NO_TIME)?;
        let rank = if to == self.from[at] { self.rank[at] } else { ENDING };
        Some(PlaceKey::new(to, rank, self.leave[at], 3, 0))
    }

    fn place_of(&self, span: u32, time: Option<i64>) -> i64 {
        place_of(self.from[span as usize], self.to[span as usize], time)
    }
}

/// Where an event of a span stands.
pub(super) fn place_of(from: i64, to: i64, time: Option<i64>) -> i64 {
    let place = time.map_or(from, |time| time.max(from));
    if to == NO_TIME { place } else { place.min(to) }
}

/// The order of events: place, rank, number in the tour, kind, and number of the event or link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PlaceKey {
    place: i64,
    rest: u64,
}

impl PlaceKey {
    const INDEX_BITS: u32 = 27;
    const MOST: u64 = (1 << PlaceKey::INDEX_BITS) - 1;

    fn new(place: i64, rank: u8, tour: u32, kind: u8, index: u32) -> PlaceKey {
        let index = u64::from(index).min(PlaceKey::MOST);
        let kind = u64::from(tour) << 2 | u64::from(kind);
        PlaceKey { place, rest: u64::from(rank) << 61 | kind << PlaceKey::INDEX_BITS | index }
    }
}

/// The earliest time that is known of a top without a start and of all below it.
struct EarliestTimes(Vec<i64>);

impl EarliestTimes {
    fn get(&self, span: &u32) -> i64 {
        self.0.get(*span as usize).copied().filter(|time| *time != i64::MAX).unwrap_or(0)
    }
}

fn earliest_of_tops(records: &SpanRecords, parents: &[u32], down: &[u32]) -> EarliestTimes {
    let lacks_start = |span: usize| parents[span] == NO_SPAN && records.records[span].start().is_none();
    if !(0..parents.len()).any(lacks_start) {
        return EarliestTimes(Vec::new());
    }
    let mut earliest: Vec<i64> = (0..parents.len()).map(|span| earliest_of(records, span)).collect();
    for span in down.iter().rev() {
        let time = earliest[*span as usize];
        if let Some(around) = earliest.get_mut(parents[*span as usize] as usize) {
            *around = time.min(*around);
        }
    }
    EarliestTimes(earliest)
}

/// The earliest time that the record of a span has.
fn earliest_of(records: &SpanRecords, span: usize) -> i64 {
    let record = &records.records[span];
    let body = records.body(record);
    let of_events = records.parts(&body).filter(|(is_link, _)| !is_link).filter_map(|(_, part)| part.time());
    of_events.chain(record.start()).chain(record.end()).min().unwrap_or(i64::MAX)
}
