//! The pieces of a log: a term of its own, or a head line with the lines of its message, put together.

use std::collections::VecDeque;

use super::raw;
use crate::formats::{Ending, Lines};

/// What is read at once.
pub struct Piece<'a> {
    /// Its text, lines and all.
    pub text: &'a [u8],
    /// The number of its first line.
    pub line: u64,
    /// What it begins with.
    pub kind: Kind,
}

/// What a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `{seq_trace,` or `{seqtap_node,`: a term up to its full stop.
    Term,
    /// The head of a printed event, whose message follows.
    Head,
    /// A line that is too long to be held.
    TooLong,
    /// Anything else.
    Other,
}

impl Kind {
    /// What a line begins, as its form tells.
    pub fn of(line: &[u8]) -> Kind {
        let text = line.trim_ascii_start();
        if text.starts_with(b"{seq_trace,") || text.starts_with(b"{seqtap_node,") {
            Kind::Term
        } else if raw::is_head(line) {
            Kind::Head
        } else {
            Kind::Other
        }
    }
}

/// A line that was read, by its number.
enum Read {
    /// It is in the text of the piece.
    Line(u64),
    /// It is a piece, and still in the buffer of the lines.
    WholeTerm(u64),
    TooLong(u64),
}

/// Lines with those that were looked at too early.
pub struct Source<'l> {
    lines: &'l mut Lines,
    ahead: VecDeque<(u64, Vec<u8>)>,
    text: Vec<u8>,
    /// Memory for further lines.
    spare: Vec<Vec<u8>>,
}

/// A message is taken as broken off when so many lines in it look as if they began an event.
const MOST_HEADS: usize = 64;

impl<'l> Source<'l> {
    pub fn new(lines: &'l mut Lines) -> Source<'l> {
        Source { lines, ahead: VecDeque::new(), text: Vec::new(), spare: Vec::new() }
    }

    /// The next piece; blank lines and comments are no pieces.
    pub fn next_piece(&mut self) -> Option<Piece<'_>> {
        loop {
            let line = match self.next_line()? {
                Read::Line(line) => line,
                Read::WholeTerm(line) => return Some(Piece { text: self.lines.kept(), line, kind: Kind::Term }),
                Read::TooLong(line) => return Some(Piece { text: b"", line, kind: Kind::TooLong }),
            };
            let blank = self.text.trim_ascii_start();
            if blank.is_empty() || blank.starts_with(b"%") {
                continue;
            }
            let kind = Kind::of(&self.text);
            match kind {
                Kind::Term => self.complete(Balance::of(&self.text), kind),
                Kind::Head => self.complete(Balance::default(), kind),
                Kind::TooLong | Kind::Other => {}
            }
            return Some(Piece { text: &self.text, line, kind });
        }
    }

    /// Puts the next line into `text`, unless it is a piece as it is.
    fn next_line(&mut self) -> Option<Read> {
        if let Some((number, line)) = self.ahead.pop_front() {
            self.spare.push(std::mem::replace(&mut self.text, line));
            return Some(Read::Line(number));
        }
        let line = self.lines.next_line()?;
        if line.ending == Ending::TooLong {
            return Some(Read::TooLong(line.number));
        }
        if line.bytes.starts_with(b"{seq_trace,") && line.bytes.ends_with(b"}.") {
            return Some(Read::WholeTerm(line.number));
        }
        self.text.clear();
        self.text.extend_from_slice(line.bytes);
        Some(Read::Line(line.number))
    }

    /// Appends the lines that belong to the piece in `text`: until its brackets are closed, or it must have broken off.
    fn complete(&mut self, mut balance: Balance, kind: Kind) {
        let (mut n_taken, mut n_heads, mut first_head) = (0, 0, None);
        while !balance.is_closed() || (kind == Kind::Head && self.goes_on(n_taken, &balance)) {
            let Some(line) = self.look_ahead(n_taken) else { break };
            let begins = Kind::of(line);
            if begins != Kind::Other && (kind == Kind::Term || n_taken > 0) {
                first_head.get_or_insert(n_taken);
                n_heads += 1;
                if begins == kind && kind == Kind::Term || n_heads > MOST_HEADS {
                    break;
                }
            }
            balance.feed(&self.ahead[n_taken].1);
            balance.feed(b"\n");
            n_taken += 1;
        }
        self.take(if balance.is_closed() { n_taken } else { first_head.unwrap_or(n_taken) });
    }

    /// Whether the message of a head goes on behind so many lines: it has none yet, or a string stands in pieces.
    fn goes_on(&mut self, n_taken: usize, balance: &Balance) -> bool {
        let is_string = balance.is_behind_string;
        let Some(next) = self.look_ahead(n_taken) else { return false };
        match n_taken {
            0 => Kind::of(next) != Kind::Head,
            _ => is_string && next.trim_ascii_start().starts_with(b"\""),
        }
    }

    /// The line behind so many others that were looked at.
    fn look_ahead(&mut self, index: usize) -> Option<&[u8]> {
        if self.ahead.len() <= index {
            let line = self.lines.next_line().filter(|line| line.ending != Ending::TooLong)?;
            let mut held = self.spare.pop().unwrap_or_default();
            held.clear();
            held.extend_from_slice(line.bytes);
            self.ahead.push_back((line.number, held));
        }
        self.ahead.get(index).map(|(_, line)| line.as_slice())
    }

    /// Appends so many of the lines that were looked at.
    fn take(&mut self, n_lines: usize) {
        for (_, line) in self.ahead.drain(..n_lines) {
            self.text.push(b'\n');
            self.text.extend_from_slice(&line);
            self.spare.push(line);
        }
    }
}

/// Which brackets and quotes are open at the end of a text, as far as bytes tell.
#[derive(Clone, Copy, Debug, Default)]
struct Balance {
    depth: usize,
    quote: Option<u8>,
    is_behind_backslash: bool,
    is_in_comment: bool,
    is_behind_string: bool,
    before: u8,
}

impl Balance {
    /// The balance of a line that may hold a whole term; nearly all do, and then end in `}.`
    fn of(line: &[u8]) -> Balance {
        let mut balance = Balance::default();
        if !line.trim_ascii_end().ends_with(b"}.") {
            balance.feed(line);
        }
        balance
    }

    fn is_closed(&self) -> bool {
        self.depth == 0 && self.quote.is_none()
    }

    fn feed(&mut self, text: &[u8]) {
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
