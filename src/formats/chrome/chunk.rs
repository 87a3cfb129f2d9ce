//! The records of a part of a file, packed by the thread that parses it; texts and lists have the numbers of the part.

use super::arguments::{TextMeaning, stored};
use super::body::{BodyTexts, write_body};
use super::heads::{
    BINDS_ENCLOSING, FLOWS_IN, FLOWS_OUT, HAS_BIND, HAS_ID, HAS_RETURN_VALUE, HAS_RETVAL, ID_IS_LOCAL, JSON, KeyLists,
    NONE, RecordHead, STATES_ARGS, TEXT, UNMEASURED,
};
use super::record::{ChromeRecord, RecordDuration, RecordId, characters};
use crate::formats::json::scanner::JsonError;
use crate::formats::lines::interner::BytesInterner;
use crate::term::hash::HashMap;
use crate::trace::SourcePlace;

/// The number of lines or records in a part of a file.
pub(super) type PlaceInPart = u32;

/// What is in a part of a file.
#[derive(Default)]
pub(super) struct ChromeChunk {
    pub(super) texts: BytesInterner,
    pub(super) arg_names: KeyLists,
    pub(super) others: KeyLists,
    pub(super) heads: Heads,
    pub(super) records: PackedRecords,
    /// All that is no record with an event, in order, with the number of such records before.
    pub(super) parts: Vec<(PlaceInPart, u64, ChromePart)>,
    /// Arguments while they are read.
    pub(super) args: String,
}

/// What is in a part of a file, but records with events.
pub(super) enum ChromePart {
    /// A record about the trace.
    Metadata(Box<ChromeRecord>),
    /// A record without an event, and what is said about it.
    Left(String),
    /// `{}`, with which a writer of records and commas ends its list.
    Empty,
    /// What is said about the next record with an event, by a rule.
    Note(&'static str, String),
    /// An array of records begins in the first value of the file.
    Array,
    /// A key beside the records, with its value.
    Beside(String, String),
    /// A fault, and its message.
    Broken(String),
    Unfinished,
    /// The first value of the file ends.
    End,
}

/// Columns of records.
#[derive(Default)]
pub(super) struct PackedRecords {
    pub(super) times: Vec<i64>,
    /// Times from begin to end of an X, or [`LONG`].
    pub(super) lengths: Vec<u32>,
    /// The others, with the index of their records.
    pub(super) long: Vec<(u32, i64)>,
    pub(super) heads: Vec<u32>,
    /// Where the records begin in the part.
    pub(super) places: Vec<SourcePlace>,
    /// Where the bodies begin.
    pub(super) starts: Vec<u32>,
    pub(super) bodies: Vec<u8>,
}

/// A length that 32 bits cannot hold.
pub(super) const LONG: u32 = u32::MAX;

/// The times of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordTimes {
    pub(super) time: i64,
    /// The end of an X.
    pub(super) end: i64,
}

impl PackedRecords {
    /// Adds a record whose body was written from `start` on.
    #[inline]
    pub(super) fn push(&mut self, head: u32, times: RecordTimes, start: usize) {
        // an end is a time of 64 bits that is not before the begin
        let length = times.end.abs_diff(times.time);
        let short = u32::try_from(length).ok().filter(|length| *length < LONG);
        if short.is_none() {
            self.long.push((self.times.len() as u32, length as i64));
        }
        self.times.push(times.time);
        self.lengths.push(short.unwrap_or(LONG));
        self.heads.push(head);
        self.starts.push(start as u32);
    }

    /// Says where the last record begins, if one was added.
    pub(super) fn stand_at(&mut self, place: SourcePlace) {
        if self.places.len() < self.times.len() {
            self.places.push(place);
        }
    }
}

/// Heads, numbered; those that came last are found at once.
pub(super) struct Heads {
    pub(super) heads: Vec<RecordHead>,
    numbers: HashMap<RecordHead, u32>,
    recent: Box<[u32; N_RECENT]>,
}

