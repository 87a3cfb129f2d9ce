//! The events of one chunk: plain ones in columns, and between them the lines that are not plain.

use std::ops::Range;

use super::fast::{LocalKey, PlainLine, PlainReader};
use crate::formats::lines::{LineEnds, line_end};
use crate::formats::mercury::local_vars;
use crate::trace::Span;

/// What was read of a chunk. The columns have an element for each plain line.
#[derive(Debug, Default)]
pub struct Batch {
    /// Numbers of events.
    pub chronos: Vec<i64>,
    /// Numbers of calls.
    pub calls: Vec<i64>,
    /// Depths.
    pub depths: Vec<i64>,
    /// Procedures and ports.
    pub keys: Vec<LocalKey>,
    /// What stands behind the arguments.
    pub tails: Vec<u32>,
    /// Arguments.
    pub args: Vec<Span>,
    /// Numbers of the lines in the chunk, from 0.
    pub lines: Vec<u32>,
    /// Where in the chunk the lines begin.
    starts: Vec<u32>,
    /// The others, in order.
    pub odd: Vec<Odd>,
    /// How many lines the chunk has.
    pub n_lines: u64,
    /// Whether it is known on which lines of the file the events stand.
    pub is_placed: bool,
}

/// Lines that follow each other and are not plain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Odd {
    /// How many plain lines come before.
    pub n_before: usize,
    /// The lines in the text of the chunk.
    pub text: Range<usize>,
    /// Number of the first one in the chunk, from 0.
    pub line: u64,
}

impl Batch {
    /// Reads all lines of a chunk.
    pub fn read(&mut self, text: &[u8], reader: &mut PlainReader) {
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
            let ends = line_ends.behind(start);
            // a line that no line end follows may be cut
            let (end, next) = ends.unwrap_or((text.len(), text.len()));
            is_attached = is_attached && text[start] == local_vars::INDENT;
            let may_be_plain = ends.is_some() && !is_attached && (is_text || is_valid(&text[start..end]));
            match may_be_plain.then(|| reader.line(text, start, end)).flatten() {
                Some(line) => self.plain(line, start),
                None if end == start => {}
                None => is_attached |= self.odd(text, start..next),
            }
            self.n_lines += 1;
            start = next;
        }
    }

    /// Empties it, to be filled line by line; none if the text is too long.
    pub fn begin(&mut self, text: &[u8], reader: &mut PlainReader) -> Option<()> {
        self.clear();
        reader.begin_text();
        u32::try_from(text.len()).is_ok().then_some(())
    }

    /// Adds the next line, which begins at `start`.
    #[inline]
    pub fn plain(&mut self, line: PlainLine, start: usize) {
        self.chronos.push(line.chrono);
        self.calls.push(line.call);
        self.depths.push(line.depth);
        self.keys.push(line.key);
        self.tails.push(line.tail);
        self.args.push(line.args);
        self.lines.push(self.n_lines as u32);
        self.starts.push(start as u32);
    }

    /// Forgets on which lines of the file the events stand.
    pub fn lose_lines(&mut self) {
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
        self.odd.clear();
        self.n_lines = 0;
        self.is_placed = true;
    }

    /// Leaves all lines to the general reader.
    pub fn leave_whole(&mut self, text: &[u8]) {
        self.clear();
        self.odd.push(Odd { n_before: 0, text: 0..text.len(), line: 0 });
        let mut start = 0;
        while let Some((_, next)) = line_end(text, start) {
            (start, self.n_lines) = (next, self.n_lines + 1);
        }
        self.n_lines += u64::from(start < text.len());
    }

    /// Adds a line that is not plain to those right before it; says whether it is a heading, which takes the event above it along.
    #[cold]
    fn odd(&mut self, text: &[u8], line: Range<usize>) -> bool {
        let (mut start, mut number) = (line.start, self.n_lines);
        let is_heading = text[line.clone()].starts_with(local_vars::HEADING);
        if is_heading && self.lines.last().is_some_and(|last| u64::from(*last) + 1 == number) {
            (start, number) = self.pop();
        }
        match self.odd.last_mut() {
            Some(odd) if odd.text.end == start && odd.n_before == self.chronos.len() => odd.text.end = line.end,
            _ => self.odd.push(Odd { n_before: self.chronos.len(), text: start..line.end, line: number }),
        }
        is_heading
    }

    /// Takes the last plain line back; gives where it begins and its number.
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
