//! Values of events as terms.

pub mod attributes;
pub mod json;
pub mod live_variables;
pub mod text_terms;
pub mod tuples;
pub mod unify;
