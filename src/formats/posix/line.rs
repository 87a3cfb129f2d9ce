//! The grammar of a line: a JSON object, with times in seconds.

use serde_json::{Map, Value};

use crate::formats::lines::text::json_fault;

/// The object on a line.
pub(crate) fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| json_fault(text, &error))
}

/// `3127.265358327` in nanoseconds; the point has at most nine digits after it.
pub(crate) fn time(text: &str) -> Option<i64> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if seconds.is_empty() || fraction.len() > 9 || !is_number(seconds) || !is_number(fraction) {
        return None;
    }
    let nanoseconds = fraction.bytes().fold(0, |value, byte| value * 10 + i64::from(byte - b'0'));
    let scale = 10_i64.pow(9 - fraction.len() as u32);
    seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)?.checked_add(nanoseconds * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        assert_eq!(time("3127.265358327"), Some(3_127_265_358_327));
        assert_eq!((time("1.5"), time("7")), (Some(1_500_000_000), Some(7_000_000_000)));
        for wrong in ["", ".5", "-1.0", "1.0000000001", "1e3", "9223372036854775807.1"] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }
}
