//! Chunks: stretches of whole lines, so that each can be read by itself.

use std::ops::Range;

use super::{Ending, Lines};

/// Whole lines, with the buffer that holds them.
#[derive(Debug)]
pub struct Chunk {
    buffer: Vec<u8>,
    range: Range<usize>,
    /// Place of the first byte in the input.
    pub offset: u64,
    /// What ends the last line; [`Ending::TooLong`] for a chunk that stands for one line that is left out.
    pub ending: Ending,
}

impl Chunk {
    /// The lines in a part of a buffer, which stands at `offset` of the input.
    pub(super) fn new(buffer: Vec<u8>, range: Range<usize>, offset: u64) -> Chunk {
        Chunk { buffer, range, offset, ending: Ending::LineEnd }
    }

    /// The bytes of the lines, line ends included.
    pub fn text(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }

    /// The buffer, for the next chunk.
    pub fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }
}

/// Which lines belong to the line before.
#[derive(Clone, Copy, Debug)]
pub enum Attached {
    /// Those below a heading.
    Below {
        /// Beginning of the first such line.
        heading: &'static [u8],
        /// Beginning of the others.
        indent: u8,
    },
    /// All for which the function does not say that they begin something, as long as there is one in reach.
    Unless(fn(&[u8]) -> bool),
}

impl Attached {
    /// Bytes of a line that are looked at.
    fn length(self) -> usize {
        match self {
            Attached::Below { heading, .. } => heading.len(),
            Attached::Unless(_) => 0,
        }
    }

    /// Whether the line that begins with `rest` may belong to the one before; a line that is not there yet may.
    fn may_begin(self, rest: &[u8]) -> bool {
        match self {
            Attached::Below { heading, indent } => {
                let heading = &heading[..heading.len().min(rest.len())];
                rest.first().is_none_or(|byte| *byte == indent) || rest.starts_with(heading)
            }
            Attached::Unless(begins) => {
                let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                !begins(&rest[..end])
            }
        }
    }

    /// Whether a cut is made in front of the last line of `head`, which begins at `last`, if there is no better one.
    fn allows(self, head: &[u8], last: usize) -> bool {
        match self {
            // without a heading, lines that begin with blanks are lines like others
            Attached::Below { heading, indent } => {
                memchr::memmem::find(head, heading).is_none() && head.get(last) == Some(&indent)
            }
            Attached::Unless(_) => true,
        }
    }
}

impl Lines {
    /// The next lines, about [`chunk_bytes`](Lines::chunk_bytes) of them, until the input ends or fails.
    ///
    /// A line and those that are attached to it, if there are such lines, are in one chunk. `spent` is a buffer that is no longer needed.
    pub fn next_chunk(&mut self, attached: Option<Attached>, spent: Vec<u8>) -> Option<Chunk> {
        self.skip_line_feed();
        self.kept = None;
        let mut wanted = self.chunk_bytes;
        loop {
            self.fill_exactly(wanted + attached.map_or(0, Attached::length) + 1);
            let length = self.end - self.start;
            if self.has_long_line() {
                return Some(self.long_line());
            }
            if self.source_ended && length <= wanted {
                return (length > 0).then(|| self.take(length, Ending::InputEnd, spent));
            }
            if let Some(length) = self.last_cut(attached, wanted.min(length)) {
                return Some(self.take(length, Ending::LineEnd, spent));
            }
            wanted = wanted.saturating_mul(2);
        }
    }

    fn fill_exactly(&mut self, n_bytes: usize) {
        if self.buffer.len() < self.start + n_bytes {
            self.buffer.resize(self.start + n_bytes, 0);
        }
        while self.end - self.start < n_bytes && self.fill(n_bytes - (self.end - self.start)) {}
    }

    /// Whether the first line has no end within the bytes that a line may have.
    fn has_long_line(&self) -> bool {
        let head = self.head();
        head.len() >= Lines::LONGEST && memchr::memchr2(b'\n', b'\r', &head[..Lines::LONGEST]).is_none()
    }

    /// Length of the longest stretch of whole lines, `most` bytes at most, behind which a line begins that stands for itself.
    fn last_cut(&self, attached: Option<Attached>, most: usize) -> Option<usize> {
        let head = self.head();
        let last = self.last_line_start(most)?;
        let Some(attached) = attached else { return Some(last) };
        let mut cut = Some(last);
        while let Some(length) = cut {
            if !attached.may_begin(&head[length..]) {
                return Some(length);
            }
            cut = self.last_line_start(length - 1);
        }
        attached.allows(head, last).then_some(last)
    }

    /// Where the last line begins whose beginning is at most `before`, but not at 0.
    fn last_line_start(&self, before: usize) -> Option<usize> {
        let head = self.head();
        let mut end = before;
        loop {
            let found = memchr::memrchr2(b'\n', b'\r', &head[..end])?;
            // a line feed may belong to the carriage return
            if head[found] == b'\n' || head.get(found + 1).is_some_and(|next| *next != b'\n') {
                return Some(found + 1);
            }
            end = found;
        }
    }

    /// Gives the first `length` bytes away with the buffer; what follows them is moved to the other one.
    fn take(&mut self, length: usize, ending: Ending, mut spent: Vec<u8>) -> Chunk {
        let (start, cut) = (self.start, self.start + length);
        let rest = self.end - cut;
        if spent.len() < rest {
            spent.resize(self.buffer.len(), 0);
        }
        spent[..rest].copy_from_slice(&self.buffer[cut..self.end]);
        let buffer = std::mem::replace(&mut self.buffer, spent);
        let offset = self.offset + start as u64;
        self.offset += cut as u64;
        (self.start, self.searched, self.end) = (0, 0, rest);
        Chunk { buffer, range: start..cut, offset, ending }
    }

    fn long_line(&mut self) -> Chunk {
        let offset = self.offset + self.start as u64;
        self.skip_long_line();
        Chunk { buffer: Vec::new(), range: 0..0, offset, ending: Ending::TooLong }
    }
}

/// The lines of a text one after the other.
#[derive(Clone, Copy, Debug)]
pub struct LineEnds<'t> {
    text: &'t [u8],
    has_returns: bool,
}

impl<'t> LineEnds<'t> {
    /// Those of the lines in `text`.
    pub fn of(text: &'t [u8]) -> LineEnds<'t> {
        LineEnds { text, has_returns: memchr::memchr(b'\r', text).is_some() }
    }

    /// Where the line that begins at `start` ends, and where the next one begins; none if no line end follows.
    #[inline]
    pub fn behind(self, start: usize) -> Option<(usize, usize)> {
        match self.has_returns {
            true => line_end(self.text, start),
            false => memchr::memchr(b'\n', &self.text[start..]).map(|length| (start + length, start + length + 1)),
        }
    }
}

/// Where the line that begins at `start` ends, and where the next one begins.
pub fn line_end(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let end = start + memchr::memchr2(b'\n', b'\r', &text[start..])?;
    let is_pair = text[end] == b'\r' && text.get(end + 1) == Some(&b'\n');
    Some((end, end + 1 + usize::from(is_pair)))
}
