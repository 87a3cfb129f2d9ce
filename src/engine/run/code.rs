//! The code that the machine runs, assembled from the code area.

use std::rc::Rc;

use super::machine::Machine;
use super::op::LinkedInstruction;
use super::step::assemble;
use crate::engine::code::{AddedInstruction, Pc};

impl Machine {
    /// All code, to run it; includes what was added since it was last lent.
    pub(super) fn lend_code(&mut self) -> Rc<Vec<LinkedInstruction>> {
        if self.world.database.code.has_changed() {
            self.take_code();
        }
        Rc::clone(&self.code)
    }

    fn take_code(&mut self) {
        let ops = Rc::make_mut(&mut self.code);
        let (kept, added) = self.world.database.code.take();
        ops.truncate(kept);
        ops.reserve(added.len());
        for added in added {
            ops.push(match added {
                AddedInstruction::Instr(instr) => assemble(instr),
                AddedInstruction::Copy { from, otherwise } => ops[from as usize].leading_to(otherwise),
            });
        }
    }

    /// The instruction at an address. What is copied is code of a clause, never a copy itself.
    pub(super) fn op(&self, pc: Pc) -> Option<LinkedInstruction> {
        match self.world.database.code.added(pc) {
            Some(AddedInstruction::Instr(instr)) => Some(assemble(instr)),
            Some(AddedInstruction::Copy { from, otherwise }) => self.op(from).map(|op| op.leading_to(otherwise)),
            None => self.code.get(pc as usize).copied(),
        }
    }
}
