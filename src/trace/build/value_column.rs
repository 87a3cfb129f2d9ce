//! Columns that a reader fills before it knows of which attribute they are.

use super::TraceBuilder;
use crate::trace::column::extra_column::{ExtraBuilder, ExtraColumn};
use crate::trace::column::text_column::TextColumn;
use crate::trace::event::EventId;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::value::{Field, Value, ValueId};

/// Builder of such a column: integers, or a dictionary of any values.
#[derive(Default)]
pub(crate) struct ValueColumnBuilder {
    column: ExtraBuilder,
    scratch: String,
}

impl ValueColumnBuilder {
    /// Sets the value of an event, which must follow the previous one.
    #[inline]
    pub(crate) fn set(&mut self, event: EventId, field: Field<'_>) {
        self.column.set(event as usize, field, &mut self.scratch);
    }

    /// The number of a value for [`Field::Known`]; the same value always has the same number. After this call, the column
    /// no longer has only integers.
    pub(crate) fn value(&mut self, field: Field<'_>) -> ValueId {
        self.column.value(field, &mut self.scratch)
    }

    /// The finished column of the first `n_events` events.
    pub(crate) fn finish(self, n_events: EventId) -> ValueColumn {
        ValueColumn(match self.column.finish(n_events as usize) {
            ExtraColumn::Mixed(codes, TextColumn::Made(texts)) => {
                ExtraColumn::Mixed(codes, TextColumn::Lazy(texts.into()))
            }
            other => other,
        })
    }
}

/// A finished column. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct ValueColumn(ExtraColumn);

impl ValueColumn {
    /// The value of an event.
    pub(crate) fn at(&self, event: EventId) -> Value<'_> {
        self.0.at(event as usize)
    }

    /// The integer of an event.
    pub(crate) fn int(&self, event: EventId) -> Option<i64> {
        match self.at(event) {
            Value::Int(value) => Some(value),
            _ => None,
        }
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
