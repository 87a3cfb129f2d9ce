//! Arithmetic instructions: a fast path for two small integers, otherwise the table of functions.

use super::super::machine::Machine;
use super::super::op::{Exit, InstructionFunction, LinkedInstruction};
use super::super::step::{StepOutcome, fail, next, outcome, proceed};
use crate::engine::arith::{Function, Number};
use crate::engine::code::Pc;
use crate::engine::heap::{Cell, Tag};

const INT: i64 = Tag::Int as i64;

/// The steps of this file that are reached through `detour`; see [`InstructionFunction`].
#[used]
static STEPS: [InstructionFunction; 3] = [add_other, arith2_other, evaluate_other];

/// The sum of two tagged integers, if it is a tagged integer too.
#[inline(always)]
fn sum(a: Cell, b: Cell) -> Option<Cell> {
    Some(Cell((a.0 as i64).checked_add(b.0 as i64 - INT)? as u64))
}

pub(super) fn add_int(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let a = m.deref_x(op.a);
    if a.is_int()
        && let Some(sum) = sum(a, Cell(op.v))
    {
        m.x[op.c as usize] = sum;
        return next(m, code, pc + 1, s);
    }
    add_other(m, code, pc, op, s)
}

#[inline(never)]
fn add_other(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.pc = pc as Pc + 1;
    proceed!(add_number(m, op), m, code, pc, op, s)
}

#[inline(never)]
fn add_number(m: &mut Machine, op: &LinkedInstruction) -> StepOutcome {
    let n = Number::Int(Cell(op.v).int_value());
    let sum = m.number(op.a).and_then(|a| Function::Add.apply2(&a, &n));
    give(m, op.c, sum)
}

/// Loads a value into a register.
fn give(m: &mut Machine, to: u8, value: Result<Number, super::super::step::Stop>) -> StepOutcome {
    let result = value.map(|value| {
        m.x[to as usize] = value.into_cell(&mut m.world.store);
        true
    });
    outcome(m, result)
}

/// A function with a fast path for two tagged integers.
pub(super) trait QuickFunction {
    fn quick(a: Cell, b: Cell) -> Option<Cell>;
}

pub(super) struct Add;
pub(super) struct Subtract;
pub(super) struct Multiply;
pub(super) struct IntDivide;
pub(super) struct Mod;
pub(super) struct BitAnd;
pub(super) struct Other;

impl QuickFunction for Add {
    #[inline(always)]
    fn quick(a: Cell, b: Cell) -> Option<Cell> {
        sum(a, b)
    }
}

impl QuickFunction for Subtract {
    #[inline(always)]
    fn quick(a: Cell, b: Cell) -> Option<Cell> {
        Some(Cell((a.0 as i64).checked_sub(b.0 as i64 - INT)? as u64))
    }
}

impl QuickFunction for Multiply {
    #[inline(always)]
    fn quick(a: Cell, b: Cell) -> Option<Cell> {
        Some(Cell((a.0 as i64 - INT).checked_mul(b.int_value())? as u64 | Tag::Int as u64))
    }
}

impl QuickFunction for IntDivide {
    #[inline(always)]
    fn quick(a: Cell, b: Cell) -> Option<Cell> {
        small(a.int_value().checked_div(b.int_value())?)
    }
}

impl QuickFunction for Mod {
    #[inline(always)]
    fn quick(a: Cell, b: Cell) -> Option<Cell> {
        let (a, b) = (a.int_value(), b.int_value());
        let rest = a.checked_rem(b)?;
        small(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
    }
}

impl QuickFunction for BitAnd {
    #[inline(always)]
    fn quick(a: Cell, b: Cell) -> Option<Cell> {
        Some(Cell(a.0 & b.0))
    }
}

impl QuickFunction for Other {
    #[inline(always)]
    fn quick(_: Cell, _: Cell) -> Option<Cell> {
        None
    }
}

fn small(value: i64) -> Option<Cell> {
    (Cell::MIN_INT..=Cell::MAX_INT).contains(&value).then(|| Cell::small_int(value))
}

pub(super) fn arith2<Q: QuickFunction>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let (a, b) = (m.deref_x(op.a), m.deref_x(op.b));
    if a.is_int()
        && b.is_int()
        && let Some(value) = Q::quick(a, b)
    {
        m.x[op.c as usize] = value;
        return next(m, code, pc + 1, s);
    }
    arith2_other(m, code, pc, op, s)
}

#[inline(never)]
fn arith2_other(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.pc = pc as Pc + 1;
    proceed!(apply2(m, op), m, code, pc, op, s)
}

#[inline(never)]
fn apply2(m: &mut Machine, op: &LinkedInstruction) -> StepOutcome {
    let value = m.number(op.a).and_then(|a| Function::numbered(op.n).apply2(&a, &m.number(op.b)?));
    give(m, op.c, value)
}

pub(super) fn arith1(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.pc = pc as Pc + 1;
    proceed!(apply1(m, op), m, code, pc, op, s)
}

#[inline(never)]
fn apply1(m: &mut Machine, op: &LinkedInstruction) -> StepOutcome {
    let value = m.number(op.a).and_then(|a| Function::numbered(op.n).apply1(&a));
    give(m, op.c, value)
}

/// A small integer evaluates to itself.
pub(super) fn evaluate(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let a = m.deref_x(op.a);
    if a.is_int() {
        m.x[op.c as usize] = a;
        return next(m, code, pc + 1, s);
    }
    evaluate_other(m, code, pc, op, s)
}

#[inline(never)]
fn evaluate_other(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.pc = pc as Pc + 1;
    proceed!(evaluate_term(m, op), m, code, pc, op, s)
}

#[inline(never)]
fn evaluate_term(m: &mut Machine, op: &LinkedInstruction) -> StepOutcome {
    let value = m.number(op.a);
    give(m, op.c, value)
}
