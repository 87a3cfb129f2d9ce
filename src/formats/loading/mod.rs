//! From paths to traces: files are recognised, read, merged, and followed while they grow.

mod event_copy;
mod follow;
mod json_kinds;
mod load;
mod memory;
mod merge;
mod merged_recordings;
mod recognise;
mod spans;

pub use follow::{Growing, KeptEvent, NewEvents, NewLines};
pub use load::{LoadError, LoadOptions, load, load_bytes, load_excerpt};
pub use merge::load_merged;
pub use merged_recordings::READING;
pub use spans::{SpanRule, refuse_spans, unknown_names};
