//! Tests and comparisons, which jump elsewhere unless they hold.

use super::super::machine::Machine;
use super::super::op::{Exit, InstructionFunction, LinkedInstruction};
use super::super::step::{StepOutcome, next, otherwise, outcome, stop_at_abandoned_walk};
use crate::engine::arith;
use crate::engine::code::{Comparison, Pc};
use crate::engine::heap::{Cell, Tag};

/// The steps of this file that are reached through `detour`; see [`InstructionFunction`].
#[used]
static STEPS: [InstructionFunction; 1] = [compare_other];

/// A comparison known at compile time.
pub(super) trait Relation {
    const RELATION: Comparison;

    /// Whether it holds of two tagged integers.
    #[inline(always)]
    fn holds(a: Cell, b: Cell) -> bool {
        let (a, b) = (a.0 as i64, b.0 as i64);
        match Self::RELATION {
            Comparison::Less => a < b,
            Comparison::LessEqual => a <= b,
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
            Comparison::GreaterEqual => a >= b,
            Comparison::Greater => a > b,
        }
    }
}

macro_rules! relations {
    ($($name:ident)*) => {
        $(pub(super) struct $name;
        impl Relation for $name {
            const RELATION: Comparison = Comparison::$name;
        })*
    };
}
relations! { Less LessEqual Equal NotEqual GreaterEqual Greater }

pub(super) fn compare<R: Relation>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let (a, b) = (m.deref_x(op.a), m.deref_x(op.b));
    if !(a.is_int() && b.is_int()) {
        return compare_other(m, code, pc, op, s);
    }
    if R::holds(a, b) {
        return next(m, code, pc + 1, s);
    }
    otherwise(m, code, pc, op, s)
}

pub(super) fn compare_int<R: Relation>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let a = m.deref_x(op.a);
    if !a.is_int() {
        return compare_other(m, code, pc, op, s);
    }
    if R::holds(a, Cell(op.v)) {
        return next(m, code, pc + 1, s);
    }
    otherwise(m, code, pc, op, s)
}

/// Compares anything but two small integers; `c` is the comparison, and `v` is the right side if it is a constant.
#[inline(never)]
fn compare_other(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.pc = pc as Pc + 1;
    match compare_numbers(m, op) {
        StepOutcome::Success => next(m, code, pc + 1, s),
        StepOutcome::Failure => otherwise(m, code, pc, op, s),
        StepOutcome::Stop => Exit::Stop,
    }
}

#[inline(never)]
fn compare_numbers(m: &mut Machine, op: &LinkedInstruction) -> StepOutcome {
    let left = m.number(op.a);
    let right = match op.v {
        0 => m.number(op.b),
        constant => Ok(arith::Number::Int(Cell(constant).int_value())),
    };
    let comparison = Comparison::numbered(op.c);
    let holds = left.and_then(|left| Ok(comparison.holds_of_numbers(arith::order(&left, &right?))));
    outcome(m, holds)
}

pub(super) fn order(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    let (a, b) = (m.x[op.a as usize], m.x[op.b as usize]);
    let order = m.world.store.compare(a, b);
    if m.world.store.gave_up() {
        return stop_at_abandoned_walk(m, code, pc, op, s);
    }
    if Comparison::numbered(op.c).holds(order) {
        return next(m, code, pc + 1, s);
    }
    otherwise(m, code, pc, op, s)
}

/// Whether two terms are identical; for equal words and for different kinds, this is decided without a walk over the
/// terms.
pub(super) fn identical<const WANTED: bool>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let (a, b) = (m.deref_x(op.a), m.deref_x(op.b));
    let are_simple = |cell: Cell| matches!(cell.tag(), Tag::Ref | Tag::Atom | Tag::Int);
    let same = a == b || (!are_simple(a) && !are_simple(b) && m.world.store.compare(a, b).is_eq());
    if m.world.store.gave_up() {
        return stop_at_abandoned_walk(m, code, pc, op, s);
    }
    if !same && a.may_be_alike(b) {
        m.world.store.note_near_miss(a, b);
    }
    if same == WANTED {
        return next(m, code, pc + 1, s);
    }
    otherwise(m, code, pc, op, s)
}

/// A type test known at compile time.
pub(super) trait TypeTest {
    /// Whether it holds of a dereferenced cell.
    fn holds(m: &Machine, cell: Cell) -> bool;
}

macro_rules! type_tests {
    ($($name:ident($cell:ident, $m:ident) $holds:expr;)*) => {
        $(pub(super) struct $name;
        impl TypeTest for $name {
            #[inline(always)]
            fn holds($m: &Machine, $cell: Cell) -> bool {
                $holds
            }
        })*
    };
}
type_tests! {
    Var(cell, _m) cell.is_ref();
    Nonvar(cell, _m) !cell.is_ref();
    Atom(cell, _m) cell.tag() == Tag::Atom;
    Integer(cell, m) cell.is_int() || m.world.store.is_big_integer(cell);
    Float(cell, _m) cell.tag() == Tag::Float;
    Number(cell, m) cell.is_int() || cell.tag() == Tag::Float || m.world.store.is_big_integer(cell);
    Atomic(cell, _m) !matches!(cell.tag(), Tag::Ref | Tag::List | Tag::Struct);
    Compound(cell, _m) matches!(cell.tag(), Tag::List | Tag::Struct);
    Callable(cell, _m) matches!(cell.tag(), Tag::Atom | Tag::List | Tag::Struct);
}

pub(super) fn test<T: TypeTest>(
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    let cell = m.deref_x(op.a);
    if T::holds(m, cell) {
        return next(m, code, pc + 1, s);
    }
    otherwise(m, code, pc, op, s)
}
