//! Scanning a line part by part: the kit of every format's fast lines.
//!
//! A method that returns an option gives none if its part does not stand at the position. The line is then left to the full
//! grammar of its format, so that nothing here explains a fault.

use super::{line_end, swar};

/// A position in a text that moves over one part after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan<'t> {
    /// The text, which goes on after the line.
    pub(crate) text: &'t [u8],
    /// The position of the next byte.
    pub(crate) at: usize,
}

/// Numbers of more digits are left to the full grammar: 18 digits always fit into 63 bits.
const MOST_DIGITS: usize = 18;

const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

impl Scan<'_> {
    /// Skips these bytes.
    #[inline(always)]
    pub(crate) fn skip(&mut self, expected: &[u8]) -> Option<()> {
        let is_there = self.text.get(self.at..)?.starts_with(expected);
        self.at += if is_there { expected.len() } else { 0 };
        is_there.then_some(())
    }

    /// Skips the spaces and tabs at the position.
    #[inline]
    pub(crate) fn skip_blanks(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// A decimal number without a sign, of at most 18 digits.
    #[inline]
    pub(crate) fn number(&mut self) -> Option<i64> {
        match swar::decimal(self.word()) {
            (_, 0) => None,
            (value, 8) => self.long_number(value),
            (value, length) => {
                self.at += length;
                Some(value as i64)
            }
        }
    }

    /// A number that begins with eight digits of this value.
    fn long_number(&mut self, first: u64) -> Option<i64> {
        let (mut value, mut n_digits) = (first, 8);
        self.at += 8;
        loop {
            let (next, length) = swar::decimal(self.word());
            value = value.wrapping_mul(POWERS[length]).wrapping_add(next);
            self.at += length;
            n_digits += length;
            if n_digits > MOST_DIGITS {
                return None;
            }
            if length < 8 {
                return i64::try_from(value).ok();
            }
        }
    }

    /// The next eight bytes; zeros follow the last byte of the text.
    #[inline]
    pub(crate) fn word(&self) -> u64 {
        swar::load(self.text, self.at).unwrap_or_else(|| self.last_word())
    }

    #[cold]
    fn last_word(&self) -> u64 {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut bytes = [0; 8];
        bytes[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(bytes)
    }

    /// Skips the line end, which may be that of the text.
    #[inline]
    pub(crate) fn line_end(&mut self) -> Option<()> {
        if self.skip(b"\n").is_some() {
            return Some(());
        }
        match line_end(self.text, self.at) {
            Some((end, next)) if end == self.at => self.at = next,
            None if self.at == self.text.len() => {}
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_are_read_wherever_the_text_ends() {
        for n_digits in 1..=40 {
            let digits = &"1234567890123456789012345678901234567890"[..n_digits];
            for (before, after) in
                [("", ""), ("", ":"), ("x", " [1] 9999999"), ("", "/0000000"), ("", "\u{7f}\u{80}00000000")]
            {
                let text = format!("{before}{digits}{after}");
                let mut scan = Scan { text: text.as_bytes(), at: before.len() };
                let expected = digits.parse().ok().filter(|_| n_digits <= MOST_DIGITS);
                assert_eq!(scan.number(), expected, "{text}");
                assert!(expected.is_none() || scan.at == before.len() + n_digits, "{text}");
            }
        }
        for text in ["", ":", "a1", "/1234567", "\n1234567", "-1"] {
            assert_eq!(Scan { text: text.as_bytes(), at: 0 }.number(), None, "{text:?}");
        }
    }

    #[test]
    fn a_part_that_is_not_there_is_not_skipped() {
        let mut scan = Scan { text: b"a: \t12\r\nb", at: 0 };
        assert_eq!((scan.skip(b"b"), scan.skip(b"a;"), scan.line_end(), scan.at), (None, None, None, 0));
        assert_eq!((scan.skip(b"a:"), scan.number(), scan.at), (Some(()), None, 2));
        scan.skip_blanks();
        assert_eq!(
            (scan.number(), scan.line_end(), scan.skip(b"b"), scan.line_end()),
            (Some(12), Some(()), Some(()), Some(()))
        );
    }
}
