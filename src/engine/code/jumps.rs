//! Where instructions lead within their clause.

use smallvec::SmallVec;

use super::instr::{FAIL, Instr, Pc};

impl Instr {
    /// The operand that holds the address of a jump.
    pub(crate) fn jump_operand(&mut self) -> Option<&mut Pc> {
        match self {
            Instr::Jump { to } | Instr::Try { to } => Some(to),
            Instr::Compare { otherwise, .. }
            | Instr::CompareInt { otherwise, .. }
            | Instr::Order { otherwise, .. }
            | Instr::Test { otherwise, .. } => Some(otherwise),
            _ => None,
        }
    }

    /// The address to which it may jump; failing does not count.
    pub(crate) fn jump_target(mut self) -> Option<Pc> {
        self.jump_operand().copied().filter(|&to| to != FAIL)
    }

    /// The same instruction with the address of its jump changed.
    pub(crate) fn with_target(mut self, change: impl Fn(Pc) -> Pc) -> Instr {
        if let Some(to) = self.jump_operand().filter(|to| **to != FAIL) {
            *to = change(*to);
        }
        self
    }
}

/// Which instructions are jump targets.
pub(crate) fn jump_targets(code: &[Instr]) -> SmallVec<[bool; 64]> {
    let mut is_target = SmallVec::from_elem(false, code.len() + 1);
    for to in code.iter().filter_map(|instr| instr.jump_target()) {
        is_target[to as usize] = true;
    }
    is_target
}
