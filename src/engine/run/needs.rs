//! Liveness in the middle of a clause: the registers and slots that it reads before it writes them.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::machine::Machine;
use super::op::{Kind, Op, Role};
use crate::engine::code::{FAIL, Pc, Slots, X, Y};
use crate::term::hash::NumberMap;

/// What is live at an address.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// The registers.
    pub(super) registers: Vec<X>,
    /// The slots that hold terms, if the current environment belongs to the clause.
    pub(super) slots: Option<Vec<Y>>,
    /// Whether some slots are unknown.
    pub(super) is_unknown: bool,
}

/// What is live at one instruction and at its successors.
#[derive(Clone, Debug, Default)]
struct State {
    registers: Slots,
    slots: Slots,
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

    /// Jumps within a clause only go forwards, so each instruction is analysed after its successors.
    fn find_needs(&self, pc: Pc) -> Needs {
        let region = self.region(pc);
        let mut states: NumberMap<Pc, State> = NumberMap::default();
        for &at in region.iter().rev() {
            let Some(op) = self.op(at) else { continue };
            let mut state = State::default();
            for next in successors(&op, at).into_iter().flatten().filter_map(|next| states.get(&next)) {
                state.registers.add_all(&next.registers);
                state.slots.add_all(&next.slots);
                state.is_unknown |= next.is_unknown;
            }
            self.step_back(&op, at, &mut state);
            states.insert(at, state);
        }
        let State { registers, slots, is_unknown } = states.remove(&pc).unwrap_or_default();
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
        let opens = ops.clone().any(|op| op.kind == Kind::Open);
        !opens && ops.any(|op| uses_environment(&op))
    }

    /// What is live before an instruction, given what is live after it.
    fn step_back(&self, op: &Op, at: Pc, state: &mut State) {
        let State { registers, slots, .. } = state;
        match op.kind {
            Kind::Call | Kind::PairCall => self.step_back_over_call(op, at, state),
            Kind::Builtin => (0..self.world.database.pred(op.n).arity).for_each(|x| registers.insert(x as u16)),
            Kind::Test | Kind::GetTwo => [op.a, op.b].iter().for_each(|&x| registers.insert(x.into())),
            Kind::TakePair => {
                [op.b, op.c].iter().for_each(|&x| registers.remove(x.into()));
                registers.insert(op.a.into());
            }
            Kind::Value => {
                registers.remove(op.c.into());
                [op.a, op.b].iter().for_each(|&x| registers.insert(x.into()));
            }
            Kind::Move => {
                registers.remove(op.b.into());
                registers.insert(op.a.into());
            }
            Kind::Get => registers.insert(op.a.into()),
            Kind::Put => registers.remove(op.a.into()),
            Kind::StoreSlot => {
                slots.remove(op.low());
                registers.insert(op.a.into());
            }
            Kind::LoadSlot => {
                registers.remove(op.a.into());
                slots.insert(op.low());
            }
            Kind::WriteSlot => slots.remove(op.low()),
            Kind::Part => step_back_over_parts(&op.parts()[..1], state),
            Kind::Parts => step_back_over_parts(&op.parts(), state),
            Kind::GetParts => {
                step_back_over_parts(&op.parts(), state);
                state.registers.insert(op.a.into());
            }
            Kind::PutParts => {
                registers.remove(op.a.into());
                step_back_over_parts(&op.parts(), state);
            }
            // The slots of an environment that is not allocated yet do not concern the current one.
            Kind::Open => *slots = Slots::default(),
            Kind::Jump
            | Kind::Try
            | Kind::Entry
            | Kind::Native
            | Kind::NeckCut
            | Kind::Neck
            | Kind::ReadSlot
            | Kind::Voids
            | Kind::Close
            | Kind::CloseReturn
            | Kind::Return
            | Kind::Fail => {}
        }
    }

    fn step_back_over_call(&self, op: &Op, at: Pc, state: &mut State) {
        (0..self.world.database.pred(op.n).arity).for_each(|x| state.registers.insert(x as u16));
        if op.kind == Kind::PairCall {
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

fn step_back_over_parts(parts: &[(Role, u16)], state: &mut State) {
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
fn successors(op: &Op, at: Pc) -> [Option<Pc>; 2] {
    match op.kind {
        Kind::Test => [Some(at + 1), (op.n != FAIL).then_some(op.n)],
        Kind::Try => [Some(at + 1), Some(op.n)],
        Kind::Jump => [Some(op.n), None],
        Kind::Call | Kind::PairCall | Kind::Entry | Kind::Native | Kind::CloseReturn | Kind::Return | Kind::Fail => {
            [None, None]
        }
        _ => [Some(at + 1), None],
    }
}

/// Whether an instruction implies that its clause has an environment.
fn uses_environment(op: &Op) -> bool {
    let touches_slot = |parts: &[(Role, u16)]| parts.iter().any(|part| matches!(part.0, Role::ReadsY | Role::WritesY));
    match op.kind {
        Kind::Call => !op.is_last_call() || op.leaves(),
        Kind::StoreSlot | Kind::LoadSlot | Kind::WriteSlot | Kind::ReadSlot | Kind::Close | Kind::CloseReturn => true,
        Kind::Part => touches_slot(&op.parts()[..1]),
        Kind::Parts | Kind::GetParts | Kind::PutParts => touches_slot(&op.parts()),
        _ => false,
    }
}
