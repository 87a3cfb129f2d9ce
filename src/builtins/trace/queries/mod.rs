//! Queries: lists of constraints put to events, and the searches that do so.

pub mod filter;
pub mod fold;
pub mod matcher;
pub mod query;
pub mod search;
pub mod term_test;
