//! The `chrome` format: trace-event JSON of Chrome, in the dialects of those who write it.
//!
//! Records come in any order, so all of them are read before the first event is handed over. They are packed therefore:
//!
//! ```text
//! parts --fast, record--> chunk --> log --pairs, slices, nesting--> tracks --order--> rows --events, columns--> relation
//! ```
//!
//! What many records have in common is a numbered *head* (`heads`), and what a record has of its own is a *body* (`body`).
//! The threads pack the records of a part into a `chunk`, and `log` joins the parts.

mod arguments;
mod body;
mod chunk;
mod columns;
mod events;
mod fast;
mod flows;
mod heads;
mod log;
mod nesting;
mod order;
mod pairs;
mod record;
mod rules;
mod slices;
mod steps;
mod tables;
#[cfg(test)]
mod tests;
mod time;

use std::ops::Range;

use self::arguments::TextMeaning;
use self::chunk::{ChromeChunk, ChromePart};
use self::log::{ChromeLog, PartCodes};
use super::Format;
use super::checks::{self, ReadyCheck};
use super::drawing::{BoxOrder, Draw, Drawing};
use super::json::cut::{DocumentRules, OpenContainer, PieceKind, Treatment};
use super::json::document::{self, DocumentPart, Piece};
use super::json::scanner::{JsonError, JsonKind, JsonScanner};
use super::json::value::{self, JsonObject};
use super::lines::{Lines, split_lines, text};
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
    order: super::EventOrder::OfTime,
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
const RULES: DocumentRules =
    DocumentRules { treatment, resume: |open, _| open.len(), drops_line: true, has_loose_commas: true };

/// Records are the values of the file.
const RULES_OF_LINES: DocumentRules = DocumentRules { treatment: |_, _, _| Treatment::Record, ..RULES };

fn treatment(open: &[OpenContainer], key: Option<&str>, kind: JsonKind) -> Treatment {
    match (open, key) {
        ([], _) => Treatment::Enter,
        // a file in the place of its records, as some programs that merge files write it
        ([top], Some("traceEvents")) if top.is_object && kind == JsonKind::Object => Treatment::Enter,
        ([_, inner], Some("traceEvents")) if inner.is_object && kind == JsonKind::Array => Treatment::Enter,
        ([_, inner], Some(_)) if inner.is_object => Treatment::Skip,
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
        Some(b'{') if has(b"\"args\": {\"chrono\": ") || has(b"\"args\":{\"chrono\":") => false,
        Some(b'{') => has(b"\"traceEvents\"") || is_of_lines(text),
        _ => false,
    };
    if is_chrome { memchr::memmem::find_iter(text, b"\"ph\"").count().max(1) } else { 0 }
}

/// Whether each line of a file is a record, and no array is around them.
fn is_of_lines(head: &[u8]) -> bool {
    let line = split_lines(head.trim_ascii_start()).next().unwrap_or_default();
    let text = text::visible_in_json(line);
    let is_record = |object: JsonObject<'_>| {
        object.get("ph").is_some() && ["ts", "pid"].iter().any(|key| object.get(key).is_some())
    };
    memchr::memmem::find(line, b"\"ph\"").is_some() && value::object(&text).is_ok_and(is_record)
}

/// What the texts in the arguments of a file mean, by its first bytes: `tracing-chrome` names the files of its events.
fn meaning(head: &[u8]) -> TextMeaning {
    let has = |key: &[u8]| memchr::memmem::find(head, key).is_some();
    match has(b"\".file\":") || has_event_of_file(head) || head.starts_with(b"[\n{\"args\":{\"name\":") {
        true => TextMeaning::Terms,
        false => TextMeaning::Themselves,
    }
}

