//! The Prolog flags that a goal can change; the constant ones are a table of the builtins.

use crate::syntax::{DoubleQuotes, ReadFlags};
use crate::term::Atom;

/// Values of the changeable flags, by name.
#[derive(Clone, Debug)]
pub(crate) struct Flags {
    values: Vec<(Atom, Atom)>,
}

/// The changeable flags: name, values allowed; the first is the default.
pub(crate) const CHANGEABLE: &[(&str, &[&str])] = &[
    ("char_conversion", &["off", "on"]),
    ("debug", &["off", "on"]),
    ("double_quotes", &["string", "codes", "chars", "atom"]),
    ("occurs_check", &["false", "true", "error"]),
    ("unknown", &["error", "fail", "warning"]),
];

impl Default for Flags {
    fn default() -> Flags {
        let initial = |&(name, values): &(&str, &[&str])| (Atom::new(name), Atom::new(values[0]));
        Flags { values: CHANGEABLE.iter().map(initial).collect() }
    }
}

impl Flags {
    /// The value of a changeable flag.
    pub(crate) fn value(&self, name: Atom) -> Option<Atom> {
        self.values.iter().find(|(flag, _)| *flag == name).map(|(_, value)| *value)
    }

    /// Sets a changeable flag to a value that the caller has checked.
    pub(crate) fn change(&mut self, name: Atom, value: Atom) {
        if let Some((_, present)) = self.values.iter_mut().find(|(flag, _)| *flag == name) {
            *present = value;
        }
    }

    /// The flags that reading a term depends on.
    pub(crate) fn reading(&self) -> ReadFlags {
        let double_quotes = match self.value(Atom::new("double_quotes")).map_or("string", Atom::as_str) {
            "codes" => DoubleQuotes::Codes,
            "chars" => DoubleQuotes::Chars,
            "atom" => DoubleQuotes::Atom,
            _ => DoubleQuotes::String,
        };
        ReadFlags { double_quotes }
    }

    /// All changeable flags with their values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Atom, Atom)> + '_ {
        self.values.iter().copied()
    }
}
