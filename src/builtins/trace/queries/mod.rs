//! Queries: lists of constraints, their tests on events, and the predicates that search with them.

pub(crate) mod filter;
pub(crate) mod fold;
pub(crate) mod lookup;
pub(crate) mod matcher;
pub(crate) mod query;
pub(crate) mod search;
pub(crate) mod term_test;
