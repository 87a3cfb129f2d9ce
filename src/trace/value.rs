//! Values of attributes: what a reader hands in, and what a question gets back.

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
    /// The characters of an atom (a truth value is one to a goal) or a string, which are the same text.
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
    /// An integer of any size, in decimal digits after a minus sign if it has one.
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
    /// A value of the attribute that was told before, so that it need not be looked for.
    Known(ValueId),
}

/// Number of a value among those of one attribute, from [`TraceBuilder::value`](super::TraceBuilder::value).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueId(pub(super) u32);

impl ValueId {
    /// Place of this value among those of its attribute, from 0, in the order in which they were told.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of a list of arguments, from [`TraceBuilder::args`](super::TraceBuilder::args).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArgsId(pub(super) u32);

/// A list of texts (arguments, their names or types) that a reader hands to the builder.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ListField<'a> {
    /// The event has none.
    #[default]
    Absent,
    /// As printed: separated by commas outside of brackets and quotes, `-` for one that is not live.
    Text(&'a str),
    /// One by one; none for one that is not live.
    Parts(&'a [Option<&'a str>]),
    /// Arguments that were told before, so that they need not be looked for; only arguments can be.
    Known(ArgsId),
}
