//! JSON values as they stand in a line, taken apart no further than they must be.

use std::borrow::Cow;
use std::fmt;

use indexmap::IndexMap;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::scanner::JsonScanner;
use crate::formats::lines::text::json_fault;
use crate::term::hash::RandomState;

/// The keys and values of an object, in their order.
pub(crate) struct JsonObject<'t>(pub(crate) Vec<(Cow<'t, str>, Json<'t>)>);

/// A JSON value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Json<'t> {
    #[default]
    Null,
    Bool(bool),
    /// An integer, in the digits of the file.
    Integer(&'t str),
    /// Any other number, as it is written.
    Decimal(&'t str),
    Text(Cow<'t, str>),
    /// An array or an object, as it is written.
    Nested(&'t str),
}

/// So many keys are compared with each other faster than they are hashed.
const FEW: usize = 16;

/// Characters of an integer that surely has 64 bits.
const MOST_PLAIN: usize = 18;

/// The object on a line, or why it is none.
pub(crate) fn object(text: &str) -> Result<JsonObject<'_>, String> {
    serde_json::from_str(text).or_else(|error| special_numbers(text).ok_or_else(|| json_fault(text, &error)))
}

/// An object with `NaN`, `Infinity` or `-inf`, which are no JSON, as libraries of Python, JavaScript and C write them.
#[cold]
fn special_numbers(text: &str) -> Option<JsonObject<'_>> {
    if !["NaN", "Infinity", "nan", "inf"].iter().any(|number| text.contains(number)) {
        return None;
    }
    let (mut scanner, mut entries) = (JsonScanner::new(text), Vec::new());
    scanner.begin_object().ok()?;
    while let Some(key) = scanner.next_key().ok()? {
        entries.push((key, scanner.value().ok()?));
    }
    scanner.end().ok().map(|()| JsonObject(entries))
}

impl<'t> JsonObject<'t> {
    /// The object that is the whole text, if it has few keys, each once, and nothing is nested in it; found faster than by
    /// [`object`], which says why a text is none, if most of its keys are likely ones in their order.
    pub(crate) fn flat(text: &'t str, likely: &[&'static str]) -> Option<JsonObject<'t>> {
        let (mut scanner, mut entries) = (JsonScanner::new(text), Vec::with_capacity(FEW));
        let mut likely = likely.iter();
        scanner.begin_object().ok()?;
        loop {
            let key = match likely.find(|key| scanner.passes_plain_key(key)) {
                Some(key) => Cow::Borrowed(*key),
                None => match scanner.next_key().ok()? {
                    // likely keys are different, and none is taken after another key
                    Some(key) if entries.len() < FEW && entries.iter().all(|(known, _)| *known != key) => key,
                    Some(_) => return None,
                    None => break,
                },
            };
            match scanner.value() {
                // a decimal number may be `NaN`, which is no JSON
                Err(_) | Ok(Json::Nested(_) | Json::Decimal(_)) => return None,
                Ok(value) => entries.push((key, value)),
            }
        }
        scanner.end().ok().map(|()| JsonObject(entries))
    }

    /// The object with each key once: in the place of its first entry, with the value of its last one.
    pub(crate) fn without_repeats(self) -> JsonObject<'t> {
        let is_new = |at: usize| self.0[..at].iter().all(|(known, _)| *known != self.0[at].0);
        if self.0.len() <= FEW && (0..self.0.len()).all(is_new) {
            return self;
        }
        JsonObject(self.0.into_iter().collect::<IndexMap<_, _, RandomState>>().into_iter().collect())
    }

    /// The value of a key; of several the last one.
    pub(crate) fn get(&self, key: &str) -> Option<&Json<'t>> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl<'t> Deserialize<'t> for JsonObject<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<JsonObject<'t>, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

/// Collects the entries of an object.
struct ObjectVisitor;

impl<'t> Visitor<'t> for ObjectVisitor {
    type Value = JsonObject<'t>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<M: MapAccess<'t>>(self, mut map: M) -> Result<JsonObject<'t>, M::Error> {
        let mut entries = Vec::with_capacity(16);
        while let Some(key) = map.next_key::<ObjectKey<'t>>()? {
            entries.push((key.0, Json::of(map.next_value::<&'t RawValue>()?.get())));
        }
        Ok(JsonObject(entries))
    }
}

/// A key, which is borrowed unless it has escapes.
struct ObjectKey<'t>(Cow<'t, str>);

