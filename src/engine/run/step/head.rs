//! Head unification instructions.

use super::super::machine::Machine;
use super::super::op::{Exit, InstructionFunction, LinkedInstruction, WRITE};
use super::super::step::call::enter;
use super::super::step::part::ArgumentTreatment;
use super::super::step::{detour, fail, grow, next, refuse};
use crate::engine::heap::{Cell, Tag};

/// The steps of this file that are reached through `detour`; see [`InstructionFunction`].
#[used]
static STEPS: [InstructionFunction; 3] = [unify_values, open_list, open_struct];

pub(super) fn get_value(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let (a, b) = (m.deref_x(op.a), m.deref_x(op.b));
    if a == b {
        return next(m, code, pc + 1, s);
    }
    // Binding an output argument is the common case.
    if !a.is_ref() || b.is_ref() || m.world.store.checks_occurs() {
        return unify_values(m, code, pc, op, s);
    }
    if !m.world.store.try_bind(a, b) {
        return grow(m, code, pc, op, s);
    }
    next(m, code, pc + 1, s)
}

#[inline(never)]
fn unify_values(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    if !m.world.store.unify(m.x[op.a as usize], m.x[op.b as usize]) {
        return refuse(m, code, pc, op, s);
    }
    next(m, code, pc + 1, s)
}

pub(super) fn get_const(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let cell = m.deref_x(op.a);
    if cell == Cell(op.v) {
        return next(m, code, pc + 1, s);
    }
    if !cell.is_ref() {
        if cell.may_be_alike(Cell(op.v)) {
            m.world.store.note_near_miss(cell, Cell(op.v));
        }
        return fail(m, code, pc, op, s);
    }
    if !m.world.store.try_bind(cell, Cell(op.v)) {
        return grow(m, code, pc, op, s);
    }
    next(m, code, pc + 1, s)
}

pub(super) fn get_list(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let cell = m.deref_x(op.a);
    match cell.tag() {
        Tag::List => next(m, code, pc + 1, cell.index()),
        Tag::Ref => {
            if m.world.store.checks_occurs() {
                return open_list(m, code, pc, op, s);
            }
            let list = Cell::pack(Tag::List, m.world.store.heap.len() as u64);
            if !m.world.store.try_bind(cell, list) {
                return grow(m, code, pc, op, s);
            }
            next(m, code, pc + 1, WRITE)
        }
        _ => fail(m, code, pc, op, s),
    }
}

pub(super) fn get_struct(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let cell = m.deref_x(op.a);
    match cell.tag() {
        Tag::Struct => {
            if m.world.store.heap.get(cell.index()) != Some(&Cell(op.v)) {
                return fail(m, code, pc, op, s);
            }
            next(m, code, pc + 1, cell.index() + 1)
        }
        Tag::Ref => {
            if m.world.store.checks_occurs() {
                return open_struct(m, code, pc, op, s);
            }
            let compound = Cell::pack(Tag::Struct, m.world.store.heap.len() as u64);
            if !m.world.store.has_room() || !m.world.store.try_bind(cell, compound) {
                return grow(m, code, pc, op, s);
            }
            m.world.store.push_one(Cell(op.v));
            next(m, code, pc + 1, WRITE)
        }
        _ => fail(m, code, pc, op, s),
    }
}

pub(super) fn get_frozen(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    if !m.unify_frozen(op.a, op.n) {
        return refuse(m, code, pc, op, s);
    }
    next(m, code, pc + 1, s)
}

pub(super) fn get_fact(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    if !m.unify_fact() {
        return refuse(m, code, pc, op, s);
    }
    next(m, code, pc + 1, s)
}

pub(super) fn get_pair<H: ArgumentTreatment, T: ArgumentTreatment>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let cell = m.deref_x(op.a);
    match cell.tag() {
        Tag::List => {
            if !(H::TAKES && T::TAKES) {
                return detour(read_two::<H, T, 0>, m, code, pc, op, cell.index());
            }
            let Some([head, tail]) = m.world.store.pair(cell.index()) else {
                return fail(m, code, pc, op, s);
            };
            H::read(m, op.low(), op.v, head);
            T::read(m, op.high(), op.v, tail);
            next(m, code, pc + 1, s)
        }
        Tag::Ref => {
            if m.world.store.checks_occurs() {
                return open_list(m, code, pc, op, s);
            }
            if !bind_pair::<H, T>(m, cell, [op.low(), op.high()], op.v) {
                return grow(m, code, pc, op, s);
            }
            next(m, code, pc + 1, s)
        }
        _ => fail(m, code, pc, op, s),
    }
}

/// A list pair in a head, followed by the last call; the tail is in register `v`.
pub(super) fn get_pair_execute<H: ArgumentTreatment, T: ArgumentTreatment>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let cell = m.deref_x(op.a);
    match cell.tag() {
        Tag::List => {
            if !(H::TAKES && T::TAKES) {
                return detour(read_two_execute::<H, T>, m, code, pc, op, cell.index());
            }
            let Some([head, tail]) = m.world.store.pair(cell.index()) else {
                return fail(m, code, pc, op, s);
            };
            H::read(m, op.b.into(), 0, head);
            T::read(m, op.v as u16, 0, tail);
        }
        Tag::Ref => {
            if m.world.store.checks_occurs() {
                return open_list(m, code, pc, op, s);
            }
            if !bind_pair::<H, T>(m, cell, [op.b.into(), op.v as u16], 0) {
                return grow(m, code, pc, op, s);
            }
        }
        _ => return fail(m, code, pc, op, s),
    }
    enter(m, code, pc, op, s)
}

