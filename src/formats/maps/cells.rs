//! The values of one attribute at the events of a chunk: integers as they are, everything else once and by its number.

use super::line::Found;
use crate::formats::json::own_value::OwnValue;
use crate::formats::json::value::Json;
use crate::formats::lines::interner::BytesInterner;
use crate::trace::{AttributeId, EventId, Field, TraceBuilder, ValueId, refill};

/// Marks an absent integer.
pub(super) const NO_INT: i64 = i64::MIN;

/// The values of an attribute at the events of a chunk.
#[derive(Default)]
pub(super) struct Cells {
    /// By event.
    ints: Vec<i64>,
    n_ints: usize,
    /// The events with another value, and its number.
    others: Vec<(u32, u32)>,
    /// The texts of the values, each with its kind.
    texts: BytesInterner,
    scratch: String,
}

/// The kind of a value that is no integer of 64 bits.
#[derive(Clone, Copy)]
enum CellKind {
    Number,
    Bool,
    Text,
    Nested,
}

impl CellKind {
    const ALL: [CellKind; 4] = [CellKind::Number, CellKind::Bool, CellKind::Text, CellKind::Nested];

    /// The value for the builder.
    fn field(self, text: &str) -> Field<'_> {
        match self {
            CellKind::Text => Field::Text(text),
            CellKind::Bool => Field::Bool(text == "true"),
            CellKind::Nested => Field::Json(text),
            CellKind::Number => match OwnValue::of(&Json::of(text)) {
                OwnValue::Int(value) => Field::Int(value),
                OwnValue::Float(value) => Field::Float(value),
                OwnValue::BigInt(_) => Field::BigInt(text),
                _ => Field::Text(text),
            },
        }
    }
}

/// What gathering the values of the events takes; its memory is reused.
#[derive(Default)]
pub(super) struct CellBuffers {
    ints: Vec<i64>,
    values: Vec<(EventId, ValueId)>,
}

impl Cells {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.ints.clear();
        self.n_ints = 0;
        self.others.clear();
        if self.texts.len() > 0 {
            self.texts.clear();
        }
    }

    /// Adds the value of the next event.
    pub(super) fn push(&mut self, found: Option<Found<'_>>) {
        match &found {
            None => self.ints.push(NO_INT),
            Some(Found::Int(value)) => self.push_int(*value),
            Some(other) => other.with(|value| match value.integer().filter(|value| *value != NO_INT) {
                Some(value) => self.push_int(value),
                None => self.push_other(value),
            }),
        }
    }

    fn push_int(&mut self, value: i64) {
        self.ints.push(value);
        self.n_ints += 1;
    }

    fn push_other(&mut self, value: &Json<'_>) {
        let kind = match value {
            Json::Bool(_) => CellKind::Bool,
            Json::Integer(_) | Json::Decimal(_) => CellKind::Number,
            Json::Text(_) => CellKind::Text,
            Json::Nested(_) | Json::Null => CellKind::Nested,
        };
        let text = match value {
            Json::Text(text) => text.as_bytes(),
            other => {
                self.scratch.clear();
                self.scratch.push_str(&other.written());
                self.scratch.as_bytes()
            }
        };
        let found = self.texts.find(text, 0..text.len(), kind as i64);
        let number = found.unwrap_or_else(|| self.texts.add(text, kind as i64));
        self.others.push((self.ints.len() as u32, number));
        self.ints.push(NO_INT);
    }

    /// Gives the values to the events from `first` on, which are those of the chunk that `rows` names in rising order.
    pub(super) fn append(
        &self,
        rows: &[u32],
        first: EventId,
        id: AttributeId,
        builder: &mut TraceBuilder,
        CellBuffers { ints, values }: &mut CellBuffers,
    ) {
        let known = self.known(id, builder);
        refill(values, self.others_at(rows, first).map(|(event, number)| (event, known[number as usize])));
        if self.n_ints > 0 {
            refill(ints, rows.iter().map(|row| self.ints[*row as usize]));
        }
        match (self.n_ints > 0, values.is_empty()) {
            (false, _) => builder.scatter_values(id, values),
            (true, true) => builder.append_ints(id, first, ints),
            (true, false) => {
                let mut others = values.iter().peekable();
                let all = (first..).zip(&*ints).filter_map(|(event, value)| match *value {
                    NO_INT => {
                        let other = others.next_if(|(other, _)| *other == event)?;
                        Some((event, Field::Known(other.1)))
                    }
                    value => Some((event, Field::Int(value))),
                });
                builder.fill(id, all);
            }
        }
    }

    /// The numbers that the builder has for the values that are no integers.
    fn known(&self, id: AttributeId, builder: &mut TraceBuilder) -> Vec<ValueId> {
        let value = |number: u32| {
            let kind = CellKind::ALL[self.texts.entry(number).1 as usize];
            builder.value(id, kind.field(self.texts.text(number)))
        };
        (0..self.texts.len() as u32).map(value).collect()
    }

    /// The events whose values are no integers, with the numbers of these.
    fn others_at(&self, rows: &[u32], first: EventId) -> impl Iterator<Item = (EventId, u32)> {
        let mut rest = self.others.as_slice();
        (first..).zip(rows).filter_map(move |(event, row)| {
            while let Some(((other, _), after)) = rest.split_first()
                && other < row
            {
                rest = after;
            }
            rest.first().filter(|(other, _)| other == row).map(|(_, number)| (event, *number))
        })
    }
}
