//! The fast path for events in the usual spelling: no blanks between the parts, and names that were seen before. Every other
//! event is left to [`line`](mod@super::line).

use super::chunk::LogChunk;
use super::name_table::NameTable;
use super::ports::SeqPort;
use super::rows::{EventTime, NameId, OptionalId, RowDetail, SeqRow};
use super::sent_messages::SentMessage;
use super::split::is_head;
use super::term_end::{name_end, term_end};
use crate::formats::lines::scan::Scan;

/// The start of each term of the tracer.
const TERM: &[u8] = b"{seq_trace,";

/// A message with more line ends may contain the heads of other events.
const MOST_LINES: u64 = 32;

/// Adds the event that begins at `at`; returns the place after its last line, and how many lines it has.
#[inline]
pub(crate) fn take(batch: &mut LogChunk, text: &[u8], at: usize, line: u64) -> Option<(usize, u64)> {
    let mut event = FastEvent { scan: Scan { text, at } };
    match text[at..].starts_with(TERM) {
        true => event.term(batch, line),
        false => event.printed(batch, line),
    }
}

/// A message: that of a send, or where it ends in the text.
enum FastMessage {
    Sent(SentMessage),
    UpTo(usize),
}

/// The event at a position.
struct FastEvent<'t> {
    scan: Scan<'t>,
}

