//! The events of one chunk, read independently: places in the program and hexadecimal numbers have numbers that only the
//! reading thread knows.

use std::ops::Range;

use super::columns::HexId;
use super::line::{self, LineHead, LineTail};
use super::ports::MpdEvent;
use crate::formats::lines::LineEnds;
use crate::term::hash::HashMap;

/// A line that is an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkEvent {
    /// Number of the line's head; [`RARE`] for a head that is parsed again.
    pub(crate) site: u32,
    /// Where the line stands in the chunk.
    start: u32,
    length: u32,
    pub(crate) event: MpdEvent,
    /// Places of the process and the additional field among the numbers that the thread knows.
    pub(crate) pid: u32,
    pub(crate) extra: u32,
    /// Number of the line in the chunk, from 0.
    pub(crate) line: u32,
}

/// A line that is no event.
#[derive(Clone, Debug)]
pub(crate) struct NonEventLine {
    /// How many events come before.
    pub(crate) n_before: usize,
    /// The line in the text of the chunk, without its end.
    pub(crate) text: Range<usize>,
    /// Its number in the chunk, from 0.
    pub(crate) line: u64,
}

/// The number of heads beyond [`MOST_SITES`].
pub(crate) const RARE: u32 = u32::MAX;

/// Heads that a thread remembers. Programs have fewer; further heads, as of output glued to lines, are parsed each time.
const MOST_SITES: usize = 1 << 14;

/// The content of a chunk. Sites and numbers stay from chunk to chunk.
#[derive(Default)]
pub(crate) struct MpdChunk {
    pub(crate) events: Vec<ChunkEvent>,
    /// The other lines, but for blank ones.
    pub(crate) others: Vec<NonEventLine>,
    /// How many lines the chunk has.
    pub(crate) n_lines: u64,
    sites: HashMap<Box<[u8]>, u32>,
    numbers: HashMap<u64, u32>,
    values: Vec<u64>,
    /// The ids in the trace of these sites and numbers.
    pub(crate) known: TraceIds,
}

/// The ids in the trace of the sites and numbers of a thread.
#[derive(Default)]
pub(crate) struct TraceIds {
    pub(crate) sites: Vec<Option<CodeSite>>,
    pub(crate) numbers: Vec<Option<HexId>>,
}

/// A place in the program.
#[derive(Clone, Debug)]
pub(crate) struct CodeSite {
    pub(crate) head: LineHead,
    /// Number of the procedure.
    pub(crate) proc: u32,
    /// The file in which the procedure was when an event came from here.
    pub(crate) file: Option<u32>,
}

impl MpdChunk {
    /// Reads all lines of a chunk, which is shorter than 4 GiB.
    pub(crate) fn read(&mut self, text: &[u8]) {
        self.events.clear();
        self.others.clear();
        self.n_lines = 0;
        let line_ends = LineEnds::of(text);
        let mut start = 0;
        while start < text.len() {
            let ends = line_ends.next(start);
            let (end, next) = ends.unwrap_or((text.len(), text.len()));
            if self.event(&text[start..end], start as u32).is_none() && !text[start..end].trim_ascii().is_empty() {
                self.others.push(NonEventLine { n_before: self.events.len(), text: start..end, line: self.n_lines });
            }
            self.n_lines += 1;
            start = next;
        }
        self.known.sites.resize(self.sites.len(), None);
        self.known.numbers.resize(self.values.len(), None);
    }

    /// Parses the line that begins at `start`, if it is an event.
    fn event(&mut self, text: &[u8], start: u32) -> Option<()> {
        let LineTail { head, event, pid, extra } = line::tail(text).ok()?;
        let (pid, extra) = (self.number(pid.value), self.number(extra.value));
        let site = self.site(head)?;
        let line = self.n_lines as u32;
        self.events.push(ChunkEvent { site, start, length: text.len() as u32, event, pid, extra, line });
        Some(())
    }

    #[inline]
    fn site(&mut self, head: &[u8]) -> Option<u32> {
        match self.sites.get(head) {
            Some(site) => Some(*site),
            None => self.new_site(head),
        }
    }

    #[cold]
    fn new_site(&mut self, head: &[u8]) -> Option<u32> {
        line::head(head).ok()?;
        let site = self.sites.len();
        if site == MOST_SITES {
            return Some(RARE);
        }
        self.sites.insert(head.into(), site as u32);
        Some(site as u32)
    }

    fn number(&mut self, value: u64) -> u32 {
        *self.numbers.entry(value).or_insert_with(|| {
            self.values.push(value);
            self.values.len() as u32 - 1
        })
    }

    /// The value of a number.
    #[inline]
    pub(crate) fn value(&self, number: u32) -> u64 {
        self.values[number as usize]
    }
}

impl ChunkEvent {
    /// The line.
    #[inline]
    pub(crate) fn text<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        &text[self.start as usize..(self.start + self.length) as usize]
    }
}
