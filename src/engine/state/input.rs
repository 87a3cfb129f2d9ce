//! Standard input as a source of terms and lines, read line by line.

use std::fmt;
use std::io::{self, BufRead};

/// Buffered lines of standard input from which goals read terms.
pub(crate) struct StandardInput {
    source: LineSource,
    pending: String,
    /// Number of lines taken so far.
    pub(crate) n_lines: usize,
    /// Whether goals that read lines show a prompt.
    pub(crate) prompts: Prompts,
}

/// Where lines come from.
enum LineSource {
    /// Standard input, read no further than one line at a time: the rest may be for another reader.
    Standard,
    Person(Ask),
}

/// Asks the user for a line after the given prompt; `None` at the end of the input. An error of kind `Interrupted` is
/// Ctrl-C.
pub(crate) type Ask = Box<dyn FnMut(&str) -> io::Result<Option<String>>>;

/// Whether the user sees that the program waits for a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Prompts {
    /// Nobody types, so nothing is written.
    #[default]
    Hidden,
    /// A prompt is written.
    Shown,
}

impl StandardInput {
    /// Standard input.
    pub(crate) fn standard() -> StandardInput {
        StandardInput { source: LineSource::Standard, pending: String::new(), n_lines: 0, prompts: Prompts::default() }
    }

    /// Reads lines interactively from now on.
    pub(crate) fn ask(&mut self, ask: Ask) {
        self.source = LineSource::Person(ask);
        self.prompts = Prompts::Shown;
    }

    /// Whether the reader itself shows the question, so that nothing else has to write it.
    pub(crate) fn shows_questions(&self) -> bool {
        matches!(self.source, LineSource::Person(_))
    }

    /// The text fetched but not consumed.
    pub(crate) fn pending(&self) -> &str {
        &self.pending
    }

    /// Appends the next line to the pending text and returns whether there was one; invalid UTF-8 is replaced.
    ///
    /// In interactive use `question` is shown as the prompt of the line.
    pub(crate) fn fetch_line(&mut self, question: &str) -> io::Result<bool> {
        let mut line = Vec::new();
        let n = match &mut self.source {
            LineSource::Standard => io::stdin().lock().read_until(b'\n', &mut line)?,
            LineSource::Person(ask) => {
                let typed = ask(question)?;
                line.extend(typed.into_iter().flat_map(|text| (text + "\n").into_bytes()));
                line.len()
            }
        };
        self.pending.push_str(&String::from_utf8_lossy(&line));
        self.n_lines += usize::from(n > 0);
        Ok(n > 0)
    }

    /// The next line without its line end, or `None` at the end of the input. The rest of a partly consumed line counts
    /// if it is not blank.
    pub(crate) fn line(&mut self, question: &str) -> io::Result<Option<String>> {
        if self.pending.trim().is_empty() {
            self.pending.clear();
            if !self.fetch_line(question)? {
                return Ok(None);
            }
        }
        let end = self.pending.find('\n').map_or(self.pending.len(), |end| end + 1);
        let line: String = self.pending.drain(..end).collect();
        Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned()))
    }

    /// Drops the first `length` bytes of the pending text.
    pub(crate) fn consume(&mut self, length: usize) {
        self.pending.drain(..length);
    }
}

impl fmt::Debug for StandardInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("pending", &self.pending).finish()
    }
}
