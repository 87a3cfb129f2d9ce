//! The fast path to the end of a term: one scan over its bytes. Unusual terms are left to
//! [`translate`](super::term::translate), which finds the same end.

/// The place after a term, and how many line ends are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TermEnd {
    pub(crate) at: usize,
    pub(crate) n_lines: u64,
}

/// What is open: a bracket with what may follow, in three bits.
type BracketState = u64;

const TUPLE: BracketState = 1;
const LIST: BracketState = 2;
const TAIL: BracketState = 3;
const KEY: BracketState = 4;
const VALUE: BracketState = 5;

/// A bit of the brackets that shows that no further one has room.
const FULL: u64 = 7 << 60;

const WORD: u8 = 1;
const DIGIT: u8 = 2;
const PLAIN: u8 = 4;
const IN_PID: u8 = 8;
const IN_BINARY: u8 = 16;

/// What a byte may be part of.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let is_digit = byte >= b'0' as usize && byte <= b'9' as usize;
        let is_letter = byte | 32 >= b'a' as usize && byte | 32 <= b'z' as usize && byte < 128;
        let is_word = is_digit || is_letter || byte == b'_' as usize || byte == b'@' as usize;
        // quotes and backslashes are looked at
        let is_plain = byte >= 0x20 && byte <= 0x7E && byte != b'\\' as usize;
        let is_plain = is_plain && byte != b'"' as usize && byte != b'\'' as usize;
        let is_mark = matches!(byte as u8, b',' | b':' | b'/' | b'-' | b'_' | b'.' | b'#');
        classes[byte] = is_word as u8 * WORD
            + is_digit as u8 * DIGIT
            + is_plain as u8 * PLAIN
            + (is_digit || byte == b'.' as usize) as u8 * IN_PID
            + (is_digit || is_letter || is_mark) as u8 * IN_BINARY;
        byte += 1;
    }
    classes
};

/// The end of the term at `at`; none if there is no term or an unusual one.
pub(crate) fn term_end(text: &[u8], at: usize) -> Option<TermEnd> {
    TermScan { text, at, n_lines: 0, open: 0 }.run()
}

/// The end of a value that Prolog writes in the same way; none for other values and where one scan cannot decide.
pub(crate) fn same_end(text: &[u8], at: usize) -> Option<usize> {
    let scan = TermScan { text, at, n_lines: 0, open: 0 };
    match *text.get(at)? {
        b'a'..=b'z' => scan.word_end().filter(|end| !text[at..*end].contains(&b'@')),
        b'0'..=b'9' | b'-' => scan.number_end(),
        b'\'' => scan.quoted_end(at),
        // after a blank, it may continue
        b'"' => scan.quoted_end(at).filter(|end| text.get(*end).is_none_or(|byte| *byte > b'%')),
        _ => None,
    }
}

/// The end of a pid, or of a value that Prolog writes in the same way.
pub(crate) fn name_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at) {
        Some(b'<') => TermScan { text, at, n_lines: 0, open: 0 }.pid_end(),
        _ => same_end(text, at),
    }
}

struct TermScan<'t> {
    text: &'t [u8],
    at: usize,
    n_lines: u64,
    /// The brackets that are open, the innermost in the lowest bits.
    open: u64,
}

