//! Arithmetic: numbers, the functions on them, and the value of an expression.
//!
//! Integers are unbounded; floats are IEEE doubles; errors are those of ISO. There are no clocks and no random numbers
//! here, so that the same question always has the same answer.

mod evaluate;
mod float;
mod function;
mod integer;
mod number;
mod power;
mod rounding;

pub use evaluate::{evaluate, evaluate_unwatched};
pub use function::Function;
pub use number::{Number, compare, order};

#[cfg(test)]
mod tests;
