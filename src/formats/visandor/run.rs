//! A trace while it is read: line after line, with what must hold of the whole.

use super::agents::{Agents, Slaves};
use super::columns::{Columns, Identities};
use super::flag;
use super::kinds::{Kind, Side};
use super::line::{self, Content, Numbers};
use super::nodes::{Nodes, State};
use crate::trace::TraceBuilder;

/// What is known so far.
pub struct Run<'b> {
    pub builder: &'b mut TraceBuilder,
    pub columns: Columns,
    pub nodes: Nodes,
    pub agents: Agents,
    pub slaves: Slaves,
    /// Place of the agent of the event that is being read.
    pub agent: usize,
    /// Place of the id of a node in that event.
    pub id: usize,
    /// The box of the whole trace.
    pub whole: Option<i64>,
    n_calls: i64,
    side: Option<Side>,
    has_first_line: bool,
    /// Line of the event that is being read.
    line: u64,
    last_time: i64,
    last_kind: Option<Kind>,
    /// A line with an unknown code, behind which no event came.
    unknown: Option<(u64, i64)>,
    same_time: Counted,
    other_side: Counted,
}

/// How many events something is true of, and the first of them: its number and line.
#[derive(Default)]
struct Counted {
    n_events: u64,
    first: Option<(i64, u64)>,
}

