//! What is known of all predicates without calling them: library files, their comments, effects and abbreviations.

pub(crate) mod abbreviations;
pub(crate) mod doc;
pub(crate) mod effects;
pub(crate) mod library;
pub(crate) mod modes;
pub(crate) mod properties;
