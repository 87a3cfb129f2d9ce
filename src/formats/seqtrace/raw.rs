//! From the text of a piece to an event: the tuple of the tracer, or a head line with its message.

use super::log::{Event, Log, NameId, Port, Time};
use super::source::{Kind, Piece};
use super::term::{Fault, Walk, skip_layout, translate};
use crate::formats::{Lines, text};

/// Adds what a piece says to the log.
pub fn take(log: &mut Log, piece: &Piece<'_>) -> Result<(), String> {
    let mut cursor = Cursor { text: piece.text, at: 0, log, scratch: String::new() };
    let taken = match piece.kind {
        Kind::Term => cursor.term(piece.line),
        Kind::Head => cursor.printed(piece.line),
        Kind::TooLong => return Err(format!("a line of more than {} MiB is left out", Lines::LONGEST >> 20)),
        Kind::Other => return Err(format!("expected an event, found `{}`", shown(piece.text, 0))),
    };
    taken.map_err(|fault| complaint(piece.text, fault))
}

/// `column 7: expected a term, found `)``
fn complaint(text: &[u8], fault: Fault) -> String {
    let before = &text[..fault.at.min(text.len())];
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let line = match memchr::memchr_iter(b'\n', before).count() {
        0 => String::new(),
        lines => format!("{lines} lines on, "),
    };
    let column = text::visible(&before[start..]).chars().count() + 1;
    let found = match shown(text, fault.at) {
        found if found.is_empty() => "the end".to_owned(),
        found => format!("`{found}`"),
    };
    format!("{line}column {column}: expected {}, found {found}", fault.expected)
}

/// A little of what stands at a place.
fn shown(text: &[u8], at: usize) -> String {
    let rest = &text[at.min(text.len())..];
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    text::visible(&line[..line.len().min(160)]).chars().take(40).collect()
}

/// Whether a line has the form of a head: `17:<0.30.0> Info {0,1} WITH`.
pub fn is_head(line: &[u8]) -> bool {
    let Some(mut at) = memchr::memmem::find(line, b":<") else { return false };
    loop {
        if is_head_behind(&line[at + 2..]) {
            return true;
        }
        match memchr::memmem::find(&line[at + 2..], b":<") {
            Some(next) => at += 2 + next,
            None => return false,
        }
    }
}

/// `0.30.0> Info {`
fn is_head_behind(rest: &[u8]) -> bool {
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let behind = &rest[length..];
    length > 0 && [&b"> Info {"[..], b"> Sent {", b"> Received {"].iter().any(|word| behind.starts_with(word))
}

/// A place in the text of a piece.
struct Cursor<'t, 'l> {
    text: &'t [u8],
    at: usize,
    log: &'l mut Log,
    scratch: String,
}

impl Cursor<'_, '_> {
    /// `{seq_trace,Label,{send,{0,1},From,To,Message},Time}.`
    fn term(&mut self, line: u64) -> Walk<()> {
        self.byte(b'{', "`{`")?;
        if self.word()? == "seqtap_node" {
            return self.header();
        }
        self.byte(b',', "`,`")?;
        let label = self.name()?;
        self.byte(b',', "`,`")?;
        self.byte(b'{', "`{`")?;
        let mut event = self.info(label, line)?;
        self.byte(b'}', "`}`")?;
        if self.peek() == Some(b',') {
            self.at += 1;
            event.time = Some(self.time()?);
        }
        self.byte(b'}', "`}`")?;
        self.full_stop()?;
        self.log.events.push(event);
        Ok(())
    }

    /// `'receive',{0,1},From,To,Message`
    fn info(&mut self, label: NameId, line: u64) -> Walk<Event> {
        let at = skip_layout(self.text, self.at);
        let port = match &*self.word()? {
            "send" => Port::Send,
            "'receive'" | "receive" => Port::Receive,
            "print" => Port::Print,
            _ => return Err(Fault { at, expected: "`send`, `'receive'` or `print`" }),
        };
        self.byte(b',', "`,`")?;
        let (prev, cur) = self.serial()?;
        self.byte(b',', "`,`")?;
        let from = self.name()?;
        self.byte(b',', "`,`")?;
        let to = self.name()?;
        let to = Some(to).filter(|_| port != Port::Print);
        self.byte(b',', "`,`")?;
        let start = self.log.texts.len();
        self.at = skip_layout(self.text, self.at);
        self.at = translate(self.text, self.at, &mut self.log.texts)?;
        let message = start..self.log.texts.len();
        Ok(Event { port, label, prev, cur, from, to, message, time: None, line })
    }

