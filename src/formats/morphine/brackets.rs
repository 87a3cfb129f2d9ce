//! Finding the end of brackets and quotes in the text of terms, without reading the terms.

/// The end of a bracket, and what its depth holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brackets {
    /// Offset of the closing bracket.
    pub close: usize,
    /// Commas directly inside.
    pub commas: u32,
}

/// The bracket that closes the one at `open`; none if the line ends before, or ends inside quotes.
///
/// Every byte of a trace's arguments passes here, so that it branches on quotes and on the end only.
pub fn matching(line: &[u8], open: usize) -> Option<Brackets> {
    let (mut depth, mut commas, mut at) = (1i64, 0u32, open + 1);
    loop {
        let class = CLASS[usize::from(*line.get(at)?)];
        if class == QUOTE {
            at = quoted_end(line, at)?;
            continue;
        }
        depth += i64::from(class >> 1);
        if depth == 0 {
            return Some(Brackets { close: at, commas });
        }
        commas += u32::from((class == COMMA) & (depth == 1));
        at += 1;
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
    fn a_million_brackets_are_one_pass() {
        let text = format!("{}{}", "(".repeat(1_000_000), ")".repeat(1_000_000));
        assert_eq!(close(&text), Some((1_999_999, 0)));
    }
}
