//! Control: truth, all solutions, and counters.

pub mod counters;
pub mod solutions;
pub mod tallies;
pub mod true_fail;
