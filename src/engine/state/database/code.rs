//! The code of clauses and goals: fixed addresses, and what is known about the others.

use std::rc::Rc;

use super::Database;
use crate::engine::code::{Compiled, Instr, Live, Pc, PredId, Switch, Y};
use crate::engine::heap::{Cell, Frozen, Store};
use crate::term::{Atom, Span};

use super::predicate::Definition;

/// The address of the instruction that reports an answer.
pub(crate) const ANSWERING: Pc = 0;
/// The address of the instruction that fails.
pub(crate) const FAILING: Pc = 1;
/// The return address of a call that counts its recursion level.
pub(crate) const LEVEL_CODE: Pc = 2;
/// The return address of clauses of a table, which fail before they return.
pub(crate) const TABLE_CODE: Pc = 3;
/// The code address of facts that are kept as terms only; two instructions.
pub(crate) const FACT_CODE: Pc = 4;
/// The return address of the goal of a `catch/3`.
pub(crate) const CATCH_CODE: Pc = 6;
/// Placeholder for the code of rules that are kept as terms until their first call.
pub(crate) const RULE_CODE: Pc = 7;
/// The return address of woken goals that interrupted a clause.
pub(crate) const RESUME_CODE: Pc = 8;

/// The first code, whose addresses are the constants above.
pub(super) const FIXED: [Instr; 9] = [
    Instr::Answer,
    Instr::Fail,
    Instr::DeallocateProceed,
    Instr::Fail,
    Instr::GetFact,
    Instr::NeckProceed,
    Instr::LeaveCatch,
    Instr::Fail,
    Instr::Resume,
];

/// The source goal of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pc: Pc,
    script: Option<u32>,
    span: Span,
    /// Its name and arity.
    pub(crate) goal: (Atom, usize),
}

/// Code that belongs to no clause: a goal compiled for a call, or the switch code of a predicate.
#[derive(Clone, Copy, Debug)]
pub(super) struct LooseCode {
    start: Pc,
    end: Pc,
    leads_to: Option<PredId>,
}

impl Database {
    pub(crate) fn add_switch(&mut self, switch: Switch) -> u32 {
        self.switches.push(switch);
        self.switches.len() as u32 - 1
    }

    /// Where a call continues, given its dereferenced argument.
    #[inline]
    pub(crate) fn switch_target(&self, table: u32, store: &Store, cell: Cell) -> Pc {
        self.switches[table as usize].target(store, cell)
    }

    pub(crate) fn switch_table(&self, table: u32) -> &Switch {
        &self.switches[table as usize]
    }

    /// Appends the code of a clause and returns its address.
    pub(crate) fn add_code(&mut self, compiled: &Compiled, script: Option<u32>) -> Pc {
        self.describe_code(compiled, script);
        let start = self.code.len() as Pc;
        self.code.add(compiled.code.iter().map(|&instr| instr.with_target(|to| to + start)))
    }

    /// Appends permanent code that belongs to no clause.
    pub(crate) fn add_goal_code(&mut self, compiled: &Compiled) -> Pc {
        let start = self.add_code(compiled, None);
        self.loose_code.push(LooseCode { start, end: self.code.len() as Pc, leads_to: None });
        start
    }

    /// Appends code that [`Database::forget_temporary_code`] may drop.
    pub(crate) fn add_temporary_code(&mut self, compiled: &Compiled, script: Option<u32>) -> Pc {
        self.describe_code(compiled, script);
        let start = self.code.len() as Pc;
        self.code.add_temporary(compiled.code.iter().map(|&instr| instr.with_target(|to| to + start)));
        self.loose_code.push(LooseCode { start, end: self.code.len() as Pc, leads_to: None });
        start
    }

