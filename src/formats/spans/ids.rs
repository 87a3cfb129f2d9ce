//! Ids of traces and spans, in the spellings of the formats.

use crate::formats::lines::hex::VALUES;
use crate::formats::lines::swar;

/// The id of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum SpanId {
    /// There is none.
    #[default]
    None,
    /// Sixteen hexadecimal digits.
    Hex(u64),
    /// The number of a text that is no id, kept as it is.
    Text(u32),
}

/// Whether there should be an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdUse {
    /// It should be there.
    Needed,
    /// It may lack.
    Optional,
}

/// An id as a file has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadId {
    /// There is none, or only zeros.
    None,
    /// A number of at most 128 bits.
    Number(u128),
    /// Something else.
    Bad,
}

/// The id of `n_bytes` bytes in a text of hexadecimal digits of any case, or of base64.
pub(crate) fn of_fixed_size(text: &str, n_bytes: usize) -> ReadId {
    let number = match text.len() == 2 * n_bytes {
        true => hex(text).or_else(|| base64_number(text, n_bytes)),
        false => base64_number(text, n_bytes),
    };
    number.map_or(ReadId::Bad, ReadId::of)
}

/// The id in a text of at most `most_digits` hexadecimal digits, leading zeros aside.
pub(crate) fn of_any_size(text: &str, most_digits: usize) -> ReadId {
    if text.len() <= most_digits
        && let Some(number) = hex(text)
    {
        return ReadId::of(number);
    }
    let digits = text.trim_start_matches('0');
    match digits.len() {
        0 if text.is_empty() => ReadId::Bad,
        0 => ReadId::None,
        length if length > most_digits => ReadId::Bad,
        _ => hex(digits).map_or(ReadId::Bad, ReadId::of),
    }
}

impl ReadId {
    fn of(number: u128) -> ReadId {
        if number == 0 { ReadId::None } else { ReadId::Number(number) }
    }
}

/// The number that at most 32 hexadecimal digits write.
fn hex(digits: &str) -> Option<u128> {
    if digits.is_empty() || digits.len() > 32 {
        return None;
    }
    let (high, low) = digits.as_bytes().split_at(digits.len().saturating_sub(16));
    let [high, low] = [high, low].map(|digits| {
        if let Some(number) = sixteen_digits(digits) {
            return Some(number);
        }
        let values = digits.iter().map(|digit| VALUES[usize::from(*digit)]);
        let (number, all) = values.fold((0, 0), |(number, all), value| (number << 4 | u64::from(value), all | value));
        Some(number).filter(|_| all < 16)
    });
    Some(u128::from(high?) << 64 | u128::from(low?))
}

/// The number that sixteen digits write, if all letters among them are small.
#[inline]
fn sixteen_digits(digits: &[u8]) -> Option<u64> {
    let [high, low] = [swar::load(digits, 0)?, swar::load(digits, 8)?].map(swar::hex);
    let is_whole = digits.len() == 16 && high.1 == 8 && low.1 == 8;
    is_whole.then(|| u64::from(u32::from_be_bytes(high.0)) << 32 | u64::from(u32::from_be_bytes(low.0)))
}

fn base64_number(text: &str, n_bytes: usize) -> Option<u128> {
    if text.trim_end_matches('=').len() != (n_bytes * 4).div_ceil(3) {
        return None;
    }
    let bytes = base64(text)?;
    (bytes.len() == n_bytes).then(|| bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte)))
}

/// The bytes that a text of base64 stands for, of either alphabet; padding may lack.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if digits.len() % 4 == 1 || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.as_bytes().chunks(4) {
        let number = group.iter().try_fold(0, |number: u32, digit| Some(number << 6 | base64_digit(*digit)?))?;
        let whole = (number << (6 * (4 - group.len()))).to_be_bytes();
        bytes.extend_from_slice(&whole[1..group.len()]);
    }
    Some(bytes)
}

fn base64_digit(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_hexadecimal_or_base64_as_their_length_says() {
        let id = 0xEEE1_9B7E_C3C1_B174;
        for text in ["EEE19B7EC3C1B174", "eee19b7ec3c1b174", "7uGbfsPBsXQ=", "7uGbfsPBsXQ"] {
            assert_eq!(of_fixed_size(text, 8), ReadId::Number(id), "{text}");
        }
        let long = "W47/95gDgQPSabYzgT/GDA==";
        assert_eq!(of_fixed_size(long, 16), ReadId::Number(0x5b8e_fff7_9803_8103_d269_b633_813f_c60c));
        assert_eq!(of_fixed_size("0000000000000000", 8), ReadId::None);
        for text in ["", "12", "eee19b7ec3c1b17g", "eee19b7ec3c1b17400", "7uGbfsPBsX!="] {
            assert_eq!(of_fixed_size(text, 8), ReadId::Bad, "{text}");
        }
    }

    #[test]
    fn leading_zeros_may_lack() {
        assert_eq!(of_any_size("0af", 16), ReadId::Number(0xaf));
        assert_eq!(of_any_size("00000000000000af", 16), ReadId::Number(0xaf));
        assert_eq!(of_any_size("0000000000000000", 16), ReadId::None);
        assert_eq!(of_any_size("0123456789abcdef", 16), ReadId::Number(0x0123_4567_89ab_cdef));
        assert_eq!(
            of_any_size("0123456789abcdeF00000000000000a0", 32),
            ReadId::Number(0x0123_4567_89ab_cdef << 64 | 0xa0)
        );
        assert_eq!(of_any_size("0123456789abcdeg", 16), ReadId::Bad);
        assert_eq!(of_any_size("00000000000000000000af", 16), ReadId::Number(0xaf));
        assert_eq!(of_any_size("000", 16), ReadId::None);
        for text in ["", "x", "12345678901234567", "+1"] {
            assert_eq!(of_any_size(text, 16), ReadId::Bad, "{text}");
        }
    }

    #[test]
    fn base64_has_two_alphabets() {
        assert_eq!(base64("aGk="), Some(b"hi".to_vec()));
        assert_eq!(base64("+/-_"), Some(vec![0xFB, 0xFF, 0xBF]));
        assert_eq!(base64(""), Some(Vec::new()));
        assert_eq!(base64("a"), None);
        assert_eq!(base64("a b="), None);
    }
}
