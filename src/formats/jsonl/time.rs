//! Times: integers in a unit, decimal seconds and ISO 8601 texts, all as nanoseconds.

use crate::formats::json::value::Json;

/// What integers of `time` count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TimeUnit {
    #[default]
    Nanoseconds,
    Microseconds,
    Milliseconds,
    Seconds,
}

impl TimeUnit {
    /// The unit with this name.
    pub(crate) fn named(name: &str) -> Option<TimeUnit> {
        Some(match name {
            "ns" => TimeUnit::Nanoseconds,
            "us" => TimeUnit::Microseconds,
            "ms" => TimeUnit::Milliseconds,
            "s" => TimeUnit::Seconds,
            _ => return None,
        })
    }

    const fn nanoseconds(self) -> i64 {
        match self {
            TimeUnit::Nanoseconds => 1,
            TimeUnit::Microseconds => 1_000,
            TimeUnit::Milliseconds => 1_000_000,
            TimeUnit::Seconds => SECOND,
        }
    }
}

const SECOND: i64 = 1_000_000_000;

/// A time in nanoseconds: of an integer in `unit`, of any other number in seconds, of a text by ISO 8601.
pub(crate) fn nanoseconds(value: &Json<'_>, unit: TimeUnit) -> Option<i64> {
    match value {
        Json::Integer(digits) => digits.parse::<i64>().ok()?.checked_mul(unit.nanoseconds()),
        Json::Decimal(text) => decimal_seconds(text),
        Json::Text(text) => iso_8601(text),
        _ => None,
    }
}

/// `1700000000.123456789`, `1.5e-3`: exactly, as far as nanoseconds go.
fn decimal_seconds(text: &str) -> Option<i64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    let (is_negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    // how many of the digits stand before the decimal point of nanoseconds
    let n_wanted = i32::try_from(whole.len()).ok()?.checked_add(exponent)?.checked_add(9)?;
    if digits().all(|digit| digit == b'0') || n_wanted < 0 {
        return Some(0);
    }
    let n_wanted = usize::try_from(n_wanted).ok().filter(|n_wanted| *n_wanted < whole.len() + fraction.len() + 20)?;
    let mut value = 0_i64;
    for digit in digits().chain(std::iter::repeat(b'0')).take(n_wanted) {
        value = value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
    }
    Some(if is_negative { -value } else { value })
}

/// `2024-01-31T12:00:00.123456789+01:00`, with a blank for the `T`, without seconds or time; in UTC if no zone is said.
fn iso_8601(text: &str) -> Option<i64> {
    let mut rest = IsoDigits(text.as_bytes());
    let (year, month, day) = (rest.number(4)?, rest.after(b'-')?.number(2)?, rest.after(b'-')?.number(2)?);
    let days = days_since_1970(year, month, day)?;
    let (mut seconds, mut fraction) = (0, 0);
    if let [b'T' | b't' | b' ', clock @ ..] = rest.0 {
        rest.0 = clock;
        seconds = rest.number(2).filter(|hour| *hour <= 24)? * 3600;
        seconds += rest.after(b':')?.number(2).filter(|minute| *minute < 60)? * 60;
        if rest.0.first() == Some(&b':') {
            seconds += rest.after(b':')?.number(2).filter(|second| *second <= 60)?;
            fraction = rest.fraction()?;
        }
        seconds -= rest.zone()?;
    }
    let is_whole = rest.0.is_empty();
    let seconds = days.checked_mul(86_400)?.checked_add(seconds)?;
    seconds.checked_mul(SECOND)?.checked_add(fraction).filter(|_| is_whole)
}

/// Days from the first of 1970 to a date of the Gregorian calendar.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // years that begin in March have their leap day at the end
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468)
}

/// What is left of a text.
struct IsoDigits<'t>(&'t [u8]);

impl IsoDigits<'_> {
    /// A number of `n` digits.
    fn number(&mut self, n_digits: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(n_digits)?;
        let is_number = digits.iter().all(u8::is_ascii_digit);
        self.0 = rest;
        is_number.then(|| digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    }

    /// What follows a mark.
    fn after(&mut self, mark: u8) -> Option<&mut Self> {
        self.0 = self.0.strip_prefix(&[mark])?;
        Some(self)
    }

    /// `.123456789` in nanoseconds, 0 if there is none; what is below a nanosecond is dropped.
    fn fraction(&mut self) -> Option<i64> {
        let Some(rest) = self.0.strip_prefix(b".").or_else(|| self.0.strip_prefix(b",")) else { return Some(0) };
        let n_digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = rest.split_at(n_digits);
        self.0 = rest;
        let digits = digits.iter().chain(std::iter::repeat(&b'0')).take(9);
        (n_digits > 0).then(|| digits.fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    }

    /// `Z`, `+01:00`, `+0100`, `+01` in seconds, 0 for none.
    fn zone(&mut self) -> Option<i64> {
        let sign = match self.0 {
            [] => return Some(0),
            [b'Z' | b'z', rest @ ..] => {
                self.0 = rest;
                return Some(0);
            }
            [b'+', rest @ ..] => {
                self.0 = rest;
                1
            }
            [b'-', rest @ ..] => {
                self.0 = rest;
                -1
            }
            _ => return None,
        };
        let hours = self.number(2)?;
        self.0 = self.0.strip_prefix(b":").unwrap_or(self.0);
        let minutes = if self.0.is_empty() { 0 } else { self.number(2)? };
        Some(sign * (hours * 3600 + minutes * 60))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn integers_count_the_unit_of_the_header() {
        for (unit, expected) in [("ns", 3), ("us", 3_000), ("ms", 3_000_000), ("s", 3 * SECOND)] {
            assert_eq!(time("3", TimeUnit::named(unit).expect("a unit")), Some(expected));
        }
        assert_eq!(time("9223372036854775807", TimeUnit::Seconds), None);
        assert_eq!(TimeUnit::named("minutes"), None);
    }
}
