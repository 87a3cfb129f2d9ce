//! Going through the events that match a pattern, forwards or backwards. Some matches are read ahead, so that the next
//! one costs little more than reading its row.

use std::ops::Range;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::pattern::{BLOCK, Pattern, VisitedRows};
use crate::trace::event::EventId;
use crate::trace::relation::calls::CallId;
use crate::trace::relation::store::Trace;
use crate::trace::relation::value_index::ValueIndex;

/// The direction of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchDirection {
    /// As they happened.
    Forward,
    /// From the latest to the earliest.
    Backward,
}

/// The remaining matches of a pattern in a trace; the caller passes both with each call.
#[derive(Clone, Debug)]
pub(crate) struct Matches {
    way: SearchDirection,
    source: Candidates,
    /// Matches that were read ahead; the next one is the last.
    ahead: Vec<EventId>,
    /// The half-open range of rows that were not searched yet.
    rest: (u32, u32),
    /// As `rest` for each list, as indexes into it.
    lists: SmallVec<[(u32, u32); 1]>,
    /// How many rows are searched next.
    stride: u32,
    /// How many rows the next events of several lists are taken from.
    span: u32,
}

/// The part of the trace that is searched.
#[derive(Clone, Debug)]
enum Candidates {
    Rows,
    /// The postings lists that the pattern walks over.
    Lists,
    Call(CallId),
    /// The rows of an index in these places, and those that have variables.
    Indexed(Arc<ValueIndex>, Range<u32>),
}

/// Several lists are merged in stretches of about this many of their events.
const EVENTS_IN_SPAN: usize = 256;
const FIRST_SPAN: u32 = 1024;
/// The first stride is short, because many searches need one event only.
const FIRST_STRIDE: u32 = 16;

impl Matches {
    /// All matches before a row, or from that row on.
    pub(crate) fn new(trace: &Trace, pattern: &Pattern, way: SearchDirection, row: u32) -> Matches {
        let source = if pattern.seek == VisitedRows::Rows { Candidates::Rows } else { Candidates::Lists };
        Matches::from(trace, pattern, source, way, row)
    }

    /// The matches among the events of a call.
    pub(crate) fn of_call(trace: &Trace, pattern: &Pattern, call: CallId, way: SearchDirection, row: u32) -> Matches {
        Matches::from(trace, pattern, Candidates::Call(call), way, row)
    }

    /// The matches among the rows that an index has in these places.
    pub(crate) fn of_index(
        trace: &Trace,
        pattern: &Pattern,
        (index, places): (&Arc<ValueIndex>, Range<u32>),
        way: SearchDirection,
        row: u32,
    ) -> Matches {
        Matches::from(trace, pattern, Candidates::Indexed(Arc::clone(index), places), way, row)
    }

    /// This event, if there is one.
    pub(crate) fn of_event(event: Option<EventId>) -> Matches {
        Matches {
            way: SearchDirection::Forward,
            source: Candidates::Rows,
            ahead: event.into_iter().collect(),
            rest: (0, 0),
            lists: smallvec![],
            stride: FIRST_STRIDE,
            span: FIRST_SPAN,
        }
    }

    fn from(trace: &Trace, pattern: &Pattern, source: Candidates, way: SearchDirection, row: u32) -> Matches {
        let (low, high) = match way {
            SearchDirection::Forward => (row, trace.n_events()),
            SearchDirection::Backward => (0, row.min(trace.n_events())),
        };
        let [first, last] = [pattern.rows.first(), pattern.rows.last()];
        let rest = (low.max(first.map_or(high, |rows| rows.0)), high.min(last.map_or(low, |rows| rows.1)));
        let n_lists = source.n_lists(pattern);
        let lists = (0..n_lists).map(|index| part(source.list(trace, pattern, index), rest)).collect();
        Matches { way, source, rest, lists, ..Matches::of_event(None) }
    }

