//! Times as they are written: decimal numbers and ISO 8601 texts, as nanoseconds.

/// Nanoseconds in a second.
pub(crate) const SECOND: i64 = 1_000_000_000;

/// Digits of an integer that surely has 64 bits.
const MOST_PLAIN: usize = 18;

/// `1700000000.123456789` or `1.5e-3` times a power of ten, exactly and without what is left below 1; none if it is no
/// decimal number or takes more than 64 bits.
pub(crate) fn decimal(text: &str, power: u32) -> Option<i64> {
    if (1..=MOST_PLAIN).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_digit()) {
        let value = text.bytes().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
        return i64::checked_mul(value, 10_i64.checked_pow(power)?);
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    let (is_negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().next().is_none() || !digits().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // how many of the digits stand before the decimal point after the multiplication
    let n_wanted = i32::try_from(whole.len()).ok()?.checked_add(exponent)?.checked_add(i32::try_from(power).ok()?)?;
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

/// As [`iso_8601`], of a date and a time with seconds: `2026-11-22T16:04:04.685Z`, with a comma before the fraction too.
pub(crate) fn rfc_3339(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let is_whole =
        bytes.get(16) == Some(&b':') && bytes.get(11..13)? < b"24".as_slice() && bytes.get(17..19)? < b"60".as_slice();
    // a zone of hours alone: `+01`
    let has_short_zone = matches!(bytes.len().checked_sub(3).and_then(|sign| bytes.get(sign)), Some(b'+' | b'-'));
    iso_8601(text).filter(|_| is_whole && !has_short_zone)
}

/// The fact of a recording that says from when its times count, unless it is 1970: `day` for midnight, `boot` for the start of
/// the machine, `start` for that of the recording.
pub(crate) const CLOCK: &str = "clock";

/// `2024-01-31T12:00:00.123456789+01:00`, with a blank for the `T`, without seconds or time; in UTC if no zone is said.
pub(crate) fn iso_8601(text: &str) -> Option<i64> {
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

/// A time in any usual form: those of [`rfc_3339`], `2026/11/22 16:04:04`, and those with the English name of a month, as
/// `Sun, 22 Nov 2026 16:04:04 GMT`, `Sun Nov 22 16:04:04 2026` and `22/Nov/2026:16:04:04 +0000`.
pub(crate) fn any_form(text: &str) -> Option<i64> {
    rfc_3339(text).or_else(|| with_slashes(text)).or_else(|| with_month_name(text))
}

fn with_slashes(text: &str) -> Option<i64> {
    let is_slash = |at: usize| text.as_bytes().get(at) == Some(&b'/');
    (is_slash(4) && is_slash(7)).then(|| rfc_3339(&text.replacen('/', "-", 2)))?
}

fn with_month_name(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let (mut day, mut month, mut year, mut clock, mut zone) = ("", None, "", "", "");
    for word in text.split([' ', ',', '/']).filter(|word| !word.is_empty()) {
        let (word, after) = word.split_once(':').filter(|(year, _)| year.len() == 4).unwrap_or((word, ""));
        clock = if after.is_empty() { clock } else { after };
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        match word {
            "GMT" | "UTC" | "Z" => zone = "Z",
            _ if word.starts_with(['+', '-']) => zone = word,
            _ if is_number && word.len() == 4 => year = word,
            _ if is_number && word.len() < 3 => day = word,
            _ if word.contains(':') => clock = word,
            _ if DAYS.contains(&word) => {}
            _ => month = Some(MONTHS.iter().position(|name| *name == word)? + 1),
        }
    }
    rfc_3339(&format!("{year}-{:02}-{day:0>2}T{clock}{zone}", month?))
}

/// Seconds, milliseconds, microseconds or nanoseconds since 1970, as the number of their digits says; none for a time before
/// 1973.
pub(crate) fn since_1970(text: &str) -> Option<i64> {
    let power = match decimal(text, 0)? {
        ..100_000_000 => return None,
        100_000_000..100_000_000_000 => 9,
        100_000_000_000..100_000_000_000_000 => 6,
        100_000_000_000_000..100_000_000_000_000_000 => 3,
        _ => 0,
    };
    decimal(text, power)
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

    #[test]
    fn decimals_keep_all_digits_that_count() {
        for (text, power, expected) in [
            ("1795363446.422621", 9, Some(1_795_363_446_422_621_000)),
            ("1795363446422621", 3, Some(1_795_363_446_422_621_000)),
            ("-1.9", 0, Some(-1)),
            ("+2e3", 6, Some(2_000_000_000)),
            ("0.1e-30", 9, Some(0)),
            ("1e30", 9, None),
            ("NaN", 9, None),
            ("", 9, None),
            ("-", 9, None),
            ("1.2.3", 9, None),
            ("1e", 9, None),
            ("\u{661}", 9, None),
        ] {
            assert_eq!(decimal(text, power), expected, "{text}");
        }
    }

    #[test]
    fn a_time_is_read_in_the_forms_that_programs_write() {
        const AT: i64 = 1_795_363_444 * SECOND;
        for (text, time) in [
            ("2026-11-22T16:04:04Z", Some(AT)),
            ("2026-11-22 17:04:04.5+01:00", Some(AT + SECOND / 2)),
            ("2026-11-22T16:04:04,5+0000", Some(AT + SECOND / 2)),
            ("2026/11/22 16:04:04", Some(AT)),
            ("2026/11/22 16:04:04.000001", Some(AT + 1000)),
            ("Sun, 22 Nov 2026 16:04:04 GMT", Some(AT)),
            ("Sun, 22 Nov 2026 17:04:04 +0100", Some(AT)),
            ("22 Nov 2026 16:04:04 UTC", Some(AT)),
            ("Sun Nov 22 16:04:04 2026", Some(AT)),
            ("Sun Nov 22 16:04:04 UTC 2026", Some(AT)),
            ("22/Nov/2026:16:04:04 +0000", Some(AT)),
            ("22/Nov/2026:11:04:04 -0500", Some(AT)),
            ("Sun Nov  8 16:04:04 2026", Some(AT - 14 * 86_400 * SECOND)),
            ("Nov 22 16:04:04", None),
            ("22 Xyz 2026 16:04:04", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(any_form(text), time, "{text}");
        }
        for text in ["1795363444", "1795363444000", "1795363444000000", "1795363444000000000", "1795363444.0"] {
            assert_eq!(since_1970(text), Some(AT), "{text}");
        }
        assert_eq!(["20260101", "-1795363444", "x"].map(since_1970), [None; 3]);
    }

    #[test]
    fn a_date_alone_is_no_time_of_rfc_3339() {
        for text in ["2026-11-22T16:04:04.685Z", "2026-11-22 16:04:04,685+00:00", "2026-11-22t17:04:04.685+0100"] {
            assert_eq!(rfc_3339(text), Some(1_795_363_444_685_000_000), "{text}");
        }
        for text in
            ["2026-11-22", "2026-11-22T16:04", "2026-11-22T16:04:60Z", "2026-11-22T24:00:00Z", "2026-11-22T16:04:04+01"]
        {
            assert_eq!(rfc_3339(text), None, "{text}");
        }
    }
}
