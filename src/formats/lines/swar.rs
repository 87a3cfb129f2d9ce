//! SWAR words: eight bytes of a text compared or converted at once. The first byte is the lowest of the word.

/// The word of eight times this byte.
pub(crate) const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The eight bytes at `at`; none if the text ends before.
#[inline]
pub(crate) fn load(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(at..)?.first_chunk::<8>()?))
}

/// Whether a text starts with another one; up to 16 bytes are compared as two words, without a call.
#[inline(always)]
pub(crate) fn starts_with(text: &[u8], start: &[u8]) -> bool {
    let Some(text) = text.get(..start.len()) else { return false };
    match start.len() {
        0..4 => text.iter().zip(start).all(|(one, other)| one == other),
        4..8 => text.first_chunk::<4>() == start.first_chunk() && text.last_chunk::<4>() == start.last_chunk(),
        8..=16 => text.first_chunk::<8>() == start.first_chunk() && text.last_chunk::<8>() == start.last_chunk(),
        _ => text == start,
    }
}

/// The number of bytes before the first one with any bit set.
#[inline(always)]
fn before(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// Whether all bytes are printable ASCII other than a backslash.
#[inline]
pub(crate) fn is_plain(word: u64) -> bool {
    let backslashes = word ^ each(b'\\');
    let controls = word.wrapping_sub(each(b' ')) & !word;
    let escapes = backslashes.wrapping_sub(each(1)) & !backslashes;
    (word | controls | escapes) & each(0x80) == 0
}

/// The first `length` bytes, at most 8, with `fill` for the others.
#[inline]
pub(crate) fn first_bytes(word: u64, length: usize, fill: u8) -> u64 {
    let mask = if length >= 8 { u64::MAX } else { (1 << (8 * length)) - 1 };
    (word & mask) | (each(fill) & !mask)
}

/// The decimal number with which the bytes begin, and its number of digits; 0 without digits.
#[inline]
pub(crate) fn decimal(word: u64) -> (u64, usize) {
    let digits = word ^ each(b'0');
    match n_digits(digits) {
        0 => (0, 0),
        length => (value(digits << (64 - 8 * length)), length),
    }
}

/// The number of digits before the first other byte, given the bytes XOR `0`.
#[inline(always)]
pub(crate) fn n_digits(digits: u64) -> usize {
    // a carry changes only bytes after one that is not a digit
    before((digits.wrapping_add(each(0x80 - 10)) | digits) & each(0x80))
}

/// The number of eight decimal digits, each a byte from 0 to 9.
#[inline(always)]
pub(crate) fn value(digits: u64) -> u64 {
    let pairs = (digits * 10 + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    (fours * 10_000 + (fours >> 32)) & u64::from(u32::MAX)
}

/// The number of bytes before the first `byte`; 8 if there is none.
#[inline(always)]
pub(crate) fn before_byte(word: u64, byte: u8) -> usize {
    let others = word ^ each(byte);
    // a borrow changes only bytes after the first one
    before(others.wrapping_sub(each(1)) & !others & each(0x80))
}

/// The bytes of the pairs of lower-case hexadecimal digits with which the word begins, and the number of such digits.
#[inline]
pub(crate) fn hex(word: u64) -> ([u8; 4], usize) {
    let letters = (word >> 6) & each(1);
    // digits become 0 to 9, letters 1 to 6, other bytes something else
    let values = word ^ each(b'0') ^ (letters * 0x50);
    let too_great = (values & each(0xF0)) | (values.wrapping_add(each(6) + letters * 3) & each(0x10));
    let not_zero = (values | each(0x10)) - letters;
    let length = before(too_great | (!not_zero & each(0x10)));
    let digits = values.wrapping_add(letters * 9) & each(0x0F);
    let pairs = ((digits << 4) | (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs | (pairs >> 8)) & 0x0000_FFFF_0000_FFFF;
    (((fours | (fours >> 16)) as u32).to_le_bytes(), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_compared_up_to_their_last_byte() {
        let text = b"abcdefghijklmnopqrstuvwxyz";
        for length in 0..text.len() {
            let start = &text[..length];
            assert!(starts_with(text, start) && starts_with(start, start) && !starts_with(start, &text[..length + 1]));
            for at in 0..length {
                let mut other = start.to_vec();
                other[at] ^= 1;
                assert!(!starts_with(text, &other), "{length} {at}");
            }
        }
    }

    fn word(text: &str) -> u64 {
        load(text.as_bytes(), 0).unwrap()
    }

    #[test]
    fn a_number_ends_at_the_first_byte_that_is_not_a_digit() {
        for (text, expected) in [
            ("12345678", (12_345_678, 8)),
            ("1234567,", (1_234_567, 7)),
            ("4,\"addr\"", (4, 1)),
            ("007\u{e9}\u{ff}9", (7, 3)),
            ("90/:9999", (90, 2)),
            (",1234567", (0, 0)),
        ] {
            assert_eq!(decimal(word(text)), expected, "{text}");
        }
    }

    #[test]
    fn every_other_byte_ends_the_digits() {
        for byte in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
            for place in 0..8 {
                let mut bytes = *b"90909090";
                bytes[place] = byte;
                assert_eq!(n_digits(u64::from_le_bytes(bytes) ^ each(b'0')), place, "{byte} at {place}");
            }
        }
        assert_eq!(n_digits(word("09876543") ^ each(b'0')), 8);
    }

    #[test]
    fn every_byte_but_lower_case_digits_ends_hexadecimal_digits() {
        for byte in 0..=u8::MAX {
            let is_digit = matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            for place in 0..8 {
                let mut text = *b"0f3a9bc8";
                text[place] = byte;
                assert_eq!(hex(u64::from_le_bytes(text)).1, if is_digit { 8 } else { place }, "{byte} at {place}");
            }
        }
        assert_eq!(hex(word("0f3a9bc8")).0, [0x0F, 0x3A, 0x9B, 0xC8]);
        assert_eq!(hex(word("776f\"}\nx")).0[..2], [0x77, 0x6F]);
    }

    #[test]
    fn quotes_and_bytes_that_are_not_plain_are_found() {
        assert_eq!((before_byte(word("abc\"\"def"), b'"'), before_byte(word("abcdefgh"), b'"')), (3, 8));
        assert!(is_plain(word("0x55d0 ~")));
        for other in ["abcd\\efg", "abc\u{1f}defg", "abcd\u{e9}ef", "\n0000000", "0000000\t"] {
            assert!(!is_plain(word(other)), "{other}");
        }
        assert_eq!(first_bytes(word("abcdefgh"), 3, b' '), word("abc     "));
        assert_eq!(first_bytes(word("abcdefgh"), 8, b' '), word("abcdefgh"));
    }
}