    /// The next one.
    #[inline]
    pub(crate) fn next(&mut self, trace: &Trace, pattern: &Pattern) -> Option<EventId> {
        if self.ahead.is_empty() {
            self.look_ahead(trace, pattern);
        }
        self.ahead.pop()
    }

    /// Moves the next matches to the end of a list, in order; none if there are none left.
    pub(crate) fn take(&mut self, trace: &Trace, pattern: &Pattern, into: &mut Vec<i64>) {
        self.look_ahead(trace, pattern);
        into.extend(self.ahead.drain(..).rev().map(i64::from));
    }

    /// Whether a match was read ahead.
    #[inline]
    pub(crate) fn has_ahead(&self) -> bool {
        !self.ahead.is_empty()
    }

    /// Reads ahead; if nothing was read ahead afterwards, there are no more matches.
    #[inline(never)]
    pub(crate) fn look_ahead(&mut self, trace: &Trace, pattern: &Pattern) {
        while self.ahead.is_empty() && self.has_rest() {
            match self.lists.len() {
                0 => self.search_rows(trace, pattern),
                1 => self.search_list(trace, pattern),
                _ => self.search_lists(trace, pattern),
            }
            self.stride = (self.stride * 4).min(BLOCK as u32);
        }
    }

    /// Whether no match was read ahead and everything was searched.
    pub(crate) fn is_over(&self) -> bool {
        self.ahead.is_empty() && !self.has_rest()
    }

    /// Whether a part was not searched yet.
    fn has_rest(&self) -> bool {
        match self.source {
            Candidates::Rows => self.rest.0 < self.rest.1,
            _ => self.lists.iter().any(|(start, end)| start < end),
        }
    }

    fn search_rows(&mut self, trace: &Trace, pattern: &Pattern) {
        let Some((start, end)) = self.take_rows(pattern) else {
            self.rest = (0, 0);
            return;
        };
        let mut marks = [0; BLOCK];
        let marks = &mut marks[..(end - start) as usize];
        pattern.sieve(trace, start, marks);
        self.ahead.resize(marks.len(), 0);
        let mut n_found = 0;
        let mut found = |(row, mark): (u32, &u8)| {
            if let Some(place) = self.ahead.get_mut(n_found) {
                *place = row;
            }
            n_found += usize::from(*mark);
        };
        match self.way {
            SearchDirection::Forward => (start..end).zip(&*marks).rev().for_each(&mut found),
            SearchDirection::Backward => (start..end).zip(&*marks).for_each(&mut found),
        }
        self.ahead.truncate(n_found);
    }

    /// Searches the next rows of the pattern, at most one stride.
    fn take_rows(&mut self, pattern: &Pattern) -> Option<(u32, u32)> {
        let (low, high) = self.rest;
        match self.way {
            SearchDirection::Forward => {
                let (start, end) = pattern.rows[pattern.rows.partition_point(|(_, end)| *end <= low)..].first()?;
                let start = low.max(*start).min(high);
                let end = high.min(*end).min(start.saturating_add(self.stride));
                self.rest.0 = end;
                Some((start, end))
            }
            SearchDirection::Backward => {
                let (start, end) = pattern.rows[..pattern.rows.partition_point(|(start, _)| *start < high)].last()?;
                let end = high.min(*end).max(low);
                let start = low.max(*start).max(end.saturating_sub(self.stride));
                self.rest.1 = start;
                Some((start, end))
            }
        }
    }

    fn search_list(&mut self, trace: &Trace, pattern: &Pattern) {
        let source = self.source.clone();
        let list = source.list(trace, pattern, 0);
        let (start, end) = &mut self.lists[0];
        let n = self.stride.min(*end - *start);
        let taken = match self.way {
            SearchDirection::Forward => *start..*start + n,
            SearchDirection::Backward => *end - n..*end,
        };
        match self.way {
            SearchDirection::Forward => *start += n,
            SearchDirection::Backward => *end -= n,
        }
        self.add(trace, pattern, &list[taken.start as usize..taken.end as usize]);
        if self.way == SearchDirection::Forward {
            self.ahead.reverse();
        }
    }

