//! Adding up by the values that a key takes.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::engine::{Cell, Store, World};
use crate::term::atoms;
use crate::trace::{EventId, Trace};

use super::super::values;
use super::goal::{Kind, Slots};
use super::run::Batch;

/// The groups found so far, with what they add up to.
pub(super) struct Groups {
    /// The variables of the key, with their slots.
    variables: Vec<(Cell, usize, Part)>,
    /// Number of the group + 1 of each combination of classes, if there are few.
    dense: Vec<u32>,
    sparse: HashMap<Vec<i64>, usize, RandomState>,
    /// The values in the slots of the variables for the first row of each group, and the sum.
    groups: Vec<(Vec<i64>, i128)>,
}

/// How the value of a variable tells groups apart.
enum Part {
    Integer,
    Call,
    /// By a table of classes by keys, for an event.
    Classes(Vec<u32>, crate::trace::AttributeId),
}

/// More combinations of classes than this are not kept places for.
const MAX_DENSE: usize = 1 << 16;

impl Groups {
    /// Groups by a key whose variables all have slots.
    pub(super) fn new(store: &Store, trace: &Trace, slots: &Slots, key: Cell) -> Option<Groups> {
        let part = |variable: Cell| {
            let (slot, kind) = slots.find(variable)?;
            let part = match kind {
                Kind::Integer => Part::Integer,
                Kind::Call => Part::Call,
                Kind::Argument => return None,
                Kind::Event(attribute) => Part::Classes(trace.key_classes(attribute), attribute),
            };
            Some((variable, slot, part))
        };
        let variables: Vec<_> = store.variables(key).into_iter().map(part).collect::<Option<_>>()?;
        let width = |part: &Part| match part {
            Part::Classes(classes, _) => classes.iter().max().map(|class| *class as usize + 1),
            _ => None,
        };
        let n_dense = variables.iter().try_fold(1, |n: usize, (_, _, part)| n.checked_mul(width(part)?));
        let n_dense = n_dense.filter(|n| *n <= MAX_DENSE && !variables.is_empty()).unwrap_or(0);
        Some(Groups { variables, dense: vec![0; n_dense], sparse: HashMap::default(), groups: Vec::new() })
    }

    /// Adds the values of a batch to the groups of its rows.
    pub(super) fn add(&mut self, trace: &Trace, batch: &Batch, values: &[i64]) {
        let parts: Vec<Vec<i64>> =
            self.variables.iter().map(|(_, slot, part)| part.gather(trace, batch, *slot)).collect();
        let first = |row: usize| self.variables.iter().map(|(_, slot, _)| batch.columns[*slot][row]).collect();
        if self.dense.is_empty() {
            for (row, value) in values.iter().enumerate() {
                let key: Vec<i64> = parts.iter().map(|part| part[row]).collect();
                let group = *self.sparse.entry(key).or_insert_with(|| {
                    self.groups.push((first(row), 0));
                    self.groups.len() - 1
                });
                self.groups[group].1 += i128::from(*value);
            }
            return;
        }
        let mut ids = vec![0; batch.n_rows];
        for ((_, _, part), classes) in self.variables.iter().zip(&parts) {
            let width = part.width();
            ids.iter_mut().zip(classes).for_each(|(id, class)| *id = *id * width + *class as usize);
        }
        for (row, (id, value)) in ids.iter().zip(values).enumerate() {
            if self.dense[*id] == 0 {
                self.groups.push((first(row), 0));
                self.dense[*id] = self.groups.len() as u32;
            }
            self.groups[self.dense[*id] as usize - 1].1 += i128::from(*value);
        }
    }

    /// The key of each group with its sum; none if a sum is no integer of 64 bits.
    pub(super) fn finish(self, world: &mut World, trace: &Trace, key: Cell) -> Option<Vec<(Cell, i64)>> {
        let mut pairs = Vec::with_capacity(self.groups.len());
        for (values, sum) in self.groups {
            let attempt = world.store.begin_attempt();
            for ((variable, _, part), value) in self.variables.iter().zip(values) {
                let value = part.term(&mut world.store, trace, value);
                world.store.unify(*variable, value);
            }
            let row = world.store.freeze(key);
            world.store.undo_attempt(attempt);
            pairs.push((world.store.thaw(&row), i64::try_from(sum).ok()?));
        }
        Some(pairs)
    }
}

impl Part {
    fn gather(&self, trace: &Trace, batch: &Batch, slot: usize) -> Vec<i64> {
        match self {
            Part::Integer | Part::Call => batch.columns[slot].clone(),
            Part::Classes(classes, _) => {
                let mut into = Vec::with_capacity(batch.n_rows);
                trace.gather_classes(classes, &batch.columns[slot], &mut into);
                into
            }
        }
    }

    fn width(&self) -> usize {
        match self {
            Part::Classes(classes, _) => classes.iter().max().map_or(1, |class| *class as usize + 1),
            Part::Integer | Part::Call => 1,
        }
    }

    fn term(&self, store: &mut Store, trace: &Trace, value: i64) -> Cell {
        match self {
            Part::Integer => store.int(value),
            Part::Call => {
                let mut number = Vec::new();
                trace.gather_call_numbers(&[value], &mut number);
                store.int(number[0])
            }
            Part::Classes(_, attribute) => {
                let value = values::attribute_value(store, trace, value as EventId, *attribute);
                value.unwrap_or(Cell::atom(atoms::MINUS))
            }
        }
    }
}
