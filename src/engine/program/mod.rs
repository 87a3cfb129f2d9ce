//! What scripts and assertions add: clauses, rules and library predicates.

mod clauses;
mod library;
mod rules;
mod script;
mod stored_clause;

pub(crate) use script::ScriptEvent;