const N_RECENT: usize = 1 << 8;

impl Default for Heads {
    fn default() -> Heads {
        Heads { heads: Vec::new(), numbers: HashMap::default(), recent: Box::new([NONE; N_RECENT]) }
    }
}

impl Heads {
    /// The number of a head.
    #[inline]
    pub(super) fn number(&mut self, head: &RecordHead) -> u32 {
        let mixed = (head.name ^ head.tid.rotate_left(12) ^ head.phase as u32).wrapping_mul(0x9E37_79B9);
        let place = (mixed >> (32 - N_RECENT.trailing_zeros())) as usize;
        let recent = self.recent[place];
        if self.heads.get(recent as usize) == Some(head) {
            return recent;
        }
        let next = self.heads.len() as u32;
        let number = *self.numbers.entry(*head).or_insert(next);
        if number == next {
            self.heads.push(*head);
        }
        self.recent[place] = number;
        number
    }
}

impl ChromeChunk {
    /// Adds the record that is written as `text`.
    pub(super) fn record(&mut self, text: &str, line: u64, meaning: TextMeaning) -> Result<(), JsonError> {
        if self.usual_record(text, meaning).is_some() {
            return Ok(());
        }
        match ChromeRecord::read(text, meaning)? {
            Some(_) if text[1..].trim_start().starts_with('}') => self.part(line, ChromePart::Empty),
            Some(record) => self.any_record(record, line),
            None => self.part(line, ChromePart::Left("is no object".to_owned())),
        }
        Ok(())
    }

    /// Adds what is no record with an event.
    pub(super) fn part(&mut self, line: u64, part: ChromePart) {
        self.parts.push((self.records.times.len() as u32, line, part));
    }

    fn note(&mut self, line: u64, rule: &'static str, message: String) {
        self.part(line, ChromePart::Note(rule, message));
    }

    fn any_record(&mut self, record: ChromeRecord, line: u64) {
        let left = |message: &str| ChromePart::Left(message.to_owned());
        let Some(phase) = record.phase else { return self.part(line, left("has no phase of one character")) };
        if phase == 'M' {
            return self.part(line, ChromePart::Metadata(Box::new(record)));
        }
        let Some(time) = record.time else { return self.part(line, left("has no time of 64 bits in `ts`")) };
        let Some(end) = self.end(phase, time, &record, line) else {
            return self.part(line, left("ends after all times of 64 bits"));
        };
        self.check(phase, &record, line);
        self.pack(phase, &record, RecordTimes { time, end });
    }

    /// The end of a record; none if it is out of range.
    fn end(&mut self, phase: char, time: i64, record: &ChromeRecord, line: u64) -> Option<i64> {
        if phase != 'X' {
            return Some(time);
        }
        let what = match record.duration {
            RecordDuration::Nanoseconds(duration @ 0..) => {
                return time.checked_add(duration).filter(|end| *end < i64::MAX);
            }
            RecordDuration::Nanoseconds(_) => "has a `dur` below zero",
            RecordDuration::Unreadable => "has a `dur` that is no number of 64 bits",
            RecordDuration::Absent => "has no `dur`",
        };
        self.note(line, "C4", format!("{what}: its duration is not known"));
        Some(time)
    }

    /// The rules about single records.
    fn check(&mut self, phase: char, record: &ChromeRecord, line: u64) {
        if !PHASES.contains(phase) {
            self.note(line, "C2", format!("has the unknown phase `{phase}`"));
        }
        if RecordHead::new(phase).is_async() && record.id.is_none() {
            self.note(line, "C9", "of an asynchronous operation has no `id`".to_owned());
        }
        if phase == 'C' && record.args.has_other_values {
            self.note(line, "C8", "of a counter has a value that is no number".to_owned());
        }
    }

