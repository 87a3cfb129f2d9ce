//! The program and its session: clauses, tables, operators, flags, global variables, scripts and messages.

pub mod clause_search;
pub mod clauses;
pub mod flags;
pub mod globals;
pub mod messages;
pub mod operators;
pub mod reference;
pub mod references;
pub mod scripts;
pub mod statistics;
pub mod tables;
