//! Answers from whole columns, for goals that consist of searches and integer arithmetic only.

pub(crate) mod aggregates;
pub(crate) mod answers;
pub(crate) mod band;
pub(crate) mod compile;
pub(crate) mod counts;
pub(crate) mod expression;
pub(crate) mod join;
pub(crate) mod join_test;
pub(crate) mod key;
pub(crate) mod parallel;
pub(crate) mod rows;
pub(crate) mod run;
pub(crate) mod slots;
pub(crate) mod steps;
pub(crate) mod summary;
pub(crate) mod sums;
