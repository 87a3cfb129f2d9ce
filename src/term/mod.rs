//! Floor 0: symbols, terms outside the machine, order, operators and printing.
//!
//! Nothing here depends on traces, clauses or the machine.

mod atom;
mod style;
mod tree;
mod view;

pub mod atoms;
pub mod float;
pub mod hash;
pub mod letters;
pub mod number;
pub mod ops;
pub mod print;

pub use atom::Atom;
pub use tree::{Node, NodeId, Span, Tree};
pub use view::{Shape, View};