#[inline(never)]
fn read_two_execute<H: ArgumentTreatment, T: ArgumentTreatment>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let Some([head, tail]) = m.world.store.pair(s) else { return fail(m, code, pc, op, s) };
    if !(H::read(m, op.b.into(), 0, head) && T::read(m, op.v as u16, 0, tail)) {
        return refuse(m, code, pc, op, s);
    }
    enter(m, code, pc, op, s)
}

/// Binds the variable in `a` to a pair of fresh variables and repeats the instruction in read mode: with the occurs
/// check, arguments have to be unified instead of written.
#[inline(never)]
fn open_list(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.open_compound(op.a, None);
    (op.run)(m, code, pc, op, s)
}

/// Like [`open_list`], for a compound whose header is `v`.
#[inline(never)]
fn open_struct(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.open_compound(op.a, Some(Cell(op.v)));
    (op.run)(m, code, pc, op, s)
}

/// Unifies two arguments at `s`, and advances `s` by `STEP`.
#[inline(never)]
fn read_two<A: ArgumentTreatment, B: ArgumentTreatment, const STEP: usize>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let Some([first, second]) = m.world.store.pair(s) else { return fail(m, code, pc, op, s) };
    if !(A::read(m, op.low(), op.v, first) && B::read(m, op.high(), op.v, second)) {
        return refuse(m, code, pc, op, s);
    }
    next(m, code, pc + 1, s + STEP)
}

/// Binds a variable to a pair written on the heap. If there is no room, returns `false`; some cells above the heap's
/// end may then be overwritten.
#[inline(always)]
fn bind_pair<H: ArgumentTreatment, T: ArgumentTreatment>(
    m: &mut Machine,
    variable: Cell,
    [head, tail]: [u16; 2],
    v: u64,
) -> bool {
    let at = m.world.store.heap.len();
    let cells = [H::cell(m, head, v, at), T::cell(m, tail, v, at + 1)];
    if !m.world.store.push_two(cells) || !m.world.store.try_bind(variable, Cell::pack(Tag::List, at as u64)) {
        return false;
    }
    H::note(m, head, at);
    T::note(m, tail, at + 1);
    true
}

/// Writes two arguments on the heap; `false` if there is no room for them.
#[inline(always)]
pub(super) fn write_two<A: ArgumentTreatment, B: ArgumentTreatment>(m: &mut Machine, op: &LinkedInstruction) -> bool {
    let at = m.world.store.heap.len();
    let cells = [A::cell(m, op.low(), op.v, at), B::cell(m, op.high(), op.v, at + 1)];
    if !m.world.store.push_two(cells) {
        return false;
    }
    A::note(m, op.low(), at);
    B::note(m, op.high(), at + 1);
    true
}

pub(super) fn unify_pair<A: ArgumentTreatment, B: ArgumentTreatment>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    if s == WRITE {
        if !write_two::<A, B>(m, op) {
            return grow(m, code, pc, op, s);
        }
        return next(m, code, pc + 1, WRITE);
    }
    if !(A::TAKES && B::TAKES) {
        return detour(read_two::<A, B, 2>, m, code, pc, op, s);
    }
    let Some([first, second]) = m.world.store.pair(s) else { return fail(m, code, pc, op, s) };
    A::read(m, op.low(), op.v, first);
    B::read(m, op.high(), op.v, second);
    next(m, code, pc + 1, s + 2)
}

pub(super) fn unify_one<A: ArgumentTreatment>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    if s == WRITE {
        if !m.world.store.has_room() {
            return grow(m, code, pc, op, s);
        }
        let at = m.world.store.heap.len();
        let cell = A::cell(m, op.low(), op.v, at);
        m.world.store.push_one(cell);
        A::note(m, op.low(), at);
        return next(m, code, pc + 1, WRITE);
    }
    if !A::TAKES {
        return detour(read_one::<A>, m, code, pc, op, s);
    }
    let Some(&cell) = m.world.store.heap.get(s) else { return fail(m, code, pc, op, s) };
    A::read(m, op.low(), op.v, cell);
    next(m, code, pc + 1, s + 1)
}

#[inline(never)]
fn read_one<A: ArgumentTreatment>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let Some(&cell) = m.world.store.heap.get(s) else { return fail(m, code, pc, op, s) };
    if !A::read(m, op.low(), op.v, cell) {
        return refuse(m, code, pc, op, s);
    }
    next(m, code, pc + 1, s + 1)
}

pub(super) fn unify_void(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    if s == WRITE {
        return write_void(m, code, pc, op, s);
    }
    next(m, code, pc + 1, s + op.n as usize)
}

#[inline(never)]
fn write_void(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    for _ in 0..op.n {
        m.world.store.new_var();
    }
    next(m, code, pc + 1, s)
}
