//! One log as it is read: its events in the order of the file, their messages as the log has them.

use indexmap::IndexSet;

use super::chunk::{LogChunk, NodeHeader, UnreadText};
use super::nodes::{NodeNames, Pid};
use super::ports::SeqPort;
use super::rows::{MessageId, NameId, OptionalId, RowDetail, RowId, SeqRow};
use crate::formats::lines::text_list::TextList;
use crate::term::hash::RandomState;

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
    /// What `papaver record` states, line by line.
    pub(crate) stated: Vec<String>,
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
        self.stated.append(&mut batch.stated);
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
