//! Chunks of whole lines, each of which can be read by itself.

use std::ops::Range;

use super::{LineEnding, Lines};

/// Whole lines, with the buffer that holds them.
#[derive(Debug)]
pub(crate) struct Chunk {
    buffer: Vec<u8>,
    range: Range<usize>,
    /// The offset of the first byte in the input.
    pub(crate) offset: u64,
    /// What ends the last line; [`LineEnding::TooLong`] if the chunk represents one line that is left out.
    pub(crate) ending: LineEnding,
}

impl Chunk {
    /// A buffer that is so many times as long as the bytes in it is not used again.
    const MOST_SPENT: usize = 8;

    /// The lines in a range of a buffer; the range begins at `offset` of the input.
    pub(super) fn new(buffer: Vec<u8>, range: Range<usize>, offset: u64) -> Chunk {
        Chunk { buffer, range, offset, ending: LineEnding::LineEnd }
    }

    /// The bytes of the lines, line ends included.
    pub(crate) fn text(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }
}

impl From<Chunk> for Vec<u8> {
    /// The buffer, to be reused.
    fn from(chunk: Chunk) -> Vec<u8> {
        chunk.buffer
    }
}

/// Which lines belong to the line above them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Attached {
    /// Those below a heading.
    Below {
        /// Beginning of the first such line.
        heading: &'static [u8],
        /// Beginning of the others.
        indent: u8,
    },
    /// All lines that do not begin something, as the function says.
    Unless(fn(&[u8]) -> bool),
}

impl Attached {
    /// Bytes at the beginning of a line that are compared.
    fn length(self) -> usize {
        match self {
            Attached::Below { heading, .. } => heading.len(),
            Attached::Unless(_) => 0,
        }
    }

    /// Whether the line that begins with `rest` may belong to the one above; a line that is not read yet may.
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

    /// Whether a chunk may end before the last line of `head`, which begins at `last`, if there is no better place.
    fn allows(self, head: &[u8], last: usize) -> bool {
        match self {
            // without a heading, indented lines are lines like others
            Attached::Below { heading, indent } => {
                memchr::memmem::find(head, heading).is_none() && head.get(last) == Some(&indent)
            }
            Attached::Unless(_) => true,
        }
    }
}

impl Lines {
    /// The next lines, about [`chunk_bytes`](Lines::chunk_bytes) bytes, until the input ends or fails.
    ///
    /// A line and those that are attached to it are in one chunk. `spent` is a buffer to reuse.
    pub(crate) fn next_chunk(&mut self, attached: Option<Attached>, spent: Vec<u8>) -> Option<Chunk> {
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
                return (length > 0).then(|| self.take(length, LineEnding::InputEnd, spent));
            }
            if let Some(length) = self.last_cut(attached, wanted.min(length)) {
                return Some(self.take(length, LineEnding::LineEnd, spent));
            }
            wanted = wanted.saturating_mul(2);
        }
    }

    /// The next bytes: as many as `cut` takes of those at the start of the input that it is given. It is given more if it
    /// takes none, until there are no more, as its second argument says.
    pub(crate) fn next_cut(&mut self, spent: Vec<u8>, mut cut: impl FnMut(&[u8], bool) -> usize) -> Chunk {
        let mut wanted = self.chunk_bytes;
        loop {
            self.fill_exactly(wanted);
            let is_last = self.end - self.start < wanted;
            let length = cut(self.head(), is_last).min(self.end - self.start);
            if length > 0 || is_last {
                let ending = if is_last { LineEnding::InputEnd } else { LineEnding::LineEnd };
                return self.take(length, ending, spent);
            }
            wanted = wanted.saturating_mul(2);
        }
    }

    fn fill_exactly(&mut self, n_bytes: usize) {
        if !self.source_ended && self.end - self.start < n_bytes && self.buffer.len() < self.start + n_bytes {
            self.move_to_front();
            self.buffer.resize(self.buffer.len().max(n_bytes), 0);
        }
        while self.end - self.start < n_bytes && self.fill(n_bytes - (self.end - self.start)) {}
    }

    /// Whether the first line is longer than [`LONGEST`](Lines::LONGEST).
    fn has_long_line(&self) -> bool {
        let head = self.head();
        head.len() >= Lines::LONGEST && memchr::memchr2(b'\n', b'\r', &head[..Lines::LONGEST]).is_none()
    }

    /// The length of the longest prefix of whole lines, `most` bytes at most, after which a line begins that is not attached.
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

    /// Where the last line begins that begins at `before` at the latest, but not at 0.
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

    /// Hands the first `length` bytes over, and keeps those after them: the shorter of both parts moves to the spent buffer.
    fn take(&mut self, length: usize, ending: LineEnding, mut spent: Vec<u8>) -> Chunk {
        let (start, cut) = (self.start, self.start + length);
        let (rest, offset) = (self.end - cut, self.offset + start as u64);
        if spent.capacity() > Chunk::MOST_SPENT * (length + rest) {
            spent = Vec::new();
        }
        if rest > length {
            spent.clear();
            spent.extend_from_slice(&self.buffer[start..cut]);
            (self.start, self.searched) = (cut, cut);
            return Chunk { buffer: spent, range: 0..length, offset, ending };
        }
        if spent.len() < rest {
            spent.resize(rest, 0);
        }
        spent[..rest].copy_from_slice(&self.buffer[cut..self.end]);
        let buffer = std::mem::replace(&mut self.buffer, spent);
        self.offset += cut as u64;
        (self.start, self.searched, self.end) = (0, 0, rest);
        Chunk { buffer, range: start..cut, offset, ending }
    }

    fn long_line(&mut self) -> Chunk {
        let offset = self.offset + self.start as u64;
        self.skip_long_line();
        Chunk { buffer: Vec::new(), range: 0..0, offset, ending: LineEnding::TooLong }
    }
}

/// Finds the ends of the lines of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineEnds<'t> {
    text: &'t [u8],
    has_returns: bool,
}

impl<'t> LineEnds<'t> {
    /// The line ends of `text`.
    pub(crate) fn of(text: &'t [u8]) -> LineEnds<'t> {
        LineEnds { text, has_returns: memchr::memchr(b'\r', text).is_some() }
    }

    /// The end of the line that begins at `start`, and the beginning of the next one; none if no line end follows.
    #[inline]
    pub(crate) fn next(self, start: usize) -> Option<(usize, usize)> {
        match self.has_returns {
            true => line_end(self.text, start),
            false => memchr::memchr(b'\n', &self.text[start..]).map(|length| (start + length, start + length + 1)),
        }
    }
}

/// The lines of a chunk, without their ends.
pub(crate) fn chunk_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (ends, mut start) = (LineEnds::of(text), 0);
    std::iter::from_fn(move || {
        let (end, next) = (start < text.len()).then(|| ends.next(start).unwrap_or((text.len(), text.len())))?;
        let line = &text[start..end];
        start = next;
        Some(line)
    })
}

/// The end of the line that begins at `start`, and the beginning of the next one; none if no line end follows.
pub(crate) fn line_end(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let end = start + memchr::memchr2(b'\n', b'\r', &text[start..])?;
    let is_pair = text[end] == b'\r' && text.get(end + 1) == Some(&b'\n');
    Some((end, end + 1 + usize::from(is_pair)))
}
