//! The rows of the relation in their order, each as a span and a part of it; spans are renumbered by their calls.

use super::order::{PlaceKey, SpanPlaces};
use super::parents::NO_SPAN;
use super::records::{ERROR, HAS_EVENTS, HAS_LINKS, SpanRecords};
use crate::trace::EventId;
use crate::trace::threads::{n_cores, on_cores};

/// What an event of the relation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    Call,
    End,
    Event,
    Link,
}

/// An event of the relation: its span, its kind, and where the event or link begins in the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    packed: u32,
    pub(super) at: u32,
}

impl Row {
    const KIND_SHIFT: u32 = 30;
    /// More spans than these have no rows.
    pub(super) const MOST_SPANS: usize = 1 << Row::KIND_SHIFT;

    pub(super) fn new(span: u32, kind: RowKind, at: u32) -> Row {
        Row { packed: span | (kind as u32) << Row::KIND_SHIFT, at }
    }

    #[inline]
    pub(super) fn span(self) -> u32 {
        self.packed & ((1 << Row::KIND_SHIFT) - 1)
    }

    #[inline]
    pub(super) fn kind(self) -> RowKind {
        match self.packed >> Row::KIND_SHIFT {
            0 => RowKind::Call,
            1 => RowKind::End,
            2 => RowKind::Event,
            _ => RowKind::Link,
        }
    }

    /// Whether it is about the whole span.
    #[inline]
    pub(super) fn is_edge(self) -> bool {
        matches!(self.kind(), RowKind::Call | RowKind::End)
    }

    fn of_span(self, span: u32) -> Row {
        Row::new(span, self.kind(), self.at)
    }
}

impl RowKind {
    /// The port of such an event of a span with a status.
    pub(super) fn port(self, status: u8) -> &'static str {
        match self {
            RowKind::Call => "call",
            RowKind::End if status == ERROR => "exception",
            RowKind::End => "exit",
            RowKind::Event => "event",
            RowKind::Link => "link",
        }
    }
}

/// Rows in four bytes each: calls and ends by their spans, events and links by their numbers among all of them.
pub(super) struct RowTable {
    codes: Vec<u32>,
    /// Twice the number of spans: the code of the first event or link.
    n_edges: u32,
    parts: Vec<Row>,
}

impl RowTable {
    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    /// The row of an event.
    pub(super) fn at(&self, event: EventId) -> Option<Row> {
        self.codes.get(event as usize).map(|code| self.row(*code))
    }

    /// All rows in their order.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = Row> {
        self.codes.iter().map(|code| self.row(*code))
    }

    /// The events and links, in no order.
    pub(super) fn parts(&self) -> &[Row] {
        &self.parts
    }

    #[inline]
    fn row(&self, code: u32) -> Row {
        match code.checked_sub(self.n_edges) {
            Some(part) => self.parts[part as usize],
            None if code.is_multiple_of(2) => Row::new(code / 2, RowKind::Call, 0),
            None => Row::new(code / 2, RowKind::End, 0),
        }
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.codes.capacity() * size_of::<u32>() + self.parts.capacity() * size_of::<Row>()
    }

    /// The rows of spans that stand at these places.
    pub(super) fn ordered(records: &SpanRecords, places: &SpanPlaces<'_>) -> RowTable {
        let parts = all_parts(records);
        let n_spans = records.len() as u32;
        let mut table = RowTable { codes: Vec::new(), n_edges: 2 * n_spans, parts };
        let n_rows = 2 * n_spans + table.parts.len() as u32;
        let key = |code: u32| table.key(code, records, places);
        let buckets = Buckets::of_sample((0..n_rows).step_by(Buckets::SAMPLED).filter_map(key));
        let mut codes = buckets.distributed(|| (0..n_rows).filter_map(|code| Some((code, key(code)?.place))));
        on_cores(n_cores(), codes.stretches().into_iter(), |stretch| stretch.sort(key));
        table.codes = codes.codes;
        table
    }

    /// The place of a row in the order; none for the end of a span that has none.
    fn key(&self, code: u32, records: &SpanRecords, places: &SpanPlaces<'_>) -> Option<PlaceKey> {
        let row = self.row(code);
        match row.kind() {
            RowKind::Call => Some(places.call(row.span())),
            RowKind::End => places.end(row.span()),
            RowKind::Link => Some(places.link(row.span())),
            RowKind::Event => Some(places.event(row.span(), records.part_at(row.at as usize).time())),
        }
    }
}

/// The events and links of all records.
fn all_parts(records: &SpanRecords) -> Vec<Row> {
    let mut parts = Vec::new();
    let has_parts = |span: &u32| records.records.shape(*span).has & (HAS_EVENTS | HAS_LINKS) > 0;
    for span in records.records.numbers().filter(has_parts) {
        let body = records.body_of(span);
        parts.extend(records.parts(&body).map(|(is_link, part)| match is_link {
            true => Row::new(span, RowKind::Link, part.at),
            false => Row::new(span, RowKind::Event, part.at),
        }));
    }
    parts.shrink_to_fit();
    parts
}

/// Stretches of time, each with about as many rows, so that rows are sorted in small parts.
struct Buckets {
    /// Where all stretches but the first begin.
    starts: Vec<i64>,
}

/// Rows by their stretches.
struct Distributed {
    codes: Vec<u32>,
    /// Where the rows of each stretch end.
    ends: Vec<u32>,
}

/// Some stretches that follow each other.
struct Stretches<'d> {
    codes: &'d mut [u32],
    /// Where the first one begins among all rows.
    start: u32,
    /// Where each of them ends among all rows.
    ends: &'d [u32],
}

