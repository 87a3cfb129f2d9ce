//! Fields of records in JSON: texts, times, counts and names in the spellings that writers use.

use std::borrow::Cow;

use super::draft::SpanDraft;
use super::ids::{IdUse, SpanId, of_any_size};
use super::records::{KINDS, NO_TEXT, NO_TIME, STATUSES, SpanRecords};
use crate::formats::json::value::Json;
use crate::formats::lines::swar;

/// The text of a value: a text itself, another value as it is written; none for null.
pub(crate) fn written<'j>(value: &'j Json<'_>) -> &'j str {
    match value {
        Json::Null => "",
        Json::Bool(true) => "true",
        Json::Bool(false) => "false",
        Json::Integer(text) | Json::Decimal(text) | Json::Nested(text) => text,
        Json::Text(text) => text,
    }
}

/// The integer that a number, or a text of digits, is; none if it has a fraction or is something else.
pub(crate) fn integer(value: &Json<'_>) -> Option<i128> {
    match value {
        Json::Integer(digits) => few_digits(digits).map_or_else(|| digits.parse().ok(), |number| Some(number.into())),
        Json::Text(text) if !text.is_empty() => match few_digits(text) {
            Some(number) => Some(number.into()),
            None if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
            None => None,
        },
        Json::Decimal(text) => whole(text.parse().ok()?),
        _ => None,
    }
}

/// The number that at most 19 digits write.
fn few_digits(text: &str) -> Option<u64> {
    let (bytes, mut number, mut at) = (text.as_bytes(), 0, 0);
    if bytes.len() > 19 {
        return None;
    }
    while let Some(word) = swar::load(bytes, at) {
        let (eight, n_digits) = swar::decimal(word);
        number = Some(number * 100_000_000 + eight).filter(|_| n_digits == 8)?;
        at += 8;
    }
    let digit = |number: u64, digit: &u8| {
        Some(number * 10 + u64::from(Some(digit.wrapping_sub(b'0')).filter(|digit| *digit < 10)?))
    };
    bytes[at..].iter().try_fold(number, digit)
}

/// The integer that a float is, if it has no fraction.
pub(crate) fn whole(value: f64) -> Option<i128> {
    (value.fract() == 0.0 && value.abs() < 1e30).then_some(value as i128)
}

/// How many things were dropped.
pub(crate) fn count(value: &Json<'_>) -> u64 {
    match value {
        Json::Integer(_) | Json::Text(_) => integer(value).and_then(|count| u64::try_from(count).ok()).unwrap_or(0),
        _ => 0,
    }
}

/// The id of a trace in hexadecimal digits, of which leading zeros may lack.
pub(crate) fn any_size_trace(
    records: &mut SpanRecords,
    draft: &mut SpanDraft,
    id: &Json<'_>,
    (what, needed): (&str, IdUse),
) -> u32 {
    match id_text(id) {
        Some(text) => draft.trace_id(records, (&text, of_any_size(&text, 32)), 16, (what, needed)),
        None => draft.no_text(what),
    }
}

/// The id of a span in hexadecimal digits, of which leading zeros may lack.
pub(crate) fn any_size_id(
    records: &mut SpanRecords,
    draft: &mut SpanDraft,
    id: &Json<'_>,
    (what, needed): (&str, IdUse),
) -> SpanId {
    match id_text(id) {
        Some(text) => draft.span_id(records, (&text, of_any_size(&text, 16)), (what, needed)),
        None => {
            draft.no_text(what);
            SpanId::None
        }
    }
}

/// The text of an id, which may be a number; none if it is something else.
fn id_text<'j>(id: &'j Json<'_>) -> Option<Cow<'j, str>> {
    match id {
        Json::Null | Json::Text(_) => Some(Cow::Borrowed(written(id))),
        Json::Integer(digits) => digits.parse::<u128>().ok().map(|number| Cow::Owned(format!("{number:x}"))),
        _ => None,
    }
}

