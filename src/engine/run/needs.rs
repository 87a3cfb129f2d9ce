//! Liveness in the middle of a clause: the registers and slots that it reads before it writes them.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::machine::Machine;
use super::op::{InstructionKind, LinkedInstruction, Role};
use crate::engine::code::{FAIL, Pc, SlotSet, X, Y};
use crate::term::hash::NumberMap;

/// What is live at an address.
#[derive(Debug, Default)]
pub(super) struct Needs {
    pub(super) registers: Vec<X>,
    /// The slots that hold terms, if the current environment belongs to the clause.
    pub(super) slots: Option<Vec<Y>>,
    /// Whether some slots are unknown.
    pub(super) is_unknown: bool,
}

/// What is live at one instruction and at its successors.
#[derive(Clone, Debug, Default)]
struct Liveness {
    registers: SlotSet,
    slots: SlotSet,
    is_unknown: bool,
}

impl Machine {
    /// What is live in the code of a clause at `pc`.
    pub(super) fn needs_at(&mut self, pc: Pc) -> Rc<Needs> {
        if let Some(known) = self.needs.get(&pc) {
            return Rc::clone(known);
        }
        let needs = Rc::new(self.find_needs(pc));
        if !self.world.database.code.is_temporary(pc) {
            self.needs.insert(pc, Rc::clone(&needs));
        }
        needs
    }

    /// Finds what is live at `pc`. Jumps within a clause only go forwards, so each instruction is analysed after its
    /// successors.
    fn find_needs(&self, pc: Pc) -> Needs {
        let region = self.region(pc);
        let mut states: NumberMap<Pc, Liveness> = NumberMap::default();
        for &at in region.iter().rev() {
            let Some(op) = self.op(at) else { continue };
            let mut state = Liveness::default();
            for next in successors(&op, at).into_iter().flatten().filter_map(|next| states.get(&next)) {
                state.registers.add_all(&next.registers);
                state.slots.add_all(&next.slots);
                state.is_unknown |= next.is_unknown;
            }
            self.step_back(&op, at, &mut state);
            states.insert(at, state);
        }
        let Liveness { registers, slots, is_unknown } = states.remove(&pc).unwrap_or_default();
        let is_own = self.has_own_environment(&region);
        Needs {
            registers: registers.iter().map(|x| x as X).collect(),
            slots: is_own.then(|| slots.iter().collect()),
            is_unknown: is_own && is_unknown,
        }
    }

    /// The instructions that are reachable before a call or the end of the clause.
    fn region(&self, pc: Pc) -> BTreeSet<Pc> {
        let mut region = BTreeSet::new();
        let mut rest = vec![pc];
        while let Some(at) = rest.pop() {
            if region.insert(at)
                && let Some(op) = self.op(at)
            {
                rest.extend(successors(&op, at).into_iter().flatten());
            }
        }
        region
    }

    /// Whether the environment of the clause is allocated at the start of the region.
    fn has_own_environment(&self, region: &BTreeSet<Pc>) -> bool {
        let mut ops = region.iter().filter_map(|&at| self.op(at));
        let opens = ops.clone().any(|op| op.kind == InstructionKind::Open);
        !opens && ops.any(|op| uses_environment(&op))
    }

