//! Floor 0: symbols, terms outside the machine, order, operators and printing.
//!
//! Nothing here depends on traces, clauses or the machine.

mod atom;
mod style;
mod tree;
mod view;

pub(crate) mod atoms;
#[cfg(test)]
pub(crate) mod cases;
pub(crate) mod float;
pub(crate) mod hash;
pub(crate) mod letters;
pub(crate) mod number;
pub(crate) mod ops;
pub(crate) mod print;

pub(crate) use atom::Atom;
pub(crate) use tree::{Node, NodeId, Span, Tree};
pub(crate) use view::{Shape, View};
