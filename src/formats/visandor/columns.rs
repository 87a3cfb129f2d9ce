//! The columns of the format: some values go to the builder at once, the other attributes become lazy columns.

use std::sync::Arc;

use super::chunk::{ChunkRecord, VisandorChunk};
use super::ports::EventKind;
use super::tables::{EventSubjects, Subject, SubjectTables};
use crate::formats::lines::hex::Hex;
use crate::formats::lines::text_list::TextList;
use crate::trace::{AttributeId, EventId, Field, KeyId, KnownColumns, ProcRow, TraceBuilder, ValueId};

attributes! {
    standing_attribute:
    time "time" "time of the event, in the units of the file";
    agent "agent" "number of the agent (worker) at whose event this is";
    wam "wam" "id of the abstract machine, as printed";
    node "node" "id of the fork or choice point, as printed; ids are used again, see inst";
    inst "inst" "number of the fork or choice point among all, from 0";
    branch "branch" "number of the goal or branch in its node";
    tasks "tasks" "how many goals or branches the node has";
    father "father" "number of the call that encloses the call of the event";
    thief "thief" "whether the goal was started by another agent than the one that made the fork, at its start";
    wait "wait" "time from the fork to the start of the goal, at that start";
}

/// The attributes of the format, and the values that they have so far.
pub(crate) struct VisandorColumns {
    ids: AttributeIds,
    keys: [Option<KeyId>; EventKind::COUNT],
    /// The kinds by their keys.
    kinds: Vec<EventKind>,
    /// The ids of nodes by their numbers as values.
    pub(crate) nodes: TextList,
    /// The WAMs by their numbers as values.
    pub(crate) wams: TextList,
}

/// An id of nodes as it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodePlace {
    /// Place of the id, however it is written.
    pub(crate) place: u32,
    pub(crate) value: ValueId,
}

/// A WAM as it is written, and an agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AgentPlace {
    /// Place of the agent.
    pub(crate) place: u32,
    /// Number of the agent.
    pub(crate) number: i64,
    pub(crate) wam: u64,
    pub(crate) value: ValueId,
}

/// What the numbers in a batch stand for.
pub(crate) struct ChunkIds {
    pub(crate) nodes: Vec<NodePlace>,
    pub(crate) agents: Vec<AgentPlace>,
}

impl VisandorColumns {
    /// Declares the attributes.
    pub(crate) fn new(builder: &mut TraceBuilder) -> VisandorColumns {
        let ids = AttributeIds::new(builder);
        let (nodes, wams) = (TextList::default(), TextList::default());
        VisandorColumns { ids, keys: [None; EventKind::COUNT], kinds: Vec::new(), nodes, wams }
    }

    /// The number of a WAM as a value.
    pub(crate) fn wam(&mut self, wam: Hex<'_>, builder: &mut TraceBuilder) -> ValueId {
        value(self.ids.wam, wam, &mut self.wams, builder)
    }

    /// The number of an id of nodes as a value.
    pub(crate) fn node(&mut self, node: Hex<'_>, builder: &mut TraceBuilder) -> ValueId {
        value(self.ids.node, node, &mut self.nodes, builder)
    }

    /// Adds events of consecutive lines.
    pub(crate) fn append_events(&mut self, builder: &mut TraceBuilder, records: &[ChunkRecord], first_line: u64) {
        let keys: Vec<KeyId> = records.iter().map(|record| self.key(record.kind, builder)).collect();
        builder.append_keys(&keys, first_line);
    }

    #[inline]
    fn key(&mut self, kind: EventKind, builder: &mut TraceBuilder) -> KeyId {
        self.keys[kind as usize].unwrap_or_else(|| self.new_key(kind, builder))
    }

    #[cold]
    fn new_key(&mut self, kind: EventKind, builder: &mut TraceBuilder) -> KeyId {
        let (port, name) = kind.names();
        let proc = ProcRow { name: Some(name), arity: Some(2), ..ProcRow::default() };
        self.kinds.push(kind);
        *self.keys[kind as usize].insert(builder.key(&proc, Some(port), None))
    }

