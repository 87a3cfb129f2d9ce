//! The grammar of one event: a tuple of the tracer, or a printed head line with its message.

use std::ops::Range;

use super::chunk::{LogChunk, NodeHeader};
use super::name_table::NameForm;
use super::ports::SeqPort;
use super::rows::{EventTime, NameId, OptionalId, RowDetail, SeqRow};
use super::split::{EventForm, EventText};
use super::term::translate;
use super::term_end::name_end;
use super::term_fault::{TermFault, TermResult, skip_layout};
use crate::formats::lines::text;
use crate::term::letters::excerpt;

/// Adds the event or the header that a text holds.
pub(crate) fn take(batch: &mut LogChunk, piece: &EventText<'_>) -> Result<(), String> {
    let mut cursor = Cursor { text: piece.text, at: 0, batch, scratch: String::new() };
    let taken = match piece.kind {
        EventForm::Term => cursor.term(piece.line),
        EventForm::Head => cursor.printed(piece.line),
        EventForm::Stated => {
            batch.stated.push(text::visible(piece.text).into_owned());
            return Ok(());
        }
        EventForm::Other => {
            let at = piece.text.len() - piece.text.trim_ascii_start().len();
            Err(TermFault { at, expected: "an event" })
        }
    };
    taken.map_err(|fault| complaint(piece.text, fault))
}

/// `column 7: expected a term, found `)``
fn complaint(text: &[u8], fault: TermFault) -> String {
    let before = &text[..fault.at.min(text.len())];
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let line = match memchr::memchr_iter(b'\n', before).count() {
        0 => String::new(),
        lines => format!("{lines} lines on, "),
    };
    let column = text::visible(&before[start..]).chars().count() + 1;
    let found = match text.get(fault.at..) {
        None | Some([] | [b'\n', ..]) => "the end".to_owned(),
        Some(rest) => excerpt(&text::visible(&rest[..rest.len().min(160)])),
    };
    format!("{line}column {column}: expected {}, found {found}", fault.expected)
}

/// A place in the text of an event.
struct Cursor<'t, 'l> {
    text: &'t [u8],
    at: usize,
    batch: &'l mut LogChunk,
    scratch: String,
}

impl Cursor<'_, '_> {
    /// `{seq_trace,Label,{send,{0,1},From,To,Message},Time}.`
    fn term(&mut self, line: u64) -> TermResult<()> {
        self.byte(b'{', "`{`")?;
        if self.has("seq_trace,") {
            self.at += "seq_trace".len();
        } else if self.word()? == "seqtap_node" {
            return self.header();
        }
        self.byte(b',', "`,`")?;
        let label = self.name()?;
        self.byte(b',', "`,`")?;
        self.byte(b'{', "`{`")?;
        let row = self.info(label)?;
        let message = self.message()?;
        self.byte(b'}', "`}`")?;
        let mut time = None;
        if self.peek() == Some(b',') {
            self.at += 1;
            time = Some(self.time()?);
        }
        self.byte(b'}', "`}`")?;
        self.full_stop()?;
        self.push(row, message, line, time);
        Ok(())
    }

    /// `'receive',{0,1},From,To,`
    fn info(&mut self, label: NameId) -> TermResult<SeqRow> {
        let port = self.port()?;
        self.byte(b',', "`,`")?;
        let (prev, cur) = self.serial()?;
        self.byte(b',', "`,`")?;
        let from = self.name()?;
        self.byte(b',', "`,`")?;
        let to = self.name()?;
        let to = if port == SeqPort::Print { OptionalId::NONE } else { OptionalId::some(to) };
        self.byte(b',', "`,`")?;
        Ok(SeqRow::new(port, label, (prev, cur), from, to))
    }

    /// Where the message of an event stands.
    fn message(&mut self) -> TermResult<Range<usize>> {
        let start = skip_layout(self.text, self.at);
        self.scratch.clear();
        self.at = translate(self.text, start, &mut self.scratch)?;
        Ok(start..self.at)
    }

    /// Adds an event.
    fn push(&mut self, row: SeqRow, message: Range<usize>, line: u64, time: Option<EventTime>) {
        let message = &self.text[message];
        let n_lines = memchr::memchr_iter(b'\n', message).count() as u64;
        self.batch.push(row, message, n_lines, RowDetail::new(line, time));
    }

    fn port(&mut self) -> TermResult<SeqPort> {
        self.at = skip_layout(self.text, self.at);
        for (word, port) in [("send", SeqPort::Send), ("'receive'", SeqPort::Receive)] {
            if self.has(word) && self.text.get(self.at + word.len()) == Some(&b',') {
                self.at += word.len();
                return Ok(port);
            }
        }
        let at = self.at;
        match &*self.word()? {
            "send" => Ok(SeqPort::Send),
            "'receive'" | "receive" => Ok(SeqPort::Receive),
            "print" => Ok(SeqPort::Print),
            _ => Err(TermFault { at, expected: "`send`, `'receive'` or `print`" }),
        }
    }

    /// `17 {1795,253575,416195}:<0.97.0> Received {0,2} FROM <0.98.0> WITH`, and the message on the lines after it.
    fn printed(&mut self, line: u64) -> TermResult<()> {
        let label = self.name()?;
        let time = if self.peek() == Some(b':') { None } else { Some(self.time()?) };
        self.byte(b':', "`:`")?;
        let own = self.name()?;
        let at = skip_layout(self.text, self.at);
        let (port, mark) = match self.capitals() {
            b"Info" => (SeqPort::Print, None),
            b"Sent" => (SeqPort::Send, Some("TO")),
            b"Received" => (SeqPort::Receive, Some("FROM")),
            _ => return Err(TermFault { at, expected: "`Info`, `Sent` or `Received`" }),
        };
        let serial = self.serial()?;
        let other = match mark {
            Some(mark) => {
                self.mark(mark, if mark == "TO" { "`TO`" } else { "`FROM`" })?;
                OptionalId::some(self.name()?)
            }
            None => OptionalId::NONE,
        };
        self.mark("WITH", "`WITH`")?;
        let (from, to) = match port {
            SeqPort::Receive => (other.get().unwrap_or(own), OptionalId::some(own)),
            SeqPort::Send | SeqPort::Print => (own, other),
        };
        let row = SeqRow::new(port, label, serial, from, to);
        let message = self.message()?;
        self.end("the end of the message")?;
        self.push(row, message, line, time);
        Ok(())
    }

