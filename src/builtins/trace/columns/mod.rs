//! Answers from whole columns, for goals that consist of searches and integer arithmetic only.

pub mod aggregates;
pub mod answers;
pub mod compile;
pub mod counts;
pub mod explain;
pub mod expression;
pub mod parallel;
pub mod rows;
pub mod run;
pub mod slots;
pub mod steps;
pub mod sums;
