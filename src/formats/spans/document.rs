//! Documents of spans: the records of a part with what is around them, and what cannot be read.

use super::draft::SpanDraft;
use super::records::SpanRecords;
use crate::formats::json::cut::{COMMA, PieceKind};
use crate::formats::json::document::Piece;
use crate::formats::json::scanner::{JsonError, JsonScanner};

/// The records of a part of a document, and what is around them in its order. `V` is what the format keeps of values
/// around records.
pub(crate) struct DocumentChunk<V> {
    pub(crate) records: SpanRecords,
    pub(crate) draft: SpanDraft,
    /// Each with its line, from 0, and the number of containers around it.
    steps: Vec<(u64, usize, Step<V>)>,
    /// The number of stretches of records.
    n_stretches: u32,
}

/// Something in a document.
#[derive(Clone, Debug)]
pub(crate) enum Step<V> {
    /// A container begins, with this key.
    Begin { key: String, is_object: bool },
    /// The innermost container ends.
    End,
    /// A value that the format keeps.
    Value(V),
    /// A value that it does not keep, with this key.
    Other(String),
    /// Records in the same container; their contexts have this number.
    Records(u32),
    /// A record that is no JSON.
    BrokenRecord(String),
    /// A value around records that is no JSON: what follows in the value at the top is left out.
    BrokenAround(String),
    /// A part that is no JSON, after which reading goes on with another value.
    Broken(String),
    /// The document ends too early.
    Unfinished,
}

impl<V> Default for DocumentChunk<V> {
    fn default() -> DocumentChunk<V> {
        let (records, draft) = (SpanRecords::default(), SpanDraft::default());
        DocumentChunk { records, draft, steps: Vec::new(), n_stretches: 0 }
    }
}

impl<V> DocumentChunk<V> {
    /// Takes a piece of a document: `record` reads one that is a record, `value` one that is kept.
    pub(crate) fn take(
        &mut self,
        piece: &Piece<'_>,
        record: impl FnOnce(&str, &mut DocumentChunk<V>) -> Result<(), JsonError>,
        value: impl FnOnce(&str, &str, &mut DocumentChunk<V>) -> Result<Option<V>, JsonError>,
    ) -> Result<(), JsonError> {
        let key = || piece.key.clone().unwrap_or_default();
        let step = match piece.kind {
            PieceKind::Record => {
                self.draft.clear();
                (self.draft.place, self.draft.context) = (piece.place, self.stretch(piece));
                return record(piece.text, self);
            }
            PieceKind::Begin => Step::Begin { key: key(), is_object: piece.text.starts_with('{') },
            PieceKind::End => Step::End,
            PieceKind::Value => match value(piece.key.as_deref().unwrap_or_default(), piece.text, self) {
                Ok(Some(value)) => Step::Value(value),
                Ok(None) => Step::Other(key()),
                Err(error) => Step::BrokenAround(error.to_string()),
            },
            PieceKind::Broken => match piece.error {
                Some(error) => Step::BrokenRecord(error.to_string()),
                None => Step::Broken("this is no JSON, or it does not end".to_owned()),
            },
            PieceKind::Cut => Step::Broken("this does not end".to_owned()),
            PieceKind::Comma => Step::BrokenAround(COMMA.to_owned()),
            PieceKind::TooLong => Step::Broken("a value that is too long".to_owned()),
            PieceKind::Unfinished => Step::Unfinished,
        };
        self.steps.push((piece.line, piece.depth, step));
        Ok(())
    }

    /// The number of the stretch of records to which the next record belongs.
    fn stretch(&mut self, piece: &Piece<'_>) -> u32 {
        if !matches!(self.steps.last(), Some((.., Step::Records(_)))) {
            self.steps.push((piece.line, piece.depth, Step::Records(self.n_stretches)));
            self.n_stretches += 1;
        }
        self.n_stretches - 1
    }

    /// The steps in the order of the document, each with its line, from 0, and the number of containers around it.
    pub(crate) fn drain_steps(&mut self) -> Vec<(u64, usize, Step<V>)> {
        std::mem::take(&mut self.steps)
    }
}

/// Checks that a text is JSON.
pub(crate) fn checked(text: &str) -> Result<(), JsonError> {
    let mut scanner = JsonScanner::new(text);
    scanner.skip()?;
    scanner.end()
}

/// Watches for what cannot be read, once for each value of a file.
#[derive(Default)]
pub(crate) struct DocumentWatch {
    /// The line of the value that is open at the top.
    line: u64,
    /// The line of the document that is open inside of it, if it is a list of documents.
    inner_line: Option<u64>,
    has_spans: bool,
    /// Whether it may be one without spans.
    is_empty: bool,
    /// Whether its end was reported to be missing.
    is_broken: bool,
    /// Whether what follows in it is left out.
    is_lost: bool,
    /// Whether text between the values was noted since the last one.
    is_garbage: bool,
    /// The keys of the open containers, and whether they are objects.
    open: Vec<(String, bool)>,
    /// Whether it is a document with another signal.
    is_other_signal: bool,
    pub(crate) other_signals: OtherSignals,
}

/// Keys at the top of documents, which may have no spans.
const TOP_KEYS: &[&str] = &["resourceSpans", "resource_spans", "batches", "data", "spans", "result"];

