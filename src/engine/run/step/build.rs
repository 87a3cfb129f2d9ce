//! Instructions that move values and build arguments of goals.

use super::super::machine::Machine;
use super::super::op::{Exit, LinkedInstruction, WRITE};
use super::super::step::head::write_two;
use super::super::step::part::ArgumentTreatment;
use super::super::step::{grow, next};
use crate::engine::heap::{Cell, Tag};

pub(super) fn move_x(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.x[op.b as usize] = m.x[op.a as usize];
    next(m, code, pc + 1, s)
}

pub(super) fn store_y(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.set_y(op.low(), m.x[op.a as usize]);
    next(m, code, pc + 1, s)
}

pub(super) fn load_y(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.x[op.a as usize] = m.y(op.low());
    next(m, code, pc + 1, s)
}

pub(super) fn put_var_x(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    if !m.world.store.has_room() {
        return grow(m, code, pc, op, s);
    }
    m.x[op.a as usize] = m.world.store.push_var();
    next(m, code, pc + 1, s)
}

pub(super) fn put_var_y(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    if !m.world.store.has_room() {
        return grow(m, code, pc, op, s);
    }
    let variable = m.world.store.push_var();
    m.set_y(op.low(), variable);
    next(m, code, pc + 1, s)
}

pub(super) fn put_const(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.x[op.a as usize] = Cell(op.v);
    next(m, code, pc + 1, s)
}

pub(super) fn put_list(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    _: usize,
) -> Exit {
    m.x[op.a as usize] = Cell::pack(Tag::List, m.world.store.heap.len() as u64);
    next(m, code, pc + 1, WRITE)
}

pub(super) fn put_struct(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    if !m.world.store.has_room() {
        return grow(m, code, pc, op, s);
    }
    let at = m.world.store.heap.len() as u64;
    m.world.store.push_one(Cell(op.v));
    m.x[op.a as usize] = Cell::pack(Tag::Struct, at);
    next(m, code, pc + 1, WRITE)
}

pub(super) fn put_pair<H: ArgumentTreatment, T: ArgumentTreatment>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let at = m.world.store.heap.len();
    if !write_two::<H, T>(m, op) {
        return grow(m, code, pc, op, s);
    }
    m.x[op.a as usize] = Cell::pack(Tag::List, at as u64);
    next(m, code, pc + 1, s)
}

pub(super) fn put_frozen(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.put_frozen(op.a, op.n);
    next(m, code, pc + 1, s)
}