    /// `17 {1795,253575,416195}:<0.97.0> Received {0,2} FROM <0.98.0> WITH`, and the message on the lines behind it.
    fn printed(&mut self, line: u64) -> Walk<()> {
        let label = self.name()?;
        let time = if self.peek() == Some(b':') { None } else { Some(self.time()?) };
        self.byte(b':', "`:`")?;
        let own = self.name()?;
        let at = skip_layout(self.text, self.at);
        let (port, mark) = match self.capitals() {
            b"Info" => (Port::Print, None),
            b"Sent" => (Port::Send, Some("TO")),
            b"Received" => (Port::Receive, Some("FROM")),
            _ => return Err(Fault { at, expected: "`Info`, `Sent` or `Received`" }),
        };
        let (prev, cur) = self.serial()?;
        let other = match mark {
            Some(mark) => {
                self.mark(mark, if mark == "TO" { "`TO`" } else { "`FROM`" })?;
                Some(self.name()?)
            }
            None => None,
        };
        self.mark("WITH", "`WITH`")?;
        let start = self.log.texts.len();
        self.at = skip_layout(self.text, self.at);
        self.at = translate(self.text, self.at, &mut self.log.texts)?;
        self.end("the end of the message")?;
        let message = start..self.log.texts.len();
        let (from, to) = if port == Port::Receive { (other.unwrap_or(own), Some(own)) } else { (own, other) };
        self.log.events.push(Event { port, label, prev, cur, from, to, message, time, line });
        Ok(())
    }

    /// `,'a@127.0.0.1',0,[{'b@127.0.0.1',8605}]}.`
    fn header(&mut self) -> Walk<()> {
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
        let log = &mut *self.log;
        log.is_of_node(&text::name(node.as_bytes()));
        for (number, name) in others.iter().map(|(number, name)| (*number, name)).chain([(own, &node)]) {
            if let Ok(number) = u32::try_from(number) {
                log.nodes.name(number, &text::name(name.as_bytes()));
            }
        }
        Ok(())
    }

    fn peek(&mut self) -> Option<u8> {
        self.at = skip_layout(self.text, self.at);
        self.text.get(self.at).copied()
    }

    fn byte(&mut self, byte: u8, expected: &'static str) -> Walk<()> {
        if self.peek() != Some(byte) {
            return Err(Fault { at: self.at, expected });
        }
        self.at += 1;
        Ok(())
    }

    /// The translated text of an atom.
    fn word(&mut self) -> Walk<String> {
        let at = skip_layout(self.text, self.at);
        let mut word = String::new();
        self.at = translate(self.text, at, &mut word)?;
        let is_atom =
            word.starts_with(|first: char| first == '\'' || first.is_lowercase()) && !word.starts_with("map(");
        if is_atom { Ok(word) } else { Err(Fault { at, expected: "an atom" }) }
    }

    /// A term that many events share.
    fn name(&mut self) -> Walk<NameId> {
        self.at = skip_layout(self.text, self.at);
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let translated = translate(self.text, self.at, &mut scratch);
        self.scratch = scratch;
        self.at = translated?;
        Ok(self.log.name(&self.scratch))
    }

    /// `{0,1}`
    fn serial(&mut self) -> Walk<(u64, u64)> {
        self.byte(b'{', "`{`")?;
        let prev = self.count()?;
        self.byte(b',', "`,`")?;
        let cur = self.count()?;
        self.byte(b'}', "`}`")?;
        Ok((prev, cur))
    }

    fn count(&mut self) -> Walk<u64> {
        let at = skip_layout(self.text, self.at);
        u64::try_from(self.integer()?).map_err(|_| Fault { at, expected: "a serial" })
    }

    fn integer(&mut self) -> Walk<i64> {
        let at = skip_layout(self.text, self.at);
        self.scratch.clear();
        let behind = translate(self.text, at, &mut self.scratch)?;
        let value = self.scratch.parse().map_err(|_| Fault { at, expected: "an integer of 64 bits" })?;
        self.at = behind;
        Ok(value)
    }

    /// `{Mega,Secs,Micro}`, `{MonotonicNs,UniqueInt}` or `MonotonicNs`.
    fn time(&mut self) -> Walk<Time> {
        if self.peek() != Some(b'{') {
            return self.integer().map(Time::Monotonic);
        }
        let at = self.at;
        self.at += 1;
        let first = self.integer()?;
        self.byte(b',', "`,`")?;
        let second = self.integer()?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Time::Strict(first, second));
        }
        self.byte(b',', "`,` or `}`")?;
        let third = self.integer()?;
        self.byte(b'}', "`}`")?;
        let seconds = first.checked_mul(1_000_000).and_then(|seconds| seconds.checked_add(second));
        let micros = seconds.and_then(|seconds| seconds.checked_mul(1_000_000)?.checked_add(third));
        let time = micros.and_then(|micros| micros.checked_mul(1000));
        time.map(Time::Wall).ok_or(Fault { at, expected: "a time of 64 bits" })
    }

    fn capitals(&mut self) -> &[u8] {
        let start = skip_layout(self.text, self.at);
        let length = self.text[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        self.at = start + length;
        &self.text[start..start + length]
    }

    fn mark(&mut self, mark: &str, expected: &'static str) -> Walk<()> {
        let at = skip_layout(self.text, self.at);
        if self.capitals() == mark.as_bytes() { Ok(()) } else { Err(Fault { at, expected }) }
    }

    fn full_stop(&mut self) -> Walk<()> {
        self.byte(b'.', "`.`")?;
        self.end("the end of the line")
    }

    fn end(&mut self, expected: &'static str) -> Walk<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(Fault { at: self.at, expected }),
        }
    }
}
