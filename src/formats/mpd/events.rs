//! From lines to events: takes the chunks in order, and keeps the state of the run.

use std::ops::Range;

use super::FORMAT;
use super::chunk::{CodeSite, MpdChunk, RARE, TraceIds};
use super::columns::{EndFacts, EventColumns, HexId};
use super::files::SourceFiles;
use super::invocations::WaitingInvocations;
use super::line::{self, LineTail, parse};
use super::process::Processes;
use super::rules::{self, LineIds};
use super::semaphores::Semaphores;
use crate::formats::lines::hex::Hex;
use crate::formats::lines::{Chunk, LineEnding, Lines};
use crate::trace::TraceBuilder;

/// Lines that are output of the program, not of the tracer.
#[derive(Default)]
pub(crate) struct ProgramOutput {
    first: Option<u64>,
    n_lines: u64,
}

impl ProgramOutput {
    fn add(&mut self, number: u64) {
        self.first.get_or_insert(number);
        self.n_lines += 1;
    }
}

/// Reads a trace; holds what is known of the run so far.
pub(crate) struct MpdReader<'b> {
    pub(crate) emitter: EventColumns<'b>,
    pub(crate) files: SourceFiles,
    pub(crate) processes: Processes,
    pub(crate) semaphores: Semaphores,
    pub(crate) waiting: WaitingInvocations,
    pub(crate) output: ProgramOutput,
    /// How many boxes there were.
    pub(crate) boxes: i64,
    /// Whether a line had the number of its machine.
    pub(crate) has_machines: bool,
    /// How many lines the chunks before had.
    pub(crate) n_lines: u64,
}

impl<'b> MpdReader<'b> {
    /// A reader that starts after `n_lines` lines.
    pub(crate) fn new(n_lines: u64, builder: &'b mut TraceBuilder) -> MpdReader<'b> {
        MpdReader {
            emitter: EventColumns::new(builder),
            files: SourceFiles::default(),
            processes: Processes::default(),
            semaphores: Semaphores::default(),
            waiting: WaitingInvocations::default(),
            output: ProgramOutput::default(),
            boxes: 0,
            has_machines: false,
            n_lines,
        }
    }

    /// Takes in what stands in the next chunk.
    pub(crate) fn chunk(&mut self, chunk: &Chunk, batch: &mut MpdChunk) {
        if chunk.ending == LineEnding::TooLong {
            self.n_lines += 1;
            let message = Lines::too_long("line");
            return self.emitter.builder.finding(FORMAT.rule, None, Some(self.n_lines), message);
        }
        let mut known = std::mem::take(&mut batch.known);
        let mut from = 0;
        for other in &batch.others {
            self.events(chunk.text(), batch, from..other.n_before, &mut known);
            self.no_event(&chunk.text()[other.text.clone()], self.n_lines + other.line + 1);
            from = other.n_before;
        }
        self.events(chunk.text(), batch, from..batch.events.len(), &mut known);
        self.emitter.flush();
        batch.known = known;
        self.n_lines += batch.n_lines;
    }

    fn events(&mut self, text: &[u8], batch: &MpdChunk, events: Range<usize>, known: &mut TraceIds) {
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
            let line = rules::LineFields {
                vm: site.head.vm,
                source: site.head.place.map(|(_, line)| line),
                event: plain.event,
                pid: batch.value(plain.pid),
                extra: batch.value(plain.extra),
                text: line,
            };
            let number = self.n_lines + u64::from(plain.line) + 1;
            self.event(line, LineIds { proc: site.proc, file, pid, extra }, number);
        }
    }

    /// Adds a number in the spelling of the line where it first occurs.
    #[cold]
    fn learn<'l>(&mut self, line: &'l [u8], written: fn(&LineTail<'l>) -> Hex<'l>, known: &mut Option<HexId>) -> HexId {
        let tail = line::tail(line).expect("the line was taken apart before");
        *known.insert(self.emitter.number(written(&tail)))
    }

    #[cold]
    fn site(&mut self, line: &[u8]) -> CodeSite {
        let parsed = line::tail(line).and_then(|tail| Ok((tail.head, line::head(tail.head)?)));
        let (head, parsed) = parsed.expect("the line was taken apart before");
        let proc = self.emitter.proc(parsed.proc_of(head));
        CodeSite { head: parsed, proc, file: None }
    }

    /// Takes a line that is no event: a damaged one, or output of the program.
    fn no_event(&mut self, line: &[u8], number: u64) {
        match parse(line) {
            Err(fault) if self.files.begins(line) || line::has_event(line) => {
                self.emitter.builder.finding(FORMAT.rule, None, Some(number), fault.message(line));
            }
            _ => self.output.add(number),
        }
    }

    pub(crate) fn finish(self) {
        if let (Some(first), n_lines) = (self.output.first, self.output.n_lines) {
            let message = match n_lines {
                1 => "output of the program is passed over".to_owned(),
                _ => format!("{n_lines} lines of output of the program are passed over, this is the first"),
            };
            self.emitter.builder.finding("output", None, Some(first), message);
        }
        let (blocked, lives) = (self.blocked(), self.processes.lives());
        self.emitter.finish(&self.files, EndFacts { blocked, semaphores: &self.semaphores.created, lives });
    }
}
