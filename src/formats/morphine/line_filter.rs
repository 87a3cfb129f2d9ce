//! Choosing the lines that a question needs by their heads; other lines are only verified to be fast lines.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, Input};

use super::chunk::ChunkLines;
use super::fast::{FastEventLine, FastReader, ProcAndPort, number};
use super::head::{Head, HeadReader};
use super::line;
use crate::formats::mercury::vocabulary::PORTS;
use crate::trace::{NeededEvents, Selection};

/// The lines that a question needs, by port.
#[derive(Debug)]
pub(crate) struct LineFilter {
    by_port: Vec<WantedAtPort>,
    is_of_heads: bool,
    follows_calls: bool,
    call_port: Option<u32>,
    /// Finds the lines that are needed, if others are believed.
    finder: Option<AhoCorasick>,
}

/// The events of one port that are needed.
#[derive(Debug)]
enum WantedAtPort {
    Nothing,
    All,
    /// Events of procedures with one of these names.
    Named(Vec<WantedProc>),
}

#[derive(Debug, Clone)]
struct WantedProc {
    name: Box<[u8]>,
    arity: Option<i64>,
}

/// A summary of the heads of all lines of a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeadSummary {
    /// The number of events.
    pub(crate) n_events: u64,
    /// The first and the last number of an event; between them numbers increase.
    pub(crate) chronos: Option<(i64, i64)>,
    /// The first and the last call that begins; they are numbered without a gap.
    pub(crate) begun: Option<(i64, i64)>,
    /// The least and the greatest call that began before this stretch, if it began.
    pub(crate) before: Option<(i64, i64)>,
}

/// A line that is not fast, or numbers that do not increase: the trace must be read as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Irregular;

impl LineFilter {
    /// The lines that a selection needs.
    pub(crate) fn new(selection: &Selection) -> LineFilter {
        let by_port = PORTS.iter().map(|port| WantedAtPort::of(port.name, &selection.wanted)).collect();
        let call_port = PORTS.iter().position(|port| port.name == "call").map(|index| index as u32);
        LineFilter {
            by_port,
            is_of_heads: selection.is_of_heads(),
            follows_calls: selection.needs_starts,
            call_port,
            finder: None,
        }
    }

    /// All lines, with everything that they have.
    pub(crate) fn all(selection: &Selection) -> LineFilter {
        let wanted = vec![NeededEvents::default()];
        LineFilter::new(&Selection { wanted, attributes: None, ..selection.clone() })
    }

    /// All lines, with what the selection asks of its events.
    pub(crate) fn all_ports(selection: &Selection) -> LineFilter {
        LineFilter::new(&Selection { wanted: vec![NeededEvents::default()], ..selection.clone() })
    }

    /// No lines.
    pub(crate) fn nothing(selection: &Selection) -> LineFilter {
        LineFilter::new(&Selection { wanted: Vec::new(), ..selection.clone() })
    }

    /// Makes the filter search for texts of needed lines instead of verifying each line.
    pub(crate) fn believe(&mut self) {
        let with_ports =
            PORTS.iter().zip(&self.by_port).flat_map(|(port, of)| of.literals(&format!("] {} ", port.name)));
        let with_ports: BTreeSet<Vec<u8>> = with_ports.collect();
        let literals = match with_ports.len() <= MOST_LITERALS || !self.are_named() {
            true => with_ports,
            false => self.by_port.iter().flat_map(|of| of.literals(" ")).collect(),
        };
        if literals.len() <= MOST_LITERALS && !self.follows_calls {
            self.finder = AhoCorasick::new(literals).ok();
        }
    }

    /// Whether lines are not verified one by one.
    pub(crate) fn is_believing(&self) -> bool {
        self.finder.is_some()
    }

    /// Whether only events of named procedures are needed.
    pub(crate) fn are_named(&self) -> bool {
        !self.by_port.iter().any(|port| matches!(port, WantedAtPort::All))
    }

    /// The number of fast events of a chunk that are needed.
    pub(crate) fn count(&self, batch: &ChunkLines, reader: &FastReader) -> usize {
        batch.keys.iter().filter(|key| self.takes(**key, reader)).count()
    }

    fn takes(&self, key: ProcAndPort, reader: &FastReader) -> bool {
        match &self.by_port[key.port as usize] {
            WantedAtPort::Nothing => false,
            WantedAtPort::All => true,
            WantedAtPort::Named(called) => {
                let (name, arity) = reader.proc(key.proc);
                called.iter().any(|one| *one.name == *name && one.arity.is_none_or(|wanted| wanted == arity))
            }
        }
    }

