//! Floor 5, the entry point of the library: load a trace, consult rules, run goals, check assertions.
//!
//! Nothing here touches the terminal or exits; a session returns what happened, and the caller shows it.

mod answer;
mod ask;
mod check;
mod clause_warnings;
mod consult;
mod doubt;
mod explain;
mod follow;
mod footprint;
mod goals;
mod operators;
mod query;
mod ready;
mod rules;
mod state;
#[cfg(test)]
mod tests;
mod values;

pub use answer::{Answer, Binding};
pub use ask::{Answers, AskError};
pub use check::{Check, Outcome, Verdict};
pub(crate) use consult::Consulted;
pub use follow::{Following, Told};
pub use footprint::{Shown, footprint};
pub use goals::Goals;
pub use operators::declared_operators;
pub use query::Query;
pub use state::{Limits, Moves, Options, PredicateDoc, Session};
pub use values::{ValueCount, values_of};
