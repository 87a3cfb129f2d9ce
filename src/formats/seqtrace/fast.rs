//! The fast path for events in the usual spelling: no blanks between the parts, and names that were seen before. Every other
//! event is left to [`line`].

use super::atomic;
use super::chunk::LogChunk;
use super::line;
use super::log::{EventTime, NameId, OptionalId, RowDetail, SeqRow};
use super::name_table::NameTable;
use super::ports::SeqPort;
use super::sent_messages::SentMessage;
use super::term_end::term_end;
use crate::formats::lines::swar;

/// The start of each term of the tracer.
const TERM: &[u8] = b"{seq_trace,";

/// A message with more line ends may contain the heads of other events.
const MOST_LINES: u64 = 32;

/// Adds the event that begins at `at`; returns the place after its last line, and how many lines it has.
#[inline]
pub fn take(batch: &mut LogChunk, text: &[u8], at: usize, line: u64) -> Option<(usize, u64)> {
    let mut quick = FastEvent { text, at };
    match text[at..].starts_with(TERM) {
        true => quick.term(batch, line),
        false => quick.printed(batch, line),
    }
}

/// Powers of ten.
const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// A message: that of a send, or where it ends in the text.
enum FastMessage {
    Sent(SentMessage),
    UpTo(usize),
}

struct FastEvent<'t> {
    text: &'t [u8],
    at: usize,
}

