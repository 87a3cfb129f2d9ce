//! From lines to events: takes the chunks in order, and checks what must hold for the whole trace.

use std::fmt;

use super::FORMAT;
use super::agents::Agents;
use super::checks::EventTally;
use super::columns::{AttributeIds, KindKeys};
use super::line::NoEvent;
use super::nodes::{Fork, ForkTree, Task};
use super::part::{LineEvent, OtherLine, VisandorPart};
use super::ports::{EventKind, Parallelism};
use crate::formats::lines::interner::BytesInterner;
use crate::formats::lines::{Chunk, LineEnding, Lines};
use crate::formats::times::CLOCK;
use crate::term::hash::HashMap;
use crate::trace::{EventId, EventRow, EventTable, Field, KeyId, ProcRow, RecordedAt, TraceBuilder};

/// Reads a trace; holds what is known so far.
pub(super) struct VisandorReader<'b> {
    pub(super) builder: &'b mut TraceBuilder,
    pub(super) attributes: AttributeIds,
    keys: KindKeys,
    pub(super) nodes: ForkTree,
    pub(super) agents: Agents,
    /// The boxes of slaves that work, by task and place of the agent.
    pub(super) slaves: HashMap<(u32, u32), u32>,
    /// The box of the whole trace.
    pub(super) whole: Option<u32>,
    n_calls: u32,
    /// Numbers of tasks that stand on the lines of events and are not in their columns.
    ks: Vec<(EventId, i64)>,
    /// How many lines were read.
    pub(super) n_lines: u64,
    /// Whether one of them was not blank.
    has_begun: bool,
    pub(super) side: Option<Parallelism>,
    /// Line of the event that is being read.
    pub(super) line: u64,
    /// The kind and the time of the event before.
    pub(super) last: Option<(EventKind, i64)>,
    /// A line with an unknown code that no event has followed yet.
    pub(super) unknown: Option<(u64, i64)>,
    pub(super) same_time: Option<EventTally>,
    pub(super) other_side: Option<EventTally>,
    /// Whether lines are left out.
    pub(super) is_excerpt: bool,
}

/// The event that is being read.
pub(super) struct CurrentEvent<'p> {
    pub(super) kind: EventKind,
    pub(super) time: i64,
    /// Number of tasks, or of a task.
    pub(super) k: i64,
    /// The id of its node, and how it is written.
    pub(super) node: u64,
    pub(super) written: &'p str,
    /// Place of its agent, and the number of that.
    pub(super) agent: u32,
    pub(super) agent_number: i64,
}

impl CurrentEvent<'_> {
    /// `task 1 of node \`6FFDEBE1\``
    pub(super) fn named(&self, what: &str) -> String {
        format!("{what} {} of node `{}`", self.k, self.written)
    }
}

/// The place of an event among the boxes.
#[derive(Default)]
pub(super) struct BoxPlace {
    pub(super) call: Option<u32>,
    pub(super) depth: Option<u32>,
    pub(super) fork: Option<u32>,
    /// Number of its task in the fork.
    pub(super) branch: Option<i64>,
    /// The box around that of the event.
    pub(super) father: Option<u32>,
}

impl BoxPlace {
    /// That of a box that lies in no other.
    pub(super) fn alone(call: Option<u32>) -> BoxPlace {
        BoxPlace { call, depth: call.map(|_| 1), ..BoxPlace::default() }
    }
}

