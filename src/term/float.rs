//! Floats with a fixed number of digits, as C prints them; [`super::print::float_text`] gives the shortest text.

/// A format for floats that asks for a number of digits: `~3f` is `Fixed(3)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatFormat {
    /// `%.Nf` of C.
    Fixed(usize),
    /// `%.Ne` of C.
    Exponential(usize),
    /// `%.Ng` of C.
    General(usize),
}

/// The greatest number of places; a double has at most 1074.
const MOST_PLACES: usize = 65535;

impl FloatFormat {
    /// The format that `~3f`, `~4e` or `~15g` denotes; without a number, 6 places.
    pub(crate) fn from_text(text: &str) -> Option<FloatFormat> {
        let text = text.strip_prefix('~')?;
        let letter = text.chars().next_back()?;
        let digits = &text[..text.len() - letter.len_utf8()];
        let places = if digits.is_empty() { 6 } else { digits.parse().ok().filter(|&n| n <= MOST_PLACES)? };
        match letter {
            'f' => Some(FloatFormat::Fixed(places)),
            'e' => Some(FloatFormat::Exponential(places)),
            'g' => Some(FloatFormat::General(places)),
            _ => None,
        }
    }

    /// The text of a float.
    pub(crate) fn text(self, value: f64) -> String {
        match self {
            FloatFormat::Fixed(places) => fixed(value, places),
            FloatFormat::Exponential(places) => exponential(value, places),
            FloatFormat::General(precision) => general(value, precision),
        }
    }
}

/// `%.Nf` of C.
pub(crate) fn fixed(value: f64, places: usize) -> String {
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    // The standard library writes at most 65535 places; a double has no digits after 1074.
    let exact = places.min(1074);
    format!("{value:.exact$}{}", "0".repeat(places - exact))
}

/// `%.Ne` of C: `1.5e+00`.
pub(crate) fn exponential(value: f64, places: usize) -> String {
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let text = format!("{value:.*e}", places.min(1074));
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// `%.Ng` of C: the shorter of the two, without trailing zeros.
pub(crate) fn general(value: f64, precision: usize) -> String {
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let precision = precision.clamp(1, 1074);
    let text = exponential(value, precision - 1);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i64 = exponent.parse().unwrap_or(0);
    if power < -4 || power >= precision as i64 {
        return format!("{}e{exponent}", without_zeros(digits));
    }
    let places = usize::try_from(precision as i64 - 1 - power).unwrap_or(0);
    without_zeros(&format!("{value:.places$}")).to_string()
}

fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_c_does() {
        assert_eq!(exponential(1.5, 6), "1.500000e+00");
        assert_eq!(exponential(-1.5e-300, 2), "-1.50e-300");
        assert_eq!(general(0.0001, 6), "0.0001");
        assert_eq!(general(100000.0, 6), "100000");
        assert_eq!(general(1e6, 6), "1e+06");
        assert_eq!(general(0.5, 6), "0.5");
        assert_eq!(fixed(0.5, 0), "0");
    }

    #[test]
    fn a_format_is_read_from_its_directive() {
        assert_eq!(FloatFormat::from_text("~3f"), Some(FloatFormat::Fixed(3)));
        assert_eq!(FloatFormat::from_text("~e"), Some(FloatFormat::Exponential(6)));
        for wrong in ["", "~", "3f", "~3d", "~99999999f", "~é"] {
            assert_eq!(FloatFormat::from_text(wrong), None, "{wrong}");
        }
    }
}
