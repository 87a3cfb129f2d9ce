//! The one way in which what threads find in their chunks becomes the columns of a trace.
//!
//! A thread reads its chunk without the text before it, and fills an [`EventTable`] with a row for each event and the values
//! that the event's line states. The chunks are then taken in the order of the file: for each row the reader finds what
//! depends on earlier events (call, depth, findings), sets the values that follow from that, and pushes the event. At the
//! end of the chunk the values of all its rows become those of the events at once:
//!
//! ```text
//! parse, on any thread:  table.set(ids.time, row, Field::Int(t)); table.set(ids.addr, row, Field::Atom(addr)); table.end_row()
//! take, in order:        builder.make_room(n_rows, n_bytes), else the chunk is left out
//!                        for each row: builder.push(&EventRow { call, depth, key, ... }); table.set(ids.window, row, ...)
//!                        builder.append_table(first, &table, rows)
//! ```
//!
//! `rows` says which row each event has: all in order, or any choice of them, also several times, for readers that insert,
//! sort or leave out events. A reader that knows the attributes of its columns only at the end collects the chunks in a table
//! of the whole file with [`EventTable::append`], and hands each column over with [`TraceBuilder::put_column`]. Texts that
//! queries seldom need do not belong into a table: `formats/lines/kept` keeps their bytes for lazy columns.
//!
//! Columns are those of the trace: integers as long as there are only integers, otherwise codes of a dictionary.
//!
//! * **Bounded**: [`TraceBuilder::make_room`] is asked before the trace grows. It is the only place that compares what a
//!   trace takes with what is free in memory and on the disk; beyond that, the trace is refused with the figures.
//! * **Linear**: a value costs time once in its chunk, and a distinct value once more in the trace. A column of a table takes
//!   nothing for the rows before its first value and after its last one; one of the trace takes a byte at least for each
//!   event, which is asked for before.
//! * **Joinable**: the codes in the dictionary of a column are those that its index has, in the order of first appearance.

use std::ops::Range;

use super::value_column::ValueColumn;
use super::{TraceBuilder, slot};
use crate::trace::column::extra_column::ExtraBuilder;
use crate::trace::event::EventId;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::value::{Field, ValueId};
use crate::trace::file::memory::{MemorySource, MemoryUse, Shortage};

/// Bytes that an event takes in the columns and indexes, with the room that growing columns keep.
pub(crate) const PER_EVENT: u64 = 40;

/// The values of events, by the index of their attribute or another number of a column.
#[derive(Default)]
pub(crate) struct EventTable {
    n_rows: u32,
    columns: Vec<TableColumn>,
    scratch: String,
}

/// A column, from the first row that has a value.
#[derive(Default)]
struct TableColumn {
    first: u32,
    values: ExtraBuilder,
}

impl TableColumn {
    /// Gives some of its rows to the rows of another column from `to` on.
    fn append_to(
        &self,
        column: &mut ExtraBuilder,
        to: u32,
        rows: impl Iterator<Item = u32> + Clone,
        scratch: &mut String,
    ) {
        // no row before the first one has a value, nor has one so far behind it
        column.append(to as usize, &self.values, rows.map(|row| row.wrapping_sub(self.first)), scratch);
    }
}

impl EventTable {
    /// Removes all rows and columns.
    pub(crate) fn clear(&mut self) {
        self.n_rows = 0;
        self.columns.clear();
    }

    /// The number of rows that were ended.
    pub(crate) fn n_rows(&self) -> u32 {
        self.n_rows
    }

    /// Ends a row; those that have no values need not be told apart.
    pub(crate) fn end_row(&mut self) {
        self.n_rows += 1;
    }

    /// Sets the value of an attribute in a row, which must not precede a row that has one; the first of two counts.
    #[inline]
    pub(crate) fn set(&mut self, id: AttributeId, row: u32, field: Field<'_>) {
        self.set_cell(id.index(), row, field);
    }

    /// As [`set`](EventTable::set), in the column with any number.
    #[inline]
    pub(crate) fn set_cell(&mut self, column: usize, row: u32, field: Field<'_>) {
        let column = slot(&mut self.columns, column);
        if column.values.is_empty() {
            column.first = row;
        }
        column.values.set(row.saturating_sub(column.first) as usize, field, &mut self.scratch);
    }

    /// The number of a value of a column for [`Field::Known`].
    pub(crate) fn value(&mut self, column: usize, field: Field<'_>) -> ValueId {
        slot(&mut self.columns, column).values.value(field, &mut self.scratch)
    }

    /// Adds rows of a chunk, whose columns have other numbers here; those that have none are left out.
    pub(crate) fn append(
        &mut self,
        part: &EventTable,
        rows: Range<u32>,
        number: impl Fn(usize) -> Option<usize>,
        builder: &mut TraceBuilder,
    ) {
        for (column, values) in part.columns.iter().enumerate() {
            let Some(number) = number(column).filter(|_| !values.values.is_empty()) else { continue };
            let column = slot(&mut self.columns, number);
            if builder.make_room(0, column.values.padding(self.n_rows)) {
                values.append_to(&mut column.values, self.n_rows, rows.clone(), &mut self.scratch);
            }
        }
        self.n_rows += rows.len() as u32;
    }

    /// The finished columns of a table of chunks; `n_columns` of them, also if the last ones have no values. They are empty if
    /// there is no room for them.
    pub(crate) fn finish(mut self, n_columns: usize, builder: &mut TraceBuilder) -> Vec<ValueColumn> {
        let has_values = |column: &&TableColumn| !column.values.is_empty();
        let padding = self.columns.iter().filter(has_values).map(|column| column.values.padding(self.n_rows)).sum();
        if !builder.make_room(0, padding) {
            self = EventTable::default();
        }
        self.columns.resize_with(n_columns, TableColumn::default);
        self.columns.into_iter().map(|column| ValueColumn::of(column.values, self.n_rows)).collect()
    }
}

impl TraceBuilder {
    /// Gives the events from `first` on the values that a table has in these rows.
    pub(crate) fn append_table(&mut self, first: EventId, table: &EventTable, rows: impl Iterator<Item = u32> + Clone) {
        let rows = rows.take((self.n_events - first) as usize);
        let grows = table.columns.iter().enumerate().filter(|(_, column)| !column.values.is_empty());
        let padding = grows.clone().map(|(column, _)| slot(&mut self.extras, column).padding(first)).sum();
        if self.make_room(0, padding) {
            for (column, values) in grows {
                values.append_to(slot(&mut self.extras, column), first, rows.clone(), &mut self.scratch);
            }
        }
    }

    /// Limits what the trace may take to what is free.
    pub(crate) fn limit_memory(&mut self, memory: Option<MemorySource>) {
        self.memory = MemoryUse::new(memory);
    }

    /// Makes room for more events that take `n_bytes` beside their columns; without room, the trace is going to be refused.
    pub(crate) fn make_room(&mut self, n_events: u32, n_bytes: usize) -> bool {
        let n_bytes = (u64::from(n_events) * PER_EVENT) as usize + n_bytes;
        self.shortage = self.shortage.or(self.memory.take(n_bytes).err());
        self.shortage.is_none()
    }

    /// What is missing if the trace has grown beyond what is free, or is going to when its columns are finished.
    pub(crate) fn shortage(&mut self) -> Option<Shortage> {
        let columns = self.extras.iter().filter(|column| !column.is_empty());
        let padding = columns.map(|column| column.padding(self.n_events)).sum();
        self.make_room(0, padding);
        self.shortage
    }
}
