//! Arithmetic: numbers, evaluable functions, and evaluation of expressions.
//!
//! Integers are unbounded; floats are IEEE doubles; errors are those of ISO. There are no clocks or random numbers
//! here, so that the same question always has the same answer.

mod evaluate;
mod float;
mod function;
mod integer;
mod number;
mod power;
mod rounding;

pub(crate) use evaluate::{evaluate, evaluate_unwatched};
pub(crate) use function::Function;
pub(crate) use number::{Number, compare, order};

#[cfg(test)]
mod tests;
