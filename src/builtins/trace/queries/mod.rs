//! Queries: lists of constraints, their tests on events, and the predicates that search with them.

pub mod filter;
pub mod fold;
pub mod matcher;
pub mod query;
pub mod search;
pub mod term_test;
