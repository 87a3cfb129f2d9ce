//! All states of a file: a column of each variable, in which equal values are stored once.

use std::ops::Range;

use super::line::BrokenRule;
use super::part::{PartState, PartStates, WrittenIndex};
use crate::formats::json::document::DocumentPart;
use crate::term::hash::HashMap;
use crate::trace::{EventId, EventTable, PlaceTable, TraceBuilder, ValueColumn, ValueId};

/// The states that were read; those that are objects are events.
#[derive(Default)]
pub(super) struct StateTable {
    pub(super) places: PlaceTable,
    /// The number of states.
    pub(super) n_states: usize,
    /// The positions of states that are no objects.
    pub(super) no_objects: Vec<usize>,
    table: EventTable,
    /// The keys of the columns.
    keys: Vec<String>,
    key_ids: HashMap<String, usize>,
    /// By column and value, texts that are the same for equal values, where they differ.
    sorted: Vec<HashMap<ValueId, Box<str>>>,
    /// By position, indexes that are others.
    pub(super) indexes: Vec<(usize, String)>,
    /// By position, rules that values break.
    pub(super) broken: Vec<(usize, BrokenRule)>,
}

/// The finished column of a variable, or of another key of states.
pub(super) struct VariableColumn {
    pub(super) name: String,
    pub(super) values: ValueColumn,
    pub(super) sorted: HashMap<ValueId, Box<str>>,
}

impl StateTable {
    /// Adds a state of a part, without its values, with the rules that they break.
    pub(super) fn add(&mut self, state: &PartState, place: DocumentPart, broken: impl Iterator<Item = BrokenRule>) {
        let position = self.n_states;
        self.n_states += 1;
        self.places.push(place.place(state.place));
        if !state.is_object {
            return self.no_objects.push(position);
        }
        self.broken.extend(broken.map(|rule| (position, rule)));
        match &state.index {
            WrittenIndex::Number(number) if *number != position => self.indexes.push((position, number.to_string())),
            WrittenIndex::Other(text) => self.indexes.push((position, text.to_string())),
            _ => {}
        }
    }

    /// Adds the values of states of a part.
    pub(super) fn append(&mut self, part: &PartStates, rows: Range<u32>, builder: &mut TraceBuilder) {
        let columns: Vec<usize> = part.keys.iter().map(|key| self.column(&key.name)).collect();
        self.table.append(&part.table, rows, |key| Some(columns[key]), builder);
        for (key, expression) in &part.sorted {
            let id = self.table.value(columns[*key], expression.field());
            let sorted = expression.sorted.as_deref().unwrap_or_default();
            self.sorted[columns[*key]].entry(id).or_insert_with(|| sorted.into());
        }
    }

    fn column(&mut self, key: &str) -> usize {
        if let Some(column) = self.key_ids.get(key) {
            return *column;
        }
        self.key_ids.insert(key.to_owned(), self.keys.len());
        self.keys.push(key.to_owned());
        self.sorted.push(HashMap::default());
        self.keys.len() - 1
    }

    /// The finished columns of all events, without those that have no value.
    pub(super) fn finish(&mut self, builder: &mut TraceBuilder) -> Vec<VariableColumn> {
        let columns = std::mem::take(&mut self.table).finish(self.keys.len(), builder).into_iter();
        let named = std::mem::take(&mut self.keys).into_iter().zip(std::mem::take(&mut self.sorted)).zip(columns);
        named
            .map(|((name, sorted), values)| VariableColumn { name, values, sorted })
            .filter(|column| !column.values.is_empty())
            .collect()
    }

    /// The number of events.
    pub(super) fn n_events(&self) -> EventId {
        (self.n_states - self.no_objects.len()) as EventId
    }

    /// The positions of the events, in order.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> {
        let mut left_out = self.no_objects.iter().peekable();
        (0..self.n_states).filter(move |position| left_out.next_if(|other| *other == position).is_none())
    }

    /// The event of a state.
    pub(super) fn event_at(&self, position: usize) -> Option<EventId> {
        match self.no_objects.binary_search(&position) {
            Err(before) if position < self.n_states => EventId::try_from(position - before).ok(),
            _ => None,
        }
    }

    /// The line of a state.
    pub(super) fn line(&self, position: usize) -> u64 {
        self.places.at(position).map_or(0, |place| place.line)
    }
}
