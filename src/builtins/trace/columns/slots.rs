//! The variables of a goal, and what they hold in each row.

use crate::engine::Cell;
use crate::trace::AttributeId;

/// What a slot holds for each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An integer.
    Integer,
    /// The place of a call.
    Call,
    /// An event, for its value of an attribute that its key decides on.
    Event(AttributeId),
    /// Nothing: a part of an argument, for which there are no rows.
    Argument,
}

/// The variables of a goal that have values, in the order in which they got them; some slots have no variable.
#[derive(Debug, Default)]
pub(super) struct Slots(Vec<(Option<Cell>, Kind)>);

impl Slots {
    pub(super) fn find(&self, variable: Cell) -> Option<(usize, Kind)> {
        let slot = self.0.iter().position(|(known, _)| *known == Some(variable))?;
        Some((slot, self.0[slot].1))
    }

    pub(super) fn add(&mut self, variable: Option<Cell>, kind: Kind) -> usize {
        self.0.push((variable, kind));
        self.0.len() - 1
    }

    /// The variables of the slots from one on have no values after what was compiled last.
    pub(super) fn forget_from(&mut self, slot: usize) {
        self.0[slot..].iter_mut().for_each(|(variable, _)| *variable = None);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