    /// Takes the part of every list that lies in the next rows, and merges the parts.
    fn search_lists(&mut self, trace: &Trace, pattern: &Pattern) {
        let Some(rows) = self.take_rows_of_lists(trace, pattern) else { return };
        let source = self.source.clone();
        for index in 0..self.lists.len() {
            let list = source.list(trace, pattern, index);
            let (start, end) = self.lists[index];
            let rest = &list[start as usize..end as usize];
            let here = rest.partition_point(|event| *event < rows.0)..rest.partition_point(|event| *event < rows.1);
            match self.way {
                SearchDirection::Forward => self.lists[index].0 += here.end as u32,
                SearchDirection::Backward => self.lists[index].1 = start + here.start as u32,
            }
            self.add(trace, pattern, &rest[here]);
        }
        if self.ahead.len() < EVENTS_IN_SPAN {
            self.span = self.span.saturating_mul(4);
        }
        self.ahead.sort_unstable();
        if self.way == SearchDirection::Forward {
            self.ahead.reverse();
        }
    }

    /// A range of rows that begins with the next event of a list.
    fn take_rows_of_lists(&mut self, trace: &Trace, pattern: &Pattern) -> Option<(u32, u32)> {
        let rests = self.lists.iter().enumerate().map(|(index, (start, end))| {
            let list = self.source.list(trace, pattern, index);
            &list[*start as usize..*end as usize]
        });
        Some(match self.way {
            SearchDirection::Forward => {
                let start = *rests.filter_map(|rest| rest.first()).min()?;
                (start, start.saturating_add(self.span))
            }
            SearchDirection::Backward => {
                let end = *rests.filter_map(|rest| rest.last()).max()? + 1;
                (end.saturating_sub(self.span), end)
            }
        })
    }

    fn add(&mut self, trace: &Trace, pattern: &Pattern, events: &[EventId]) {
        if matches!(self.source, Candidates::Lists) && pattern.seeks_keys() {
            pattern.add_passing(trace, events, &mut self.ahead);
        } else {
            self.ahead.extend(events.iter().filter(|event| pattern.matches(trace, **event)));
        }
    }
}

impl Candidates {
    fn n_lists(&self, pattern: &Pattern) -> usize {
        match (self, &pattern.seek) {
            (Candidates::Rows, _) => 0,
            (Candidates::Call(_), _) => 1,
            (Candidates::Indexed(index, _), _) => 1 + usize::from(!index.others.is_empty()),
            (_, VisitedRows::Keys(keys)) => keys.len(),
            (_, VisitedRows::Calls(calls)) => calls.len(),
            (_, VisitedRows::Rows) => 0,
        }
    }

    fn list<'a>(&'a self, trace: &'a Trace, pattern: &Pattern, index: usize) -> &'a [EventId] {
        match (self, &pattern.seek) {
            (Candidates::Call(call), _) => trace.call_events(*call),
            (Candidates::Indexed(found, places), _) if index == 0 => {
                &found.rows()[places.start as usize..places.end as usize]
            }
            (Candidates::Indexed(found, _), _) => &found.others,
            (_, VisitedRows::Keys(keys)) => trace.postings.of(keys[index] as usize),
            (_, VisitedRows::Calls(calls)) => trace.call_events(calls[index]),
            (_, VisitedRows::Rows) => &[],
        }
    }
}

/// The part of a list of events that lies in some rows, as indexes into the list.
fn part(list: &[EventId], rows: (u32, u32)) -> (u32, u32) {
    let place = |row: u32| list.partition_point(|event| *event < row) as u32;
    (place(rows.0), place(rows.1.max(rows.0)))
}
