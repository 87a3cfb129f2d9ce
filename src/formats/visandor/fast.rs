//! The fast path for lines as writers print them, with spaces only and no comment: parsed eight bytes at a time.

use crate::formats::lines::scan::Scan;
use crate::formats::lines::swar::{before_byte, first_bytes};

/// The spelling of a hexadecimal number of at most 15 bytes: the first eight, then the others with the length in the
/// highest byte. The digits are not checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HexKey(pub u64, pub(crate) u64);

/// The six numbers of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineNumbers {
    pub(crate) time: i64,
    pub(crate) code: i64,
    pub(crate) node: HexKey,
    pub(crate) k: i64,
    pub(crate) wam: HexKey,
    pub(crate) agent: i64,
    /// Where the next line begins.
    pub(crate) next: usize,
}

impl LineNumbers {
    /// The line that begins at `start`, if it is in the usual spelling.
    #[inline(always)]
    pub(crate) fn at(text: &[u8], start: usize) -> Option<LineNumbers> {
        let mut scan = Scan { text, at: start };
        scan.skip_blanks();
        let time = number(&mut scan)?;
        let code = number(&mut scan)?;
        let node = key(&mut scan)?;
        let k = number(&mut scan)?;
        let wam = key(&mut scan)?;
        let agent = scan.number()?;
        scan.skip_blanks();
        scan.line_end()?;
        Some(LineNumbers { time, code, node, k, wam, agent, next: scan.at })
    }
}

/// A number and the blanks after it.
#[inline(always)]
fn number(scan: &mut Scan<'_>) -> Option<i64> {
    let number = scan.number()?;
    gap(scan)?;
    Some(number)
}

/// Skips one blank or more.
#[inline(always)]
fn gap(scan: &mut Scan<'_>) -> Option<()> {
    scan.skip(b" ")?;
    scan.skip_blanks();
    Some(())
}

/// The bytes up to a space, at most 15, and the blanks after them.
#[inline(always)]
fn key(scan: &mut Scan<'_>) -> Option<HexKey> {
    let first = scan.word();
    let n_first = before_byte(first, b' ');
    scan.at += n_first;
    let key = match n_first {
        8 => long_key(first, scan)?,
        _ => HexKey(first_bytes(first, n_first, 0), (n_first as u64) << 56),
    };
    gap(scan)?;
    Some(key)
}

/// A key of these bytes and those up to a space.
#[inline(always)]
fn long_key(first: u64, scan: &mut Scan<'_>) -> Option<HexKey> {
    let others = scan.word();
    let n_others = before_byte(others, b' ');
    if n_others == 8 {
        return None;
    }
    scan.at += n_others;
    Some(HexKey(first, first_bytes(others, n_others, 0) | (8 + n_others as u64) << 56))
}

#[cfg(test)]
impl HexKey {
    /// The key of a number that is not too long for one.
    pub(crate) fn of(digits: &[u8]) -> Option<HexKey> {
        let mut bytes = [0; 16];
        bytes.get_mut(..digits.len()).filter(|_| digits.len() < 16)?.copy_from_slice(digits);
        bytes[15] = digits.len() as u8;
        let half = |start: usize| u64::from_le_bytes(std::array::from_fn(|index| bytes[start + index]));
        Some(HexKey(half(0), half(8)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::{LineContent, SixNumbers, content};
    use super::*;
    use crate::formats::lines::hex::Hex;

    /// The line in a longer text.
    fn plain(line: &str) -> Option<LineNumbers> {
        let text = format!("1\n{line}\n{:80}1 2 3 4 5 6\n", "");
        LineNumbers::at(text.as_bytes(), 2).filter(|plain| plain.next == line.len() + 3)
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
            let expected = LineNumbers { time, code, node: key(node), k, wam: key(wam), agent, next };
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
            "1 2 3 4 5 6 > six",
            "1 2 3 4 5 6x",
            "A 2 3 4 5 6",
            "1 2x 3 4 5 6",
            "1 : 3 4 5 6",
            "1 2 1234567890123456 4 5 6",
            "1234567890123456789 2 3 4 5 6",
            "1\t2 3 4 5 6",
            "1 99999999999999999999999 3 4 5 6",
        ] {
            assert_eq!(plain(line), None, "{line}");
        }
    }
}
