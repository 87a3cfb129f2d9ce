//! Hands the events of a run to the builder, in their order.
//!
//! Names come up in many events and a message in two, so that each is told once, and named by its number then.

use std::fmt::Write;

use smallvec::SmallVec;

use super::chains::{Place, most_steps};
use super::log::{NameId, Port, Time};
use super::run::{Row, RowId, Run, chrono};
use crate::trace::{ArgsId, AttributeId, EventRow, Field, KeyId, ListField, PathId, ProcRow, TraceBuilder, ValueId};

/// The attributes beside those that all traces have.
#[derive(Clone, Copy)]
struct Ids {
    label: AttributeId,
    prev: AttributeId,
    cur: AttributeId,
    from: AttributeId,
    to: AttributeId,
    node: AttributeId,
    pid: AttributeId,
    msg: AttributeId,
    time: AttributeId,
    unique: AttributeId,
    partner: AttributeId,
    log: AttributeId,
}

impl Ids {
    fn of(builder: &mut TraceBuilder) -> Option<Ids> {
        let mut id = |name| builder.standing_attribute(name);
        Some(Ids {
            label: id("label")?,
            prev: id("prev")?,
            cur: id("cur")?,
            from: id("from")?,
            to: id("to")?,
            node: id("node")?,
            pid: id("pid")?,
            msg: id("msg")?,
            time: id("time")?,
            unique: id("unique")?,
            partner: id("match")?,
            log: id("log")?,
        })
    }
}

/// A value that was told before, or an integer.
type Told = Field<'static>;

type Attribute = (AttributeId, Told);

/// A name as it was told for each attribute that had it.
#[derive(Clone, Copy, Debug, Default)]
struct ToldName {
    label: Option<Told>,
    from: Option<Told>,
    to: Option<Told>,
    /// Of the process where an event happens.
    node: Option<Told>,
    pid: Option<Told>,
    /// By the port.
    keys: [Option<KeyId>; 3],
}

/// A message as it was told.
#[derive(Clone, Copy, Debug)]
struct ToldMessage {
    value: ValueId,
    args: ArgsId,
}

/// Hands over the events.
pub fn emit(run: &Run, places: &[Place], builder: &mut TraceBuilder) {
    let Some(ids) = Ids::of(builder) else { return };
    let mut emitter = Emitter {
        run,
        places,
        ids,
        most_steps: most_steps(places),
        names: vec![ToldName::default(); run.names.len()],
        logs: vec![None; run.logs.len()],
        messages: vec![None; run.rows.len()],
        args: Vec::new(),
        paths: vec![None; run.rows.len()],
        scratch: String::new(),
        builder,
    };
    (0..run.rows.len() as RowId).for_each(|id| emitter.push(id));
}

struct Emitter<'r, 'b> {
    run: &'r Run,
    places: &'r [Place],
    ids: Ids,
    most_steps: usize,
    names: Vec<ToldName>,
    logs: Vec<Option<Told>>,
    /// Those of the sends whose receives have the same one.
    messages: Vec<Option<ToldMessage>>,
    /// The messages as arguments.
    args: Vec<ArgsId>,
    paths: Vec<Option<PathId>>,
    scratch: String,
    builder: &'b mut TraceBuilder,
}

impl Emitter<'_, '_> {
    fn push(&mut self, id: RowId) {
        let run = self.run;
        let (row, place) = (&run.rows[id as usize], &self.places[id as usize]);
        let goal_path = Some(self.path(id, row));
        let message = self.message(id, row);
        let extra = self.attributes(row, place, message);
        let is_logged = !row.is_made_up;
        let key = Some(self.key(run.actor_id(row), row.port));
        self.builder.push(&EventRow {
            call: place.call,
            depth: Some(place.depth),
            key,
            goal_path,
            line_number: i64::try_from(row.line).ok().filter(|_| is_logged),
            args: ListField::Known(message.args),
            extra: &extra,
            source_line: if is_logged { row.line } else { 0 },
            ..EventRow::default()
        });
    }

