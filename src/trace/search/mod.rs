//! Search: constraints on attributes, compiled to a pattern, and the events that match it.

pub(super) mod constraint;
pub(crate) mod contradiction;
pub(super) mod distinct_values;
pub(super) mod find;
pub(super) mod form;
pub(super) mod matches;
pub(super) mod pattern;
pub(super) mod rising;
pub(super) mod scan;
pub(super) mod simple_form;
pub(super) mod sweep;
