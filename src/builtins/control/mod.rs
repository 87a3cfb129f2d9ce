//! Control: truth, all solutions, and counters.

pub(crate) mod counters;
pub(crate) mod solutions;
pub(crate) mod tallies;
pub(crate) mod true_fail;
