//! Hands the events of a run to the builder, in their order.
//!
//! Names come up in many events and a message in two, so that each is told once, and named by its number then. The
//! attributes are told one behind the other, each of all events.

use std::fmt::Write;
use std::num::NonZeroU32;

use super::chains::{Place, most_steps};
use super::log::{NameId, Port, Row, RowId, Time};
use super::run::{Run, chrono};
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

/// A message as it was told.
#[derive(Clone, Copy, Debug)]
struct ToldMessage {
    value: ValueId,
    args: ArgsId,
}

/// Hands over the events.
pub fn emit(run: &Run, places: &[Place], builder: &mut TraceBuilder) {
    let Some(ids) = Ids::of(builder) else { return };
    let n_rows = run.rows.len();
    let mut emitter = Emitter {
        run,
        places,
        ids,
        most_steps: most_steps(places),
        keys: vec![[None; 3]; run.names.len()],
        messages: Vec::with_capacity(n_rows),
        args: Vec::new(),
        paths: Vec::with_capacity(n_rows),
        scratch: String::new(),
        builder,
    };
    (0..).zip(&run.rows).for_each(|(id, row)| emitter.push(id, row));
    emitter.names();
    emitter.numbers();
}

struct Emitter<'r, 'b> {
    run: &'r Run,
    places: &'r [Place],
    ids: Ids,
    most_steps: usize,
    /// Of each process, by the port.
    keys: Vec<[Option<KeyId>; 3]>,
    /// Those of the events so far.
    messages: Vec<ToldMessage>,
    /// The messages as arguments.
    args: Vec<ArgsId>,
    /// Those of the events so far.
    paths: Vec<PathId>,
    scratch: String,
    builder: &'b mut TraceBuilder,
}

impl<'r> Emitter<'r, '_> {
    /// An event, with all that is no attribute of the format.
    fn push(&mut self, id: RowId, row: &Row) {
        let (place, detail) = (&self.places[id as usize], self.run.detail(row));
        let path = self.path(place, row);
        self.paths.push(path);
        let message = self.message(id, row);
        self.messages.push(message);
        let is_logged = !row.is_made_up;
        let key = Some(self.key(row.actor(), row.port));
        self.builder.push(&EventRow {
            call: place.call.map(number),
            depth: Some(i64::from(place.depth)),
            key,
            goal_path: Some(path),
            line_number: i64::try_from(detail.line).ok().filter(|_| is_logged),
            args: ListField::Known(message.args),
            source_line: if is_logged { detail.line } else { 0 },
            ..EventRow::default()
        });
    }

    /// The chain of serials: a receive has that of its send, another event a step more than what its process has received.
    fn path(&mut self, place: &Place, row: &Row) -> PathId {
        let before = place.cause.and_then(|cause| self.paths.get(cause as usize).copied());
        before.filter(|_| row.port == Port::Receive).unwrap_or_else(|| {
            self.scratch.clear();
            write!(self.scratch, "{},{}", row.prev, row.cur).expect("writing to a string cannot fail");
            self.builder.path_behind(before, &self.scratch, self.most_steps)
        })
    }

    fn message(&mut self, id: RowId, row: &Row) -> ToldMessage {
        let send = row.partner.filter(|send| row.port == Port::Receive && row.is_as_sent && *send < id);
        if let Some(send) = send {
            return self.messages[send as usize];
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
        ToldMessage { value, args }
    }

    fn key(&mut self, actor: NameId, port: Port) -> KeyId {
        let told = &mut self.keys[actor as usize][port as usize];
        *told.get_or_insert_with(|| {
            let name = &self.run.names[actor as usize];
            let proc = ProcRow { decl_module: name.node.as_deref(), name: Some(&name.own), ..ProcRow::default() };
            self.builder.key(&proc, Some(port.name()), None)
        })
    }

    /// The attributes that are names of something.
    fn names(&mut self) {
        let (run, ids) = (self.run, self.ids);
        let (n_names, n_logs) = (run.names.len(), run.logs.len());
        let name = |name: NameId| Some(run.names[name as usize].field());
        self.told(ids.label, n_names, |row| Some(row.label), name);
        self.told(ids.from, n_names, |row| Some(row.from), name);
        self.told(ids.to, n_names, |row| row.to, name);
        self.told(
            ids.node,
            n_names,
            |row| Some(row.actor()),
            |name| run.names[name as usize].node.as_deref().map(Field::Atom),
        );
        self.told(ids.pid, n_names, |row| Some(row.actor()), |name| Some(Field::Atom(&run.names[name as usize].own)));
        self.told(
            ids.log,
            n_logs,
            |row| Some(row.log).filter(|_| !row.is_made_up),
            |log| Some(Field::Atom(&run.logs[log as usize].name)),
        );
    }

    /// An attribute with few values, which are numbered; integers stay such if there is nothing else.
    fn told(
        &mut self,
        id: AttributeId,
        n_values: usize,
        number: impl Fn(&Row) -> Option<u32>,
        value: impl Fn(u32) -> Option<Field<'r>>,
    ) {
        let (mut is_there, mut there) = (vec![false; n_values], Vec::new());
        for number in self.run.rows.iter().filter_map(&number) {
            if !std::mem::replace(&mut is_there[number as usize], true) {
                there.extend(value(number).map(|value| (number, value)));
            }
        }
        let are_integers = there.iter().all(|(_, value)| matches!(value, Field::Int(_)));
        let mut told: Vec<Option<Told>> = vec![None; n_values];
        for (number, value) in there {
            told[number as usize] = Some(match value {
                Field::Int(value) if are_integers => Field::Int(value),
                other => Field::Known(self.builder.value(id, other)),
            });
        }
        let values = (0..).zip(&self.run.rows);
        self.builder.fill(id, values.filter_map(|(event, row)| Some((event, told[number(row)? as usize]?))));
    }

    /// The attributes that are numbers, and the messages.
    fn numbers(&mut self) {
        let (run, ids) = (self.run, self.ids);
        let messages = (0..).zip(&self.messages).map(|(event, message)| (event, Field::Known(message.value)));
        self.builder.fill(ids.msg, messages);
        self.integers(ids.prev, |row| i64::try_from(row.prev).ok());
        self.integers(ids.cur, |row| i64::try_from(row.cur).ok());
        self.integers(ids.time, |row| run.time(row).map(Time::nanoseconds));
        self.integers(ids.unique, |row| run.time(row).and_then(Time::unique));
        self.integers(ids.partner, |row| row.partner.map(chrono));
        let parents = (0..).zip(self.places).filter_map(|(event, place)| Some((event, number(place.parent?))));
        self.builder.fill(AttributeId::PARENT, parents.map(|(event, parent)| (event, Field::Int(parent))));
    }

    fn integers(&mut self, id: AttributeId, value: impl Fn(&Row) -> Option<i64>) {
        let rows = (0..).zip(&self.run.rows);
        self.builder.fill(id, rows.filter_map(|(event, row)| Some((event, Field::Int(value(row)?)))));
    }
}

fn number(call: NonZeroU32) -> i64 {
    i64::from(call.get())
}
