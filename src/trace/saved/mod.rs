//! Saved traces: a trace in one file that opens at once, because its columns are lazy.
//!
//! If a part cannot be read when it is needed, the trace has a [fault](crate::trace::Trace::fault): all answers from then on
//! are void.

mod meta;
mod numbering;
mod read;
mod section_writer;
mod write;

use std::io;

use thiserror::Error;

/// Why a file is not a readable saved trace.
#[derive(Debug, Error)]
pub enum SavedError {
    /// The error of the system.
    #[error("{0}")]
    Unreadable(io::Error),
    /// Another version wrote it: its number and ours.
    #[error("it was saved in version {0} of the format, and this papaver reads version {1}: convert the trace again")]
    Version(u32, u32),
    /// It is truncated.
    #[error("the saved trace is truncated: convert the trace again")]
    Partial,
    /// A part of it was changed.
    #[error("the saved trace is damaged: {0} is not what was written")]
    Damaged(&'static str),
    /// It was made from an unknown format.
    #[error("it was made from a trace of the unknown format `{0}`")]
    Format(String),
}
