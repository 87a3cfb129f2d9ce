//! The lazy columns of attributes.

use std::sync::{Arc, OnceLock};

use super::attribute_columns::{AttributeColumns, KeyPlace, KeyPositions, ListPlaces};
use super::columns::KnownValues;
use super::records::HAS_TOOL;
use super::rows::Row;
use super::tables::SpanTables;
use crate::trace::{EventId, LazyInts, LazyValues, TraceBuilder};

/// Fills the columns of attributes.
pub(super) struct ColumnFiller {
    tables: Arc<SpanTables>,
    keys: AttributeColumns,
    positions: OnceLock<KeyPositions>,
}

/// Where the values of a column are.
struct ColumnPlaces {
    /// The value of each context.
    of_contexts: Vec<u32>,
    of_tools: ListPlaces,
    own: ListPlaces,
}

impl ColumnFiller {
    /// Declares all columns.
    pub(super) fn declare(tables: &Arc<SpanTables>, keys: AttributeColumns, builder: &mut TraceBuilder) {
        let filler = Arc::new(ColumnFiller { tables: Arc::clone(tables), keys, positions: OnceLock::new() });
        for (number, column) in (0..).zip(&filler.keys.columns) {
            let Some(id) = builder.own_attribute(&column.name) else { continue };
            let shared = Arc::clone(&filler);
            match (column.has_values, column.is_integer) {
                (false, _) => builder.let_stand(id),
                (true, true) => builder.lazy_ints(id, move |_, ints| shared.fill_ints(number, ints)),
                (true, false) => builder.lazy_values(id, move |_, values| shared.fill_values(number, values)),
            }
        }
    }

    fn fill_ints(&self, column: u32, ints: &mut LazyInts) {
        self.each(column, |event, value| {
            let stored = self.tables.records.text_of(value);
            if let Some(value) = stored.strip_prefix('i').and_then(|digits| digits.parse().ok()) {
                ints.set(event, value);
            }
        });
    }

    fn fill_values(&self, column: u32, values: &mut LazyValues) {
        let mut known = KnownValues::default();
        self.each(column, |event, value| known.set(&self.tables, values, event, value));
    }

    /// Calls `set` for each event with a value.
    fn each(&self, column: u32, mut set: impl FnMut(EventId, u32)) {
        let places = self.places(column);
        self.tables.each(|event, row| match places.value(&self.tables, row) {
            0 => {}
            value => set(event, value),
        });
    }

    fn places(&self, column: u32) -> ColumnPlaces {
        let lists = &self.tables.records.lists;
        let positions = self.positions.get_or_init(|| KeyPositions::new(lists));
        let keys = |place| self.keys.keys(place, column);
        let (resource, scope) = (keys(KeyPlace::Resource), keys(KeyPlace::Scope));
        let value = |pairs: &[(u32, u32)], keys: &[u32]| {
            pairs.iter().find(|(key, value)| *value > 0 && keys.contains(key)).map(|(_, value)| *value)
        };
        let of_context = |context: &super::records::SpanContext| {
            value(&context.resource, &resource).or_else(|| value(&context.of_scope, &scope)).unwrap_or(0)
        };
        ColumnPlaces {
            of_contexts: self.tables.records.contexts.iter().map(of_context).collect(),
            of_tools: positions.of_keys(&keys(KeyPlace::Tool), lists.len()),
            own: positions.of_keys(&keys(KeyPlace::Own), lists.len()),
        }
    }
}

impl ColumnPlaces {
    /// The value of a row; 0 if there is none.
    #[inline]
    fn value(&self, tables: &SpanTables, row: Row) -> u32 {
        if row.is_edge() {
            let shared = self.of_contexts[tables.shape(row).context as usize];
            let found = if shared > 0 { shared } else { self.of_tool(tables, row) };
            if found > 0 {
                return found;
            }
        }
        self.own.value(tables.attributes(row))
    }

    fn of_tool(&self, tables: &SpanTables, row: Row) -> u32 {
        if tables.shape(row).has & HAS_TOOL == 0 {
            return 0;
        }
        tables.records.body_of(row.span()).tool.map_or(0, |tool| self.of_tools.value(tool))
    }
}
