//! Analyses of a whole trace: groups, the call graph, costs of calls, gathered columns, proofs, comparisons, reasons for an
//! empty answer.

pub(super) mod asked_list;
pub(super) mod boxes;
pub(super) mod call_graph;
pub(super) mod compare;
pub(super) mod diff;
pub(super) mod gather;
pub(super) mod group;
pub(super) mod loops;
pub(super) mod profile;
pub(super) mod proof;
pub(super) mod reason;
pub(super) mod unknown_word;