impl<'t> Deserialize<'t> for ObjectKey<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<ObjectKey<'t>, D::Error> {
        deserializer.deserialize_str(ObjectKeyVisitor).map(ObjectKey)
    }
}

/// Takes the text of a key.
struct ObjectKeyVisitor;

impl<'t> Visitor<'t> for ObjectKeyVisitor {
    type Value = Cow<'t, str>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, text: &'t str) -> Result<Cow<'t, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'t, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

impl<'t> Json<'t> {
    /// The value that is written as `text`, which is valid JSON.
    pub(crate) fn of(text: &'t str) -> Json<'t> {
        match text.as_bytes().first() {
            Some(b'"') => Json::Text(unquoted(text)),
            Some(b'{' | b'[') => Json::Nested(text),
            Some(b't') => Json::Bool(true),
            Some(b'f') => Json::Bool(false),
            Some(b'-' | b'0'..=b'9') if text.bytes().all(|byte| matches!(byte, b'-' | b'0'..=b'9')) => {
                Json::Integer(text)
            }
            Some(b'-' | b'0'..=b'9' | b'N' | b'I' | b'i') => Json::Decimal(text),
            _ => Json::Null,
        }
    }

    /// The integer that it is, if it has 64 bits.
    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            Json::Integer(digits) if digits.len() <= MOST_PLAIN => {
                let (is_negative, digits) = digits.strip_prefix('-').map_or((false, *digits), |rest| (true, rest));
                let value = digits.bytes().fold(0, |value, digit| value * 10 + i64::from(digit & 0xF));
                Some(if is_negative { -value } else { value })
            }
            Json::Integer(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// The text that it is.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of an array.
    pub(crate) fn elements(&self) -> Option<Vec<Json<'t>>> {
        match self {
            Json::Nested(text) if text.starts_with('[') => {
                let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                Some(elements.into_iter().map(|element| Json::of(element.get())).collect())
            }
            _ => None,
        }
    }

    /// The entries of an object.
    pub(crate) fn entries(&self) -> Option<JsonObject<'t>> {
        match self {
            Json::Nested(text) if text.starts_with('{') => serde_json::from_str(text).ok(),
            _ => None,
        }
    }

    /// The value as JSON without blanks, as `shown` in messages.
    pub(crate) fn written(&self) -> Cow<'t, str> {
        match self {
            Json::Null => Cow::Borrowed("null"),
            Json::Bool(true) => Cow::Borrowed("true"),
            Json::Bool(false) => Cow::Borrowed("false"),
            Json::Integer(text) | Json::Decimal(text) => Cow::Borrowed(text),
            Json::Text(text) => Cow::Owned(serde_json::Value::from(text.as_ref()).to_string()),
            Json::Nested(text) => Cow::Owned(compact(text)),
        }
    }
}

/// What stands between the quotes of a JSON text; half of a character is U+FFFD.
pub(crate) fn unquoted(text: &str) -> Cow<'_, str> {
    let inner = &text[1..text.len().saturating_sub(1).max(1)];
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Cow::Borrowed(inner);
    }
    let decoded = serde_json::from_str(text).or_else(|_| serde_json::from_str(&without_halves(text)));
    decoded.map_or(Cow::Borrowed(inner), Cow::Owned)
}

/// Whether half of a character is written in a JSON text, as `\ud83d` without `\ude00`.
pub(crate) fn has_halves(text: &str) -> bool {
    // most texts have no escapes
    let Some(first) = memchr::memchr(b'\\', text.as_bytes()) else { return false };
    let rest = &text[first..];
    (rest.contains("\\ud") || rest.contains("\\uD")) && without_halves(rest) != rest
}

/// The text with `\ufffd` for each half of a character.
fn without_halves(text: &str) -> String {
    let unit = |rest: &str| u16::from_str_radix(rest.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let (mut whole, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        whole += &rest[..at];
        rest = &rest[at..];
        let (written, length) = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (&rest[..12], 12),
            (Some(0xD800..=0xDFFF), _) => ("\\ufffd", 6),
            _ => {
                let length = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
                (&rest[..length], length)
            }
        };
        whole += written;
        rest = &rest[length..];
    }
    whole + rest
}

