//! The trace as relations: calls, causes, graphs, proofs, facts about the whole, and other traces.

pub mod calls;
pub mod causes;
pub mod coverage;
pub mod graphs;
pub mod info;
pub mod other_traces;
pub mod pictures;
pub mod proofs;
