//! From lines to events: chunks of a log are read independently, and what continues across two chunks is read again.

use super::chunk::{LogChunk, UnreadText};
use super::fast;
use super::line;
use super::log::SeqLog;
use super::split::{EventForm, EventTexts, InputAfter};
use crate::formats::lines::read_ahead;
use crate::formats::lines::{Attached, Chunk, LineEnding, Lines, split_lines};

/// A line that begins no event belongs to the event above.
const ATTACHED: Attached = Attached::Unless(|line| EventForm::of(line) != EventForm::Other);

/// Reads all of a log.
pub(crate) fn read(name: String, lines: &mut Lines) -> SeqLog {
    let mut reader = SeqLogReader::default();
    reader.log.name = name;
    let parse = |text: &[u8], batch: &mut LogChunk| read_chunk(batch, text, InputAfter::More);
    read_ahead::read(lines, Some(ATTACHED), parse, |chunk, batch| reader.take(chunk, batch));
    reader.read_rest(InputAfter::Nothing);
    lines.count_lines(reader.n_lines);
    reader.log
}

/// A log while it is read.
#[derive(Default)]
struct SeqLogReader {
    log: SeqLog,
    /// How many of its lines were read.
    n_lines: u64,
    /// The lines after these: the start of an event that may continue.
    rest: Vec<u8>,
    /// Whether that event continues only if the next line is a part of a string.
    is_closed: bool,
    /// Length from which these are read again.
    wanted: usize,
    batch: LogChunk,
}

impl SeqLogReader {
    /// Takes what was read of a chunk; if an event before it may continue there, the chunk is read again after that event.
    fn take(&mut self, chunk: &Chunk, batch: &mut LogChunk) {
        if chunk.ending == LineEnding::TooLong {
            return self.leave_out();
        }
        if self.is_closed && !is_string(chunk.text()) {
            self.read_rest(InputAfter::Nothing);
        }
        if self.rest.is_empty() {
            return self.add(batch);
        }
        self.rest.extend_from_slice(chunk.text());
        if self.rest.len() >= self.wanted {
            self.read_rest(InputAfter::More);
        }
    }

    fn leave_out(&mut self) {
        self.read_rest(InputAfter::Nothing);
        self.n_lines += 1;
        let message = Lines::too_long("line");
        self.log.unread.push(UnreadText { line: self.n_lines, message });
    }

    fn read_rest(&mut self, after: InputAfter) {
        let text = std::mem::take(&mut self.rest);
        let mut batch = std::mem::take(&mut self.batch);
        read_chunk(&mut batch, &text, after);
        self.add(&mut batch);
        self.batch = batch;
    }

    fn add(&mut self, batch: &mut LogChunk) {
        self.log.take(batch, self.n_lines);
        self.n_lines += batch.n_lines;
        std::mem::swap(&mut self.rest, &mut batch.rest);
        self.is_closed = batch.is_rest_closed;
        // so that an event without an end is not read again for each chunk
        self.wanted = self.rest.len() * 2;
    }
}

/// Reads the lines of a text; what the chunk held before is dropped.
fn read_chunk(batch: &mut LogChunk, text: &[u8], after: InputAfter) {
    batch.clear();
    let mut lines = std::mem::take(&mut batch.lines);
    match memchr::memchr(b'\r', text) {
        Some(_) => {
            put_line_feeds(text, &mut lines);
            read_lines(batch, &lines, after);
        }
        None => read_lines(batch, text, after),
    }
    batch.lines = lines;
}

fn read_lines(batch: &mut LogChunk, text: &[u8], after: InputAfter) {
    let mut pieces = EventTexts { text, at: 0, n_lines: 0, after, is_closed: false };
    while pieces.at < text.len() {
        if let Some((at, n_lines)) = fast::take(batch, text, pieces.at, pieces.n_lines + 1) {
            pieces.at = at;
            pieces.n_lines += n_lines;
            continue;
        }
        let Some(piece) = pieces.next_piece() else { break };
        if let Err(message) = line::take(batch, &piece) {
            batch.unread.push(UnreadText { line: piece.line, message });
        }
    }
    (batch.n_lines, batch.is_rest_closed) = (pieces.n_lines, pieces.is_closed);
    batch.rest.extend_from_slice(&text[pieces.at..]);
}

/// The same lines with line feeds at their ends.
fn put_line_feeds(text: &[u8], lines: &mut Vec<u8>) {
    lines.clear();
    let mut rest = text;
    while let Some(end) = memchr::memchr(b'\r', rest) {
        lines.extend_from_slice(&rest[..end]);
        lines.push(b'\n');
        rest = &rest[end + 1..];
        rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    }
    lines.extend_from_slice(rest);
}

/// Whether the first line begins with a string.
fn is_string(text: &[u8]) -> bool {
    let line = split_lines(text).next().unwrap_or_default();
    line.trim_ascii_start().starts_with(b"\"")
}
