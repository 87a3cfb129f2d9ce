//! Finding the end of brackets and quotes in the text of terms, without reading the terms.

use crate::term::letters::escape_end;
use wide::u8x16;

/// A bracket that was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClosedBracket {
    /// Offset of the closing bracket.
    pub(crate) close: usize,
    /// Commas inside it, but not inside inner brackets or quotes.
    pub(crate) commas: u32,
}

/// The bracket that closes the one at `open`; none if the line ends before, or ends inside quotes.
pub(crate) fn matching(line: &[u8], open: usize) -> Option<ClosedBracket> {
    matching_before(line, open, line.len())
}

/// The same for a line that ends at `end` of a longer text.
///
/// Every byte of the arguments of a trace passes here: blocks of 16 bytes are compared at once unless they have quotes.
pub(crate) fn matching_before(text: &[u8], open: usize, end: usize) -> Option<ClosedBracket> {
    let (mut walk, mut at) = (BracketWalk { depth: 1, commas: 0 }, open + 1);
    while at < end {
        let block = text.get(at..at + BLOCK).map(BlockMarks::of).filter(|marks| !marks.has_quote);
        let found = match block {
            Some(marks) => {
                let inside = (end - at).min(BLOCK);
                at += BLOCK;
                walk.block(marks, (1 << inside) - 1).map(|offset| at - BLOCK + offset)
            }
            None => walk.bytes(&text[..end], &mut at)?,
        };
        if let Some(close) = found {
            return Some(ClosedBracket { close, commas: walk.commas });
        }
    }
    None
}

/// Whether the bracket at `close` closes the one at `open`, as [`matching`] would find.
///
/// This is faster than searching for it, but has false negatives: with quotes between the two, with deeply nested brackets,
/// and near the end of `text`.
pub(crate) fn closes(text: &[u8], open: usize, close: usize) -> bool {
    let (mut depth, mut at) = (1, open + 1);
    while at < close {
        let Some(block) = text.get(at..at + BLOCK) else { return false };
        let Some(next) = depth_after(block, (close - at).min(BLOCK), depth) else { return false };
        (depth, at) = (next, at + BLOCK);
    }
    depth == 1
}

/// The greatest depth that [`depth_after`] counts.
const DEEPEST: u64 = 64;

/// The depth of brackets after the first `inside` bytes of a block; none if a quote is among them, or the depth becomes zero or
/// too great.
///
/// SWAR: each byte changes the depth by -1, 0 or 1. A byte of the word holds that change plus one, and a product with ones makes
/// each byte the sum of those up to it, so that eight depths are computed at once.
#[inline]
fn depth_after(block: &[u8], inside: usize, depth: u64) -> Option<u64> {
    let bytes = u8x16::new(block.try_into().expect("a block has as many bytes"));
    let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
    let folded = bytes | u8x16::splat(0x20);
    let is_folded = |byte: u8| folded.simd_eq(u8x16::splat(byte));
    let quotes = (is(b'\'') | is(b'"') | is(b'`')).to_bitmask();
    // a comparison gives -1 where it holds
    let (opens, closes) = (is(b'(') | is_folded(b'{'), is(b')') | is_folded(b'}'));
    let changes = (u8x16::splat(1) - opens + closes).to_array();
    if quotes & ((1 << inside) - 1) != 0 {
        return None;
    }
    let half = |at: usize| u64::from_le_bytes(changes[at..at + 8].try_into().expect("a half has eight bytes"));
    let depth = depth_after_half(half(0), inside.min(8), depth)?;
    depth_after_half(half(8), inside.saturating_sub(8), depth)
}

#[inline]
fn depth_after_half(changes: u64, inside: usize, depth: u64) -> Option<u64> {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    const COUNT: u64 = u64::from_le_bytes([1, 2, 3, 4, 5, 6, 7, 8]);
    let is_inside = 1_u64.unbounded_shl(8 * inside as u32).wrapping_sub(1);
    let sums = (changes & is_inside | EACH & !is_inside).wrapping_mul(EACH);
    // the highest bit of a byte is set where the depth is above zero
    let depths = (sums + EACH * (depth + 0x7F)).wrapping_sub(COUNT);
    let after = (depths >> 56).wrapping_sub(0x7F);
    (depths & (EACH << 7) == EACH << 7 && after <= DEEPEST).then_some(after)
}

