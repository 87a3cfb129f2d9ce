//! The columns of the format: port and process at once, the attributes lazily, each when it is first asked for.
//!
//! Many events share a name and two share a message, so each value is made once and then referred to by its number.

use std::fmt::Write;
use std::sync::Arc;

use super::chains::{SerialChains, most_steps};
use super::order::{self, CausalOrder, Cycle};
use super::ports::SeqPort;
use super::rows::{NameId, RowDetail, RowId, SeqRow};
use super::rules::DoubtfulRules;
use super::run::{LazyRun, ResolvedName, SeqRun, chrono};
use super::totals::{EventTotals, OrderTotals};
use crate::trace::{
    AttributeId, EventId, Field, KeyId, LazyCalls, LazyInts, LazyPaths, LazyTerms, LazyValues, ProcRow, TraceBuilder,
};

attributes! {
    standing_attribute:
    label "label" "label of the sequence";
    prev "prev" "serial before this event: the number of the last message that the process took";
    cur "cur" "serial of this event";
    from "from" "process that sent the message, or printed";
    to "to" "process that the message was sent to";
    node "node" "node on which the event happened, where it is known";
    pid "pid" "process in which the event happened";
    process "process" "process in which the event happened, with its node where that is known, as predicates name it";
    msg "msg" "message, or the text that was printed, as a term";
    time "time" in Nanoseconds "time of the event in nanoseconds, if the sequence asked for a timestamp";
    unique "unique" "unique number of a strict monotonic timestamp";
    partner "match" "number of the other event of the transfer: the receive of a send, the send of a receive";
    log "log" "name of the file that has the event";
}

/// The events of a run after they were handed over.
pub(crate) struct OrderedEvents {
    /// The run, as the lazy columns keep it.
    pub(crate) run: Arc<LazyRun>,
    /// The cycles that were broken to order them.
    pub(crate) cycles: Vec<Cycle>,
    /// The rules that some of them may break.
    pub(crate) doubts: DoubtfulRules,
}

/// Orders the events and hands them over; `others` are renumbered to refer to the same events.
pub(crate) fn emit(run: SeqRun, others: &mut [RowId], builder: &mut TraceBuilder) -> OrderedEvents {
    let mut chains = SerialChains::new(&run);
    let mut keys = ProcKeys { run: &run, ids: vec![[None; 3]; run.names.len()], builder, of_events: Vec::new() };
    keys.of_events.reserve(run.rows.len());
    let (seen, order) = EventTotals::beside(&run, || {
        order::order(&run, |id| {
            keys.push(&run.rows[id as usize]);
            chains.place(id);
        })
    });
    let ProcKeys { of_events, .. } = keys;
    builder.append_keys(&of_events, 0);
    builder.keeps_tables(run.bytes());
    let totals = OrderTotals::of(&run, &seen, &chains);
    let has_gaps = chains.has_gaps;
    let CausalOrder { rows, mut cycles, is_forced } = order;
    order::renumber(cycles.iter_mut().flatten().chain(others), &rows);
    let run = Arc::new(LazyRun::new(run, rows));
    let ids = AttributeIds::new(builder);
    if !of_events.is_empty() {
        SeqColumns { run: &run, ids, builder }.all(&seen, &totals);
    }
    let mut doubts = seen.doubts;
    doubts.causes |= has_gaps;
    // a forced order may differ from that of the processes
    doubts.serials |= is_forced;
    OrderedEvents { run, cycles, doubts }
}

/// The keys of process and port.
struct ProcKeys<'r, 'b> {
    run: &'r SeqRun,
    /// For each process, by port.
    ids: Vec<[Option<KeyId>; 3]>,
    builder: &'b mut TraceBuilder,
    of_events: Vec<KeyId>,
}

impl ProcKeys<'_, '_> {
    #[inline]
    fn push(&mut self, row: &SeqRow) {
        let key = match self.ids[row.actor() as usize][row.port as usize] {
            Some(key) => key,
            None => self.new_key(row.actor(), row.port),
        };
        self.of_events.push(key);
    }

    #[cold]
    fn new_key(&mut self, actor: NameId, port: SeqPort) -> KeyId {
        let name = &self.run.names[actor as usize];
        let proc = ProcRow { decl_module: name.node.as_deref(), name: Some(&name.own), ..ProcRow::default() };
        let key = self.builder.key(&proc, Some(port.name()), None);
        self.ids[actor as usize][port as usize] = Some(key);
        key
    }
}

