//! The events of a log: rows of numbers, whose names and messages are elsewhere.

use std::fmt;

use super::ports::SeqPort;

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

impl EventTime {
    /// `{Mega,Secs,Micro}`
    pub(crate) fn wall(mega: i64, seconds: i64, micros: i64) -> Option<EventTime> {
        let seconds = mega.checked_mul(1_000_000)?.checked_add(seconds)?;
        let micros = seconds.checked_mul(1_000_000)?.checked_add(micros)?;
        micros.checked_mul(1000).map(EventTime::Wall)
    }
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

/// What distinguishes the sends of one process: Cur, Prev and label.
pub(crate) type Serial = (u64, u64, NameId);

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
