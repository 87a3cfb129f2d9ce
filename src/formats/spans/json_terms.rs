//! JSON inside of values: objects as pairs, arrays and objects as terms.

use serde_json::{Map, Number, Value};

use super::draft::Pairs;
use super::records::SpanRecords;
use super::values::{SpanValue, TermText};
use crate::formats::json::value::Json;

/// The keys and values of the object that a text is, without those that are null; none if it is no object.
pub(crate) fn pairs_of_json(records: &mut SpanRecords, text: &str) -> Option<Pairs> {
    let object: Map<String, Value> = serde_json::from_str(text).ok()?;
    let present = object.iter().filter(|(_, value)| !value.is_null());
    Some(present.map(|(key, value)| (records.text(key), number_of(records, value))).collect())
}

/// The name and the attributes of an annotation: `{"name": {...}}`, with or without the outer braces, else a text.
pub(crate) fn annotation(records: &mut SpanRecords, text: &str) -> (u32, Pairs) {
    let with_braces = format!("{{{text}}}");
    for text in [text, &with_braces] {
        let object = Some(text).filter(|text| text.starts_with('{') && text.ends_with('}'));
        let object: Option<Map<String, Value>> = object.and_then(|text| serde_json::from_str(text).ok());
        let mut entries = object.iter().flat_map(Map::iter);
        if let (Some((name, Value::Object(attributes))), None) = (entries.next(), entries.next()) {
            let pairs = attributes.iter().map(|(key, value)| (records.text(key), number_of(records, value)));
            let pairs = pairs.collect();
            return (records.text(name), pairs);
        }
    }
    (records.text(text), Pairs::new())
}

/// The number of the value that a JSON value of a tag with this key is.
pub(crate) fn number_of_json(records: &mut SpanRecords, key: u32, value: &Json<'_>) -> u32 {
    match value {
        Json::Null => records.value(SpanValue::Absent),
        Json::Bool(value) => records.value(SpanValue::Bool(*value)),
        Json::Integer(digits) => {
            records.value_of(key, digits.parse().map_or(SpanValue::Digits(digits), SpanValue::Int))
        }
        Json::Decimal(text) => records.value(SpanValue::Float(text.parse().unwrap_or(f64::NAN))),
        Json::Text(text) => records.value_of(key, SpanValue::Text(text)),
        Json::Nested(text) => number_of_nested(records, text),
    }
}

/// The number of the value that a JSON value is.
fn number_of(records: &mut SpanRecords, value: &Value) -> u32 {
    match value {
        Value::Array(_) | Value::Object(_) => {
            let term = term_of(value);
            records.value(SpanValue::Term(&term))
        }
        simple => records.value(simple_value(simple)),
    }
}

/// The number of the term that the text of an array or object is; of the text itself, if it is neither.
fn number_of_nested(records: &mut SpanRecords, text: &str) -> u32 {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => number_of(records, &value),
        Err(_) => records.value(SpanValue::Text(text)),
    }
}

fn simple_value(value: &Value) -> SpanValue<'_> {
    match value {
        Value::Bool(value) => SpanValue::Bool(*value),
        Value::Number(number) => number_value(number),
        Value::String(text) => SpanValue::Text(text),
        Value::Null | Value::Array(_) | Value::Object(_) => SpanValue::Absent,
    }
}

fn number_value(number: &Number) -> SpanValue<'_> {
    let text = number.as_str();
    match text.parse() {
        Ok(value) => SpanValue::Int(value),
        Err(_) if text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()) => SpanValue::Digits(text),
        Err(_) => SpanValue::Float(text.parse().unwrap_or(f64::NAN)),
    }
}

/// What is left of a container.
enum Rest<'v> {
    Array(std::slice::Iter<'v, Value>),
    Object(serde_json::map::Iter<'v>),
}

/// The text of the term: a list, or an object such as `{"k":1}`.
fn term_of(value: &Value) -> String {
    let (mut term, mut open) = (TermText::default(), Vec::new());
    enter(value, &mut term, &mut open);
    while let Some(rest) = open.last_mut() {
        let next = match rest {
            Rest::Array(values) => values.next(),
            Rest::Object(entries) => entries.next().map(|(key, value)| {
                term.separate();
                term.member(key);
                value
            }),
        };
        match (next, rest) {
            (Some(value), Rest::Array(_)) => {
                term.separate();
                enter(value, &mut term, &mut open);
            }
            (Some(value), Rest::Object(_)) => enter(value, &mut term, &mut open),
            (None, rest) => {
                match rest {
                    Rest::Array(_) => term.text.push(']'),
                    Rest::Object(_) => term.end_object(),
                }
                open.pop();
            }
        }
    }
    term.text
}

fn enter<'v>(value: &'v Value, term: &mut TermText, open: &mut Vec<Rest<'v>>) {
    match value {
        Value::Array(values) => {
            term.text.push('[');
            open.push(Rest::Array(values.iter()));
        }
        Value::Object(entries) => {
            term.text.push('{');
            open.push(Rest::Object(entries.iter()));
        }
        simple => term.value(simple_value(simple)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_pairs_and_what_is_nested_is_a_term() {
        let mut records = SpanRecords::default();
        let text =
            r#"{"a": "x", "b": [1, -2.5, [], {"k": null, "L": {}}], "c": null, "d": 18446744073709551616, "e": 1e2}"#;
        let pairs = pairs_of_json(&mut records, text).expect("an object");
        let shown: Vec<(&str, &str)> =
            pairs.iter().map(|(key, value)| (records.text_of(*key), records.text_of(*value))).collect();
        let b = "t[1,-2.5,[],{\"k\":null,\"L\":json([])}]";
        assert_eq!(shown, [("a", "ax"), ("b", b), ("d", "n18446744073709551616"), ("e", "f100")]);
        assert_eq!(pairs_of_json(&mut records, "[1]"), None);
        assert_eq!(pairs_of_json(&mut records, "{"), None);
    }
}
