//! All records of a file, with their texts as codes: what must be known before the first event can be handed over.

use super::arguments::{RecordArgs, stored};
use super::columns;
use super::record::{ChromeRecord, RecordDuration, RecordId, characters, written};
use super::rules::RuleFindings;
use crate::formats::json::scanner::JsonScanner;
use crate::formats::json::value::Json;
use crate::formats::lines::interner::BytesInterner;
use crate::term::hash::HashMap;
use crate::trace::{ArgsId, AttributeId, Field, RecordedAt, TraceBuilder};

/// The index of a record in [`ChromeLog::records`].
pub(super) type RecordIdx = u32;

/// No record, or no text.
pub(super) const NONE: u32 = u32::MAX;

/// A record that becomes one or two events.
#[derive(Clone, Debug)]
pub(super) struct LogRecord {
    pub(super) time: i64,
    /// The end of an X.
    pub(super) end: i64,
    /// The line of the file; that of the greatest number of 32 bits if it is greater.
    pub(super) line: u32,
    /// The number in the array, from 1.
    pub(super) number: u32,
    pub(super) phase: char,
    /// The track or the asynchronous operation, as an index.
    pub(super) sequence: u32,
    // codes of texts
    pub(super) name: u32,
    pub(super) pid: u32,
    pub(super) tid: u32,
    pub(super) cat: u32,
    pub(super) id: u32,
    pub(super) bind: u32,
    pub(super) arg_names: u32,
    pub(super) result_name: u32,
    /// The result as it is written.
    pub(super) result_text: u32,
    /// The result as a term, of an end that another record begins.
    pub(super) result: u32,
    /// The number of arguments; none if the record does not say which there are.
    pub(super) n_args: u32,
    /// The arguments, and those of the end of an X, as the trace numbers them.
    pub(super) args: Option<ArgsId>,
    pub(super) end_args: Option<ArgsId>,
    pub(super) end_arg_names: u32,
    /// Its values in [`ChromeLog::others`].
    pub(super) first_other: u32,
    pub(super) n_others: u32,
    pub(super) flows_in: bool,
    pub(super) flows_out: bool,
    pub(super) binds_enclosing: bool,
    /// How far an instant reaches.
    pub(super) scope: u32,
}

impl Default for LogRecord {
    /// A record without texts.
    fn default() -> LogRecord {
        LogRecord {
            time: 0,
            end: 0,
            line: 0,
            number: 0,
            phase: ' ',
            sequence: 0,
            name: NONE,
            pid: NONE,
            tid: NONE,
            cat: NONE,
            id: NONE,
            bind: NONE,
            arg_names: NONE,
            result_name: NONE,
            result_text: NONE,
            result: NONE,
            n_args: NONE,
            args: None,
            end_args: None,
            end_arg_names: NONE,
            first_other: 0,
            n_others: 0,
            flows_in: false,
            flows_out: false,
            binds_enclosing: false,
            scope: NONE,
        }
    }
}

impl LogRecord {
    /// Whether it is of an asynchronous operation.
    pub(super) fn is_async(phase: char) -> bool {
        matches!(phase, 'b' | 'n' | 'e' | 'S' | 'T' | 'p' | 'F')
    }

    /// Whether it opens a box that another record closes.
    pub(super) fn begins(&self) -> bool {
        matches!(self.phase, 'B' | 'b' | 'S')
    }

    /// Whether it closes a box that another record opens.
    pub(super) fn ends(&self) -> bool {
        matches!(self.phase, 'E' | 'e' | 'F')
    }

    /// Whether it opens a box.
    pub(super) fn is_box(&self) -> bool {
        self.phase == 'X' || self.begins()
    }
}

/// The records of a file.
#[derive(Default)]
pub(super) struct ChromeLog {
    pub(super) records: Vec<LogRecord>,
    pub(super) texts: BytesInterner,
    /// Attributes with values as they are written, record by record.
    pub(super) others: Vec<(AttributeId, u32)>,
    pub(super) n_sequences: u32,
    pub(super) findings: RuleFindings,
    sequences: HashMap<(u32, u32, u32, bool), u32>,
    processes: HashMap<u32, u32>,
    threads: HashMap<(u32, u32), u32>,
    /// Records so far, those without events included.
    n_numbered: u32,
}

impl ChromeLog {
    /// The text with a code.
    pub(super) fn text(&self, code: u32) -> Option<&str> {
        let bytes = (code != NONE).then(|| self.texts.entry(code).0)?;
        std::str::from_utf8(bytes).ok()
    }

