//! The lines of an input, in one buffer, whatever ends them; and what reads them: chunks, read-ahead, scanning.

pub(crate) mod brackets;
mod chunk;
pub(crate) mod hex;
pub(crate) mod input;
pub(crate) mod interner;
pub(crate) mod kept;
pub(crate) mod packed;
pub(crate) mod read_ahead;
pub(crate) mod scan;
mod stretch;
pub(crate) mod swar;
pub(crate) mod text;
pub(crate) mod text_blocks;
pub(crate) mod text_list;

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::Arc;

use crate::formats::mapping::JsonMap;
use crate::term::ops::OpTable;
pub(crate) use chunk::{Attached, Chunk, LineEnds, chunk_lines, line_end};
pub(crate) use stretch::StretchReader;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnding {
    /// A line feed, a carriage return, or both.
    LineEnd,
    /// The input ends.
    InputEnd,
    /// It is longer than [`Lines::LONGEST`]; its bytes are left out.
    TooLong,
}

/// A line without its line end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// The bytes, which need not be valid text.
    pub(crate) bytes: &'a [u8],
    /// Number of the line, from 1.
    pub(crate) number: u64,
    /// What ends it.
    pub(crate) ending: LineEnding,
}

/// The lines of a text, without their ends; the last one is empty if the text ends with a line end.
pub(crate) fn split_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    let mut ends = memchr::memchr2_iter(b'\n', b'\r', text).chain([text.len()]);
    let mut start = 0;
    std::iter::from_fn(move || {
        let end = ends.next()?;
        let line = &text[start..end];
        start = end + 1;
        Some(line)
    })
}

/// Reads an input line by line, a block at a time.
pub(crate) struct Lines {
    /// The approximate size of a chunk in bytes.
    pub(crate) chunk_bytes: usize,
    /// The file of the lines, if they are in one and not packed.
    pub(crate) file: Option<File>,
    /// The name of the file, if it is one of several logs of a run.
    pub(crate) log: Option<String>,
    /// What another file says about events that were lost.
    pub(crate) losses: Option<Vec<u8>>,
    /// The operators of texts that are terms, if they are not the standard ones.
    pub(crate) operators: Option<Box<OpTable>>,
    /// The maps through which the lines are read, if they were given.
    pub(crate) maps: Option<Arc<[JsonMap]>>,
    source: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// The greatest length of the sample.
    n_sampled: usize,
    /// The offset of the buffer in the input.
    offset: u64,
    /// The range of the last line, which must stay in the buffer.
    kept: Option<Range<usize>>,
    /// Where the next line begins.
    start: usize,
    /// There is no line end from `start` up to here.
    searched: usize,
    /// The end of the bytes in the buffer.
    end: usize,
    number: u64,
    source_ended: bool,
    /// The last line ended with a carriage return, whose line feed may follow.
    after_return: bool,
    failure: Option<io::Error>,
}

