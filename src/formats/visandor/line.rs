//! A line of six numbers, with whatever blanks and comments writers put around them.

use crate::formats::hex::{Hex, VALUES};
use crate::formats::text;

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'l> {
    /// Blanks, or an ellipsis of the manual's examples.
    Nothing,
    /// An event.
    Event(Numbers<'l>),
}

/// The six numbers of an event; identities keep their spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers<'l> {
    pub time: i64,
    pub code: i64,
    pub node: Hex<'l>,
    pub k: i64,
    pub wam: Hex<'l>,
    pub agent: i64,
}

/// `line` without what stands behind a `>`, and without blanks around it.
pub fn without_comment(line: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'>', line).unwrap_or(line.len());
    line[..end].trim_ascii()
}

/// `    7827 2 6FFDEBE1 1 6F7C23E8 1 `
pub fn content(line: &[u8]) -> Result<Content<'_>, String> {
    match plain(line) {
        Some(numbers) => Ok(Content::Event(numbers)),
        None => any_content(line),
    }
}

/// The numbers of a line as writers print it: without a comment, and with spaces only.
fn plain(line: &[u8]) -> Option<Numbers<'_>> {
    let mut rest = Rest { line, start: 0 };
    let time = rest.decimal()?;
    let code = rest.decimal()?;
    let node = rest.hex()?;
    let k = rest.decimal()?;
    let wam = rest.hex()?;
    let agent = rest.decimal()?;
    line[rest.start..].iter().all(|byte| *byte == b' ').then_some(Numbers { time, code, node, k, wam, agent })
}

/// What is left of a line.
struct Rest<'l> {
    line: &'l [u8],
    start: usize,
}

impl<'l> Rest<'l> {
    /// A number without a sign, and behind it a space or the end.
    fn decimal(&mut self) -> Option<i64> {
        let digits = self.word(|value, digit| value * 10 + digit, 10, 18)?;
        i64::try_from(digits.value).ok()
    }

    fn hex(&mut self) -> Option<Hex<'l>> {
        self.word(|value, digit| value << 4 | digit, 16, 16)
    }

    /// So many digits at most that they fit into 64 bits.
    #[inline(always)]
    fn word(&mut self, add: impl Fn(u64, u64) -> u64, radix: u8, most: usize) -> Option<Hex<'l>> {
        let mut place = self.start;
        while self.line.get(place) == Some(&b' ') {
            place += 1;
        }
        let (start, mut value) = (place, 0);
        while let Some(byte) = self.line.get(place).filter(|byte| **byte != b' ') {
            let digit = VALUES[usize::from(*byte)];
            if digit >= radix || place - start == most {
                return None;
            }
            value = add(value, u64::from(digit));
            place += 1;
        }
        self.start = place;
        (place > start).then(|| Hex { value, digits: &self.line[start..place] })
    }
}

fn any_content(line: &[u8]) -> Result<Content<'_>, String> {
    let line = without_comment(line);
    if line.is_empty() || line.starts_with(b"...") {
        return Ok(Content::Nothing);
    }
    let mut fields = [&b""[..]; 6];
    let mut n_fields = 0;
    for field in line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()) {
        if let Some(place) = fields.get_mut(n_fields) {
            *place = field;
        }
        n_fields += 1;
    }
    if n_fields != 6 {
        return Err(format!("expected six numbers, found {n_fields} fields"));
    }
    let [time, code, node, k, wam, agent] = fields;
    let time = decimal(time).filter(|time| *time >= 0).ok_or_else(|| expected("a time", time))?;
    let code = decimal(code).ok_or_else(|| expected("an event code", code))?;
    let node = Hex::of(node).ok_or_else(|| expected("the hexadecimal number of a node", node))?;
    let k = decimal(k).ok_or_else(|| expected("a number of tasks or of a task", k))?;
    let wam = Hex::of(wam).ok_or_else(|| expected("the hexadecimal number of a WAM", wam))?;
    let agent = decimal(agent).ok_or_else(|| expected("the number of an agent", agent))?;
    Ok(Content::Event(Numbers { time, code, node, k, wam, agent }))
}

#[cold]
fn expected(what: &str, found: &[u8]) -> String {
    let found: String = text::visible(found).chars().take(40).collect();
    format!("expected {what}, found `{found}`")
}

fn decimal(field: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match field.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, field),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_i64;
    for digit in digits {
        let digit = digit.is_ascii_digit().then(|| i64::from(digit - b'0'))?;
        value = value.checked_mul(10)?.checked_add(digit)?;
    }
    Some(if is_negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_as_writers_print_them_are_read_as_all_lines_are() {
        for line in [
            "    7827 2 6FFDEBE1 1 6F7C23E8 1 ",
            "0 5 0 0 0 0",
            "1236420313 33 ffffffffffffffff 1 0a 12   ",
            "999999999999999999 1 0 1 1 1",
        ] {
            let numbers = plain(line.as_bytes()).expect("it is as writers print it");
            assert_eq!(any_content(line.as_bytes()), Ok(Content::Event(numbers)), "{line}");
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
            "1 2 G 4 5 6",
            "A 2 3 4 5 6",
            "1 2 10000000000000000 4 5 6",
            "1000000000000000000 2 3 4 5 6",
            "1 99999999999999999999999 3 4 5 6",
        ] {
            assert_eq!(plain(line.as_bytes()), None, "{line}");
        }
    }
}
