//! From lines to events: chunks of a log are read independently, and what continues across two chunks is read again.

use super::chunk::LogChunk;
use super::log::{SeqLog, UnreadText};
use super::split::{EventForm, InputAfter};
use crate::formats::lines::read_ahead;
use crate::formats::lines::{Attached, Chunk, LineEnding, Lines};

/// A line that begins no event belongs to the event above.
const ATTACHED: Attached = Attached::Unless(|line| EventForm::of(line) != EventForm::Other);

/// Reads all of a log.
pub(crate) fn read(name: String, lines: &mut Lines) -> SeqLog {
    let mut reader = SeqLogReader::default();
    reader.log.name = name;
    let parse = |text: &[u8], batch: &mut LogChunk| batch.read(text, InputAfter::More);
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
        let message = format!("a line of more than {} MiB is left out", Lines::LONGEST >> 20);
        self.log.unread.push(UnreadText { line: self.n_lines, message });
    }

    fn read_rest(&mut self, after: InputAfter) {
        let text = std::mem::take(&mut self.rest);
        let mut batch = std::mem::take(&mut self.batch);
        batch.read(&text, after);
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

/// Whether the first line begins with a string.
fn is_string(text: &[u8]) -> bool {
    let line = text.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    line.trim_ascii_start().starts_with(b"\"")
}
