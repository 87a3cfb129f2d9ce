//! What is known of all predicates without calling them: library files, their comments, effects and abbreviations.

pub mod abbreviations;
pub mod doc;
pub mod effects;
pub mod library;
pub mod modes;
pub mod properties;
