//! The one integration binary: the command as its users meet it.

mod batch;
mod bench_programs;
mod changed;
mod check;
mod cleanup;
mod confinement;
mod convert;
mod examples;
mod folds;
mod fuzz;
mod garbage;
mod hard;
mod info;
mod language;
mod limits;
mod places;
mod predicates;
mod prompt;
mod query;
mod readme;
mod run;
mod shell;
mod support;
mod tabling;
mod terms;
mod tidy;
