//! Saved traces: a trace in one file that is open at once, as its columns are read when they are first asked for.
//!
//! A part that cannot be read when it is asked for is a [fault](super::Trace::fault) of the trace: all that is answered from then on is void.

mod bytes;
mod code_blocks;
mod columns;
mod cores;
mod file;
mod memory;
mod meta;
mod numbering;
mod order;
mod packing;
mod read;
mod saving;
mod texts;
mod whole;
mod write;

use std::io;

use thiserror::Error;

pub(super) use code_blocks::CodeBlocks;
pub(super) use file::SavedFile;
pub use file::{MAGIC, SavedSource};
pub use memory::SavedMemory;
pub(super) use order::KeyOrder;
pub(super) use texts::TextBlocks;

/// Why a file is no saved trace that can be read.
#[derive(Debug, Error)]
pub enum SavedError {
    /// What the system says.
    #[error("{0}")]
    Unreadable(io::Error),
    /// It was written by another version: its number and ours.
    #[error("it was saved in version {0} of the format, and this papaver reads version {1}: convert the trace again")]
    Version(u32, u32),
    /// It is cut short or was not written to its end.
    #[error("the saved trace is not whole: convert the trace again")]
    Partial,
    /// Some part of it is not what was written.
    #[error("the saved trace is damaged: {0} is not what was written")]
    Damaged(&'static str),
    /// It was made from a format that is not known.
    #[error("it was made from a trace of the format `{0}`, which is not known")]
    Format(String),
}