    /// Reads the lines of `text` that are needed, and verifies the others.
    pub(crate) fn pick(
        &self,
        text: &[u8],
        batch: &mut ChunkLines,
        reader: &mut FastReader,
    ) -> Result<HeadSummary, Irregular> {
        if self.takes_all() {
            return LineFilter::take_all(text, batch, reader);
        }
        batch.begin(text, reader).ok_or(Irregular)?;
        match &self.finder {
            Some(finder) => self.search(finder, text, batch, reader),
            None => self.verify(text, batch, reader),
        }
    }

    /// Reads the needed lines and verifies the others.
    fn verify(&self, text: &[u8], batch: &mut ChunkLines, reader: &mut FastReader) -> Result<HeadSummary, Irregular> {
        if memchr::memchr(b'\r', text).is_some() || std::str::from_utf8(text).is_err() {
            return Err(Irregular);
        }
        let (mut heads, mut seen, mut start) = (HeadReader::default(), HeadSummary::default(), 0);
        while start < text.len() {
            let Some(head) = heads.read(text, start) else {
                start = blank_line(text, start).ok_or(Irregular)?;
                batch.n_lines += 1;
                continue;
            };
            // a last line without a line end may be truncated
            let end = head.rest + memchr::memchr(b'\n', &text[head.rest..]).ok_or(Irregular)?;
            seen.add(head.chrono)?;
            if self.follows_calls {
                seen.follow(number(text, head.call).ok_or(Irregular)?, Some(head.port) == self.call_port)?;
            }
            if self.needs(text, &head) {
                self.read(text, start..end, &head, batch, reader)?;
            } else if !reader.is_fast(text, head.rest, end) {
                return Err(Irregular);
            }
            batch.n_lines += 1;
            start = end + 1;
        }
        Ok(seen)
    }

    /// Reads the lines in which a text of needed lines is found.
    fn search(
        &self,
        finder: &AhoCorasick,
        text: &[u8],
        batch: &mut ChunkLines,
        reader: &mut FastReader,
    ) -> Result<HeadSummary, Irregular> {
        let (mut heads, mut seen, mut at) = (HeadReader::default(), HeadSummary::default(), 0);
        while let Some(found) = finder.find(Input::new(text).range(at..)) {
            let start = memchr::memrchr(b'\n', &text[at..found.start()]).map_or(at, |end| at + end + 1);
            let head = heads.read(text, start).ok_or(Irregular)?;
            at = found.start() + 1;
            // the text may be in the arguments of another event
            if found.start() >= head.rest {
                continue;
            }
            seen.add(head.chrono)?;
            let length = memchr::memchr(b'\n', &text[head.rest..]).ok_or(Irregular)?;
            at = head.rest + length + 1;
            let line = &text[start..at - 1];
            if memchr::memchr(b'\r', line).is_some() || std::str::from_utf8(line).is_err() {
                return Err(Irregular);
            }
            if self.needs(text, &head) {
                self.read(text, start..at - 1, &head, batch, reader)?;
            }
        }
        Ok(seen)
    }

    /// Whether every line is needed to its end.
    fn takes_all(&self) -> bool {
        let all = |port: &WantedAtPort| matches!(port, WantedAtPort::All);
        self.by_port.iter().all(all) && !self.is_of_heads && !self.follows_calls
    }

    fn take_all(text: &[u8], batch: &mut ChunkLines, reader: &mut FastReader) -> Result<HeadSummary, Irregular> {
        batch.read(text, reader);
        let mut seen = HeadSummary::default();
        batch.chronos.iter().try_for_each(|chrono| seen.add(*chrono))?;
        if batch.others.is_empty() { Ok(seen) } else { Err(Irregular) }
    }

    #[inline]
    fn needs(&self, text: &[u8], head: &Head) -> bool {
        match &self.by_port[head.port as usize] {
            WantedAtPort::Nothing => false,
            WantedAtPort::All => true,
            WantedAtPort::Named(called) => {
                let rest = &text[head.rest..];
                let is_named = |one: &WantedProc| {
                    rest.starts_with(&one.name) && matches!(rest.get(one.name.len()), Some(b'(' | b' '))
                };
                called.iter().any(is_named)
            }
        }
    }

    #[inline]
    fn read(
        &self,
        text: &[u8],
        line: std::ops::Range<usize>,
        head: &Head,
        batch: &mut ChunkLines,
        reader: &mut FastReader,
    ) -> Result<(), Irregular> {
        let plain = match self.is_of_heads {
            true => self.head(text, head, line.end, reader),
            false => reader.line(text, line.start, line.end),
        };
        batch.push(plain.ok_or(Irregular)?, line.start);
        Ok(())
    }

