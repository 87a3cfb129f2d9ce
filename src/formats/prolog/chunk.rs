//! The events of one chunk of lines, read independently of the lines before.

use std::ops::Range;

use super::goal::{GoalArgs, GoalName, GoalParts};
use super::line::{Tracer, TracerLine, TracerPort, before_prompt, fault, without_colours};
use super::operators::GoalOperators;
use super::tokens::OpenBrackets;
use crate::formats::lines::interner::BytesInterner;
use crate::formats::lines::{LineEnds, text};
use crate::trace::refill;

/// An event as its lines have it.
#[derive(Clone, Debug)]
pub(crate) struct PrintedGoal {
    pub(crate) port: TracerPort,
    pub(crate) level: Option<i64>,
    pub(crate) number: Option<i64>,
    /// Number of its first line in the chunk, from 0.
    pub(crate) line: u64,
    /// The goal in [`TracerChunk::text`].
    pub(crate) goal: Range<usize>,
    /// The parts of its goal, in the text of the goal.
    pub(crate) args: GoalArgs,
    /// Number of its procedure in [`TracerChunk::procs`].
    pub(crate) proc: u32,
    /// Whether the tracer waited for a command after it.
    pub(crate) has_prompt: bool,
    /// Whether the brackets and quotes of its goal are closed.
    pub(crate) is_closed: bool,
    pub(crate) exceeds_limit: bool,
    /// Index of its rarer values in [`TracerChunk::extras`].
    pub(crate) extra: Option<usize>,
}

/// What few tracers print, or only at some events, and arguments that are not as printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PrintedExtra {
    pub(crate) signs: String,
    pub(crate) context: Option<String>,
    pub(crate) ms: Option<String>,
    pub(crate) thread: Option<String>,
    /// The [arguments](GoalOperators::standard_args) of a goal with operators that are not standard.
    pub(crate) args: Option<Vec<String>>,
}

/// The content of a chunk.
#[derive(Default)]
pub(crate) struct TracerChunk {
    /// The events in order.
    pub(crate) events: Vec<PrintedGoal>,
    /// The goals of the events, one after the other.
    pub(crate) text: String,
    pub(crate) extras: Vec<PrintedExtra>,
    /// Modules and names of procedures, which the thread collects from all its chunks: `module NUL name`, with the arity.
    pub(crate) procs: BytesInterner,
    proc: Vec<u8>,
    /// Lines that look like events, with what is wrong with them, and the number of events before.
    pub(crate) faults: Vec<(u64, String)>,
    /// The number of lines that belong to no event and are not blank.
    pub(crate) n_others: u64,
    /// The number of lines in the chunk.
    pub(crate) n_lines: u64,
}

impl TracerChunk {
    /// Reads all lines of a chunk.
    pub(crate) fn read(&mut self, tracer: Tracer, operators: &GoalOperators, chunk: &[u8]) {
        self.clear();
        let line_ends = LineEnds::of(chunk);
        let (mut start, mut open) = (0, None);
        while start < chunk.len() {
            let (end, next) = line_ends.next(start).unwrap_or((chunk.len(), chunk.len()));
            let line = without_colours(&chunk[start..end]);
            match tracer.line(&line) {
                Some(event) => open = self.begin(&event, open.is_some()),
                None => self.go_on(&line, &mut open),
            }
            self.n_lines += 1;
            start = next;
        }
        if open.is_some() {
            self.finish(false);
        }
        self.write_args(operators);
    }

    fn clear(&mut self) {
        self.events.clear();
        self.text.clear();
        self.extras.clear();
        self.faults.clear();
        (self.n_others, self.n_lines) = (0, 0);
    }

