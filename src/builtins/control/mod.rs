//! Control: truth, all solutions, and what is counted while goals run.

pub mod counters;
pub mod solutions;
pub mod tallies;
pub mod true_fail;