/// Declares the lazy columns.
pub(crate) struct SeqColumns<'r, 'b> {
    pub(crate) run: &'r Arc<LazyRun>,
    pub(crate) ids: AttributeIds,
    pub(crate) builder: &'b mut TraceBuilder,
}

/// The number of an event's value among the values of an attribute.
type NameNumber = fn(&SeqRun, &SeqRow) -> Option<u32>;
/// The value with a number.
type NumberedValue = for<'r> fn(&'r SeqRun, u32) -> Option<Field<'r>>;
/// An integer of an event.
type RowInteger = fn(&SeqRow, &RowDetail) -> Option<i64>;

impl SeqColumns<'_, '_> {
    /// Declares all columns.
    pub(crate) fn all(&mut self, seen: &EventTotals, totals: &OrderTotals) {
        self.names(totals);
        self.numbers(seen);
        self.places(totals);
        self.lines();
        self.messages();
    }

    /// The attributes whose values are names.
    fn names(&mut self, totals: &OrderTotals) {
        let ids = self.ids;
        let [labels, senders, receivers] = totals.are_integers;
        self.name(ids.label, labels, |_, row| Some(row.label));
        self.name(ids.from, senders, |_, row| Some(row.from));
        if totals.has_to {
            self.name(ids.to, receivers, |_, row| row.to.get());
        }
        let actor: NameNumber = |_, row| Some(row.actor());
        if totals.has_nodes {
            let node: NumberedValue = |run, name| run.names[name as usize].node.as_deref().map(Field::Atom);
            self.named(ids.node, actor, node);
        }
        self.name(ids.process, senders && (receivers || !totals.has_to), actor);
        self.named(ids.pid, actor, |run, name| Some(Field::Atom(&run.names[name as usize].own)));
        let log: NameNumber = |run, row| Some(run.log(row));
        self.named(ids.log, log, |run, log| Some(Field::Atom(&run.logs[log as usize].name)));
    }

    /// An attribute of names; it is an integer column if all of them are integers.
    fn name(&mut self, id: AttributeId, are_integers: bool, number: NameNumber) {
        match are_integers {
            true => {
                let run = Arc::clone(self.run);
                self.builder.lazy_ints(id, move |_, ints| fill_integers(&run, number, ints));
            }
            false => self.named(id, number, |run, name| Some(run.names[name as usize].field())),
        }
    }

    fn named(&mut self, id: AttributeId, number: NameNumber, value: NumberedValue) {
        let run = Arc::clone(self.run);
        self.builder.lazy_values(id, move |_, values| fill_values(&run, number, value, values));
    }

