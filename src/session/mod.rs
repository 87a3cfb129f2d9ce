//! Floor 5, the entry point of the library: load a trace, consult rules, run goals, check assertions.
//!
//! Nothing here touches the terminal or exits; a session returns what happened, and the caller shows it.

mod answer;
mod ask;
mod blind_windows;
mod check;
mod claims;
mod clause_parts;
mod clause_warnings;
mod consult;
mod early;
mod elsewhere;
mod follow;
mod goals;
mod library_checks;
mod operators;
mod query;
mod rules;
mod state;
#[cfg(test)]
mod tests;
mod unfold;
mod unknown_names;
mod unknown_predicates;
mod value_counts;
mod violation;
mod wrong_goals;

pub use answer::Answer;
pub(crate) use answer::AnswerBinding;
pub use ask::{Answers, AskError};
pub(crate) use blind_windows::has_windows;
pub use check::{Check, Outcome, Verdict};
pub(crate) use consult::Consulted;
pub(crate) use elsewhere::{AnswerElsewhere, DecidedBy, EVENT, EventsInQuestion, events_of_searches};
pub(crate) use follow::{FollowedOutcome, Following};
pub(crate) use goals::Goals;
pub(crate) use operators::declared_operators;
pub(crate) use query::GoalAnswers;
pub(crate) use state::PredicateDoc;
pub use state::{Limits, Moves, Options, Session};
pub(crate) use value_counts::{ValueCount, calls_of, values_of};
pub(crate) use violation::with_event_numbers;
