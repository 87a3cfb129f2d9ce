//! The addresses of all code, and the instructions that the machine has not taken yet.

use super::instr::{Instr, Pc};
use crate::engine::heap::Cell;

/// Bytes of an instruction as the machine keeps it.
pub(crate) const BYTES_PER_INSTRUCTION: usize = 24;

/// All code. The machine takes what was added before it runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct CodeArea {
    /// Number of instructions that the machine has.
    taken: usize,
    added: Vec<AddedInstruction>,
    /// Temporary code from this address on is unused.
    unneeded_from: Option<usize>,
    /// Code below this address belongs to clauses, code above it to goals compiled for a call.
    lasting: usize,
}

/// An instruction that the machine has not taken yet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AddedInstruction {
    /// This one.
    Instr(Instr),
    /// A copy of the one at an address before it; if that is a test, it leads to `otherwise` where it does not hold.
    Copy { from: Pc, otherwise: Pc },
}

impl CodeArea {
    /// Number of instructions.
    pub(crate) fn len(&self) -> usize {
        self.taken + self.added.len()
    }

    /// Bytes that the instructions occupy.
    pub(crate) fn bytes(&self) -> usize {
        self.len() * BYTES_PER_INSTRUCTION
    }

    /// The instruction at an address that the machine has not taken yet.
    pub(crate) fn added(&self, pc: Pc) -> Option<AddedInstruction> {
        self.added.get((pc as usize).checked_sub(self.taken)?).copied()
    }

    /// Whether the code at an address may be dropped.
    pub(crate) fn is_temporary(&self, pc: Pc) -> bool {
        pc as usize >= self.lasting
    }

    /// Adds permanent instructions.
    pub(crate) fn add(&mut self, instrs: impl IntoIterator<Item = Instr>) -> Pc {
        let start = self.add_temporary(instrs);
        self.lasting = self.len();
        start
    }

    /// Adds copies of the `n` instructions from an address on, whose tests lead to `otherwise`.
    pub(crate) fn add_copies(&mut self, from: Pc, n: Pc, otherwise: Pc) -> Pc {
        let start = self.len() as Pc;
        self.added.extend((from..from + n).map(|from| AddedInstruction::Copy { from, otherwise }));
        self.lasting = self.len();
        start
    }

    /// Adds instructions that [`CodeArea::forget_temporary`] may drop.
    pub(crate) fn add_temporary(&mut self, instrs: impl IntoIterator<Item = Instr>) -> Pc {
        let start = self.len() as Pc;
        self.added.extend(instrs.into_iter().map(AddedInstruction::Instr));
        start
    }

    /// Replaces the constant of the instruction at `pc`, which must have been added since the machine last took code.
    pub(crate) fn set_constant(&mut self, pc: Pc, value: Cell) {
        let added = (pc as usize).checked_sub(self.taken);
        if let Some(AddedInstruction::Instr(instr)) = added.and_then(|index| self.added.get_mut(index)) {
            instr.set_constant(value);
        }
    }

    /// Whether code was added or dropped since the machine last took code.
    pub(crate) fn has_changed(&self) -> bool {
        self.unneeded_from.is_some() || !self.added.is_empty()
    }

    /// How many of the instructions that it has the machine keeps, and those that follow them.
    pub(crate) fn take(&mut self) -> (usize, impl ExactSizeIterator<Item = AddedInstruction>) {
        let kept = self.unneeded_from.take().filter(|_| self.added.is_empty()).unwrap_or(self.taken);
        self.taken = kept + self.added.len();
        (kept, self.added.drain(..))
    }

    /// Drops temporary code beyond the first `length` instructions; returns the new length.
    pub(crate) fn forget_temporary(&mut self, length: usize) -> Option<usize> {
        let length = length.max(self.lasting);
        if length >= self.len() || self.unneeded_from.is_some_and(|known| known <= length) {
            return None;
        }
        match length.checked_sub(self.taken) {
            Some(kept) => self.added.truncate(kept),
            None => {
                self.added.clear();
                self.unneeded_from = Some(length);
            }
        }
        Some(length)
    }
}
