//! The column of arguments: with a dictionary, or as spans of the trace's file.

use std::sync::Arc;

use super::calls::CallId;
use super::rows::Rows;
use super::spans::{SpanBuilder, SpanColumn};
use crate::trace::column::code_column::CodeColumn;
use crate::trace::column::lazy::Lazy;
use crate::trace::column::list_column::{ListBuilder, ListColumn};
use crate::trace::event::EventId;
use crate::trace::event::args::{ArgTexts, ArgsId};
use crate::trace::file::text_file::TextFile;

/// The arguments of each event.
#[derive(Clone, Debug)]
pub(crate) enum ArgsColumn {
    /// Each distinct text is in memory.
    Coded(ListColumn),
    /// The texts stay in the file.
    Spans(Box<SpanColumn>),
    /// A lazy column, and the file that it is made from, if it is from one; some event has arguments.
    Lazy(Lazy<ListColumn>, Option<Arc<TextFile>>),
}

impl ArgsColumn {
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            ArgsColumn::Coded(column) => column.codes.len() == 0,
            ArgsColumn::Spans(column) => column.is_empty(),
            ArgsColumn::Lazy(..) => false,
        }
    }

    pub(crate) fn at(&self, event: EventId) -> Option<ArgTexts<'_>> {
        match self {
            ArgsColumn::Coded(column) => column.at(event as usize),
            ArgsColumn::Spans(column) => column.at(event),
            ArgsColumn::Lazy(column, _) => column.at(event as usize),
        }
    }

    /// The column with a dictionary, which is made now if there is none yet.
    pub(crate) fn coded(&self) -> &ListColumn {
        match self {
            ArgsColumn::Coded(column) => column,
            ArgsColumn::Spans(column) => column.coded(),
            ArgsColumn::Lazy(column, _) => column,
        }
    }

    /// The column with a dictionary, if it was made already.
    pub(crate) fn known(&self) -> Option<&ListColumn> {
        match self {
            ArgsColumn::Coded(column) => Some(column),
            ArgsColumn::Spans(column) => column.known(),
            ArgsColumn::Lazy(column, _) => column.made(),
        }
    }

    /// A column that is 0 exactly for the events without arguments.
    pub(crate) fn presence(&self) -> &CodeColumn {
        match self {
            ArgsColumn::Coded(column) => &column.codes,
            ArgsColumn::Spans(column) => column.presence(),
            ArgsColumn::Lazy(column, _) => &column.codes,
        }
    }

    pub(crate) fn fault(&self) -> Option<&str> {
        match self {
            ArgsColumn::Coded(_) => None,
            ArgsColumn::Spans(column) => column.fault(),
            ArgsColumn::Lazy(_, file) => file.as_ref()?.fault(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            ArgsColumn::Coded(column) => column.bytes(),
            ArgsColumn::Spans(column) => column.bytes(),
            ArgsColumn::Lazy(column, _) => column.made().map_or(0, ListColumn::bytes),
        }
    }
}

/// Builder of the column of arguments.
pub(crate) enum ArgsBuilder {
    /// With the code of the last text of each call, because the next text is often the same.
    Coded(ListBuilder, Vec<Option<u32>>),
    Spans(Box<SpanBuilder>),
}

impl Default for ArgsBuilder {
    fn default() -> ArgsBuilder {
        ArgsBuilder::Coded(ListBuilder::default(), Vec::new())
    }
}

impl ArgsBuilder {
    /// Sets the argument text of an event.
    pub(crate) fn set(&mut self, event: EventId, call: Option<CallId>, text: &str) {
        match self {
            ArgsBuilder::Spans(column) => column.keep(event, text),
            ArgsBuilder::Coded(column, last_of_call) => {
                let Some(call) = call else {
                    column.set(event as usize, text, None);
                    return;
                };
                if last_of_call.len() <= call.index() {
                    last_of_call.resize(call.index() + 1, None);
                }
                let last = &mut last_of_call[call.index()];
                *last = Some(column.set(event as usize, text, *last));
            }
        }
    }

    /// The number of a text.
    pub(crate) fn id(&mut self, text: &str) -> ArgsId {
        match self {
            ArgsBuilder::Spans(column) => column.id(text),
            ArgsBuilder::Coded(column, _) => ArgsId(column.code(text)),
        }
    }

    /// Sets the text of an event, given the text's number.
    pub(crate) fn set_known(&mut self, event: EventId, text: ArgsId) {
        match self {
            ArgsBuilder::Spans(column) => column.keep_known(event, text),
            ArgsBuilder::Coded(column, _) => column.set_code(event as usize, text.0),
        }
    }

    /// Sets the texts of events from `first` on.
    pub(crate) fn append(&mut self, first: EventId, rows: &Rows<'_>, call: impl Fn(EventId) -> Option<CallId>) {
        if let ArgsBuilder::Spans(column) = self {
            return column.append(first, rows);
        }
        for (event, span) in (first..).zip(rows.args) {
            self.set(event, call(event), span.of(rows.text).unwrap_or_default());
        }
    }

    /// The finished column; with a dictionary if most texts would have to be kept outside the file.
    pub(crate) fn finish(self, rows: EventId) -> ArgsColumn {
        match self {
            ArgsBuilder::Coded(column, _) => ArgsColumn::Coded(column.finish(rows as usize)),
            ArgsBuilder::Spans(column) => {
                let column = column.finish(rows);
                let coded = if column.is_mostly_kept() { column.to_coded() } else { None };
                coded.map_or_else(|| ArgsColumn::Spans(Box::new(column)), ArgsColumn::Coded)
            }
        }
    }
}
