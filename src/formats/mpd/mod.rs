//! The `mpd` format: event traces of the languages MPD and SR, as their runtime systems write them.
//!
//! The rules M1 to M12 of what a sound trace is are checked on the way; a trace may stop anywhere.

mod chunk;
mod columns;
mod files;
mod invocations;
mod line;
mod paths;
mod ports;
mod process;
mod rows;
mod rules;
mod semaphores;
mod services;
mod tables;

use std::ops::Range;

use super::checks::{BOXES_ALTERNATE, ReadyCheck, WELL_FORMED};
use super::drawing::{Draw, Drawing, Flow, Source};
use super::hex::Hex;
use super::lines::{Chunk, Ending, Lines};
use super::{Format, ahead};
use crate::trace::{PortSet, TraceBuilder};
use chunk::{Batch, Known, RARE, Site};
use columns::{Emitter, Later, Number};
use files::Files;
use invocations::Waiting;
use line::{Tail, parse};
use process::Processes;
use rules::Found;
use semaphores::Semaphores;

pub use ports::PORTS;

/// The record of the format.
pub const FORMAT: Format = Format {
    name: "mpd",
    doc: "event traces of MPD and SR (mpdtrace, srtrace)",
    sample: "CS.mpd, 8           CS.arbitrator         ARM       1731c0    173168",
    missing: "no line like `CS.mpd, 8 CS.arbitrator ARM 1731c0 173168`",
    rule: "M1",
    ports: PortSet::Closed(PORTS),
    attributes: columns::ATTRIBUTES,
    sniff,
    read,
    checks: CHECKS,
    drawing: Draw::Always(&DRAWING),
    ..Format::PLAIN
};

/// The assertions that fit its traces.
const CHECKS: &[ReadyCheck] = &[
    WELL_FORMED,
    ReadyCheck::new("every_process_ends"),
    BOXES_ALTERNATE,
    ReadyCheck::new("no_deadlock"),
    ReadyCheck::new("every_semaphore_released"),
    ReadyCheck::new("every_invocation_served"),
    ReadyCheck::new("every_invocation_answered"),
];

/// How its traces are drawn.
const DRAWING: Drawing = Drawing {
    known_by: &["vm", "inc"],
    process: &[("vm ", "vm")],
    thread: &[("", "pid"), ("#", "inc")],
    boxed: &[("", "port"), (" ", "name")],
    opening: &["in"],
    waiting: &["call"],
    flows: &[Flow { name: "invocation", ports: &["proc", "arm"], only: None, source: Source::Same("serves", "inv") }],
    ..Drawing::ONE_TRACK
};

/// How many of the first lines are events.
fn sniff(head: &[u8]) -> usize {
    head.split(|byte| *byte == b'\n' || *byte == b'\r').filter(|line| parse(line).is_ok()).count()
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    let mut reader = Reader::new(lines.number(), builder);
    // what is done in turn takes longest: the fewer turns there are, the less the threads wait for each other
    lines.chunk_bytes *= 2;
    ahead::read(lines, None, |text, batch| Batch::read(batch, text), |chunk, batch| reader.chunk(chunk, batch));
    lines.count_lines(reader.n_lines - lines.number());
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
    files: Files,
    processes: Processes,
    semaphores: Semaphores,
    waiting: Waiting,
    output: Output,
    /// How many boxes there were.
    boxes: i64,
    /// Whether a line had the number of its machine.
    has_machines: bool,
    /// How many lines the chunks before had.
    n_lines: u64,
}