impl Distributed {
    /// A core sorts so many stretches at once.
    const AT_ONCE: usize = 16;

    fn stretches(&mut self) -> Vec<Stretches<'_>> {
        let (mut rest, mut start) = (self.codes.as_mut_slice(), 0);
        let mut next = |ends: &'_ [u32]| {
            let end = ends.last().copied().unwrap_or(start);
            let (codes, after) = std::mem::take(&mut rest).split_at_mut((end - start) as usize);
            rest = after;
            (codes, std::mem::replace(&mut start, end))
        };
        let all = self.ends.chunks(Distributed::AT_ONCE).map(|ends| {
            let (codes, start) = next(ends);
            Stretches { codes, start, ends }
        });
        all.collect()
    }
}

impl Stretches<'_> {
    /// Sorts the rows of each stretch.
    fn sort(self, key: impl Fn(u32) -> Option<PlaceKey>) {
        let (mut keyed, mut rest) = (Vec::new(), self.codes);
        let mut start = self.start;
        for end in self.ends {
            let (stretch, after) = rest.split_at_mut((end - start) as usize);
            keyed.clear();
            keyed.extend(stretch.iter().filter_map(|code| Some((key(*code)?, *code))));
            keyed.sort_unstable();
            stretch.iter_mut().zip(&keyed).for_each(|(code, (_, sorted))| *code = *sorted);
            (rest, start) = (after, *end);
        }
    }
}

impl Buckets {
    /// One row in so many is looked at to find the stretches.
    const SAMPLED: usize = 61;
    /// The rows of the sample in each stretch.
    const LENGTH: usize = 64;

    fn of_sample(keys: impl Iterator<Item = PlaceKey>) -> Buckets {
        let mut places: Vec<i64> = keys.map(|key| key.place).collect();
        places.sort_unstable();
        let mut starts: Vec<i64> = places.into_iter().step_by(Buckets::LENGTH).skip(1).collect();
        starts.dedup();
        Buckets { starts }
    }

    /// The stretch with a place, to be looked for near another one first.
    #[inline]
    fn find(&self, place: i64, near: usize) -> usize {
        let is_after_start = near == 0 || self.starts[near - 1] <= place;
        let is_before_end = self.starts.get(near).is_none_or(|next| place < *next);
        match is_after_start && is_before_end {
            true => near,
            false => self.starts.partition_point(|start| *start <= place),
        }
    }

    /// The rows that `rows` gives with their places.
    fn distributed<R: Iterator<Item = (u32, i64)>>(&self, rows: impl Fn() -> R) -> Distributed {
        let (mut ends, mut near) = (vec![0_u32; self.starts.len() + 1], 0);
        for (_, place) in rows() {
            near = self.find(place, near);
            ends[near] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            (sum, *end) = (sum + *end, sum);
        }
        let mut codes = vec![0; sum as usize];
        for (code, place) in rows() {
            near = self.find(place, near);
            codes[ends[near] as usize] = code;
            ends[near] += 1;
        }
        Distributed { codes, ends }
    }
}

/// Spans in the order of their calls.
pub(super) struct CallOrder {
    /// The new number of each span.
    pub(super) numbers: Vec<u32>,
    /// The old number of each span.
    pub(super) old: Vec<u32>,
}

impl CallOrder {
    /// Numbers the spans of some rows by their calls.
    pub(super) fn new(rows: &mut RowTable) -> CallOrder {
        let n_spans = rows.n_edges as usize / 2;
        let (mut numbers, mut old) = (vec![NO_SPAN; n_spans], Vec::with_capacity(n_spans));
        for code in rows.codes.iter_mut().filter(|code| **code < rows.n_edges) {
            let span = *code / 2;
            if code.is_multiple_of(2) {
                numbers[span as usize] = old.len() as u32;
                old.push(span);
            }
            *code = 2 * numbers[span as usize] + *code % 2;
        }
        rows.parts.iter_mut().for_each(|row| *row = row.of_span(numbers[row.span() as usize]));
        CallOrder { numbers, old }
    }

    /// The new number of a span, if it is one.
    pub(super) fn number(&self, span: u32) -> u32 {
        self.numbers.get(span as usize).copied().unwrap_or(NO_SPAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_stretch_of_their_place() {
        let places: Vec<i64> = (0..100_000).map(|number: i64| number * 7919 % 10_007 - 5_000).collect();
        let key = |code: usize| PlaceKey::at(places[code]);
        let buckets = Buckets::of_sample((0..places.len()).step_by(Buckets::SAMPLED).map(key));
        assert!(buckets.starts.len() > 20 && buckets.starts.is_sorted());
        let mut found = buckets.distributed(|| (0..).zip(places.iter().copied()));
        let mut all = found.codes.clone();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..places.len() as u32));
        let (mut start, mut last) = (0, i64::MIN);
        for end in found.ends.clone() {
            let bucket = found.codes[start as usize..end as usize].iter().map(|code| places[*code as usize]);
            let (least, greatest) = (bucket.clone().min(), bucket.max());
            assert!(least.is_none_or(|least| least > last), "{least:?} after {last}");
            (start, last) = (end, greatest.unwrap_or(last));
        }
        let stretches = found.stretches();
        assert!(stretches.len() > 1);
        stretches.into_iter().for_each(|stretch| stretch.sort(|code| Some(key(code as usize))));
        assert!(found.codes.is_sorted_by_key(|code| (places[*code as usize], *code)));
        assert_eq!(Buckets::of_sample(std::iter::empty()).distributed(|| [(7, 3)].into_iter()).codes, [7]);
    }
}
