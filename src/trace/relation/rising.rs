//! What is known of columns whose integers rise from event to event.

use std::sync::Mutex;

use crate::term::hash::NumberMap;

/// What is known of the columns of a trace in which ranges were asked for, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct RisingColumns(pub(crate) Mutex<NumberMap<usize, RisingState>>);

/// What is known of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RisingState {
    /// A range was asked for once.
    Asked,
    /// Whether each event has an integer, not less than that of the event before.
    Known(bool),
}
