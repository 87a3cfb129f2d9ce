//! One log as it is read: its events in the order of the file, their messages as the log has them.

use std::fmt;

use indexmap::IndexSet;

use super::chunk::{LogChunk, NodeHeader};
use super::nodes::{NodeNames, Pid};
use super::ports::SeqPort;
use super::run::Serial;
use crate::formats::lines::text_list::TextList;
use crate::term::hash::RandomState;

/// When an event happened, by one of the clocks that a sequence may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventTime {
    /// `{Mega,Secs,Micro}`, in nanoseconds.
    Wall(i64),
    /// Nanoseconds of a clock with an origin of its own on each node.
    Monotonic(i64),
    /// The same, with an integer that orders the events of a node.
    Strict(i64, i64),
}

/// Number of a text among the names of a log.
pub(crate) type NameId = u32;

/// Number of an event in all logs.
pub(crate) type RowId = u32;

/// Number of a message among those of a log.
pub(crate) type MessageId = u32;

/// A number, or none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct OptionalId(u32);

impl OptionalId {
    pub(crate) const NONE: OptionalId = OptionalId(u32::MAX);

    pub(crate) fn some(number: u32) -> OptionalId {
        OptionalId(number)
    }

    #[inline]
    pub(crate) fn get(self) -> Option<u32> {
        Some(self.0).filter(|number| *number != u32::MAX)
    }

    #[inline]
    pub(crate) fn map(self, other: impl FnOnce(u32) -> u32) -> OptionalId {
        self.get().map_or(OptionalId::NONE, |number| OptionalId(other(number)))
    }
}

impl From<Option<u32>> for OptionalId {
    fn from(number: Option<u32>) -> OptionalId {
        number.map_or(OptionalId::NONE, OptionalId)
    }
}

impl fmt::Debug for OptionalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// An event: the fields that its order depends on. Its names are those of its log, or of the run once the logs are put together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeqRow {
    pub(crate) prev: u64,
    pub(crate) cur: u64,
    pub(crate) label: NameId,
    pub(crate) from: NameId,
    pub(crate) to: OptionalId,
    /// The send of a receive, the receive of a send.
    pub(crate) partner: OptionalId,
    /// The process where it happens, as one log sees it.
    pub(crate) process: u32,
    pub(crate) port: SeqPort,
    /// How often the serials of its log restarted before.
    pub(crate) epoch: u16,
    /// Whether a receive has the message of its send.
    pub(crate) is_as_sent: bool,
}

impl SeqRow {
    /// An event without a partner and a process yet.
    pub(crate) fn new(port: SeqPort, label: NameId, (prev, cur): (u64, u64), from: NameId, to: OptionalId) -> SeqRow {
        let (partner, process) = (OptionalId::NONE, 0);
        SeqRow { prev, cur, label, from, to, partner, process, port, epoch: 0, is_as_sent: false }
    }

    /// What distinguishes it from the other sends of its process.
    #[inline]
    pub(crate) fn serial(&self) -> Serial {
        (self.cur, self.prev, self.label)
    }

    /// The name of the process where it happens.
    #[inline]
    pub(crate) fn actor(&self) -> NameId {
        if self.port == SeqPort::Receive { self.to.get().unwrap_or(self.from) } else { self.from }
    }
}

/// The fields of an event that its order does not depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowDetail {
    pub(crate) line: u64,
    /// In nanoseconds; 0 if there is none.
    pub(crate) time: i64,
    /// The integer that orders the events of a node, if there is one.
    pub(crate) unique: i64,
    pub(crate) message: MessageId,
    pub(crate) clock: ClockKind,
}

/// The clock that an event's time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockKind {
    None,
    Wall,
    Monotonic,
    Strict,
}