impl TermScan<'_> {
    fn run(mut self) -> Option<TermEnd> {
        loop {
            self.value()?;
            while self.open != 0 {
                if self.opens_after_value()? {
                    break;
                }
            }
            if self.open == 0 {
                return Some(TermEnd { at: self.at, n_lines: self.n_lines });
            }
        }
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// The end of a run of bytes of a class.
    #[inline]
    fn run_end(&self, from: usize, class: u8) -> usize {
        let mut end = from;
        while self.text.get(end).is_some_and(|byte| CLASSES[*byte as usize] & class != 0) {
            end += 1;
        }
        end
    }

    /// Skips blanks and line ends, but no comments.
    #[inline]
    fn skip_layout(&mut self) {
        while let Some(byte @ (b' ' | b'\t' | b'\n')) = self.byte() {
            self.n_lines += u64::from(byte == b'\n');
            self.at += 1;
        }
    }

    /// A value without parts and the brackets opened before it, or an empty pair of brackets.
    #[inline]
    fn value(&mut self) -> Option<()> {
        loop {
            let (open, length, close) = match self.byte()? {
                b'{' => (TUPLE, 1, b'}'),
                b'[' => (LIST, 1, b']'),
                b'#' if self.text.get(self.at + 1) == Some(&b'{') => (KEY, 2, b'}'),
                first => return self.simple(first),
            };
            self.at += length;
            self.skip_layout();
            if self.byte()? == close {
                self.at += 1;
                return Some(());
            }
            if self.open & FULL != 0 {
                return None;
            }
            self.open = self.open << 3 | open;
        }
    }

    #[inline]
    fn simple(&mut self, first: u8) -> Option<()> {
        self.at = match first {
            b'a'..=b'z' => self.word_end()?,
            b'0'..=b'9' | b'-' => self.number_end()?,
            b'\'' => self.quoted_end(self.at)?,
            b'"' => return self.string(),
            b'<' if self.text.get(self.at + 1) == Some(&b'<') => self.binary_end()?,
            b'<' => self.pid_end()?,
            b'#' => self.hashed_end()?,
            _ => return None,
        };
        Some(())
    }

    fn word_end(&self) -> Option<usize> {
        let end = self.run_end(self.at, WORD);
        match self.text.get(end) {
            Some(b' ') if &self.text[self.at..end] == b"fun" => None,
            Some(0x80..) => None,
            _ => Some(end),
        }
    }

    /// An integer, or a float without an exponent.
    fn number_end(&self) -> Option<usize> {
        let start = self.at + usize::from(self.text[self.at] == b'-');
        let mut end = self.run_end(start, DIGIT);
        if end == start {
            return None;
        }
        let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        if self.text.get(end) == Some(&b'.') && is_digit(self.text.get(end + 1)) {
            end = self.run_end(end + 1, DIGIT);
            return (!matches!(self.text.get(end), Some(b'e' | b'E'))).then_some(end);
        }
        (!matches!(self.text.get(end), Some(b'_' | b'#'))).then_some(end)
    }

    /// The end of an atom in quotes, or of a piece of a string, of plain characters.
    fn quoted_end(&self, at: usize) -> Option<usize> {
        let quote = self.text[at];
        let other = if quote == b'"' { b'\'' } else { b'"' };
        let mut end = at + 1;
        loop {
            end = self.run_end(end, PLAIN);
            match *self.text.get(end)? {
                byte if byte == other => end += 1,
                byte => return (byte == quote).then_some(end + 1),
            }
        }
    }

    /// A string inside of brackets, where something must follow it.
    fn string(&mut self) -> Option<()> {
        if self.open == 0 {
            return None;
        }
        self.at = self.quoted_end(self.at)?;
        loop {
            self.skip_layout();
            match self.byte()? {
                b'"' => self.at = self.quoted_end(self.at)?,
                b'%' => return None,
                _ => return Some(()),
            }
        }
    }

    fn binary_end(&self) -> Option<usize> {
        let mut end = self.at + 2;
        loop {
            end = self.run_end(end, IN_BINARY);
            match self.text.get(end)? {
                b'"' => end = self.quoted_end(end)?,
                b'>' if self.text.get(end + 1) == Some(&b'>') => return Some(end + 2),
                _ => return None,
            }
        }
    }

    fn pid_end(&self) -> Option<usize> {
        let mut end = self.at;
        for mark in *b"..>" {
            let start = end + 1;
            end = self.run_end(start, DIGIT);
            if end == start || self.text.get(end) != Some(&mark) {
                return None;
            }
        }
        Some(end + 1)
    }

    /// `#Ref<0.1.2.3>`
    fn hashed_end(&self) -> Option<usize> {
        let inner = self.run_end(self.at + 1, WORD);
        let is_name = inner > self.at + 1 && !self.text[self.at + 1..inner].iter().any(|byte| b"_@".contains(byte));
        if !is_name || self.text.get(inner) != Some(&b'<') {
            return None;
        }
        let end = self.run_end(inner + 1, IN_PID | WORD);
        (self.text.get(end) == Some(&b'>')).then_some(end + 1)
    }

    /// What follows a value: whether another value does, or a bracket was closed.
    #[inline]
    fn opens_after_value(&mut self) -> Option<bool> {
        self.skip_layout();
        let byte = self.byte()?;
        self.at += 1;
        let next = match (self.open & 7, byte) {
            (open @ (TUPLE | LIST), b',') => open,
            (LIST, b'|') => TAIL,
            (TUPLE | VALUE, b'}') | (LIST | TAIL, b']') => {
                self.open >>= 3;
                return Some(false);
            }
            (KEY, b'=' | b':') => {
                let mark = if byte == b'=' { b'>' } else { b'=' };
                (self.byte()? == mark).then_some(())?;
                self.at += 1;
                VALUE
            }
            (VALUE, b',') => KEY,
            _ => return None,
        };
        self.open = self.open & !7 | next;
        self.skip_layout();
        Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::term::translate;
    use super::*;

    /// The end that both scans find.
    fn end(text: &[u8]) -> Option<usize> {
        let end = term_end(text, 0)?;
        assert_eq!(translate(text, 0, &mut String::new()), Ok(end.at), "{}", String::from_utf8_lossy(text));
        let n_lines = text[..end.at].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(end.n_lines, n_lines as u64);
        Some(end.at)
    }

    #[test]
    fn usual_terms_end_where_the_translation_says() {
        for text in [
            "{ball,705}",
            "{'$gen_call',{<0.385.0>,[alias|#Ref<0.2497144681.45.212916227>]},{add,73435}}",
            "{'$gen_cast',{log,info,\"job 1 'finished' in 2 ms\"}}",
            "{job,1,<<\"abc1\">>,[{key,value_5},{x,87.5},#{a => 9, b:=#{}}],-7,<<1,2:3,4/integer>>}",
            "[1,2|t@h]",
            "{}",
            "[ ]",
            "{ a,\n  [b ,c\n | d ]\n}",
            "{\"one \"\n \"two\"}",
            "<0.1.2>",
            "'a b'",
            "-5",
            "#Port<0.5>",
        ] {
            assert_eq!(end(text.as_bytes()), Some(text.len()), "{text}");
            for after in ["}", ",", " ", "\n", "}.\n"] {
                assert_eq!(end(format!("{text}{after}").as_bytes()), Some(text.len()), "{text}{after}");
            }
        }
    }

    #[test]
    fn changed_terms_end_where_the_translation_says_or_are_left_to_it() {
        let text = "{a@b,[<0.1.2>,#Ref<0.1>|-1.5],<<\"x\",2>>,#{\"k\" => 'v'},\"s\"\n \"t\",[]}";
        let bytes = b"{}[](),'\"\\<>#.:-+_=| 0aZ@$%\n\t\x01\xc3\xa9/e";
        let mut n_ends = 0;
        for at in 0..text.len() {
            for byte in bytes {
                let mut changed = text.as_bytes().to_vec();
                changed[at] = *byte;
                n_ends += usize::from(end(&changed).is_some());
                changed.insert(at, text.as_bytes()[at]);
                n_ends += usize::from(end(&changed).is_some());
                changed.truncate(at);
                end(&changed);
            }
        }
        assert!(n_ends > 500, "{n_ends}");
    }

    #[test]
    fn deep_terms_are_left_to_the_translation() {
        assert_eq!(end(("[".repeat(20) + &"]".repeat(20)).as_bytes()), Some(40));
        assert_eq!(end(("[".repeat(40) + &"]".repeat(40)).as_bytes()), None);
    }
}
