//! Values read as the types of maps: times, integers, bytes, JSON in a text; and the comparisons of conditions.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::line::{Found, elements};
use crate::formats::json::scanner::JsonScanner;
use crate::formats::json::value::Json;
use crate::formats::mapping::{Comparison, Constant, ValueType};
use crate::formats::times;

/// A value that is not null, read as of a type.
pub(crate) fn as_type(value: Json<'_>, value_type: ValueType) -> Found<'_> {
    match value_type {
        ValueType::DateTime | ValueType::Time(_) => {
            time(&value, value_type).map_or(Found::Unreadable(value), Found::Int)
        }
        ValueType::Int => {
            number_text(&value).and_then(|text| times::decimal(text, 0)).map_or(Found::Unreadable(value), Found::Int)
        }
        ValueType::Bytes => match bytes(&value) {
            Some(text) => Found::Json(Json::Text(Cow::Owned(text))),
            None => Found::Json(value),
        },
        ValueType::Json => match value {
            Json::Text(text) if is_json(&text) => Found::Written(text.trim().to_owned()),
            other => Found::Json(other),
        },
    }
}

/// A time as a number of the type's unit, or in any form that programs write.
fn time(value: &Json<'_>, value_type: ValueType) -> Option<i64> {
    let text = number_text(value)?;
    let number = match value_type {
        ValueType::Time(exponent) => times::decimal(text, exponent),
        _ => None,
    };
    number.or_else(|| times::any_form(text)).or_else(|| times::since_1970(text))
}

/// The text of a number, or that of a text which may hold one.
fn number_text<'v>(value: &'v Json<'_>) -> Option<&'v str> {
    match value {
        Json::Integer(text) | Json::Decimal(text) => Some(text),
        Json::Text(text) => Some(text.trim()),
        _ => None,
    }
}

/// The text that an array of bytes holds.
fn bytes(value: &Json<'_>) -> Option<String> {
    let Json::Nested(text) = value else { return None };
    if !text.starts_with('[') {
        return None;
    }
    let bytes: Vec<u8> = elements(text).map(|element| element.parse().ok()).collect::<Option<_>>()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn is_json(text: &str) -> bool {
    let mut scanner = JsonScanner::new(text);
    scanner.skip().is_ok() && scanner.end().is_ok()
}

/// Whether a value compares with a constant as a condition says; a text equals a text, only numbers are less or greater.
pub(crate) fn holds(value: &Json<'_>, comparison: Comparison, constant: &Constant) -> bool {
    let order = order(value, constant);
    match comparison {
        Comparison::Equal => order == Some(Ordering::Equal) || is_same(value, constant),
        Comparison::Unequal => !(order == Some(Ordering::Equal) || is_same(value, constant)),
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::AtMost => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::AtLeast => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

fn order(value: &Json<'_>, constant: &Constant) -> Option<Ordering> {
    let (Json::Integer(text) | Json::Decimal(text)) = value else { return None };
    match (text.parse::<i64>(), constant) {
        (Ok(value), Constant::Int(constant)) => Some(value.cmp(constant)),
        (_, Constant::Int(constant)) => text.parse::<f64>().ok()?.partial_cmp(&(*constant as f64)),
        (_, Constant::Float(constant)) => text.parse::<f64>().ok()?.partial_cmp(constant),
        (_, Constant::Text(_)) => None,
    }
}

fn is_same(value: &Json<'_>, constant: &Constant) -> bool {
    match (value, constant) {
        (Json::Bool(value), Constant::Text(constant)) => **constant == *if *value { "true" } else { "false" },
        (Json::Text(value), Constant::Text(constant)) => {
            **constant == **value && !matches!(&**constant, "true" | "false")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_of_their_types() {
        let read = |text: &'static str, value_type| as_type(Json::of(text), value_type);
        assert_eq!(read("\"1969-12-31T23:59:59.5Z\"", ValueType::DateTime), Found::Int(-500_000_000));
        assert_eq!(read("1795363446.4226213", ValueType::Time(9)), Found::Int(1_795_363_446_422_621_300));
        assert_eq!(read("\"1795363446422621\"", ValueType::Time(3)), Found::Int(1_795_363_446_422_621_000));
        assert_eq!(read("\"2024-01-01T00:00:01.500Z\"", ValueType::Time(6)), Found::Int(1_704_067_201_500_000_000));
        assert_eq!(read("1704067201500", ValueType::DateTime), Found::Int(1_704_067_201_500_000_000));
        assert_eq!(read("\"yesterday\"", ValueType::Time(3)), Found::Unreadable(Json::of("\"yesterday\"")));
        assert_eq!(read("\"23798\"", ValueType::Int), Found::Int(23_798));
        assert_eq!(read("-7.9", ValueType::Int), Found::Int(-7));
        assert_eq!(read("[104, 105, 255]", ValueType::Bytes), Found::Json(Json::Text("hi\u{fffd}".into())));
        assert_eq!(read("[256]", ValueType::Bytes), Found::Json(Json::Nested("[256]")));
        assert_eq!(read("\"{\\\"a\\\": 1}\"", ValueType::Json), Found::Written("{\"a\": 1}".to_owned()));
        assert_eq!(read("\"{\\\"a\\\": \"", ValueType::Json), Found::Json(Json::Text("{\"a\": ".into())));
    }

    #[test]
    fn only_numbers_are_less_or_greater() {
        let is_true = |value: &str, comparison, constant| holds(&Json::of(value), comparison, &constant);
        assert!(is_true("500", Comparison::AtLeast, Constant::Int(500)));
        assert!(is_true("500.5", Comparison::Greater, Constant::Int(500)));
        assert!(!is_true("\"500\"", Comparison::AtLeast, Constant::Int(500)));
        assert!(is_true("true", Comparison::Equal, Constant::Text("true".into())));
        assert!(!is_true("\"true\"", Comparison::Equal, Constant::Text("true".into())));
        assert!(is_true("\"a\"", Comparison::Equal, Constant::Text("a".into())));
        assert!(is_true("\"b\"", Comparison::Unequal, Constant::Text("a".into())));
    }
}