    /// Begins an event; returns the brackets that are open in its goal, if it goes on.
    fn begin(&mut self, event: &TracerLine<'_>, is_open: bool) -> Option<OpenBrackets> {
        if is_open {
            self.finish(false);
        }
        let goal = text::visible(event.goal);
        let start = self.text.len();
        self.text.push_str(&goal);
        let extra = self.extra(event);
        self.events.push(PrintedGoal {
            port: event.port,
            level: event.level,
            number: event.number,
            line: self.n_lines,
            goal: start..self.text.len(),
            args: GoalArgs::None,
            proc: 0,
            has_prompt: false,
            is_closed: true,
            exceeds_limit: event.exceeds_limit,
            extra,
        });
        if let Some(parts) = GoalParts::of_whole(&goal) {
            self.put_parts(&goal, parts);
            return None;
        }
        let open = OpenBrackets::of(goal.as_bytes());
        if open.are_closed() {
            self.finish(true);
            return None;
        }
        Some(open)
    }

    fn extra(&mut self, event: &TracerLine<'_>) -> Option<usize> {
        let part = |part: Option<&[u8]>| part.map(|part| text::visible(part).into_owned());
        let is_plain = event.signs.iter().all(|sign| *sign == b' ');
        if is_plain && event.context.is_none() && event.ms.is_none() && event.thread.is_none() {
            return None;
        }
        let signs = event.signs.iter().map(|sign| char::from(*sign)).filter(|sign| *sign != ' ').collect();
        let (context, ms, thread) = (part(event.context), part(event.ms), part(event.thread));
        self.extras.push(PrintedExtra { signs, context, ms, thread, args: None });
        Some(self.extras.len() - 1)
    }

    /// Takes a line without an event: a part of the goal that is open, or another line.
    fn go_on(&mut self, line: &[u8], open: &mut Option<OpenBrackets>) {
        let Some(brackets) = open else {
            self.n_others += u64::from(!line.trim_ascii().is_empty());
            self.faults.extend(fault(line).map(|fault| (self.n_lines, fault)));
            return;
        };
        let line = text::visible(line);
        self.text.push('\n');
        self.text.push_str(&line);
        brackets.add(b"\n");
        brackets.add(line.as_bytes());
        if brackets.are_closed() {
            self.finish(true);
            *open = None;
        }
    }

    /// The goal of the last event is complete; `is_closed` says whether its brackets are, with those of the prompt.
    fn finish(&mut self, is_closed: bool) {
        let Some(event) = self.events.last_mut() else { return };
        let goal = &self.text[event.goal.start..];
        let before = before_prompt(goal);
        event.has_prompt = before.is_some();
        event.is_closed = before.map_or(is_closed, |before| OpenBrackets::of(before.as_bytes()).are_closed());
        let goal = before.unwrap_or(goal).to_owned();
        event.goal.end = event.goal.start + goal.len();
        let parts = GoalParts::of(&goal);
        self.put_parts(&goal, parts);
    }

    /// Writes arguments with operators that are not standard so that they can be read.
    fn write_args(&mut self, operators: &GoalOperators) {
        for event in &mut self.events {
            let Some(args) = operators.standard_args(&self.text[event.goal.clone()], &event.args) else { continue };
            let extra = *event.extra.get_or_insert_with(|| {
                self.extras.push(PrintedExtra::default());
                self.extras.len() - 1
            });
            self.extras[extra].args = Some(args);
        }
    }

    /// Gives the last event the parts of its goal.
    fn put_parts(&mut self, goal: &str, parts: GoalParts) {
        let Some(event) = self.events.last_mut() else { return };
        let arity = i64::from(parts.args.count());
        let name = match &parts.name {
            GoalName::Printed(range) => &goal[range.clone()],
            GoalName::Fixed(name) => name,
        };
        let module = parts.module.map_or("", |module| &goal[module]);
        let key = &mut self.proc;
        refill(key, module.bytes().chain([0]).chain(name.bytes()));
        let length = key.len();
        // short keys are found at once if enough bytes follow
        key.extend([0; 16]);
        let known = self.procs.find(key, 0..length, arity);
        event.proc = known.unwrap_or_else(|| self.procs.add(&key[..length], arity));
        event.args = parts.args;
    }
}
