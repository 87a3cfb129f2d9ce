//! One log as it is read: its events in the order of the file, their texts in one long string.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::names::{Nodes, Pid};
use super::raw;
use super::recent::Recent;
use super::source::{Piece, Source};
use crate::formats::Lines;
use crate::trace::{PortRecord, PortRole, Traced};

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Port {
    /// A message leaves a process.
    Send,
    /// A process has put something into the trace.
    Print,
    /// A process takes a message out of its mailbox.
    Receive,
}

/// The ports of the format.
pub const PORTS: &[PortRecord] = &[
    PortRecord { name: "send", spellings: &["Sent"], role: PortRole::Opens, traced: Traced::Yes },
    PortRecord { name: "print", spellings: &["Info"], role: PortRole::Inside, traced: Traced::Yes },
    PortRecord { name: "receive", spellings: &["Received"], role: PortRole::Closes, traced: Traced::Yes },
];

impl Port {
    /// The name under which it is stored.
    pub fn name(self) -> &'static str {
        PORTS[self as usize].name
    }
}

/// When an event happened, by one of the clocks that a sequence may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// `{Mega,Secs,Micro}`, in nanoseconds.
    Wall(i64),
    /// Nanoseconds of a clock with an origin of its own on each node.
    Monotonic(i64),
    /// The same, with an integer that orders the events of a node.
    Strict(i64, i64),
}

impl Time {
    /// Nanoseconds.
    pub fn nanoseconds(self) -> i64 {
        match self {
            Time::Wall(time) | Time::Monotonic(time) | Time::Strict(time, _) => time,
        }
    }

    /// The integer that orders the events of a node.
    pub fn unique(self) -> Option<i64> {
        match self {
            Time::Strict(_, unique) => Some(unique),
            Time::Wall(_) | Time::Monotonic(_) => None,
        }
    }
}

/// Number of a text among the names of a log.
pub type NameId = u32;

/// Number of an event among those of all logs.
pub type RowId = u32;

/// An event: by what it is put in order. Its names are those of its log, or of the run once the logs are put together.
#[derive(Clone, Debug)]
pub struct Row {
    pub prev: u64,
    pub cur: u64,
    pub label: NameId,
    pub from: NameId,
    pub to: Option<NameId>,
    /// The send of a receive, the receive of a send.
    pub partner: Option<RowId>,
    /// The process where it happens, as one log sees it.
    pub process: u32,
    /// The number of its log.
    pub log: u32,
    /// The number of its details.
    pub place: u32,
    pub port: Port,
    pub is_made_up: bool,
    /// Whether a receive has the message of its send.
    pub is_as_sent: bool,
}

impl Row {
    /// An event of a log, before it is known what belongs to it.
    pub fn new(port: Port, label: NameId, (prev, cur): (u64, u64), from: NameId, to: Option<NameId>) -> Row {
        let (partner, process, log, place) = (None, 0, 0, 0);
        Row { prev, cur, label, from, to, partner, process, log, place, port, is_made_up: false, is_as_sent: false }
    }

    /// The name of the process where it happens.
    pub fn actor(&self) -> NameId {
        if self.port == Port::Receive { self.to.unwrap_or(self.from) } else { self.from }
    }
}

/// What else an event has, which its order does not depend on.
#[derive(Clone, Debug)]
pub struct Detail {
    pub line: u64,
    /// Where its message is among the texts.
    pub message: Range<usize>,
    pub time: Option<Time>,
}

/// What could not be read.
#[derive(Clone, Debug)]
pub struct Unread {
    pub line: u64,
    pub message: String,
}

/// A log that was read.
#[derive(Debug, Default)]
pub struct Log {
    /// What the log is called: its file.
    pub name: String,
    /// The node that its header names.
    pub node: Option<String>,
    pub nodes: Nodes,
    /// Its events, until they are those of a run.
    pub rows: Vec<Row>,
    /// What else these have.
    pub details: Vec<Detail>,
    /// The messages, one behind the other.
    pub texts: String,
    names: HashMap<Box<str>, NameId, RandomState>,
    /// By what the log has for them, if that is simple.
    written_names: HashMap<Box<[u8]>, NameId, RandomState>,
    name_list: Vec<Box<str>>,
    pub recent: Recent,
    pub unread: Vec<Unread>,
}

impl Log {
    /// Reads all of a log.
    pub fn read(name: &str, lines: &mut Lines) -> Log {
        let mut log = Log { name: name.to_owned(), ..Log::default() };
        let mut source = Source::new(lines);
        while let Some(piece) = source.next_piece() {
            log.take(&piece);
        }
        log.recent = Recent::default();
        log
    }

    fn take(&mut self, piece: &Piece<'_>) {
        let kept = self.texts.len();
        if let Err(message) = raw::take(self, piece) {
            self.texts.truncate(kept);
            self.unread.push(Unread { line: piece.line, message });
        }
    }

    /// Adds an event.
    pub fn push(&mut self, row: Row, detail: Detail) {
        self.rows.push(Row { place: self.details.len() as u32, ..row });
        self.details.push(detail);
    }

    /// The number of a name that the log has written in the same way before.
    pub fn known_name(&self, written: &[u8]) -> Option<NameId> {
        self.written_names.get(written).copied()
    }

    /// The number of a name, which is remembered for what was `written` for it.
    pub fn name(&mut self, text: &str, written: Option<&[u8]>) -> NameId {
        let id = self.names.get(text).copied().unwrap_or_else(|| {
            let id = self.name_list.len() as NameId;
            self.name_list.push(text.into());
            self.names.insert(text.into(), id);
            id
        });
        self.written_names.extend(written.map(|written| (written.into(), id)));
        id
    }

    /// All names, by their numbers.
    pub fn names(&self) -> &[Box<str>] {
        &self.name_list
    }

    /// The pid that a name is.
    pub fn pid(&self, name: NameId) -> Option<Pid> {
        Pid::of(&self.name_list[name as usize])
    }

    /// Says which node this is the log of.
    pub fn is_of_node(&mut self, node: &str) {
        self.nodes.name(0, node);
        self.node.get_or_insert_with(|| node.to_owned());
    }
}
