//! Floor 5: goals as SQL, for engines that query an exported folder of Parquet files.
//!
//! A goal becomes alternatives, each a join of the tables `events` and `calls` with its conditions. Alternatives are
//! united, and sorted as the machine would find their answers. What cannot be said in SQL with the same answers is an
//! error at its place in the goal.

mod alternatives;
mod answers;
mod calls;
mod compile;
mod conditions;
mod constraints;
mod derived;
mod dialect;
mod lists;
mod near;
mod recursion;
mod recursive_tables;
mod rules;
mod stack;

pub(crate) use alternatives::{Template, ValueKind};
pub(crate) use answers::{Query, Selected, united};
pub(crate) use compile::{AskedTrace, CompiledGoal, compile};
pub(crate) use derived::{DerivedEventsQuery, derived_events};
pub(crate) use dialect::Dialect;
pub(crate) use rules::Rules;
