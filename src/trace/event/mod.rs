//! What an event is: attributes, ports, procedures, values, keys; findings and facts of the recorder.

pub(super) mod args;
pub(super) mod argument_place;
pub(super) mod determinism;
pub(super) mod error;
pub(super) mod finding;
pub(super) mod key;
pub(super) mod nearest;
pub(super) mod place;
pub(super) mod port;
pub(super) mod proc;
pub(super) mod recording;
pub(super) mod schema;
pub(super) mod simple_term;
pub(super) mod time_unit;
mod unheld;
pub(super) mod value;

/// Row of an event, from 0.
pub(crate) type EventId = u32;
