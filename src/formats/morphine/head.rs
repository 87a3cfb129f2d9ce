//! The fast path of heads, ` 8:    5 [4] exit `: lines that a question does not need are recognised by their heads.

use wide::u8x16;

use crate::formats::mercury::vocabulary;

/// The offsets of the parts of a head in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Number of the event.
    pub(crate) chrono: i64,
    /// First byte of the number of the call.
    pub(crate) call: usize,
    /// First byte of the depth.
    pub(crate) depth: usize,
    /// The index of the port in [`vocabulary::PORTS`].
    pub(crate) port: u32,
    /// The offset after the port and a blank.
    pub(crate) rest: usize,
}

/// Reads heads of consecutive lines, whose numbers are mostly consecutive.
#[derive(Debug, Default)]
pub(crate) struct HeadReader {
    /// The digits of the last number from the lowest byte on, and their count.
    digits: u128,
    n_digits: u32,
    chrono: i64,
}

/// Digits of numbers of events at most.
const MOST_DIGITS: u32 = 15;
/// Digits of numbers of calls and of depths at most.
const MOST_OTHER_DIGITS: usize = 18;

impl HeadReader {
    /// The head of the line at `start`; none if it has another form.
    #[inline]
    pub(crate) fn read(&mut self, text: &[u8], start: usize) -> Option<Head> {
        let Some(block) = text.get(start..start + BLOCK) else { return self.read_near_end(text, start) };
        let block: &[u8; BLOCK] = block.try_into().ok()?;
        let shape = match HeadOffsets::of::<2>(block) {
            Some(shape) => shape,
            None => HeadOffsets::of_long(block)?,
        };
        let (port, length) = vocabulary::port_before_blank(&text[start + shape.port..])?;
        let chrono = self.chrono(block, shape.chrono, shape.colon)?;
        let (call, depth) = (start + shape.call, start + shape.depth);
        Some(Head { chrono, call, depth, port, rest: start + shape.port + length + 1 })
    }

    #[cold]
    fn read_near_end(&mut self, text: &[u8], start: usize) -> Option<Head> {
        let mut padded = [b'\n'; 2 * BLOCK];
        let length = text.len() - start;
        padded[..length].copy_from_slice(&text[start..]);
        let head = self.read(&padded, 0)?;
        let moved = Head { call: head.call + start, depth: head.depth + start, rest: head.rest + start, ..head };
        (moved.rest <= text.len()).then_some(moved)
    }

    /// The number whose digits are those from `first` to `end`.
    #[inline]
    fn chrono(&mut self, block: &[u8; BLOCK], first: usize, end: usize) -> Option<i64> {
        let n_digits = (end - first) as u32;
        let bytes: [u8; 16] = block.get(first..first + 16)?.try_into().ok()?;
        if n_digits > MOST_DIGITS {
            return None;
        }
        let digits = u128::from_le_bytes(bytes) & ((1 << (8 * n_digits)) - 1);
        let last = 8 * self.n_digits.saturating_sub(1);
        let is_next = n_digits == self.n_digits
            && digits == self.digits.wrapping_add(1 << last)
            && (self.digits >> last) as u8 != b'9';
        self.chrono = match is_next {
            true => self.chrono + 1,
            false => bytes[..n_digits as usize].iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')),
        };
        (self.digits, self.n_digits) = (digits, n_digits);
        Some(self.chrono)
    }
}

/// Bytes of a line within which its port must begin.
const BLOCK: usize = 48;

/// Offsets in a block.
#[derive(Clone, Copy)]
struct HeadOffsets {
    chrono: usize,
    colon: usize,
    call: usize,
    depth: usize,
    port: usize,
}

impl HeadOffsets {
    /// The offsets in `CHRONO: CALL [DEPTH] PORT`, with any number of blanks before CHRONO and CALL.
    #[inline]
    fn of<const PARTS: usize>(block: &[u8; BLOCK]) -> Option<HeadOffsets> {
        let (blanks, digits) = marks::<PARTS>(block);
        let chrono = end_of(blanks, 0);
        let colon = end_of(digits, chrono);
        let call = end_of(blanks, colon + 1);
        let call_end = end_of(digits, call);
        let bracket = end_of(blanks, call_end);
        let depth_end = end_of(digits, bracket + 1);
        let is_shape = depth_end + 1 < 16 * PARTS
            && chrono < colon
            && call < call_end
            && call_end < bracket
            && bracket + 1 < depth_end
            && (call_end - call).max(depth_end - bracket - 1) <= MOST_OTHER_DIGITS
            && block[colon] == b':'
            && block[bracket] == b'['
            && block[depth_end] == b']'
            && block[depth_end + 1] == b' ';
        is_shape.then_some(HeadOffsets { chrono, colon, call, depth: bracket + 1, port: depth_end + 2 })
    }

