//! The predicates about the trace.
//!
//! | room | contents |
//! |---|---|
//! | `errors`, `cursor` | errors for questions that make no sense for a trace; the event at the cursor |
//! | `values` | values of events as terms |
//! | `constraints` | lists of constraints: reading and compiling them |
//! | `commands` | Morphine's commands: moves, event lines, parameters, `browse/1`, the source of the traced program |
//! | `queries` | constraints put to events; searches and folds |
//! | `columns` | answers from whole columns |
//! | `assertions` | the vocabulary of assertions, and monitors |
//! | `relations` | calls, causes, graphs, proofs, coverage, facts about the trace, other traces |
//!
//! A room imports from those above it in this table.

mod assertions;
pub(super) mod columns;
pub(super) mod commands;
pub(super) mod constraints;
mod cursor;
pub(super) mod errors;
pub(super) mod queries;
pub(super) mod relations;
mod values;

use crate::builtins::record::TopicPredicates;

pub(crate) use assertions::{
    Breach, FollowedEnding, Follower, News, SCOPES, is_assertion, is_of_later_events, is_of_order, needs_events,
    stays_violated, wrong_assertion,
};
pub(crate) use commands::source::{LineUse, SourceLines, source_excerpt, source_lines};
pub(crate) use constraints::literal::{LiteralConstraint, literal_constraints};
pub(crate) use constraints::wrong::wrong_constraints;

/// The tables of this family.
pub(crate) const FAMILIES: &[TopicPredicates] = &[
    ("Searching the trace", queries::search::TABLE),
    ("Folds over events", queries::fold::TABLE),
    ("Searching the trace", columns::summary::TABLE),
    ("Moving the cursor", commands::moves::TABLE),
    ("Moving the cursor", commands::moves::STEPS),
    ("Calls", relations::calls::TABLE),
    ("The current event", values::live_variables::TABLE),
    ("Causality", relations::causes::TABLE),
    ("Event lines", commands::show::TABLE),
    ("The current event", commands::browse::TABLE),
    ("Sources of the traced program", commands::source::TABLE),
    ("Parameters", commands::parameters::TABLE),
    ("About the trace", relations::info::TABLE),
    ("About the trace", relations::info::OF_FILE),
    ("Assertions", assertions::TABLE),
    ("Monitors", assertions::monitors::TABLE),
    ("Monitors", assertions::monitors::FIELDS),
    ("Graphs and proof trees", relations::graphs::TABLE),
    ("Graphs and proof trees", relations::proofs::TABLE),
    ("Coverage", relations::coverage::TABLE),
    ("Times of calls", relations::profile::TABLE),
    ("Comparing traces", relations::other_traces::TABLE),
    ("Derived traces", relations::derived_traces::TABLE),
];

#[cfg(test)]
mod tests;