impl<'b> Run<'b> {
    /// Nothing is read yet.
    pub fn new(builder: &'b mut TraceBuilder) -> Run<'b> {
        Run {
            columns: Columns::new(builder),
            nodes: Nodes::new(builder),
            builder,
            agents: Agents::default(),
            slaves: Slaves::default(),
            agent: 0,
            id: 0,
            whole: None,
            n_calls: 0,
            side: None,
            has_first_line: false,
            line: 0,
            last_time: 0,
            last_kind: None,
            unknown: None,
            same_time: Counted::default(),
            other_side: Counted::default(),
        }
    }

    /// Reads a line.
    pub fn line(&mut self, bytes: &[u8], number: u64) {
        if !self.has_first_line && !bytes.trim_ascii().is_empty() {
            self.has_first_line = true;
            self.side = flag(bytes);
            if self.side.is_some() {
                return;
            }
            self.reject(number, "V1", "expected the flag 0 or 1 on the first line".to_owned());
            if line::content(bytes).is_err() {
                return;
            }
        }
        match line::content(bytes) {
            Ok(Content::Nothing) => {}
            Ok(Content::Event(numbers)) => self.numbers(&numbers, number),
            Err(message) => self.reject(number, "V2", message),
        }
    }

    /// Notes something wrong with a line that is no event.
    pub fn reject(&mut self, line: u64, rule: &'static str, message: String) {
        self.builder.finding(rule, None, Some(line), message);
    }

    /// Notes something wrong with the event that is being read.
    pub fn fault(&mut self, rule: &'static str, message: String) {
        let chrono = self.chrono();
        self.builder.finding(rule, Some(chrono), Some(self.line), message);
    }

    /// The number of a new box.
    pub fn new_call(&mut self) -> i64 {
        self.n_calls += 1;
        self.n_calls
    }

    /// The number of the event that is being read.
    fn chrono(&self) -> i64 {
        i64::from(self.builder.n_events()) + 1
    }

    fn numbers(&mut self, numbers: &Numbers<'_>, line: u64) {
        if let Some((line, code)) = self.unknown.take() {
            self.reject(line, "V3", format!("unknown event code `{code}`"));
        }
        let Some(kind) = Kind::of(numbers.code) else {
            self.unknown = Some((line, numbers.code));
            return;
        };
        self.line = line;
        self.check_place(kind, numbers);
        let identities = self.identify(numbers);
        self.check_agent(numbers);
        let row = self.event(kind, numbers);
        self.columns.push(self.builder, (kind, numbers), identities, &row, line);
        self.last_kind = Some(kind);
        self.last_time = numbers.time;
    }

    /// Rules about the first and the last event, times, and the flag.
    fn check_place(&mut self, kind: Kind, numbers: &Numbers<'_>) {
        let (chrono, line) = (self.chrono(), self.line);
        match self.last_kind {
            None if kind != Kind::StartTime => self.fault("V5", "the first event is not START_TIME".to_owned()),
            Some(_) if kind == Kind::StartTime => self.fault("V5", "START_TIME is not the first event".to_owned()),
            Some(Kind::StopTime) => self.fault("V5", "an event behind STOP_TIME".to_owned()),
            Some(_) if numbers.time < self.last_time => {
                let message = format!("time goes back from {} to {}", self.last_time, numbers.time);
                self.fault("V4", message);
            }
            Some(_) if numbers.time == self.last_time => self.same_time.add(chrono, line),
            _ => {}
        }
        if self.side.is_some_and(|side| kind.side() != Side::Both && kind.side() != side) {
            self.other_side.add(chrono, line);
        }
    }

    /// Finds the agent and the id of the node.
    fn identify(&mut self, numbers: &Numbers<'_>) -> Identities {
        let Numbers { wam, node, .. } = *numbers;
        let (columns, builder) = (&self.columns, &mut *self.builder);
        self.agent = self.agents.place(numbers.agent, wam, || columns.wam(wam, builder));
        let agent = &mut self.agents.all[self.agent];
        if *agent.written.0 != *wam.digits {
            agent.written = (wam.digits.into(), columns.wam(wam, builder));
        }
        self.id = self.nodes.place(node, || columns.node(node, builder));
        let (written, value) = &self.nodes.ids[self.id].written;
        let is_as_before = **written == *node.digits;
        Identities { wam: agent.written.1, node: if is_as_before { *value } else { columns.node(node, builder) } }
    }

    /// Rules about agents and their stacks.
    fn check_agent(&mut self, numbers: &Numbers<'_>) {
        let (number, wam) = (numbers.agent, numbers.wam);
        let known = &mut self.agents.all[self.agent];
        let is_decimal = number >= 10 && !known.is_suspected && wam.written().parse() == Ok(number);
        known.is_suspected |= is_decimal;
        let has_changed = std::mem::replace(&mut known.wam, wam.value) != wam.value;
        if has_changed {
            self.fault("V13", format!("agent {number} has another WAM: `{}`", wam.written()));
        }
        if number < 0 {
            self.fault("V13", format!("the number of an agent is {number}"));
        }
        if is_decimal {
            let message = format!("agent {number} has the WAM `{}`: was it written in decimal?", wam.written());
            self.fault("V14", message);
        }
    }

    /// Notes branches that are suspended when all stops.
    pub fn check_suspended(&mut self) {
        let suspended = |task: &usize| self.nodes.tasks[*task].state == State::Suspended;
        let tasks: Vec<usize> = (0..self.nodes.tasks.len()).filter(suspended).collect();
        for task in tasks {
            let name = self.nodes.name(task);
            self.fault("V11", format!("branch {name} is still suspended"));
        }
    }

    /// What can be said at the end only.
    pub fn finish(mut self) {
        if self.builder.n_events() == 0 {
            return;
        }
        if let Some((line, code)) = self.unknown.take() {
            let why = match self.last_kind {
                Some(Kind::StopTime) => "",
                _ => ": a table of events was full, and the rest of the run is missing",
            };
            self.reject(line, "V3", format!("unknown event code `{code}` on the last line{why}"));
        }
        if self.last_kind != Some(Kind::StopTime) {
            let chrono = i64::from(self.builder.n_events());
            self.builder.finding("V5", Some(chrono), Some(self.line), "the last event is not STOP_TIME");
        }
        let (same_time, other_side) = (self.same_time, self.other_side);
        same_time.tell(self.builder, "V4", "at the time of the event before them; their order is that of the lines");
        let flag = if self.side == Some(Side::And) { "0: and-parallelism" } else { "1: or-parallelism" };
        other_side.tell(self.builder, "V15", &format!("that do not belong to the flag {flag}"));
    }
}

impl Counted {
    fn add(&mut self, chrono: i64, line: u64) {
        self.n_events += 1;
        self.first.get_or_insert((chrono, line));
    }

    /// One finding for all.
    fn tell(&self, builder: &mut TraceBuilder, rule: &'static str, what: &str) {
        let Some((chrono, line)) = self.first else { return };
        let events = if self.n_events == 1 { "event" } else { "events" };
        builder.finding(rule, Some(chrono), Some(line), format!("{} {events} {what}", self.n_events));
    }
}
