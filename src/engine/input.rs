//! Standard input as a source of terms and lines, read a line at a time.

use std::fmt;
use std::io::{self, BufRead};

/// Lines of standard input that a goal has not yet read.
pub struct Input {
    source: Source,
    pending: String,
}

enum Source {
    /// Standard input, which others read too: no more than a line is taken from it.
    Standard,
    Reader(Box<dyn BufRead>),
}

impl Input {
    /// Input from `reader`.
    pub fn new(reader: Box<dyn BufRead>) -> Input {
        Input { source: Source::Reader(reader), pending: String::new() }
    }

    /// Standard input itself: goals that are piped in may read what stands between them.
    pub fn standard() -> Input {
        Input { source: Source::Standard, pending: String::new() }
    }

    /// The text that has been fetched and not consumed.
    pub fn pending(&self) -> &str {
        &self.pending
    }

    /// Appends the next line to the pending text; whether there was one. Bytes that are no UTF-8 are replaced.
    pub fn fetch_line(&mut self) -> io::Result<bool> {
        let mut line = Vec::new();
        let n = match &mut self.source {
            Source::Standard => io::stdin().lock().read_until(b'\n', &mut line)?,
            Source::Reader(reader) => reader.read_until(b'\n', &mut line)?,
        };
        self.pending.push_str(&String::from_utf8_lossy(&line));
        Ok(n > 0)
    }

    /// Drops the first `length` bytes of the pending text.
    pub fn consume(&mut self, length: usize) {
        self.pending.drain(..length);
    }

    /// The next line, without its end; what is left of one that a term was read from counts only if it is not blank.
    pub fn line(&mut self) -> io::Result<Option<String>> {
        if self.pending.trim().is_empty() {
            self.pending.clear();
            if !self.fetch_line()? {
                return Ok(None);
            }
        }
        let end = self.pending.find('\n').map_or(self.pending.len(), |at| at + 1);
        let line = self.pending.drain(..end).collect::<String>();
        Ok(Some(line.trim_end_matches(['\n', '\r']).to_string()))
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("pending", &self.pending).finish()
    }
}
