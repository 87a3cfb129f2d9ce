//! The events of a transcript: mdb may print an event several times, and all that these lines state becomes one event.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::line::{self, Head};
use super::procedure::{self, Place, Rest};
use super::variables::{self, Variable};
use crate::formats::lines::text;
use crate::formats::mercury;
use crate::formats::not_terms::{NOT_TERMS, not_terms};
use crate::trace::{EventRow, Field, ListField, ProcRow, TraceBuilder};

/// The beginning of the second line of an event.
const SECOND_LINE: &str = "                        ";

/// The prompt.
const PROMPT: &str = "mdb> ";

/// An event, with what the lines so far state of it.
#[derive(Debug, Default)]
struct Event {
    number: i64,
    call: i64,
    depth: Option<i64>,
    port: &'static str,
    generator: Option<String>,
    user_event: Option<String>,
    proc: Option<Proc>,
    path: Option<String>,
    context: Option<Source>,
    parent: Option<Source>,
    variables: Option<Vec<Variable>>,
    exception: Option<String>,
    source_line: u64,
}

/// A procedure, with owned texts.
#[derive(Debug, PartialEq, Eq)]
struct Proc {
    kind: Option<&'static str>,
    module: Option<String>,
    name: String,
    arity: i64,
    mode: i64,
    defined_in: Option<String>,
    det: Option<&'static str>,
    of_type: Option<String>,
}

#[derive(Debug)]
struct Source {
    text: String,
    line: Option<i64>,
}

impl From<Place<'_>> for Source {
    fn from(place: Place<'_>) -> Source {
        Source { text: place.text.to_owned(), line: place.line }
    }
}

/// The part of an event to which the lines after it belong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum After {
    /// Nothing: the lines are ignored.
    #[default]
    Other,
    /// The event itself, which may continue.
    Event,
    /// The variables of the event.
    Variables,
    /// The value that was thrown.
    Exception,
}

/// Key of an event: its generator and its number.
type Key = (Option<String>, i64);

/// The state of reading a transcript.
#[derive(Default)]
pub struct Transcript {
    events: Vec<Event>,
    by_number: HashMap<Key, usize, RandomState>,
    current: Option<usize>,
    after: After,
    is_at_ancestor: bool,
    n_standardised: usize,
    n_repeated: usize,
    other: Vec<(u64, i64)>,
}

