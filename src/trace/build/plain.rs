//! Lazy columns that a reader hands over, and the plain events that it adds at once.

use super::{KeyId, TraceBuilder};
use crate::trace::EventId;
use crate::trace::later::{LaterCalls, LaterInts, LaterLines, LaterLists, LaterPaths, LaterTerms, LaterValues, Told};
use crate::trace::schema::AttributeId;
use crate::trace::value::ValueId;

/// Lazy columns: each function fills its column when the column is first needed. No event may get a value for the
/// attribute in any other way, and some event must have one.
impl TraceBuilder {
    /// Makes the integers of an attribute lazy: depths, source lines, or any attribute that is not one of the fixed
    /// ones.
    pub fn ints_later(&mut self, id: AttributeId, tell: impl Fn(&Told, &mut LaterInts) + Send + Sync + 'static) {
        self.later.ints.push((id, Box::new(tell)));
    }

    /// Makes the values of an attribute lazy that is not one of the fixed ones and has not only integers.
    pub fn values_later(&mut self, id: AttributeId, tell: impl Fn(&Told, &mut LaterValues) + Send + Sync + 'static) {
        self.later.values.push((id, Box::new(tell)));
    }

    /// Makes the arguments lazy.
    pub fn args_later(&mut self, tell: impl Fn(&Told, &mut LaterLists) + Send + Sync + 'static) {
        self.later.args = Some(Box::new(tell));
    }

    /// Makes the goal paths lazy.
    pub fn paths_later(&mut self, tell: impl Fn(&Told, &mut LaterPaths) + Send + Sync + 'static) {
        self.later.paths = Some(Box::new(tell));
    }

    /// Makes a term of every event lazy: it is the event's value for an attribute, and its only argument.
    pub fn terms_later(&mut self, id: AttributeId, tell: impl Fn(&Told, &mut LaterTerms) + Send + Sync + 'static) {
        self.later.terms = Some((id, Box::new(tell)));
    }

    /// Makes the events' lines in the trace's file lazy.
    pub fn source_lines_later(&mut self, tell: impl Fn(&Told, &mut LaterLines) + Send + Sync + 'static) {
        self.later.source_lines = Some(Box::new(tell));
    }

    /// Makes the calls of the events lazy; there are `n_calls` calls.
    pub fn calls_later(&mut self, n_calls: usize, tell: impl Fn(&Told, &mut LaterCalls) + Send + Sync + 'static) {
        self.later.calls = Some((n_calls, Box::new(tell)));
    }

    /// Declares how many bytes the tables take from which lazy columns are computed.
    pub fn keeps_tables(&mut self, n_bytes: usize) {
        self.n_table_bytes = n_bytes;
    }
}

/// Adding many events at once that have no printed number and, at first, only a key.
impl TraceBuilder {
    /// Adds events with these keys only, on consecutive lines from `first_line` on.
    pub fn append_keys(&mut self, keys: &[KeyId], first_line: u64) {
        let first = self.n_events;
        let room = (EventId::MAX - first) as usize;
        let (keys, left_out) = keys.split_at(room.min(keys.len()));
        if let Some(greatest) = keys.iter().map(|key| key.0).max() {
            // one event without a number is enough to number all by rank
            if let Some(message) = self.chronos.push(first, None, first_line) {
                self.finding("chrono", Some(i64::from(first) + 1), Some(first_line), message);
            }
            self.n_events += keys.len() as EventId;
            self.source_lines.push_run(first, first_line, keys.len() as u32);
            self.key_codes.extend(keys.iter().map(|key| key.0), greatest);
        }
        (first_line + keys.len() as u64..).zip(left_out).for_each(|(line, _)| self.leave_out(line));
    }

    /// Gives integers for an attribute to the events from `first` on, none of which has a value yet; `i64::MIN` is no
    /// value.
    pub fn append_ints(&mut self, id: AttributeId, first: EventId, values: &[i64]) {
        TraceBuilder::extra(&mut self.extras, id).append_ints(first as usize, values, &mut self.scratch);
    }

    /// Gives known values for an attribute to the events from `first` on, none of which has a value yet.
    pub fn append_values(&mut self, id: AttributeId, first: EventId, values: &[ValueId]) {
        TraceBuilder::extra(&mut self.extras, id).append_values(first as usize, values, &mut self.scratch);
    }
}
