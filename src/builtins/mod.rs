//! Floor 4: the predicates written in Rust, one file for each family.
//!
//! Control, the database and what is written in the language itself are elsewhere: `engine` and `library`.

pub mod abbreviations;
mod answers;
pub mod arguments;
mod attributed;
mod bytes;
mod capture;
mod characters;
mod clauses;
mod commands;
mod compare;
mod concat;
mod construct;
mod counters;
pub mod doc;
pub mod effects;
mod flags;
mod format;
mod globals;
mod help;
mod integers;
pub mod library;
mod lines;
mod lists;
pub mod messages;
mod numbers;
mod operators;
mod order;
mod part;
mod pictures;
mod predicates;
mod properties;
mod read;
pub mod record;
mod references;
mod scripts;
mod solutions;
mod sort;
mod statistics;
mod streams;
mod tables;
mod tallies;
mod term_text;
mod text;
mod text_list;
mod topics;
pub mod trace;
mod truth;
mod types;
mod write;

use crate::engine::Builtin;

/// The predicates of a topic.
pub type Family = (&'static str, &'static [Builtin]);

const FAMILIES: &[Family] = &[
    ("Type tests", types::TABLE),
    ("Comparing terms", compare::TABLE),
    ("Goals that wait", attributed::TABLE),
    ("Terms", construct::TABLE),
    ("Texts", text::TABLE),
    ("Texts", characters::TABLE),
    ("Texts", numbers::TABLE),
    ("Texts", concat::TABLE),
    ("Texts", text_list::TABLE),
    ("Texts", bytes::TABLE),
    ("Texts", term_text::TABLE),
    ("Writing", write::TABLE),
    ("Writing", format::TABLE),
    ("Reading", read::TABLE),
    ("Arithmetic", integers::TABLE),
    ("Texts", lines::TABLE),
    ("Lists", lists::TABLE),
    ("Lists", sort::TABLE),
    ("Operators and flags", operators::TABLE),
    ("Operators and flags", flags::TABLE),
    ("Global variables and records", globals::TABLE),
    ("The session", statistics::TABLE),
    ("Streams", streams::TABLE),
    ("Counting and grouping", counters::TABLE),
    ("Control", truth::TABLE),
    ("Clauses", clauses::TABLE),
    ("Clauses", references::TABLE),
    ("Clauses", properties::TABLE),
    ("Writing", capture::TABLE),
    ("Scripts and commands", scripts::TABLE),
    ("Tabling", tables::TABLE),
    ("All solutions", solutions::TABLE),
    ("Counting and grouping", tallies::TABLE),
    ("Errors and messages", messages::TABLE),
    ("Help", help::TABLE),
    ("Graphs and proof trees", pictures::TABLE),
    ("Reading", answers::TABLE),
    ("Scripts and commands", commands::TABLE),
];

/// All predicates written in Rust but those that need goals or clauses.
pub fn tables() -> impl Iterator<Item = &'static Builtin> {
    families().flat_map(|(_, table)| *table)
}

/// All families, those about the trace first.
fn families() -> impl Iterator<Item = &'static Family> {
    trace::FAMILIES.iter().chain(FAMILIES)
}

#[cfg(test)]
mod tests;
