//! The machine that runs code.

mod backtrace;
mod calls;
mod choices;
mod cleanup;
mod code;
mod control;
mod fold;
mod garbage;
mod goal;
mod handler;
mod limit;
mod link;
mod machine;
mod needs;
mod op;
mod query;
mod stack;
mod step;
mod tabling;
mod wake;

pub(crate) use fold::Accumulator;
pub(crate) use machine::{Determinism, Machine};
