//! The variables of a goal, and what they hold in each row.

use crate::engine::Cell;
use crate::trace::{AttributeId, IndexedPart};

/// What a slot holds for each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotKind {
    /// An integer.
    Integer,
    /// A call, by its index.
    Call,
    /// An event, for the value of an attribute that its key determines.
    Event(AttributeId),
    /// An event, for the value of a part that has no column of integers.
    Part(IndexedPart),
    /// Nothing: the variable is a part of an argument, which has no column.
    Argument,
}

/// The variables of a goal that have values, in the order in which they get them; some slots have no variable.
#[derive(Debug, Default)]
pub(super) struct VariableSlots(Vec<(Option<Cell>, SlotKind)>);

impl VariableSlots {
    pub(super) fn find(&self, variable: Cell) -> Option<(usize, SlotKind)> {
        let slot = self.0.iter().position(|(known, _)| *known == Some(variable))?;
        Some((slot, self.0[slot].1))
    }

    pub(super) fn add(&mut self, variable: Option<Cell>, kind: SlotKind) -> usize {
        self.0.push((variable, kind));
        self.0.len() - 1
    }

    /// Removes the variables of the slots from `slot` on, which have values only inside the goal compiled last.
    pub(super) fn forget_from(&mut self, slot: usize) {
        self.0[slot..].iter_mut().for_each(|(variable, _)| *variable = None);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
