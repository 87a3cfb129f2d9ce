//! Values of events as terms.

pub(crate) mod attributes;
pub(crate) mod json;
pub(crate) mod live_variables;
pub(crate) mod text_terms;
pub(crate) mod tuples;
pub(crate) mod unify;
