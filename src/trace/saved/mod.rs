//! Saved traces: a trace in one file that opens at once, because its columns are lazy.
//!
//! If a part cannot be read when it is needed, the trace has a [fault](crate::trace::Trace::fault): all answers from
//! then on are void.

mod meta;
mod numbering;
mod read;
mod section_writer;
mod write;
