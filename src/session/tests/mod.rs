//! Tests of whole sessions: values, paths to a trace, the assertions of the library, questions.

mod causality;
mod joins;
mod law;
mod library_checks;
mod lookups;
mod paths;
mod questions;
mod stack;