impl<'b> Reader<'b> {
    /// For a trace without events yet, behind so many lines.
    fn new(n_lines: u64, builder: &'b mut TraceBuilder) -> Reader<'b> {
        Reader {
            emitter: Emitter::new(builder),
            files: Files::default(),
            processes: Processes::default(),
            semaphores: Semaphores::default(),
            waiting: Waiting::default(),
            output: Output::default(),
            boxes: 0,
            has_machines: false,
            n_lines,
        }
    }

    /// Takes in what stands in the next chunk.
    fn chunk(&mut self, chunk: &Chunk, batch: &mut Batch) {
        if chunk.ending == Ending::TooLong {
            self.n_lines += 1;
            let message = format!("a line of more than {} MiB is left out", Lines::LONGEST >> 20);
            return self.emitter.builder.finding(FORMAT.rule, None, Some(self.n_lines), message);
        }
        let mut known = std::mem::take(&mut batch.known);
        let mut from = 0;
        for odd in &batch.odd {
            self.events(chunk.text(), batch, from..odd.n_before, &mut known);
            self.no_event(&chunk.text()[odd.text.clone()], self.n_lines + odd.line + 1);
            from = odd.n_before;
        }
        self.events(chunk.text(), batch, from..batch.events.len(), &mut known);
        self.emitter.flush();
        batch.known = known;
        self.n_lines += batch.n_lines;
    }

    fn events(&mut self, text: &[u8], batch: &Batch, events: Range<usize>, known: &mut Known) {
        for plain in &batch.events[events] {
            let line = plain.text(text);
            let pid = match known.numbers[plain.pid as usize] {
                Some(pid) => pid,
                None => self.learn(line, |tail| tail.pid, &mut known.numbers[plain.pid as usize]),
            };
            let extra = match known.numbers[plain.extra as usize] {
                Some(extra) => extra,
                None => self.learn(line, |tail| tail.extra, &mut known.numbers[plain.extra as usize]),
            };
            let mut rare = None;
            let site = if plain.site == RARE { &mut rare } else { &mut known.sites[plain.site as usize] };
            let site = site.get_or_insert_with(|| self.site(line));
            let file = site.head.place.map(|(length, _)| self.files.code(&line[..length], site.proc, &mut site.file));
            let line = rules::Line {
                vm: site.head.vm,
                source: site.head.place.map(|(_, line)| line),
                event: plain.event,
                pid: batch.value(plain.pid),
                extra: batch.value(plain.extra),
                text: line,
            };
            let number = self.n_lines + u64::from(plain.line) + 1;
            self.event(line, Found { proc: site.proc, file, pid, extra }, number);
        }
    }

    /// A number that is read for the first time, as it is written in a line.
    #[cold]
    fn learn<'l>(&mut self, line: &'l [u8], written: fn(&Tail<'l>) -> Hex<'l>, known: &mut Option<Number>) -> Number {
        let tail = line::tail(line).expect("the line was taken apart before");
        *known.insert(self.emitter.number(written(&tail)))
    }

    #[cold]
    fn site(&mut self, line: &[u8]) -> Site {
        let parsed = line::tail(line).and_then(|tail| Ok((tail.head, line::head(tail.head)?)));
        let (head, parsed) = parsed.expect("the line was taken apart before");
        let proc = self.emitter.proc(parsed.proc_of(head));
        Site { head: parsed, proc, file: None }
    }

    /// A line that is no event, but may have been meant for one.
    fn no_event(&mut self, line: &[u8], number: u64) {
        match parse(line) {
            Err(fault) if self.files.begins(line) || line::has_event(line) => {
                self.emitter.builder.finding(FORMAT.rule, None, Some(number), fault.message(line));
            }
            _ => self.output.add(number),
        }
    }

    fn finish(self) {
        if let (Some(first), n_lines) = (self.output.first, self.output.n_lines) {
            let message = match n_lines {
                1 => "output of the program is passed over".to_owned(),
                _ => format!("{n_lines} lines of output of the program are passed over, this is the first"),
            };
            self.emitter.builder.finding("output", None, Some(first), message);
        }
        let (blocked, lives) = (self.blocked(), self.processes.lives());
        self.emitter.finish(&self.files, Later { blocked, semaphores: &self.semaphores.created, lives });
    }
}

#[cfg(test)]
mod chunk_tests;
#[cfg(test)]
mod tests;
