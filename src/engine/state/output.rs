//! Where a goal's output goes: to the writer of the session, or into a capture.

use std::fmt;
use std::io::Write;

use crate::engine::heap::Stop;

/// The current output of a session and its column.
pub(crate) struct Output {
    writer: Box<dyn Write>,
    captures: Vec<Capture>,
    column: usize,
    /// The unfinished line sent to the writer, up to the length of a plausible question.
    line: String,
}

/// The longest line prefix that is kept.
const LONGEST_LINE: usize = 1000;

/// Captured text, and the column before it.
struct Capture {
    text: String,
    column_before: usize,
}

impl Output {
    /// Output that goes to `writer`.
    pub(crate) fn new(writer: Box<dyn Write>) -> Output {
        Output { writer, captures: Vec::new(), column: 0, line: String::new() }
    }

    /// Writes `text` to the innermost capture, or to the writer.
    pub(crate) fn write_str(&mut self, text: &str) -> Result<(), Stop> {
        self.column = match text.rfind('\n') {
            Some(newline) => text[newline + 1..].chars().count(),
            None => self.column + text.chars().count(),
        };
        match self.captures.last_mut() {
            Some(capture) => capture.text.push_str(text),
            None => {
                self.keep_line(text);
                self.writer.write_all(text.as_bytes()).map_err(|_| Stop::OutputClosed)?;
            }
        }
        Ok(())
    }

    fn keep_line(&mut self, text: &str) {
        let rest = match text.rfind('\n') {
            Some(newline) => {
                self.line.clear();
                &text[newline + 1..]
            }
            None => text,
        };
        if self.line.len() + rest.len() <= LONGEST_LINE {
            self.line.push_str(rest);
        }
    }

    /// The unfinished line sent to the writer: a question that waits for its answer.
    pub(crate) fn line(&self) -> &str {
        &self.line
    }

    /// Records that the user has ended the line by typing Enter.
    pub(crate) fn line_was_ended(&mut self) {
        self.line.clear();
        if self.captures.is_empty() {
            self.column = 0;
        }
    }

    /// The number of characters since the last line end.
    pub(crate) fn column(&self) -> usize {
        self.column
    }

    /// Flushes the writer.
    pub(crate) fn flush(&mut self) -> Result<(), Stop> {
        self.writer.flush().map_err(|_| Stop::OutputClosed)
    }

    /// Bytes in all captures.
    pub(crate) fn bytes_captured(&self) -> usize {
        self.captures.iter().map(|capture| capture.text.len()).sum()
    }

    /// Starts a nested capture; returns the number of captures open before.
    pub(crate) fn begin_capture(&mut self) -> usize {
        self.captures.push(Capture { text: String::new(), column_before: self.column });
        self.column = 0;
        self.captures.len() - 1
    }

    /// Ends all captures but the outermost `depth`; returns the text of the outermost of those ended.
    pub(crate) fn end_captures(&mut self, depth: usize) -> Option<String> {
        let outermost = self.captures.drain(depth.min(self.captures.len())..).next()?;
        self.column = outermost.column_before;
        Some(outermost.text)
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").field("captures", &self.captures.len()).field("column", &self.column).finish()
    }
}