impl Transcript {
    /// Takes a line; an error if it looks like an event but is not a valid one.
    pub fn line(&mut self, line: &str, number: u64) -> Result<(), String> {
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
        } else if self.after == After::Event && line.starts_with(SECOND_LINE) {
            self.second_line(line);
        } else if self.after == After::Variables {
            self.variable(line);
        } else if self.after == After::Exception {
            self.exception(line);
        }
        Ok(())
    }

    fn event(&mut self, line: &str, head: &Head<'_>, source_line: u64) -> Result<(), String> {
        let parts = procedure::parse(head.rest);
        let is_event = parts.procedure.is_some() || parts.context.is_some() || head.port == "USER";
        if !is_event {
            let shown: String = head.rest.trim().chars().take(40).collect();
            let column = text::column(line.as_bytes(), head.rest.trim_start().as_bytes());
            return Err(format!("column {column}: expected a procedure behind `{}`, found `{shown}`", head.port));
        }
        self.n_standardised += usize::from(head.is_standardised);
        let generator = head.generator().filter(|name| self.is_generator(name, head.number)).map(str::to_owned);
        let mut event = Event {
            number: head.number,
            call: head.call,
            depth: head.depth,
            port: head.port,
            generator,
            source_line,
            ..Event::default()
        };
        event.add(&parts);
        self.keep(event);
        self.after = After::Event;
        self.is_at_ancestor = false;
        Ok(())
    }

    /// Whether a name denotes a generator; a generator begins with its event 1.
    fn is_generator(&self, name: &str, number: i64) -> bool {
        number == 1 || self.by_number.contains_key(&(Some(name.to_owned()), 1))
    }

    /// Adds an event, or its new parts to the event with the same number.
    fn keep(&mut self, event: Event) {
        let key = (event.generator.clone(), event.number);
        let index = match self.by_number.get(&key) {
            Some(&index) if self.events[index].is_same(&event) => {
                self.n_repeated += 1;
                self.events[index].merge(event);
                index
            }
            found => {
                if found.is_some() {
                    self.other.push((event.source_line, event.number));
                }
                self.by_number.insert(key, self.events.len());
                self.events.push(event);
                self.events.len() - 1
            }
        };
        self.current = Some(index);
    }

    fn second_line(&mut self, line: &str) {
        self.after = After::Other;
        if let Some(index) = self.current {
            self.events[index].add(&procedure::parse(line));
        }
    }

    fn command(&mut self, command: &str) {
        let mut words = command.split_ascii_whitespace();
        let prints = matches!(words.next(), Some("print" | "p"));
        self.after = match words.next_back() {
            Some("*") if prints && !self.is_at_ancestor => After::Variables,
            Some("exception") if prints => After::Exception,
            _ => After::Other,
        };
        if let Some(index) = self.current.filter(|_| self.after == After::Variables) {
            self.events[index].variables = Some(Vec::new());
        }
    }

    fn variable(&mut self, line: &str) {
        let Some(variables) = self.current.and_then(|index| self.events[index].variables.as_mut()) else { return };
        match variables::read(line) {
            Some(variable) => variables.push(variable),
            None if line.starts_with("mdb: ") || variables.is_empty() => {}
            None => {
                // a value that is printed on several lines
                let last = variables.last_mut().expect("there is one");
                last.value.push('\n');
                last.value.push_str(line.trim_end());
            }
        }
    }

    /// The value of `print exception`, which may continue on several lines.
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

    /// Hands the events to the builder: in the order of their numbers, or of the transcript if some are numbered
    /// separately.
    pub fn finish(mut self, builder: &mut TraceBuilder) {
        self.tell(builder);
        let has_own = !self.other.is_empty() || self.events.iter().any(|event| event.generator.is_some());
        if !has_own && self.n_standardised == 0 {
            self.events.sort_by_key(|event| event.number);
        }
        let mut calls = Calls::of(&self.events);
        let functions = Functions::of(&self.events);
        for event in &self.events {
            let chrono = if has_own { None } else { Some(event.number) };
            event.push(chrono, calls.number(event), event.n_args(&functions), builder);
        }
    }

    fn tell(&self, builder: &mut TraceBuilder) {
        if self.n_standardised > 0 {
            let message = format!(
                "{} event lines have standardised numbers (E1, C1): they tell equal from different and the order in which events were seen, but are no positions",
                self.n_standardised
            );
            builder.first_finding("D2", None, message);
        }
        for (line, number) in &self.other {
            let message =
                format!("another event had the number {number}: both are kept, in the order of the transcript");
            builder.finding("D3", None, Some(*line), message);
        }
        self.tell_strings(builder);
    }

    /// Reports the values that are not terms and become strings: the first, and how many there are.
    fn tell_strings(&self, builder: &mut TraceBuilder) {
        let values = self.events.iter().flat_map(|event| event.values().map(|value| (value, event.source_line)));
        let mut strings = values.filter(|(value, _)| variables::readable(value).is_none());
        if let Some((value, line)) = strings.next() {
            let message = not_terms(value, strings.count());
            builder.finding(NOT_TERMS, None, Some(line), message);
        }
    }
}

/// Numbers of calls: those printed; calls of generators, which number their own, get higher numbers.
struct Calls {
    next: i64,
    own: HashMap<(String, i64), i64, RandomState>,
}

impl Calls {
    fn of(events: &[Event]) -> Calls {
        let printed = events.iter().filter(|event| event.generator.is_none()).map(|event| event.call);
        Calls { next: printed.max().unwrap_or(0).saturating_add(1), own: HashMap::default() }
    }

