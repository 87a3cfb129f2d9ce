//! Patterns: constraints that must all hold, compiled for a search: which lists or rows to walk, and which columns to
//! test.

use std::ops::Range;

use super::constraint::{Constraint, SatisfyingValues};
use super::distinct_values::TraceColumn;
use super::scan::ColumnTest;
use crate::trace::column::intervals::Intervals;
use crate::trace::event::EventId;
use crate::trace::event::schema::AttributeId;
use crate::trace::relation::calls::CallId;
use crate::trace::relation::store::Trace;

/// Constraints that must all hold for an event, compiled for one trace.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// Half-open ranges of rows, in order.
    pub(crate) rows: Vec<(u32, u32)>,
    /// The tests that a row of these ranges must pass.
    pub(crate) tests: Vec<ColumnTest>,
    /// The cheapest walk to the next match.
    pub(crate) seek: VisitedRows,
    /// The cheapest walk over all matches.
    pub(crate) sweep: VisitedRows,
    attributes: Vec<AttributeId>,
}

/// The rows that a search visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VisitedRows {
    /// All rows.
    Rows,
    /// The events with these keys.
    Keys(Vec<u32>),
    /// The events of these calls.
    Calls(Vec<CallId>),
}

/// Rows of a block.
pub(crate) const BLOCK: usize = 512;

/// More lists than this are not walked side by side.
const MAX_LISTS: usize = 16;
/// The cost of testing one row of a list, in scanned rows (estimated).
const COST: u64 = 8;
/// The cost of a search in a list, or of merging one event of several lists, in scanned rows (estimated).
const LIST_COST: u64 = 64;

impl Pattern {
    /// The events that satisfy all `constraints`; every event if there are none.
    pub(crate) fn new(trace: &Trace, constraints: Vec<Constraint>) -> Pattern {
        let mut attributes: Vec<AttributeId> = constraints.iter().map(Constraint::attribute).collect();
        attributes.dedup();
        let mut merged: Vec<SatisfyingValues> = Vec::new();
        for constraint in constraints {
            merge(&mut merged, constraint.values);
        }
        let mut rows = vec![(0, trace.n_events())];
        let (mut tests, mut keys, mut calls, mut between) = (Vec::new(), None, None, None);
        for values in &merged {
            match values {
                SatisfyingValues::Chronos(chronos) => rows = stretches(trace, chronos),
                SatisfyingValues::Calls(numbers) => calls = Some(trace.calls.positions(numbers)),
                SatisfyingValues::Codes(TraceColumn::Key, codes) => keys = Some(codes),
                SatisfyingValues::Ints(column, wanted) => between = rows_between(trace, *column, wanted).or(between),
                SatisfyingValues::Codes(..) => {}
            }
            tests.extend(ColumnTest::new(trace, values));
        }
        if let Some(Range { start, end }) = between {
            rows.iter_mut().for_each(|(first, last)| (*first, *last) = ((*first).max(start), (*last).min(end)));
        }
        rows.retain(|(start, end)| start < end);
        if tests.iter().any(ColumnTest::is_never) {
            rows.clear();
        }
        let lists = lists(trace, keys.map(Vec::as_slice), calls.as_deref());
        let n_rows = rows.iter().map(|(start, end)| u64::from(end - start)).sum();
        let seek = choose(&lists, n_rows);
        let sweep = match (tests.as_slice(), lists.as_slice()) {
            ([test], [(VisitedRows::Keys(keys), _)]) if test.is_of_key() && keys.len() as u64 * LIST_COST < n_rows => {
                VisitedRows::Keys(keys.clone())
            }
            _ => seek.clone(),
        };
        Pattern { rows, tests, seek, sweep, attributes }
    }

    /// Whether an event matches.
    pub(crate) fn matches(&self, trace: &Trace, event: EventId) -> bool {
        self.has_row(event) && self.passes(trace, event)
    }

    /// Whether every event matches.
    pub(crate) fn is_everything(&self, trace: &Trace) -> bool {
        self.tests.is_empty() && self.rows == [(0, trace.n_events())]
    }

