//! Sums by the values of a key.

use std::borrow::Cow;

use crate::builtins::trace::values::attributes;
use crate::engine::{Cell, Store};
use crate::term::atoms;
use crate::term::hash::HashMap;
use crate::trace::{EventId, Trace};

use super::counts::instance;
use super::rows::Batch;
use super::slots::{SlotKind, VariableSlots};

/// The groups found so far, with their sums.
#[derive(Clone)]
pub(super) struct Groups {
    /// The variables of the key, with their slots.
    variables: Vec<(Cell, usize, Grouping)>,
    /// For each combination of classes the number of its group + 1, if there are few combinations.
    dense: Vec<u32>,
    sparse: HashMap<Vec<i64>, usize>,
    /// The values in the slots of the variables for the first row of each group, and the sum.
    groups: Vec<(Vec<i64>, i128)>,
}

/// How the value of a variable distinguishes groups.
#[derive(Clone)]
enum Grouping {
    Integer,
    Call,
    /// An event: by the class of its key.
    Classes(Vec<u32>, crate::trace::AttributeId),
}

/// The most combinations of classes for a dense table.
const MAX_DENSE: usize = 1 << 16;

impl Groups {
    /// Groups by a key whose variables all have slots.
    pub(super) fn new(store: &Store, trace: &Trace, slots: &VariableSlots, key: Cell) -> Option<Groups> {
        let part = |variable: Cell| {
            let (slot, kind) = slots.find(variable)?;
            let part = match kind {
                SlotKind::Integer => Grouping::Integer,
                SlotKind::Call => Grouping::Call,
                SlotKind::Part(_) | SlotKind::Argument => return None,
                SlotKind::Event(attribute) => Grouping::Classes(trace.key_classes(attribute), attribute),
            };
            Some((variable, slot, part))
        };
        let variables: Vec<_> = store.variables(key).into_iter().map(part).collect::<Option<_>>()?;
        let width = |part: &Grouping| match part {
            Grouping::Classes(classes, _) => classes.iter().max().map(|class| *class as usize + 1),
            _ => None,
        };
        let n_dense = variables.iter().try_fold(1, |n: usize, (_, _, part)| n.checked_mul(width(part)?));
        let n_dense = n_dense.filter(|n| *n <= MAX_DENSE && !variables.is_empty()).unwrap_or(0);
        Some(Groups { variables, dense: vec![0; n_dense], sparse: HashMap::default(), groups: Vec::new() })
    }

    /// Adds the values of a batch to the groups of its rows.
    pub(super) fn add(&mut self, trace: &Trace, batch: &Batch, values: &[i64]) {
        let columns: Vec<&[i64]> = self.variables.iter().map(|(_, slot, _)| batch.columns[*slot].as_slice()).collect();
        self.add_rows(trace, &columns, values.iter().copied().map(i128::from));
    }

    /// Adds the groups of other rows.
    pub(super) fn absorb(&mut self, trace: &Trace, other: Groups) {
        let column = |index: usize| other.groups.iter().map(|(values, _)| values[index]).collect();
        let columns: Vec<Vec<i64>> = (0..self.variables.len()).map(column).collect();
        let columns: Vec<&[i64]> = columns.iter().map(Vec::as_slice).collect();
        self.add_rows(trace, &columns, other.groups.iter().map(|(_, sum)| *sum));
    }

    /// Adds values to the groups of rows; `columns` holds the value of each variable for each row.
    fn add_rows(&mut self, trace: &Trace, columns: &[&[i64]], values: impl Iterator<Item = i128>) {
        let parts: Vec<Cow<'_, [i64]>> =
            self.variables.iter().zip(columns).map(|((_, _, part), column)| part.gather(trace, column)).collect();
        let first = |row: usize| columns.iter().map(|column| column[row]).collect();
        if self.dense.is_empty() {
            for (row, value) in values.enumerate() {
                let key: Vec<i64> = parts.iter().map(|part| part[row]).collect();
                let group = *self.sparse.entry(key).or_insert_with(|| {
                    self.groups.push((first(row), 0));
                    self.groups.len() - 1
                });
                self.groups[group].1 += value;
            }
            return;
        }
        let mut ids = vec![0; columns.first().map_or(0, |column| column.len())];
        for ((_, _, part), classes) in self.variables.iter().zip(&parts) {
            let width = part.width();
            ids.iter_mut().zip(classes.iter()).for_each(|(id, class)| *id = *id * width + *class as usize);
        }
        for (row, (id, value)) in ids.iter().zip(values).enumerate() {
            if self.dense[*id] == 0 {
                self.groups.push((first(row), 0));
                self.dense[*id] = self.groups.len() as u32;
            }
            self.groups[self.dense[*id] as usize - 1].1 += value;
        }
    }

    /// The key of each group with its sum.
    pub(super) fn finish(self, store: &mut Store, trace: &Trace, key: Cell) -> Vec<(Cell, i128)> {
        let sums = self.groups.into_iter().map(|(values, sum)| {
            let parts = self.variables.iter().zip(values);
            let bindings = parts.map(|((variable, _, part), value)| (*variable, part.term(store, trace, value)));
            let bindings: Vec<(Cell, Cell)> = bindings.collect();
            (instance(store, key, bindings.into_iter()), sum)
        });
        sums.collect()
    }
}

impl Grouping {
    /// For each value the number that distinguishes its group.
    fn gather<'v>(&self, trace: &Trace, values: &'v [i64]) -> Cow<'v, [i64]> {
        match self {
            Grouping::Integer | Grouping::Call => Cow::Borrowed(values),
            Grouping::Classes(classes, _) => {
                let mut into = Vec::with_capacity(values.len());
                trace.gather_classes(classes, values, &mut into);
                Cow::Owned(into)
            }
        }
    }

    fn width(&self) -> usize {
        match self {
            Grouping::Classes(classes, _) => classes.iter().max().map_or(1, |class| *class as usize + 1),
            Grouping::Integer | Grouping::Call => 1,
        }
    }

    fn term(&self, store: &mut Store, trace: &Trace, value: i64) -> Cell {
        match self {
            Grouping::Integer => store.int(value),
            Grouping::Call => {
                let mut number = Vec::new();
                trace.gather_call_numbers(&[value], &mut number);
                store.int(number[0])
            }
            Grouping::Classes(_, attribute) => {
                let value = attributes::attribute_value(store, trace, value as EventId, *attribute);
                value.unwrap_or(Cell::atom(atoms::MINUS))
            }
        }
    }
}
