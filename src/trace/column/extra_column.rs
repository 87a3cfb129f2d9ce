//! Columns of attributes that are not among the fixed ones: integers as long as there are only integers, otherwise a
//! dictionary of mixed values.

use super::code_column::{CodeColumn, Ints};
use super::codes::Codes;
use super::dictionary::DictionaryBuilder;
use super::int_column::{ABSENT, IntColumn};
use super::lazy::Lazy;
use super::text_column::TextColumn;
use crate::trace::event::EventId;
use crate::trace::event::value::{Field, Value, ValueId};

/// A column of any values.
#[derive(Clone, Debug)]
pub(crate) enum ExtraColumn {
    /// Integers only.
    Ints(Ints),
    /// Code + 1 of a value, and 0 for an absent one.
    Mixed(CodeColumn, TextColumn),
    /// A lazy column of one of the other kinds, and how many rows it will have.
    Lazy(usize, Lazy<ExtraColumn>),
}

impl ExtraColumn {
    pub(crate) fn at(&self, row: usize) -> Value<'_> {
        match self {
            ExtraColumn::Ints(values) => values.at(row).map_or(Value::Absent, Value::Int),
            ExtraColumn::Mixed(codes, texts) => {
                codes.at(row).checked_sub(1).map_or(Value::Absent, |code| Value::stored(texts.at(code)))
            }
            ExtraColumn::Lazy(_, column) => column.at(row),
        }
    }

    /// The first value of each kind, as stored in a dictionary.
    pub(crate) fn samples(&self) -> Vec<Box<str>> {
        match self {
            ExtraColumn::Ints(values) => {
                let first = (0..values.len()).find_map(|row| values.at(row));
                first.map(|value| format!("i{value}").into()).into_iter().collect()
            }
            ExtraColumn::Mixed(_, texts) => {
                let mut samples: Vec<Box<str>> = Vec::new();
                for text in texts.iter() {
                    if !samples.iter().any(|known| known.as_bytes().first() == text.as_bytes().first()) {
                        samples.push(text.into());
                    }
                }
                samples
            }
            ExtraColumn::Lazy(_, column) => column.samples(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            ExtraColumn::Ints(values) => values.len(),
            ExtraColumn::Mixed(codes, _) => codes.len(),
            ExtraColumn::Lazy(n_rows, _) => *n_rows,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            ExtraColumn::Ints(values) => values.bytes(),
            ExtraColumn::Mixed(codes, texts) => codes.bytes() + texts.bytes(),
            ExtraColumn::Lazy(_, column) => column.made().map_or(0, ExtraColumn::bytes),
        }
    }
}