/// Bytes that are compared at once.
const BLOCK: usize = 16;

/// The brackets and commas of a block as bits, the first byte in the lowest bit.
#[derive(Clone, Copy)]
struct BlockMarks {
    open: u32,
    close: u32,
    commas: u32,
    has_quote: bool,
}

impl BlockMarks {
    #[inline]
    fn of(block: &[u8]) -> BlockMarks {
        let bytes = u8x16::new(block.try_into().expect("a block has as many bytes"));
        let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
        // `[` and `{`, `]` and `}` differ in one bit
        let folded = bytes | u8x16::splat(0x20);
        let is_folded = |byte: u8| folded.simd_eq(u8x16::splat(byte));
        BlockMarks {
            open: (is(b'(') | is_folded(b'{')).to_bitmask(),
            close: (is(b')') | is_folded(b'}')).to_bitmask(),
            commas: is(b',').to_bitmask(),
            has_quote: (is(b'\'') | is(b'"') | is(b'`')).to_bitmask() != 0,
        }
    }
}

/// The depth and the commas on the way from a bracket to the one that closes it.
struct BracketWalk {
    depth: i64,
    commas: u32,
}

impl BracketWalk {
    /// Walks over the bytes of a block in the mask `inside`; returns the offset of the closing bracket, if it is there.
    #[inline]
    fn block(&mut self, marks: BlockMarks, inside: u32) -> Option<usize> {
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

    /// Walks byte by byte from `at` to the end of the next quoted text or of the line; returns the closing bracket, if it is
    /// there, and none if the line ends inside the quotes.
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
pub(crate) fn are_balanced(text: &str) -> bool {
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

/// The offset after the quoted text, or the character code, whose quote is at `quote`.
pub(crate) fn quoted_end(line: &[u8], quote: usize) -> Option<usize> {
    if line[quote] == b'\'' && is_code_quote(line, quote) {
        return code_end(line, quote + 1);
    }
    let mark = line[quote];
    let mut at = quote + 1;
    loop {
        at += memchr::memchr2(mark, b'\\', line.get(at..)?)?;
        match line[at] {
            b'\\' => at = escape_end(line, at + 1),
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
        b'\\' => line.get(at + 1).map(|_| escape_end(line, at + 1)),
        b'\'' if line.get(at + 1) == Some(&b'\'') => Some(at + 2),
        byte if byte < 0x80 => Some(at + 1),
        _ => Some((at + 1..line.len()).find(|&next| !(0x80..0xC0).contains(&line[next])).unwrap_or(line.len())),
    }
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
    fn a_bracket_that_closes_another_is_the_one_that_is_found() {
        let pieces =
            ["(", ")", "[", "]", "{", "}", "a", ", ", "bcd efg", "((((((((", "))))))))", "é", "\u{0}", "'", "\""];
        let (mut random, mut n_closed) = (1_u64, 0);
        for _ in 0..20_000 {
            let mut text = "(".to_string();
            for _ in 0..12 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(pieces[(random >> 33) as usize % pieces.len()]);
            }
            text.push_str(") and more than a block of text");
            let found = matching(text.as_bytes(), 0).map(|found| found.close);
            for close in text.match_indices([')', ']', '}']).map(|(at, _)| at) {
                let is_closed = closes(text.as_bytes(), 0, close);
                n_closed += usize::from(is_closed);
                let is_quoted = text[..close].contains(['\'', '"', '`']);
                assert!(is_closed == (found == Some(close)) || is_quoted && !is_closed, "{text} at {close}");
            }
        }
        assert!(n_closed > 5_000, "{n_closed}");
    }

    #[test]
    fn brackets_that_are_nested_deeply_are_not_said_to_close() {
        for (depth, is_closed) in [(1, true), (60, true), (80, false), (300, false)] {
            let text = format!("{}{}{}", "(".repeat(depth), ")".repeat(depth), " ".repeat(20));
            assert_eq!(closes(text.as_bytes(), 0, 2 * depth - 1), is_closed, "{depth}");
            assert_eq!(close(&text), Some((2 * depth - 1, 0)));
        }
    }

    #[test]
    fn a_million_brackets_are_one_pass() {
        let text = format!("{}{}", "(".repeat(1_000_000), ")".repeat(1_000_000));
        assert_eq!(close(&text), Some((1_999_999, 0)));
    }
}
