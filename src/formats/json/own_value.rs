//! Values of attributes beyond the usual ones: each JSON value keeps its type.

use std::borrow::Cow;

use super::value::{Json, compact};
use crate::trace::Field;

/// A value of an attribute beyond the usual ones.
pub(crate) enum OwnValue<'t> {
    Int(i64),
    BigInt(&'t str),
    Float(f64),
    Bool(bool),
    Atom(Cow<'t, str>),
    Text(Cow<'t, str>),
    Term(Cow<'t, str>),
    Json(String),
}

impl OwnValue<'_> {
    /// The value for the builder.
    pub(crate) fn as_field(&self) -> Field<'_> {
        match self {
            OwnValue::Int(value) => Field::Int(*value),
            OwnValue::BigInt(digits) => Field::BigInt(digits),
            OwnValue::Float(value) => Field::Float(*value),
            OwnValue::Bool(value) => Field::Bool(*value),
            OwnValue::Atom(name) => Field::Atom(name),
            OwnValue::Text(text) => Field::Text(text),
            OwnValue::Term(text) => Field::Term(text),
            OwnValue::Json(text) => Field::Json(text),
        }
    }
}

impl<'t> OwnValue<'t> {
    /// The value that a JSON value is.
    pub(crate) fn of(value: &Json<'t>) -> OwnValue<'t> {
        match value {
            Json::Null => OwnValue::Json("null".to_owned()),
            Json::Bool(value) => OwnValue::Bool(*value),
            Json::Integer(digits) => digits.parse().map_or(OwnValue::BigInt(digits), OwnValue::Int),
            Json::Decimal(text) => match text.parse::<f64>() {
                // a number beyond all floats is none, unlike the word for infinity
                Ok(value) if value.is_finite() || text.ends_with(['N', 'y', 'n', 'f']) => OwnValue::Float(value),
                _ => OwnValue::Json((*text).to_owned()),
            },
            Json::Text(text) => OwnValue::Text(text.clone()),
            Json::Nested(text) => term(value).unwrap_or_else(|| OwnValue::Json(compact(text))),
        }
    }

    /// The atom that is written as a text.
    pub(crate) fn text_as_atom(self) -> OwnValue<'t> {
        match self {
            OwnValue::Text(text) => OwnValue::Atom(text),
            other => other,
        }
    }
}

/// `{"term": "f(x)"}`, a term.
fn term<'t>(value: &Json<'t>) -> Option<OwnValue<'t>> {
    let mut entries = value.entries()?.0.into_iter();
    match (entries.next()?, entries.next()) {
        ((kind, Json::Text(text)), None) if kind == "term" => Some(OwnValue::Term(text)),
        _ => None,
    }
}
