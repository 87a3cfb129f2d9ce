//! The trace as relations: calls, causes, graphs, proofs, facts about the whole, and other and derived traces.

pub(crate) mod calls;
pub(crate) mod causes;
pub(crate) mod coverage;
pub(crate) mod derived_traces;
pub(crate) mod graphs;
pub(crate) mod info;
pub(crate) mod other_traces;
pub(crate) mod pictures;
pub(crate) mod profile;
pub(crate) mod proofs;
