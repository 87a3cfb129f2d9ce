//! Integer expressions over columns. Values that do not fit into 64 bits are left to the general arithmetic.

use std::borrow::Cow;

use crate::engine::arith::Function;
use crate::engine::{Cell, Store, Term};
use crate::trace::Trace;

use super::rows::Batch;
use super::slots::{SlotKind, VariableSlots};

/// An expression in postfix order.
#[derive(Clone, Debug)]
pub(super) struct Expression(Vec<ExpressionCode>);

#[derive(Clone, Copy, Debug)]
enum ExpressionCode {
    Constant(i64),
    Slot(usize),
    /// The printed number of the call in a slot.
    CallNumber(usize),
    Binary(ExpressionOperation),
}

#[derive(Clone, Copy, Debug)]
enum ExpressionOperation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Least,
    Greatest,
}

/// The longest expression; longer ones are left to the general arithmetic.
const MAX_LENGTH: usize = 64;

impl Expression {
    /// The expression of a term that contains only integers and variables with a slot.
    pub(super) fn new(store: &Store, slots: &VariableSlots, root: Cell) -> Option<Expression> {
        let mut code = Vec::new();
        let mut waiting = vec![root];
        while let Some(term) = waiting.pop() {
            code.push(match store.look(term) {
                Term::Int(value) => ExpressionCode::Constant(value),
                Term::Var(variable) => match slots.find(variable)? {
                    (slot, SlotKind::Integer) => ExpressionCode::Slot(slot),
                    (slot, SlotKind::Call) => ExpressionCode::CallNumber(slot),
                    (_, SlotKind::Event(_) | SlotKind::Part(_) | SlotKind::Argument) => return None,
                },
                Term::Compound(compound) => {
                    let function = Function::find(compound.name, compound.arity)?;
                    let operation = ExpressionOperation::of(function)?;
                    // Reversed at the end, this is the postfix order.
                    waiting.extend([store.arg(compound, 0), store.arg(compound, 1)]);
                    ExpressionCode::Binary(operation)
                }
                _ => return None,
            });
            if code.len() > MAX_LENGTH {
                return None;
            }
        }
        code.reverse();
        Some(Expression(code))
    }

    /// What is in a slot of integers.
    pub(super) fn of_slot(slot: usize) -> Expression {
        Expression(vec![ExpressionCode::Slot(slot)])
    }

    /// The values for all rows of a batch; none if one does not fit into 64 bits.
    pub(super) fn evaluate<'b>(&self, trace: &Trace, batch: &'b Batch) -> Option<Cow<'b, [i64]>> {
        match *self.0.as_slice() {
            [ExpressionCode::Slot(slot)] => Some(Cow::Borrowed(&batch.columns[slot])),
            [ExpressionCode::Slot(left), ExpressionCode::Slot(right), ExpressionCode::Binary(operation)] => {
                let mut values = batch.columns[left].clone();
                operation.apply(&mut values, &batch.columns[right])?;
                Some(Cow::Owned(values))
            }
            _ => self.evaluate_all(trace, batch).map(Cow::Owned),
        }
    }

    fn evaluate_all(&self, trace: &Trace, batch: &Batch) -> Option<Vec<i64>> {
        let mut stack: Vec<Vec<i64>> = Vec::new();
        for code in &self.0 {
            match *code {
                ExpressionCode::Constant(value) => stack.push(vec![value; batch.n_rows]),
                ExpressionCode::Slot(slot) => stack.push(batch.columns[slot].clone()),
                ExpressionCode::CallNumber(slot) => {
                    let mut numbers = Vec::with_capacity(batch.n_rows);
                    trace.gather_call_numbers(&batch.columns[slot], &mut numbers);
                    stack.push(numbers);
                }
                ExpressionCode::Binary(operation) => {
                    let right = stack.pop()?;
                    operation.apply(stack.last_mut()?, &right)?;
                }
            }
        }
        stack.pop()
    }
}

impl ExpressionOperation {
    fn of(function: Function) -> Option<ExpressionOperation> {
        Some(match function {
            Function::Add => ExpressionOperation::Add,
            Function::Subtract => ExpressionOperation::Subtract,
            Function::Multiply => ExpressionOperation::Multiply,
            Function::IntDivide => ExpressionOperation::Divide,
            Function::Mod => ExpressionOperation::Modulo,
            Function::Min => ExpressionOperation::Least,
            Function::Max => ExpressionOperation::Greatest,
            _ => return None,
        })
    }

    /// Replaces the left operands by the results.
    fn apply(self, left: &mut [i64], right: &[i64]) -> Option<()> {
        match self {
            ExpressionOperation::Add => overflowing(left, right, i64::overflowing_add),
            ExpressionOperation::Subtract => overflowing(left, right, i64::overflowing_sub),
            ExpressionOperation::Multiply => overflowing(left, right, i64::overflowing_mul),
            ExpressionOperation::Divide => checked(left, right, i64::checked_div),
            ExpressionOperation::Modulo => checked(left, right, floored_modulo),
            ExpressionOperation::Least => overflowing(left, right, |a, b| (a.min(b), false)),
            ExpressionOperation::Greatest => overflowing(left, right, |a, b| (a.max(b), false)),
        }
    }
}

/// `a mod b`, whose sign is that of `b`.
fn floored_modulo(a: i64, b: i64) -> Option<i64> {
    let rest = a.checked_rem(b)?;
    Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
}

fn overflowing(left: &mut [i64], right: &[i64], operation: impl Fn(i64, i64) -> (i64, bool)) -> Option<()> {
    let mut is_too_large = false;
    for (a, b) in left.iter_mut().zip(right) {
        let overflowed;
        (*a, overflowed) = operation(*a, *b);
        is_too_large |= overflowed;
    }
    (!is_too_large).then_some(())
}

fn checked(left: &mut [i64], right: &[i64], operation: impl Fn(i64, i64) -> Option<i64>) -> Option<()> {
    for (a, b) in left.iter_mut().zip(right) {
        *a = operation(*a, *b)?;
    }
    Some(())
}
