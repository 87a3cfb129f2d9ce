//! Mistakes in queries.

use thiserror::Error;

/// An attribute that a query cannot use.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum SchemaError {
    /// `prot = exit`: no trace has such an attribute.
    #[error("expected an attribute, found `{name}`{}; this trace{recorded} has {}", did_you_mean(.nearest), shown_names(.has))]
    Unknown {
        /// The name in the query.
        name: String,
        /// The attribute most like it.
        nearest: Option<String>,
        /// How the trace was recorded, as in `Absent`.
        recorded: &'static str,
        /// All attributes of the trace.
        has: Vec<String>,
    },
    /// `line_number = 3` when the trace was printed without line numbers.
    #[error("this trace{recorded} has no attribute `{name}`; it has {}", shown_names(.has))]
    Absent {
        /// The full name of the attribute.
        name: String,
        /// How the trace was recorded, if that may be the reason: `, recorded with --no-args,`.
        recorded: &'static str,
        /// All attributes of the trace.
        has: Vec<String>,
    },
}

/// A constraint that is meaningless for this trace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum ConstraintError {
    /// The attribute does not exist.
    #[error(transparent)]
    Attribute(#[from] SchemaError),
    /// `depth = foo`, `port = 3`: a value of the wrong type.
    #[error("expected {expected} for `{attribute}`, found `{found}`{}", kept_as(own))]
    WrongType {
        /// Name of the attribute.
        attribute: String,
        /// What its values are.
        expected: &'static str,
        /// The value, as text.
        found: String,
        /// The attribute that keeps what the file has instead.
        own: Option<String>,
    },
    /// `proc = m:p` when the trace has no modules.
    #[error("the procedures of this trace have no `{part}`; they have {}", shown_names(.has))]
    PartAbsent {
        /// Name of the missing part.
        part: String,
        /// The parts that the procedures have.
        has: Vec<String>,
    },
    /// `port = exti`, `det = bogus`, `kind = severr`: a word that is none of a closed set.
    #[error("expected a {domain}, found `{found}`{}; {known} {}", did_you_mean(.nearest), shown_names(.words))]
    UnknownWord {
        /// What the words of the set are: `port`, or the name of an attribute.
        domain: String,
        /// The word in the query.
        found: String,
        /// The word most like it.
        nearest: Option<String>,
        /// Says that the words are the set: `determinisms are`.
        known: String,
        /// All words of the set.
        words: Vec<String>,
    },
    /// `stack = []`: the attribute is not stored but computed from the calls.
    #[error("`{attribute}` is computed from other attributes, and can only be unified")]
    Computed {
        /// Name of the attribute.
        attribute: String,
    },
    /// The operations do not leave exactly one form: a mistake of the caller.
    #[error("the form of `{attribute}` is not complete")]
    Malformed {
        /// Name of the attribute.
        attribute: String,
    },
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}

/// That the values in the file are those of another attribute.
fn kept_as(own: &Option<String>) -> String {
    own.as_ref().map_or(String::new(), |own| format!(" (`{own}` is what the file has)"))
}

/// The names as a list, of which a message shows no more than a person reads.
pub(crate) fn shown_names(names: &[String]) -> String {
    const MOST: usize = 60;
    match names.len().checked_sub(MOST) {
        None | Some(0) => names.join(", "),
        Some(n_more) => format!("{} and {n_more} more (`papaver info` lists them)", names[..MOST].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::shown_names;

    #[test]
    fn long_lists_of_names_are_shortened() {
        let names: Vec<String> = (1..=61).map(|number| format!("k{number}")).collect();
        assert!(shown_names(&names[..60]).ends_with(", k59, k60"));
        assert!(shown_names(&names).ends_with(", k60 and 1 more (`papaver info` lists them)"));
    }
}
