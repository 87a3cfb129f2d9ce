//! Numbers as digits: grouped, with a fixed number of places, in another radix.

use num_bigint::BigInt;
use num_traits::Signed;

use crate::builtins::arguments::check_elements;
use crate::engine::Stop;
use crate::engine::arith::Number;
use crate::term::float;

/// `1234567` with 2 places and `,` between groups of three is `12,345.67`.
pub(crate) fn integer(value: &BigInt, places: usize, group: Option<char>) -> Result<String, Stop> {
    check_elements(places)?;
    let digits = value.abs().to_string();
    let digits = format!("{}{digits}", "0".repeat((places + 1).saturating_sub(digits.len())));
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let mut text = String::from(if value.is_negative() { "-" } else { "" });
    for (i, digit) in whole.char_indices() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            text.extend(group);
        }
        text.push(digit);
    }
    if places > 0 {
        text.push('.');
        text.push_str(fraction);
    }
    Ok(text)
}

/// The digits of an integer in a radix from 2 to 36.
pub(crate) fn in_radix(value: &BigInt, radix: u32, capitals: Capitals) -> String {
    let text = value.to_str_radix(radix);
    if capitals == Capitals::Yes { text.to_uppercase() } else { text }
}

/// Whether digits beyond 9 are capital letters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capitals {
    /// `FF`
    Yes,
    /// `ff`
    No,
}

/// `%.Nf` of C; integers of any size are exact.
pub(crate) fn fixed(value: &Number, places: usize) -> Result<String, Stop> {
    check_elements(places)?;
    let zeros = || if places == 0 { String::new() } else { format!(".{}", "0".repeat(places)) };
    Ok(match value {
        Number::Int(value) => format!("{value}{}", zeros()),
        Number::Big(value) => format!("{value}{}", zeros()),
        Number::Float(value) => float::fixed(*value, places),
    })
}

/// The value of a number that is an integer.
pub(crate) fn whole(value: &Number) -> Option<BigInt> {
    match value {
        Number::Int(value) => Some(BigInt::from(*value)),
        Number::Big(value) => Some(value.clone()),
        Number::Float(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_grouped_and_divided() {
        let text = |value: i64, places, group| integer(&BigInt::from(value), places, group).unwrap();
        assert_eq!(text(1234567, 0, Some(',')), "1,234,567");
        assert_eq!(text(-1234567, 2, Some(',')), "-12,345.67");
        assert_eq!(text(5, 2, None), "0.05");
        assert_eq!(text(-5, 0, None), "-5");
        assert_eq!(text(100, 0, Some(',')), "100");
    }

    #[test]
    fn numbers_have_the_places_that_are_asked_for() {
        assert_eq!(fixed(&Number::Float(2.375), 2).unwrap(), "2.38");
        assert_eq!(fixed(&Number::Int(3), 2).unwrap(), "3.00");
        assert_eq!(fixed(&Number::Float(0.5), 0).unwrap(), "0");
    }
}
