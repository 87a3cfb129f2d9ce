//! What scripts and assertions add: clauses, rules and library predicates.

mod clauses;
mod library;
mod rules;
mod script;

pub use script::ScriptEvent;
