//! Plain events in columns, as a reader of many lines hands them to the builder at once.

use crate::trace::column::paths::PathId;
use crate::trace::event::key::KeyId;

/// Consecutive events that have a depth, and nothing beyond these columns.
///
/// Every slice has an element for each event, or none if the events do not have the attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    /// Printed numbers.
    pub(crate) chronos: &'a [i64],
    /// Numbers of the calls; `i64::MIN` for an event without a call.
    pub(crate) calls: &'a [i64],
    /// Numbers of ancestors + 1.
    pub(crate) depths: &'a [i64],
    /// Procedure, port and determinism, from [`TraceBuilder::key`](crate::trace::TraceBuilder::key).
    pub(crate) keys: &'a [KeyId],
    /// Goal path and line of the program's source.
    pub(crate) places: &'a [ProgramPoint],
    /// Spans of the arguments in `text`.
    pub(crate) args: &'a [TextSpan],
    /// Lines in the trace's file, counted from `first_line`.
    pub(crate) lines: &'a [u32],
    /// Line in the trace's file of the first line of `text`.
    pub(crate) first_line: u64,
    /// The lines; every span of them is valid UTF-8.
    pub(crate) text: &'a [u8],
    /// Offset of `text` in the trace's file.
    pub(crate) offset: u64,
}

impl Rows<'_> {
    /// The number of events.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }
}

/// Refills a column, reusing its memory.
pub(crate) fn refill<T>(column: &mut Vec<T>, values: impl Iterator<Item = T>) {
    column.clear();
    column.extend(values);
}

/// A point in the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProgramPoint {
    /// Goal path.
    pub(crate) path: Option<PathId>,
    /// Line of the source.
    pub(crate) line_number: Option<i64>,
}

/// A part of a text: the offset of its first byte and its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextSpan {
    /// Offset of the first byte.
    pub(crate) start: u32,
    /// Number of bytes.
    pub(crate) length: u32,
}

impl TextSpan {
    /// This part of `text`; none if it is not valid UTF-8.
    pub(crate) fn of(self, text: &[u8]) -> Option<&str> {
        let start = self.start as usize;
        std::str::from_utf8(text.get(start..start + self.length as usize)?).ok()
    }
}
