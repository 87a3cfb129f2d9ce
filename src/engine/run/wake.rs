//! Wakeup of goals: while there are attributed variables, the machine single-steps and checks after each instruction
//! whether one was bound. If so, the current clause is interrupted: the library's `'$wake'/1` runs the woken goals, and
//! then the clause resumes.
//!
//! An interruption has an environment of its own, which saves the live registers of the clause.

use super::calls::Entered;
use super::machine::{HEADER, Machine};
use super::op::{Exit, InstructionKind, LinkedInstruction, WRITE};
use crate::engine::code::{FAIL, Pc, PredId, X};
use crate::engine::heap::Cell;
use crate::engine::state::{ANSWERING, Namespace, RESUME_CODE};
use crate::term::Atom;

/// What an interruption saves before the registers: the address at which the clause resumes, the cut barrier, and what
/// is interrupted.
const KEPT: usize = 3;

/// What is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interrupted {
    /// A call about to enter a predicate.
    Call,
    /// A clause midway.
    Clause,
}

/// What garbage collection has to know about an interruption.
pub(super) struct Interruption {
    /// The indexes of environment cells that hold terms: its own, and those of the clause.
    pub(super) slots: Vec<usize>,
    /// The next environment to scan, and where its clause resumes.
    pub(super) caller: (usize, Pc),
}

impl Machine {
    /// `'$put_attributes'(Variable, Attributes)`.
    pub(super) fn put_attributes(&mut self) -> Entered {
        let (variable, attributes) = (self.x[0], self.x[1]);
        let store = &mut self.world.store;
        store.set_attributes(variable, attributes);
        Entered::FromLoop(self.continuation)
    }

    /// Single-steps as long as there are attributed variables.
    pub(super) fn run_single_steps(&mut self, place: (Pc, usize)) -> Exit {
        let code = self.lend_code();
        self.left_at = place;
        while let Some(op) = code.get(self.left_at.0 as usize) {
            let exit = self.single_step(op, self.left_at);
            if exit != Exit::Continue || !self.world.store.has_attributed() {
                return exit;
            }
        }
        Exit::Continue
    }

    /// Runs an instruction, or interrupts the clause before it. Immediately after a call an interruption is always
    /// possible.
    fn single_step(&mut self, op: &LinkedInstruction, (pc, argument): (Pc, usize)) -> Exit {
        if pc == self.continuation || may_be_interrupted(op.kind) {
            if let Some(goals) = self.woken_goals() {
                return self.interrupt(goals, pc);
            }
            if pc == ANSWERING && self.running.residual_goals.is_none() {
                return self.find_residual_goals();
            }
            if let Some(exit) = self.instead_of(op, pc) {
                return exit;
            }
        }
        let exit = (op.run)(self, &[], pc as usize, op, argument);
        self.world.store.drop_undone_attributed();
        let next = self.left_at.0;
        if exit != Exit::Continue || !self.world.store.has_unchecked_bindings() {
            return exit;
        }
        let has_called = op.is_call() && next == self.world.database.entry(op.n);
        let has_returned = op.kind == InstructionKind::Builtin && next == pc + 1;
        match (has_called || has_returned).then(|| self.woken_goals()).flatten() {
            Some(goals) if has_called => self.interrupt_call(goals, op.n, next),
            Some(goals) => self.interrupt(goals, next),
            None => exit,
        }
    }

    /// The goals woken by bindings since the last check, as the argument of `'$wake'/1`.
    fn woken_goals(&mut self) -> Option<Cell> {
        let store = &mut self.world.store;
        if !store.has_unchecked_bindings() {
            return None;
        }
        let bound = store.take_bound();
        let items: Vec<Cell> = bound.into_iter().map(|bound| bound.term(store)).collect();
        (!items.is_empty()).then(|| store.list(&items))
    }

    fn interrupt_call(&mut self, goals: Cell, pred: PredId, pc: Pc) -> Exit {
        let arity = self.world.database.pred(pred).arity;
        self.begin_interruption(goals, pc, Interrupted::Call, &(0..arity as X).collect::<Vec<X>>())
    }

    fn interrupt(&mut self, goals: Cell, pc: Pc) -> Exit {
        let needs = self.needs_at(pc);
        self.begin_interruption(goals, pc, Interrupted::Clause, &needs.registers)
    }