impl RowDetail {
    /// The line and the time of an event; its message is the first one.
    pub(crate) fn new(line: u64, time: Option<EventTime>) -> RowDetail {
        let (clock, time, unique) = match time {
            None => (ClockKind::None, 0, 0),
            Some(EventTime::Wall(time)) => (ClockKind::Wall, time, 0),
            Some(EventTime::Monotonic(time)) => (ClockKind::Monotonic, time, 0),
            Some(EventTime::Strict(time, unique)) => (ClockKind::Strict, time, unique),
        };
        RowDetail { line, time, unique, message: 0, clock }
    }

    /// When it happened, in nanoseconds.
    pub(crate) fn time(&self) -> Option<i64> {
        (self.clock != ClockKind::None).then_some(self.time)
    }

    /// The integer that orders the events of a node.
    pub(crate) fn unique(&self) -> Option<i64> {
        (self.clock == ClockKind::Strict).then_some(self.unique)
    }
}

/// A text that is no event.
#[derive(Clone, Debug)]
pub(crate) struct UnreadText {
    pub(crate) line: u64,
    pub(crate) message: String,
}

/// A log that was read.
#[derive(Debug, Default)]
pub(crate) struct SeqLog {
    /// The name of its file.
    pub(crate) name: String,
    /// The node that its header names.
    pub(crate) node: Option<String>,
    pub(crate) nodes: NodeNames,
    /// Its events, until they are those of a run.
    pub(crate) rows: Vec<SeqRow>,
    /// What else these have.
    pub(crate) details: Vec<RowDetail>,
    /// The sends and receives among them that have no partner yet.
    pub(crate) unpaired: Vec<RowId>,
    /// As they are written.
    pub(crate) messages: TextList,
    /// Numbered from 0.
    pub(crate) names: IndexSet<Box<str>, RandomState>,
    pub(crate) unread: Vec<UnreadText>,
}

impl SeqLog {
    /// Adds what was read of the log after its first `n_lines` lines.
    pub(crate) fn take(&mut self, batch: &mut LogChunk, n_lines: u64) {
        for name in &batch.names.names[batch.log_names.len()..] {
            let known = self.names.get_index_of(name);
            batch.log_names.push(known.unwrap_or_else(|| self.names.insert_full(name.clone()).0) as NameId);
        }
        let (names, n_rows) = (&batch.log_names, self.rows.len() as RowId);
        let row = |row: &SeqRow| SeqRow {
            label: names[row.label as usize],
            from: names[row.from as usize],
            to: row.to.map(|to| names[to as usize]),
            partner: row.partner.map(|partner| partner + n_rows),
            ..*row
        };
        self.rows.extend(batch.rows.iter().map(row));
        let is_unpaired = |row: &SeqRow| row.partner == OptionalId::NONE && row.port != SeqPort::Print;
        self.unpaired.extend((n_rows..).zip(&batch.rows).filter(|(_, row)| is_unpaired(row)).map(|(id, _)| id));
        let n_messages = self.messages.len() as MessageId;
        let detail = |detail: &RowDetail| RowDetail {
            line: detail.line + n_lines,
            message: detail.message + n_messages,
            ..*detail
        };
        self.details.extend(batch.details.iter().map(detail));
        self.messages.append(&batch.messages);
        batch.headers.drain(..).for_each(|header| self.take_header(header));
        let unread = batch.unread.drain(..);
        self.unread.extend(unread.map(|unread| UnreadText { line: unread.line + n_lines, ..unread }));
    }

    fn take_header(&mut self, header: NodeHeader) {
        self.is_of_node(&header.node);
        header.numbers.iter().for_each(|(number, name)| self.nodes.name(*number, name));
    }

    /// The pid that a name is.
    pub(crate) fn pid(&self, name: NameId) -> Option<Pid> {
        Pid::of(&self.names[name as usize])
    }

    /// Says which node this is the log of.
    pub(crate) fn is_of_node(&mut self, node: &str) {
        self.nodes.name(0, node);
        self.node.get_or_insert_with(|| node.to_owned());
    }
}
