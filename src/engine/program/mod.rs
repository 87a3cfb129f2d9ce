//! What scripts and assertions add: clauses, rules and library predicates.

mod clauses;
mod library;
mod rules;
mod script;
mod shapes;

pub use script::ScriptEvent;
pub(crate) use shapes::Shapes;
