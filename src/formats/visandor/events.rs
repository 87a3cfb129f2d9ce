//! From lines to events: takes the chunks in order, and checks what must hold for the whole trace.

use super::agents::{Agents, Slaves};
use super::chunk::{ChunkRecord, NoEvent, NoEventLine, VisandorChunk};
use super::columns::{AgentPlace, ChunkIds, NodePlace, VisandorColumns};
use super::nodes::{ForkTree, TaskState};
use super::ports::{EventKind, Parallelism};
use super::tables::EventSubjects;
use crate::formats::lines::hex::Hex;
use crate::formats::times::CLOCK;
use crate::term::hash::HashMap;
use crate::trace::{EventId, Field, RecordedAt, TraceBuilder, ValueId};

/// Reads a trace; holds what is known so far.
pub(crate) struct VisandorReader<'b> {
    pub(crate) builder: &'b mut TraceBuilder,
    pub(crate) nodes: ForkTree,
    pub(crate) agents: Agents,
    pub(crate) slaves: Slaves,
    /// How many slaves work in the teams of tasks that have some.
    pub(crate) teams: HashMap<u32, u32>,
    pub(crate) boxes: EventSubjects,
    /// The event that is being read.
    pub(crate) event: EventId,
    /// The box of the whole trace.
    pub(crate) whole: Option<u32>,
    /// How many lines were read.
    pub(crate) n_lines: u64,
    columns: VisandorColumns,
    side: Option<Parallelism>,
    /// Line of the event that is being read.
    line: u64,
    last_time: i64,
    last_kind: Option<EventKind>,
    /// A line with an unknown code that no event has followed yet.
    unknown: Option<(u64, i64)>,
    same_time: EventTally,
    other_side: EventTally,
    /// Whether lines are left out.
    is_excerpt: bool,
}

/// The event that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CurrentEvent {
    /// Place of the id of its node.
    pub(crate) place: u32,
    /// That id as a value.
    pub(crate) node: ValueId,
    /// Place of its agent.
    pub(crate) agent: u32,
    /// Number of tasks, or of a task.
    pub(crate) k: i64,
}

/// A code above this one was never meant for one.
const LARGEST_CODE: u64 = 0xFFFF;

/// How many events something is true of, and the first of them: its number and line.
#[derive(Default)]
struct EventTally {
    n_events: u64,
    first: Option<(i64, u64)>,
}

impl<'b> VisandorReader<'b> {
    /// Nothing is read yet.
    pub(crate) fn new(builder: &'b mut TraceBuilder) -> VisandorReader<'b> {
        VisandorReader {
            columns: VisandorColumns::new(builder),
            builder,
            nodes: ForkTree::default(),
            agents: Agents::default(),
            slaves: Slaves::default(),
            teams: HashMap::default(),
            boxes: EventSubjects::default(),
            event: 0,
            whole: None,
            n_lines: 0,
            side: None,
            line: 0,
            last_time: 0,
            last_kind: None,
            unknown: None,
            same_time: EventTally::default(),
            other_side: EventTally::default(),
            is_excerpt: false,
        }
    }

    /// Takes the first line, if it says what kind of parallelism there is; none if it does not, which is noted.
    pub(crate) fn take_flag(&mut self, flag: Option<Parallelism>) -> Option<()> {
        self.side = flag;
        if flag.is_none() {
            self.reject(self.n_lines + 1, "V1", "expected the flag 0 or 1 on the first line".to_owned());
        }
        flag.map(|_| self.n_lines += 1)
    }

    /// Notes something wrong with a line that is no event.
    pub(crate) fn reject(&mut self, line: u64, rule: &'static str, message: String) {
        self.builder.finding(rule, None, Some(line), message);
    }

    /// Notes something wrong with the event that is being read.
    #[cold]
    #[inline(never)]
    pub(crate) fn fault(&mut self, rule: &'static str, message: impl FnOnce(&VisandorReader<'_>) -> String) {
        let message = if self.builder.keeps_finding(rule) { message(self) } else { String::new() };
        let chrono = self.chrono();
        self.builder.finding(rule, Some(chrono), Some(self.line), message);
    }

    /// The number of a new box.
    #[inline]
    pub(crate) fn new_call(&mut self) -> u32 {
        self.boxes.n_calls += 1;
        self.boxes.n_calls
    }

    /// The number of the event that is being read.
    fn chrono(&self) -> i64 {
        i64::from(self.event) + 1
    }

    /// How the node of the event is written.
    pub(crate) fn written(&self, now: &CurrentEvent) -> &str {
        self.columns.nodes.text(now.node.index() as u32)
    }

    /// `task 1 of node \`6FFDEBE1\``
    pub(crate) fn named(&self, what: &str, now: &CurrentEvent) -> String {
        format!("{what} {} of node `{}`", now.k, self.written(now))
    }