    /// Runs `goals` before the code at `pc`, which needs these registers.
    fn begin_interruption(&mut self, goals: Cell, pc: Pc, interrupted: Interrupted, registers: &[X]) -> Exit {
        if self.shallow != FAIL {
            self.push_shallow();
        }
        self.allocate(KEPT + 2 * registers.len());
        let small = |value: usize| Cell::small_int(value as i64);
        let kept = [small(pc as usize), small(self.cut_barrier), small(interrupted as usize)];
        let registers = registers.iter().flat_map(|&x| [small(x.into()), self.x[x as usize]]);
        let cells: Vec<Cell> = kept.into_iter().chain(registers).collect();
        let first = self.environment + HEADER;
        self.environments[first..first + cells.len()].copy_from_slice(&cells);
        self.x[0] = goals;
        self.continuation = RESUME_CODE;
        let pred = self.world.database.pred_id(Namespace::Library, Atom::new("$wake"), 1);
        self.left_at = (self.begin_call(pred), WRITE);
        Exit::Continue
    }

    /// Restores what the interrupted clause needs; returns where it resumes.
    pub(super) fn end_interruption(&mut self) -> Pc {
        let cells = self.interruption_cells(self.environment).to_vec();
        self.leave_environment();
        let Some((&[pc, cut_barrier, _], registers)) = cells.split_first_chunk::<KEPT>() else { return FAIL };
        for pair in registers.as_chunks::<2>().0 {
            self.x[pair[0].int_value() as usize] = pair[1];
        }
        self.cut_barrier = cut_barrier.int_value() as usize;
        pc.int_value() as Pc
    }

    fn interruption_cells(&self, frame: usize) -> &[Cell] {
        let size = self.environments.get(frame + 2).map_or(0, |size| size.0 as usize);
        self.environments.get(frame + HEADER..frame + HEADER + size).unwrap_or_default()
    }

    /// What is live in the interruption at `frame`; `None` if unknown.
    pub(super) fn interrupted(&mut self, frame: usize) -> Option<Interruption> {
        let cells = self.interruption_cells(frame);
        let own = frame + HEADER..frame + HEADER + cells.len();
        let &[pc, _, interrupted] = cells.first_chunk::<KEPT>()?;
        let caller = self.caller_of(frame)?;
        let mut interruption = Interruption { slots: own.collect(), caller };
        if interrupted.int_value() == Interrupted::Clause as i64 {
            let needs = self.needs_at(pc.int_value() as Pc);
            if needs.is_unknown {
                return None;
            }
            if let Some(slots) = &needs.slots {
                interruption.slots.extend(slots.iter().map(|&y| caller.0 + HEADER + y as usize));
                interruption.caller = self.caller_of(caller.0)?;
            }
        }
        Some(interruption)
    }

    /// Does a predicate in Rust that is written in the language where variables have attributes.
    fn instead_of(&mut self, op: &LinkedInstruction, pc: Pc) -> Option<Exit> {
        if !matches!(op.kind, InstructionKind::Builtin | InstructionKind::Native) {
            return None;
        }
        let pred = self.world.database.pred(op.n);
        let (name, arity) = (Atom::new(pred.attributed?), pred.arity);
        if op.kind == InstructionKind::Native {
            let pred = self.world.database.pred_id(Namespace::Library, name, arity);
            self.left_at = (self.begin_call(pred), WRITE);
            return Some(Exit::Continue);
        }
        let store = &mut self.world.store;
        let goal = store.compound(name, &self.x[..arity]);
        let item = store.compound(Atom::new("$call"), &[goal]);
        let goals = store.list(&[item]);
        Some(self.interrupt(goals, pc + 1))
    }

    /// Turns the attributes of the query's variables into residual goals before an answer is reported.
    fn find_residual_goals(&mut self) -> Exit {
        let store = &mut self.world.store;
        let (variables, goals) = (store.list(&self.running.variables), store.new_var());
        self.running.residual_goals = Some(goals);
        let item = store.compound(Atom::new("$residual"), &[variables, goals]);
        let items = store.list(&[item]);
        self.interrupt(items, ANSWERING)
    }

    /// The residual goals of the current answer, as a list.
    pub(crate) fn residual_goals(&self) -> Cell {
        self.running.residual_goals.unwrap_or(Cell::NIL)
    }
}

/// Whether the effects of earlier bindings may be observed before an instruction of this kind: not within a head or a
/// unification, and not while arguments are built.
fn may_be_interrupted(kind: InstructionKind) -> bool {
    !matches!(
        kind,
        InstructionKind::Part
            | InstructionKind::Parts
            | InstructionKind::Voids
            | InstructionKind::StackCheck
            | InstructionKind::Get
            | InstructionKind::GetTwo
            | InstructionKind::GetParts
            | InstructionKind::TakePair
            | InstructionKind::Put
            | InstructionKind::PutParts
            | InstructionKind::Move
            | InstructionKind::StoreSlot
            | InstructionKind::LoadSlot
            | InstructionKind::Open
            | InstructionKind::Entry
    )
}