    /// A line whose head suffices.
    #[inline]
    fn head(&self, text: &[u8], head: &Head, end: usize, reader: &mut FastReader) -> Option<FastEventLine> {
        let (call, depth) = (number(text, head.call)?, number(text, head.depth)?);
        let is_fast = self.finder.is_some() || reader.is_fast(text, head.rest, end);
        is_fast.then(|| reader.head(head.chrono, call, depth, head.port))
    }
}

impl WantedAtPort {
    fn of(port: &str, wanted: &[NeededEvents]) -> WantedAtPort {
        let mut called = Vec::new();
        let has_port =
            |one: &&NeededEvents| one.ports.as_ref().is_none_or(|ports| ports.iter().any(|name| name == port));
        for one in wanted.iter().filter(has_port) {
            let Some(names) = &one.names else { return WantedAtPort::All };
            called.extend(names.iter().map(|name| WantedProc { name: name.as_bytes().into(), arity: one.arity }));
        }
        if called.is_empty() { WantedAtPort::Nothing } else { WantedAtPort::Named(called) }
    }
}

/// Different texts that are searched for at once at most.
const MOST_LITERALS: usize = 8;

impl WantedAtPort {
    /// Texts that needed lines of a port have, each beginning with `before`.
    fn literals(&self, before: &str) -> Vec<Vec<u8>> {
        let of = |one: &WantedProc| {
            let bracket: &[u8] = if one.arity.is_some_and(|arity| arity > 0) { b"(" } else { b"" };
            [before.as_bytes(), &one.name, bracket].concat()
        };
        match self {
            WantedAtPort::Nothing => Vec::new(),
            WantedAtPort::All => vec![before.into()],
            WantedAtPort::Named(called) => called.iter().map(of).collect(),
        }
    }
}

impl HeadSummary {
    #[inline]
    fn add(&mut self, chrono: i64) -> Result<(), Irregular> {
        let (first, last) = self.chronos.unwrap_or((chrono, chrono - 1));
        self.chronos = Some((first, chrono));
        self.n_events += 1;
        if chrono > last { Ok(()) } else { Err(Irregular) }
    }

    fn follow(&mut self, call: i64, begins: bool) -> Result<(), Irregular> {
        match (self.begun, begins) {
            (Some((first, last)), true) if call == last + 1 => self.begun = Some((first, call)),
            (None, true) => self.begun = Some((call, call)),
            (Some((first, last)), false) if (first..=last).contains(&call) => {}
            (begun, false) if begun.is_none_or(|(first, _)| call < first) => {
                let (least, greatest) = self.before.unwrap_or((call, call));
                self.before = Some((least.min(call), greatest.max(call)));
            }
            _ => return Err(Irregular),
        }
        Ok(())
    }

    /// Adds the summary of the next stretch.
    pub(crate) fn join(&mut self, next: HeadSummary) -> Result<(), Irregular> {
        self.n_events += next.n_events;
        self.chronos = match (self.chronos, next.chronos) {
            (Some((_, last)), Some((first, _))) if first <= last => return Err(Irregular),
            (Some((first, _)), Some((_, last))) => Some((first, last)),
            (before, next) => before.or(next),
        };
        let (Some((first, last)), before) = (self.begun, next.before) else {
            self.begun = next.begun;
            return if next.before.is_none() { Ok(()) } else { Err(Irregular) };
        };
        let is_known = before.is_none_or(|(least, greatest)| least >= first && greatest <= last);
        let goes_on = next.begun.is_none_or(|(next, _)| next == last + 1);
        self.begun = Some((first, next.begun.map_or(last, |(_, last)| last)));
        if is_known && goes_on { Ok(()) } else { Err(Irregular) }
    }

    /// Whether the events are numbered from 1 on, without a gap.
    pub(crate) fn is_numbered_from_1(&self) -> bool {
        self.is_dense() && self.chronos.is_some_and(|(first, _)| first == 1)
    }

    /// Whether the events are numbered without a gap.
    pub(crate) fn is_dense(&self) -> bool {
        self.chronos.is_none_or(|(first, last)| (last - first).unsigned_abs() + 1 == self.n_events)
    }
}

/// Where the line after a blank one begins; none if this line is not blank.
#[cold]
fn blank_line(text: &[u8], start: usize) -> Option<usize> {
    let end = start + memchr::memchr(b'\n', &text[start..])?;
    text[start..end].iter().all(|byte| line::is_blank(*byte)).then_some(end + 1)
}
