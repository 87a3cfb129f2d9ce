//! Finding the end of brackets and quotes in the text of terms, without reading the terms.

use wide::u8x16;

/// The end of a bracket, and what its depth holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brackets {
    /// Offset of the closing bracket.
    pub close: usize,
    /// Commas directly inside.
    pub commas: u32,
}

/// The bracket that closes the one at `open`; none if the line ends before, or ends inside quotes.
pub fn matching(line: &[u8], open: usize) -> Option<Brackets> {
    matching_before(line, open, line.len())
}

/// The same for a line that ends at `end` of a longer text.
///
/// Every byte of a trace's arguments passes here, so that a block of them is looked at at once, up to one with quotes.
pub fn matching_before(text: &[u8], open: usize, end: usize) -> Option<Brackets> {
    let (mut walk, mut at) = (Walk { depth: 1, commas: 0 }, open + 1);
    while at < end {
        let block = text.get(at..at + BLOCK).map(Marks::of).filter(|marks| !marks.has_quote);
        let found = match block {
            Some(marks) => {
                let inside = (end - at).min(BLOCK);
                at += BLOCK;
                walk.block(marks, (1 << inside) - 1).map(|offset| at - BLOCK + offset)
            }
            None => walk.bytes(&text[..end], &mut at)?,
        };
        if let Some(close) = found {
            return Some(Brackets { close, commas: walk.commas });
        }
    }
    None
}

/// Bytes that are looked at at once.
const BLOCK: usize = 16;

/// Which bytes of a block are brackets and commas, the first one in the lowest bit.
#[derive(Clone, Copy)]
struct Marks {
    open: u32,
    close: u32,
    commas: u32,
    has_quote: bool,
}

impl Marks {
    #[inline]
    fn of(block: &[u8]) -> Marks {
        let bytes = u8x16::new(block.try_into().expect("a block has as many bytes"));
        let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
        // `[` and `{`, `]` and `}` differ in one bit
        let folded = bytes | u8x16::splat(0x20);
        let is_folded = |byte: u8| folded.simd_eq(u8x16::splat(byte));
        Marks {
            open: (is(b'(') | is_folded(b'{')).to_bitmask(),
            close: (is(b')') | is_folded(b'}')).to_bitmask(),
            commas: is(b',').to_bitmask(),
            has_quote: (is(b'\'') | is(b'"') | is(b'`')).to_bitmask() != 0,
        }
    }
}

/// The way from a bracket to the one that closes it.
struct Walk {
    depth: i64,
    commas: u32,
}

impl Walk {
    /// Goes over the bytes of a block that are in `inside`; gives the offset of the closing bracket if it is there.
    #[inline]
    fn block(&mut self, marks: Marks, inside: u32) -> Option<usize> {
        let mut brackets = (marks.open | marks.close) & inside;
        let mut commas = marks.commas & inside;
        while brackets != 0 {
            let bit = brackets & brackets.wrapping_neg();
            let before = bit - 1;
            if self.depth == 1 {
                self.commas += (commas & before).count_ones();
            }
            commas &= !before;
            self.depth += if marks.open & bit != 0 { 1 } else { -1 };
            if self.depth == 0 {
                return Some(bit.trailing_zeros() as usize);
            }
            brackets &= brackets - 1;
        }
        if self.depth == 1 {
            self.commas += commas.count_ones();
        }
        None
    }

    /// Goes byte by byte from `at` to behind the next quoted text, or to the end of the line; the closing bracket if it is
    /// on the way, nothing if the line ends inside the quotes.
    fn bytes(&mut self, line: &[u8], at: &mut usize) -> Option<Option<usize>> {
        while let Some(byte) = line.get(*at) {
            let class = CLASS[usize::from(*byte)];
            if class == QUOTE {
                *at = quoted_end(line, *at)?;
                return Some(None);
            }
            self.depth += i64::from(class >> 1);
            if self.depth == 0 {
                return Some(Some(*at));
            }
            self.commas += u32::from((class == COMMA) & (self.depth == 1));
            *at += 1;
        }
        Some(None)
    }
}

/// Whether every bracket and quote of `text` is closed in it, and none before it is opened.
pub fn are_balanced(text: &str) -> bool {
    let (mut depth, mut at) = (0i64, 0);
    while let Some(&byte) = text.as_bytes().get(at) {
        let class = CLASS[usize::from(byte)];
        if class == QUOTE {
            let Some(end) = quoted_end(text.as_bytes(), at) else { return false };
            at = end;
            continue;
        }
        depth += i64::from(class >> 1);
        if depth < 0 {
            return false;
        }
        at += 1;
    }
    depth == 0
}

/// Where the quoted text or character code whose quote stands at `quote` ends: the offset behind it.
pub fn quoted_end(line: &[u8], quote: usize) -> Option<usize> {
    if line[quote] == b'\'' && is_code_quote(line, quote) {
        return code_end(line, quote + 1);
    }
    let mark = line[quote];
    let mut at = quote + 1;
    loop {
        at += memchr::memchr2(mark, b'\\', line.get(at..)?)?;
        match line[at] {
            b'\\' => at += 2,
            _ if line.get(at + 1) == Some(&mark) => at += 2,
            _ => return Some(at + 1),
        }
    }
}

