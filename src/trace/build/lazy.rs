//! Lazy columns that a reader hands over, and the plain events that it adds at once.

use std::sync::Arc;

use super::lazy_columns::{KnownColumns, LazyCalls, LazyInts, LazyLines, LazyLists, LazyPaths, LazyTerms, LazyValues};
use super::{KeyId, TraceBuilder};
use crate::trace::column::places::PlaceTable;
use crate::trace::event::EventId;
use crate::trace::event::args::{ArgsId, ListField};
use crate::trace::event::schema::AttributeId;
use crate::trace::file::text_file::TextFile;
use crate::trace::relation::source_places::{RecordNumbers, SourcePlaces};

/// Lazy columns: each function fills its column when the column is first needed. No event may get a value for the
/// attribute in any other way, and some event must have one.
impl TraceBuilder {
    /// Makes the integers of an attribute lazy: depths, source lines, or any attribute that is not one of the fixed
    /// ones.
    pub(crate) fn lazy_ints(
        &mut self,
        id: AttributeId,
        fill: impl Fn(&KnownColumns, &mut LazyInts) + Send + Sync + 'static,
    ) {
        self.lazy_columns.ints.push((id, Box::new(fill)));
    }

    /// Makes the values of an attribute lazy. It must not be one of the fixed ones, nor have only integers.
    pub(crate) fn lazy_values(
        &mut self,
        id: AttributeId,
        fill: impl Fn(&KnownColumns, &mut LazyValues) + Send + Sync + 'static,
    ) {
        self.lazy_columns.values.push((id, Box::new(fill)));
    }

    /// Makes the arguments lazy.
    pub(crate) fn lazy_args(&mut self, fill: impl Fn(&KnownColumns, &mut LazyLists) + Send + Sync + 'static) {
        self.lazy_args_of(None, fill);
    }

    /// As [`lazy_args`](TraceBuilder::lazy_args), with the file that the function reads.
    pub(crate) fn lazy_args_of(
        &mut self,
        file: Option<Arc<TextFile>>,
        fill: impl Fn(&KnownColumns, &mut LazyLists) + Send + Sync + 'static,
    ) {
        self.lazy_columns.args = Some((file, Box::new(fill)));
    }

    /// Makes the goal paths lazy.
    pub(crate) fn lazy_paths(&mut self, fill: impl Fn(&KnownColumns, &mut LazyPaths) + Send + Sync + 'static) {
        self.lazy_columns.paths = Some(Box::new(fill));
    }

    /// Makes a term of every event lazy: it is the event's value for an attribute, and its only argument.
    pub(crate) fn lazy_terms(
        &mut self,
        id: AttributeId,
        fill: impl Fn(&KnownColumns, &mut LazyTerms) + Send + Sync + 'static,
    ) {
        self.lazy_columns.terms = Some((id, Box::new(fill)));
    }

    /// Makes the events' lines in the trace's file lazy.
    pub(crate) fn lazy_source_lines(&mut self, fill: impl Fn(&KnownColumns, &mut LazyLines) + Send + Sync + 'static) {
        self.lazy_columns.source_lines = Some(Box::new(fill));
    }

    /// Says where the records of a document begin, and which one each event comes from: before events are added, whose lines
    /// do not count then.
    pub(crate) fn places(&mut self, table: Arc<PlaceTable>, records: RecordNumbers) {
        self.source_places = Some(SourcePlaces { table: table.into(), records });
    }

    /// Makes the calls of the events lazy; there are `n_calls` calls.
    pub(crate) fn lazy_calls(
        &mut self,
        n_calls: usize,
        fill: impl Fn(&KnownColumns, &mut LazyCalls) + Send + Sync + 'static,
    ) {
        self.lazy_columns.calls = Some((n_calls, Box::new(fill)));
    }

    /// Declares the size in bytes of the tables from which lazy columns are computed.
    pub(crate) fn keeps_tables(&mut self, n_bytes: usize) {
        self.n_table_bytes = n_bytes;
    }
}

/// Adding many events at once that have no printed number and, at first, only a key.
impl TraceBuilder {
    /// Adds events with these keys only, on consecutive lines from `first_line` on.
    pub(crate) fn append_keys(&mut self, keys: &[KeyId], first_line: u64) {
        let first = self.n_events;
        let room = (EventId::MAX - first) as usize;
        let (keys, left_out) = keys.split_at(room.min(keys.len()));
        if let Some(greatest) = keys.iter().map(|key| key.0).max() {
            // one event without a number is enough: the trace numbers all events by rank
            if let Some(message) = self.chronos.push(first, None, first_line) {
                self.finding("chrono", Some(i64::from(first) + 1), Some(first_line), message);
            }
            self.n_events += keys.len() as EventId;
            if self.source_places.is_none() {
                self.source_lines.push_run(first, first_line, keys.len() as u32);
            }
            self.key_codes.extend(keys.iter().map(|key| key.0), greatest);
        }
        (first_line + keys.len() as u64..).zip(left_out).for_each(|(line, _)| self.leave_out(line));
    }

    /// The number of a list of names of arguments; the same list always has the same number.
    pub(crate) fn names(&mut self, names: ListField<'_>) -> ArgsId {
        names.write_stored(&mut self.scratch);
        ArgsId(self.arg_names.code(&self.scratch))
    }

    /// Gives known names of arguments to the events from `first` on; none of these events has any yet.
    pub(crate) fn append_arg_names(&mut self, first: EventId, names: &[ArgsId]) {
        self.arg_names.append_codes(first as usize, names.iter().map(|names| names.0));
    }

    /// Gives known names of arguments to some events, in rising order; no event from the first of them on has any yet.
    pub(crate) fn scatter_arg_names(&mut self, names: &[(EventId, ArgsId)]) {
        self.arg_names.scatter_codes(names.iter().map(|(event, names)| (*event as usize, names.0)));
    }
}