    /// Whether no event can match.
    pub(crate) fn is_never(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many rows a search for all matches visits.
    pub(crate) fn n_visited(&self, trace: &Trace) -> u64 {
        match &self.seek {
            VisitedRows::Rows => self.rows.iter().map(|(start, end)| u64::from(end - start)).sum(),
            lists => lists.lists(trace).map(|list| list.len() as u64).sum(),
        }
    }

    /// Whether a search walks over lists of events, not over all rows.
    pub(crate) fn is_selective(&self) -> bool {
        self.is_never() || self.seek != VisitedRows::Rows
    }

    /// Whether only columns other than the key remain to be tested when the lists for the next match are walked.
    pub(crate) fn seeks_keys(&self) -> bool {
        matches!(self.seek, VisitedRows::Keys(_)) && self.rows.len() == 1
    }

    /// Adds those of some events, which all have the right keys, that pass the other tests.
    pub(crate) fn add_passing(&self, trace: &Trace, events: &[EventId], into: &mut Vec<EventId>) {
        let mut others = self.tests.iter().filter(|test| !test.is_of_key());
        match (others.next(), others.next()) {
            (None, _) => into.extend_from_slice(events),
            (Some(test), None) => test.keep(trace, events, into),
            _ => into.extend(events.iter().filter(|event| self.passes(trace, **event))),
        }
    }

    /// Whether every row within the ranges that the walk over all matches visits is a match.
    pub(crate) fn is_only_walk(&self) -> bool {
        self.tests.len() == 1 && self.sweep != VisitedRows::Rows
    }

    /// The keys whose events are exactly the matches, if there are such keys.
    pub(crate) fn whole_keys(&self, trace: &Trace) -> Option<Vec<u32>> {
        let keys = match &self.sweep {
            VisitedRows::Keys(keys) if self.is_only_walk() => keys.clone(),
            VisitedRows::Rows if self.tests.is_empty() => (0..trace.keys.keys.len() as u32).collect(),
            _ => return None,
        };
        (self.rows == [(0, trace.n_events())]).then_some(keys)
    }

    /// For each key whether its events match, if the pattern tests nothing else.
    pub(crate) fn accepted_keys(&self, trace: &Trace) -> Option<Vec<u8>> {
        let is_whole = self.rows == [(0, trace.n_events())];
        match self.tests.as_slice() {
            [test] if is_whole && test.is_of_key() => {
                Some((0..trace.keys.keys.len() as u32).map(|key| u8::from(test.accepts_code(key))).collect())
            }
            _ => None,
        }
    }

    pub(crate) fn has_row(&self, event: EventId) -> bool {
        let after = self.rows.partition_point(|(start, _)| *start <= event);
        after.checked_sub(1).is_some_and(|index| event < self.rows[index].1)
    }

    pub(crate) fn passes(&self, trace: &Trace, event: EventId) -> bool {
        self.tests.iter().all(|test| test.holds(trace, event))
    }

    /// Marks the matching rows of a block with 1, the others with 0.
    pub(crate) fn sieve(&self, trace: &Trace, start: EventId, marks: &mut [u8]) {
        marks.fill(1);
        for test in &self.tests {
            test.sieve(trace, start, marks);
        }
    }

    /// The plan of a search in one line: what is walked, and which attributes are tested there.
    pub(crate) fn explain(&self, trace: &Trace) -> String {
        let count = |lists: &mut dyn Iterator<Item = usize>| lists.sum::<usize>();
        let walk = match &self.sweep {
            _ if self.is_never() => return "nothing to search: no event satisfies one of the constraints".into(),
            VisitedRows::Rows => {
                let n_rows: u64 = self.rows.iter().map(|(start, end)| u64::from(end - start)).sum();
                format!("scans {n_rows} of {} events", trace.n_events())
            }
            VisitedRows::Keys(keys) => {
                let n_events = count(&mut keys.iter().map(|key| trace.postings.count(*key as usize)));
                format!("walks {} by procedure and port", counted(n_events, "event"))
            }
            VisitedRows::Calls(calls) => {
                let n_events = count(&mut calls.iter().map(|call| trace.call_events(*call).len()));
                format!("walks {} of {}", counted(n_events, "event"), counted(calls.len(), "call"))
            }
        };
        let names: Vec<&str> = self.attributes.iter().map(|id| &*trace.schema().get(*id).name).collect();
        match names.is_empty() {
            true => walk,
            false => format!("{walk}, tests {}", names.join(", ")),
        }
    }
}

impl VisitedRows {
    /// The lists of events to walk; none if rows are scanned.
    pub(crate) fn lists<'a>(&'a self, trace: &'a Trace) -> impl Iterator<Item = &'a [EventId]> {
        let (keys, calls) = match self {
            VisitedRows::Rows => (&[][..], &[][..]),
            VisitedRows::Keys(keys) => (keys.as_slice(), &[][..]),
            VisitedRows::Calls(calls) => (&[][..], calls.as_slice()),
        };
        let by_key = keys.iter().map(|key| trace.postings.of(*key as usize));
        by_key.chain(calls.iter().map(|call| trace.call_events(*call)))
    }
}

/// `1 event`, `2 events`.
fn counted(n: usize, name: &str) -> String {
    if n == 1 { format!("1 {name}") } else { format!("{n} {name}s") }
}

/// The rows that have one of the wanted integers, if a search in the column can be narrowed to them.
fn rows_between(trace: &Trace, column: TraceColumn, wanted: &Intervals) -> Option<Range<EventId>> {
    let (first, last) = (wanted.as_slice().first()?, wanted.as_slice().last()?);
    let is_bounded = first.0 > i64::MIN || last.1 < i64::MAX;
    if is_bounded { trace.rows_between(column, first.0, last.1) } else { None }
}

/// Adds a set of values; two sets for one column are intersected.
fn merge(merged: &mut Vec<SatisfyingValues>, values: SatisfyingValues) {
    for other in merged.iter_mut() {
        match (other, &values) {
            (SatisfyingValues::Chronos(old), SatisfyingValues::Chronos(new))
            | (SatisfyingValues::Calls(old), SatisfyingValues::Calls(new)) => {
                *old = old.intersection(new);
                return;
            }
            (SatisfyingValues::Ints(column, old), SatisfyingValues::Ints(new_column, new)) if column == new_column => {
                *old = old.intersection(new);
                return;
            }
            (SatisfyingValues::Codes(column, old), SatisfyingValues::Codes(new_column, new))
                if column == new_column =>
            {
                old.iter_mut().zip(new).for_each(|(bit, other)| *bit &= other);
                return;
            }
            _ => {}
        }
    }
    merged.push(values);
}

/// The rows whose numbers are in the set.
fn stretches(trace: &Trace, chronos: &Intervals) -> Vec<(u32, u32)> {
    let row = |chrono: i64| trace.chronos.lower_bound(chrono, trace.n_events());
    let end = |high: &i64| high.checked_add(1).map_or(trace.n_events(), row);
    chronos.as_slice().iter().map(|(low, high)| (row(*low), end(high))).collect()
}

/// The lists that contain all candidates, with their total length.
fn lists(trace: &Trace, keys: Option<&[u8]>, calls: Option<&[(usize, usize)]>) -> Vec<(VisitedRows, u64)> {
    let mut lists = Vec::new();
    if let Some(keys) = keys {
        let keys: Vec<u32> = (0_u32..).zip(keys).filter(|(_, bit)| **bit != 0).map(|(key, _)| key).collect();
        let n_events = keys.iter().map(|key| trace.postings.count(*key as usize) as u64).sum();
        lists.push((VisitedRows::Keys(keys), n_events));
    }
    let positions = calls.unwrap_or_default();
    let n_calls: usize = positions.iter().map(|(start, end)| end - start).sum();
    if calls.is_some() && n_calls <= MAX_LISTS {
        let calls: Vec<CallId> =
            positions.iter().flat_map(|(start, end)| (*start..*end).map(|at| trace.calls.at(at))).collect();
        let n_events = calls.iter().map(|call| trace.call_events(*call).len() as u64).sum();
        lists.push((VisitedRows::Calls(calls), n_events));
    }
    lists
}

/// The cheapest walk.
fn choose(lists: &[(VisitedRows, u64)], n_rows: u64) -> VisitedRows {
    let priced = lists.iter().filter_map(|(walk, n_events)| {
        let n_lists = match walk {
            VisitedRows::Keys(keys) => keys.len(),
            VisitedRows::Calls(calls) => calls.len(),
            VisitedRows::Rows => return None,
        };
        let price = n_events.saturating_mul(if n_lists > 1 { LIST_COST } else { COST });
        (n_lists <= MAX_LISTS && price < n_rows).then_some((price, walk))
    });
    priced.min_by_key(|(price, _)| *price).map_or(VisitedRows::Rows, |(_, walk)| walk.clone())
}
