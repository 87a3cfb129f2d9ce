//! Matchers: terms that the printed arguments of events are unified with, put to the texts without building anything.
//!
//! A matcher understands what most printed arguments are made of. Where it would have to guess - operators, escapes,
//! variables, what is no term at all - it does not know, and the text is read and unified.

mod list;
mod parts;
mod pattern;
mod skip;
mod stack;
#[cfg(test)]
mod tests;
mod walk;

use std::borrow::Cow;
use std::ops::Range;

use crate::engine::{Cell, OccursCheck, Part, Store};
use crate::trace::{ArgTexts, AttributeId};

use self::pattern::Pattern;
use self::walk::Walker;
use super::term_test::TermTest;

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

/// A term for the arguments of an event, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    ops: Vec<Op>,
    /// The operations of each argument.
    items: Vec<Range<usize>>,
    rest: Rest,
    has_variables: bool,
}

/// What may come after the arguments that a matcher knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// No other one.
    Nothing,
    /// Any number of others.
    Anything,
    /// Any number of others, whose list occurs elsewhere too.
    Again,
}

/// What the next subterm of a text must be; the operations for the parts of a compound follow it.
#[derive(Clone, Debug, PartialEq)]
enum Op {
    /// Anything.
    Any,
    /// Anything, of which the matcher does not know whether it is right.
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

/// Arguments with greater numbers are left to the general reader.
const MAX_ARGUMENT: usize = 256;

impl Matcher {
    /// The matcher of a term for a part of an event, whose variables get terms that tests hold for; none if the part is
    /// not made of arguments, or nothing would be gained.
    pub(crate) fn new(store: &Store, part: Part, term: Cell, tests: &[TermTest]) -> Option<Matcher> {
        if store.occurs_check != OccursCheck::Off {
            return None;
        }
        let mut pattern = Pattern::default();
        match part {
            Part::Attribute(AttributeId::ARGS) => pattern.list(store, term)?,
            Part::Argument(number) if number <= MAX_ARGUMENT => pattern.argument(store, number, term),
            _ => return None,
        }
        tests.iter().for_each(|test| pattern.test(store, test));
        Some(pattern.finish())
    }

    /// Whether the term had variables.
    pub(crate) fn has_variables(&self) -> bool {
        self.has_variables
    }

    /// What the arguments of an event are to the term.
    pub(crate) fn verdict(&self, list: ArgTexts<'_>) -> Verdict {
        match list.whole() {
            Cow::Borrowed(text) => match Walker::new(text).arguments(self) {
                Ok(()) => Verdict::Fits,
                Err(verdict) => verdict,
            },
            Cow::Owned(_) => Verdict::Unknown,
        }
    }

    fn op(&self, item: &Range<usize>) -> &Op {
        &self.ops[item.start]
    }
}
