//! Matchers: compiled terms that are matched with the texts of arguments, without building the terms of these texts.
//!
//! A matcher understands the syntax of most printed arguments. Where it would have to guess (operators, escapes,
//! variables, texts that are not terms), its verdict is unknown, and the text is read and unified.

mod list;
mod names;
mod operations;
mod pattern;
mod skip;
mod stack;
#[cfg(test)]
mod tests;
mod walk;
mod walker;

use std::borrow::Cow;
use std::ops::Range;

use crate::engine::{Cell, EventPart, OccursCheck, Store};
use crate::trace::{ArgTexts, AttributeId};

use self::operations::MatcherOperation;
pub(crate) use self::operations::{MatchVerdict, Matcher};
use self::pattern::MatcherPattern;
use self::walker::TextWalker;
use super::term_test::TermTest;

/// Arguments with greater numbers are left to the general reader.
const MAX_ARGUMENT: usize = 256;

impl Matcher {
    /// The matcher of a term for a part of an event; the values of its variables must pass `tests`. None if the part is
    /// not made of arguments, or if a matcher would gain nothing.
    pub(crate) fn new(store: &Store, part: EventPart, term: Cell, tests: &[TermTest]) -> Option<Matcher> {
        if store.occurs_check != OccursCheck::Off {
            return None;
        }
        let mut pattern = MatcherPattern::default();
        match part {
            EventPart::Attribute(AttributeId::ARGS) => pattern.list(store, term)?,
            EventPart::Argument(number) if number <= MAX_ARGUMENT => pattern.argument(store, number, term),
            _ => return None,
        }
        tests.iter().for_each(|test| pattern.test(store, test));
        Some(pattern.finish())
    }

    /// Whether the term has variables.
    pub(crate) fn has_variables(&self) -> bool {
        self.has_variables
    }

    /// Whether the arguments of an event unify with the term.
    pub(crate) fn verdict(&self, list: ArgTexts<'_>) -> MatchVerdict {
        match list.whole() {
            Cow::Borrowed(text) => match TextWalker::new(text).arguments(self) {
                Ok(()) => MatchVerdict::Fits,
                Err(verdict) => verdict,
            },
            Cow::Owned(_) => MatchVerdict::Unknown,
        }
    }

    fn op(&self, item: &Range<usize>) -> &MatcherOperation {
        &self.ops[item.start]
    }
}
