//! The machine that runs code.

mod backtrace;
mod calls;
mod choices;
mod cleanup;
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
mod step;
mod tabling;
mod wake;

pub use control::Control;
pub use fold::Accumulator;
pub(crate) use link::Switch;
pub use machine::{Determinism, Machine};
pub(crate) use needs::Needs;
pub(crate) use op::{CodeArea, Op};
pub(crate) use step::assemble;
pub use tabling::TableStep;