    fn pack(&mut self, phase: char, record: &ChromeRecord, times: RecordTimes) {
        let pid = self.written(record.pid.as_deref());
        let head = RecordHead {
            phase,
            has: has(phase, record),
            name: self.written(record.name.as_deref()),
            pid,
            tid: record.tid.as_deref().map_or(pid, |tid| self.written(Some(tid))),
            cat: self.written(record.cat.as_deref()),
            scope: self.scope(phase, record.scope.as_deref().map(characters)),
            arg_names: record.args.args.iter().fold(KeyLists::EMPTY, |list, (name, _)| {
                self.arg_names.longer(list, name.as_bytes(), 0..name.len(), false)
            }),
            others: record.others.iter().filter(|(_, value)| value != "null").fold(KeyLists::EMPTY, |list, other| {
                let (key, value) = other;
                self.others.longer(list, key.as_bytes(), 0..key.len(), is_integer(value))
            }),
        };
        let values: Vec<Option<&str>> = record.args.args.iter().map(|(_, value)| Some(value.as_str())).collect();
        let args = if record.args.are_stated { stored(&values) } else { String::new() };
        let texts = BodyTexts {
            id: record.id.as_ref().map(RecordId::text),
            bind: record.bind.as_deref(),
            result: record.args.result.as_ref().map(|(_, term, written)| (term.as_str(), written.as_str())),
            args: &args,
        };
        let others = record.others.iter().map(|(_, value)| value.as_str()).filter(|value| *value != "null");
        let start = self.records.bodies.len();
        write_body(&texts, others, &mut self.records.bodies);
        let head = self.heads.number(&head);
        self.records.push(head, times, start);
    }

    /// The code of the scope of an instant, that of its thread unless it says otherwise.
    pub(super) fn scope(&mut self, phase: char, scope: Option<&str>) -> u32 {
        match RecordHead::new(phase).is_instant() {
            true => code(&mut self.texts, scope.unwrap_or("t").as_bytes(), TEXT),
            false => NONE,
        }
    }

    /// The code of a name or number as [`written`](super::record::written).
    fn written(&mut self, written: Option<&str>) -> u32 {
        written.map_or(NONE, |written| written_code(&mut self.texts, written))
    }
}

/// The phases that are known.
pub(super) const PHASES: &str = "XBEbneSTpFiIRCNODstfPVvc(),=";

/// What a record has, as bits.
fn has(phase: char, record: &ChromeRecord) -> u16 {
    let bit = |is_there: bool, bit: u16| if is_there { bit } else { 0 };
    let is_measured = matches!(record.duration, RecordDuration::Nanoseconds(0..));
    bit(record.flows_in, FLOWS_IN)
        | bit(record.flows_out, FLOWS_OUT)
        | bit(record.binds_enclosing, BINDS_ENCLOSING)
        | bit(record.id.is_some(), HAS_ID)
        | bit(matches!(record.id, Some(RecordId::Local(_))), ID_IS_LOCAL)
        | bit(record.bind.is_some(), HAS_BIND)
        | bit(record.args.are_stated, STATES_ARGS)
        | bit(phase == 'X' && !is_measured, UNMEASURED)
        | match record.args.result {
            Some(("retval", ..)) => HAS_RETVAL,
            Some(_) => HAS_RETURN_VALUE,
            None => 0,
        }
}

/// The code of a text with a tag.
pub(super) fn code(texts: &mut BytesInterner, text: &[u8], tag: i64) -> u32 {
    match texts.find(text, 0..text.len(), tag) {
        Some(code) => code,
        None => texts.add(text, tag),
    }
}

/// The code of a name or number as [`written`](super::record::written).
pub(super) fn written_code(texts: &mut BytesInterner, written: &str) -> u32 {
    let tag = if written.starts_with('s') { TEXT } else { JSON };
    code(texts, characters(written).as_bytes(), tag)
}

/// Whether a JSON value is an integer that a column of integers can hold.
#[inline]
pub(super) fn is_integer(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let is_short = digits.len() < 19 && !digits.is_empty();
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && (is_short || value.parse().is_ok_and(|value: i64| value != i64::MIN))
}
