//! The lines of one chunk: fast lines in columns, and the lines between them that the full parser reads.

use std::ops::Range;

use super::fast::{FastEventLine, FastReader, ProcAndPort};
use crate::formats::lines::{LineEnds, line_end};
use crate::formats::mercury::local_vars;
use crate::trace::TextSpan;

/// The lines of a chunk. The columns have an element for each fast line.
#[derive(Debug, Default)]
pub(crate) struct ChunkLines {
    /// Numbers of events.
    pub(crate) chronos: Vec<i64>,
    /// Numbers of calls.
    pub(crate) calls: Vec<i64>,
    /// Depths.
    pub(crate) depths: Vec<i64>,
    /// Procedures and ports.
    pub(crate) keys: Vec<ProcAndPort>,
    /// Codes of the text after the arguments.
    pub(crate) tails: Vec<u32>,
    /// Arguments.
    pub(crate) args: Vec<TextSpan>,
    /// Numbers of the lines within the chunk, from 0.
    pub(crate) lines: Vec<u32>,
    /// Offsets in the chunk at which the lines begin.
    starts: Vec<u32>,
    /// The other lines, in order.
    pub(crate) others: Vec<OtherLines>,
    /// The number of lines in the chunk.
    pub(crate) n_lines: u64,
    /// Whether the line numbers of the events in the file are known.
    pub(crate) is_placed: bool,
}

/// Consecutive lines that are not fast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OtherLines {
    /// The number of fast lines before them.
    pub(crate) n_before: usize,
    /// The lines in the text of the chunk.
    pub(crate) text: Range<usize>,
    /// The number of the first one within the chunk, from 0.
    pub(crate) line: u64,
}

impl ChunkLines {
    /// Reads all lines of a chunk.
    pub(crate) fn read(&mut self, text: &[u8], reader: &mut FastReader) {
        self.clear();
        if u32::try_from(text.len()).is_err() {
            return self.leave_whole(text);
        }
        reader.begin_text();
        let is_text = std::str::from_utf8(text).is_ok();
        let line_ends = LineEnds::of(text);
        let mut is_attached = false;
        let mut start = 0;
        while start < text.len() {
            let ends = line_ends.next(start);
            // a last line without a line end may be truncated
            let (end, next) = ends.unwrap_or((text.len(), text.len()));
            is_attached = is_attached && text[start] == local_vars::INDENT;
            let may_be_fast = ends.is_some() && !is_attached && (is_text || is_valid(&text[start..end]));
            match may_be_fast.then(|| reader.line(text, start, end)).flatten() {
                Some(line) => self.push(line, start),
                None if end == start => {}
                None => is_attached |= self.leave(text, start..next),
            }
            self.n_lines += 1;
            start = next;
        }
    }

    /// Clears the columns before lines are pushed; none if the text is too long.
    pub(crate) fn begin(&mut self, text: &[u8], reader: &mut FastReader) -> Option<()> {
        self.clear();
        reader.begin_text();
        u32::try_from(text.len()).is_ok().then_some(())
    }

    /// Adds the next fast line, which begins at `start`.
    #[inline]
    pub(crate) fn push(&mut self, line: FastEventLine, start: usize) {
        self.chronos.push(line.chrono);
        self.calls.push(line.call);
        self.depths.push(line.depth);
        self.keys.push(line.key);
        self.tails.push(line.tail);
        self.args.push(line.args);
        self.lines.push(self.n_lines as u32);
        self.starts.push(start as u32);
    }

    /// Marks the line numbers of the events in the file as unknown.
    pub(crate) fn lose_lines(&mut self) {
        self.lines.fill(0);
        self.is_placed = false;
    }

    fn clear(&mut self) {
        self.chronos.clear();
        self.calls.clear();
        self.depths.clear();
        self.keys.clear();
        self.tails.clear();
        self.args.clear();
        self.lines.clear();
        self.starts.clear();
        self.others.clear();
        self.n_lines = 0;
        self.is_placed = true;
    }

    /// Leaves all lines to the full parser.
    pub(crate) fn leave_whole(&mut self, text: &[u8]) {
        self.clear();
        self.others.push(OtherLines { n_before: 0, text: 0..text.len(), line: 0 });
        let mut start = 0;
        while let Some((_, next)) = line_end(text, start) {
            (start, self.n_lines) = (next, self.n_lines + 1);
        }
        self.n_lines += u64::from(start < text.len());
    }

    /// Leaves a line to the full parser; returns whether it is a heading, which belongs to the event above it.
    #[cold]
    fn leave(&mut self, text: &[u8], line: Range<usize>) -> bool {
        let (mut start, mut number) = (line.start, self.n_lines);
        let is_heading = text[line.clone()].starts_with(local_vars::HEADING);
        if is_heading && self.lines.last().is_some_and(|last| u64::from(*last) + 1 == number) {
            (start, number) = self.pop();
        }
        match self.others.last_mut() {
            Some(other) if other.text.end == start && other.n_before == self.chronos.len() => other.text.end = line.end,
            _ => self.others.push(OtherLines { n_before: self.chronos.len(), text: start..line.end, line: number }),
        }
        is_heading
    }

    /// Removes the last fast line; returns its offset and its number.
    fn pop(&mut self) -> (usize, u64) {
        self.chronos.pop();
        self.calls.pop();
        self.depths.pop();
        self.keys.pop();
        self.tails.pop();
        self.args.pop();
        let start = self.starts.pop().unwrap_or_default();
        (start as usize, u64::from(self.lines.pop().unwrap_or_default()))
    }
}

fn is_valid(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
}
