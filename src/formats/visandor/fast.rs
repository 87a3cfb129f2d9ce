//! The fast path for lines as writers print them, with spaces only and no comment: parsed eight bytes at a time.

use crate::formats::lines::interner::ShortText;
use crate::formats::lines::scan::Scan;

/// The six numbers of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineNumbers {
    pub(crate) time: i64,
    pub(crate) code: i64,
    pub(crate) node: ShortText,
    pub(crate) k: i64,
    pub(crate) wam: ShortText,
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
        let node = word(&mut scan)?;
        let k = number(&mut scan)?;
        let wam = word(&mut scan)?;
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

/// The bytes up to a space, at most 15, which are not checked, and the blanks after them.
#[inline(always)]
fn word(scan: &mut Scan<'_>) -> Option<ShortText> {
    let (word, end) = ShortText::before(b' ', scan.text, scan.at)?;
    scan.at = end;
    gap(scan)?;
    Some(word)
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

    fn key(hex: Hex<'_>) -> ShortText {
        let text = format!("{} {:16}", hex.written(), "");
        ShortText::before(b' ', text.as_bytes(), 0).expect("it is not too long").0
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