    /// The attributes that are numbers.
    fn numbers(&mut self, seen: &EventTotals) {
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

    /// An attribute of integers; `has_least` says whether `i64::MIN` is among them, which integer columns cannot hold.
    fn integer(&mut self, id: AttributeId, has_least: bool, value: RowInteger) {
        let run = Arc::clone(self.run);
        match has_least {
            true => self.builder.lazy_values(id, move |_, values| {
                numbers(&run, value).for_each(|(event, value)| values.set(event, Field::Int(value)));
            }),
            false => self.builder.lazy_ints(id, move |_, ints| {
                numbers(&run, value).for_each(|(event, value)| ints.set(event, value));
            }),
        }
    }

    /// Calls, depths, parents and paths, for which the chains are computed again.
    fn places(&mut self, totals: &OrderTotals) {
        let run = Arc::clone(self.run);
        self.builder.lazy_calls(totals.n_calls, move |_, calls| fill_calls(&run, calls));
        let run = Arc::clone(self.run);
        self.builder.lazy_ints(AttributeId::DEPTH, move |_, depths| fill_depths(&run, depths));
        if totals.has_parents {
            let run = Arc::clone(self.run);
            self.builder.lazy_ints(AttributeId::PARENT, move |_, parents| fill_parents(&run, parents));
        }
        let (run, most_steps) = (Arc::clone(self.run), most_steps(totals.n_steps));
        self.builder.lazy_paths(move |_, paths| fill_paths(&run, most_steps, paths));
    }

    fn lines(&mut self) {
        let line: RowInteger = |_, detail| i64::try_from(detail.line).ok();
        self.integer(AttributeId::LINE_NUMBER, false, line);
        let run = Arc::clone(self.run);
        self.builder.lazy_source_lines(move |_, lines| {
            for (event, detail) in (0..).zip(&run.details) {
                lines.set(event, detail.line);
            }
        });
    }

    fn messages(&mut self) {
        let run = Arc::clone(self.run);
        self.builder.lazy_terms(self.ids.msg, move |_, terms| fill_messages(&run, terms));
    }
}

/// The events that have an integer, with it.
fn numbers(run: &SeqRun, value: RowInteger) -> impl Iterator<Item = (EventId, i64)> {
    let value = move |(event, (row, detail))| Some((event, value(row, detail)?));
    (0..).zip(run.rows.iter().zip(&run.details)).filter_map(value)
}

/// An attribute of names that are all integers.
fn fill_integers(run: &SeqRun, number: NameNumber, ints: &mut LazyInts) {
    let integer = |name: &ResolvedName| match name.field() {
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

/// An attribute with few values, which are numbered; it holds integers only if all of them are integers.
fn fill_values(run: &SeqRun, number: NameNumber, value: NumberedValue, values: &mut LazyValues) {
    let n_values = run.names.len().max(run.logs.len());
    let (mut is_there, mut there) = (vec![false; n_values], Vec::new());
    for number in run.rows.iter().filter_map(|row| number(run, row)) {
        if !std::mem::replace(&mut is_there[number as usize], true) {
            there.extend(value(run, number).map(|value| (number, value)));
        }
    }
    let are_integers = there.iter().all(|(_, value)| matches!(value, Field::Int(_)));
    let mut named: Vec<Option<Field<'_>>> = vec![None; n_values];
    for (number, value) in there {
        named[number as usize] = Some(match value {
            Field::Int(value) if are_integers => Field::Int(value),
            other => Field::Known(values.value(other)),
        });
    }
    for (event, row) in (0..).zip(&run.rows) {
        if let Some(value) = number(run, row).and_then(|number| named[number as usize]) {
            values.set(event, value);
        }
    }
}

/// The message of each event with the nodes of its log; a receive shares the message of its send if they are equal.
fn fill_messages(run: &SeqRun, terms: &mut LazyTerms) {
    let mut of_logs: Vec<_> = run.logs.iter().map(|log| vec![None; log.messages.len()]).collect();
    let mut of_events = Vec::with_capacity(run.rows.len());
    let (mut local, mut text) = (String::new(), String::new());
    for (event, row) in (0..).zip(&run.rows) {
        let sent = row.partner.get().filter(|send| row.port == SeqPort::Receive && row.is_as_sent && *send < event);
        let term = match sent {
            Some(send) => of_events[send as usize],
            None => {
                let message = run.details[event as usize].message;
                let known = &mut of_logs[run.log(row) as usize][message as usize];
                *known.get_or_insert_with(|| {
                    run.write_message(event, &mut local, &mut text);
                    terms.term(&text)
                })
            }
        };
        terms.set(event, term);
        of_events.push(term);
    }
}

/// The chain of serials: a receive has that of its send, another event has a step more than the last message received, and
/// so has a receive whose send is not in the trace.
fn fill_paths(run: &SeqRun, most_steps: usize, named: &mut LazyPaths) {
    let (mut paths, mut step) = (Vec::with_capacity(run.rows.len()), String::new());
    for (event, (row, place)) in (0..).zip(run.rows.iter().zip(SerialChains::new(run))) {
        let before = place.cause.get().map(|cause: RowId| paths[cause as usize]);
        let is_of_send = row.port == SeqPort::Receive && place.cause == row.partner;
        let path = before.filter(|_| is_of_send).unwrap_or_else(|| {
            step.clear();
            write!(step, "{},{}", row.prev, row.cur).expect("writing to a string cannot fail");
            named.extend_path(before, &step, most_steps)
        });
        named.set(event, path);
        paths.push(path);
    }
}

/// The transfers of the events.
fn fill_calls(run: &SeqRun, calls: &mut LazyCalls) {
    for (event, place) in (0..).zip(SerialChains::new(run)).filter(|(_, place)| place.call > 0) {
        calls.set(event, i64::from(place.call));
    }
}

fn fill_depths(run: &SeqRun, depths: &mut LazyInts) {
    for (event, place) in (0..).zip(SerialChains::new(run)) {
        depths.set(event, i64::from(place.depth));
    }
}

/// The transfers that caused those of the events.
fn fill_parents(run: &SeqRun, parents: &mut LazyInts) {
    let mut chains = SerialChains::new(run);
    for (event, row) in (0..).zip(&run.rows) {
        let Some(place) = chains.next() else { break };
        let around = (place.call as usize).checked_sub(1).map_or(0, |call| chains.around[call]);
        if around > 0 && row.port != SeqPort::Print {
            parents.set(event, i64::from(around));
        }
    }
}
