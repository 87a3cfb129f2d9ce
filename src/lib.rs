//! Papaver answers questions about an execution trace, in Prolog.

pub mod builtins;
pub mod engine;
pub mod formats;
pub mod output;
pub mod syntax;
pub mod term;
pub mod trace;
