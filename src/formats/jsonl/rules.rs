//! The rules J2 and J4: values that their attributes cannot have. One finding for each column and kind of fault.

use crate::formats::not_terms::{NOT_TERMS, not_terms};
use crate::term::hash::HashMap;
use crate::trace::TraceBuilder;

/// A fault in the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ValueFault {
    /// Not the expected kind of value.
    Kind(&'static str),
    /// A text that is no term.
    NoTerm,
    /// An attribute too many.
    TooMany,
    /// Another arity than that of the call.
    Arity,
    /// Another depth than that of the call.
    Depth,
    /// A number that another call was given.
    Taken,
}

/// The first of some faults, and how many there are.
struct FaultCount {
    line: u64,
    shown: String,
    count: u64,
}

/// The faults in each column.
#[derive(Default)]
pub(crate) struct FaultCounts {
    by_column: HashMap<(Box<str>, ValueFault), FaultCount>,
}

/// Letters of a value that are kept for a message.
const MOST_LETTERS: usize = 60;

/// Columns whose faults are reported, so that a file with endless keys takes no endless memory.
const MOST_COLUMNS: usize = 1000;

impl FaultCounts {
    /// Counts a fault.
    pub(crate) fn add(&mut self, key: &str, fault: ValueFault, line: u64, shown: &str) {
        if let Some(reported) = self.by_column.get_mut(&(Box::from(key), fault)) {
            reported.count += 1;
        } else if self.by_column.len() < MOST_COLUMNS {
            let shown = shown.chars().take(MOST_LETTERS).collect();
            self.by_column.insert((key.into(), fault), FaultCount { line, shown, count: 1 });
        }
    }

    /// Hands the findings to the builder, those of the first lines first.
    pub(crate) fn report(self, builder: &mut TraceBuilder) {
        let mut faults: Vec<((Box<str>, ValueFault), FaultCount)> = self.by_column.into_iter().collect();
        faults.sort_by(|((one, _), first), ((other, _), second)| (first.line, one).cmp(&(second.line, other)));
        for ((key, fault), reported) in faults {
            if fault == ValueFault::NoTerm {
                let n_others = usize::try_from(reported.count - 1).unwrap_or(usize::MAX);
                builder.finding(NOT_TERMS, None, Some(reported.line), not_terms(&reported.shown, n_others));
                continue;
            }
            let others = if reported.count > 1 { format!(" (the first of {})", reported.count) } else { String::new() };
            let (rule, message) = fault.describe(&key, &reported.shown);
            builder.finding(rule, None, Some(reported.line), format!("{message}{others}"));
        }
    }
}

impl ValueFault {
    /// The rule that is broken, and the words for it.
    fn describe(self, key: &str, shown: &str) -> (&'static str, String) {
        match self {
            ValueFault::Kind(expected) => {
                ("J2", format!("expected {expected} for `{key}`, found `{shown}`: kept as `{key}_`"))
            }
            ValueFault::NoTerm => (NOT_TERMS, not_terms(shown, 0)),
            ValueFault::TooMany => ("J2", format!("too many attributes: `{key}` is left out")),
            ValueFault::Arity => ("J4", format!("{shown}: the arity of the call is kept")),
            ValueFault::Depth => ("J4", format!("`depth` {shown} of its call")),
            ValueFault::Taken => {
                ("J4", format!("the number {shown} of a call was given to one without a number: kept as `{key}_`"))
            }
        }
    }
}