/// An integer of any size as one of 64 bits, if it fits.
#[inline]
fn narrow(field: Field<'_>) -> Field<'_> {
    match field {
        Field::BigInt(digits) => digits.parse().map_or(field, Field::Int),
        other => other,
    }
}

/// Builder of such a column.
pub(crate) enum ExtraBuilder {
    Ints(IntColumn),
    Mixed(Codes, DictionaryBuilder),
}

impl Default for ExtraBuilder {
    fn default() -> ExtraBuilder {
        ExtraBuilder::Ints(IntColumn::default())
    }
}

impl ExtraBuilder {
    /// Sets the value of `row`; the first of two values for one row counts.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, field: Field<'_>, scratch: &mut String) {
        match (&mut *self, narrow(field)) {
            (ExtraBuilder::Ints(column), Field::Int(value)) if value != i64::MIN => {
                if column.len() <= row {
                    column.set(row, value);
                }
            }
            (ExtraBuilder::Mixed(codes, _), Field::Known(ValueId(code))) => {
                if codes.len() <= row {
                    codes.set(row, code + 1);
                }
            }
            _ => self.set_any(row, field, scratch),
        }
    }

    /// Sets integers of the rows from `row` on, [`ABSENT`] for a row without one.
    fn append_ints(&mut self, row: usize, values: &[i64], scratch: &mut String) {
        match self {
            ExtraBuilder::Ints(column) => column.extend(row, values),
            ExtraBuilder::Mixed(..) => {
                let present = (row..).zip(values).filter(|(_, value)| **value != ABSENT);
                present.for_each(|(row, value)| self.set(row, Field::Int(*value), scratch));
            }
        }
    }

    /// Sets the rows from `row` on to what another column has in some of its rows.
    pub(crate) fn append(
        &mut self,
        row: usize,
        other: &ExtraBuilder,
        rows: impl Iterator<Item = u32> + Clone,
        scratch: &mut String,
    ) {
        match other {
            ExtraBuilder::Ints(column) => {
                let values: Vec<i64> = rows.map(|row| column.at(row as usize).unwrap_or(ABSENT)).collect();
                self.append_ints(row, &values, scratch);
            }
            ExtraBuilder::Mixed(codes, texts) => {
                let mut codes: Vec<u32> = rows.map(|row| codes.at(row as usize)).collect();
                codes.truncate(codes.iter().rposition(|code| *code > 0).map_or(0, |last| last + 1));
                if codes.is_empty() {
                    return;
                }
                let ((own, interner), mut known) = (self.mixed(scratch), vec![0; texts.len() as usize + 1]);
                for code in codes.iter_mut().filter(|code| **code > 0) {
                    let known = &mut known[*code as usize];
                    if *known == 0 {
                        *known = interner.intern(texts.at(*code - 1)) + 1;
                    }
                    *code = *known;
                }
                own.pad(row);
                own.extend(codes.iter().copied(), codes.iter().fold(0, |bits, code| bits | code));
            }
        }
    }

    #[inline]
    fn set_any(&mut self, row: usize, field: Field<'_>, scratch: &mut String) {
        if self.len() <= row {
            let ValueId(code) = self.value(field, scratch);
            self.mixed(scratch).0.set(row, code + 1);
        }
    }

    /// The number of a value; the same value always has the same number. After this call, the column no longer has only
    /// integers.
    #[inline]
    pub(crate) fn value(&mut self, field: Field<'_>, scratch: &mut String) -> ValueId {
        let (codes, interner) = self.mixed(scratch);
        if let Field::Known(known) = field {
            return known;
        }
        let field = narrow(field);
        // many events have the value of the event before
        let last = codes.len().checked_sub(1).and_then(|last| codes.at(last).checked_sub(1));
        ValueId(last.filter(|code| field.is_stored_as(interner.at(*code))).unwrap_or_else(|| {
            field.write_stored(scratch);
            interner.intern(scratch)
        }))
    }

    /// The codes and values of the column, which no longer has only integers.
    #[inline]
    fn mixed(&mut self, scratch: &mut String) -> (&mut Codes, &mut DictionaryBuilder) {
        if let ExtraBuilder::Ints(column) = self {
            *self = mixed(column, scratch);
        }
        let ExtraBuilder::Mixed(codes, interner) = self else { unreachable!("it has just been made mixed") };
        (codes, interner)
    }

    /// Adds values of earlier events to the distinct values of the column. Nothing changes if the column has no rows or
    /// only integers.
    pub(crate) fn remember(&mut self, samples: &[Box<str>], scratch: &mut String) {
        if let ExtraBuilder::Ints(column) = self
            && (column.len() == 0 || samples.iter().all(|sample| sample.starts_with('i')))
        {
            return;
        }
        let (_, interner) = self.mixed(scratch);
        samples.iter().for_each(|sample| {
            interner.intern(sample);
        });
    }

    fn len(&self) -> usize {
        match self {
            ExtraBuilder::Ints(column) => column.len(),
            ExtraBuilder::Mixed(codes, _) => codes.len(),
        }
    }

    /// Whether no row has a value.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes at least for the rows without values up to `row`.
    pub(crate) fn padding(&self, row: EventId) -> usize {
        (row as usize).saturating_sub(self.len())
    }

    pub(crate) fn finish(self, rows: usize) -> ExtraColumn {
        match self {
            ExtraBuilder::Ints(mut column) => {
                column.finish(rows);
                ExtraColumn::Ints(column.into())
            }
            ExtraBuilder::Mixed(mut codes, interner) => {
                codes.finish(rows);
                ExtraColumn::Mixed(codes.into(), interner.finish().into())
            }
        }
    }
}

#[cold]
fn mixed(column: &IntColumn, scratch: &mut String) -> ExtraBuilder {
    let (mut codes, mut interner) = (Codes::default(), DictionaryBuilder::default());
    for row in 0..column.len() {
        let code = column.at(row).map_or(0, |value| {
            Field::Int(value).write_stored(scratch);
            interner.intern(scratch) + 1
        });
        codes.push(code);
    }
    ExtraBuilder::Mixed(codes, interner)
}
