//! The tokens of a goal as a tracer prints it: as those of Prolog, for texts that need not be terms.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GoalToken {
    Blank,
    /// A name without quotes.
    Name,
    /// A quoted name.
    Quoted,
    /// A string or a text in back quotes.
    Text,
    Number,
    Variable,
    /// `(`, `[` or `{`.
    Open,
    /// `)`, `]` or `}`.
    Close,
    /// `,` or `|`.
    Separator,
    /// A name of symbols, such as `=..`.
    Symbols,
    /// A character that begins no other token.
    Other,
    /// A quote that is not closed, and all that follows it.
    Unclosed,
}

/// The tokens of a text, with the offsets at which they begin.
#[derive(Clone, Debug)]
pub(crate) struct GoalTokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> GoalTokens<'t> {
    pub(crate) fn of(text: &'t str) -> GoalTokens<'t> {
        GoalTokens { text, at: 0 }
    }
}

impl<'t> Iterator for GoalTokens<'t> {
    type Item = (GoalToken, usize, &'t str);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (start, bytes) = (self.at, self.text.as_bytes());
        let (kind, end) = token(bytes, start, *bytes.get(start)?);
        // a token of bytes ends where a character ends
        let end = (end..=bytes.len()).find(|end| self.text.is_char_boundary(*end)).unwrap_or(bytes.len());
        self.at = end;
        Some((kind, start, &self.text[start..end]))
    }
}

/// The token that begins with a byte, and its end.
#[inline]
fn token(bytes: &[u8], start: usize, first: u8) -> (GoalToken, usize) {
    match first {
        b'a'..=b'z' | 0x80.. => (GoalToken::Name, word_end(bytes, start)),
        b'A'..=b'Z' | b'_' => (GoalToken::Variable, word_end(bytes, start)),
        b'0' if bytes.get(start + 1) == Some(&b'\'') => character_code(bytes, start),
        b'0'..=b'9' => (GoalToken::Number, number_end(bytes, start)),
        b'(' | b'[' | b'{' => (GoalToken::Open, start + 1),
        b')' | b']' | b'}' => (GoalToken::Close, start + 1),
        b',' | b'|' => (GoalToken::Separator, start + 1),
        b'\'' | b'"' | b'`' => quoted(bytes, start, first),
        _ if first.is_ascii_whitespace() => (GoalToken::Blank, end_of(bytes, start, |byte| byte.is_ascii_whitespace())),
        _ if is_symbol(first) => (GoalToken::Symbols, end_of(bytes, start, is_symbol)),
        _ => (GoalToken::Other, start + 1),
    }
}

fn is_symbol(byte: u8) -> bool {
    b"-+*/\\^<>=~:.?@#&$;!".contains(&byte)
}

/// Whether a byte may belong to a name, a variable or a number.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn end_of(bytes: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    start + bytes[start..].iter().take_while(|byte| belongs(**byte)).count()
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    end_of(bytes, start, is_word)
}

/// `12`, `1.5`, `1.5e10`, `1.5NaN`, `1.0Inf`
fn number_end(bytes: &[u8], start: usize) -> usize {
    let digits = |from: usize| end_of(bytes, from.min(bytes.len()), |byte| byte.is_ascii_digit());
    let mut end = digits(start);
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            end = if digits(sign) > sign { digits(sign) } else { end };
        }
    }
    let special = bytes[end..].starts_with(b"Inf") || bytes[end..].starts_with(b"NaN");
    end + if special { 3 } else { 0 }
}

/// `0'a`, `0'\n`, `0'''`
fn character_code(bytes: &[u8], start: usize) -> (GoalToken, usize) {
    let length = match (bytes.get(start + 2), bytes.get(start + 3)) {
        (None, _) => return (GoalToken::Number, start + 1),
        (Some(b'\\'), Some(_)) | (Some(b'\''), Some(b'\'')) => 4,
        _ => 3,
    };
    (GoalToken::Number, start + length)
}

/// A quoted text; a backslash protects the character after it, and a quote that is written twice is one.
fn quoted(bytes: &[u8], start: usize, quote: u8) -> (GoalToken, usize) {
    let kind = if quote == b'\'' { GoalToken::Quoted } else { GoalToken::Text };
    let mut at = start + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(quote, b'\\', rest)) {
        at += found;
        if bytes[at] == quote && bytes.get(at + 1) != Some(&quote) {
            return (kind, at + 1);
        }
        at += 2;
    }
    (GoalToken::Unclosed, bytes.len())
}

