//! Floor 4: the predicates written in Rust, one file for each family.
//!
//! Control and the database are in `engine`; predicates written in Prolog are in `library`.
//!
//! | room | contents |
//! |---|---|
//! | `record`, `arguments` | how records are written, and how predicates read their arguments |
//! | `terms` | types, order, construction, arithmetic and lists |
//! | `texts` | atoms, strings, characters, bytes and numbers as texts |
//! | `io` | reading and writing of terms, streams, `format/2` |
//! | `program` | clauses, tables, operators, flags, global variables, scripts and messages |
//! | `control` | truth, all solutions, counters |
//! | `trace` | the predicates about the trace, with rooms of their own |
//! | `catalogue` | what is known of all predicates: library files, comments, effects, abbreviations |
//! | `plan` | what a query reads of a trace, and `explain/1`, which prints how its searches are run |
//! | `help` | `help`, `man` and `apropos`, and the list of all predicates |
//!
//! A room imports from those above it in this table. This file lists the families of all rooms; `catalogue` and `help`
//! read the list.

mod arguments;
mod catalogue;
mod control;
mod help;
mod io;
mod plan;
mod program;
mod record;
mod terms;
mod texts;
pub(crate) mod trace;

use crate::engine::Builtin;

pub(crate) use catalogue::{abbreviations, doc, effects, library};
pub(crate) use plan::{MoveVisibility, footprint, only_ask};
pub(crate) use program::messages;
use record::TopicPredicates;
pub(crate) use trace::constraints::reader as constraints;

const FAMILIES: &[TopicPredicates] = &[
    ("Type tests", terms::types::TABLE),
    ("Comparing terms", terms::compare::TABLE),
    ("Goals that wait", terms::attributed::TABLE),
    ("Terms", terms::construct::TABLE),
    ("Texts", texts::conversion::TABLE),
    ("Texts", texts::characters::TABLE),
    ("Texts", texts::numbers::TABLE),
    ("Texts", texts::concat::TABLE),
    ("Texts", texts::text_list::TABLE),
    ("Texts", texts::bytes::TABLE),
    ("Texts", io::term_text::TABLE),
    ("Writing", io::write::TABLE),
    ("Writing", io::format::TABLE),
    ("Reading", io::read::TABLE),
    ("Arithmetic", terms::arithmetic::TABLE),
    ("Texts", texts::lines::TABLE),
    ("Lists", terms::lists::TABLE),
    ("Lists", terms::sort::TABLE),
    ("Operators and flags", program::operators::TABLE),
    ("Operators and flags", program::flags::TABLE),
    ("Global variables and records", program::globals::TABLE),
    ("The session", program::statistics::TABLE),
    ("Streams", io::streams::TABLE),
    ("Counting and grouping", control::counters::TABLE),
    ("Control", control::true_fail::TABLE),
    ("Clauses", program::clauses::TABLE),
    ("Clauses", program::references::TABLE),
    ("Clauses", catalogue::properties::TABLE),
    ("Writing", io::capture::TABLE),
    ("Scripts and commands", program::scripts::TABLE),
    ("Tabling", program::tables::TABLE),
    ("All solutions", control::solutions::TABLE),
    ("Counting and grouping", control::tallies::TABLE),
    ("Errors and messages", program::messages::TABLE),
    ("Searching the trace", plan::explain::TABLE),
    ("Help", help::predicates::TABLE),
    ("Graphs and proof trees", trace::relations::pictures::TABLE),
    ("Reading", io::questions::TABLE),
    ("Scripts and commands", trace::commands::user_commands::TABLE),
];

/// All predicates written in Rust, except those that run inside the machine.
pub(crate) fn tables() -> impl Iterator<Item = &'static Builtin> {
    families().flat_map(|(_, table)| *table)
}

/// All families, those about the trace first.
fn families() -> impl Iterator<Item = &'static TopicPredicates> {
    trace::FAMILIES.iter().chain(FAMILIES)
}

#[cfg(test)]
mod tests;
