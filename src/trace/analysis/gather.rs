//! Values of many events or calls at once, for questions that read whole columns.

use crate::trace::column::code_column::{CodeColumn, Ints};
use crate::trace::column::codes::Codes;
use crate::trace::column::scale::Scale;
use crate::trace::event::EventId;
use crate::trace::event::schema::AttributeId;
use crate::trace::relation::calls::{CallId, NO_PARENT};
use crate::trace::relation::chrono::Chronos;
use crate::trace::relation::store::Trace;
use crate::trace::search::distinct_values::{Stored, TraceColumn};
use crate::trace::search::pattern::Pattern;

/// Stands for a missing call.
pub(crate) const NO_CALL: i64 = -1;

impl Trace {
    /// The numbers of events.
    pub(crate) fn gather_chronos(&self, events: &[i64], into: &mut Vec<i64>) {
        self.extend_chronos(events.iter().map(|event| *event as EventId), into);
    }

    fn extend_chronos(&self, events: impl Iterator<Item = EventId>, into: &mut Vec<i64>) {
        match self.chronos {
            Chronos::Dense(first) => into.extend(events.map(|event| first + i64::from(event))),
            Chronos::Sparse(_) => into.extend(events.map(|event| self.chronos.at(event))),
        }
    }

    /// The calls of events, by index; [`NO_CALL`] for an event without a call.
    pub(crate) fn gather_calls(&self, events: &[i64], into: &mut Vec<i64>) {
        gather_numbers(&self.calls.codes, events, into);
    }

    /// The values of an attribute that is an integer for all these events; `false` if it is not.
    pub(crate) fn gather_integers(&self, attribute: AttributeId, events: &[i64], into: &mut Vec<i64>) -> bool {
        self.gather_column(self.column_of(attribute), events, into)
    }

    /// As [`gather_integers`](Trace::gather_integers), for a column.
    pub(crate) fn gather_column(&self, column: TraceColumn, events: &[i64], into: &mut Vec<i64>) -> bool {
        let n_before = into.len();
        match self.stored(column) {
            Some(Stored::Ints(codes, scale)) => {
                gather(codes, events, into);
                into[n_before..].iter_mut().all(|found| match scale.value(*found as u32) {
                    Some(value) => {
                        *found = value;
                        true
                    }
                    None => false,
                })
            }
            Some(Stored::Wide(values)) => {
                let column = |event: &i64| values.get(*event as usize).copied().filter(|value| *value != i64::MIN);
                into.extend(events.iter().map_while(column));
                into.len() - n_before == events.len()
            }
            _ => false,
        }
    }

    /// Whether an attribute is stored as integers.
    pub(crate) fn is_integer_column(&self, attribute: AttributeId) -> bool {
        matches!(self.stored(self.column_of(attribute)), Some(Stored::Ints(..) | Stored::Wide(_)))
    }

    /// Whether procedure, port and determinism of an event determine the value of an attribute.
    pub(crate) fn is_part_of_key(&self, attribute: AttributeId) -> bool {
        self.column_of(attribute) == TraceColumn::Key
    }

    /// The calls with these printed numbers; [`NO_CALL`] for an unknown number.
    pub(crate) fn gather_calls_numbered(&self, numbers: &[i64], into: &mut Vec<i64>) {
        into.extend(numbers.iter().map(|number| self.find_call(*number).map_or(NO_CALL, |call| i64::from(call.0))));
    }

    /// The printed numbers of calls.
    pub(crate) fn gather_call_numbers(&self, calls: &[i64], into: &mut Vec<i64>) {
        match &self.calls.numbers {
            Ints::Coded(codes, Scale::NATURAL) => gather_numbers(codes, calls, into),
            _ => into.extend(calls.iter().map(|call| self.calls.number(CallId(*call as u32)))),
        }
    }

    /// The numbers of the first events of calls.
    pub(crate) fn gather_call_starts(&self, calls: &[i64], into: &mut Vec<i64>) {
        let edges: &[(EventId, EventId)] = &self.calls.edges;
        self.extend_chronos(calls.iter().map(|call| edges[*call as usize].0), into);
    }

    /// The numbers of the last events of calls.
    pub(crate) fn gather_call_ends(&self, calls: &[i64], into: &mut Vec<i64>) {
        let edges: &[(EventId, EventId)] = &self.calls.edges;
        self.extend_chronos(calls.iter().map(|call| edges[*call as usize].1), into);
    }

