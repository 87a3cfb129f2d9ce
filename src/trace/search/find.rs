//! Searches a trace for a pattern.

use super::matches::{Matches, SearchDirection};
use super::pattern::{BLOCK, Pattern, VisitedRows};
use crate::trace::event::EventId;
use crate::trace::relation::store::Trace;

/// The first matching event whose row is at least `from`.
pub(crate) fn next_match(trace: &Trace, from: u32, pattern: &Pattern) -> Option<EventId> {
    Matches::new(trace, pattern, SearchDirection::Forward, from).next(trace, pattern)
}

/// The matching events in order.
pub(crate) fn walk(trace: &Trace, pattern: &Pattern) -> impl Iterator<Item = EventId> {
    std::iter::successors(next_match(trace, 0, pattern), move |event| next_match(trace, event + 1, pattern))
}

/// The number of matching events.
pub(crate) fn count(trace: &Trace, pattern: &Pattern) -> u64 {
    if let Some(keys) = pattern.whole_keys(trace) {
        return keys.iter().map(|key| trace.postings.count(*key as usize) as u64).sum();
    }
    match &pattern.sweep {
        VisitedRows::Rows if pattern.tests.is_empty() => {
            pattern.rows.iter().map(|(start, end)| u64::from(end - start)).sum()
        }
        VisitedRows::Rows => {
            let mut n_matches = 0;
            blocks(trace, pattern, |_, marks| {
                n_matches += u64::from(marks.iter().map(|mark| u32::from(*mark)).sum::<u32>())
            });
            n_matches
        }
        walk => walk
            .lists(trace)
            .flat_map(|list| parts(trace, list, pattern))
            .map(|part| count_in(trace, part, pattern))
            .sum(),
    }
}

/// Calls `found` with every matching event, in the order of the walk: not necessarily that of the trace.
pub(crate) fn each_match(trace: &Trace, pattern: &Pattern, mut found: impl FnMut(EventId)) {
    if let VisitedRows::Rows = &pattern.sweep {
        return blocks(trace, pattern, |start, marks| {
            (start..).zip(marks).filter(|(_, mark)| **mark != 0).for_each(|(event, _)| found(event));
        });
    }
    for part in pattern.sweep.lists(trace).flat_map(|list| parts(trace, list, pattern)) {
        let is_match = |event: &&EventId| pattern.is_only_walk() || pattern.passes(trace, **event);
        part.iter().filter(is_match).for_each(|event| found(*event));
    }
}

/// Calls `block` with the first row and the marks of every block of rows in the ranges of the pattern.
fn blocks(trace: &Trace, pattern: &Pattern, mut block: impl FnMut(EventId, &[u8])) {
    let mut marks = [0; BLOCK];
    for (start, end) in &pattern.rows {
        for row in (*start..*end).step_by(BLOCK) {
            let marks = &mut marks[..(end - row).min(BLOCK as u32) as usize];
            pattern.sieve(trace, row, marks);
            block(row, marks);
        }
    }
}

/// The parts of a list of events that lie in the row ranges of the pattern.
fn parts<'a>(trace: &'a Trace, list: &'a [EventId], pattern: &'a Pattern) -> impl Iterator<Item = &'a [EventId]> {
    let below = |row: u32| match row {
        0 => 0,
        row if row >= trace.n_events() => list.len(),
        row => list.partition_point(|event| *event < row),
    };
    pattern.rows.iter().map(move |(start, end)| &list[below(*start)..below(*end)])
}

fn count_in(trace: &Trace, part: &[EventId], pattern: &Pattern) -> u64 {
    match pattern.is_only_walk() {
        true => part.len() as u64,
        false => part.iter().filter(|event| pattern.passes(trace, **event)).count() as u64,
    }
}