    /// The code of a text.
    pub(super) fn code(&mut self, text: &str) -> u32 {
        let part = 0..text.len();
        match self.texts.find(text.as_bytes(), part, 0) {
            Some(code) => code,
            None => self.texts.add(text.as_bytes(), 0),
        }
    }

    fn code_of(&mut self, text: Option<&str>) -> u32 {
        text.map_or(NONE, |text| self.code(text))
    }

    /// The attributes of a record that have their own keys, with their values as they are written.
    pub(super) fn others_of(&self, record: &LogRecord) -> impl Iterator<Item = (AttributeId, &str)> {
        let others = self.others.iter().skip(record.first_other as usize).take(record.n_others as usize);
        others.filter_map(|(id, value)| Some((*id, self.text(*value)?)))
    }

    /// The name of a process.
    pub(super) fn process(&self, pid: u32) -> u32 {
        self.processes.get(&pid).copied().unwrap_or(NONE)
    }

    /// The name of a thread.
    pub(super) fn thread(&self, pid: u32, tid: u32) -> u32 {
        self.threads.get(&(pid, tid)).copied().unwrap_or(NONE)
    }

    /// Forgets all records: the file has another array of them.
    pub(super) fn forget(&mut self) {
        *self = ChromeLog::default();
    }

    /// Adds the next record of the array; none is one that is no object.
    pub(super) fn add(&mut self, record: Option<&ChromeRecord>, line: u64, builder: &mut TraceBuilder) {
        self.n_numbered = self.n_numbered.saturating_add(1);
        let number = self.n_numbered;
        let Some(record) = record else {
            return self.findings.add("C1", line, format!("record {number} is no object"));
        };
        let Some(phase) = record.phase else {
            return self.findings.add("C1", line, format!("record {number} has no phase of one character"));
        };
        if phase == 'M' {
            return self.metadata(record, builder);
        }
        let Some(time) = record.time else {
            return self.findings.add("C1", line, format!("record {number} has no time of 64 bits in `ts`"));
        };
        let Some(end) = self.end(phase, time, record, line) else {
            return self.findings.add("C1", line, format!("record {number} ends after all times of 64 bits"));
        };
        self.check(phase, record, number, line);
        self.push(LogTimes { time, end, line, number, phase }, record, builder);
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
        self.findings.add("C4", line, format!("record {} {what}: it is read as 0", self.n_numbered));
        Some(time)
    }

    /// The rules about single records.
    fn check(&mut self, phase: char, record: &ChromeRecord, number: u32, line: u64) {
        if !"XBEbneSTpFiIRCNODstfPVvc(),=".contains(phase) {
            self.findings.add("C2", line, format!("record {number} has the unknown phase `{phase}`"));
        }
        if LogRecord::is_async(phase) && record.id.is_none() {
            self.findings.add("C9", line, format!("record {number} of an asynchronous operation has no `id`"));
        }
        if phase == 'C' && record.args.has_other_values {
            self.findings.add("C8", line, format!("record {number} of a counter has a value that is no number"));
        }
    }

    fn push(&mut self, times: LogTimes, record: &ChromeRecord, builder: &mut TraceBuilder) {
        let LogTimes { time, end, line, number, phase } = times;
        let pid = self.code_of(record.pid.as_deref());
        let tid = self.code_of(record.tid.as_deref().or(record.pid.as_deref()));
        let cat = self.code_of(record.cat.as_deref());
        let id = self.code_of(record.id.as_ref().map(RecordId::text));
        let sequence = match LogRecord::is_async(phase) {
            true => self.sequence((cat, id, if let Some(RecordId::Local(_)) = record.id { pid } else { NONE }, true)),
            false => self.sequence((pid, tid, NONE, false)),
        };
        let first_other = self.others.len();
        for (key, value) in &record.others {
            if value != "null"
                && let Some(attribute) = columns::of_key(key, builder)
            {
                let value = self.code(value);
                self.others.push((attribute, value));
            }
        }
        let args = self.args(phase, &record.args, builder);
        let log_record = LogRecord {
            time,
            end,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            number,
            phase,
            sequence,
            name: self.code_of(record.name.as_deref()),
            pid,
            tid,
            cat,
            id,
            bind: self.code_of(record.bind.as_deref()),
            first_other: u32::try_from(first_other).unwrap_or(u32::MAX),
            n_others: u32::try_from(self.others.len() - first_other).unwrap_or(0),
            flows_in: record.flows_in,
            flows_out: record.flows_out,
            binds_enclosing: record.binds_enclosing,
            scope: self.scope(phase, record),
            ..args
        };
        if self.records.len() < MOST_RECORDS {
            self.records.push(log_record);
        } else {
            self.findings.add("C1", line, format!("record {number} is one too many"));
        }
    }

