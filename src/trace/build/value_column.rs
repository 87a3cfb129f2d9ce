//! Finished columns of a table, which become those of attributes.

use super::TraceBuilder;
use crate::trace::column::extra_column::{ExtraBuilder, ExtraColumn};
use crate::trace::event::EventId;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::value::{Value, ValueId};

/// A finished column. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct ValueColumn(ExtraColumn);

impl ValueColumn {
    /// The finished column of `n_rows` rows.
    pub(super) fn of(column: ExtraBuilder, n_rows: u32) -> ValueColumn {
        ValueColumn(column.finish(n_rows as usize))
    }

    /// Whether no event has a value.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    /// Whether an event has a value.
    pub(crate) fn has(&self, event: EventId) -> bool {
        match &self.0 {
            ExtraColumn::Mixed(codes, _) => codes.at(event as usize) > 0,
            column => column.at(event as usize) != Value::Absent,
        }
    }

    /// The value of an event.
    pub(crate) fn at(&self, event: EventId) -> Value<'_> {
        self.0.at(event as usize)
    }

    /// The number of the value of an event, unless the column has only integers.
    #[inline]
    pub(crate) fn id(&self, event: EventId) -> Option<ValueId> {
        match &self.0 {
            ExtraColumn::Mixed(codes, _) => codes.at(event as usize).checked_sub(1).map(ValueId),
            _ => None,
        }
    }

    /// Whether two events have the same value, as it is stored.
    #[inline]
    pub(crate) fn is_same(&self, one: EventId, other: EventId) -> bool {
        match &self.0 {
            ExtraColumn::Mixed(codes, _) => codes.at(one as usize) == codes.at(other as usize),
            column => column.at(one as usize) == column.at(other as usize),
        }
    }
}

impl TraceBuilder {
    /// Makes a column that of an attribute, for which no event has a value yet.
    pub(crate) fn put_column(&mut self, id: AttributeId, ValueColumn(column): ValueColumn) {
        self.whole_columns.push((id, column));
    }
}
