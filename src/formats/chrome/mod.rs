//! The `chrome` format: trace-event JSON of Chrome, in the dialects of those who write it.
//!
//! Records come in any order, so all of them are read before the first event is handed over. `record` and `arguments` are
//! the grammar, `log` keeps the records, `pairs` and `nesting` find the boxes of each track, `events` merges the tracks.

mod arguments;
mod columns;
mod events;
mod flows;
mod log;
mod nesting;
mod pairs;
mod record;
mod rules;
#[cfg(test)]
mod tests;
mod time;

use self::arguments::TextMeaning;
use self::log::ChromeLog;
use self::record::ChromeRecord;
use super::Format;
use super::checks::{self, ReadyCheck};
use super::drawing::{BoxOrder, Draw, Drawing};
use super::json::cut::{DocumentRules, OpenContainer, PieceKind, Treatment};
use super::json::document::{self, Piece};
use super::json::scanner::{JsonError, JsonKind, JsonScanner};
use super::lines::Lines;
use crate::trace::{Gap, PortRecord, PortRole, PortSet, TraceBuilder, Traced};

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "chrome",
    doc: "trace-event JSON, as browsers, Node.js, viztracer, uftrace and tracing-chrome write it",
    sample: r#"{"traceEvents": [{"ph": "X", "ts": 12.5, "dur": 3, "pid": 1, "tid": 1, "name": "main"}]}"#,
    missing: "no JSON array of objects with a `ph`, nor one below `traceEvents`",
    rule: "C1",
    ports: PortSet::Open(PORTS),
    attributes: columns::ATTRIBUTES,
    severities: rules::SEVERITIES,
    sniff,
    read,
    checks: &[
        checks::WELL_FORMED,
        ReadyCheck::new("no_overlap"),
        ReadyCheck::new("no_lost_events"),
        ReadyCheck::new("arrows_arrive"),
        ReadyCheck::new("every_box_ends"),
    ],
    drawing: Draw::Always(&DRAWING),
    ..Format::PLAIN
};

const DRAWING: Drawing = Drawing {
    process: &[("", "process"), ("pid ", "pid")],
    thread: &[("", "thread"), ("tid ", "tid")],
    time: Some(("time", 1000)),
    order: BoxOrder::Free,
    ..Drawing::ONE_TRACK
};

const fn port(name: &'static str, role: PortRole, doc: &'static str) -> PortRecord {
    PortRecord { name, spellings: &[], role, traced: Traced::Yes, doc }
}

const PORTS: &[PortRecord] = &[
    port("call", PortRole::Opens, "a slice or an operation begins"),
    port("exit", PortRole::Closes, "a slice or an operation ends"),
    port("exception", PortRole::Closes, "a slice ends by an exception that the trace shows"),
    port("event", PortRole::Inside, "an instant, or a step of an operation"),
    port("counter", PortRole::Inside, "a counter has new values"),
    port("flow_start", PortRole::Inside, "an arrow begins"),
    port("flow_step", PortRole::Inside, "an arrow ends, and another one begins"),
    port("flow_end", PortRole::Inside, "an arrow ends"),
    port("new", PortRole::Inside, "an object is created"),
    port("snapshot", PortRole::Inside, "the state of an object"),
    port("delete", PortRole::Inside, "an object is deleted"),
    port("sample", PortRole::Inside, "a profiler took a sample"),
    port("memory", PortRole::Inside, "a dump of memory"),
    port("clock_sync", PortRole::Inside, "a mark by which clocks are compared"),
];

/// Records are the elements of an array at the top, or below `traceEvents`.
const RULES: DocumentRules = DocumentRules { treatment, resume: |open, _| open.len(), drops_line: true };

fn treatment(open: &[OpenContainer], key: Option<&str>, kind: JsonKind) -> Treatment {
    match (open, key) {
        ([], _) => Treatment::Enter,
        ([top], Some("traceEvents")) if top.is_object && kind == JsonKind::Array => Treatment::Enter,
        // the sources of the program, and stacks of samples
        ([top], Some("file_info" | "stackFrames")) if top.is_object => Treatment::Skip,
        ([top], _) if top.is_object => Treatment::Keep,
        _ => Treatment::Record,
    }
}

/// The number of records in the first bytes of a file; none if it is one that papaver wrote, whose events are objects.
fn sniff(head: &[u8]) -> usize {
    let text = head.trim_ascii_start();
    let has = |key: &[u8]| memchr::memmem::find(text, key).is_some();
    let is_chrome = match text.first() {
        Some(b'[') => has(b"\"ph\"") && !has(b"\"traceId\""),
        Some(b'{') => has(b"\"traceEvents\"") && !has(b"\"args\": {\"chrono\": ") && !has(b"\"args\":{\"chrono\":"),
        _ => false,
    };
    if is_chrome { memchr::memmem::find_iter(text, b"\"ph\"").count().max(1) } else { 0 }
}

