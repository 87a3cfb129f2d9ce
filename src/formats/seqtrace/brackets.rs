//! Where a piece of a log may end: brackets and quotes, as far as bytes tell without reading a term.

/// Which brackets and quotes are open at the end of a text, as far as bytes tell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Balance {
    depth: usize,
    quote: Option<u8>,
    is_behind_backslash: bool,
    is_in_comment: bool,
    pub is_behind_string: bool,
    before: u8,
}

impl Balance {
    /// The balance of a line that may hold a whole term; nearly all do, and then end in `}.`
    pub fn of(line: &[u8]) -> Balance {
        let mut balance = Balance::default();
        if !line.trim_ascii_end().ends_with(b"}.") {
            balance.feed(line);
        }
        balance
    }

    pub fn is_closed(&self) -> bool {
        self.depth == 0 && self.quote.is_none()
    }

    pub fn feed(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(byte) = rest.first() {
            let n_plain = self.n_plain(rest);
            match n_plain {
                0 => self.step(*byte),
                _ => (self.before, self.is_behind_string) = (rest[n_plain - 1], false),
            }
            rest = &rest[n_plain.max(1)..];
        }
    }

    /// How many of the next bytes are parts of words outside of quotes.
    fn n_plain(&self, rest: &[u8]) -> usize {
        if self.is_in_comment || self.quote.is_some() || self.before == b'$' {
            return 0;
        }
        let is_plain = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'.' | b',');
        rest.iter().take_while(is_plain).count()
    }

    fn step(&mut self, byte: u8) {
        if self.is_in_comment {
            self.is_in_comment = byte != b'\n';
        } else if let Some(quote) = self.quote {
            if self.is_behind_backslash || byte == b'\\' {
                self.is_behind_backslash = !self.is_behind_backslash;
            } else if byte == quote {
                self.quote = None;
                self.is_behind_string = quote == b'"';
            }
        } else {
            self.outside(byte);
        }
    }

    /// A byte outside of quotes; `$"` is a character, `=>` no bracket, `<<` one.
    fn outside(&mut self, byte: u8) {
        let before = std::mem::replace(&mut self.before, byte);
        if byte.is_ascii_whitespace() {
            return;
        }
        self.is_behind_string = false;
        match (before, byte) {
            (b'$', _) => self.before = 0,
            (b'<', b'<') => {
                self.depth += 1;
                self.before = 0;
            }
            (b'>', b'>') => {
                self.depth = self.depth.saturating_sub(1);
                self.before = 0;
            }
            (b'=', b'>') => self.before = 0,
            (_, b'"' | b'\'') => self.quote = Some(byte),
            (_, b'{' | b'[' | b'(') => self.depth += 1,
            (_, b'}' | b']' | b')') => self.depth = self.depth.saturating_sub(1),
            (_, b'%') => self.is_in_comment = true,
            _ => {}
        }
    }
}