/// The mark with which some editors begin a text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Lines {
    /// Bytes from which the format of a text, and the layout of its lines, are inferred.
    pub(crate) const SAMPLE: usize = 1 << 16;
    /// The same at most, if the first line is longer than that, or if they are the beginning of a document of many lines.
    pub(crate) const LONG_SAMPLE: usize = 1 << 24;
    /// Length in bytes above which a line is left out.
    pub(crate) const LONGEST: usize = 1 << 28;
    /// Bytes without any line end after which reading stops.
    const ENDLESS: usize = 1 << 32;
    const BLOCK: usize = 1 << 18;
    /// The size of the first buffer, into which most small traces fit.
    const FIRST_BLOCK: usize = 1 << 15;
    /// Few enough bytes to stay in the cache of a core, and enough to make the hand-off cheap.
    const CHUNK: usize = 1 << 19;

    /// The message about a line, or another part of a text, that is longer than [`LONGEST`](Lines::LONGEST).
    pub(crate) fn too_long(part: &str) -> String {
        format!("a {part} of more than {} MiB is left out", Lines::LONGEST >> 20)
    }

    /// The lines of `source`; a byte order mark at the start is skipped.
    #[cfg(test)]
    pub(crate) fn new(source: Box<dyn Read + Send>) -> Lines {
        Lines::begun(Vec::new(), Some(source))
    }

    /// The lines of `first` and then of `rest`; a byte order mark at the start is skipped.
    pub(crate) fn begun(first: Vec<u8>, rest: Option<Box<dyn Read + Send>>) -> Lines {
        let mut lines = Lines { source_ended: rest.is_none(), end: first.len(), buffer: first, ..Lines::empty() };
        rest.into_iter().for_each(|rest| lines.source = rest);
        lines.fill_to(BYTE_ORDER_MARK.len());
        if lines.head().starts_with(BYTE_ORDER_MARK) {
            (lines.start, lines.searched) = (BYTE_ORDER_MARK.len(), BYTE_ORDER_MARK.len());
        }
        lines
    }

    /// The lines of `text`, after `number` others.
    pub(crate) fn of_text(text: &[u8], number: u64) -> Lines {
        Lines { buffer: text.to_vec(), end: text.len(), number, ..Lines::empty() }
    }

    fn empty() -> Lines {
        Lines {
            chunk_bytes: Lines::CHUNK,
            file: None,
            log: None,
            losses: None,
            operators: None,
            maps: None,
            source: Box::new(io::empty()),
            buffer: Vec::new(),
            n_sampled: Lines::SAMPLE,
            offset: 0,
            kept: None,
            start: 0,
            searched: 0,
            end: 0,
            number: 0,
            source_ended: true,
            after_return: false,
            failure: None,
        }
    }

    /// The unread bytes in the buffer: at least `n_bytes` after [`fill_to`](Lines::fill_to), unless the input ends.
    pub(crate) fn head(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads ahead until `n_bytes` are in the buffer or the input ends.
    pub(crate) fn fill_to(&mut self, n_bytes: usize) {
        while self.end - self.start < n_bytes && self.fill(Lines::BLOCK) {}
    }

    /// Reads ahead until the sample is in the buffer: more than [`SAMPLE`](Lines::SAMPLE) bytes only if there is no line end in
    /// them and they are not `enough`.
    pub(crate) fn fill_sample(&mut self, enough: impl FnOnce(&[u8]) -> bool) {
        self.n_sampled = Lines::SAMPLE;
        self.fill_to(self.n_sampled);
        if self.has_line_end(self.n_sampled) || enough(self.sample()) {
            return;
        }
        while self.n_sampled < Lines::LONG_SAMPLE && !self.has_line_end(self.n_sampled / 2) {
            self.n_sampled *= 4;
            self.fill_to(self.n_sampled);
        }
    }

    /// Reads ahead until the longest sample is in the buffer.
    pub(crate) fn fill_long_sample(&mut self) {
        self.n_sampled = Lines::LONG_SAMPLE;
        self.fill_to(self.n_sampled);
    }

    /// The first unread bytes in the buffer. They depend on the text only, not on the pieces in which it arrives.
    pub(crate) fn sample(&self) -> &[u8] {
        &self.head()[..self.n_sampled.min(self.head().len())]
    }

    /// Whether a line ends in the first `n_bytes` unread bytes, or the input does.
    fn has_line_end(&self, n_bytes: usize) -> bool {
        let head = self.head();
        head.len() < n_bytes || memchr::memchr2(b'\n', b'\r', &head[..n_bytes]).is_some()
    }

    /// The offset in the input of the first unread byte.
    pub(crate) fn offset(&self) -> u64 {
        self.offset + self.start as u64
    }

    /// Takes bytes that are in the buffer after [`fill_to`](Lines::fill_to); all of them, if there are fewer than `n_bytes`.
    pub(crate) fn take_bytes(&mut self, n_bytes: usize) -> &[u8] {
        let start = self.start;
        self.start = self.end.min(start.saturating_add(n_bytes));
        (self.searched, self.kept) = (self.start, None);
        &self.buffer[start..self.start]
    }

    /// All unread bytes, `most` at most.
    pub(crate) fn into_bytes(mut self, most: Option<u64>) -> io::Result<Vec<u8>> {
        let most = most.unwrap_or(u64::MAX);
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.buffer.truncate(self.end);
        self.buffer.drain(..self.start);
        let room = most.saturating_sub(self.buffer.len() as u64);
        self.source.by_ref().take(room).read_to_end(&mut self.buffer)?;
        match self.source.read(&mut [0])? {
            0 => Ok(self.buffer),
            _ => Err(io::Error::other(format!(
                "it needs more than the {} MiB that are free in memory and on the disk for temporary files",
                most >> 20
            ))),
        }
    }

    /// Whether the input ends after `n_bytes` unread bytes at the latest, as is known once more than that were wanted.
    pub(crate) fn ends_within(&self, n_bytes: usize) -> bool {
        self.source_ended && self.end - self.start <= n_bytes
    }

    /// Whether reading failed before the end of the input.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Why reading failed before the end of the input; taken once.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// The number of lines that were returned.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Counts lines that were returned in chunks.
    pub(crate) fn count_lines(&mut self, n_lines: u64) {
        self.number += n_lines;
    }

    /// Whether the next line begins with `prefix`; the last one is still in [`kept`](Lines::kept).
    pub(crate) fn next_starts_with(&mut self, prefix: &[u8]) -> bool {
        self.skip_line_feed();
        self.fill_to(prefix.len());
        self.head().starts_with(prefix)
    }

    /// The bytes of the last line.
    pub(crate) fn kept(&self) -> &[u8] {
        self.kept.clone().map_or(b"", |range| &self.buffer[range])
    }

    /// The next line, until the input ends or fails.
    pub(crate) fn next_line(&mut self) -> Option<Line<'_>> {
        self.skip_line_feed();
        self.kept = None;
        let Some(length) = self.find_end() else { return self.rest() };
        let (start, end) = (self.start, self.start + length);
        self.after_return = self.buffer[end] == b'\r';
        (self.start, self.searched) = (end + 1, end + 1);
        Some(self.give(start..end, LineEnding::LineEnd))
    }

    /// The line after the last line end, or one that is too long.
    fn rest(&mut self) -> Option<Line<'_>> {
        if self.end - self.start >= Lines::LONGEST {
            self.skip_long_line();
            return Some(self.give(0..0, LineEnding::TooLong));
        }
        let (start, end) = (self.start, self.end);
        if start == end {
            return None;
        }
        (self.start, self.searched) = (end, end);
        Some(self.give(start..end, LineEnding::InputEnd))
    }

    fn give(&mut self, range: Range<usize>, ending: LineEnding) -> Line<'_> {
        self.number += 1;
        self.kept = Some(range.clone());
        Line { bytes: &self.buffer[range], number: self.number, ending }
    }

    fn skip_line_feed(&mut self) {
        if !self.after_return {
            return;
        }
        self.fill_to(1);
        if self.head().first() == Some(&b'\n') {
            self.start += 1;
            self.searched = self.start;
        }
        self.after_return = false;
    }

    /// Distance from `start` to the next line end; none if the input ends before it, or the line is too long.
    fn find_end(&mut self) -> Option<usize> {
        loop {
            if let Some(found) = memchr::memchr2(b'\n', b'\r', &self.buffer[self.searched..self.end]) {
                return Some(self.searched + found - self.start);
            }
            self.searched = self.end;
            if self.end - self.start >= Lines::LONGEST || !self.fill(Lines::BLOCK) {
                return None;
            }
        }
    }

    fn skip_long_line(&mut self) {
        let mut skipped = 0usize;
        loop {
            skipped = skipped.saturating_add(self.end - self.start);
            self.offset += self.end as u64;
            (self.start, self.searched, self.end) = (0, 0, 0);
            if skipped > Lines::ENDLESS {
                self.source_ended = true;
                self.failure = Some(io::Error::new(ErrorKind::InvalidData, "4 GiB without a line end"));
                return;
            }
            if !self.fill(Lines::BLOCK) {
                return;
            }
            if let Some(found) = memchr::memchr2(b'\n', b'\r', &self.buffer[..self.end]) {
                self.after_return = self.buffer[found] == b'\r';
                (self.start, self.searched) = (found + 1, found + 1);
                return;
            }
        }
    }

    /// Reads at most `most` bytes more; returns whether there were any.
    fn fill(&mut self, most: usize) -> bool {
        if self.source_ended {
            return false;
        }
        self.make_room();
        let room = self.end..self.buffer.len().min(self.end.saturating_add(most));
        let n_read = loop {
            match self.source.read(&mut self.buffer[room.clone()]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failure = Some(error);
                    break 0;
                }
                Ok(n_read) => break n_read,
            }
        };
        self.end += n_read;
        self.source_ended = n_read == 0;
        n_read > 0
    }

    /// Moves the needed bytes to the front, and makes a larger buffer if that is not enough, or if the input did not fit
    /// into the first one.
    fn make_room(&mut self) {
        let was_full = self.end == self.buffer.len();
        self.move_to_front();
        let length = match self.buffer.len() {
            0 => Lines::FIRST_BLOCK,
            length if was_full && length < Lines::BLOCK => Lines::BLOCK,
            length if self.end == length => 2 * length,
            _ => return,
        };
        let mut larger = vec![0; length];
        larger[..self.end].copy_from_slice(&self.buffer[..self.end]);
        self.buffer = larger;
    }

    fn move_to_front(&mut self) {
        let needed_from = self.kept.as_ref().map_or(self.start, |kept| kept.start.min(self.start));
        if needed_from > 0 {
            self.buffer.copy_within(needed_from..self.end, 0);
            self.end -= needed_from;
            self.offset += needed_from as u64;
            self.searched -= needed_from;
            self.start -= needed_from;
            self.kept = self.kept.take().map(|kept| kept.start - needed_from..kept.end - needed_from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a few bytes at a time, so that a block ends at every position of a line.
    struct Drip(Vec<u8>, usize);

    impl Read for Drip {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n_bytes = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n_bytes].copy_from_slice(&self.0[..n_bytes]);
            self.0.drain(..n_bytes);
            Ok(n_bytes)
        }
    }

    fn lines(text: &str, step: usize) -> Vec<String> {
        let mut lines = Lines::new(Box::new(Drip(text.into(), step)));
        let mut found = Vec::new();
        while let Some(line) = lines.next_line() {
            found.push(String::from_utf8_lossy(line.bytes).into_owned());
        }
        found
    }

    #[test]
    fn every_line_end_gives_the_same_lines() {
        for text in ["a\nbc\n\nd\n", "a\r\nbc\r\n\r\nd\r\n", "a\rbc\r\rd\r", "a\nbc\r\n\rd", "\u{FEFF}a\nbc\n\nd"] {
            for step in [1, 2, 3, 100] {
                assert_eq!(lines(text, step), ["a", "bc", "", "d"], "{text:?} in steps of {step}");
            }
        }
        assert!(lines("", 1).is_empty());
    }

    #[test]
    fn the_sample_does_not_depend_on_the_pieces_of_the_input() {
        for first in [10, 100_000, 300_000] {
            let text = format!("{}\n{}", "x".repeat(first), "short\n".repeat(200_000));
            let sample = |step: usize| {
                let mut lines = Lines::new(Box::new(Drip(text.clone().into(), step)));
                lines.fill_sample(|_| false);
                lines.sample().to_vec()
            };
            assert!(sample(1 << 20) == sample(70_000), "the first line has {first} bytes");
        }
    }

    #[test]
    fn the_sample_is_no_longer_than_it_must_be() {
        let of_length = |first: usize, enough: bool| {
            let text = [vec![b'x'; first], b"\nshort".repeat(1 << 18)].concat();
            let mut lines = Lines::new(Box::new(Drip(text, 1 << 18)));
            lines.fill_sample(|_| enough);
            lines.sample().len()
        };
        assert_eq!(of_length(100, false), Lines::SAMPLE);
        assert_eq!(of_length(100_000, false), 1 << 18);
        assert_eq!(of_length(200_000, false), 1 << 20);
        assert_eq!(of_length(200_000, true), Lines::SAMPLE);
    }

    #[test]
    fn a_line_longer_than_a_block_is_whole() {
        let long = "x".repeat(3 * Lines::BLOCK + 5);
        assert_eq!(lines(&format!("a\n{long}\nb"), 70_000), ["a".to_owned(), long, "b".to_owned()]);
    }

    #[test]
    fn the_last_line_says_that_no_line_end_follows() {
        let mut lines = Lines::new(Box::new(Drip(b"a\nb".to_vec(), 9)));
        assert_eq!(lines.next_line().map(|line| (line.number, line.ending)), Some((1, LineEnding::LineEnd)));
        assert_eq!(lines.next_line().map(|line| (line.number, line.ending)), Some((2, LineEnding::InputEnd)));
        assert!(lines.next_line().is_none());
    }

    #[test]
    fn a_line_stays_while_the_next_is_looked_at() {
        for step in [1, 2, 50] {
            let mut lines = Lines::new(Box::new(Drip(b"first\r\nsecond\r\n".to_vec(), step)));
            assert!(lines.next_line().is_some());
            assert!(lines.next_starts_with(b"seco") && !lines.next_starts_with(b"third line"));
            assert_eq!(lines.kept(), b"first");
            assert_eq!(lines.next_line().map(|line| line.bytes), Some(&b"second"[..]));
        }
    }

    #[test]
    fn a_line_above_the_limit_is_a_chunk_without_text() {
        let long = io::repeat(b'x').take(Lines::LONGEST as u64 + 10);
        let mut lines = Lines::new(Box::new((&b"first\n"[..]).chain(long).chain(&b"\nnext\n"[..])));
        let attached = Attached::Below { heading: b"Heading", indent: b'\t' };
        let mut next = || lines.next_chunk(Some(attached), Vec::new());
        let shown = |chunk: Option<Chunk>| {
            chunk.map(|chunk| (String::from_utf8_lossy(chunk.text()).into_owned(), chunk.offset, chunk.ending))
        };
        assert_eq!(shown(next()), Some(("first\n".to_owned(), 0, LineEnding::LineEnd)));
        assert_eq!(shown(next()), Some((String::new(), 6, LineEnding::TooLong)));
        assert_eq!(shown(next()), Some(("next\n".to_owned(), Lines::LONGEST as u64 + 17, LineEnding::InputEnd)));
        assert_eq!(shown(next()), None);
    }

    #[test]
    fn a_line_above_the_limit_is_left_out() {
        let source = io::repeat(b'x').take(Lines::LONGEST as u64 + 10).chain(&b"\nnext\n"[..]);
        let mut lines = Lines::new(Box::new(source));
        assert_eq!(lines.next_line().map(|line| line.ending), Some(LineEnding::TooLong));
        assert_eq!(lines.next_line().map(|line| (line.bytes.to_vec(), line.number)), Some((b"next".to_vec(), 2)));
    }
}
