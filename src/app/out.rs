//! Standard output, shared by goals and papaver itself, so that the order of their output is kept.

use std::cell::RefCell;
use std::io::{self, BufWriter, Stdout, Write};
use std::rc::Rc;

use crate::output::terminal_safe;

/// A handle of standard output; all handles share one buffer.
#[derive(Clone)]
pub(crate) struct Out {
    shared: Rc<RefCell<SharedOutput>>,
    target: OutputReader,
}

/// Who reads the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputReader {
    /// A person: control characters are made visible, lines appear at once.
    Terminal,
    /// A program: bytes are written unchanged.
    Pipe,
    /// A person at standard error, since standard output is for data.
    Aside,
}

struct SharedOutput {
    writer: BufWriter<Stdout>,
    failure: Option<io::Error>,
    bytes: u64,
}

impl Out {
    /// Standard output; to be called only once.
    pub(crate) fn new(target: OutputReader) -> Out {
        let shared = SharedOutput { writer: BufWriter::with_capacity(1 << 16, io::stdout()), failure: None, bytes: 0 };
        Out { shared: Rc::new(RefCell::new(shared)), target }
    }

    /// A handle whose output goes to standard error.
    pub(crate) fn aside(&self) -> Out {
        Out { shared: self.shared.clone(), target: OutputReader::Aside }
    }

    /// The number of bytes written so far to either stream; shows whether a goal has written something.
    pub(crate) fn bytes(&self) -> u64 {
        self.shared.borrow().bytes
    }

    /// Writes papaver's own text, which may contain colours but no data.
    pub(crate) fn own(&self, text: &str) -> io::Result<()> {
        self.shared.borrow_mut().write(text.as_bytes(), self.target)
    }

    /// Writes text that came from a trace or a goal.
    pub(crate) fn data(&self, text: &str) -> io::Result<()> {
        match self.target {
            OutputReader::Terminal => self.own(&terminal_safe(text)),
            OutputReader::Pipe | OutputReader::Aside => self.own(text),
        }
    }

    /// Makes everything written so far visible.
    pub(crate) fn flush_all(&self) -> io::Result<()> {
        self.clone().flush()
    }

    /// Flushes the buffer; returns the first failure since the start.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let mut shared = self.shared.borrow_mut();
        if let Some(failure) = shared.failure.take() {
            return Err(failure);
        }
        shared.writer.flush()
    }
}

impl SharedOutput {
    fn write(&mut self, bytes: &[u8], target: OutputReader) -> io::Result<()> {
        self.bytes += bytes.len() as u64;
        let written = match target {
            // readers of both streams see them in the order of writing
            OutputReader::Aside => self.writer.flush().and_then(|()| io::stderr().write_all(bytes)),
            OutputReader::Pipe => self.writer.write_all(bytes),
            OutputReader::Terminal => {
                let written = self.writer.write_all(bytes);
                if bytes.contains(&b'\n') { written.and_then(|()| self.writer.flush()) } else { written }
            }
        };
        written.map_err(|error| self.remember(error))
    }

    /// Keeps the error for [`Out::finish`]; the goal only learns that the output is closed.
    fn remember(&mut self, error: io::Error) -> io::Error {
        let copy = io::Error::new(error.kind(), error.to_string());
        self.failure.get_or_insert(error);
        copy
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.target {
            OutputReader::Terminal => self.data(&String::from_utf8_lossy(bytes))?,
            OutputReader::Pipe | OutputReader::Aside => self.shared.borrow_mut().write(bytes, self.target)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut shared = self.shared.borrow_mut();
        shared.writer.flush().map_err(|error| shared.remember(error))
    }
}