/// Whether a record is named after a line of a source file: `"name":"event src/orders.rs:18"`.
fn has_event_of_file(head: &[u8]) -> bool {
    const NAME: &[u8] = b"\"name\":\"event ";
    let is_of_file = |at: usize| {
        let name = head[at + NAME.len()..].split(|byte| *byte == b'"').next().unwrap_or_default();
        let line = name.iter().rposition(|byte| *byte == b':').map(|colon| &name[colon + 1..]);
        line.is_some_and(|line| !line.is_empty() && line.iter().all(u8::is_ascii_digit))
    };
    memchr::memmem::find_iter(head, NAME).any(is_of_file)
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let meaning = meaning(lines.sample());
    let parse = |piece: &Piece<'_>, chunk: &mut ChromeChunk| parse(piece, chunk, meaning);
    let mut reader = ChromeReader { log: ChromeLog::default(), builder, has_ended: false, is_more: false, n_arrays: 0 };
    let rules = if is_of_lines(lines.sample()) { RULES_OF_LINES } else { RULES };
    document::read(lines, rules, parse, |part, chunk| reader.take_chunk(part, chunk));
    let ChromeReader { log, .. } = reader;
    events::emit(log, builder);
}

fn parse(piece: &Piece<'_>, chunk: &mut ChromeChunk, meaning: TextMeaning) -> Result<(), JsonError> {
    if piece.kind == PieceKind::Record {
        chunk.record(piece.text, piece.line, meaning)?;
        chunk.records.stand_at(piece.place);
        return Ok(());
    }
    if let Some(part) = part(piece)? {
        chunk.part(piece.line, part);
    }
    Ok(())
}

/// What a piece is that is no record.
fn part(piece: &Piece<'_>) -> Result<Option<ChromePart>, JsonError> {
    Ok(match piece.kind {
        PieceKind::Begin if piece.text == "[" => Some(ChromePart::Array),
        PieceKind::End if piece.depth == 0 => Some(ChromePart::End),
        PieceKind::Value => {
            let mut scanner = JsonScanner::new(piece.text);
            scanner.skip().and_then(|()| scanner.end())?;
            piece.key.clone().map(|key| ChromePart::Beside(key, piece.text.to_owned()))
        }
        PieceKind::Cut | PieceKind::Comma => None,
        PieceKind::Broken if piece.depth == 0 => Some(ChromePart::Broken("expected an object or an array".to_owned())),
        PieceKind::Broken => Some(ChromePart::Broken(match piece.error {
            Some(error) => format!("{error} at byte {} of the record", error.at + 1),
            None => "this is no JSON, up to the next line that begins with a bracket".to_owned(),
        })),
        PieceKind::TooLong => Some(ChromePart::Broken(Lines::too_long("record"))),
        PieceKind::Unfinished => Some(ChromePart::Unfinished),
        PieceKind::Begin | PieceKind::End | PieceKind::Record => None,
    })
}

/// A file that is being read.
struct ChromeReader<'b> {
    log: ChromeLog,
    builder: &'b mut TraceBuilder,
    /// Whether its first value has ended; what follows does not count.
    has_ended: bool,
    /// Whether something follows.
    is_more: bool,
    n_arrays: usize,
}

impl ChromeReader<'_> {
    /// Takes the next part of the file.
    fn take_chunk(&mut self, part: DocumentPart, chunk: &mut ChromeChunk) {
        let (mut codes, mut from) = (PartCodes::new(chunk), 0);
        for (n_before, line, what) in std::mem::take(&mut chunk.parts) {
            self.records(chunk, from..n_before as usize, &mut codes, part);
            from = n_before as usize;
            self.take(part.first_line + line, what);
        }
        self.records(chunk, from..chunk.records.times.len(), &mut codes, part);
    }

    fn records(&mut self, chunk: &ChromeChunk, range: Range<usize>, codes: &mut PartCodes, part: DocumentPart) {
        match chunk.records.places.get(range.start).filter(|_| self.has_ended && !range.is_empty()) {
            Some(place) => self.after_end(part.place(*place).line),
            None if self.has_ended => {}
            None => self.log.append(chunk, range, codes, part, self.builder),
        }
    }

    fn take(&mut self, line: u64, part: ChromePart) {
        match part {
            _ if self.has_ended => self.after_end(line),
            ChromePart::Metadata(record) => self.log.metadata(&record, self.builder),
            ChromePart::Empty => self.log.empty(),
            ChromePart::Left(what) => self.log.left_out(line, &what),
            ChromePart::Note(rule, what) => self.log.note(rule, line, &what),
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

    /// What follows the first value of the file is told once.
    fn after_end(&mut self, line: u64) {
        if !std::mem::replace(&mut self.is_more, true) {
            self.log.findings.add("trailing", line, "what follows the end of the trace is not read".to_owned());
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