    /// The code of the scope of an instant, that of its thread unless it says otherwise.
    fn scope(&mut self, phase: char, record: &ChromeRecord) -> u32 {
        match phase {
            'i' | 'I' | 'R' => self.code(record.scope.as_deref().map_or("t", characters)),
            _ => NONE,
        }
    }

    /// A record with these arguments and nothing else.
    fn args(&mut self, phase: char, args: &RecordArgs, builder: &mut TraceBuilder) -> LogRecord {
        let mut values: Vec<Option<&str>> = args.args.iter().map(|(_, value)| Some(value.as_str())).collect();
        let mut names: Vec<Option<&str>> = args.args.iter().map(|(name, _)| Some(name.as_str())).collect();
        let mut record = LogRecord::default();
        if args.are_stated {
            record.n_args = u32::try_from(values.len()).unwrap_or(u32::MAX);
            record.args = Some(builder.args_parts(&values));
            record.arg_names = self.names(&names);
        }
        (record.end_args, record.end_arg_names) = (record.args, record.arg_names);
        if let Some((name, term, text)) = &args.result {
            record.result_text = self.code(text);
            if phase == 'X' {
                values.push(Some(term));
                names.push(Some(name));
                record.end_args = Some(builder.args_parts(&values));
                record.end_arg_names = self.names(&names);
            } else {
                record.result = self.code(term);
                record.result_name = self.code(name);
            }
        }
        record
    }

    /// The code of the names of arguments, if one has a name.
    fn names(&mut self, names: &[Option<&str>]) -> u32 {
        let has_names = names.iter().flatten().any(|name| !name.is_empty());
        if has_names { self.code(&stored(names)) } else { NONE }
    }

    fn sequence(&mut self, key: (u32, u32, u32, bool)) -> u32 {
        let n_sequences = &mut self.n_sequences;
        *self.sequences.entry(key).or_insert_with(|| {
            *n_sequences += 1;
            *n_sequences - 1
        })
    }

    /// A record about the trace, which is no event.
    fn metadata(&mut self, record: &ChromeRecord, builder: &mut TraceBuilder) {
        let pid = self.code_of(record.pid.as_deref());
        let tid = self.code_of(record.tid.as_deref().or(record.pid.as_deref()));
        let name = only_value(&record.whole_args);
        match record.name.as_deref() {
            Some("sprocess_name") => {
                let name = self.code_of(name.and_then(written).as_deref());
                self.processes.insert(pid, name);
            }
            Some("sthread_name") => {
                let name = self.code_of(name.and_then(written).as_deref());
                self.threads.insert((pid, tid), name);
            }
            Some(key) => fact(characters(key), name.unwrap_or(&record.whole_args), builder),
            None => {}
        }
    }
}

/// What stands in a record itself of its place.
struct LogTimes {
    time: i64,
    end: i64,
    line: u64,
    number: u32,
    phase: char,
}

/// Items refer to records with 31 bits.
const MOST_RECORDS: usize = (1 << 31) - 1;

/// Keeps what the recorder says about the trace.
pub(super) fn fact(key: &str, value: &str, builder: &mut TraceBuilder) {
    match Json::of(value) {
        Json::Text(text) => builder.recording().record(RecordedAt::Start, key, Field::Atom(&text)),
        _ => columns::with_written(&format!("j{value}"), |field| {
            builder.recording().record(RecordedAt::Start, key, field);
        }),
    }
}

/// The value of the key `name` of an object, or that of its only key.
fn only_value(object: &str) -> Option<&str> {
    let mut scanner = JsonScanner::new(object);
    scanner.begin_object().ok()?;
    let (mut found, mut n_keys) = (None, 0);
    while let Some(key) = scanner.next_key().ok()? {
        let value = scanner.raw().ok()?;
        n_keys += 1;
        if key == "name" {
            return Some(value);
        }
        found = Some(value);
    }
    found.filter(|_| n_keys == 1)
}