/// Whether the quote belongs to `0'c`: a `0` stands before it that no word or number ends with.
fn is_code_quote(line: &[u8], quote: usize) -> bool {
    let before = |distance: usize| quote.checked_sub(distance).map_or(b' ', |at| line[at]);
    before(1) == b'0' && !(before(2).is_ascii_alphanumeric() || before(2) == b'_' || before(2) >= 0x80)
}

/// The end of the character after `0'`, which may be escaped, or a quote written twice.
fn code_end(line: &[u8], at: usize) -> Option<usize> {
    match *line.get(at)? {
        b'\\' => escape_end(line, at + 1),
        b'\'' if line.get(at + 1) == Some(&b'\'') => Some(at + 2),
        byte if byte < 0x80 => Some(at + 1),
        _ => Some((at + 1..line.len()).find(|&next| !(0x80..0xC0).contains(&line[next])).unwrap_or(line.len())),
    }
}

/// The end of an escape whose backslash stands before `at`; `\x41\` and `\101\` end with a backslash.
fn escape_end(line: &[u8], at: usize) -> Option<usize> {
    let first = *line.get(at)?;
    if first != b'x' && !first.is_ascii_digit() {
        return Some(at + 1);
    }
    let digits = line[at + 1..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let end = at + 1 + digits;
    Some(if line.get(end) == Some(&b'\\') { end + 1 } else { end })
}

const PLAIN: i8 = 0;
const COMMA: i8 = 1;
const OPEN: i8 = 2;
const CLOSE: i8 = -2;
const QUOTE: i8 = 4;

/// What a byte means to the search for a closing bracket: twice the change of depth, and two marks.
static CLASS: [i8; 256] = {
    let mut class = [PLAIN; 256];
    class[b'(' as usize] = OPEN;
    class[b'[' as usize] = OPEN;
    class[b'{' as usize] = OPEN;
    class[b')' as usize] = CLOSE;
    class[b']' as usize] = CLOSE;
    class[b'}' as usize] = CLOSE;
    class[b',' as usize] = COMMA;
    class[b'\'' as usize] = QUOTE;
    class[b'"' as usize] = QUOTE;
    class[b'`' as usize] = QUOTE;
    class
};

#[cfg(test)]
mod tests {
    use super::*;

    fn close(line: &str) -> Option<(usize, u32)> {
        matching(line.as_bytes(), 0).map(|found| (found.close, found.commas))
    }

    #[test]
    fn brackets_in_quotes_and_codes_do_not_count() {
        assert_eq!(close("(a, [b, c], {d})"), Some((15, 2)));
        assert_eq!(close("('a)', \"(\", `)`)"), Some((15, 2)));
        assert_eq!(close("(0'), 0''', 0'\\', 0'\\x29\\, 'it''s')"), Some((34, 4)));
        assert_eq!(close("('\\')', x)"), Some((9, 1)));
    }

    #[test]
    fn a_digit_before_a_quote_is_a_code_only_at_the_start_of_a_number() {
        assert_eq!(close("(10'), x')"), Some((9, 0)));
        assert_eq!(close("(a0'), x')"), Some((9, 0)));
        assert_eq!(close("(0'é, x)"), Some((8, 1)));
    }

    #[test]
    fn text_that_ends_inside_has_no_close() {
        for text in ["(", "(a", "(a, [b)", "('a)", "(\"a\\", "(0'", "(0'\\"] {
            assert_eq!(close(text), None, "{text}");
        }
    }

    #[test]
    fn balanced_text_closes_what_it_opens() {
        for text in ["", "a, [b]", "'('", "0'("] {
            assert!(are_balanced(text), "{text}");
        }
        for text in ["(", ")", ")(", "'", "0'"] {
            assert!(!are_balanced(text), "{text}");
        }
    }

    #[test]
    fn a_text_of_any_length_is_the_same_at_any_place() {
        let text = "((a, [b, {c}], 'q', \"(\", 0',), f(`)`, [[x]]), y, zzzzzzzzzzzzzzzzzzzzzzzzz, (()), k)";
        let expected = close(text).expect("the text is balanced");
        assert_eq!(expected, (text.len() - 1, 5));
        for blanks in 0..40 {
            let line = format!("{}{text}) ] }}", " ".repeat(blanks));
            let found = matching(line.as_bytes(), blanks).map(|found| (found.close - blanks, found.commas));
            assert_eq!(found, Some(expected), "{blanks}");
            let cut = (blanks + 1..blanks + text.len()).filter_map(|end| matching_before(line.as_bytes(), blanks, end));
            assert_eq!(cut.count(), 0);
        }
    }

    #[test]
    fn a_million_brackets_are_one_pass() {
        let text = format!("{}{}", "(".repeat(1_000_000), ")".repeat(1_000_000));
        assert_eq!(close(&text), Some((1_999_999, 0)));
    }
}
