//! The lines of a chunk, each taken apart by itself: its place in the program and its numbers are named by what the thread
//! that reads it knows of them.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::emit::Number;
use super::line::{self, Head, Tail};
use super::ports::Event;
use crate::formats::hex::Hex;
use crate::formats::lines::line_end;

/// A line that is an event.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    /// Number of what the line begins with; [`RARE`] for one that is taken apart again.
    pub site: u32,
    /// Where the line begins, and the length of what it begins with.
    pub start: u32,
    pub head: u32,
    pub event: Event,
    pub pid: Word,
    pub extra: Word,
    /// Number of the line in the chunk, from 0.
    pub line: u32,
}

/// A hexadecimal number.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Its place among those that the thread knows.
    pub number: u32,
    /// Where it is written in the chunk, and with how many digits.
    start: u32,
    length: u32,
}

/// A line that is none.
#[derive(Clone, Debug)]
pub struct Odd {
    /// How many events come before.
    pub n_before: usize,
    /// The line in the text of the chunk, without its end.
    pub text: Range<usize>,
    /// Its number in the chunk, from 0.
    pub line: u64,
}

/// The number of what few lines begin with.
pub const RARE: u32 = u32::MAX;

/// Programs trace at fewer places; of one that has more, or of output glued to lines, the others are taken apart each time.
const MOST_SITES: usize = 1 << 14;

/// What was read of a chunk. What the thread knows stays from chunk to chunk.
#[derive(Default)]
pub struct Batch {
    pub events: Vec<Plain>,
    /// The other lines, but for blank ones.
    pub odd: Vec<Odd>,
    /// How many lines the chunk has.
    pub n_lines: u64,
    sites: HashMap<Box<[u8]>, u32, RandomState>,
    numbers: HashMap<u64, u32, RandomState>,
    values: Vec<u64>,
    /// What the trace knows of these sites and numbers.
    pub known: Known,
}

/// What the trace knows of the sites and numbers of a thread.
#[derive(Default)]
pub struct Known {
    pub sites: Vec<Option<Site>>,
    pub numbers: Vec<Option<Number>>,
}

/// A place in the program.
#[derive(Clone, Debug)]
pub struct Site {
    pub head: Head,
    /// Number of the procedure.
    pub proc: u32,
    /// The file in which the procedure was when an event came from here.
    pub file: Option<u32>,
}

impl Batch {
    /// Reads all lines of a chunk, which is short enough for its places to be numbers of 32 bits, as lines are.
    pub fn read(&mut self, text: &[u8]) {
        self.events.clear();
        self.odd.clear();
        self.n_lines = 0;
        let has_returns = memchr::memchr(b'\r', text).is_some();
        let mut start = 0;
        while start < text.len() {
            let ends = match has_returns {
                true => line_end(text, start),
                false => memchr::memchr(b'\n', &text[start..]).map(|length| (start + length, start + length + 1)),
            };
            let (end, next) = ends.unwrap_or((text.len(), text.len()));
            if self.event(&text[start..end], start).is_none() && !text[start..end].trim_ascii().is_empty() {
                self.odd.push(Odd { n_before: self.events.len(), text: start..end, line: self.n_lines });
            }
            self.n_lines += 1;
            start = next;
        }
        self.known.sites.resize(self.sites.len(), None);
        self.known.numbers.resize(self.values.len(), None);
    }

    /// Takes a line apart that begins at `start`, if it is an event.
    fn event(&mut self, text: &[u8], start: usize) -> Option<()> {
        let tail = line::tail(text).ok()?;
        let site = self.site(tail.head)?;
        let place = |hex: Hex<'_>| start + (hex.digits.as_ptr() as usize - text.as_ptr() as usize);
        let (pid_at, extra_at) = (place(tail.pid), place(tail.extra));
        let Tail { head, event, pid, extra } = tail;
        let (pid, extra) = (self.word(pid, pid_at), self.word(extra, extra_at));
        let (start, head, line) = (start as u32, head.len() as u32, self.n_lines as u32);
        self.events.push(Plain { site, start, head, event, pid, extra, line });
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

    #[inline]
    fn word(&mut self, hex: Hex<'_>, start: usize) -> Word {
        let number = *self.numbers.entry(hex.value).or_insert_with(|| {
            self.values.push(hex.value);
            self.values.len() as u32 - 1
        });
        Word { number, start: start as u32, length: hex.digits.len() as u32 }
    }

    /// A number as it is written in the text of the chunk.
    #[inline]
    pub fn hex<'t>(&self, word: Word, text: &'t [u8]) -> Hex<'t> {
        let start = word.start as usize;
        Hex { value: self.values[word.number as usize], digits: &text[start..start + word.length as usize] }
    }
}

impl Plain {
    /// What stands before the event.
    #[inline]
    pub fn head<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        &text[self.start as usize..(self.start + self.head) as usize]
    }
}