    /// Takes all lines of a chunk.
    pub(crate) fn take(&mut self, batch: &VisandorChunk) {
        let known = self.identify(batch);
        let first = self.event;
        let (mut from, mut line) = (0, self.n_lines + 1);
        for other in &batch.others {
            self.events(batch, &known, (from, other.n_before), line);
            (from, line) = (other.n_before, self.n_lines + other.line + 2);
            self.no_event(other, line - 1);
        }
        self.events(batch, &known, (from, batch.records.len()), line);
        self.columns.append_numbers(self.builder, (batch, &known), first, (self.event - first) as usize);
        self.n_lines += batch.n_lines;
    }

    /// What the numbers in a batch stand for.
    fn identify(&mut self, batch: &VisandorChunk) -> ChunkIds {
        let (columns, builder) = (&mut self.columns, &mut *self.builder);
        let node =
            |node: Hex<'_>| NodePlace { place: self.nodes.place(node.value), value: columns.node(node, builder) };
        let nodes = batch.nodes.texts().filter_map(Hex::of).map(node).collect();
        let wam = |wam: Hex<'_>| (wam.value, columns.wam(wam, builder));
        let wams: Vec<(u64, ValueId)> = batch.wams.texts().filter_map(Hex::of).map(wam).collect();
        let agents = batch.agents.all.iter().map(|pair| {
            let (wam, value) = wams[pair.wam as usize];
            AgentPlace { place: self.agents.place(pair.agent), number: pair.agent, wam, value }
        });
        ChunkIds { nodes, agents: agents.collect() }
    }

    fn no_event(&mut self, other: &NoEventLine, line: u64) {
        match &other.what {
            NoEvent::Nothing => {}
            NoEvent::LeftOut => self.leave_out(line),
            NoEvent::Wrong(message) => self.reject(line, super::FORMAT.rule, message.clone()),
            NoEvent::Unknown(code) => {
                self.reject_unknown();
                self.unknown = Some((line, *code));
            }
        }
    }

    /// Notes the first place where lines are left out.
    fn leave_out(&mut self, line: u64) {
        if !self.is_excerpt {
            let message = "lines are left out (`...`): what begins or ends in them is not known";
            self.builder.finding("excerpt", None, Some(line), message);
        }
        self.is_excerpt = true;
    }

    fn reject_unknown(&mut self) {
        if let Some((line, code)) = self.unknown.take() {
            self.reject(line, "V3", format!("unknown event code `{code}`"));
        }
    }

    /// Takes the events of a batch from one on up to another, which stand on lines that follow one another.
    fn events(&mut self, batch: &VisandorChunk, known: &ChunkIds, (from, to): (usize, usize), first_line: u64) {
        if from == to {
            return;
        }
        self.reject_unknown();
        let room = (EventId::MAX - self.event) as usize;
        let records = &batch.records[from..to];
        self.line = first_line;
        for (record, time) in records.iter().zip(&batch.times[from..to]).take(room) {
            self.record(record, *time, known);
            self.event += 1;
            self.line += 1;
        }
        self.line -= 1;
        self.columns.append_events(self.builder, records, first_line);
    }

    #[inline(always)]
    fn record(&mut self, record: &ChunkRecord, time: i64, known: &ChunkIds) {
        let (node, agent) = (&known.nodes[record.node as usize], &known.agents[record.agent as usize]);
        self.check_place(record.kind, time);
        if self.agents.all[agent.place as usize].written != Some(agent.value) {
            self.check_agent(agent);
        }
        let now = CurrentEvent { place: node.place, node: node.value, agent: agent.place, k: record.k };
        let code = self.event(record.kind, &now);
        self.boxes.codes.push(code);
        self.last_kind = Some(record.kind);
        self.last_time = time;
    }

    /// Rules about the first and the last event, times, and the flag.
    #[inline]
    fn check_place(&mut self, kind: EventKind, time: i64) {
        match self.last_kind {
            Some(last) if last != EventKind::StopTime && kind != EventKind::StartTime => {
                if time < self.last_time {
                    let last = self.last_time;
                    self.fault("V4", |_| format!("time goes back from {last} to {time}"));
                } else if time == self.last_time {
                    let place = (self.chrono(), self.line);
                    self.same_time.add(place);
                }
            }
            last => self.check_end(last, kind),
        }
        if kind.side() != Parallelism::Both && self.side.is_some_and(|side| kind.side() != side) {
            let place = (self.chrono(), self.line);
            self.other_side.add(place);
        }
    }

