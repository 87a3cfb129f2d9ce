//! Standard input as a source of terms, read a line at a time.

use std::fmt;
use std::io::{self, BufRead};

/// Lines of standard input that a goal has not yet read terms from.
pub struct Input {
    reader: Box<dyn BufRead>,
    pending: String,
}

impl Input {
    /// Input from `reader`.
    pub fn new(reader: Box<dyn BufRead>) -> Input {
        Input { reader, pending: String::new() }
    }

    /// The text that has been fetched and not consumed.
    pub fn pending(&self) -> &str {
        &self.pending
    }

    /// Appends the next line to the pending text; whether there was one. Bytes that are no UTF-8 are replaced.
    pub fn fetch_line(&mut self) -> io::Result<bool> {
        let mut line = Vec::new();
        let n = self.reader.read_until(b'\n', &mut line)?;
        self.pending.push_str(&String::from_utf8_lossy(&line));
        Ok(n > 0)
    }

    /// Drops the first `length` bytes of the pending text.
    pub fn consume(&mut self, length: usize) {
        self.pending.drain(..length);
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("pending", &self.pending).finish()
    }
}
