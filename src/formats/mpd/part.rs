//! The lines of one chunk, each read by itself.

use super::line::{MpdLine, parse};
use super::ports::MpdEvent;
use crate::formats::lines::chunk_lines;
use crate::formats::lines::interner::BytesInterner;

/// The lines of a chunk. Names keep their numbers from chunk to chunk.
#[derive(Default)]
pub(super) struct MpdPart {
    pub(super) events: Vec<LineEvent>,
    /// The lines that are neither events nor blank.
    pub(super) others: Vec<OtherLine>,
    pub(super) n_lines: u64,
    /// Procedures, files, ids of processes and additional fields, with these tags.
    pub(super) names: BytesInterner,
    /// Their numbers in the trace, as far as they are known.
    pub(super) in_trace: Vec<u32>,
}

pub(super) const PROC: i64 = 0;
pub(super) const FILE: i64 = 1;
pub(super) const PID: i64 = 2;
pub(super) const EXTRA: i64 = 3;

/// Names after which a thread begins anew: each line may have others.
const MOST_KNOWN: usize = 1 << 14;

/// A line that is an event, with the numbers of its names.
pub(super) struct LineEvent {
    pub(super) event: MpdEvent,
    pub(super) proc: u32,
    /// The file and line of the program.
    pub(super) place: Option<(u32, i64)>,
    pub(super) vm: Option<i64>,
    pub(super) pid: u32,
    pub(super) extra: u32,
    /// The number of the line in the chunk, from 0.
    pub(super) line: u64,
}

/// A line that is no event.
pub(super) struct OtherLine {
    /// The number of events before it.
    pub(super) n_before: usize,
    /// Its number in the chunk, from 0.
    pub(super) line: u64,
    pub(super) text: Box<[u8]>,
}

impl MpdPart {
    /// Reads all lines of a chunk.
    pub(super) fn read(&mut self, text: &[u8]) {
        if self.names.len() > MOST_KNOWN {
            *self = MpdPart::default();
        }
        self.events.clear();
        self.others.clear();
        self.n_lines = 0;
        for line in chunk_lines(text) {
            match parse(line) {
                Ok(line) => self.event(&line),
                Err(_) if line.trim_ascii().is_empty() => {}
                Err(_) => {
                    let (n_before, text) = (self.events.len(), line.into());
                    self.others.push(OtherLine { n_before, line: self.n_lines, text });
                }
            }
            self.n_lines += 1;
        }
    }

    fn event(&mut self, line: &MpdLine<'_>) {
        let (MpdLine { event, vm, .. }, names) = (*line, &mut self.names);
        let place = line.place.map(|(file, line)| (names.number(file, FILE), line));
        let proc = names.number(line.proc, PROC);
        let (pid, extra) = (names.number(line.pid.digits, PID), names.number(line.extra.digits, EXTRA));
        self.events.push(LineEvent { event, proc, place, vm, pid, extra, line: self.n_lines });
    }
}
