//! The fast path for lines as writers print them, with spaces only and no comment: parsed eight bytes at a time.

use crate::formats::lines::swar::{before_byte, each, n_digits, value};

/// The spelling of a hexadecimal number of at most 15 bytes: the first eight, then the others with the length in the
/// highest byte. The digits are not checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HexKey(pub u64, pub u64);

/// The six numbers of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastLine {
    pub time: i64,
    pub code: i64,
    pub node: HexKey,
    pub k: i64,
    pub wam: HexKey,
    pub agent: i64,
    /// Where the next line begins.
    pub next: usize,
}

impl FastLine {
    /// The line that begins at `start`, if it is a plain one that a line end follows, and not among the last bytes of `text`.
    #[inline(always)]
    pub fn at(text: &[u8], start: usize) -> Option<FastLine> {
        let mut rest = LineCursor { window: text[start..].first_chunk()?, at: 0 };
        rest.skip_indent()?;
        let time = rest.decimal()?;
        rest.gap()?;
        let code = rest.decimal()?;
        rest.gap()?;
        let node = rest.key()?;
        rest.gap()?;
        let k = rest.decimal()?;
        rest.gap()?;
        let wam = rest.key()?;
        rest.gap()?;
        let agent = rest.decimal()?;
        Some(FastLine { time, code, node, k, wam, agent, next: start + rest.line_end()? })
    }
}

#[cfg(test)]
impl HexKey {
    /// The key of a number that is not too long for one.
    pub fn of(digits: &[u8]) -> Option<HexKey> {
        let mut bytes = [0; 16];
        bytes.get_mut(..digits.len()).filter(|_| digits.len() < 16)?.copy_from_slice(digits);
        bytes[15] = digits.len() as u8;
        let half = |start: usize| u64::from_le_bytes(std::array::from_fn(|index| bytes[start + index]));
        Some(HexKey(half(0), half(8)))
    }
}

const POWERS: [u64; 8] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Bytes that one line may take; the last ones may belong to the next line.
const WINDOW: usize = 80;

/// What is left of a line.
struct LineCursor<'t> {
    window: &'t [u8; WINDOW],
    at: usize,
}

impl LineCursor<'_> {
    #[inline(always)]
    fn byte(&self, at: usize) -> Option<u8> {
        self.window.get(at).copied()
    }

    /// The eight bytes from a place on, the first one lowest.
    #[inline(always)]
    fn eight(&self, at: usize) -> Option<u64> {
        if at > WINDOW - 8 {
            return None;
        }
        self.window[at..at + 8].first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// Skips the blanks in front of a line, at most eight.
    #[inline(always)]
    fn skip_indent(&mut self) -> Option<()> {
        let first = self.eight(self.at)?;
        self.at += ((first ^ each(b' ')).trailing_zeros() / 8) as usize;
        Some(())
    }

    /// Skips the blanks between two numbers.
    #[inline(always)]
    fn gap(&mut self) -> Option<()> {
        if self.byte(self.at) != Some(b' ') {
            return None;
        }
        self.at += 1;
        while self.byte(self.at) == Some(b' ') {
            self.at += 1;
        }
        Some(())
    }

    /// A number of at most 15 digits without a sign.
    #[inline(always)]
    fn decimal(&mut self) -> Option<i64> {
        let bytes = self.eight(self.at)?;
        let digits = bytes ^ each(b'0');
        if bytes & 0xFF00 == 0x2000 {
            self.at += 1;
            return Some((digits & 0xFF) as i64).filter(|digit| *digit <= 9);
        }
        match n_digits(digits) {
            0 => None,
            8 => self.long_decimal(value(digits)),
            n_digits => {
                self.at += n_digits;
                Some(value(digits << (64 - 8 * n_digits)) as i64)
            }
        }
    }

    /// A number whose first eight digits have that value.
    fn long_decimal(&mut self, first: u64) -> Option<i64> {
        let digits = self.eight(self.at + 8)? ^ each(b'0');
        let n_digits = n_digits(digits);
        let rest = match n_digits {
            0 => 0,
            8 => return None,
            n_digits => value(digits << (64 - 8 * n_digits)),
        };
        self.at += 8 + n_digits;
        Some((first * POWERS[n_digits] + rest) as i64)
    }

    /// All up to a blank.
    #[inline(always)]
    fn key(&mut self) -> Option<HexKey> {
        let first = self.eight(self.at)?;
        let n_first = before_byte(first, b' ');
        if n_first < 8 {
            self.at += n_first;
            return Some(HexKey(first & !(u64::MAX << (8 * n_first)), (n_first as u64) << 56));
        }
        if self.byte(self.at + 8) == Some(b' ') {
            self.at += 8;
            return Some(HexKey(first, 8 << 56));
        }
        let rest = self.eight(self.at + 8)?;
        let n_rest = before_byte(rest, b' ');
        if n_rest == 8 {
            return None;
        }
        self.at += 8 + n_rest;
        Some(HexKey(first, rest & !(u64::MAX << (8 * n_rest)) | (8 + n_rest as u64) << 56))
    }

    /// Skips blanks and the end of the line.
    #[inline(always)]
    fn line_end(mut self) -> Option<usize> {
        while self.byte(self.at) == Some(b' ') {
            self.at += 1;
        }
        match self.byte(self.at)? {
            b'\n' => Some(self.at + 1),
            b'\r' if self.byte(self.at + 1) == Some(b'\n') => Some(self.at + 2),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::{LineContent, SixNumbers, content};
    use super::*;
    use crate::formats::lines::hex::Hex;

    /// The line in a longer text.
    fn plain(line: &str) -> Option<FastLine> {
        let text = format!("1\n{line}\n{:80}1 2 3 4 5 6\n", "");
        FastLine::at(text.as_bytes(), 2).filter(|plain| plain.next == line.len() + 3)
    }

    fn key(hex: Hex<'_>) -> HexKey {
        HexKey::of(hex.digits).expect("it is not too long")
    }

    #[test]
    fn lines_as_writers_print_them_are_read_as_all_lines_are() {
        for line in [
            "    7827 2 6FFDEBE1 1 6F7C23E8 1 ",
            "0 5 0 0 0 0",
            "12345678 34 0 10 00 123",
            "1236420313 33 fffffffffffffff 1 0a 12   ",
            "123456789012345 1 7FFF00001234 1 123456789 1\r",
            "  1  2   3 4 5 1234567",
            "1 2 12345678 4 1234567 12345678 ",
        ] {
            let Ok(LineContent::Event(numbers)) = content(line.as_bytes()) else { panic!("{line} is an event") };
            let SixNumbers { time, code, node, k, wam, agent } = numbers;
            let next = line.len() + 3;
            let expected = FastLine { time, code, node: key(node), k, wam: key(wam), agent, next };
            assert_eq!(plain(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn other_lines_are_not_taken_for_plain_ones() {
        for line in [
            "",
            "1 2 3 4 5",
            "1 2 3 4 5 6 7",
            "1 2 3 4 5 -6",
            "1\t2 3 4 5 6",
            "1 2 3 4 5 6 > six",
            "1 2 3 4 5 6\r1 2 3 4 5 6",
            "1 2 3 4 5 6x",
            "A 2 3 4 5 6",
            "1 2x 3 4 5 6",
            "1 : 3 4 5 6",
            "1 2 1234567890123456 4 5 6",
            "1234567890123456 2 3 4 5 6",
            "1 99999999999999999999999 3 4 5 6",
        ] {
            assert_eq!(plain(line), None, "{line}");
        }
    }
}