    /// Adds the numbers of the first `n_events` of a chunk, from event `first` on.
    pub(crate) fn append_numbers(
        &self,
        builder: &mut TraceBuilder,
        (batch, known): (&VisandorChunk, &ChunkIds),
        first: EventId,
        n_events: usize,
    ) {
        let records = &batch.records[..n_events];
        builder.append_ints(self.ids.time, first, &batch.times[..n_events]);
        let agent = |record: &ChunkRecord| known.agents[record.agent as usize];
        let agents: Vec<i64> = records.iter().map(|record| agent(record).number).collect();
        builder.append_ints(self.ids.agent, first, &agents);
        let mut values: Vec<ValueId> = records.iter().map(|record| agent(record).value).collect();
        builder.append_values(self.ids.wam, first, &values);
        values.clear();
        values.extend(records.iter().map(|record| known.nodes[record.node as usize].value));
        builder.append_values(self.ids.node, first, &values);
    }

    /// Declares the lazy columns.
    pub(crate) fn leave_rest(self, builder: &mut TraceBuilder, boxes: EventSubjects) {
        if builder.n_events() == 0 {
            return;
        }
        let AttributeIds { time, agent, node, inst, branch, tasks, father, thief, wait, .. } = self.ids;
        let tables = Arc::new(SubjectTables { boxes, kinds: self.kinds, spellings: self.nodes, time, agent, node });
        builder.keeps_tables(tables.bytes());
        let shared = Arc::clone(&tables);
        builder.lazy_paths(move |events, column| shared.fill_paths(events, column));
        let shared = Arc::clone(&tables);
        builder.lazy_args(move |events, column| shared.fill_args(events, column));
        if tables.boxes.n_calls > 0 {
            leave_calls(builder, &tables);
        }
        if !tables.boxes.nodes.is_empty() {
            lazy_integers(builder, &tables, inst, |tables, _, (_, _, subject)| {
                tables.fork(subject).map(|node| i64::from(node) + 1)
            });
            lazy_integers(builder, &tables, tasks, |tables, _, (_, _, subject)| tables.n_tasks(subject));
        }
        if !tables.boxes.tasks.is_empty() {
            lazy_integers(builder, &tables, father, |tables, _, (_, _, subject)| tables.father(subject));
            lazy_integers(builder, &tables, branch, |tables, _, (_, _, subject)| tables.branch(subject));
            lazy_integers(builder, &tables, wait, |tables, events, event| tables.wait(events, event));
        }
        if tables.boxes.n_goals > 0 {
            builder.lazy_values(thief, move |events, column| tables.fill_thieves(events, column));
        }
    }
}

/// The number of a value, whose spelling is added if it is a new one: these are numbered from 0.
fn value(id: AttributeId, hex: Hex<'_>, spellings: &mut TextList, builder: &mut TraceBuilder) -> ValueId {
    let value = builder.value(id, Field::Atom(hex.written()));
    if value.index() == spellings.len() {
        spellings.push(hex.digits);
    }
    value
}

/// Declares the lazy columns of calls and depths.
fn leave_calls(builder: &mut TraceBuilder, tables: &Arc<SubjectTables>) {
    let shared = Arc::clone(tables);
    builder.lazy_calls(tables.boxes.n_calls as usize, move |events, column| {
        shared.each(events, |event, _, subject| {
            if let Some(call) = shared.call(subject) {
                column.set(event, call);
            }
        });
    });
    lazy_integers(builder, tables, AttributeId::DEPTH, |tables, _, (_, _, subject)| tables.depth(subject));
}

/// Declares a lazy column of integers.
fn lazy_integers(
    builder: &mut TraceBuilder,
    tables: &Arc<SubjectTables>,
    id: AttributeId,
    value: impl Fn(&SubjectTables, &KnownColumns, (EventId, EventKind, Subject)) -> Option<i64> + Send + Sync + 'static,
) {
    let tables = Arc::clone(tables);
    builder.lazy_ints(id, move |events, column| {
        tables.each(events, |event, kind, subject| {
            if let Some(value) = value(&tables, events, (event, kind, subject)) {
                column.set(event, value);
            }
        });
    });
}
