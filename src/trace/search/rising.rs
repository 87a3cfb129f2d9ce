//! Columns whose integers rise from event to event, as times do: the events with values in a range are found by binary search.

use std::ops::Range;
use std::sync::PoisonError;

use super::distinct_values::TraceColumn;
use crate::trace::event::EventId;
use crate::trace::relation::rising::RisingState;
use crate::trace::relation::store::Trace;

/// So many rows are looked at together.
const AT_ONCE: EventId = 4096;

impl Trace {
    /// The rows of the events whose integers in a column are in a range, if these rise, and ranges in it were asked for before.
    pub(crate) fn rows_between(&self, column: TraceColumn, low: i64, high: i64) -> Option<Range<EventId>> {
        let TraceColumn::Extra(number) = column else { return None };
        let is_rising = {
            let mut known = self.rising_columns.0.lock().unwrap_or_else(PoisonError::into_inner);
            let state = match known.get(&number) {
                None => RisingState::Asked,
                Some(RisingState::Asked) => RisingState::Known(self.rises(column)),
                Some(known) => *known,
            };
            known.insert(number, state);
            state == RisingState::Known(true)
        };
        is_rising.then(|| self.first_row(column, |value| value < low)..self.first_row(column, |value| value <= high))
    }

    /// Whether each event has an integer, not less than that of the event before.
    pub(crate) fn rises(&self, column: TraceColumn) -> bool {
        let (mut last, mut values) = (i64::MIN, Vec::new());
        (0..self.n_events()).step_by(AT_ONCE as usize).all(|first| {
            let end = first.saturating_add(AT_ONCE).min(self.n_events());
            let rows: Vec<i64> = (first..end).map(i64::from).collect();
            values.clear();
            let has_all = self.gather_column(column, &rows, &mut values);
            has_all && values.iter().all(|value| *value >= std::mem::replace(&mut last, *value))
        })
    }

    /// The first row whose integer is not below a bound.
    fn first_row(&self, column: TraceColumn, is_below: impl Fn(i64) -> bool) -> EventId {
        let (mut low, mut high, mut value) = (0, self.n_events(), Vec::with_capacity(1));
        while low < high {
            let middle = low + (high - low) / 2;
            value.clear();
            let is_known = self.gather_column(column, &[i64::from(middle)], &mut value);
            if is_known && is_below(value[0]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}
