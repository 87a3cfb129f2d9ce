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

use crate::engine::Builtin;

pub use assertions::{Breach, Ending, Follower, News, is_assertion};

/// The tables of this family.
pub const FAMILIES: &[&[Builtin]] = &[
    search::TABLE,
    fold::TABLE,
    batch::TABLE,
    explain::TABLE,
    moves::TABLE,
    moves::STEPS,
    calls::TABLE,
    live::TABLE,
    causes::TABLE,
    show::TABLE,
    browse::TABLE,
    source::TABLE,
    parameters::TABLE,
    info::TABLE,
    groups::TABLE,
    assertions::TABLE,
    monitors::TABLE,
    monitors::FIELDS,
    graphs::TABLE,
    proofs::TABLE,
    coverage::TABLE,
    several::TABLE,
];

#[cfg(test)]
mod tests;