    /// What is live before an instruction, given what is live after it.
    fn step_back(&self, op: &LinkedInstruction, at: Pc, state: &mut Liveness) {
        let Liveness { registers, slots, .. } = state;
        match op.kind {
            InstructionKind::Call | InstructionKind::PairCall => self.step_back_over_call(op, at, state),
            InstructionKind::Builtin => {
                (0..self.world.database.pred(op.n).arity).for_each(|x| registers.insert(x as u16))
            }
            InstructionKind::Test | InstructionKind::GetTwo => {
                [op.a, op.b].iter().for_each(|&x| registers.insert(x.into()))
            }
            InstructionKind::TakePair => {
                [op.b, op.c].iter().for_each(|&x| registers.remove(x.into()));
                registers.insert(op.a.into());
            }
            InstructionKind::Value => {
                registers.remove(op.c.into());
                [op.a, op.b].iter().for_each(|&x| registers.insert(x.into()));
            }
            InstructionKind::Move => {
                registers.remove(op.b.into());
                registers.insert(op.a.into());
            }
            InstructionKind::Get => registers.insert(op.a.into()),
            InstructionKind::Put => registers.remove(op.a.into()),
            InstructionKind::StoreSlot => {
                slots.remove(op.low());
                registers.insert(op.a.into());
            }
            InstructionKind::LoadSlot => {
                registers.remove(op.a.into());
                slots.insert(op.low());
            }
            InstructionKind::WriteSlot => slots.remove(op.low()),
            InstructionKind::Part => step_back_over_parts(&op.parts()[..1], state),
            InstructionKind::Parts => step_back_over_parts(&op.parts(), state),
            InstructionKind::GetParts => {
                step_back_over_parts(&op.parts(), state);
                state.registers.insert(op.a.into());
            }
            InstructionKind::PutParts => {
                registers.remove(op.a.into());
                step_back_over_parts(&op.parts(), state);
            }
            // The slots of an environment that is not allocated yet do not concern the current one.
            InstructionKind::Open => *slots = SlotSet::default(),
            InstructionKind::Jump
            | InstructionKind::StackCheck
            | InstructionKind::Try
            | InstructionKind::Entry
            | InstructionKind::Native
            | InstructionKind::NeckCut
            | InstructionKind::Neck
            | InstructionKind::ReadSlot
            | InstructionKind::Voids
            | InstructionKind::Close
            | InstructionKind::CloseReturn
            | InstructionKind::Return
            | InstructionKind::Fail => {}
        }
    }

    fn step_back_over_call(&self, op: &LinkedInstruction, at: Pc, state: &mut Liveness) {
        (0..self.world.database.pred(op.n).arity).for_each(|x| state.registers.insert(x as u16));
        if op.kind == InstructionKind::PairCall {
            step_back_over_parts(&op.pair_before_call(), state);
            state.registers.insert(op.a.into());
        }
        if !op.is_last_call() {
            match self.world.database.live_slots(at + 1) {
                Some(live) => live.iter().for_each(|&y| state.slots.insert(y)),
                None => state.is_unknown = true,
            }
        }
    }
}

fn step_back_over_parts(parts: &[(Role, u16)], state: &mut Liveness) {
    for &(role, place) in parts {
        match role {
            Role::WritesX => state.registers.remove(place),
            Role::WritesY => state.slots.remove(place),
            _ => {}
        }
    }
    for &(role, place) in parts {
        match role {
            Role::ReadsX => state.registers.insert(place),
            Role::ReadsY => state.slots.insert(place),
            _ => {}
        }
    }
}

/// The successors of an instruction within its clause, up to the next call.
fn successors(op: &LinkedInstruction, at: Pc) -> [Option<Pc>; 2] {
    match op.kind {
        InstructionKind::Test => [Some(at + 1), (op.n != FAIL).then_some(op.n)],
        InstructionKind::Try => [Some(at + 1), Some(op.n)],
        InstructionKind::Jump => [Some(op.n), None],
        InstructionKind::Call
        | InstructionKind::PairCall
        | InstructionKind::Entry
        | InstructionKind::Native
        | InstructionKind::CloseReturn
        | InstructionKind::Return
        | InstructionKind::Fail => [None, None],
        _ => [Some(at + 1), None],
    }
}

/// Whether an instruction implies that its clause has an environment.
fn uses_environment(op: &LinkedInstruction) -> bool {
    let touches_slot = |parts: &[(Role, u16)]| parts.iter().any(|part| matches!(part.0, Role::ReadsY | Role::WritesY));
    match op.kind {
        InstructionKind::Call => !op.is_last_call() || op.leaves(),
        InstructionKind::StoreSlot
        | InstructionKind::LoadSlot
        | InstructionKind::WriteSlot
        | InstructionKind::ReadSlot
        | InstructionKind::Close
        | InstructionKind::CloseReturn => true,
        InstructionKind::Part => touches_slot(&op.parts()[..1]),
        InstructionKind::Parts | InstructionKind::GetParts | InstructionKind::PutParts => touches_slot(&op.parts()),
        _ => false,
    }
}
