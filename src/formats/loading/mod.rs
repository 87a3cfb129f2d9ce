//! From paths to traces: files are recognised, read, merged, filtered, and followed while they grow.

mod beginning;
mod clock;
mod event_copy;
mod filter;
mod follow;
mod load;
mod memory;
mod merge;
mod merged_recordings;
mod other_kinds;
mod recognise;
mod seams;
mod spans;

pub(crate) use beginning::{TIMES, load_beginning};
pub(crate) use filter::filtered;
pub(crate) use follow::{Growing, KeptEvent, NewEvents, NewLines};
pub(crate) use load::{FirstLook, LoadError, LoadOptions, Selected, first_look, load, load_bytes, load_selected};
pub(crate) use merge::load_merged;
pub(crate) use merged_recordings::READING;
#[cfg(test)]
pub(crate) use recognise::likeliest;
pub(crate) use spans::{SpanRule, refuse_spans, unknown_names};
