//! The predicates that ask and walk the trace.

mod argument_test;
mod assertions;
mod batch;
mod browse;
mod calls;
mod causes;
mod coverage;
mod draft;
mod errors;
mod explain;
mod filter;
mod fold;
mod forms;
mod graphs;
mod groups;
mod info;
mod json;
mod key;
mod likeness;
mod live;
mod matcher;
mod monitors;
mod moves;
mod parameters;
mod proofs;
mod query;
mod search;
mod several;
mod show;
mod source;
mod term_test;
mod terms;
mod tuples;
mod values;
mod way;

pub(in crate::builtins) use show::show_event;

use super::Family;

pub use assertions::{Breach, Ending, Follower, News, is_assertion};

/// The tables of this family.
pub const FAMILIES: &[Family] = &[
    ("Searching the trace", search::TABLE),
    ("Folds over events", fold::TABLE),
    ("Searching the trace", batch::TABLE),
    ("Searching the trace", explain::TABLE),
    ("Moving the cursor", moves::TABLE),
    ("Moving the cursor", moves::STEPS),
    ("Calls", calls::TABLE),
    ("The current event", live::TABLE),
    ("Causality", causes::TABLE),
    ("Event lines", show::TABLE),
    ("The current event", browse::TABLE),
    ("Sources of the traced program", source::TABLE),
    ("Parameters", parameters::TABLE),
    ("About the trace", info::TABLE),
    ("Counting and grouping", groups::TABLE),
    ("Assertions", assertions::TABLE),
    ("Monitors", monitors::TABLE),
    ("Monitors", monitors::FIELDS),
    ("Graphs and proof trees", graphs::TABLE),
    ("Graphs and proof trees", proofs::TABLE),
    ("Coverage", coverage::TABLE),
    ("Comparing traces", several::TABLE),
];

#[cfg(test)]
mod tests;
