//! Values of attributes beyond the usual ones: each JSON value keeps its type.

use std::borrow::Cow;

use super::line::{Json, compact};
use crate::trace::Field;

/// A value of an attribute beyond the usual ones.
pub enum Extra<'t> {
    Int(i64),
    BigInt(&'t str),
    Float(f64),
    Bool(bool),
    Text(Cow<'t, str>),
    Term(Cow<'t, str>),
    Json(String),
}

impl Extra<'_> {
    /// The value for the builder.
    pub fn as_field(&self) -> Field<'_> {
        match self {
            Extra::Int(value) => Field::Int(*value),
            Extra::BigInt(digits) => Field::BigInt(digits),
            Extra::Float(value) => Field::Float(*value),
            Extra::Bool(value) => Field::Bool(*value),
            Extra::Text(text) => Field::Text(text),
            Extra::Term(text) => Field::Term(text),
            Extra::Json(text) => Field::Json(text),
        }
    }
}

impl<'t> Extra<'t> {
    /// The value that a JSON value is.
    pub fn of(value: &Json<'t>) -> Extra<'t> {
        match value {
            Json::Null => Extra::Json("null".to_owned()),
            Json::Bool(value) => Extra::Bool(*value),
            Json::Integer(digits) => digits.parse().map_or(Extra::BigInt(digits), Extra::Int),
            Json::Decimal(text) => match text.parse::<f64>() {
                Ok(value) if value.is_finite() => Extra::Float(value),
                _ => Extra::Json((*text).to_owned()),
            },
            Json::Text(text) => Extra::Text(text.clone()),
            Json::Nested(text) => term(value).unwrap_or_else(|| Extra::Json(compact(text))),
        }
    }
}

/// `{"term": "f(x)"}`, a term.
fn term<'t>(value: &Json<'t>) -> Option<Extra<'t>> {
    let mut entries = value.entries()?.0.into_iter();
    match (entries.next()?, entries.next()) {
        ((kind, Json::Text(text)), None) if kind == "term" => Some(Extra::Term(text)),
        _ => None,
    }
}
