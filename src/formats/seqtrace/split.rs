//! Splits a text into events: each is a term of one or more lines, or a head line with the lines of its message.

use crate::formats::json::facts;

/// The text of one event.
pub(crate) struct EventText<'a> {
    /// All of its lines.
    pub(crate) text: &'a [u8],
    /// The number of its first line.
    pub(crate) line: u64,
    /// How it begins.
    pub(crate) kind: EventForm,
}

/// What a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventForm {
    /// `{seq_trace,` or `{seqtap_node,`: a term up to its full stop.
    Term,
    /// The head of a printed event, whose message follows.
    Head,
    /// `{"papaver"`: what `papaver record` states.
    Stated,
    /// Anything else.
    Other,
}

impl EventForm {
    /// What a line begins, by its form.
    pub(crate) fn of(line: &[u8]) -> EventForm {
        let text = line.trim_ascii_start();
        if text.starts_with(b"{seq_trace,") || text.starts_with(b"{seqtap_node,") {
            EventForm::Term
        } else if is_head(line) {
            EventForm::Head
        } else if text.starts_with(facts::MARK) {
            EventForm::Stated
        } else {
            EventForm::Other
        }
    }
}

/// Whether a line has the form of a head: `17:<0.30.0> Info {0,1} WITH`.
pub(crate) fn is_head(line: &[u8]) -> bool {
    let mut colons = memchr::memchr_iter(b':', line);
    colons.any(|colon| line.get(colon + 1) == Some(&b'<') && is_head_after_colon(&line[colon + 2..]))
}

/// `0.30.0> Info {`
fn is_head_after_colon(rest: &[u8]) -> bool {
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let after = &rest[length..];
    length > 0 && [&b"> Info {"[..], b"> Sent {", b"> Received {"].iter().any(|word| after.starts_with(word))
}

/// What follows a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputAfter {
    /// Nothing: the input ends.
    Nothing,
    /// Maybe further lines.
    More,
}

/// The lines of a text, whose ends are line feeds.
pub(crate) struct EventTexts<'t> {
    pub(crate) text: &'t [u8],
    /// Where the next line begins.
    pub(crate) at: usize,
    /// How many lines are before it.
    pub(crate) n_lines: u64,
    pub(crate) after: InputAfter,
    /// Whether the event that may continue after the text does so only with a part of a string.
    pub(crate) is_closed: bool,
}

/// A message is taken as truncated if more of its lines look like the start of an event.
const MOST_HEADS: usize = 64;

/// A line that was looked at, without its end.
#[derive(Clone, Copy)]
struct LineSpan {
    start: usize,
    end: usize,
}

/// What follows a line.
enum NextLine {
    Line(LineSpan),
    /// Nothing more in the input.
    End,
    /// What is not in the text.
    Unknown,
}

impl<'t> EventTexts<'t> {
    /// The next event; blank lines and comments are skipped. None at the end of the text, and if the event may continue
    /// after it.
    pub(crate) fn next_piece(&mut self) -> Option<EventText<'t>> {
        loop {
            let first = self.line_at(self.at)?;
            let line = &self.text[first.start..first.end];
            let blank = line.trim_ascii_start();
            if blank.is_empty() || blank.starts_with(b"%") {
                self.pass(first, 1);
                continue;
            }
            let kind = EventForm::of(line);
            let (last, n_lines) = match kind {
                EventForm::Term => self.complete(OpenBrackets::of(line), kind, first)?,
                EventForm::Head => self.complete(OpenBrackets::default(), kind, first)?,
                EventForm::Stated | EventForm::Other => (first, 1),
            };
            let piece = EventText { text: &self.text[first.start..last.end], line: self.n_lines + 1, kind };
            self.pass(last, n_lines);
            return Some(piece);
        }
    }

    /// Continues after a line.
    fn pass(&mut self, last: LineSpan, n_lines: u64) {
        self.at = self.text.len().min(last.end + 1);
        self.n_lines += n_lines;
    }

    fn line_at(&self, start: usize) -> Option<LineSpan> {
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest).map_or(self.text.len(), |length| start + length);
        Some(LineSpan { start, end })
    }

    fn line_after(&self, line: LineSpan) -> NextLine {
        match (self.line_at(line.end + 1), self.after) {
            (Some(next), _) => NextLine::Line(next),
            (None, InputAfter::Nothing) => NextLine::End,
            (None, InputAfter::More) => NextLine::Unknown,
        }
    }

    /// The last line of the event that begins with `first`, and how many it has: up to where its brackets are closed, or to
    /// where it was truncated. None if that is not known.
    fn complete(&mut self, mut balance: OpenBrackets, kind: EventForm, first: LineSpan) -> Option<(LineSpan, u64)> {
        let (mut last, mut n_taken, mut n_heads) = (first, 1, 0);
        let mut before_head = None;
        while !balance.is_closed() || (kind == EventForm::Head && self.may_go_on(n_taken, &balance)) {
            let next = match self.line_after(last) {
                NextLine::Line(next) => next,
                NextLine::End => break,
                NextLine::Unknown => {
                    self.is_closed = balance.is_closed() && n_taken > 1;
                    return None;
                }
            };
            let line = &self.text[next.start..next.end];
            if balance.is_closed() && !goes_on(n_taken, line) {
                break;
            }
            if (kind == EventForm::Term || n_taken > 1) && EventForm::of(line) != EventForm::Other {
                before_head.get_or_insert((last, n_taken));
                n_heads += 1;
                if EventForm::of(line) == kind && kind == EventForm::Term || n_heads > MOST_HEADS {
                    break;
                }
            }
            balance.feed(line);
            balance.feed(b"\n");
            (last, n_taken) = (next, n_taken + 1);
        }
        let whole = (last, n_taken);
        Some(if balance.is_closed() { whole } else { before_head.unwrap_or(whole) })
    }

    /// Whether the message of a head may continue after `n_taken` lines: it has none yet, or a string may be continued.
    fn may_go_on(&self, n_taken: u64, balance: &OpenBrackets) -> bool {
        n_taken == 1 || balance.follows_string
    }
}

/// Whether a line continues a message that is complete without it.
fn goes_on(n_taken: u64, line: &[u8]) -> bool {
    match n_taken {
        1 => EventForm::of(line) != EventForm::Head,
        _ => line.trim_ascii_start().starts_with(b"\""),
    }
}

/// The brackets and quotes that are open at the end of a text, as far as a scan of the bytes shows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpenBrackets {
    depth: usize,
    quote: Option<u8>,
    follows_backslash: bool,
    is_in_comment: bool,
    pub(crate) follows_string: bool,
    before: u8,
}

impl OpenBrackets {
    /// After a line that may hold a whole term, as nearly all do, which end in `}.`
    pub(crate) fn of(line: &[u8]) -> OpenBrackets {
        let mut balance = OpenBrackets::default();
        if !line.trim_ascii_end().ends_with(b"}.") {
            balance.feed(line);
        }
        balance
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.depth == 0 && self.quote.is_none()
    }

    pub(crate) fn feed(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(byte) = rest.first() {
            let n_plain = self.n_plain(rest);
            match n_plain {
                0 => self.step(*byte),
                _ => (self.before, self.follows_string) = (rest[n_plain - 1], false),
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
            if self.follows_backslash || byte == b'\\' {
                self.follows_backslash = !self.follows_backslash;
            } else if byte == quote {
                self.quote = None;
                self.follows_string = quote == b'"';
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
        self.follows_string = false;
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
