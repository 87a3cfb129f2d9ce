//! Values of attributes: what a reader hands to the builder, and what a query gets back.

use std::fmt::Write;

use crate::term::Atom;

use super::args::ArgTexts;
use super::proc::ProcId;

/// The value of an attribute of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    /// The event has no value for it.
    Absent,
    /// An integer.
    Int(i64),
    /// An integer beyond 64 bits, in decimal digits.
    BigInt(&'a str),
    /// A float.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// An atom.
    Atom(Atom),
    /// A string.
    Text(&'a str),
    /// The text of a term.
    Term(&'a str),
    /// The steps of a path.
    Path(&'a [Atom]),
    /// A procedure.
    Proc(ProcId),
    /// A list of terms, each still a text.
    Args(ArgTexts<'a>),
    /// A list of strings.
    Texts(ArgTexts<'a>),
    /// A JSON array or object, as its text.
    Json(&'a str),
}

impl<'a> Value<'a> {
    /// The characters of a string or an atom (to a goal, a truth value is an atom).
    pub(crate) fn characters(self) -> Option<&'a str> {
        match self {
            Value::Atom(name) => Some(name.as_str()),
            Value::Text(text) => Some(text),
            Value::Bool(true) => Some("true"),
            Value::Bool(false) => Some("false"),
            _ => None,
        }
    }

    /// The value that a dictionary stores as this text.
    pub(crate) fn stored(stored: &'a str) -> Value<'a> {
        let Some((letter, text)) = stored.split_at_checked(1) else { return Value::Absent };
        match letter {
            "i" => text.parse().map_or(Value::Absent, Value::Int),
            "n" => Value::BigInt(text),
            "f" => text.parse().map_or(Value::Absent, Value::Float),
            "b" => Value::Bool(text == "true"),
            "a" => Value::Atom(Atom::new(text)),
            "s" => Value::Text(text),
            "t" => Value::Term(text),
            _ => Value::Json(text),
        }
    }
}

/// A value that a reader hands to the builder for an attribute outside the fixed ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Field<'a> {
    /// An integer.
    Int(i64),
    /// An integer of any size, in decimal digits, after a minus sign if it is negative.
    BigInt(&'a str),
    /// A float.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// An atom.
    Atom(&'a str),
    /// A string.
    Text(&'a str),
    /// The text of a term.
    Term(&'a str),
    /// A JSON array or object, as its text.
    Json(&'a str),
    /// A known value of the attribute, by its number, so that it is not looked up.
    Known(ValueId),
}

impl<'a> Field<'a> {
    /// A letter for its type, and its text, which a number does not have yet.
    #[inline]
    fn stored_parts(self) -> (&'static str, &'a str) {
        match self {
            Field::Int(_) => ("i", ""),
            Field::BigInt(digits) => ("n", digits),
            Field::Float(_) => ("f", ""),
            Field::Bool(value) => ("b", if value { "true" } else { "false" }),
            Field::Atom(text) => ("a", text),
            Field::Text(text) => ("s", text),
            Field::Term(text) => ("t", text),
            Field::Json(text) => ("j", text),
            Field::Known(_) => ("", ""),
        }
    }

    /// Whether dictionaries surely store it as this text.
    #[inline]
    pub(crate) fn is_stored_as(self, stored: &str) -> bool {
        let (letter, text) = self.stored_parts();
        !text.is_empty() && stored.strip_prefix(letter) == Some(text)
    }

    /// Writes the value as dictionaries store it: a letter for its type, then its text.
    pub(crate) fn write_stored(self, stored: &mut String) {
        stored.clear();
        let (letter, text) = self.stored_parts();
        stored.push_str(letter);
        stored.push_str(text);
        let written = match self {
            Field::Int(value) => write!(stored, "{value}"),
            Field::Float(value) => write!(stored, "{value}"),
            _ => Ok(()),
        };
        written.expect("writing to a string does not fail");
    }
}

/// Number of a value among those of one attribute, from [`TraceBuilder::value`](crate::trace::TraceBuilder::value).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ValueId(pub(crate) u32);