/// A part of a JSON text.
pub(crate) enum JsonToken<'t> {
    /// A text, with its quotes.
    Text(&'t str),
    /// A number.
    Number(&'t str),
    /// A bracket, a comma, a colon or a word.
    Other(&'t str),
}

/// The parts of a valid JSON text, without the blanks between them.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = JsonToken<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let first = *rest.as_bytes().first()?;
        let length = match first {
            b'"' => quoted_length(rest),
            b'[' | b']' | b'{' | b'}' | b',' | b':' => 1,
            _ => rest.find([' ', '\t', '\n', '\r', '[', ']', '{', '}', ',', ':']).unwrap_or(rest.len()),
        };
        let token;
        (token, rest) = rest.split_at(length);
        Some(match first {
            b'"' => JsonToken::Text(token),
            b'-' | b'0'..=b'9' => JsonToken::Number(token),
            _ => JsonToken::Other(token),
        })
    })
}

/// The length of the text in quotes at the start.
fn quoted_length(text: &str) -> usize {
    let (bytes, mut at) = (text.as_bytes(), 1);
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at = (at + 1).min(bytes.len());
    }
    bytes.len()
}

/// A JSON value without blanks, each text spelled in one way, so that equal values are equal texts.
pub(crate) fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for token in tokens(text) {
        match token {
            JsonToken::Text(text) if text.contains('\\') => {
                out.push_str(&serde_json::Value::from(unquoted(text).as_ref()).to_string());
            }
            JsonToken::Text(text) | JsonToken::Number(text) | JsonToken::Other(text) => out.push_str(text),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_character_is_told_and_the_other_escapes_are_decoded() {
        for (text, expected, has) in [
            (r#""x\ny\ud83d""#, "x\ny\u{fffd}", true),
            (r#""\uDE00\ud83d\ude00\\ud83d""#, "\u{fffd}\u{1f600}\\ud83d", true),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}", true),
            (r#""\ud83d\u0041é""#, "\u{fffd}Aé", true),
            (r#""\ud83d\ude00""#, "\u{1f600}", false),
            (r#""a\\ud83d""#, "a\\ud83d", false),
        ] {
            assert_eq!((&*unquoted(text), has_halves(text)), (expected, has), "{text}");
        }
    }

    #[test]
    fn the_first_byte_of_a_value_gives_its_kind() {
        let line =
            r#"{"a": -12345678901234567890, "b": 1.50, "c": "x\ty", "d": [1, {"e": null}], "f": true, "g": null}"#;
        let object = object(line).expect("an object");
        let expected = [
            Json::Integer("-12345678901234567890"),
            Json::Decimal("1.50"),
            Json::Text("x\ty".into()),
            Json::Nested(r#"[1, {"e": null}]"#),
            Json::Bool(true),
            Json::Null,
        ];
        assert_eq!(object.0.into_iter().map(|(_, value)| value).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_flat_object_is_the_same_however_it_is_read() {
        for line in [r#"{"a": -1, "b\u0041\n": "x\ty", "c": null, "": true}"#, "{}", " {\"a\":\"\"} "] {
            for likely in [[].as_slice(), &["a"], &["", "a", "bA"]] {
                let found = JsonObject::flat(line, likely).expect("it is flat");
                assert_eq!(found.0, object(line).expect("an object").0, "{line}");
            }
        }
        for line in [
            r#"{"a": 1, "\u0061": 2}"#,
            r#"{"a": NaN}"#,
            r#"{"a": 1.5}"#,
            r#"{"a": []}"#,
            r#"{"a": 01}"#,
            "{\"a\": \"\t\"}",
            "[]",
            "{} x",
            "",
        ] {
            assert!(JsonObject::flat(line, &["a"]).is_none(), "{line}");
        }
    }

    #[test]
    fn the_last_value_of_a_key_counts_in_the_place_of_the_first() {
        for n_more in [0, 100] {
            let more: String = (0..n_more).map(|n| format!(", \"k{n}\": {n}")).collect();
            let line = format!("{{\"a\": 1, \"b\": 2, \"a\": 3, \"c\": 4, \"\\u0062\": null{more}}}");
            let found = object(&line).expect("an object").without_repeats();
            let first: Vec<(&str, &Json)> = found.0.iter().take(3).map(|(key, value)| (&**key, value)).collect();
            assert_eq!(first, [("a", &Json::Integer("3")), ("b", &Json::Null), ("c", &Json::Integer("4"))]);
            assert_eq!(found.0.len(), 3 + n_more);
        }
    }

    #[test]
    fn equal_values_become_equal_texts() {
        assert_eq!(compact(" [1, 2.0 ,{\"a\\u0062\" : [ ], \"c d\":\"\\\"\"}]"), r#"[1,2.0,{"ab":[],"c d":"\""}]"#);
    }
}
