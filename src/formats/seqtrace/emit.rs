//! Hands the events of a run to the builder, in their order.
//!
//! What the index of the trace needs is told at once, what an attribute needs when that is first asked for. Names come up
//! in many events and a message in two, so that each is told once, and named by its number then.

use std::fmt::Write;
use std::sync::Arc;

use super::chains::{Chains, most_steps};
use super::check::Doubts;
use super::log::{Clock, Detail, NameId, Port, Row, RowId};
use super::run::{Name, Run, chrono};
use crate::trace::{
    AttributeId, EventId, Field, KeyId, LaterCalls, LaterInts, LaterPaths, LaterTerms, LaterValues, ProcRow,
    TraceBuilder,
};

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

/// Hands over the events; gives which rules some of them may break.
pub fn emit(run: &Arc<Run>, builder: &mut TraceBuilder) -> Doubts {
    let mut seen = Seen::new(run);
    let mut chains = Chains::new(run);
    let mut keys = Keys { run, ids: vec![[None; 3]; run.names.len()], builder, of_events: Vec::new() };
    keys.of_events.reserve(run.rows.len());
    for (row, detail) in run.rows.iter().zip(&run.details) {
        let Some(place) = chains.next() else { break };
        keys.push(row);
        seen.look(row, detail);
        seen.doubts.look(run, row, detail, &place);
    }
    let Keys { of_events, .. } = keys;
    builder.append_keys(&of_events, 0);
    let ids = Ids::of(builder);
    if let Some(ids) = ids.filter(|_| !run.rows.is_empty()) {
        let mut later = Later { run, ids, builder };
        later.names(&seen);
        later.numbers(&seen);
        later.places(&chains);
        later.lines();
        later.messages();
    }
    builder.keeps_tables(run.bytes());
    seen.doubts
}

/// The numbers of process and port.
struct Keys<'r, 'b> {
    run: &'r Run,
    /// Of each process, by the port.
    ids: Vec<[Option<KeyId>; 3]>,
    builder: &'b mut TraceBuilder,
    of_events: Vec<KeyId>,
}

impl Keys<'_, '_> {
    #[inline]
    fn push(&mut self, row: &Row) {
        let key = match self.ids[row.actor() as usize][row.port as usize] {
            Some(key) => key,
            None => self.new_key(row.actor(), row.port),
        };
        self.of_events.push(key);
    }

    #[cold]
    fn new_key(&mut self, actor: NameId, port: Port) -> KeyId {
        let name = &self.run.names[actor as usize];
        let proc = ProcRow { decl_module: name.node.as_deref(), name: Some(&name.own), ..ProcRow::default() };
        let key = self.builder.key(&proc, Some(port.name()), None);
        self.ids[actor as usize][port as usize] = Some(key);
        key
    }
}

/// What some event has.
struct Seen {
    doubts: Doubts,
    /// What each name stands for.
    roles: Vec<u8>,
    has_partners: bool,
    has_unique: bool,
    has_times: bool,
    /// Whether there are integers that no column of integers can hold.
    has_least_time: bool,
    has_least_unique: bool,
}

const LABEL: u8 = 1;
const FROM: u8 = 2;
const TO: u8 = 4;
const ACTOR: u8 = 8;

impl Seen {
    fn new(run: &Run) -> Seen {
        Seen {
            doubts: Doubts::new(run),
            roles: vec![0; run.names.len()],
            has_partners: false,
            has_unique: false,
            has_times: false,
            has_least_time: false,
            has_least_unique: false,
        }
    }

    #[inline]
    fn look(&mut self, row: &Row, detail: &Detail) {
        self.roles[row.label as usize] |= LABEL;
        self.roles[row.from as usize] |= FROM;
        if let Some(to) = row.to.get() {
            self.roles[to as usize] |= TO;
        }
        self.roles[row.actor() as usize] |= ACTOR;
        self.has_partners |= row.partner.get().is_some();
        self.has_unique |= detail.clock == Clock::Strict;
        self.has_times |= detail.clock != Clock::None;
        self.has_least_time |= detail.time == i64::MIN;
        self.has_least_unique |= detail.unique == i64::MIN;
    }

    /// The names that stand for something.
    fn names<'r>(&self, run: &'r Run, role: u8) -> impl Iterator<Item = &'r Name> {
        run.names.iter().zip(&self.roles).filter(move |(_, roles)| **roles & role != 0).map(|(name, _)| name)
    }
}

/// Tells the builder how to make the columns.
struct Later<'r, 'b> {
    run: &'r Arc<Run>,
    ids: Ids,
    builder: &'b mut TraceBuilder,
}