    /// Records positions and liveness of code that is about to be added.
    fn describe_code(&mut self, compiled: &Compiled, script: Option<u32>) {
        let start = self.code.len() as Pc;
        self.live.extend(compiled.live.iter().map(|(pc, live)| (start + pc, Rc::clone(live))));
        self.positions.extend(compiled.places.iter().map(|place| Position {
            pc: start + place.pc,
            script,
            span: place.span,
            goal: place.goal,
        }));
    }

    /// The slots that are live after the call that returns to `pc`, if one does.
    pub(crate) fn live_slots(&self, pc: Pc) -> Option<&[Y]> {
        let found = self.live.binary_search_by_key(&pc, |place| place.0).ok()?;
        Some(&self.live[found].1.terms)
    }

    /// Gives the instruction that is about to be added at `to` the source goal of the one at `from`.
    pub(crate) fn copy_position(&mut self, from: Pc, to: Pc) {
        if let Some(&position) = self.position(from) {
            self.positions.push(Position { pc: to, ..position });
        }
    }

    /// Drops the temporary code beyond the first `length` instructions.
    #[inline]
    pub(crate) fn forget_temporary_code(&mut self, length: usize) {
        if let Some(length) = self.code.forget_temporary(length.max(self.held)) {
            self.live.truncate(self.live.partition_point(|(pc, _)| (*pc as usize) <= length));
            self.positions.truncate(self.positions.partition_point(|position| (position.pc as usize) < length));
            self.loose_code.truncate(self.loose_code.partition_point(|code| (code.start as usize) < length));
        }
    }

    /// The liveness at the return address `pc`; temporary code is kept until [`Database::release_temporary_code`].
    pub(crate) fn hold_place(&mut self, pc: Pc) -> Option<Rc<Live>> {
        let found = self.live.binary_search_by_key(&pc, |place| place.0).ok()?;
        if self.code.is_temporary(pc) {
            self.held = self.code.len();
        }
        Some(Rc::clone(&self.live[found].1))
    }

    /// Releases the temporary code that was held.
    pub(crate) fn release_temporary_code(&mut self) {
        self.held = 0;
    }

    /// The source goal of the instruction at `pc`.
    pub(crate) fn position(&self, pc: Pc) -> Option<&Position> {
        let found = self.positions.binary_search_by_key(&pc, |position| position.pc).ok()?;
        Some(&self.positions[found])
    }

    /// The script and source span of the goal of the instruction at `pc`.
    pub(crate) fn place(&self, pc: Pc) -> Option<(u32, Span)> {
        let position = self.position(pc)?;
        Some((position.script?, position.span))
    }

    /// Records that the code at `start` leads to clauses of the predicate.
    pub(crate) fn note_switch(&mut self, start: Pc, id: PredId) {
        self.loose_code.push(LooseCode { start, end: self.code.len() as Pc, leads_to: Some(id) });
    }

    /// For each instruction, the start of its clause and the predicate; `None` for an instruction of a goal that was
    /// compiled for a call. Scans all clauses.
    pub(crate) fn clause_starts(&self, pcs: &[Pc]) -> Vec<Option<(Pc, PredId)>> {
        let mut starts = vec![None; pcs.len()];
        for (id, pred) in self.preds() {
            let Definition::Clauses(list) = &pred.definition else { continue };
            for code in list.codes() {
                for (pc, start) in pcs.iter().zip(&mut starts) {
                    let is_nearer = start.is_none_or(|(known, _)| code > known);
                    if code <= *pc && is_nearer {
                        *start = Some((code, id));
                    }
                }
            }
        }
        for (pc, start) in pcs.iter().zip(&mut starts) {
            let before = self.loose_code.partition_point(|code| code.start <= *pc).checked_sub(1);
            if let Some(code) = before.map(|at| self.loose_code[at]).filter(|code| *pc < code.end) {
                *start = code.leads_to.map(|pred| (code.start, pred));
            }
        }
        starts
    }

    pub(crate) fn add_frozen(&mut self, frozen: Frozen) -> u32 {
        self.frozen.push(Rc::new(frozen));
        self.frozen.len() as u32 - 1
    }
}
