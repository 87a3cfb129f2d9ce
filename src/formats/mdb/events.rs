//! From lines to events: a transcript line by line. An event that is printed several times is one event.

use super::functions::FunctionArities;
use super::line::{self, EventHead};
use super::printed_event::PrintedEvent;
use super::procedure;
use super::variables;
use crate::formats::lines::text;
use crate::term::hash::HashMap;
use crate::term::letters::excerpt;
use crate::trace::TraceBuilder;

/// The beginning of the second line of an event.
const SECOND_LINE: &str = "                        ";

/// The prompt.
const PROMPT: &str = "mdb> ";

/// What the lines after an event continue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Continuation {
    /// Nothing that is kept.
    #[default]
    Other,
    /// The event itself.
    Event,
    /// The variables of the event.
    Variables,
    /// The value that was thrown.
    Exception,
}

/// EventKey of an event: its generator and its number.
type EventKey = (Option<String>, i64);

/// A transcript that is being read.
#[derive(Default)]
pub(crate) struct Transcript {
    pub(crate) events: Vec<PrintedEvent>,
    by_number: HashMap<EventKey, usize>,
    current: Option<usize>,
    continuation: Continuation,
    is_at_ancestor: bool,
    /// The number of event lines with standardised numbers.
    pub(crate) n_standardised: usize,
    /// Lines and numbers of events whose number another event had.
    pub(crate) renumbered: Vec<(u64, i64)>,
}

impl Transcript {
    /// Takes a line; an error if it looks like an event but is not one.
    pub(crate) fn line(&mut self, line: &str, number: u64) -> Result<(), String> {
        if let Some(head) = line::find(line).filter(|_| !line.starts_with(PROMPT)) {
            return self.event(line, &head, number);
        }
        if let Some(fault) = line::fault(line).filter(|_| !line.starts_with(PROMPT)) {
            return Err(fault);
        }
        if let Some(command) = line.strip_prefix("mdb>") {
            self.command(command.trim());
        } else if line.starts_with("Ancestor level set to ") {
            self.is_at_ancestor = !line.ends_with(" 0:");
        } else if self.continuation == Continuation::Event && line.starts_with(SECOND_LINE) {
            self.second_line(line);
        } else if self.continuation == Continuation::Variables {
            self.variable(line);
        } else if self.continuation == Continuation::Exception {
            self.exception(line);
        }
        Ok(())
    }

    fn event(&mut self, line: &str, head: &EventHead<'_>, source_line: u64) -> Result<(), String> {
        let parts = procedure::parse(head.rest);
        let is_event = parts.procedure.is_some() || parts.context.is_some() || head.port == "USER";
        if !is_event {
            let shown = excerpt(head.rest.trim());
            let column = text::column(line.as_bytes(), head.rest.trim_start().as_bytes());
            return Err(format!("column {column}: expected a procedure after `{}`, found {shown}", head.port));
        }
        self.n_standardised += usize::from(head.is_standardised);
        let generator = head.generator().filter(|name| self.is_generator(name, head.number)).map(str::to_owned);
        let mut event = PrintedEvent {
            number: head.number,
            call: head.call,
            depth: head.depth,
            port: head.port,
            generator,
            source_line,
            ..PrintedEvent::default()
        };
        event.add(&parts);
        self.keep(event);
        self.continuation = Continuation::Event;
        self.is_at_ancestor = false;
        Ok(())
    }

    /// A generator begins with its event 1.
    fn is_generator(&self, name: &str, number: i64) -> bool {
        number == 1 || self.by_number.contains_key(&(Some(name.to_owned()), 1))
    }

    /// Adds an event, or merges it with the event of the same number.
    fn keep(&mut self, event: PrintedEvent) {
        let key = (event.generator.clone(), event.number);
        let index = match self.by_number.get(&key) {
            Some(&index) if self.events[index].is_same(&event) => {
                self.events[index].merge(event);
                index
            }
            found => {
                if found.is_some() {
                    self.renumbered.push((event.source_line, event.number));
                }
                self.by_number.insert(key, self.events.len());
                self.events.push(event);
                self.events.len() - 1
            }
        };
        self.current = Some(index);
    }

    fn second_line(&mut self, line: &str) {
        self.continuation = Continuation::Other;
        if let Some(index) = self.current {
            self.events[index].add(&procedure::parse(line));
        }
    }

    fn command(&mut self, command: &str) {
        let mut words = command.split_ascii_whitespace();
        let prints = matches!(words.next(), Some("print" | "p"));
        self.continuation = match words.next_back() {
            Some("*") if prints && !self.is_at_ancestor => Continuation::Variables,
            Some("exception") if prints => Continuation::Exception,
            _ => Continuation::Other,
        };
        if let Some(index) = self.current.filter(|_| self.continuation == Continuation::Variables) {
            self.events[index].variables = Some(Vec::new());
        }
    }

    fn variable(&mut self, line: &str) {
        let Some(variables) = self.current.and_then(|index| self.events[index].variables.as_mut()) else { return };
        match variables::read(line) {
            Some(variable) => variables.push(variable),
            None if line.starts_with("mdb: ") || variables.is_empty() => {}
            None => {
                // a value that was printed over several lines
                let last = variables.last_mut().expect("there is one");
                last.value.push('\n');
                last.value.push_str(line.trim_end());
            }
        }
    }

    /// The value of `print exception`, which may go on over several lines.
    fn exception(&mut self, line: &str) {
        let Some(event) = self.current.map(|index| &mut self.events[index]).filter(|event| event.port == "EXCP") else {
            return;
        };
        match (&mut event.exception, variables::exception(line)) {
            (_, Some(value)) => event.exception = Some(value.to_owned()),
            (Some(value), None) if !line.starts_with("mdb: ") => {
                value.push('\n');
                value.push_str(line.trim_end());
            }
            _ => {}
        }
    }

    /// Adds the events to the trace: by their numbers, or in the order of the transcript if generators number their own.
    pub(crate) fn finish(mut self, builder: &mut TraceBuilder) {
        self.report(builder);
        let has_own = !self.renumbered.is_empty() || self.events.iter().any(|event| event.generator.is_some());
        if !has_own && self.n_standardised == 0 {
            self.events.sort_by_key(|event| event.number);
        }
        let mut calls = GeneratorCallNumbers::of(&self.events);
        let functions = FunctionArities::of(&self.events);
        for event in &self.events {
            let chrono = if has_own { None } else { Some(event.number) };
            event.push(chrono, calls.number(event), event.n_args(&functions), builder);
        }
    }
}

/// Numbers of calls: as printed, and greater ones for calls of generators, which are numbered by themselves.
struct GeneratorCallNumbers {
    next: i64,
    own: HashMap<(String, i64), i64>,
}

impl GeneratorCallNumbers {
    fn of(events: &[PrintedEvent]) -> GeneratorCallNumbers {
        let printed = events.iter().filter(|event| event.generator.is_none()).map(|event| event.call);
        GeneratorCallNumbers { next: printed.max().unwrap_or(0).saturating_add(1), own: HashMap::default() }
    }

    fn number(&mut self, event: &PrintedEvent) -> i64 {
        let Some(generator) = &event.generator else { return event.call };
        let next = self.next;
        let number = *self.own.entry((generator.clone(), event.call)).or_insert(next);
        self.next += i64::from(number == next);
        number
    }
}