/// The number of the kind with a name, in letters of any case.
pub(crate) fn kind_named(name: &str) -> Option<u8> {
    KINDS.iter().skip(1).position(|kind| name.eq_ignore_ascii_case(kind)).map(|kind| kind as u8 + 1)
}

impl SpanRecords {
    /// The number of the text that a value is.
    pub(crate) fn written(&mut self, value: &Json<'_>) -> u32 {
        self.text(written(value))
    }
}

impl SpanDraft {
    /// A time, in a unit of so many nanoseconds; zero, null and absence are no time.
    pub(crate) fn json_time(&mut self, value: &Json<'_>, unit: i64, what: &str) -> i64 {
        match (value, integer(value)) {
            (Json::Null, _) => NO_TIME,
            (_, Some(time)) => self.time(time, unit, what),
            _ => {
                self.misfit(what, written(value));
                NO_TIME
            }
        }
    }

    /// The number of a kind, given by its number or by its name after `SPAN_KIND_`.
    pub(crate) fn json_kind(&mut self, value: &Json<'_>) -> u8 {
        self.enumerated(value, KINDS, "SPAN_KIND_", "kind")
    }

    /// The number of a status, given by its number or by its name after `STATUS_CODE_`.
    pub(crate) fn json_status(&mut self, value: &Json<'_>) -> u8 {
        self.enumerated(value, STATUSES, "STATUS_CODE_", "status")
    }

    fn enumerated(&mut self, value: &Json<'_>, names: &[&str], prefix: &str, what: &str) -> u8 {
        let named = |text: &str| {
            let name = text.strip_prefix(prefix)?;
            let is_name = |known: &&str| name.eq_ignore_ascii_case(known);
            names.iter().position(|known| is_name(known) || (known.is_empty() && is_name(&"unspecified")))
        };
        let number = match value {
            Json::Null => return 0,
            Json::Text(text) => named(text),
            _ => None,
        };
        let is_whole = !matches!(value, Json::Decimal(_));
        let number =
            number.or_else(|| integer(value).filter(|_| is_whole).and_then(|number| usize::try_from(number).ok()));
        number.filter(|number| *number < names.len()).map_or_else(
            || {
                self.misfit(what, written(value));
                0
            },
            |number| number as u8,
        )
    }

    /// Notes that an id is no text; the id is absent.
    pub(crate) fn no_text(&mut self, what: &str) -> u32 {
        self.note("S7", format!("{what} is no text"));
        NO_TEXT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_be_texts_and_floats_without_a_fraction() {
        for (text, expected) in [
            ("12", Some(12)),
            ("\"12\"", Some(12)),
            ("\"12345678\"", Some(12_345_678)),
            ("\"1234567x\"", None),
            ("\"1795363384362784570\"", Some(1_795_363_384_362_784_570)),
            ("\"9999999999999999999\"", Some(9_999_999_999_999_999_999)),
            ("\"99999999999999999999999\"", Some(99_999_999_999_999_999_999_999)),
            ("\"17953633843627845.0\"", None),
            ("1.5e3", Some(1500)),
            ("1.5", None),
            ("\"-12\"", None),
            ("\"\"", None),
            ("true", None),
            ("[1]", None),
        ] {
            assert_eq!(integer(&Json::of(text)), expected, "{text}");
        }
    }

    #[test]
    fn kinds_and_statuses_have_numbers_and_names() {
        let mut draft = SpanDraft::default();
        for (text, expected) in
            [("2", 2), ("\"SPAN_KIND_SERVER\"", 2), ("\"SPAN_KIND_UNSPECIFIED\"", 0), ("\"3\"", 3), ("null", 0)]
        {
            assert_eq!(draft.json_kind(&Json::of(text)), expected, "{text}");
        }
        assert_eq!(draft.json_status(&Json::of("\"STATUS_CODE_ERROR\"")), 2);
        assert!(draft.notes.is_empty());
        for text in ["9", "-1", "\"SERVER\"", "1.0", "true", "{}"] {
            assert_eq!(draft.json_kind(&Json::of(text)), 0, "{text}");
        }
        assert_eq!(draft.notes.len(), 6);
    }
}