    fn number(&mut self, event: &Event) -> i64 {
        let Some(generator) = &event.generator else { return event.call };
        let next = self.next;
        let number = *self.own.entry((generator.clone(), event.call)).or_insert(next);
        self.next += i64::from(number == next);
        number
    }
}

/// Whether the printed arities of functions count their results, as those of old versions do.
struct Functions {
    /// Some function shows an argument beyond its arity, which is its result.
    is_beyond: bool,
    /// Functions whose last argument is live at no call and at some exit.
    gives_last: HashSet<ProcKey, RandomState>,
}

/// Module, name, arity and mode.
type ProcKey = (Option<String>, String, i64, i64);

impl Functions {
    fn of(events: &[Event]) -> Functions {
        let functions = || {
            let of = |event: &'_ Event| event.proc.as_ref().is_some_and(Proc::is_function);
            events.iter().filter(move |event| of(event)).filter_map(|event| Some((event, event.proc.as_ref()?)))
        };
        let last = |port: &'static str| {
            let shown = functions().filter(move |(event, proc)| event.port == port && event.shows(proc.arity));
            shown.map(|(_, proc)| proc.key()).collect::<HashSet<ProcKey, RandomState>>()
        };
        let taken = last("CALL");
        Functions {
            is_beyond: functions().any(|(event, proc)| event.shows(proc.arity.saturating_add(1))),
            gives_last: last("EXIT").into_iter().filter(|key| !taken.contains(key)).collect(),
        }
    }

    /// Whether the arity of a procedure counts its result.
    fn count_result(&self, proc: &Proc) -> bool {
        !self.is_beyond && proc.is_function() && proc.arity > 0 && self.gives_last.contains(&proc.key())
    }
}