impl FastEvent<'_> {
    /// `17,{send,{0,1},<0.93.0>,<0.94.0>,message},{5,6}}.`, after `{seq_trace,`.
    #[inline]
    fn term(&mut self, batch: &mut LogChunk, line: u64) -> Option<(usize, u64)> {
        self.scan.at += TERM.len();
        let label = self.name(&mut batch.names, b',')?;
        let port = self.port([b"{send,{", b"{print,{", b"{'receive',{"])?;
        let serial = self.serial()?;
        self.scan.skip(b",")?;
        let from = self.name(&mut batch.names, b',')?;
        let mut to = OptionalId::NONE;
        if port != SeqPort::Print {
            to = OptionalId::some(self.name(&mut batch.names, b',')?);
        } else if self.scan.skip(b"[],").is_none() {
            self.name(&mut batch.names, b',')?;
        }
        let row = SeqRow::new(port, label, serial, from, to);
        let start = self.scan.at;
        let (message, n_lines) = self.message(batch, &row)?;
        self.scan.skip(b"}")?;
        let time = match self.scan.skip(b",") {
            Some(()) => Some(self.time()?),
            None => None,
        };
        self.scan.skip(b"}.")?;
        self.scan.line_end().filter(|()| n_lines == 0)?;
        self.push(batch, row, start, (&message, n_lines), RowDetail::new(line, time));
        Some((self.scan.at, 1))
    }

    /// `17 {5,6}:<0.97.0> Received {0,2} FROM <0.98.0> WITH`, and the message on the lines after it.
    #[inline]
    fn printed(&mut self, batch: &mut LogChunk, line: u64) -> Option<(usize, u64)> {
        let (label, time) = self.label(&mut batch.names)?;
        let own = self.byte().filter(|byte| *byte == b'<').and_then(|_| self.name_in_head(&mut batch.names))?;
        let port = self.port([b"Sent {", b"Info {", b"Received {"])?;
        let serial = self.serial()?;
        let other = match port {
            SeqPort::Print => None,
            SeqPort::Send => Some(self.scan.skip(b" TO")?),
            SeqPort::Receive => Some(self.scan.skip(b" FROM")?),
        };
        self.scan.skip(b" ")?;
        let other = match other {
            Some(()) => Some(self.name_in_head(&mut batch.names)?),
            None => None,
        };
        self.scan.skip(b"WITH\n")?;
        let (from, to) = match (port, other) {
            (SeqPort::Receive, Some(from)) => (from, OptionalId::some(own)),
            _ => (own, other.into()),
        };
        let row = SeqRow::new(port, label, serial, from, to);
        let start = self.scan.at;
        let (message, n_lines) = self.message(batch, &row)?;
        self.scan.line_end().filter(|()| n_lines <= MOST_LINES && !self.is_head(start))?;
        self.push(batch, row, start, (&message, n_lines), RowDetail::new(line, time));
        Some((self.scan.at, 2 + n_lines))
    }

    /// `17 {5,6}:` or `17:`
    #[inline]
    fn label(&mut self, names: &mut NameTable) -> Option<(NameId, Option<EventTime>)> {
        let is_number = matches!(self.byte()?, b'0'..=b'9' | b'-');
        if let Some((label, end)) = names.known_before(b' ', self.scan.text, self.scan.at).filter(|_| is_number) {
            self.scan.at = end + 1;
            let time = self.time()?;
            self.scan.skip(b":")?;
            return Some((label, Some(time)));
        }
        Some((self.name(names, b':')?, None))
    }

    /// A name that a blank follows.
    #[inline]
    fn name_in_head(&mut self, names: &mut NameTable) -> Option<NameId> {
        let start = self.scan.at;
        let name = self.name(names, b' ')?;
        // `fun f/1` continues after the blank
        (!self.scan.text[start..].starts_with(b"fun ")).then_some(name)
    }

    /// Whether the line that begins at a place looks like a head.
    #[inline]
    fn is_head(&self, start: usize) -> bool {
        let line = &self.scan.text[start..self.scan.at];
        let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
        is_head(&line[..end])
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.scan.text.get(self.scan.at).copied()
    }

    /// A send, a print or a receive, by these words.
    #[inline]
    fn port(&mut self, [send, print, receive]: [&[u8]; 3]) -> Option<SeqPort> {
        let words = [(send, SeqPort::Send), (receive, SeqPort::Receive), (print, SeqPort::Print)];
        words.into_iter().find_map(|(word, port)| self.scan.skip(word).map(|()| port))
    }

    /// A name that was seen before, followed by `mark`.
    #[inline]
    fn name(&mut self, names: &mut NameTable, mark: u8) -> Option<NameId> {
        let (name, end) = match names.known_before(mark, self.scan.text, self.scan.at) {
            Some(found) => found,
            None => self.longer_name(names, mark)?,
        };
        self.scan.at = end + 1;
        Some(name)
    }

    #[cold]
    fn longer_name(&self, names: &mut NameTable, mark: u8) -> Option<(NameId, usize)> {
        let end = name_end(self.scan.text, self.scan.at).filter(|end| self.scan.text.get(*end) == Some(&mark))?;
        Some((names.known(&self.scan.text[self.scan.at..end])?, end))
    }

    /// `0,1}`
    #[inline]
    fn serial(&mut self) -> Option<(u64, u64)> {
        let prev = self.scan.number()? as u64;
        self.scan.skip(b",")?;
        let cur = self.scan.number()? as u64;
        self.scan.skip(b"}")?;
        Some((prev, cur))
    }

    #[inline]
    fn integer(&mut self) -> Option<i64> {
        let is_negative = self.scan.skip(b"-").is_some();
        let value = self.scan.number()?;
        Some(if is_negative { -value } else { value })
    }

    /// `{MonotonicNs,UniqueInt}`, `{Mega,Secs,Micro}` or `MonotonicNs`.
    #[inline]
    fn time(&mut self) -> Option<EventTime> {
        if self.scan.skip(b"{").is_none() {
            return self.integer().map(EventTime::Monotonic);
        }
        let first = self.integer()?;
        self.scan.skip(b",")?;
        let second = self.integer()?;
        if self.scan.skip(b"}").is_some() {
            return Some(EventTime::Strict(first, second));
        }
        self.scan.skip(b",")?;
        let third = self.integer()?;
        self.scan.skip(b"}")?;
        EventTime::wall(first, second, third)
    }

    /// The message here, and how many line ends are in it.
    #[inline]
    fn message(&mut self, batch: &LogChunk, row: &SeqRow) -> Option<(FastMessage, u64)> {
        if row.port == SeqPort::Receive
            && let Some((sent, length)) = batch.sent(row.from, row.cur, &self.scan.text[self.scan.at..])
        {
            self.scan.at += length;
            return Some((FastMessage::Sent(sent), u64::from(sent.n_lines)));
        }
        let end = term_end(self.scan.text, self.scan.at)?;
        self.scan.at = end.at;
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
            FastMessage::UpTo(end) => batch.push(row, &self.scan.text[start..*end], n_lines, detail),
        }
    }
}
