//! The code that the machine runs: what the code area has added, assembled.

use std::rc::Rc;

use super::machine::Machine;
use super::op::Op;
use super::step::assemble;
use crate::engine::code::{Added, Pc};

impl Machine {
    /// All code, to run it; includes what was added since it was last lent.
    pub(super) fn lend_code(&mut self) -> Rc<Vec<Op>> {
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
                Added::Instr(instr) => assemble(instr),
                Added::Copy { from, otherwise } => ops[from as usize].leading_to(otherwise),
            });
        }
    }

    /// The instruction at an address. What is copied is code of a clause, never a copy itself.
    pub(super) fn op(&self, pc: Pc) -> Option<Op> {
        match self.world.database.code.added(pc) {
            Some(Added::Instr(instr)) => Some(assemble(instr)),
            Some(Added::Copy { from, otherwise }) => self.op(from).map(|op| op.leading_to(otherwise)),
            None => self.code.get(pc as usize).copied(),
        }
    }
}
