//! Hexadecimal numbers that keep their digits as written.

/// A hexadecimal number and its digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hex<'a> {
    /// Its value.
    pub(crate) value: u64,
    /// Its digits, as in the file.
    pub(crate) digits: &'a [u8],
}

impl<'a> Hex<'a> {
    /// The number with these digits; none for no digits, other bytes, or more than 64 bits.
    pub(crate) fn of(digits: &'a [u8]) -> Option<Hex<'a>> {
        let mut value = 0_u64;
        for byte in digits {
            let digit = VALUES[usize::from(*byte)];
            if digit >= 16 || value >> 60 != 0 {
                return None;
            }
            value = value << 4 | u64::from(digit);
        }
        if digits.is_empty() { None } else { Some(Hex { value, digits }) }
    }

    /// The digits as text.
    pub(crate) fn written(self) -> &'a str {
        std::str::from_utf8(self.digits).expect("digits are text")
    }
}

/// The value of each byte as a digit; 255 for other bytes.
pub(crate) const VALUES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value] as usize] = value as u8;
        values[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    values
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_both_cases_make_a_number_of_64_bits_at_most() {
        let value = |digits: &str| Hex::of(digits.as_bytes()).map(|hex| hex.value);
        assert_eq!(value("7FFF00001234abcd"), Some(0x7FFF_0000_1234_ABCD));
        assert_eq!(value("00ffffffffffffffff"), Some(u64::MAX));
        for other in ["", "1ffffffffffffffff", "1G", "-1", "+1", "0x1", "1 ", "\u{e9}"] {
            assert_eq!(value(other), None, "{other}");
        }
    }

    #[test]
    fn it_is_shown_as_it_is_written() {
        assert_eq!(Hex::of(b"00aF").map(Hex::written), Some("00aF"));
    }
}