    /// The parents of calls; [`NO_CALL`] where there is none.
    pub(crate) fn gather_parents(&self, calls: &[i64], into: &mut Vec<i64>) {
        let parent = |call: &i64| match self.calls.parents[*call as usize] {
            NO_PARENT => NO_CALL,
            parent => i64::from(parent),
        };
        into.extend(calls.iter().map(parent));
    }

    /// The events of a call, by its index.
    pub(crate) fn events_of_call(&self, call: i64) -> &[EventId] {
        self.call_events(CallId(call as u32))
    }

    /// The numbers of the argument texts of events, from 1, 0 for no arguments; `false` if these numbers are unknown
    /// until all arguments are read.
    pub(crate) fn gather_args_codes(&self, events: &[i64], into: &mut Vec<i64>) -> bool {
        let Some(column) = self.args.known() else { return false };
        gather(&column.codes, events, into);
        true
    }

    /// The number of the key of an event: of its procedure, port and determinism.
    #[inline]
    pub(crate) fn key_of(&self, event: EventId) -> usize {
        self.key(event) as usize
    }

    /// An event of each key, by key number; none for a key without events.
    pub(crate) fn events_of_keys(&self) -> impl ExactSizeIterator<Item = Option<EventId>> {
        (0..self.keys.keys.len()).map(|key| self.postings.of(key).first().copied())
    }

    /// A number for each key; two keys have the same number exactly if their events have the same value of an
    /// attribute.
    pub(crate) fn key_classes(&self, attribute: AttributeId) -> Vec<u32> {
        super::group::classes(self, &[attribute])
    }

    /// The number of each of these events in a table by keys.
    pub(crate) fn gather_classes(&self, classes: &[u32], events: &[i64], into: &mut Vec<i64>) {
        into.extend(events.iter().map(|event| i64::from(classes[self.key(*event as EventId) as usize])));
    }

    /// For each of these calls, whether none of its events matches.
    pub(crate) fn gather_without_match(
        &self,
        pattern: &Pattern,
        keys: Option<&[u8]>,
        calls: &[i64],
        into: &mut Vec<bool>,
    ) {
        let Some(keys) = keys else {
            let is_match = |event: &EventId| pattern.matches(self, *event);
            return into.extend(calls.iter().map(|call| !self.events_of_call(*call).iter().rev().any(is_match)));
        };
        let edges: &[(EventId, EventId)] = &self.calls.edges;
        let last: Vec<i64> = calls.iter().map(|call| i64::from(edges[*call as usize].1)).collect();
        let mut codes = Vec::with_capacity(last.len());
        gather(&self.key_codes, &last, &mut codes);
        let accepts = |key: usize| keys.get(key).is_some_and(|bit| *bit != 0);
        let has_other =
            |call: i64| self.events_of_call(call).iter().rev().skip(1).any(|event| accepts(self.key(*event) as usize));
        // the last event of a call is cheap to find, unlike the list of the others
        into.extend(calls.iter().zip(codes).map(|(call, code)| !accepts(code as usize) && !has_other(*call)));
    }

    /// For each key, whether it matches, if a pattern is about procedure, port and determinism only.
    pub(crate) fn keys_of(&self, pattern: &Pattern) -> Option<Vec<u8>> {
        pattern.accepted_keys(self)
    }
}

/// Adds the numbers of rows of a column that stores numbers + 1; -1 stands for none.
fn gather_numbers(codes: &CodeColumn, rows: &[i64], into: &mut Vec<i64>) {
    let n_before = into.len();
    gather(codes, rows, into);
    into[n_before..].iter_mut().for_each(|code| *code -= 1);
}

/// The codes of rows, looked up in one pass.
fn gather(codes: &CodeColumn, rows: &[i64], into: &mut Vec<i64>) {
    if codes.has_stretches() {
        let rows: Vec<EventId> = rows.iter().map(|row| *row as EventId).collect();
        let mut found = Vec::with_capacity(rows.len());
        codes.gather(&rows, &mut found);
        return into.extend(found.into_iter().map(i64::from));
    }
    match &**codes {
        Codes::U8(codes) => {
            into.extend(rows.iter().map(|row| codes.get(*row as usize).map_or(0, |code| i64::from(*code))))
        }
        Codes::U16(codes) => {
            into.extend(rows.iter().map(|row| codes.get(*row as usize).map_or(0, |code| i64::from(*code))))
        }
        Codes::U32(codes) => {
            into.extend(rows.iter().map(|row| codes.get(*row as usize).map_or(0, |code| i64::from(*code))))
        }
    }
}