impl<'b> VisandorReader<'b> {
    /// Nothing is read yet.
    pub(super) fn new(builder: &'b mut TraceBuilder) -> VisandorReader<'b> {
        VisandorReader {
            attributes: AttributeIds::new(builder),
            builder,
            keys: [None; EventKind::COUNT],
            nodes: ForkTree::default(),
            agents: Agents::default(),
            slaves: HashMap::default(),
            whole: None,
            n_calls: 0,
            ks: Vec::new(),
            n_lines: 0,
            has_begun: false,
            side: None,
            line: 0,
            last: None,
            unknown: None,
            same_time: None,
            other_side: None,
            is_excerpt: false,
        }
    }

    /// Notes something wrong with a line that is no event.
    pub(super) fn reject(&mut self, line: u64, rule: &'static str, message: impl Into<String>) {
        self.builder.finding(rule, None, Some(line), message);
    }

    /// Notes something wrong with the event that is being read.
    #[cold]
    pub(super) fn fault(&mut self, rule: &'static str, message: fmt::Arguments<'_>) {
        let message = if self.builder.keeps_finding(rule) { message.to_string() } else { String::new() };
        let (chrono, line) = self.now();
        self.builder.finding(rule, Some(chrono), Some(line), message);
    }

    /// The number and the line of the event that is being read.
    pub(super) fn now(&self) -> (i64, u64) {
        (i64::from(self.builder.n_events()) + 1, self.line)
    }

    /// The number of a new box.
    pub(super) fn new_call(&mut self) -> u32 {
        self.n_calls += 1;
        self.n_calls
    }

    /// Takes the lines of the next chunk.
    pub(super) fn part(&mut self, chunk: &Chunk, part: &mut VisandorPart) {
        if chunk.ending == LineEnding::TooLong {
            self.n_lines += 1;
            return self.reject(self.n_lines, FORMAT.rule, Lines::too_long("line"));
        }
        let n_bytes = part.events.iter().map(|event| kept_bytes(event.kind)).sum();
        if !self.builder.make_room(part.table.n_rows(), n_bytes) {
            return;
        }
        let VisandorPart { events, table, ids, others, n_lines, .. } = part;
        let (first, mut others) = (self.builder.n_events(), others.iter().peekable());
        for (row, event) in (0..).zip(events.iter()) {
            while let Some(other) = others.next_if(|other| other.n_before <= row) {
                self.other(other);
            }
            self.event(event, row, table, ids);
        }
        others.for_each(|other| self.other(other));
        self.builder.append_table(first, table, 0..table.n_rows());
        self.n_lines += *n_lines;
    }

    fn other(&mut self, other: &OtherLine) {
        let line = self.n_lines + other.line + 1;
        let flag = if let NoEvent::Wrong(_, flag) = other.what { flag } else { None };
        let is_first = self.take_flag(line, flag);
        match &other.what {
            NoEvent::Nothing => {}
            NoEvent::LeftOut => self.leave_out(line),
            NoEvent::Unknown(code) => {
                self.reject_unknown();
                self.unknown = Some((line, *code));
            }
            NoEvent::Wrong(..) if is_first => {}
            NoEvent::Wrong(message, _) => self.reject(line, FORMAT.rule, message.as_str()),
        }
    }

    /// Takes the flag of the first line that is not blank, and notes if it has none; returns whether this is that line.
    fn take_flag(&mut self, line: u64, flag: Option<Parallelism>) -> bool {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        if is_first {
            self.side = flag;
            if flag.is_none() {
                self.reject(line, "V1", "expected the flag 0 or 1 on the first line");
            }
        }
        is_first
    }

    /// Notes the first place where lines are left out.
    fn leave_out(&mut self, line: u64) {
        if !self.is_excerpt {
            self.reject(line, "excerpt", "lines are left out (`...`): what begins or ends in them is not known");
        }
        self.is_excerpt = true;
    }

    fn reject_unknown(&mut self) {
        if let Some((line, code)) = self.unknown.take() {
            self.reject(line, "V3", format!("unknown event code `{code}`"));
        }
    }

    /// Adds an event to the trace, with findings for the rules that it breaks.
    fn event(&mut self, event: &LineEvent, row: u32, table: &mut EventTable, ids: &BytesInterner) {
        self.line = self.n_lines + event.line + 1;
        self.take_flag(self.line, None);
        self.reject_unknown();
        self.check_place(event.kind, event.time);
        let agent = self.agents.place(event.agent);
        if event.agent < 0 || self.agents.all[agent as usize].wam != Some(event.wam.0) {
            self.check_agent(agent, event.wam.0, ids.text(event.wam.1));
        }
        let LineEvent { kind, time, k, agent: agent_number, node: (node, written), .. } = *event;
        let now = CurrentEvent { kind, time, k, node, written: ids.text(written), agent, agent_number };
        let place = self.place(&now);
        self.push(&now, &place, row, table);
        self.last = Some((kind, time));
    }

    fn push(&mut self, now: &CurrentEvent<'_>, place: &BoxPlace, row: u32, table: &mut EventTable) {
        let fork = place.fork.map(|fork| *self.nodes.fork(fork));
        let is_start = matches!(now.kind, EventKind::StartGoal | EventKind::StartBranch);
        let started = fork.filter(|_| is_start);
        let tasks = fork.map(|fork| fork.n_tasks);
        let AttributeIds { inst, branch, tasks: of_tasks, father, thief, wait, .. } = self.attributes;
        for (id, value) in [
            (inst, place.fork.map(|fork| i64::from(fork) + 1)),
            (branch, place.branch),
            (of_tasks, tasks),
            (father, place.father.map(i64::from)),
            (wait, started.map(|fork| now.time.saturating_sub(fork.time))),
        ] {
            value.into_iter().for_each(|value| table.set(id, row, Field::Int(value)));
        }
        if let Some(fork) = started.filter(|_| now.kind == EventKind::StartGoal) {
            table.set(thief, row, Field::Bool(fork.agent != now.agent));
        }
        let (call, depth) = (place.call.map(i64::from), place.depth.map(i64::from));
        let key = Some(self.key(now.kind));
        let event = self.builder.push(&EventRow { call, depth, key, source_line: self.line, ..EventRow::default() });
        if let Some(event) = event.filter(|_| place.branch.or(tasks).unwrap_or_default() != now.k) {
            self.builder.make_room(0, size_of::<(EventId, i64)>());
            self.ks.push((event, now.k));
        }
    }

    /// The procedure and port of a kind of events.
    fn key(&mut self, kind: EventKind) -> KeyId {
        *self.keys[kind as usize].get_or_insert_with(|| {
            let (port, name) = kind.names();
            let proc = ProcRow { name: Some(name), arity: Some(2), ..ProcRow::default() };
            self.builder.key(&proc, Some(port), None)
        })
    }

    /// Reports what is known only at the end, and leaves the other columns.
    pub(super) fn finish(mut self) {
        if self.builder.n_events() == 0 {
            return;
        }
        self.builder.recording().record(RecordedAt::Start, CLOCK, Field::Text("start"));
        self.check_last();
        self.report_tallies();
        let VisandorReader { builder, attributes, keys, ks, .. } = self;
        builder.keeps_tables(size_of_val(&*ks));
        builder.lazy_args(move |events, column| attributes.fill_args(&ks, events, column));
        builder.lazy_paths(move |events, column| attributes.fill_paths(&keys, events, column));
    }
}

/// Bytes beside the columns that an event takes until all events are read.
fn kept_bytes(kind: EventKind) -> usize {
    match kind {
        EventKind::Fork | EventKind::MakePublic => size_of::<(Fork, u64, u32)>(),
        EventKind::StartGoal | EventKind::StartBranch => size_of::<(Task, u32)>(),
        EventKind::StartBusy => size_of::<(u32, u32, u32)>(),
        _ => 0,
    }
}
