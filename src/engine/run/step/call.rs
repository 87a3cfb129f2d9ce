//! Call instructions: of predicates by their entry, of native predicates, and switches on an argument.

use super::super::calls::Entered;
use super::super::machine::Machine;
use super::super::op::{Exit, InstructionFunction, LinkedInstruction};
use super::super::step::{StepOutcome, fail, leave, next, outcome, proceed};
use crate::engine::code::Pc;
use crate::engine::heap::{Cell, Tag};
use crate::engine::state::World;

/// The steps of this file that are reached through `detour`; see [`InstructionFunction`].
#[used]
static STEPS: [InstructionFunction; 1] = [refuel];

/// Jumps to the entry of predicate `n`; measures the stack and polls limits and interrupts now and then.
#[inline(always)]
pub(super) fn enter(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.pc = pc as Pc + 1;
    m.fuel -= 1;
    if m.fuel == 0 {
        return refuel(m, code, pc, op, s);
    }
    m.cut_barrier = m.choices.len();
    let entry = m.world.database.entry(op.n);
    next(m, code, entry as usize, s)
}

#[inline(never)]
fn refuel(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    entered(m.refuel(op.n), m, code, pc, op, s)
}

pub(super) fn call(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.continuation = pc as Pc + 1;
    enter(m, code, pc, op, s)
}

pub(super) fn execute(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    enter(m, code, pc, op, s)
}

pub(super) fn deallocate_execute(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.leave_environment();
    enter(m, code, pc, op, s)
}

/// Calls the goal in `X0` with the arguments after it, `a` registers in all; `n` is `call/a` itself.
pub(super) fn call_goal(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    if (m.fuel > 1 || m.held_fuel > 0)
        && let Some(pred) = m.resolve_goal(op.a)
    {
        m.fuel -= 1;
        if m.fuel == 0 {
            return entered(m.refuel(pred), m, code, pc, op, s);
        }
        m.cut_barrier = m.choices.len();
        let entry = m.world.database.entry(pred);
        return next(m, code, entry as usize, s);
    }
    enter_predicate(m, code, pc, op, s)
}

/// Passes the value in `X0` to the fold whose step has ended, and backtracks for its next event.
pub(super) fn fold_keep(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.fold_keep();
    fail(m, code, pc, op, s)
}

/// Runs predicate `n`, a deterministic native one, and returns.
pub(super) fn call_det(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.called = op.n;
    match run_builtin(m, op) {
        StepOutcome::Success => next(m, code, m.continuation as usize, s),
        StepOutcome::Failure => fail(m, code, pc, op, s),
        StepOutcome::Stop => Exit::Stop,
    }
}

/// Calls predicate `n` by its current definition.
pub(super) fn enter_predicate(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    entered(m.enter(op.n), m, code, pc, op, s)
}

/// Runs predicate `n`, a nondeterministic native one.
pub(super) fn call_nondet(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    entered(m.enter_nondet(op.n), m, code, pc, op, s)
}

/// Continues according to the outcome of entering a predicate.
#[inline(always)]
fn entered(
    entered: Entered,
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    match entered {
        Entered::Code(to) => next(m, code, to as usize, s),
        Entered::Return => next(m, code, m.continuation as usize, s),
        Entered::FromLoop(to) => leave(m, code, to as usize, op, s),
        Entered::Failure => fail(m, code, pc, op, s),
        Entered::Body => Exit::Body,
        Entered::Over => Exit::Over,
        Entered::Stop => Exit::Stop,
    }
}

pub(super) fn builtin(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.pc = pc as Pc + 1;
    proceed!(run_builtin(m, op), m, code, pc, op, s)
}

#[inline(never)]
fn run_builtin(m: &mut Machine, op: &LinkedInstruction) -> StepOutcome {
    let result = m.call_builtin(op.n);
    outcome(m, result)
}

/// `v` holds the address for a pair and, in the upper half, that for `[]`; `n` is the address for a variable.
pub(super) fn switch_list(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let cell = m.deref_x(op.a);
    let to = match cell.tag() {
        Tag::List => op.v as u32,
        Tag::Ref => op.n,
        _ if cell == Cell::NIL => (op.v >> 32) as u32,
        _ => return fail(m, code, pc, op, s),
    };
    next(m, code, to as usize, s)
}

/// Like [`switch_list`]; also loads the parts of a pair into `b` and `c`.
pub(super) fn take_list(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let cell = m.deref_x(op.a);
    if cell.tag() == Tag::List
        && let Some([head, tail]) = m.world.store.pair(cell.index())
    {
        m.x[op.b as usize] = head;
        m.x[op.c as usize] = tail;
        return next(m, code, op.v as u32 as usize, s);
    }
    let to = match cell {
        Cell::NIL => (op.v >> 32) as u32,
        _ if cell.is_ref() => op.n,
        _ => return fail(m, code, pc, op, s),
    };
    next(m, code, to as usize, s)
}

pub(super) fn switch(m: &mut Machine, code: &[LinkedInstruction], _: usize, op: &LinkedInstruction, s: usize) -> Exit {
    let cell = m.deref_x(op.a);
    let to = m.world.database.switch_target(op.n, &m.world.store, cell);
    if op.c != 0 || cell.is_boxed() {
        let World { store, database, .. } = &mut m.world;
        database.switch_table(op.n).note_miss(store, cell);
    }
    next(m, code, to as usize, s)
}
