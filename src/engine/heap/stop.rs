//! The ways in which a goal ends other than success and failure.

use thiserror::Error;

use crate::term::Tree;

/// Control flow that leaves a goal without a solution and is not a failure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    /// An exception; `catch/3` may take it.
    Throw(Box<Tree>),
    /// `halt(Status)`.
    Halt(i32),
    /// The user interrupted.
    Interrupt,
    /// A limit was reached.
    Limit(QueryLimit),
    /// The reader of the output has closed it.
    OutputClosed,
}

/// A limit of a query.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub(crate) enum QueryLimit {
    /// `--time-limit`.
    #[error("time limit exceeded")]
    Time,
    /// `call_with_time_limit/2`, on the way to the machine, which throws `time_limit_exceeded` instead.
    #[error("time limit exceeded")]
    GoalTime,
}