    /// `,'a@127.0.0.1',0,[{'b@127.0.0.1',8605}]}.`
    fn header(&mut self) -> TermResult<()> {
        self.byte(b',', "`,`")?;
        let node = self.word()?;
        self.byte(b',', "`,`")?;
        let own = self.integer()?;
        self.byte(b',', "`,`")?;
        self.byte(b'[', "`[`")?;
        let mut others = Vec::new();
        while self.peek() != Some(b']') {
            if !others.is_empty() {
                self.byte(b',', "`,` or `]`")?;
            }
            self.byte(b'{', "`{`")?;
            let name = self.word()?;
            self.byte(b',', "`,`")?;
            others.push((self.integer()?, name));
            self.byte(b'}', "`}`")?;
        }
        self.byte(b']', "`]`")?;
        self.byte(b'}', "`}`")?;
        self.full_stop()?;
        let numbers = others.iter().map(|(number, name)| (*number, name)).chain([(own, &node)]);
        let numbers = numbers
            .filter_map(|(number, name)| Some((u32::try_from(number).ok()?, text::name(name.as_bytes()).into_owned())));
        let numbers = numbers.collect();
        self.batch.headers.push(NodeHeader { node: text::name(node.as_bytes()).into_owned(), numbers });
        Ok(())
    }

    /// Whether a word stands here.
    fn has(&self, word: &str) -> bool {
        self.text[self.at..].starts_with(word.as_bytes())
    }

    fn peek(&mut self) -> Option<u8> {
        self.at = skip_layout(self.text, self.at);
        self.text.get(self.at).copied()
    }

    fn byte(&mut self, byte: u8, expected: &'static str) -> TermResult<()> {
        if self.peek() != Some(byte) {
            return Err(TermFault { at: self.at, expected });
        }
        self.at += 1;
        Ok(())
    }

    /// The translated text of an atom.
    fn word(&mut self) -> TermResult<String> {
        let at = skip_layout(self.text, self.at);
        let mut word = String::new();
        self.at = translate(self.text, at, &mut word)?;
        let is_atom =
            word.starts_with(|first: char| first == '\'' || first.is_lowercase()) && !word.starts_with("map(");
        if is_atom { Ok(word) } else { Err(TermFault { at, expected: "an atom" }) }
    }

    /// A term that many events share.
    fn name(&mut self) -> TermResult<NameId> {
        let start = skip_layout(self.text, self.at);
        self.scratch.clear();
        self.at = translate(self.text, start, &mut self.scratch)?;
        let is_simple = name_end(self.text, start) == Some(self.at);
        let form = if is_simple { NameForm::Simple } else { NameForm::Other };
        Ok(self.batch.names.add(&self.scratch, &self.text[start..self.at], form))
    }

    /// `{0,1}`
    fn serial(&mut self) -> TermResult<(u64, u64)> {
        self.byte(b'{', "`{`")?;
        let prev = self.count()?;
        self.byte(b',', "`,`")?;
        let cur = self.count()?;
        self.byte(b'}', "`}`")?;
        Ok((prev, cur))
    }

    fn count(&mut self) -> TermResult<u64> {
        let at = skip_layout(self.text, self.at);
        u64::try_from(self.integer()?).map_err(|_| TermFault { at, expected: "a serial" })
    }

    fn integer(&mut self) -> TermResult<i64> {
        let at = skip_layout(self.text, self.at);
        self.scratch.clear();
        let after = translate(self.text, at, &mut self.scratch)?;
        let value = self.scratch.parse().map_err(|_| TermFault { at, expected: "an integer of 64 bits" })?;
        self.at = after;
        Ok(value)
    }

    /// `{Mega,Secs,Micro}`, `{MonotonicNs,UniqueInt}` or `MonotonicNs`.
    fn time(&mut self) -> TermResult<EventTime> {
        if self.peek() != Some(b'{') {
            return self.integer().map(EventTime::Monotonic);
        }
        let at = self.at;
        self.at += 1;
        let first = self.integer()?;
        self.byte(b',', "`,`")?;
        let second = self.integer()?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(EventTime::Strict(first, second));
        }
        self.byte(b',', "`,` or `}`")?;
        let third = self.integer()?;
        self.byte(b'}', "`}`")?;
        EventTime::wall(first, second, third).ok_or(TermFault { at, expected: "a time of 64 bits" })
    }

    fn capitals(&mut self) -> &[u8] {
        let start = skip_layout(self.text, self.at);
        let length = self.text[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        self.at = start + length;
        &self.text[start..start + length]
    }

    fn mark(&mut self, mark: &str, expected: &'static str) -> TermResult<()> {
        let at = skip_layout(self.text, self.at);
        if self.capitals() == mark.as_bytes() { Ok(()) } else { Err(TermFault { at, expected }) }
    }

    fn full_stop(&mut self) -> TermResult<()> {
        self.byte(b'.', "`.`")?;
        self.end("the end of the line")
    }

    fn end(&mut self, expected: &'static str) -> TermResult<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(TermFault { at: self.at, expected }),
        }
    }
}
