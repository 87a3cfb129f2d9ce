//! What comes from a recorder, line by line, on its way to the file.

use super::pack::PackedFile;
use super::tally::Tally;

/// A recording that goes on.
pub(super) struct Recording {
    /// Where it goes.
    pub(super) file: PackedFile,
    /// What was counted.
    pub(super) tally: Tally,
    /// The beginning of a line whose end has not come.
    partial: Vec<u8>,
}

impl Recording {
    pub(super) fn new(file: PackedFile) -> Recording {
        Recording { file, tally: Tally::default(), partial: Vec::new() }
    }

    /// Takes the next bytes of the pipe.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        let Some(end) = memchr::memrchr(b'\n', bytes).map(|at| at + 1) else {
            self.partial.extend_from_slice(bytes);
            return;
        };
        let (whole, rest) = bytes.split_at(end);
        if self.partial.is_empty() {
            self.lines(whole);
        } else {
            let mut first = std::mem::take(&mut self.partial);
            first.extend_from_slice(whole);
            self.lines(&first);
        }
        self.partial = rest.to_vec();
    }

    fn lines(&mut self, lines: &[u8]) {
        lines.split_inclusive(|byte| *byte == b'\n').for_each(|line| self.tally.line(line));
        self.file.add(lines);
    }

    /// Writes what has come so far.
    pub(super) fn save(&mut self) {
        self.file.close_block();
    }

    /// Whether the recorder has said that it is done.
    pub(super) fn has_trailer(&self) -> bool {
        self.tally.has_trailer
    }

    /// Writes the end; a line that is not whole is no event.
    pub(super) fn finish(&mut self) {
        self.file.close_block();
    }
}
