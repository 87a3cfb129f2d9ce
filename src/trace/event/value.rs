//! Values of attributes: what a reader hands to the builder, and what a query gets back.

use crate::term::Atom;

use super::args::ArgTexts;
use super::proc::ProcId;

/// The value of an attribute of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
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
    pub fn characters(self) -> Option<&'a str> {
        match self {
            Value::Atom(name) => Some(name.as_str()),
            Value::Text(text) => Some(text),
            Value::Bool(true) => Some("true"),
            Value::Bool(false) => Some("false"),
            _ => None,
        }
    }
}

/// A value that a reader hands to the builder for an attribute outside the fixed ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Field<'a> {
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

/// Number of a value among those of one attribute, from [`TraceBuilder::value`](crate::trace::TraceBuilder::value).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueId(pub(crate) u32);

impl ValueId {
    /// Index of this value among those of its attribute, from 0, in the order in which they were added.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of a list of arguments, from [`TraceBuilder::args`](crate::trace::TraceBuilder::args).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArgsId(pub(crate) u32);

/// A list of texts (arguments, their names or types) that a reader hands to the builder.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ListField<'a> {
    /// The event has none.
    #[default]
    Absent,
    /// As printed: separated by commas outside brackets and quotes, `-` for one that is not live.
    Text(&'a str),
    /// One by one; none for one that is not live.
    Parts(&'a [Option<&'a str>]),
    /// Known arguments, by their number, so that they are not looked up. For arguments only.
    Known(ArgsId),
}
