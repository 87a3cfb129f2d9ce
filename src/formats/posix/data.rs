//! The data of events: bytes in hexadecimal and the text that they may be, or other JSON.

use crate::formats::json::value::Json;
use crate::formats::lines::swar;
use crate::term::letters::write_quoted;
use crate::trace::Field;

/// Kept data that are bytes.
pub(super) const BYTES: u8 = 1;
/// Kept data that are the elements of a JSON array: the value, and the text that the line states for it.
pub(super) const JSON: u8 = 2;

/// Hands the value of kept data to `take`, if there are any.
pub(super) fn with_value(kind: u8, bytes: &[u8], take: impl FnOnce(Field<'_>)) {
    if kind == BYTES {
        let mut hex = String::with_capacity(2 * bytes.len());
        write_hex(bytes, &mut hex);
        return take(Field::Atom(&hex));
    }
    match stated(bytes).first() {
        Some(Json::Text(hex)) => take(Field::Atom(hex)),
        Some(value) => take(value.integer().map_or(Field::Json(&value.written()), Field::Int)),
        None => {}
    }
}

/// Writes kept data as an argument: a text that the line states for them as a string, filters as terms.
pub(super) fn write_argument_of(kind: u8, bytes: &[u8], out: &mut String) {
    if kind == BYTES {
        return write_argument(bytes, out);
    }
    match stated(bytes).as_slice() {
        [Json::Text(_), Json::Text(text)] | [Json::Text(text), ..] => write_string(text, out),
        [value, ..] => match value.integer() {
            Some(value) => out.push_str(&value.to_string()),
            None => filters_argument(&value.written(), out),
        },
        [] => {}
    }
}

fn stated(bytes: &[u8]) -> Vec<Json<'_>> {
    std::str::from_utf8(bytes).ok().and_then(|text| Json::of(text).elements()).unwrap_or_default()
}

/// The filters that a value has under a key.
pub(super) fn filter(value: &serde_json::Value, key: &str) -> Option<Vec<i64>> {
    value.get(key)?.as_array()?.iter().map(serde_json::Value::as_i64).collect()
}

/// `[36]` for a start, `filter([36], [])` for a filter event, and any other JSON as a string.
fn filters_argument(json: &str, out: &mut String) {
    let value = serde_json::from_str(json).unwrap_or_default();
    let set = |key| filter(&value, key).map(|ids| list(&ids));
    match (set("event_filter"), set("old"), set("new")) {
        (Some(set), ..) => out.push_str(&set),
        (None, Some(old), Some(new)) => out.extend(["filter(", &old, ", ", &new, ")"]),
        _ => write_string(json, out),
    }
}

/// Ids as a list: `[33,36]`.
pub(super) fn list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", ids.join(","))
}

/// Replaces `bytes` by those that lower-case hexadecimal digits write; returns whether they do.
pub(super) fn read_bytes(hex: &str, bytes: &mut Vec<u8>) -> bool {
    bytes.clear();
    let mut are_digits = hex.len().is_multiple_of(2);
    for digits in hex.as_bytes().chunks(8) {
        let mut word = [b'0'; 8];
        word[..digits.len()].copy_from_slice(digits);
        let (read, n_digits) = swar::hex(u64::from_le_bytes(word));
        bytes.extend_from_slice(&read[..digits.len() / 2]);
        are_digits &= n_digits == 8;
    }
    are_digits
}

/// Writes bytes as an argument: a string if the bytes are text (a zero may end it), else the digits as an atom.
fn write_argument(bytes: &[u8], out: &mut String) {
    let inner = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    let text = std::str::from_utf8(inner).ok();
    match text.filter(|text| text.chars().all(is_text)) {
        Some(text) => write_string(text, out),
        None => {
            out.push('\'');
            write_hex(bytes, out);
            out.push('\'');
        }
    }
}

/// Writes bytes as lower-case hexadecimal digits.
fn write_hex(bytes: &[u8], out: &mut String) {
    let digit = |digit: u8| char::from(b"0123456789abcdef"[usize::from(digit)]);
    for byte in bytes {
        out.extend([digit(byte >> 4), digit(byte & 15)]);
    }
}

fn is_text(character: char) -> bool {
    !character.is_control() || matches!(character, '\t' | '\n' | '\r')
}

/// Writes a text as the string of the language.
fn write_string(text: &str, out: &mut String) {
    write_quoted(out, text, '"').expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(hex: &str) -> String {
        let (mut bytes, mut out) = (Vec::new(), String::new());
        assert!(read_bytes(hex, &mut bytes), "{hex}");
        write_argument(&bytes, &mut out);
        out
    }

    #[test]
    fn bytes_of_a_text_are_a_string_and_others_stay_digits() {
        assert_eq!(argument("776f"), "\"wo\"");
        assert_eq!(argument("776f00"), "\"wo\"");
        assert_eq!(argument("22c3a95c0a"), "\"\\\"é\\\\\\n\"");
        assert_eq!(argument(""), "\"\"");
        assert_eq!(argument("01000000"), "'01000000'");
        assert_eq!(argument("41000000"), "'41000000'");
        assert_eq!(argument("ff"), "'ff'");
    }

    #[test]
    fn odd_and_other_digits_are_no_bytes() {
        for hex in ["abc", "AB", "0g", "012345678", "0123456789abcdeF"] {
            assert!(!read_bytes(hex, &mut Vec::new()), "{hex}");
        }
    }
}