/// Keys at the top of documents with other signals, which a collector writes beside those with spans.
const OTHER_SIGNALS: &[&str] =
    &["resourceLogs", "resource_logs", "resourceMetrics", "resource_metrics", "resourceProfiles", "resource_profiles"];

/// The documents of a file with logs, metrics or profiles instead of spans.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OtherSignals {
    pub(crate) n_documents: u64,
    /// The line of the first.
    pub(crate) line: u64,
}

impl DocumentWatch {
    /// Notes what a step says; whether it counts, as nothing does after a fault up to the next document. Lines are those of
    /// the file.
    pub(crate) fn step<V>(&mut self, line: u64, depth: usize, step: &Step<V>, unread: &mut Vec<(u64, String)>) -> bool {
        let was_lost = std::mem::replace(&mut self.is_lost, false);
        self.is_lost =
            was_lost && !matches!(step, Step::Begin { is_object, .. } if self.begins_document(depth, *is_object));
        if !self.is_lost || matches!(step, Step::Begin { .. } | Step::End) {
            self.note(line, depth, step, unread);
        }
        !self.is_lost || matches!(step, Step::Begin { .. } | Step::End)
    }

    fn note<V>(&mut self, line: u64, depth: usize, step: &Step<V>, unread: &mut Vec<(u64, String)>) {
        match step {
            Step::Begin { key, is_object } => {
                self.begin(line, depth, key, *is_object);
            }
            Step::End => self.end(unread),
            Step::Value(_) | Step::Records(_) if depth == 0 => {}
            Step::Value(_) => self.is_empty &= depth != 1,
            Step::Other(key) => self.other(line, depth, key, unread),
            Step::Records(_) => self.has_spans = true,
            Step::BrokenRecord(message) => {
                self.has_spans = true;
                unread.push((line, message.clone()));
            }
            Step::BrokenAround(message) => {
                (self.is_broken, self.is_lost) = (true, true);
                unread.push((self.document_line(), message.clone()));
            }
            Step::Broken(message) => self.broken(line, depth, message, unread),
            Step::Unfinished if self.is_broken => {}
            Step::Unfinished => unread.push((self.document_line(), "the file ends inside of a value".to_owned())),
        }
    }

    fn begin(&mut self, line: u64, depth: usize, key: &str, is_object: bool) {
        if depth == 0 {
            *self = DocumentWatch {
                line,
                is_empty: true,
                open: std::mem::take(&mut self.open),
                other_signals: self.other_signals,
                ..DocumentWatch::default()
            };
            self.open.clear();
        } else if self.begins_document(depth, is_object) {
            (self.inner_line, self.is_broken) = (Some(line), false);
        } else if depth == 1 {
            self.is_empty &= TOP_KEYS.contains(&key) || !self.open[0].1;
            self.is_other_signal |= OTHER_SIGNALS.contains(&key);
        }
        self.open.push((key.to_owned(), is_object));
    }

    /// Whether a container that begins here is a document of its own: a value at the top, or an object in a list of them,
    /// which is an array at the top or `data`.
    fn begins_document(&self, depth: usize, is_object: bool) -> bool {
        depth == 0 || is_object && self.is_in_list()
    }

    /// Whether the innermost open container is a list of documents.
    fn is_in_list(&self) -> bool {
        match &*self.open {
            [(_, true), (key, false)] => key == "data",
            open => open.iter().all(|(_, is_object)| !is_object),
        }
    }

    fn document_line(&self) -> u64 {
        self.inner_line.unwrap_or(self.line)
    }

    fn end(&mut self, unread: &mut Vec<(u64, String)>) {
        self.open.pop();
        self.inner_line = self.inner_line.filter(|_| !self.is_in_list());
        if !self.open.is_empty() || self.has_spans || self.is_empty || self.is_broken {
            return;
        }
        if self.is_other_signal {
            let OtherSignals { n_documents, line } = self.other_signals;
            let line = if n_documents == 0 { self.line } else { line };
            self.other_signals = OtherSignals { n_documents: n_documents + 1, line };
        } else {
            unread.push((self.line, "no spans here".to_owned()));
        }
    }

    fn other(&mut self, line: u64, depth: usize, key: &str, unread: &mut Vec<(u64, String)>) {
        match depth {
            0 => self.garbage(line, "expected an object or an array", unread),
            1 if self.open.first().is_some_and(|(_, is_object)| *is_object) => {
                self.is_empty &= TOP_KEYS.contains(&key);
                self.is_other_signal |= OTHER_SIGNALS.contains(&key);
            }
            _ => {}
        }
    }

    /// Text between the values, which is noted once.
    fn garbage(&mut self, line: u64, message: &str, unread: &mut Vec<(u64, String)>) {
        if !std::mem::replace(&mut self.is_garbage, true) {
            unread.push((line, message.to_owned()));
        }
    }

    /// A fault after which reading goes on at another line: a record that does not end, or one of the value around.
    fn broken(&mut self, line: u64, depth: usize, message: &str, unread: &mut Vec<(u64, String)>) {
        if depth == 0 {
            return self.garbage(line, message, unread);
        }
        self.is_broken = true;
        let is_record = self.open.last().is_some_and(|(key, is_object)| !is_object && (key == "spans" || depth == 1));
        let line = if is_record { line } else { self.document_line() };
        unread.push((line, message.to_owned()));
    }
}
