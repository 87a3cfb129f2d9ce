//! What a matcher is made of: operations on the subterms of a text, and its verdict.

use std::ops::Range;

/// What a text is to a term, as far as a matcher can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They do not unify.
    Fails,
    /// They unify. That a variable which occurs once was bound since the matcher was made is not taken into account.
    Fits,
    /// This has to be found out by reading and unifying.
    Unknown,
}

/// What may come after the arguments that a matcher knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// No other one.
    Nothing,
    /// Any number of others.
    Anything,
    /// Any number of others, whose list occurs elsewhere too.
    Again,
}

/// What the next subterm of a text must be; the operations for the parts of a compound follow it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Op {
    /// Anything.
    Any,
    /// Anything: the matcher cannot decide whether it matches.
    Unsure,
    /// A whole argument that is a list with an element for each of these constants.
    List(Vec<Op>),
    Int(i64),
    /// A big integer, or a float other than zero.
    Number(crate::syntax::Number),
    Str(Box<str>),
    Nil,
    Atom(&'static str),
    /// An atom that is an operator.
    OperatorAtom(&'static str),
    /// A list of at least one element: the operations of the element, then those of the rest.
    Pair,
    /// A compound with that many arguments.
    Compound(&'static str, u32),
    /// A compound that may be written in a way of its own, such as one of an operator.
    Special(&'static str),
}

/// A term for the arguments of an event, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    pub(super) ops: Vec<Op>,
    /// The operations of each argument.
    pub(super) items: Vec<Range<usize>>,
    pub(super) rest: Rest,
    pub(super) has_variables: bool,
}

/// A step over the text; none if that decides the verdict.
pub(super) type Walk<T> = Result<T, Verdict>;
