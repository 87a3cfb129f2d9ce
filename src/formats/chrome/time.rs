//! Times: microseconds as decimal text, read as integer nanoseconds without rounding through floats.

/// The nanoseconds of a decimal number of microseconds, rounded half away from zero; none if the text is no number or has
/// more than 64 bits.
///
/// 19 digits before the point are usual for wall clocks: `1795253548115089.000`.
#[inline]
pub(super) fn nanoseconds(text: &str) -> Option<i64> {
    usual_nanoseconds(text.as_bytes()).or_else(|| any_nanoseconds(text))
}

/// The nanoseconds of at most 15 digits, and maybe a point and at most three more: a time after 1970, but not much later.
#[inline]
fn usual_nanoseconds(text: &[u8]) -> Option<i64> {
    let (mut value, mut at, mut point) = (0i64, 0, None);
    while let Some(byte) = text.get(at) {
        match byte {
            b'0'..=b'9' => value = value * 10 + i64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(at),
            _ => return None,
        }
        at += 1;
        // 18 digits at most
        if at > 15 && (point.is_none() || at > 19) {
            return None;
        }
    }
    let n_whole = point.unwrap_or(at);
    let scale = match at - n_whole {
        0 => 1000,
        2 => 100,
        3 => 10,
        4 => 1,
        _ => return None,
    };
    (1..=15).contains(&n_whole).then_some(value * scale)
}

fn any_nanoseconds(text: &str) -> Option<i64> {
    let (is_negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], digits[at + 1..].parse::<i64>().ok()?),
        None => (digits, 0),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + part.len() == 0 || !is_digits(whole) || !is_digits(part) {
        return None;
    }
    let magnitude = magnitude(whole, part, exponent.checked_add(3)?)?;
    i64::try_from(if is_negative { -magnitude } else { magnitude }).ok()
}

/// `whole.part` times ten to the power of `exponent`, rounded half up.
fn magnitude(whole: &str, part: &str, exponent: i64) -> Option<i128> {
    let mut digits = whole.bytes().chain(part.bytes()).map(|digit| i128::from(digit - b'0')).peekable();
    let mut n_whole = i64::try_from(whole.len()).ok()?.checked_add(exponent)?;
    while digits.next_if_eq(&0).is_some() {
        n_whole -= 1;
    }
    if digits.peek().is_none() || n_whole < 0 {
        return Some(0);
    }
    if n_whole > 19 {
        return None;
    }
    let value = (0..n_whole).fold(0, |value, _| value * 10 + digits.next().unwrap_or(0));
    Some(value + i128::from(digits.next().is_some_and(|next| next >= 5)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_text_is_read_exactly_and_rounded_half_up() {
        for (text, expected) in [
            ("1795253548115089.000", Some(1_795_253_548_115_089_000)),
            ("5354712097.306", Some(5_354_712_097_306)),
            ("0", Some(0)),
            ("12", Some(12_000)),
            ("12.", Some(12_000)),
            ("12.3", Some(12_300)),
            ("12.34", Some(12_340)),
            (".345", Some(345)),
            ("999999999999999.999", Some(999_999_999_999_999_999)),
            ("1000000000000000.0", Some(1_000_000_000_000_000_000)),
            ("23.0004", Some(23_000)),
            ("0.0005", Some(1)),
            ("-0.0005", Some(-1)),
            ("0.00049", Some(0)),
            ("1e3", Some(1_000_000)),
            ("12.5E-4", Some(1)),
            ("0.00001e4", Some(100)),
            ("9223372036854775.807", Some(i64::MAX)),
            ("9223372036854775.808", None),
            ("1e400", None),
            ("1e-400", Some(0)),
            ("1e99999999999999999999", None),
            ("", None),
            (".", None),
            ("-", None),
            ("soon", None),
            ("1.2.3", None),
            ("NaN", None),
        ] {
            assert_eq!(nanoseconds(text), expected, "{text}");
        }
    }
}
