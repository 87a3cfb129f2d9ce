//! Times: integers in a unit, decimal seconds and texts, all as nanoseconds.

use super::array;
use crate::formats::json::value::{self, Json};
use crate::formats::lines::{Lines, split_lines, text};
use crate::formats::times;
use crate::trace::TimeUnit;

/// A time in nanoseconds: of an integer in `unit`, of any other number in seconds, of a text in any usual form.
pub(crate) fn nanoseconds(value: &Json<'_>, unit: TimeUnit) -> Option<i64> {
    match value {
        Json::Integer(digits) => digits.parse::<i64>().ok()?.checked_mul(unit.nanoseconds()),
        Json::Decimal(text) => times::decimal(text, 9),
        Json::Text(text) => times::iso_8601(text).or_else(|| times::any_form(text)),
        _ => None,
    }
}

/// Whether the time of an object in the first lines is a float.
pub(crate) fn has_floats(head: &[u8]) -> bool {
    const KEY: &[u8] = b"\"time\"";
    let may_be_float = |at: usize| {
        let rest = head[at + KEY.len()..].trim_ascii_start().strip_prefix(b":").unwrap_or_default().trim_ascii_start();
        let is_part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-');
        matches!(rest.iter().find(|byte| !is_part(byte)), Some(b'.' | b'e' | b'E'))
    };
    if !memchr::memmem::find_iter(head, KEY).any(may_be_float) {
        return false;
    }
    let is_float = |object: &[u8]| {
        let text = text::visible_in_json(object);
        value::object(&text).is_ok_and(|object| matches!(object.get("time"), Some(Json::Decimal(_))))
    };
    if !array::begins(head) {
        return split_lines(head).any(is_float);
    }
    let mut has_floats = false;
    array::elements(&mut Lines::of_text(head, 0), |element, _| has_floats |= element.is_ok_and(is_float));
    has_floats
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::times::SECOND;

    fn time(written: &str, unit: TimeUnit) -> Option<i64> {
        nanoseconds(&Json::of(written), unit)
    }

    #[test]
    fn every_kind_of_time_counts_nanoseconds() {
        for (written, expected) in [
            ("17", Some(17)),
            ("1.5", Some(1_500_000_000)),
            ("1700000000.123456789", Some(1_700_000_000_123_456_789)),
            ("-1.5e-3", Some(-1_500_000)),
            ("1e2", Some(100 * SECOND)),
            ("1e-12", Some(0)),
            ("0.0", Some(0)),
            ("1e30", None),
            ("\"1970-01-01T00:00:00Z\"", Some(0)),
            ("\"1970-01-02\"", Some(86_400 * SECOND)),
            ("\"2024-03-01T00:00:00.5+01:00\"", Some(1_709_247_600_500_000_000)),
            ("\"2024-03-01 00:30-0130\"", Some(1_709_258_400_000_000_000)),
            ("\"1969-12-31T23:59:59.9Z\"", Some(-100_000_000)),
            ("\"Thu Jan  1 00:00:01 1970\"", Some(SECOND)),
            ("\"2023-02-29\"", None),
            ("\"soon\"", None),
            ("\"2024-03-01T00:00:00 and more\"", None),
            ("\"9999-01-01\"", None),
            ("true", None),
        ] {
            assert_eq!(time(written, TimeUnit::Nanoseconds), expected, "{written}");
        }
    }

    #[test]
    fn floats_are_found_among_the_times_of_events() {
        for (text, expected) in [
            ("{\"time\": 2}\n{\"time\" : 2.5}\n", true),
            ("[{\"time\": 2}, {\"time\": 25e-1}]", true),
            ("{\"time\": 2}\n{\"time\": 3}\n", false),
            ("{\"time\": 2, \"req\": {\"time\": 2.5}}\n", false),
            ("{\"time\": \"2.5\"}\n", false),
            ("{\"time\": 2.", false),
        ] {
            assert_eq!(has_floats(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn integers_count_the_unit_of_the_header() {
        for (unit, expected) in [("ns", 3), ("us", 3_000), ("ms", 3_000_000), ("s", 3 * SECOND)] {
            assert_eq!(time("3", TimeUnit::named(unit).expect("a unit")), Some(expected));
        }
        assert_eq!(time("9223372036854775807", TimeUnit::Seconds), None);
        assert_eq!(TimeUnit::named("minutes"), None);
    }
}
