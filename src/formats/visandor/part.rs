//! The lines of one chunk, each read by itself: what they state of their events, in columns.

use super::columns::AttributeIds;
use super::line::{NoEvent, SixNumbers, event};
use super::ports::EventKind;
use crate::formats::lines::chunk_lines;
use crate::formats::lines::hex::Hex;
use crate::formats::lines::interner::BytesInterner;
use crate::trace::{AttributeId, EventTable, Field, ValueId};

/// The lines of a chunk.
#[derive(Default)]
pub(super) struct VisandorPart {
    pub(super) events: Vec<LineEvent>,
    /// The times, agents, nodes and WAMs of the events.
    pub(super) table: EventTable,
    /// Nodes and WAMs as they are written, with the indexes of their attributes.
    pub(super) ids: BytesInterner,
    /// The same as values of their attributes.
    values: Vec<ValueId>,
    /// The lines that are neither events nor blank.
    pub(super) others: Vec<OtherLine>,
    pub(super) n_lines: u64,
}

/// A line with an event.
pub(super) struct LineEvent {
    pub(super) time: i64,
    pub(super) kind: EventKind,
    pub(super) k: i64,
    pub(super) agent: i64,
    /// The node and the WAM, with their numbers among the ids.
    pub(super) node: (u64, u32),
    pub(super) wam: (u64, u32),
    /// The number of the line in the chunk, from 0.
    pub(super) line: u64,
}

/// A line without an event.
pub(super) struct OtherLine {
    /// The number of events before it.
    pub(super) n_before: u32,
    /// Its number in the chunk, from 0.
    pub(super) line: u64,
    pub(super) what: NoEvent,
}

impl VisandorPart {
    /// Reads all lines of a chunk.
    pub(super) fn read(&mut self, text: &[u8], attributes: &AttributeIds) {
        self.events.clear();
        self.table.clear();
        self.ids.clear();
        self.values.clear();
        self.others.clear();
        self.n_lines = 0;
        for line in chunk_lines(text) {
            match event(line) {
                Ok(numbers) => self.event(&numbers, attributes),
                Err(NoEvent::Nothing) if line.trim_ascii().is_empty() => {}
                Err(what) => {
                    self.others.push(OtherLine { n_before: self.table.n_rows(), line: self.n_lines, what });
                }
            }
            self.n_lines += 1;
        }
    }

    fn event(&mut self, SixNumbers { time, kind, node, k, wam, agent }: &SixNumbers<'_>, attributes: &AttributeIds) {
        let row = self.table.n_rows();
        self.table.set(attributes.time, row, Field::Int(*time));
        self.table.set(attributes.agent, row, Field::Int(*agent));
        let node = (node.value, self.id(attributes.node, row, node));
        let wam = (wam.value, self.id(attributes.wam, row, wam));
        self.table.end_row();
        self.events.push(LineEvent { time: *time, kind: *kind, k: *k, agent: *agent, node, wam, line: self.n_lines });
    }

    /// Gives an event an id; returns the number of the id.
    fn id(&mut self, attribute: AttributeId, row: u32, hex: &Hex<'_>) -> u32 {
        let number = self.ids.number(hex.digits, attribute.index() as i64);
        if number as usize == self.values.len() {
            self.values.push(self.table.value(attribute.index(), Field::Atom(hex.written())));
        }
        self.table.set(attribute, row, Field::Known(self.values[number as usize]));
        number
    }
}
