//! Plain events in columns, as a reader of many lines at once hands them to the builder.

use super::key::KeyId;
use super::paths::PathId;

/// A stretch of events that have a depth, and no more than what stands here.
///
/// Every slice has an element for each event, or none if nothing is told of what it stands for.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Printed numbers.
    pub chronos: &'a [i64],
    /// Numbers of the calls; the least integer of all for an event that has none.
    pub calls: &'a [i64],
    /// Numbers of ancestors + 1.
    pub depths: &'a [i64],
    /// Procedure, port and determinism, from [`TraceBuilder::key`](super::TraceBuilder::key).
    pub keys: &'a [KeyId],
    /// Goal path and line of the program's source.
    pub places: &'a [Place],
    /// Where the arguments stand in `text`.
    pub args: &'a [Span],
    /// Lines in the trace's file, counted from `first_line`.
    pub lines: &'a [u32],
    /// Line in the trace's file of the first line of `text`.
    pub first_line: u64,
    /// The lines, of which the spans are valid text.
    pub text: &'a [u8],
    /// Where `text` stands in the trace's file.
    pub offset: u64,
}

impl Rows<'_> {
    /// How many events these are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// Fills a column anew, in the memory that it has.
pub fn refill<T>(column: &mut Vec<T>, values: impl Iterator<Item = T>) {
    column.clear();
    column.extend(values);
}

/// A place in the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Goal path.
    pub path: Option<PathId>,
    /// Line of the source.
    pub line_number: Option<i64>,
}

/// A stretch of a text: the offset of its first byte and its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Number of bytes.
    pub length: u32,
}

impl Span {
    /// The part of `text` that it stands for; none if that is no valid text.
    pub fn of(self, text: &[u8]) -> Option<&str> {
        let start = self.start as usize;
        std::str::from_utf8(text.get(start..start + self.length as usize)?).ok()
    }
}