    fn attributes(&mut self, row: &Row, place: &Place, message: ToldMessage) -> SmallVec<[Attribute; 16]> {
        let actor = self.run.actor_id(row);
        let integer = |value: u64| i64::try_from(value).ok().map(Field::Int);
        let (ids, time, partner) = (self.ids, row.time, row.partner.map(chrono));
        let values = [
            (ids.label, Some(self.name(row.label, ids.label, |told| &mut told.label))),
            (ids.prev, integer(row.prev)),
            (ids.cur, integer(row.cur)),
            (ids.from, Some(self.name(row.from, ids.from, |told| &mut told.from))),
            (ids.to, row.to.map(|to| self.name(to, ids.to, |told| &mut told.to))),
            (ids.node, self.node(actor)),
            (ids.pid, Some(self.pid(actor))),
            (ids.msg, Some(Field::Known(message.value))),
            (ids.time, time.map(|time| Field::Int(time.nanoseconds()))),
            (ids.unique, time.and_then(Time::unique).map(Field::Int)),
            (ids.partner, partner.map(Field::Int)),
            (ids.log, (!row.is_made_up).then(|| self.log(row.log))),
            (AttributeId::PARENT, place.parent.map(Field::Int)),
        ];
        values.into_iter().filter_map(|(id, value)| Some((id, value?))).collect()
    }

    /// The chain of serials: a receive has that of its send, another event a step more than what its process has received.
    fn path(&mut self, id: RowId, row: &Row) -> PathId {
        let before = self.places[id as usize].cause.and_then(|cause| self.paths[cause as usize]);
        let path = before.filter(|_| row.port == Port::Receive).unwrap_or_else(|| {
            self.scratch.clear();
            write!(self.scratch, "{},{}", row.prev, row.cur).expect("writing to a string cannot fail");
            self.builder.path_behind(before, &self.scratch, self.most_steps)
        });
        self.paths[id as usize] = Some(path);
        path
    }

    fn message(&mut self, id: RowId, row: &Row) -> ToldMessage {
        let send = row.partner.filter(|_| row.is_as_sent);
        if let Some(sent) = send.and_then(|send| self.messages[send as usize]) {
            return sent;
        }
        self.scratch.clear();
        let nodes = &self.run.logs[row.log as usize].nodes;
        nodes.resolve(self.run.local_message(row), &mut self.scratch);
        let value = self.builder.value(self.ids.msg, Field::Term(&self.scratch));
        let args = self.args.get(value.index()).copied().unwrap_or_else(|| {
            // one term has no comma outside of brackets and quotes
            let args = self.builder.new_args(&self.scratch);
            self.args.push(args);
            args
        });
        let message = ToldMessage { value, args };
        if row.port == Port::Send && row.partner.is_some() {
            self.messages[id as usize] = Some(message);
        }
        message
    }

    fn key(&mut self, actor: NameId, port: Port) -> KeyId {
        let told = &mut self.names[actor as usize].keys[port as usize];
        *told.get_or_insert_with(|| {
            let name = &self.run.names[actor as usize];
            let proc = ProcRow { decl_module: name.node.as_deref(), name: Some(&name.own), ..ProcRow::default() };
            self.builder.key(&proc, Some(port.name()), None)
        })
    }

    fn name(&mut self, name: NameId, id: AttributeId, slot: fn(&mut ToldName) -> &mut Option<Told>) -> Told {
        let told = slot(&mut self.names[name as usize]);
        *told.get_or_insert_with(|| tell(self.builder, id, self.run.names[name as usize].field()))
    }

    fn node(&mut self, actor: NameId) -> Option<Told> {
        let node = self.run.names[actor as usize].node.as_deref()?;
        let told = &mut self.names[actor as usize].node;
        Some(*told.get_or_insert_with(|| tell(self.builder, self.ids.node, Field::Atom(node))))
    }

    fn pid(&mut self, actor: NameId) -> Told {
        let told = &mut self.names[actor as usize].pid;
        *told.get_or_insert_with(|| tell(self.builder, self.ids.pid, Field::Atom(&self.run.names[actor as usize].own)))
    }

    fn log(&mut self, log: u32) -> Told {
        let name = Field::Atom(&self.run.logs[log as usize].name);
        *self.logs[log as usize].get_or_insert_with(|| tell(self.builder, self.ids.log, name))
    }
}

/// An integer stays one; any other value is named by its number.
fn tell(builder: &mut TraceBuilder, id: AttributeId, value: Field<'_>) -> Told {
    match value {
        Field::Int(value) => Field::Int(value),
        other => Field::Known(builder.value(id, other)),
    }
}
