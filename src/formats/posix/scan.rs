//! The parts of a line in the usual order, each compared or read eight bytes at a time.

use super::fast::Status;
use crate::formats::lines::line_end;
use crate::formats::lines::swar;

/// What is left of the text.
pub struct Scan<'l> {
    pub text: &'l [u8],
    /// The next byte.
    pub at: usize,
}

impl Scan<'_> {
    /// Passes over what must stand there.
    #[inline]
    pub fn skip<const N: usize>(&mut self, expected: &[u8; N]) -> Option<()> {
        let found = self.text.get(self.at..)?.first_chunk::<N>()?;
        if found != expected {
            return None;
        }
        self.at += N;
        Some(())
    }

    /// A number of few digits.
    #[inline]
    pub fn number(&mut self) -> Option<i64> {
        let (value, length) = swar::decimal(swar::load(self.text, self.at)?);
        self.at += length;
        match length {
            0 => None,
            8 => self.long_number(value),
            _ => Some(value as i64),
        }
    }

    /// The number that goes on behind eight digits with these.
    fn long_number(&mut self, value: u64) -> Option<i64> {
        let mut value = i64::try_from(value).ok()?;
        while let Some(digit @ b'0'..=b'9') = self.text.get(self.at) {
            value = value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
            self.at += 1;
        }
        Some(value)
    }

    /// Seconds with nine digits behind the point, in nanoseconds.
    #[inline]
    pub fn time(&mut self) -> Option<i64> {
        let seconds = self.number()?;
        self.skip(b".")?;
        let (fraction, length) = swar::decimal(swar::load(self.text, self.at)?);
        let last = self.text.get(self.at + 8).filter(|last| length == 8 && last.is_ascii_digit())?;
        self.at += 9;
        seconds.checked_mul(1_000_000_000)?.checked_add(fraction as i64 * 10 + i64::from(last - b'0'))
    }

    /// Whether data were truncated, behind `POSIX_TRACE_` and with the quote at the end.
    #[inline]
    pub fn status(&mut self) -> Option<Status> {
        if self.skip(b"NOT_TRUNCATED\"").is_some() {
            return Some(Status::None);
        }
        let is_record = self.skip(b"TRUNCATED_RECORD\"").map(|()| Status::Record);
        is_record.or_else(|| self.skip(b"TRUNCATED_READ\"").map(|()| Status::Read))
    }

    /// The end of the line, which is passed over.
    #[inline]
    pub fn line_end(&mut self) -> Option<()> {
        if self.skip(b"\n").is_some() {
            return Some(());
        }
        match line_end(self.text, self.at) {
            Some((end, next)) if end == self.at => self.at = next,
            Some(_) => return None,
            None if self.at == self.text.len() => {}
            None => return None,
        }
        Some(())
    }
}
