//! The events of one chunk of a log, read independently: names and messages have numbers that only the chunk knows.

use super::name_table::NameTable;
use super::ports::SeqPort;
use super::rows::{NameId, OptionalId, RowDetail, RowId, SeqRow};
use super::sent_messages::{SentMessage, SentMessages};
use crate::formats::lines::text_list::TextList;

/// The content of some lines. The names stay when other lines are read.
#[derive(Default)]
pub(crate) struct LogChunk {
    pub(crate) rows: Vec<SeqRow>,
    /// Further fields of these; lines are counted from 1.
    pub(crate) details: Vec<RowDetail>,
    pub(crate) messages: TextList,
    pub(crate) names: NameTable,
    /// The log's numbers for the names that it has seen.
    pub(crate) log_names: Vec<NameId>,
    pub(crate) headers: Vec<NodeHeader>,
    /// Lines of `papaver record`.
    pub(crate) stated: Vec<String>,
    pub(crate) unread: Vec<UnreadText>,
    /// How many lines were read.
    pub(crate) n_lines: u64,
    /// The lines after these: the start of an event that may continue in the next chunk.
    pub(crate) rest: Vec<u8>,
    /// Whether that event continues only if the next line is a part of a string.
    pub(crate) is_rest_closed: bool,
    recent: SentMessages,
    /// The same lines ending with line feeds, if they have other ends.
    pub(crate) lines: Vec<u8>,
}

/// A line that names nodes.
#[derive(Debug)]
pub(crate) struct NodeHeader {
    /// The node of the log.
    pub(crate) node: String,
    /// The names of numbered nodes.
    pub(crate) numbers: Vec<(u32, String)>,
}

/// A text that is no event.
#[derive(Clone, Debug)]
pub(crate) struct UnreadText {
    pub(crate) line: u64,
    pub(crate) message: String,
}

impl LogChunk {
    /// Removes what was read before, but for the names.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.details.clear();
        self.messages.clear();
        self.headers.clear();
        self.stated.clear();
        self.unread.clear();
        self.recent.clear();
        self.rest.clear();
    }

    /// The message that was sent with a serial, if `rest` begins with it, and its length.
    #[inline]
    pub(crate) fn sent(&self, from: NameId, cur: u64, rest: &[u8]) -> Option<(SentMessage, usize)> {
        self.recent.find(from, cur, rest, &self.messages)
    }

    /// Adds an event with its message, which contains `n_lines` line ends.
    #[inline]
    pub(crate) fn push(&mut self, row: SeqRow, message: &[u8], n_lines: u64, detail: RowDetail) {
        let message = self.messages.push(message);
        if row.port == SeqPort::Send {
            let n_lines = u32::try_from(n_lines).unwrap_or(u32::MAX);
            self.recent.hold(row.from, row.cur, SentMessage { message, row: self.rows.len() as RowId, n_lines });
        }
        self.rows.push(row);
        self.details.push(RowDetail { message, ..detail });
    }

    /// Adds a receive with the message of a send, which becomes its partner if the serials are equal.
    #[inline]
    pub(crate) fn push_received(&mut self, mut row: SeqRow, sent: SentMessage, detail: RowDetail) {
        let id = self.rows.len() as RowId;
        let send = &mut self.rows[sent.row as usize];
        if send.serial() == row.serial() && send.partner == OptionalId::NONE {
            send.partner = OptionalId::some(id);
            (row.partner, row.is_as_sent) = (OptionalId::some(sent.row), true);
        }
        self.rows.push(row);
        self.details.push(RowDetail { message: sent.message, ..detail });
    }
}
