//! `help`, `man` and `apropos`, and the list of all predicates.

pub mod chapters;
pub mod predicate_list;
pub mod predicates;
pub mod wrap;
