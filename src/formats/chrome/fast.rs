//! The records that are usual: small objects of plain texts and numbers, whose arguments are values. All others are left to
//! the full grammar in `record`, which gives the same for these.

use std::ops::Range;

use smallvec::SmallVec;

use super::arguments::{TextMeaning, term};
use super::body::{BodyTexts, write_body};
use super::chunk::{ChromeChunk, PHASES, RecordTimes, is_integer};
use super::heads::{HAS_ID, JSON, KeyLists, NONE, RecordHead, STATES_ARGS, TEXT};
use super::time::nanoseconds;
use crate::formats::json::scanner::JsonScanner;
use crate::formats::lines::interner::BytesInterner;
use crate::formats::lines::swar::{before_byte, decimal, each, first_bytes, is_plain, load, n_digits};
use crate::trace::ArgTexts;

/// What is known of a record while it is read.
struct FastRecord<'t> {
    head: RecordHead,
    has_phase: bool,
    time: Option<i64>,
    duration: Option<i64>,
    scope: Option<&'t str>,
    id: Option<&'t str>,
    args: FastArgs,
    others: SmallVec<[&'t str; 4]>,
}

/// What the arguments are like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FastArgs {
    Absent,
    /// They are numbers.
    Numbers,
    /// There are texts.
    Texts,
    /// There are other values, but no texts.
    Others,
}

impl ChromeChunk {
    /// Adds a usual record; none, and nothing is added, if it is not usual.
    #[inline]
    pub(super) fn usual_record(&mut self, text: &str, meaning: TextMeaning) -> Option<()> {
        let mut cursor = Cursor { text, at: 0 };
        let mut record = FastRecord {
            head: RecordHead::new(' '),
            has_phase: false,
            time: None,
            duration: None,
            scope: None,
            id: None,
            args: FastArgs::Absent,
            others: SmallVec::new(),
        };
        cursor.pass(b'{')?;
        loop {
            let key = cursor.key()?;
            self.value(key, &mut cursor, &mut record)?;
            match cursor.next() {
                b',' => cursor.at += 1,
                b'}' => break,
                _ => return None,
            }
        }
        (cursor.at + 1 == text.len()).then_some(())?;
        self.push_usual(record, meaning)
    }

    #[inline(always)]
    fn value<'t>(&mut self, key: FastKey, cursor: &mut Cursor<'t>, record: &mut FastRecord<'t>) -> Option<()> {
        let head = &mut record.head;
        match key.word {
            PH => {
                let range = cursor.quoted()?;
                (range.len() == 1).then_some(())?;
                (head.phase, record.has_phase) = (char::from(cursor.text.as_bytes()[range.start]), true);
            }
            TS => record.time = Some(cursor.microseconds()?),
            DUR => record.duration = Some(cursor.microseconds()?),
            NAME => head.name = cursor.code(&mut self.texts)?,
            PID => head.pid = cursor.code(&mut self.texts)?,
            TID => head.tid = cursor.code(&mut self.texts)?,
            CAT => head.cat = cursor.code(&mut self.texts)?,
            ARGS => {
                (record.args == FastArgs::Absent).then_some(())?;
                (record.args, head.arg_names) = self.usual_args(cursor)?;
            }
            S => record.scope = Some(&cursor.text[cursor.quoted()?]),
            ID => record.id = Some(cursor.shown()?),
            _ => {
                let text = &cursor.text[key.range.clone()];
                (!UNUSUAL.contains(&text)).then_some(())?;
                let value = cursor.raw()?;
                if value != "null" {
                    head.others = self.others.longer(head.others, cursor.text.as_bytes(), key.range, is_integer(value));
                    record.others.push(value);
                }
            }
        }
        Some(())
    }

    #[inline]
    fn push_usual(&mut self, record: FastRecord<'_>, meaning: TextMeaning) -> Option<()> {
        let FastRecord { mut head, time, args, .. } = record;
        let time = time?;
        let is_odd = match head.phase {
            'M' => true,
            'C' => args != FastArgs::Numbers,
            _ => (meaning == TextMeaning::Terms && args == FastArgs::Texts) || (head.is_async() && record.id.is_none()),
        };
        (record.has_phase && !is_odd && PHASES.contains(head.phase)).then_some(())?;
        let end = match head.phase {
            'X' => time.checked_add(record.duration.filter(|duration| *duration >= 0)?)?,
            _ => time,
        };
        (end < i64::MAX).then_some(())?;
        head.tid = if head.tid == NONE { head.pid } else { head.tid };
        head.has = if record.id.is_some() { HAS_ID } else { 0 };
        head.has |= if args == FastArgs::Absent { 0 } else { STATES_ARGS };
        head.scope = self.scope(head.phase, record.scope);
        let args = if args == FastArgs::Absent { "" } else { self.args.as_str() };
        let start = self.records.bodies.len();
        let texts = BodyTexts { id: record.id, bind: None, result: None, args };
        write_body(&texts, record.others.iter().copied(), &mut self.records.bodies);
        let head = self.heads.number(&head);
        self.records.push(head, RecordTimes { time, end }, start);
        Some(())
    }

    /// Reads an object of arguments into the list of them; what they are like, and their names.
    #[inline]
    fn usual_args(&mut self, cursor: &mut Cursor<'_>) -> Option<(FastArgs, u32)> {
        cursor.pass(b'{')?;
        self.args.clear();
        let (mut kind, mut names) = (FastArgs::Numbers, KeyLists::EMPTY);
        let mut ends: SmallVec<[usize; 8]> = SmallVec::new();
        let mut may_hold_commas = false;
        if cursor.next() == b'}' {
            cursor.at += 1;
            return Some((kind, names));
        }
        loop {
            let key = cursor.key()?;
            names = self.arg_names.longer(names, cursor.text.as_bytes(), key.range, false);
            self.arg_names.is_simple(names).then_some(())?;
            if !ends.is_empty() {
                self.args.push_str(", ");
            }
            let first = cursor.next();
            let value = cursor.raw()?;
            match first {
                b'"' => kind = FastArgs::Texts,
                b'-' | b'0'..=b'9' => {}
                _ if kind == FastArgs::Numbers => kind = FastArgs::Others,
                _ => {}
            }
            may_hold_commas |= matches!(first, b'{' | b'[');
            match first == b'"' || is_integer(value) {
                true if value != "-0" => self.args.push_str(value),
                _ => self.args.push_str(&term(value, TextMeaning::Themselves)),
            }
            ends.push(self.args.len());
            match cursor.next() {
                b',' => cursor.at += 1,
                b'}' => break,
                _ => return None,
            }
        }
        cursor.at += 1;
        (!may_hold_commas || self.is_list_of(&ends)).then_some((kind, names))
    }

    /// Whether the list of arguments is taken apart where it was put together.
    fn is_list_of(&self, ends: &[usize]) -> bool {
        let starts = std::iter::once(0).chain(ends.iter().map(|end| end + 2));
        let parts = starts.zip(ends).map(|(start, end)| &self.args[start..*end]);
        ArgTexts::new(&self.args).iter().eq(parts)
    }
}