/// The number of a value of an event, of those that an attribute can have.
type Number = fn(&Run, &Row) -> Option<u32>;
/// The value with a number.
type Value = for<'r> fn(&'r Run, u32) -> Option<Field<'r>>;
/// An integer of an event.
type Integer = fn(&Row, &Detail) -> Option<i64>;

impl Later<'_, '_> {
    /// The attributes that are names of something.
    fn names(&mut self, seen: &Seen) {
        let (run, ids) = (self.run, self.ids);
        let is_integer = |name: &Name| matches!(name.field(), Field::Int(value) if value != i64::MIN);
        let are_integers = |role| seen.names(run, role).all(is_integer);
        self.name(ids.label, are_integers(LABEL), |_, row| Some(row.label));
        self.name(ids.from, are_integers(FROM), |_, row| Some(row.from));
        if seen.names(run, TO).next().is_some() {
            self.name(ids.to, are_integers(TO), |_, row| row.to.get());
        }
        let actor: Number = |_, row| Some(row.actor());
        if seen.names(run, ACTOR).any(|actor| actor.node.is_some()) {
            let node: Value = |run, name| run.names[name as usize].node.as_deref().map(Field::Atom);
            self.told(ids.node, actor, node);
        }
        self.told(ids.pid, actor, |run, name| Some(Field::Atom(&run.names[name as usize].own)));
        let log: Number = |run, row| (!row.is_made_up).then(|| run.log(row));
        self.told(ids.log, log, |run, log| Some(Field::Atom(&run.logs[log as usize].name)));
    }

    /// An attribute of names; integers stay such if there is nothing else.
    fn name(&mut self, id: AttributeId, are_integers: bool, number: Number) {
        match are_integers {
            true => {
                let run = Arc::clone(self.run);
                self.builder.ints_later(id, move |_, ints| tell_integers(&run, number, ints));
            }
            false => self.told(id, number, |run, name| Some(run.names[name as usize].field())),
        }
    }

    fn told(&mut self, id: AttributeId, number: Number, value: Value) {
        let run = Arc::clone(self.run);
        self.builder.values_later(id, move |_, values| tell_values(&run, number, value, values));
    }

    /// The attributes that are numbers.
    fn numbers(&mut self, seen: &Seen) {
        let ids = self.ids;
        self.integer(ids.prev, false, |row, _| i64::try_from(row.prev).ok());
        self.integer(ids.cur, false, |row, _| i64::try_from(row.cur).ok());
        if seen.has_times {
            self.integer(ids.time, seen.has_least_time, |_, detail| detail.time());
        }
        if seen.has_unique {
            self.integer(ids.unique, seen.has_least_unique, |_, detail| detail.unique());
        }
        if seen.has_partners {
            self.integer(ids.partner, false, |row, _| row.partner.get().map(chrono));
        }
    }

    /// An attribute of integers, among which may be the least of all.
    fn integer(&mut self, id: AttributeId, has_least: bool, value: Integer) {
        let run = Arc::clone(self.run);
        match has_least {
            true => self.builder.values_later(id, move |_, values| {
                numbers(&run, value).for_each(|(event, value)| values.set(event, Field::Int(value)));
            }),
            false => self.builder.ints_later(id, move |_, ints| {
                numbers(&run, value).for_each(|(event, value)| ints.set(event, value));
            }),
        }
    }

    /// What the places of the events tell, which are found again then.
    fn places(&mut self, chains: &Chains<'_>) {
        let run = Arc::clone(self.run);
        self.builder.calls_later(chains.around.len(), move |_, calls| tell_calls(&run, calls));
        let run = Arc::clone(self.run);
        self.builder.ints_later(AttributeId::DEPTH, move |_, depths| tell_depths(&run, depths));
        if chains.around.iter().any(|around| *around > 0) {
            let run = Arc::clone(self.run);
            self.builder.ints_later(AttributeId::PARENT, move |_, parents| tell_parents(&run, parents));
        }
        let (run, most_steps) = (Arc::clone(self.run), most_steps(&chains.depths));
        self.builder.paths_later(move |_, paths| tell_paths(&run, most_steps, paths));
    }

    fn lines(&mut self) {
        let line: Integer = |row, detail| i64::try_from(detail.line).ok().filter(|_| !row.is_made_up);
        self.integer(AttributeId::LINE_NUMBER, false, line);
        let run = Arc::clone(self.run);
        self.builder.source_lines_later(move |_, lines| {
            for (event, (row, detail)) in (0..).zip(run.rows.iter().zip(&run.details)) {
                lines.set(event, if row.is_made_up { 0 } else { detail.line });
            }
        });
    }

