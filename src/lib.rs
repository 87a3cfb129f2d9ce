//! Papaver answers questions about an execution trace, in Prolog.

pub mod syntax;
pub mod term;
pub mod trace;
