//! What a reader hands over that tells its columns later, and the plain events that it tells of in the meantime.

use super::{KeyId, TraceBuilder};
use crate::trace::EventId;
use crate::trace::later::{LaterCalls, LaterInts, LaterLines, LaterLists, LaterPaths, LaterTerms, LaterValues, Told};
use crate::trace::schema::AttributeId;
use crate::trace::value::ValueId;

/// Columns that are told when they are first asked for: of an attribute for which no event got a value otherwise, and some
/// event has one.
impl TraceBuilder {
    /// Lets the integers of an attribute be told later: depths, lines of the source, or any that is none of the fixed ones.
    pub fn ints_later(&mut self, id: AttributeId, tell: impl Fn(&Told, &mut LaterInts) + Send + Sync + 'static) {
        self.later.ints.push((id, Box::new(tell)));
    }

    /// Lets the values of an attribute be told later that is none of the fixed ones, and not of integers only.
    pub fn values_later(&mut self, id: AttributeId, tell: impl Fn(&Told, &mut LaterValues) + Send + Sync + 'static) {
        self.later.values.push((id, Box::new(tell)));
    }

    /// Lets the arguments be told later.
    pub fn args_later(&mut self, tell: impl Fn(&Told, &mut LaterLists) + Send + Sync + 'static) {
        self.later.args = Some(Box::new(tell));
    }

    /// Lets the goal paths be told later.
    pub fn paths_later(&mut self, tell: impl Fn(&Told, &mut LaterPaths) + Send + Sync + 'static) {
        self.later.paths = Some(Box::new(tell));
    }

    /// Lets a term of every event be told later: its value for an attribute, and its only argument.
    pub fn terms_later(&mut self, id: AttributeId, tell: impl Fn(&Told, &mut LaterTerms) + Send + Sync + 'static) {
        self.later.terms = Some((id, Box::new(tell)));
    }

    /// Lets the lines of the events in the trace's file be told later.
    pub fn source_lines_later(&mut self, tell: impl Fn(&Told, &mut LaterLines) + Send + Sync + 'static) {
        self.later.source_lines = Some(Box::new(tell));
    }

    /// Lets the calls of events be told later, of which there are so many.
    pub fn calls_later(&mut self, n_calls: usize, tell: impl Fn(&Told, &mut LaterCalls) + Send + Sync + 'static) {
        self.later.calls = Some((n_calls, Box::new(tell)));
    }

    /// Says how many bytes the tables take from which columns are told later.
    pub fn keeps_tables(&mut self, n_bytes: usize) {
        self.n_table_bytes = n_bytes;
    }
}

/// Many events at once that have no number, of which only a part is told at first.
impl TraceBuilder {
    /// Adds events of which no more is told than their keys, on lines from `first_line` on that follow one another.
    pub fn append_keys(&mut self, keys: &[KeyId], first_line: u64) {
        let first = self.n_events;
        let room = (EventId::MAX - first) as usize;
        let (keys, left_out) = keys.split_at(room.min(keys.len()));
        if let Some(greatest) = keys.iter().map(|key| key.0).max() {
            // one event without a number says that there are such
            if let Some(message) = self.chronos.push(first, None, first_line) {
                self.finding("chrono", Some(i64::from(first) + 1), Some(first_line), message);
            }
            self.n_events += keys.len() as EventId;
            self.source_lines.push_run(first, first_line, keys.len() as u32);
            self.key_codes.extend(keys.iter().map(|key| key.0), greatest);
        }
        (first_line + keys.len() as u64..).zip(left_out).for_each(|(line, _)| self.leave_out(line));
    }

    /// Gives events from `first` on, behind those that have one, integers for an attribute: any but the least of all.
    pub fn append_ints(&mut self, id: AttributeId, first: EventId, values: &[i64]) {
        TraceBuilder::extra(&mut self.extras, id).append_ints(first as usize, values, &mut self.scratch);
    }

    /// Gives events from `first` on, behind those that have one, values for an attribute that were told before.
    pub fn append_values(&mut self, id: AttributeId, first: EventId, values: &[ValueId]) {
        TraceBuilder::extra(&mut self.extras, id).append_values(first as usize, values, &mut self.scratch);
    }
}
