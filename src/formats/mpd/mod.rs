//! The `mpd` format: event traces of the languages MPD and SR, as their runtime systems write them.
//!
//! The rules M1 to M12 of what a sound trace is are checked on the way; a trace may stop anywhere.

mod emit;
mod files;
mod invocations;
mod line;
mod paths;
mod ports;
mod process;
mod rules;
mod semaphores;
mod services;
mod sites;

use super::Format;
use super::lines::{Ending, Lines};
use crate::trace::{PortSet, TraceBuilder};
use emit::{Emitter, Later};
use files::Files;
use invocations::{Invocation, Waiting};
use line::{Fault, parse};
use process::Processes;
use semaphores::Semaphores;
use sites::Sites;

pub use ports::PORTS;

/// The record of the format.
pub const FORMAT: Format = Format {
    name: "mpd",
    doc: "event traces of MPD and SR (mpdtrace, srtrace)",
    sample: "CS.mpd, 8           CS.arbitrator         ARM       1731c0    173168",
    missing: "no line like `CS.mpd, 8 CS.arbitrator ARM 1731c0 173168`",
    rule: "M1",
    ports: PortSet::Closed(PORTS),
    sniff,
    read,
    excerpt: None,
};

/// How many of the first lines are events.
fn sniff(head: &[u8]) -> usize {
    head.split(|byte| *byte == b'\n' || *byte == b'\r').filter(|line| parse(line).is_ok()).count()
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut reader = Reader::new(builder);
    while let Some(line) = lines.next_line() {
        let number = line.number;
        if line.ending == Ending::TooLong {
            let message = format!("a line of more than {} MiB is left out", Lines::LONGEST >> 20);
            reader.emitter.builder.finding(FORMAT.rule, None, Some(number), message);
            continue;
        }
        match reader.line(line.bytes, number) {
            Ok(()) => {}
            Err(_) if line.bytes.trim_ascii().is_empty() => {}
            Err(fault) if reader.files.begins(line.bytes) || line::has_event(line.bytes) => {
                reader.emitter.builder.finding(FORMAT.rule, None, Some(number), fault.message());
            }
            Err(_) => reader.output.add(number),
        }
    }
    reader.finish();
}

/// Lines that are output of the program, not of the tracer.
#[derive(Default)]
struct Output {
    first: Option<u64>,
    n_lines: u64,
}

impl Output {
    fn add(&mut self, number: u64) {
        self.first.get_or_insert(number);
        self.n_lines += 1;
    }
}

/// What is known of the run so far.
struct Reader<'b> {
    emitter: Emitter<'b>,
    sites: Sites,
    files: Files,
    processes: Processes,
    semaphores: Semaphores,
    invocations: Vec<Invocation>,
    waiting: Waiting,
    output: Output,
    /// How many boxes there were.
    boxes: i64,
    /// Whether a line had the number of its machine.
    has_machines: bool,
}

impl<'b> Reader<'b> {
    fn new(builder: &'b mut TraceBuilder) -> Reader<'b> {
        Reader {
            emitter: Emitter::new(builder),
            sites: Sites::default(),
            files: Files::default(),
            processes: Processes::default(),
            semaphores: Semaphores::default(),
            invocations: Vec::new(),
            waiting: Waiting::default(),
            output: Output::default(),
            boxes: 0,
            has_machines: false,
        }
    }

    /// Takes in a line.
    fn line<'l>(&mut self, bytes: &'l [u8], number: u64) -> Result<(), Fault<'l>> {
        let (line, proc) = self.sites.parse(bytes, |name| self.emitter.proc(name))?;
        self.event(&line, proc, number);
        Ok(())
    }

    fn finish(self) {
        if let (Some(first), n_lines) = (self.output.first, self.output.n_lines) {
            let message = match n_lines {
                1 => "output of the program is passed over".to_owned(),
                _ => format!("{n_lines} lines of output of the program are passed over, this is the first"),
            };
            self.emitter.builder.finding(FORMAT.rule, None, Some(first), message);
        }
        let (blocked, lives) = (self.blocked(), self.processes.lives());
        let (invocations, semaphores) = (&self.invocations, &self.semaphores.created);
        self.emitter.finish(&self.files, Later { blocked, invocations, semaphores, lives });
    }
}

#[cfg(test)]
mod tests;
