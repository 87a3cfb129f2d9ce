//! The grammar of a record: `{"ph": "X", "ts": 5354712097.306, "dur": 11.717, "pid": 1, "name": "f", "args": {...}}`.

use std::borrow::Cow;

use super::arguments::{RecordArgs, TextMeaning};
use super::time::nanoseconds;
use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::value::{Json, unquoted};

/// A record.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ChromeRecord {
    /// The phase; none if it is not one character.
    pub(super) phase: Option<char>,
    /// The time in nanoseconds.
    pub(super) time: Option<i64>,
    pub(super) duration: RecordDuration,
    /// Names and numbers, as [`written`] makes them.
    pub(super) name: Option<String>,
    pub(super) pid: Option<String>,
    pub(super) tid: Option<String>,
    pub(super) cat: Option<String>,
    pub(super) id: Option<RecordId>,
    /// `bind_id`.
    pub(super) bind: Option<String>,
    pub(super) flows_in: bool,
    pub(super) flows_out: bool,
    /// `s`: how far an instant reaches.
    pub(super) scope: Option<String>,
    /// `"bp": "e"`.
    pub(super) binds_enclosing: bool,
    pub(super) args: RecordArgs,
    /// The object of arguments of a record about the trace.
    pub(super) whole_args: String,
    /// Other keys with their values as they are written.
    pub(super) others: Vec<(String, String)>,
}

/// `dur`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RecordDuration {
    #[default]
    Absent,
    /// It is not a number of 64 bits.
    Unreadable,
    Nanoseconds(i64),
}

/// What identifies a record among others of its category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordId {
    /// `id`, or `id2.global`.
    Global(String),
    /// `id2.local`: another one in each process.
    Local(String),
}

impl RecordId {
    pub(super) fn text(&self) -> &str {
        match self {
            RecordId::Global(text) | RecordId::Local(text) => text,
        }
    }
}

impl ChromeRecord {
    /// Reads a record; none if it is JSON, but no object.
    pub(super) fn read(text: &str, texts: TextMeaning) -> Result<Option<ChromeRecord>, JsonError> {
        let mut scanner = JsonScanner::new(text);
        if !scanner.enters(JsonKind::Object)? {
            scanner.end()?;
            return Ok(None);
        }
        let (mut record, mut args) = (ChromeRecord::default(), None);
        while let Some(key) = scanner.next_key()? {
            match &*key {
                "args" => args = Some(scanner.raw()?),
                key => record.set(key, &mut scanner)?,
            }
        }
        scanner.end()?;
        if let Some(args) = args {
            let texts = if record.phase == Some('C') { TextMeaning::Numbers } else { texts };
            record.args = RecordArgs::read(&mut JsonScanner::new(args), texts)?;
            record.whole_args = if record.phase == Some('M') { args.to_owned() } else { String::new() };
        }
        record.args.has_other_values |= args.is_none();
        Ok(Some(record))
    }

    fn set(&mut self, key: &str, scanner: &mut JsonScanner<'_>) -> Result<(), JsonError> {
        let value = scanner.raw()?;
        match key {
            "ph" => self.phase = phase(value),
            "ts" => self.time = number(value),
            "dur" => self.duration = number(value).map_or(RecordDuration::Unreadable, RecordDuration::Nanoseconds),
            "name" => self.name = written(value),
            "pid" => self.pid = written(value),
            "tid" => self.tid = written(value),
            "cat" => self.cat = written(value),
            "id" if !matches!(self.id, Some(RecordId::Local(_))) => self.id = Some(RecordId::Global(shown(value))),
            "id" => {}
            "id2" => self.set_id(value)?,
            "s" => self.scope = written(value),
            "bp" => self.binds_enclosing = value == "\"e\"",
            "flow_in" => self.flows_in = is_true(value),
            "flow_out" => self.flows_out = is_true(value),
            "bind_id" => self.bind = Some(shown(value)),
            _ => self.others.push((key.to_owned(), value.to_owned())),
        }
        Ok(())
    }

    /// `{"local": "0x1"}`, `{"global": "0x9"}`.
    fn set_id(&mut self, text: &str) -> Result<(), JsonError> {
        let mut scanner = JsonScanner::new(text);
        if !scanner.enters(JsonKind::Object)? {
            return Ok(());
        }
        while let Some(key) = scanner.next_key()? {
            let value = scanner.raw()?;
            match &*key {
                "local" => self.id = Some(RecordId::Local(shown(value))),
                "global" if !matches!(self.id, Some(RecordId::Local(_))) => {
                    self.id = Some(RecordId::Global(shown(value)));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A name or number such that equal ones are equal texts: after `s` the characters of a text, after `j` any other value.
pub(super) fn written(value: &str) -> Option<String> {
    match Json::of(value) {
        Json::Null => None,
        Json::Text(text) => Some(["s", &text].concat()),
        other => Some(["j", &other.written()].concat()),
    }
}

/// The characters of a name or number as [`written`].
pub(super) fn characters(written: &str) -> &str {
    written.get(1..).unwrap_or_default()
}

/// A number or the characters of a text.
fn shown(value: &str) -> String {
    characters(&written(value).unwrap_or_else(|| "jNone".to_owned())).to_owned()
}

/// The one character of a text.
fn phase(value: &str) -> Option<char> {
    let text = if value.starts_with('"') { unquoted(value) } else { Cow::Borrowed("") };
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// A number, or a text with one, as nanoseconds.
fn number(value: &str) -> Option<i64> {
    match value.starts_with('"') {
        true => nanoseconds(unquoted(value).trim()),
        false => nanoseconds(value),
    }
}

/// `true`, and every value but `false`, `null`, zero and what is empty.
fn is_true(value: &str) -> bool {
    !matches!(value, "false" | "null" | "0" | "\"\"" | "[]" | "{}")
}

/// Whether a JSON value is a number, or a text with one.
pub(super) fn is_numeric(value: &str) -> bool {
    let text = if value.starts_with('"') { unquoted(value) } else { Cow::Borrowed(value) };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let mantissa = mantissa.strip_prefix('-').unwrap_or(mantissa);
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    digits(whole) && digits(part) && digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))
}