    #[inline(never)]
    fn of_long(block: &[u8; BLOCK]) -> Option<HeadOffsets> {
        HeadOffsets::of::<3>(block)
    }
}

/// The blanks and the digits among the first 16 times `PARTS` bytes as bits, the first byte in the lowest bit.
#[inline]
fn marks<const PARTS: usize>(block: &[u8; BLOCK]) -> (u64, u64) {
    let (mut blanks, mut digits) = (0, 0);
    for (index, part) in block.as_chunks::<16>().0.iter().take(PARTS).enumerate() {
        let bytes = u8x16::new(*part);
        let values = bytes ^ u8x16::splat(b'0');
        blanks |= u64::from(bytes.simd_eq(u8x16::splat(b' ')).to_bitmask()) << (16 * index);
        digits |= u64::from(values.min(u8x16::splat(9)).simd_eq(values).to_bitmask()) << (16 * index);
    }
    (blanks, digits)
}

/// The end of the run of marks that begins at `start`.
#[inline]
fn end_of(marks: u64, start: usize) -> usize {
    start + (!marks).unbounded_shr(start as u32).trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(heads: &mut HeadReader, line: &str) -> Option<(i64, String, String, &'static str, String)> {
        let head = heads.read(line.as_bytes(), 0)?;
        let digits = |at: usize| line[at..].chars().take_while(char::is_ascii_digit).collect::<String>();
        let port = vocabulary::PORTS[head.port as usize].name;
        Some((head.chrono, digits(head.call), digits(head.depth), port, line[head.rest..].to_string()))
    }

    #[test]
    fn parts_are_found_wherever_the_line_ends() {
        for (chrono, call, depth) in [(1, "1", "1"), (99, "45", "123"), (999_999_999_999_999, "123456789", "1234567")] {
            for (before, between) in [("", " "), ("   ", "    ")] {
                for rest in ["", "p", "p(a, [b]) [c2]  52 \n", &"x".repeat(100)] {
                    let line = format!("{before}{chrono}:{between}{call} [{depth}] exit {rest}");
                    let expected = (chrono, call.to_string(), depth.to_string(), "exit", rest.to_string());
                    assert_eq!(read(&mut HeadReader::default(), &line), Some(expected), "{line}");
                }
            }
        }
    }

    #[test]
    fn numbers_are_read_whether_they_are_consecutive_or_not() {
        let mut heads = HeadReader::default();
        let numbers =
            [1, 2, 3, 8, 9, 10, 11, 19, 20, 21, 98, 99, 100, 101, 199, 200, 1999, 2000, 5, 6, 6, 5, 99_999, 100_000];
        for number in numbers {
            let line = format!("{number}: 7 [1] call p [] and more text after it");
            assert_eq!(read(&mut heads, &line).map(|head| head.0), Some(number));
        }
    }

    #[test]
    fn other_lines_have_no_head() {
        for line in [
            "",
            "\n",
            "1",
            "1:",
            "1: ",
            "1: 2",
            "1: 2 [",
            "1: 2 [3",
            "1: 2 [3]",
            "1: 2 [3] ",
            "1: 2 [3] exit",
            "1: 2 [3] EXIT p",
            "1: 2 [3] exits p",
            "1 : 2 [3] exit p",
            ": 2 [3] exit p",
            "1: [3] exit p",
            "1: 2 [] exit p",
            "1: 2[3] exit p",
            "1: 2 [x] exit p",
            "1: x [3] exit p",
            "1: 2 [3]exit p",
            "1: 2 (3) exit p",
            "1234567890123456: 2 [3] exit p",
            "1: 1234567890123456789 [3] exit p",
            "1: 2 [1234567890123456789] exit p",
        ] {
            assert_eq!(read(&mut HeadReader::default(), line), None, "{line}");
        }
    }
}
