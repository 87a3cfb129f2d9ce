//! Code of blocks: disjunctions and conditions, with their choice points and jumps.

use smallvec::SmallVec;

use super::body::{BlockId, BlockKind, BodyItem, ControlBlock};
use super::emit::{Emitter, VariableLocation, VariableLocations};
use super::registers::{Owner, RegisterFile};
use super::variables::ClauseVariable;
use crate::engine::code::{FAIL, Instr, Pc, Y};

/// The slots of a block, and its jumps that are still to be patched.
#[derive(Clone, Debug, Default)]
pub(super) struct CodeLabel {
    /// Slots for the height of the choice point stack before and after the block's own choice point, if a cut needs
    /// them.
    pub(super) mark: Option<Y>,
    pub(super) inner: Option<Y>,
    pub(super) to_otherwise: SmallVec<[usize; 4]>,
    pub(super) to_end: SmallVec<[usize; 4]>,
    pub(super) at_open: Option<(RegisterFile, VariableLocations)>,
}

impl Emitter<'_> {
    pub(super) fn open(&mut self, block: BlockId) {
        self.begin_shared_variables(block);
        if self.body.blocks[block].is_simple {
            self.labels[block].at_open = Some((self.registers.clone(), self.slots.clone()));
            return;
        }
        if self.body.blocks[block].kind != BlockKind::Or {
            let y = self.new_slot();
            self.labels[block].mark = Some(y);
            self.emit(Instr::Mark { y });
        }
        self.emit_try(block);
        if self.body.items.iter().any(|item| matches!(item, BodyItem::Cut(Some(cut)) if *cut == block)) {
            let y = self.new_slot();
            self.labels[block].inner = Some(y);
            self.emit(Instr::Mark { y });
        }
        self.forget_registers();
    }

    /// Pushes the choice point of a block, unless there is no alternative when the next part fails.
    pub(super) fn emit_try(&mut self, block: BlockId) {
        if self.body.blocks[block].is_once {
            return;
        }
        self.labels[block].to_otherwise.push(self.code.len());
        self.emit(Instr::Try { to: FAIL });
    }

    /// Initializes variables that first occur in one branch of the block and again outside it.
    pub(super) fn begin_shared_variables(&mut self, block: BlockId) {
        let &ControlBlock { open, otherwise, close, .. } = &self.body.blocks[block];
        let first = |number| self.variable(number).first as usize;
        let from = self.variables.in_order.partition_point(|&number| first(number) <= open);
        let numbers: SmallVec<[u32; 16]> =
            self.variables.in_order[from..].iter().copied().take_while(|&number| first(number) <= close).collect();
        for number in numbers {
            let &ClauseVariable { first, last, .. } = self.variable(number);
            let (first, last) = (first as usize - 1, last as usize - 1);
            let in_one_way = (first < otherwise && last < otherwise) || (first > otherwise && last < close);
            if !in_one_way && !self.slots[number as usize].is_seen {
                self.begin_variable(number);
            }
        }
    }

    pub(super) fn begin_variable(&mut self, number: u32) {
        self.slots[number as usize].is_seen = true;
        if self.is_permanent(number) {
            let y = self.slot(number);
            self.emit(Instr::PutVarY { y });
        } else {
            let x = self.registers.take(None, Owner::Variable(number));
            self.slots[number as usize].x = Some(x);
            self.emit(Instr::PutVarX { x });
        }
    }

    pub(super) fn then(&mut self, block: BlockId) {
        if self.body.blocks[block].is_simple {
            return;
        }
        let y = self.labels[block].mark.expect("a block with a condition has a mark");
        match self.body.blocks[block].kind {
            BlockKind::SoftIf => self.emit(Instr::SoftCut { y }),
            BlockKind::If | BlockKind::Or => self.emit(Instr::CutTo { y }),
        }
        self.forget_registers();
    }

    pub(super) fn otherwise(&mut self, index: usize, block: BlockId) {
        if !self.ends_in_call(index) {
            if self.body.is_last(index - 1) {
                self.finish();
            } else {
                self.labels[block].to_end.push(self.code.len());
                self.emit(Instr::Jump { to: FAIL });
            }
        }
        let here = self.code.len() as Pc;
        for place in std::mem::take(&mut self.labels[block].to_otherwise) {
            patch(&mut self.code[place], here);
        }
        match self.labels[block].at_open.take() {
            Some((registers, slots)) => self.restore(registers, slots),
            None => self.forget_registers(),
        }
    }

    /// Restores the knowledge from before the condition, but keeps slots allocated since.
    pub(super) fn restore(&mut self, mut registers: RegisterFile, slots: VariableLocations) {
        registers.overflowed |= self.registers.overflowed;
        self.registers = registers;
        for (now, before) in self.slots.iter_mut().zip(slots) {
            *now = VariableLocation { y: now.y.or(before.y), ..before };
        }
    }

    pub(super) fn close(&mut self, block: BlockId) {
        let here = self.code.len() as Pc;
        for place in std::mem::take(&mut self.labels[block].to_end) {
            patch(&mut self.code[place], here);
        }
        self.forget_registers();
    }
}

fn patch(instr: &mut Instr, place: Pc) {
    *instr.jump_operand().expect("only instructions with a place to go to are patched") = place;
}
