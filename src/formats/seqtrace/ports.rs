//! The kinds of events and their ports.

use crate::trace::{PortRecord, PortRole, Traced};

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SeqPort {
    /// A message leaves a process.
    Send,
    /// A process has put something into the trace.
    Print,
    /// A process takes a message out of its mailbox.
    Receive,
}

/// The ports of the format.
pub(crate) const PORTS: &[PortRecord] = &[
    PortRecord {
        name: "send",
        spellings: &["Sent"],
        role: PortRole::Opens,
        traced: Traced::Yes,
        doc: "a message leaves a process",
    },
    PortRecord {
        name: "print",
        spellings: &["Info"],
        role: PortRole::Inside,
        traced: Traced::Yes,
        doc: "a process puts a text into the trace",
    },
    PortRecord {
        name: "receive",
        spellings: &["Received"],
        role: PortRole::Closes,
        traced: Traced::Yes,
        doc: "a process takes a message out of its mailbox",
    },
];

impl SeqPort {
    /// The name under which it is stored.
    pub(crate) fn name(self) -> &'static str {
        PORTS[self as usize].name
    }
}