    fn messages(&mut self) {
        let run = Arc::clone(self.run);
        self.builder.terms_later(self.ids.msg, move |_, terms| tell_messages(&run, terms));
    }
}

/// The events that have an integer, with it.
fn numbers(run: &Run, value: Integer) -> impl Iterator<Item = (EventId, i64)> {
    let value = move |(event, (row, detail))| Some((event, value(row, detail)?));
    (0..).zip(run.rows.iter().zip(&run.details)).filter_map(value)
}

/// An attribute of names that are all integers.
fn tell_integers(run: &Run, number: Number, ints: &mut LaterInts) {
    let integer = |name: &Name| match name.field() {
        Field::Int(value) => value,
        _ => 0,
    };
    let of_names: Vec<i64> = run.names.iter().map(integer).collect();
    for (event, row) in (0..).zip(&run.rows) {
        if let Some(name) = number(run, row) {
            ints.set(event, of_names[name as usize]);
        }
    }
}

/// An attribute with few values, which are numbered; integers stay such if there is nothing else.
fn tell_values(run: &Run, number: Number, value: Value, values: &mut LaterValues) {
    let n_values = run.names.len().max(run.logs.len());
    let (mut is_there, mut there) = (vec![false; n_values], Vec::new());
    for number in run.rows.iter().filter_map(|row| number(run, row)) {
        if !std::mem::replace(&mut is_there[number as usize], true) {
            there.extend(value(run, number).map(|value| (number, value)));
        }
    }
    let are_integers = there.iter().all(|(_, value)| matches!(value, Field::Int(_)));
    let mut told: Vec<Option<Field<'_>>> = vec![None; n_values];
    for (number, value) in there {
        told[number as usize] = Some(match value {
            Field::Int(value) if are_integers => Field::Int(value),
            other => Field::Known(values.value(other)),
        });
    }
    for (event, row) in (0..).zip(&run.rows) {
        if let Some(value) = number(run, row).and_then(|number| told[number as usize]) {
            values.set(event, value);
        }
    }
}

/// The message of each event, with the nodes of its log; that of a receive is the one that was sent, if it is the same.
fn tell_messages(run: &Run, terms: &mut LaterTerms) {
    let mut of_logs: Vec<_> = run.logs.iter().map(|log| vec![None; log.messages.len()]).collect();
    let mut of_events = Vec::with_capacity(run.rows.len());
    for (event, row) in (0..).zip(&run.rows) {
        let sent = row.partner.get().filter(|send| row.port == Port::Receive && row.is_as_sent && *send < event);
        let term = match sent {
            Some(send) => of_events[send as usize],
            None => {
                let message = run.details[event as usize].message;
                let known = &mut of_logs[run.log(row) as usize][message as usize];
                *known.get_or_insert_with(|| terms.term(&run.message(event)))
            }
        };
        terms.set(event, term);
        of_events.push(term);
    }
}

/// The chain of serials: a receive has that of its send, another event a step more than what its process has received.
fn tell_paths(run: &Run, most_steps: usize, told: &mut LaterPaths) {
    let (mut paths, mut step) = (Vec::with_capacity(run.rows.len()), String::new());
    for (event, (row, place)) in (0..).zip(run.rows.iter().zip(Chains::new(run))) {
        let before = place.cause.get().map(|cause: RowId| paths[cause as usize]);
        let path = before.filter(|_| row.port == Port::Receive).unwrap_or_else(|| {
            step.clear();
            write!(step, "{},{}", row.prev, row.cur).expect("writing to a string cannot fail");
            told.path_behind(before, &step, most_steps)
        });
        told.set(event, path);
        paths.push(path);
    }
}

/// The transfers of the events.
fn tell_calls(run: &Run, calls: &mut LaterCalls) {
    for (event, place) in (0..).zip(Chains::new(run)).filter(|(_, place)| place.call > 0) {
        calls.set(event, i64::from(place.call));
    }
}

fn tell_depths(run: &Run, depths: &mut LaterInts) {
    for (event, place) in (0..).zip(Chains::new(run)) {
        depths.set(event, i64::from(place.depth));
    }
}

/// The transfers from which those of the events follow.
fn tell_parents(run: &Run, parents: &mut LaterInts) {
    let mut chains = Chains::new(run);
    for (event, row) in (0..).zip(&run.rows) {
        let Some(place) = chains.next() else { break };
        let around = (place.call as usize).checked_sub(1).map_or(0, |call| chains.around[call]);
        if around > 0 && row.port != Port::Print {
            parents.set(event, i64::from(around));
        }
    }
}