/// What the texts in the arguments of a file mean, by its first bytes: `tracing-chrome` names the files of its events.
fn meaning(head: &[u8]) -> TextMeaning {
    let has = |key: &[u8]| memchr::memmem::find(head, key).is_some();
    match has(b"\".file\":") || has(b"\"name\":\"event ") || head.starts_with(b"[\n{\"args\":{\"name\":") {
        true => TextMeaning::Terms,
        false => TextMeaning::Themselves,
    }
}

/// What is in a part of a file, in order.
enum ChromePart {
    Record(Option<Box<ChromeRecord>>),
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

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let meaning = meaning(lines.sample());
    let parse = |piece: &Piece<'_>, found: &mut Vec<(u64, ChromePart)>| {
        let part = part(piece, meaning)?;
        found.extend(part.map(|part| (piece.line, part)));
        Ok(())
    };
    let mut reader = ChromeReader { log: ChromeLog::default(), builder, has_ended: false, n_arrays: 0 };
    document::read(lines, RULES, parse, |part, found| {
        found.drain(..).for_each(|(line, piece)| reader.take(part.first_line + line, piece));
    });
    let ChromeReader { log, .. } = reader;
    events::emit(log, builder);
}

fn part(piece: &Piece<'_>, meaning: TextMeaning) -> Result<Option<ChromePart>, JsonError> {
    Ok(match piece.kind {
        PieceKind::Record => Some(ChromePart::Record(ChromeRecord::read(piece.text, meaning)?.map(Box::new))),
        PieceKind::Begin if piece.text == "[" => Some(ChromePart::Array),
        PieceKind::Begin => None,
        PieceKind::End if piece.depth == 0 => Some(ChromePart::End),
        PieceKind::End => None,
        PieceKind::Value => {
            let mut scanner = JsonScanner::new(piece.text);
            scanner.skip().and_then(|()| scanner.end())?;
            piece.key.clone().map(|key| ChromePart::Beside(key, piece.text.to_owned()))
        }
        PieceKind::Broken if piece.depth == 0 => None,
        PieceKind::Broken => Some(ChromePart::Broken(match piece.error {
            Some(error) => format!("{error} at byte {} of the record", error.at + 1),
            None => "this is no JSON, up to the next line that begins with a bracket".to_owned(),
        })),
        PieceKind::TooLong => Some(ChromePart::Broken(Lines::too_long("record"))),
        PieceKind::Unfinished => Some(ChromePart::Unfinished),
    })
}

/// A file that is being read.
struct ChromeReader<'b> {
    log: ChromeLog,
    builder: &'b mut TraceBuilder,
    /// Whether its first value has ended; what follows does not count.
    has_ended: bool,
    n_arrays: usize,
}

impl ChromeReader<'_> {
    fn take(&mut self, line: u64, part: ChromePart) {
        match part {
            _ if self.has_ended => {}
            ChromePart::Record(record) => self.log.add(record.as_deref(), line, self.builder),
            ChromePart::Array => {
                self.n_arrays += 1;
                if self.n_arrays > 1 {
                    self.log.forget();
                }
            }
            ChromePart::Beside(key, value) => self.beside(&key, &value),
            ChromePart::Broken(message) => self.log.findings.add("C1", line, message),
            ChromePart::Unfinished => {
                let message = "the file ends before the array of records or the object around it".to_owned();
                self.log.findings.add("unterminated", line, message);
            }
            ChromePart::End => self.has_ended = true,
        }
    }

    /// A key beside the records.
    fn beside(&mut self, key: &str, value: &str) {
        log::fact(key, value, self.builder);
        if key == "viztracer_metadata" && has_overflow(value) {
            self.builder.recording().gap(Gap { first: 0, before: 0, lost: None });
            let message = "the buffer of the recorder was full: early events are lost";
            self.builder.finding("overflow", None, None, message);
        }
    }
}

/// `{"overflow": true}`.
fn has_overflow(metadata: &str) -> bool {
    let mut scanner = JsonScanner::new(metadata);
    let mut overflow = || {
        scanner.begin_object().ok()?;
        while let Some(key) = scanner.next_key().ok()? {
            let value = scanner.raw().ok()?;
            if key == "overflow" {
                return Some(value == "true");
            }
        }
        None
    };
    overflow().unwrap_or(false)
}
