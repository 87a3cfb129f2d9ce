//! Environments, choice points and cuts.

use super::super::choices::Alternative;
use super::super::machine::{HEADER, Machine};
use super::super::op::{Exit, InstructionFunction, LinkedInstruction};
use super::super::step::{fail, next, next_counted};
use crate::engine::code::{FAIL, Pc};
use crate::engine::heap::Cell;

/// The steps of this file that are reached through `detour`; see [`InstructionFunction`].
#[used]
static STEPS: [InstructionFunction; 4] = [grow_environments, keep_clauses, cut_to_barrier, cut_to_slot];

pub(super) fn allocate(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let frame = m.top();
    let Some(cells) = m.environments.get_mut(frame..frame + HEADER + op.n as usize) else {
        return grow_environments(m, code, pc, op, s);
    };
    let [before, continuation, size, ..] = cells else { return grow_environments(m, code, pc, op, s) };
    (*before, *continuation, *size) = (Cell(m.environment as u64), Cell(u64::from(m.continuation)), Cell(op.n.into()));
    m.environment = frame;
    next(m, code, pc + 1, s)
}

#[inline(never)]
fn grow_environments(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.allocate(op.n as usize);
    next(m, code, pc + 1, s)
}

pub(super) fn deallocate(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.leave_environment();
    next_counted(m, code, pc + 1, op, s)
}

pub(super) fn deallocate_proceed(
    m: &mut Machine,
    code: &[LinkedInstruction],
    _: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.leave_environment();
    next_counted(m, code, m.continuation as usize, op, s)
}

pub(super) fn proceed(m: &mut Machine, code: &[LinkedInstruction], _: usize, _: &LinkedInstruction, s: usize) -> Exit {
    next(m, code, m.continuation as usize, s)
}

pub(super) fn leave_catch(
    m: &mut Machine,
    code: &[LinkedInstruction],
    _: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.end_catch();
    m.leave_environment();
    next_counted(m, code, m.continuation as usize, op, s)
}

/// Resumes the clause that woken goals interrupted.
pub(super) fn resume_interrupted(
    m: &mut Machine,
    code: &[LinkedInstruction],
    _: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let pc = m.end_interruption();
    next_counted(m, code, pc as usize, op, s)
}

pub(super) fn jump(m: &mut Machine, code: &[LinkedInstruction], _: usize, op: &LinkedInstruction, s: usize) -> Exit {
    next(m, code, op.n as usize, s)
}

pub(super) fn try_here(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.push_choice(Alternative::Code(op.n), 0);
    next(m, code, pc + 1, s)
}

pub(super) fn try_deep(
    m: &mut Machine,
    code: &[LinkedInstruction],
    _: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.push_choice(Alternative::Retry(op.n), op.a as usize);
    next(m, code, op.v as usize, s)
}

pub(super) fn try_shallow(
    m: &mut Machine,
    code: &[LinkedInstruction],
    _: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.begin_shallow(op.n, op.a);
    next(m, code, op.v as usize, s)
}

pub(super) fn neck(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    if m.shallow != FAIL {
        return keep_clauses(m, code, pc, op, s);
    }
    next(m, code, pc + 1, s)
}

pub(super) fn neck_proceed(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    if m.shallow != FAIL {
        return keep_clauses(m, code, pc, op, s);
    }
    next(m, code, m.continuation as usize, s)
}

/// Pushes the choice point of the remaining clauses and repeats the instruction.
#[inline(never)]
fn keep_clauses(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.push_shallow();
    (op.run)(m, code, pc, op, s)
}

pub(super) fn cut_neck(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    if m.shallow != FAIL {
        m.drop_shallow();
    }
    if m.cut_barrier < m.choices.len() {
        return cut_to_barrier(m, code, pc, op, s);
    }
    next(m, code, pc + 1, s)
}

#[inline(never)]
fn cut_to_barrier(m: &mut Machine, code: &[LinkedInstruction], pc: usize, _: &LinkedInstruction, s: usize) -> Exit {
    let pc = m.cut(m.cut_barrier, pc as Pc + 1);
    next(m, code, pc as usize, s)
}

pub(super) fn mark(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.set_y(op.low(), Cell::small_int(m.choices.len() as i64));
    next(m, code, pc + 1, s)
}

pub(super) fn save_cut(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.set_y(op.low(), Cell::small_int(m.cut_barrier as i64));
    next(m, code, pc + 1, s)
}

pub(super) fn cut_to(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    if (m.y(op.low()).int_value() as usize) < m.choices.len() {
        return cut_to_slot(m, code, pc, op, s);
    }
    next(m, code, pc + 1, s)
}

#[inline(never)]
fn cut_to_slot(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    let pc = m.cut(m.y(op.low()).int_value() as usize, pc as Pc + 1);
    next(m, code, pc as usize, s)
}

pub(super) fn soft_cut(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let height = m.y(op.low()).int_value() as usize;
    if let Some(choice) = m.choices.get_mut(height) {
        choice.alternative = Alternative::Fail;
    }
    next(m, code, pc + 1, s)
}

pub(super) fn fail_here(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    fail(m, code, pc, op, s)
}

pub(super) fn answer(m: &mut Machine, _: &[LinkedInstruction], pc: usize, _: &LinkedInstruction, _: usize) -> Exit {
    m.pc = pc as Pc + 1;
    Exit::Answer
}
