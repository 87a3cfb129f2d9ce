//! The program and its session: clauses, tables, operators, flags, global variables, scripts and messages.

pub(crate) mod clause_search;
pub(crate) mod clauses;
pub(crate) mod flags;
pub(crate) mod globals;
pub(crate) mod messages;
pub(crate) mod operators;
pub(crate) mod reference;
pub(crate) mod references;
pub(crate) mod scripts;
pub(crate) mod statistics;
pub(crate) mod tables;
