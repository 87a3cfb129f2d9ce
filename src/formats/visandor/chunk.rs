//! The events of one chunk, read independently: nodes, WAMs and agents have numbers that only the chunk knows.

use super::fast::LineNumbers;
use super::line::{LineContent, SixNumbers, content};
use super::ports::EventKind;
use crate::formats::lines::hex::Hex;
use crate::formats::lines::interner::BytesInterner;
use crate::formats::lines::line_end;
use crate::term::hash::HashMap;

/// The fields of an event without its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkRecord {
    pub(crate) k: i64,
    /// Number of the id of its node in [`VisandorChunk::nodes`].
    pub(crate) node: u32,
    /// Number of its WAM and agent in [`VisandorChunk::agents`].
    pub(crate) agent: u32,
    pub(crate) kind: EventKind,
}

/// A WAM and an agent as a line has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WamAgent {
    /// Number of the WAM in [`VisandorChunk::wams`].
    pub(crate) wam: u32,
    /// Number of the agent.
    pub(crate) agent: i64,
}

/// A line without an event.
#[derive(Debug)]
pub(crate) struct NoEventLine {
    /// How many events come before.
    pub(crate) n_before: usize,
    /// Number of the line in the chunk, from 0.
    pub(crate) line: u64,
    pub(crate) what: NoEvent,
}

/// The content of a line without an event.
#[derive(Debug)]
pub(crate) enum NoEvent {
    Nothing,
    /// A mark for omitted lines.
    LeftOut,
    /// Six numbers with an unknown code.
    Unknown(i64),
    /// No six numbers.
    Wrong(String),
}

/// The content of a chunk.
#[derive(Default)]
pub(crate) struct VisandorChunk {
    /// Times of the events.
    pub(crate) times: Vec<i64>,
    /// The events.
    pub(crate) records: Vec<ChunkRecord>,
    /// The other lines, in order.
    pub(crate) others: Vec<NoEventLine>,
    /// How many lines the chunk has.
    pub(crate) n_lines: u64,
    /// Ids of nodes as they are written.
    pub(crate) nodes: BytesInterner,
    /// WAMs as they are written.
    pub(crate) wams: BytesInterner,
    /// The different pairs of a WAM and an agent.
    pub(crate) agents: WamAgents,
}

impl VisandorChunk {
    /// Reads all lines of a chunk.
    pub(crate) fn read(&mut self, text: &[u8]) {
        self.clear();
        let mut start = 0;
        while start < text.len() {
            start = match self.plain(text, start) {
                Some(next) => next,
                None => self.any(text, start),
            };
            self.n_lines += 1;
        }
    }

    fn clear(&mut self) {
        self.times.clear();
        self.records.clear();
        self.others.clear();
        self.n_lines = 0;
        self.nodes.clear();
        self.wams.clear();
        self.agents.clear();
    }

    /// Reads the line that begins at `start`, if the fast path takes it and its numbers are known; returns where the next
    /// line begins.
    #[inline(always)]
    fn plain(&mut self, text: &[u8], start: usize) -> Option<usize> {
        let line = LineNumbers::at(text, start)?;
        let kind = EventKind::of(line.code)?;
        let node = self.nodes.find_short(line.node, 0)?;
        let wam = self.wams.find_short(line.wam, 0)?;
        self.event(line.time, kind, (node, line.k), WamAgent { wam, agent: line.agent });
        Some(line.next)
    }

    /// Reads any line.
    #[inline(never)]
    fn any(&mut self, text: &[u8], start: usize) -> usize {
        let (end, next) = line_end(text, start).unwrap_or((text.len(), text.len()));
        let what = match content(&text[start..end]) {
            Ok(LineContent::Event(numbers)) => match EventKind::of(numbers.code) {
                Some(kind) => {
                    self.numbers(kind, &numbers);
                    return next;
                }
                None => NoEvent::Unknown(numbers.code),
            },
            Ok(LineContent::Nothing) => NoEvent::Nothing,
            Ok(LineContent::LeftOut) => NoEvent::LeftOut,
            Err(message) => NoEvent::Wrong(message),
        };
        self.others.push(NoEventLine { n_before: self.records.len(), line: self.n_lines, what });
        next
    }

    fn numbers(&mut self, kind: EventKind, numbers: &SixNumbers<'_>) {
        let node = number(&mut self.nodes, numbers.node);
        let wam = number(&mut self.wams, numbers.wam);
        self.event(numbers.time, kind, (node, numbers.k), WamAgent { wam, agent: numbers.agent });
    }

    #[inline(always)]
    fn event(&mut self, time: i64, kind: EventKind, (node, k): (u32, i64), pair: WamAgent) {
        let agent = self.agents.number(pair);
        self.times.push(time);
        self.records.push(ChunkRecord { k, node, agent, kind });
    }
}

/// The number of a spelling.
fn number(spellings: &mut BytesInterner, hex: Hex<'_>) -> u32 {
    spellings.find_any(hex.digits, 0).unwrap_or_else(|| spellings.add(hex.digits, 0))
}

/// Pairs that were found last, by the number of the agent.
const N_LAST: usize = 64;

/// Different pairs, numbered from 0.
#[derive(Default)]
pub(crate) struct WamAgents {
    /// All of them.
    pub(crate) all: Vec<WamAgent>,
    /// Keyed, as the numbers come from hostile traces.
    numbers: HashMap<(u32, i64), u32>,
    /// Numbers + 1.
    last: Vec<u32>,
}

impl WamAgents {
    fn clear(&mut self) {
        self.all.clear();
        self.numbers.clear();
        self.last.clear();
        self.last.resize(N_LAST, 0);
    }

    #[inline(always)]
    fn number(&mut self, pair: WamAgent) -> u32 {
        let last = self.last[pair.agent as usize % N_LAST].wrapping_sub(1);
        match self.all.get(last as usize) {
            Some(known) if *known == pair => last,
            _ => self.look_up(pair),
        }
    }

    #[inline(never)]
    fn look_up(&mut self, pair: WamAgent) -> u32 {
        let number = *self.numbers.entry((pair.wam, pair.agent)).or_insert_with(|| {
            self.all.push(pair);
            self.all.len() as u32 - 1
        });
        self.last[pair.agent as usize % N_LAST] = number + 1;
        number
    }
}