/// Whether two reports agree; a missing value agrees with any other.
fn agree<T: PartialEq>(one: &Option<T>, other: &Option<T>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

impl Event {
    fn is_same(&self, other: &Event) -> bool {
        self.call == other.call
            && self.port == other.port
            && agree(&self.depth, &other.depth)
            && agree(&self.proc, &other.proc)
            && agree(&self.path, &other.path)
    }

    fn merge(&mut self, other: Event) {
        self.depth = self.depth.or(other.depth);
        self.user_event = self.user_event.take().or(other.user_event);
        self.proc = self.proc.take().or(other.proc);
        self.path = self.path.take().or(other.path);
        self.context = self.context.take().or(other.context);
        self.parent = self.parent.take().or(other.parent);
    }

    fn add(&mut self, parts: &Rest<'_>) {
        let proc = parts.procedure.map(|one| Proc {
            kind: one.kind,
            module: one.module.map(str::to_owned),
            name: one.name.to_owned(),
            arity: one.arity,
            mode: one.mode,
            defined_in: one.defined_in.map(str::to_owned),
            det: one.det,
            of_type: one.of_type.map(str::to_owned),
        });
        self.user_event = self.user_event.take().or(parts.user_event.map(str::to_owned));
        self.proc = self.proc.take().or(proc);
        self.path = self.path.take().or(parts.path.map(str::to_owned));
        self.context = self.context.take().or(parts.context.map(Source::from));
        self.parent = self.parent.take().or(parts.parent.map(Source::from));
    }

    fn is_interface(&self) -> bool {
        matches!(self.port, "CALL" | "EXIT" | "REDO" | "FAIL" | "EXCP")
    }

    /// The line of the call at interface events, and that of the goal inside.
    fn line_number(&self) -> Option<i64> {
        let place = if self.is_interface() { &self.parent } else { &self.context };
        place.as_ref().and_then(|place| place.line)
    }

    /// The texts of all printed values.
    fn values(&self) -> impl Iterator<Item = &str> {
        let variables = self.variables.iter().flatten().map(|one| one.value.as_str());
        variables.chain(self.exception.as_deref())
    }

    /// Whether an argument with this number is live.
    fn shows(&self, number: i64) -> bool {
        self.variable(number).is_some()
    }

    fn variable(&self, number: i64) -> Option<&Variable> {
        let number = usize::try_from(number).ok();
        self.variables.iter().flatten().find(|one| one.argument.is_some() && one.argument == number)
    }

    /// The number of arguments of the procedure, without the result of a function.
    fn n_args(&self, functions: &Functions) -> i64 {
        let Some(proc) = &self.proc else { return 0 };
        proc.arity - i64::from(functions.count_result(proc))
    }

    /// The value of a function: the last argument at its exit.
    fn result(&self, n_args: i64) -> Option<String> {
        let is_exit = self.port == "EXIT" && self.proc.as_ref().is_some_and(Proc::is_function);
        let last = if is_exit { self.variable(n_args + 1) } else { None };
        last.map(|one| variables::term(&one.value))
    }

    /// `part` of each argument that `print *` showed; none inside for an argument that is not live.
    fn arguments(&self, n_args: i64, part: impl Fn(&Variable) -> String) -> Option<Vec<Option<String>>> {
        self.variables.as_ref()?;
        let n_args = Some(n_args).filter(|n_args| (0..1000).contains(n_args))?;
        Some((1..=n_args).map(|number| self.variable(number).map(&part)).collect())
    }

    fn push(&self, chrono: Option<i64>, call: i64, n_args: i64, builder: &mut TraceBuilder) {
        let goal_path = match &self.path {
            Some(path) => Some(mercury::goal_path(path, builder)),
            None if self.is_interface() => Some(builder.path(&[])),
            None => None,
        };
        let vars = self.variables.as_deref().map(variables::list);
        let atoms = [
            ("user_event", self.user_event.as_deref()),
            ("of_type", self.proc.as_ref().and_then(|proc| proc.of_type.as_deref())),
            ("context", self.context.as_ref().map(|place| &*place.text)),
            ("parent_context", self.parent.as_ref().map(|place| &*place.text)),
            ("generator", self.generator.as_deref()),
        ];
        let mut extra = Vec::new();
        for (name, value) in atoms {
            extra.extend(value.and_then(|value| Some((builder.attribute(name)?, Field::Atom(value)))));
        }
        let exception = self.exception.as_deref().map(variables::term);
        let result = self.result(n_args);
        for (name, term) in [("vars", &vars), ("exception", &exception), ("result", &result)] {
            extra.extend(term.as_ref().and_then(|term| Some((builder.attribute(name)?, Field::Term(term)))));
        }
        let lists =
            [self.arguments(n_args, |one| variables::term(&one.value)), self.arguments(n_args, |one| one.name.clone())];
        let parts: [Option<Vec<Option<&str>>>; 2] =
            [0, 1].map(|index| lists[index].as_ref().map(|list| list.iter().map(Option::as_deref).collect()));
        let [args, arg_names] =
            [0, 1].map(|index| parts[index].as_ref().map_or(ListField::Absent, |parts| ListField::Parts(parts)));
        let proc = self.proc.as_ref();
        builder.push(&EventRow {
            chrono,
            call: Some(call),
            depth: self.depth,
            port: Some(self.port),
            proc: proc.map(Proc::row).unwrap_or_default(),
            det: proc.and_then(|proc| proc.det),
            goal_path,
            line_number: self.line_number(),
            args,
            arg_names,
            extra: &extra,
            source_line: self.source_line,
            ..EventRow::default()
        });
    }
}

impl Proc {
    fn is_function(&self) -> bool {
        self.kind == Some("function")
    }

    fn key(&self) -> ProcKey {
        (self.module.clone(), self.name.clone(), self.arity, self.mode)
    }

    fn row(&self) -> ProcRow<'_> {
        ProcRow {
            proc_type: self.kind,
            decl_module: self.module.as_deref(),
            def_module: self.defined_in.as_deref().or(self.module.as_deref()),
            name: Some(&self.name),
            arity: Some(self.arity),
            mode_number: Some(self.mode),
        }
    }
}