/// How deep in brackets, and in which quote, the text so far ends. It may go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenBrackets {
    depth: i64,
    quote: Option<u8>,
    /// Whether the last character protects the next one.
    is_escaped: bool,
}

impl OpenBrackets {
    /// Those of a text.
    pub(crate) fn of(text: &[u8]) -> OpenBrackets {
        let mut open = OpenBrackets::default();
        open.add(text);
        open
    }

    /// Whether all brackets and quotes are closed.
    pub(crate) fn are_closed(self) -> bool {
        self.depth <= 0 && self.quote.is_none()
    }

    /// Goes on with some more text.
    pub(crate) fn add(&mut self, text: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            at = match self.quote {
                Some(quote) => self.inside(text, at, quote),
                None => self.outside(text, at, byte),
            };
        }
    }

    fn outside(&mut self, text: &[u8], at: usize, byte: u8) -> usize {
        match byte {
            b'(' | b'[' | b'{' => self.depth += 1,
            b')' | b']' | b'}' => self.depth -= 1,
            b'\'' | b'"' | b'`' => self.quote = Some(byte),
            b'0'..=b'9' if text.get(at + 1) == Some(&b'\'') && byte == b'0' => return character_code(text, at).1,
            _ if is_word(byte) => return word_end(text, at).max(at + 1),
            _ => {}
        }
        at + 1
    }

    fn inside(&mut self, text: &[u8], at: usize, quote: u8) -> usize {
        if std::mem::take(&mut self.is_escaped) {
            return at + 1;
        }
        let Some(found) = memchr::memchr2(quote, b'\\', &text[at..]) else { return text.len() };
        match text[at + found] {
            b'\\' => self.is_escaped = true,
            // one that is written twice opens the quotes again
            _ => self.quote = None,
        }
        at + found + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let tokens = GoalTokens::of(text).filter(|(kind, ..)| *kind != GoalToken::Blank);
        tokens.map(|(_, _, text)| text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tokens_are_those_of_prolog() {
        for (text, expected) in [
            ("lists:member(_12, [a|_G3])", "lists : member ( _12 , [ a | _G3 ] )"),
            ("X is-1+0'a", "X is - 1 + 0'a"),
            ("'it\\'s' =.. 'it''s'", "'it\\'s' =.. 'it''s'"),
            ("f(1.5e10, 1.0Inf, 1.e)", "f ( 1.5e10 , 1.0Inf , 1 . e )"),
            ("été = \"a\\\"b\"", "été = \"a\\\"b\""),
            ("0''' 0'\\n 0'(", "0''' 0'\\n 0'("),
        ] {
            assert_eq!(shown(text), expected);
        }
        assert_eq!(GoalTokens::of("a 'b").last(), Some((GoalToken::Unclosed, 2, "'b")));
    }

    #[test]
    fn a_text_is_closed_when_its_brackets_and_quotes_are() {
        for (text, is_closed) in [
            ("p(1, [2])", true),
            ("p(1, [2]", false),
            ("p)", true),
            ("'(' = \"[\"", true),
            ("'(", false),
            ("'it''s'", true),
            ("'\\'", false),
            ("0'( = a0", true),
            ("a0'('", true),
            ("0'", false),
        ] {
            assert_eq!(OpenBrackets::of(text.as_bytes()).are_closed(), is_closed, "{text}");
            for end in 0..text.len() {
                // lines end between tokens, or inside quotes
                let is_inside = |at: usize| text.as_bytes().get(at).is_some_and(|byte| is_word(*byte));
                if end > 0 && is_inside(end - 1) || text.as_bytes()[..end].ends_with(b"0'") {
                    continue;
                }
                let mut parts = OpenBrackets::of(&text.as_bytes()[..end]);
                parts.add(&text.as_bytes()[end..]);
                assert_eq!(parts.are_closed(), is_closed, "{text} at {end}");
            }
        }
    }

    #[test]
    fn any_text_has_tokens_that_cover_it() {
        for text in ["'", "0'", "0'\\", "é'é", "\u{0}\u{7f}", "0'é", "`é", "_é", "1.é", "'\\é"] {
            let tokens: String = GoalTokens::of(text).map(|(_, _, text)| text).collect();
            assert_eq!(tokens, text);
        }
    }
}
