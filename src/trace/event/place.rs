//! Where an event begins in the trace's file.

use std::fmt;

/// Where an event begins in the trace's file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourcePlace {
    /// The line, from 1; of a file of messages the number of the message; 0 if there is none.
    pub(crate) line: u64,
    /// The byte in the line or message, from 1; 0 if only the line is known.
    pub(crate) column: u64,
    /// The byte in the file, from 0, after unpacking; known if the column is.
    pub(crate) offset: u64,
}

impl fmt::Display for SourcePlace {
    /// `7`, or `7:12` if the column is known.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            0 => write!(formatter, "{}", self.line),
            column => write!(formatter, "{}:{column}", self.line),
        }
    }
}
