//! Floor 2: trace formats. One file or folder per format, one row in [`FORMATS`]; loading finds the right one.
//!
//! How a trace is written back is in [`output`](crate::output).

mod estimate;
mod input;
pub mod jsonl;
mod lines;
mod load;
pub mod morphine;
pub mod text;

pub use lines::{Ending, Line, Lines};
pub use load::{LoadError, LoadOptions, load};

use crate::trace::{PortSet, TraceBuilder};

/// A trace format: what it is, how to recognise it, how to read it.
pub struct Format {
    /// The name that `--from` takes.
    pub name: &'static str,
    /// One line for help.
    pub doc: &'static str,
    /// A line of such a file.
    pub sample: &'static str,
    /// What a file that was not recognised does not have.
    pub missing: &'static str,
    /// The rule of the line grammar, under which lines that are no event are listed.
    pub rule: &'static str,
    /// The ports that events of this format have.
    pub ports: PortSet,
    /// How many of the first lines of a file are events of this format.
    pub sniff: fn(head: &[u8]) -> usize,
    /// Hands every event to the builder. What cannot be read becomes a finding, and reading goes on.
    pub read: fn(&mut Lines, &mut TraceBuilder),
}

/// Every format, in the order in which help lists them.
pub const FORMATS: &[Format] = &[morphine::FORMAT, jsonl::FORMAT];
