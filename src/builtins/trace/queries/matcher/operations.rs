//! The operations of a matcher on the subterms of a text, and its verdicts.

use std::ops::Range;

/// Whether a text unifies with a term, as far as a matcher can decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchVerdict {
    /// They do not unify.
    Fails,
    /// They unify, provided that the variables are bound as they were when the matcher was made.
    Fits,
    /// Unknown: the text must be read and unified.
    Unknown,
}

/// What may follow the arguments that a matcher knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentsRest {
    /// No other argument.
    Nothing,
    /// Any number of others.
    Anything,
    /// Any number of others; the variable for their list occurs elsewhere, too.
    Again,
}

/// What the next subterm of a text must be; the operations for the parts of a compound follow it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MatcherOperation {
    /// Anything.
    Any,
    /// Anything: the matcher cannot decide whether it matches.
    Unsure,
    /// A whole argument that is a list with an element for each of these constants.
    List(Vec<MatcherOperation>),
    Int(i64),
    /// A big integer, or a float other than zero.
    Number(crate::syntax::NumberLiteral),
    Str(Box<str>),
    Nil,
    Atom(&'static str),
    /// An atom that is an operator.
    OperatorAtom(&'static str),
    /// A list of at least one element: the operations of the element, then those of the rest.
    Pair,
    /// A compound with this many arguments.
    Compound(&'static str, u32),
    /// A compound with a special notation, such as one with an operator.
    Special(&'static str),
}

/// A term for the arguments of an event, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    pub(super) ops: Vec<MatcherOperation>,
    /// The operations of each argument.
    pub(super) items: Vec<Range<usize>>,
    pub(super) rest: ArgumentsRest,
    pub(super) has_variables: bool,
}

/// The result of a step over the text; an error if the step decides the verdict.
pub(super) type WalkResult<T> = Result<T, MatchVerdict>;
