//! `help`, `man` and `apropos`, and the list of all predicates.

pub(crate) mod chapters;
pub(crate) mod predicate_list;
pub(crate) mod predicates;
pub(crate) mod wrap;
