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

const FAMILIES: &[&[Builtin]] = &[
    types::TABLE,
    compare::TABLE,
    attributed::TABLE,
    construct::TABLE,
    text::TABLE,
    characters::TABLE,
    numbers::TABLE,
    concat::TABLE,
    text_list::TABLE,
    bytes::TABLE,
    term_text::TABLE,
    write::TABLE,
    format::TABLE,
    read::TABLE,
    integers::TABLE,
    lines::TABLE,
    lists::TABLE,
    sort::TABLE,
    operators::TABLE,
    flags::TABLE,
    globals::TABLE,
    statistics::TABLE,
    streams::TABLE,
    counters::TABLE,
    truth::TABLE,
    clauses::TABLE,
    references::TABLE,
    properties::TABLE,
    capture::TABLE,
    scripts::TABLE,
    tables::TABLE,
    solutions::TABLE,
    tallies::TABLE,
    messages::TABLE,
    help::TABLE,
    pictures::TABLE,
    answers::TABLE,
    commands::TABLE,
];

/// All predicates written in Rust but those that need goals or clauses.
pub fn tables() -> impl Iterator<Item = &'static Builtin> {
    FAMILIES.iter().chain(trace::FAMILIES).copied().flatten()
}

#[cfg(test)]
mod tests;