    #[cold]
    fn check_end(&mut self, last: Option<EventKind>, kind: EventKind) {
        match last {
            None if kind != EventKind::StartTime && !self.is_excerpt => {
                self.fault("V5", |_| "the first event is not START_TIME".to_owned())
            }
            Some(_) if kind == EventKind::StartTime => {
                self.fault("V5", |_| "START_TIME is not the first event".to_owned())
            }
            Some(_) => self.fault("V5", |_| "an event after STOP_TIME".to_owned()),
            None => {}
        }
    }

    /// Rules about agents and their stacks.
    #[cold]
    #[inline(never)]
    fn check_agent(&mut self, AgentPlace { place, number, wam, value }: &AgentPlace) {
        let known = &mut self.agents.all[*place as usize];
        let is_in_decimal = *number >= 10 && self.columns.wams.text(value.index() as u32).parse() == Ok(*number);
        let is_suspected = is_in_decimal && !known.is_suspected;
        known.is_suspected |= is_suspected;
        known.written = Some(*value).filter(|_| *number >= 0);
        let has_changed = known.wam.replace(*wam).is_some_and(|before| before != *wam);
        let written = |run: &VisandorReader<'_>| run.columns.wams.text(value.index() as u32).to_owned();
        if has_changed {
            self.fault("V13", |run| format!("agent {number} has another WAM: `{}`", written(run)));
        }
        if *number < 0 {
            self.fault("V2", |_| format!("the number of an agent is {number}"));
        }
        if is_suspected {
            self.fault("V14", |run| {
                format!("agent {number} has the WAM `{}`: was it written in decimal?", written(run))
            });
        }
    }

    /// Notes tasks that have not ended when all stops.
    pub(crate) fn check_ends(&mut self) {
        let tasks = (0..).zip(&self.nodes.tasks).map(|(task, found)| (task, found.state));
        let left = tasks.filter(|(_, state)| matches!(state, TaskState::Suspended | TaskState::Running));
        let left: Vec<(u32, TaskState)> = left.collect();
        let kind = if self.side == Some(Parallelism::And) { "goal" } else { "branch" };
        for (task, state) in left {
            match state {
                TaskState::Suspended => {
                    self.fault("V11", |run| format!("branch {} is still suspended", run.nodes.name(task)));
                }
                _ => self.fault("V16", |run| format!("{kind} {} never ends", run.nodes.name(task))),
            }
        }
    }

    /// An unknown code on the last line: writers leave one there when their tables of events are full.
    fn end_at_unknown(&mut self, line: u64, code: i64) {
        let message = format!("unknown event code `{code}` on the last line");
        if self.last_kind == Some(EventKind::StopTime) {
            return self.reject(line, "V3", message);
        }
        if code.unsigned_abs() > LARGEST_CODE {
            let why = "a table of events was full, and the rest of the run is missing";
            self.builder.lose_end();
            return self.reject(line, "full", format!("{message}: {why}"));
        }
        self.reject(line, "V3", message);
        self.miss_stop();
    }

    fn miss_stop(&mut self) {
        if self.is_excerpt {
            return;
        }
        self.builder.lose_end();
        let chrono = i64::from(self.builder.n_events());
        self.builder.finding("V5", Some(chrono), Some(self.line), "the last event is not STOP_TIME");
    }

    /// Reports what is known only at the end.
    pub(crate) fn finish(mut self) {
        if self.builder.n_events() == 0 {
            return;
        }
        self.builder.recording().record(RecordedAt::Start, CLOCK, Field::Text("start"));
        if let Some((line, code)) = self.unknown.take() {
            self.end_at_unknown(line, code);
        } else if self.last_kind != Some(EventKind::StopTime) {
            self.miss_stop();
        }
        let VisandorReader { same_time, other_side, nodes, mut boxes, columns, .. } = self;
        same_time.report(
            self.builder,
            "same_time",
            "at the time of the event before them; their order is that of the lines",
        );
        let flag = if self.side == Some(Parallelism::And) { "0: and-parallelism" } else { "1: or-parallelism" };
        other_side.report(self.builder, "V15", &format!("that do not belong to the flag {flag}"));
        (boxes.nodes, boxes.tasks) = (nodes.nodes, nodes.tasks);
        boxes.shrink();
        columns.leave_rest(self.builder, boxes);
    }
}

impl EventTally {
    #[inline]
    fn add(&mut self, place: (i64, u64)) {
        self.n_events += 1;
        if self.n_events == 1 {
            self.first = Some(place);
        }
    }

    /// One finding for all.
    fn report(&self, builder: &mut TraceBuilder, rule: &'static str, what: &str) {
        let Some((chrono, line)) = self.first else { return };
        let events = if self.n_events == 1 { "event" } else { "events" };
        builder.finding(rule, Some(chrono), Some(line), format!("{} {events} {what}", self.n_events));
    }
}