/// The first seven bytes of a key; 0 for a longer one.
const fn word(key: &[u8]) -> u64 {
    let (mut word, mut at) = (0, key.len());
    while at > 0 {
        at -= 1;
        word = word << 8 | key[at] as u64;
    }
    word
}

const PH: u64 = word(b"ph");
const TS: u64 = word(b"ts");
const DUR: u64 = word(b"dur");
const NAME: u64 = word(b"name");
const PID: u64 = word(b"pid");
const TID: u64 = word(b"tid");
const CAT: u64 = word(b"cat");
const ARGS: u64 = word(b"args");
const S: u64 = word(b"s");
const ID: u64 = word(b"id");

/// Keys that the full grammar reads.
const UNUSUAL: &[&str] = &["id2", "bp", "flow_in", "flow_out", "bind_id"];

/// A key of an object.
struct FastKey {
    /// Its bytes, the first one lowest; 0 if there are more than seven.
    word: u64,
    range: Range<usize>,
}

/// A place in a record.
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// The next byte that is not white space; 0 at the end.
    #[inline(always)]
    fn next(&mut self) -> u8 {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                Some(byte) => return *byte,
                None => return 0,
            }
        }
    }

    /// Passes a byte.
    #[inline(always)]
    fn pass(&mut self, byte: u8) -> Option<()> {
        (self.next() == byte).then_some(())?;
        self.at += 1;
        Some(())
    }

    /// The next eight bytes; zeros follow the last one.
    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        match load(self.text.as_bytes(), at) {
            Some(word) => word,
            None => self.last_word(at),
        }
    }

    #[cold]
    fn last_word(&self, at: usize) -> u64 {
        word(self.text.as_bytes().get(at..).unwrap_or_default())
    }

    /// A key, with its colon.
    #[inline(always)]
    fn key(&mut self) -> Option<FastKey> {
        let range = self.quoted()?;
        let word = if range.len() < 8 { first_bytes(self.word(range.start), range.len(), 0) } else { 0 };
        self.pass(b':')?;
        Some(FastKey { word, range })
    }

    /// A text in quotes without escapes, of printable ASCII: where it stands between them.
    #[inline(always)]
    fn quoted(&mut self) -> Option<Range<usize>> {
        self.pass(b'"')?;
        let start = self.at;
        loop {
            let word = self.word(self.at);
            let length = before_byte(word, b'"');
            is_plain(first_bytes(word, length, b' ')).then_some(())?;
            self.at += length;
            if length < 8 {
                self.at += 1;
                return Some(start..self.at - 1);
            }
        }
    }

    /// A number.
    #[inline(always)]
    fn number(&mut self) -> Option<&'t str> {
        let start = self.at;
        self.at += usize::from(self.text.as_bytes()[start] == b'-');
        let first = self.at;
        let n_digits = self.digits();
        (n_digits == 1 || (n_digits > 1 && self.text.as_bytes()[first] != b'0')).then_some(())?;
        if self.text.as_bytes().get(self.at) == Some(&b'.') {
            self.at += 1;
            (self.digits() > 0).then_some(())?;
        }
        let has_exponent = matches!(self.text.as_bytes().get(self.at), Some(b'e' | b'E'));
        (!has_exponent).then(|| &self.text[start..self.at])
    }

    #[inline(always)]
    fn digits(&mut self) -> usize {
        let start = self.at;
        loop {
            let length = n_digits(self.word(self.at) ^ each(b'0'));
            self.at += length;
            if length < 8 {
                return self.at - start;
            }
        }
    }

    /// A number of microseconds, in nanoseconds.
    #[inline(always)]
    fn microseconds(&mut self) -> Option<i64> {
        match self.next() {
            b'0'..=b'9' => self.few_microseconds().or_else(|| nanoseconds(self.number()?)),
            _ => None,
        }
    }

    /// A number of at most fifteen digits, and maybe a point and at most three more, of microseconds, in nanoseconds.
    #[inline(always)]
    fn few_microseconds(&mut self) -> Option<i64> {
        let (mut value, mut n_whole) = decimal(self.word(self.at));
        if n_whole == 8 {
            let (more, n_more) = decimal(self.word(self.at + 8));
            (value, n_whole) = (value * 10u64.pow(n_more as u32) + more, 8 + n_more);
        }
        let (mut end, bytes) = (self.at + n_whole, self.text.as_bytes());
        let has_zero = n_whole > 1 && bytes[self.at] == b'0';
        (n_whole < 16 && !has_zero).then_some(())?;
        value *= 1000;
        if bytes.get(end) == Some(&b'.') {
            let (part, n_part) = decimal(self.word(end + 1));
            value += part * *[0, 100, 10, 1].get(n_part).filter(|scale| **scale > 0)?;
            end += 1 + n_part;
        }
        (!matches!(bytes.get(end), Some(b'e' | b'E'))).then_some(())?;
        self.at = end;
        i64::try_from(value).ok()
    }

    /// The code of a name or number; [`NONE`] for `null`.
    #[inline(always)]
    fn code(&mut self, texts: &mut BytesInterner) -> Option<u32> {
        let (range, tag) = match self.next() {
            b'"' => (self.quoted()?, TEXT),
            b'-' | b'0'..=b'9' => {
                let length = self.number()?.len();
                (self.at - length..self.at, JSON)
            }
            _ => return None,
        };
        let text = self.text.as_bytes();
        Some(texts.find(text, range.clone(), tag).unwrap_or_else(|| texts.add(&text[range], tag)))
    }

    /// A number, or the characters of a text.
    fn shown(&mut self) -> Option<&'t str> {
        match self.next() {
            b'"' => {
                let range = self.quoted()?;
                Some(&self.text[range])
            }
            b'-' | b'0'..=b'9' => self.number(),
            _ => None,
        }
    }

    /// A value as it is written.
    #[inline(always)]
    fn raw(&mut self) -> Option<&'t str> {
        match self.next() {
            b'"' => {
                let range = self.quoted()?;
                Some(&self.text[range.start - 1..range.end + 1])
            }
            b'-' | b'0'..=b'9' => self.number(),
            _ => {
                let mut scanner = JsonScanner::new(&self.text[self.at..]);
                let value = scanner.raw().ok()?;
                // a longer one may be nested deeper than a record may be
                (value.len() < 2 * JsonScanner::DEEPEST - 4).then_some(())?;
                self.at += value.len();
                Some(value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_the_full_grammar_reads_them() {
        let whole = ["0", "7", "1234567", "12345678", "123456789012345", "1234567890123456", "9223372036854775"];
        let parts = ["", ".0", ".5", ".06", ".789", ".0005", ".12345678", "e3", ".5e1", "E0"];
        for (text, after) in whole
            .iter()
            .flat_map(|whole| parts.map(|part| format!("{whole}{part}")))
            .flat_map(|text| ["", ",", "}", ",\"dur\":12345678901"].map(|after| (text.clone(), after)))
        {
            let line = format!("{text}{after}");
            let mut cursor = Cursor { text: &line, at: 0 };
            let expected = nanoseconds(&text).filter(|_| !text.contains(['e', 'E']));
            assert_eq!(cursor.microseconds(), expected, "{line}");
            assert!(expected.is_none() || cursor.at == text.len(), "{line}");
        }
        for text in ["01", "00.5", "1.", "1.x", "-1", "x", ""] {
            assert_eq!(Cursor { text, at: 0 }.microseconds(), None, "{text}");
        }
    }
}