impl FastEvent<'_> {
    /// `17,{send,{0,1},<0.93.0>,<0.94.0>,message},{5,6}}.`, after `{seq_trace,`.
    #[inline]
    fn term(&mut self, batch: &mut LogChunk, line: u64) -> Option<(usize, u64)> {
        self.at += TERM.len();
        let label = self.name(&batch.names, b',')?;
        let port = self.port([b"{send,{", b"{print,{", b"{'receive',{"])?;
        let serial = self.serial()?;
        self.skip(b",")?;
        let from = self.name(&batch.names, b',')?;
        let mut to = OptionalId::NONE;
        if port != SeqPort::Print {
            to = OptionalId::some(self.name(&batch.names, b',')?);
        } else if self.skip(b"[],").is_none() {
            self.name(&batch.names, b',')?;
        }
        let row = SeqRow::new(port, label, serial, from, to);
        let start = self.at;
        let (message, n_lines) = self.message(batch, &row)?;
        self.skip(b"}")?;
        let time = match self.skip(b",") {
            Some(()) => Some(self.time()?),
            None => None,
        };
        self.skip(b"}.")?;
        self.end_line().filter(|()| n_lines == 0)?;
        self.push(batch, row, start, (&message, n_lines), RowDetail::new(line, time));
        Some((self.at, 1))
    }

    /// `17 {5,6}:<0.97.0> Received {0,2} FROM <0.98.0> WITH`, and the message on the lines after it.
    #[inline]
    fn printed(&mut self, batch: &mut LogChunk, line: u64) -> Option<(usize, u64)> {
        let (label, time) = self.label(&batch.names)?;
        let own = self.byte().filter(|byte| *byte == b'<').and_then(|_| self.name_in_head(&batch.names))?;
        let port = self.port([b"Sent {", b"Info {", b"Received {"])?;
        let serial = self.serial()?;
        let other = match port {
            SeqPort::Print => None,
            SeqPort::Send => Some(self.skip(b" TO")?),
            SeqPort::Receive => Some(self.skip(b" FROM")?),
        };
        self.skip(b" ")?;
        let other = match other {
            Some(()) => Some(self.name_in_head(&batch.names)?),
            None => None,
        };
        self.skip(b"WITH\n")?;
        let (from, to) = match (port, other) {
            (SeqPort::Receive, Some(from)) => (from, OptionalId::some(own)),
            _ => (own, other.into()),
        };
        let row = SeqRow::new(port, label, serial, from, to);
        let start = self.at;
        let (message, n_lines) = self.message(batch, &row)?;
        self.end_line().filter(|()| n_lines <= MOST_LINES && !self.is_head(start))?;
        self.push(batch, row, start, (&message, n_lines), RowDetail::new(line, time));
        Some((self.at, 2 + n_lines))
    }

    /// `17 {5,6}:` or `17:`
    #[inline]
    fn label(&mut self, names: &NameTable) -> Option<(NameId, Option<EventTime>)> {
        let is_number = matches!(self.byte()?, b'0'..=b'9' | b'-');
        if let Some((label, end)) = names.known_before(b' ', self.text, self.at).filter(|_| is_number) {
            self.at = end + 1;
            let time = self.time()?;
            self.skip(b":")?;
            return Some((label, Some(time)));
        }
        Some((self.name(names, b':')?, None))
    }

    /// A name that a blank follows.
    #[inline]
    fn name_in_head(&mut self, names: &NameTable) -> Option<NameId> {
        let start = self.at;
        let name = self.name(names, b' ')?;
        // `fun f/1` continues after the blank
        (!self.text[start..].starts_with(b"fun ")).then_some(name)
    }

    /// Whether the line that begins at a place looks like a head.
    #[inline]
    fn is_head(&self, start: usize) -> bool {
        let line = &self.text[start..self.at];
        let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
        line::is_head(&line[..end])
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    fn skip(&mut self, word: &[u8]) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        rest.starts_with(word).then(|| self.at += word.len())
    }

    /// Skips the end of the line, which must be here.
    #[inline]
    fn end_line(&mut self) -> Option<()> {
        match self.byte() {
            None => Some(()),
            Some(b'\n') => {
                self.at += 1;
                Some(())
            }
            Some(_) => None,
        }
    }

    /// A send, a print or a receive, by these words.
    #[inline]
    fn port(&mut self, [send, print, receive]: [&[u8]; 3]) -> Option<SeqPort> {
        let words = [(send, SeqPort::Send), (receive, SeqPort::Receive), (print, SeqPort::Print)];
        words.into_iter().find_map(|(word, port)| self.skip(word).map(|()| port))
    }

    /// A name that was seen before, followed by `mark`.
    #[inline]
    fn name(&mut self, names: &NameTable, mark: u8) -> Option<NameId> {
        let (name, end) = match names.known_before(mark, self.text, self.at) {
            Some(found) => found,
            None => self.longer_name(names, mark)?,
        };
        self.at = end + 1;
        Some(name)
    }

    #[cold]
    fn longer_name(&self, names: &NameTable, mark: u8) -> Option<(NameId, usize)> {
        let end = atomic::name_end(self.text, self.at).filter(|end| self.text.get(*end) == Some(&mark))?;
        Some((names.known(&self.text[self.at..end])?, end))
    }

    /// `0,1}`
    #[inline]
    fn serial(&mut self) -> Option<(u64, u64)> {
        let prev = self.digits()?;
        self.skip(b",")?;
        let cur = self.digits()?;
        self.skip(b"}")?;
        Some((prev, cur))
    }

    /// A number of at most 18 digits.
    #[inline]
    fn digits(&mut self) -> Option<u64> {
        match swar::decimal(swar::load(self.text, self.at)?) {
            (_, 0) => None,
            (number, 8) => self.many_digits(number),
            (number, length) => {
                self.at += length;
                Some(number)
            }
        }
    }

    /// A number whose first eight digits have the value `number`.
    fn many_digits(&mut self, mut number: u64) -> Option<u64> {
        self.at += 8;
        let (mut last, mut length) = swar::decimal(swar::load(self.text, self.at)?);
        if length == 8 {
            self.at += 8;
            number = number * POWERS[8] + last;
            (last, length) = swar::decimal(swar::load(self.text, self.at)?);
            if length > 2 {
                return None;
            }
        }
        self.at += length;
        Some(number * POWERS[length] + last)
    }

    #[inline]
    fn integer(&mut self) -> Option<i64> {
        let is_negative = self.skip(b"-").is_some();
        let value = self.digits()? as i64;
        Some(if is_negative { -value } else { value })
    }

    /// `{MonotonicNs,UniqueInt}`, `{Mega,Secs,Micro}` or `MonotonicNs`.
    #[inline]
    fn time(&mut self) -> Option<EventTime> {
        if self.skip(b"{").is_none() {
            return self.integer().map(EventTime::Monotonic);
        }
        let first = self.integer()?;
        self.skip(b",")?;
        let second = self.integer()?;
        if self.skip(b"}").is_some() {
            return Some(EventTime::Strict(first, second));
        }
        self.skip(b",")?;
        let third = self.integer()?;
        self.skip(b"}")?;
        line::wall_time(first, second, third)
    }

    /// The message here, and how many line ends are in it.
    #[inline]
    fn message(&mut self, batch: &LogChunk, row: &SeqRow) -> Option<(FastMessage, u64)> {
        if row.port == SeqPort::Receive
            && let Some((sent, length)) = batch.sent(row.from, row.cur, &self.text[self.at..])
        {
            self.at += length;
            return Some((FastMessage::Sent(sent), u64::from(sent.n_lines)));
        }
        let end = term_end(self.text, self.at)?;
        self.at = end.at;
        Some((FastMessage::UpTo(end.at), end.n_lines))
    }

    #[inline]
    fn push(
        &self,
        batch: &mut LogChunk,
        row: SeqRow,
        start: usize,
        (message, n_lines): (&FastMessage, u64),
        detail: RowDetail,
    ) {
        match message {
            FastMessage::Sent(sent) => batch.push_received(row, *sent, detail),
            FastMessage::UpTo(end) => batch.push(row, &self.text[start..*end], n_lines, detail),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_no_more_than_18_digits_are_read() {
        for (text, value) in [
            ("0,......................", Some((0, 1))),
            ("-7}......................", Some((-7, 2))),
            ("123456789012345678,........", Some((123_456_789_012_345_678, 18))),
            ("-12345678,..........", Some((-12_345_678, 9))),
            ("1234567890123456789,.........", None),
            ("1234567890123456789012345678901234567890", None),
            ("-,...........", None),
            (",.............", None),
        ] {
            let mut quick = FastEvent { text: text.as_bytes(), at: 0 };
            assert_eq!(quick.integer().map(|value| (value, quick.at)), value, "{text}");
        }
    }
}
