//! The logs of one run put together: every event with names that mean the same in all logs.

use std::ops::Deref;
use std::sync::{Mutex, OnceLock};

use super::log::SeqLog;
use super::nodes::{NodeNames, Pid};
use super::ports::SeqPort;
use super::resets;
use super::rows::{NameId, OptionalId, RowDetail, RowId, SeqRow, Serial};
use super::term::translate;
use crate::formats::lines::text;
use crate::term::hash::HashMap;
use crate::trace::Field;
use crate::trace::threads::lock;

/// The number that an event has in the trace once the events are in order.
pub(crate) fn chrono(row: RowId) -> i64 {
    i64::from(row) + 1
}

/// A label, a process or another name.
#[derive(Debug)]
pub(crate) struct ResolvedName {
    /// Its text, as the language reads it.
    pub(crate) text: String,
    /// The atom that it is, if it is one.
    atom: Option<String>,
    /// The node of a process, if that is known.
    pub(crate) node: Option<String>,
    /// The process without its node.
    pub(crate) own: String,
}

impl ResolvedName {
    fn new(local: &str, nodes: &NodeNames) -> ResolvedName {
        let text = nodes.resolved(local);
        let pid = Pid::of(local);
        let node = pid.and_then(|pid| nodes.of(pid.node)).map(str::to_owned);
        let own = match (pid, &node) {
            (Some(Pid { own: (id, serial), .. }), Some(_)) => format!("<{id}.{serial}>"),
            _ => text::name(text.as_bytes()).into_owned(),
        };
        let is_atom = match text.as_bytes().first() {
            Some(b'\'') => node.is_none() && is_one_quoted(&text),
            Some(first) => (first.is_ascii_lowercase() || *first >= 0x80) && !text.contains(['(', ':']),
            None => false,
        };
        let atom = is_atom.then(|| text::name(text.as_bytes()).into_owned());
        ResolvedName { text, atom, node, own }
    }

    /// The value as an attribute has it.
    pub(crate) fn field(&self) -> Field<'_> {
        match (&self.atom, self.text.parse()) {
            (Some(atom), _) => Field::Atom(atom),
            (None, Ok(number)) => Field::Int(number),
            (None, Err(_)) => Field::Term(&self.text),
        }
    }
}

/// Appends, which is free if the first vector is empty.
fn append<T>(things: &mut Vec<T>, mut more: Vec<T>) {
    if things.is_empty() {
        *things = more;
    } else {
        things.append(&mut more);
    }
}

/// Whether a text that begins with a quote ends with the one that closes it.
fn is_one_quoted(text: &str) -> bool {
    let inner = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    inner.is_some_and(|inner| !inner.replace("\\\\", "").replace("\\'", "").contains('\''))
}

/// All logs together.
#[derive(Debug, Default)]
pub(crate) struct SeqRun {
    pub(crate) logs: Vec<SeqLog>,
    pub(crate) rows: Vec<SeqRow>,
    /// What else these have.
    pub(crate) details: Vec<RowDetail>,
    /// The sends and receives that had no partner when they were read.
    pub(crate) unpaired: Vec<RowId>,
    pub(crate) names: Vec<ResolvedName>,
    name_ids: HashMap<String, NameId>,
    /// The number of each process, by its name and log.
    processes: HashMap<(NameId, u32), u32>,
    /// The log of each process.
    process_logs: Vec<u32>,
    /// Of each name how it sends.
    pub(crate) senders: Vec<Sender>,
    pub(crate) greatest_cur: u64,
}

/// The sends of a process, as they are logged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sender {
    last: Option<Serial>,
    /// Whether their serials never fall.
    pub(crate) is_sorted: bool,
    /// Whether they always rise.
    pub(crate) is_rising: bool,
}

impl Sender {
    const NEW: Sender = Sender { last: None, is_sorted: true, is_rising: true };

    #[inline]
    fn add(&mut self, serial: Serial) {
        if let Some(last) = self.last.replace(serial).filter(|last| serial <= *last) {
            self.is_rising = false;
            self.is_sorted &= serial == last;
        }
    }
}

impl SeqRun {
    /// The events of logs whose nodes are named.
    pub(crate) fn new(mut logs: Vec<SeqLog>) -> SeqRun {
        let mut run = SeqRun::default();
        for (log, number) in logs.iter_mut().zip(0..) {
            let names: Vec<NameId> = log.names.iter().map(|local| run.name(local, &log.nodes)).collect();
            let mut rows = std::mem::take(&mut log.rows);
            run.adopt(&mut rows, &names, number);
            let n_rows = run.rows.len() as RowId;
            run.unpaired.extend(std::mem::take(&mut log.unpaired).into_iter().map(|id| id + n_rows));
            append(&mut run.rows, rows);
            append(&mut run.details, std::mem::take(&mut log.details));
        }
        run.logs = logs;
        run
    }

    fn name(&mut self, local: &str, nodes: &NodeNames) -> NameId {
        let name = ResolvedName::new(local, nodes);
        if let Some(id) = self.name_ids.get(&name.text) {
            return *id;
        }
        let id = self.names.len() as NameId;
        self.name_ids.insert(name.text.clone(), id);
        self.names.push(name);
        id
    }

    /// Makes events of a log those of the run, whose names have other numbers.
    fn adopt(&mut self, rows: &mut [SeqRow], names: &[NameId], log: u32) {
        let mut processes = vec![None; self.names.len()];
        let first_process = self.process_logs.len() as u32;
        let (mut curs, mut has_falls, mut has_sends): (Vec<u64>, _, _) = (Vec::new(), false, false);
        self.senders.resize(self.names.len(), Sender::NEW);
        let n_rows = self.rows.len() as RowId;
        for row in &mut *rows {
            let name = |id: NameId| names[id as usize];
            (row.label, row.from, row.to) = (name(row.label), name(row.from), row.to.map(name));
            row.partner = row.partner.map(|partner| partner + n_rows);
            self.greatest_cur = self.greatest_cur.max(row.cur);
            if row.port == SeqPort::Send {
                has_sends = true;
                self.senders[row.from as usize].add(row.serial());
            }
            let actor = row.actor();
            row.process = *processes[actor as usize].get_or_insert_with(|| self.process(actor, log));
            if row.port != SeqPort::Receive {
                let process = (row.process - first_process) as usize;
                curs.resize(curs.len().max(process + 1), 0);
                has_falls |= std::mem::replace(&mut curs[process], row.cur) >= row.cur;
            }
        }
        if has_falls {
            resets::number_epochs(rows, first_process);
        } else if !has_sends {
            resets::number_epochs_of_receives(rows);
        }
    }

    fn process(&mut self, actor: NameId, log: u32) -> u32 {
        let process_logs = &mut self.process_logs;
        *self.processes.entry((actor, log)).or_insert_with(|| {
            process_logs.push(log);
            process_logs.len() as u32 - 1
        })
    }

    /// How many processes there are.
    pub(crate) fn n_processes(&self) -> usize {
        self.processes.len()
    }

    /// The name of the process where an event happens.
    pub(crate) fn actor(&self, row: &SeqRow) -> &ResolvedName {
        &self.names[row.actor() as usize]
    }

    /// The number of the log of an event.
    pub(crate) fn log(&self, row: &SeqRow) -> u32 {
        self.process_logs[row.process as usize]
    }

    /// Bytes that the events take.
    pub(crate) fn bytes(&self) -> usize {
        let messages: usize = self.logs.iter().map(|log| log.messages.bytes()).sum();
        self.rows.capacity() * size_of::<SeqRow>() + self.details.capacity() * size_of::<RowDetail>() + messages
    }

    /// The message of an event as its log has it.
    fn written(&self, id: RowId) -> &[u8] {
        let log = self.log(&self.rows[id as usize]);
        self.logs[log as usize].messages.at(self.details[id as usize].message)
    }

    /// The message of an event, nodes unresolved.
    pub(crate) fn local_message(&self, id: RowId) -> String {
        let mut message = String::new();
        self.write_local(id, &mut message);
        message
    }

    fn write_local(&self, id: RowId, message: &mut String) {
        message.clear();
        // what was read once is read again
        let _ = translate(self.written(id), 0, message);
    }

    /// Writes the message of an event in place of another one, in two steps.
    pub(crate) fn write_message(&self, id: RowId, local: &mut String, message: &mut String) {
        self.write_local(id, local);
        message.clear();
        self.logs[self.log(&self.rows[id as usize]) as usize].nodes.resolve(local, message);
    }

    fn message(&self, id: RowId) -> String {
        let mut message = String::new();
        self.write_message(id, &mut String::new(), &mut message);
        message
    }

    /// Makes a send and a receive partners.
    pub(crate) fn make_partners(&mut self, send: RowId, receive: RowId) {
        let is_as_sent = self.share_message(send, receive);
        self.rows[send as usize].partner = OptionalId::some(receive);
        let receive = &mut self.rows[receive as usize];
        (receive.partner, receive.is_as_sent) = (OptionalId::some(send), is_as_sent);
    }

    /// Whether a receive has the message of a send; then it is held once, if it is written in the same way.
    fn share_message(&mut self, send: RowId, receive: RowId) -> bool {
        let message = |id: RowId| self.details[id as usize].message;
        let same_log = self.log(&self.rows[send as usize]) == self.log(&self.rows[receive as usize]);
        if same_log && message(send) == message(receive) {
            return true;
        }
        if same_log && self.written(send) == self.written(receive) {
            self.details[receive as usize].message = message(send);
            return true;
        }
        self.message(send) == self.message(receive)
    }

    /// Puts the events in another order.
    pub(crate) fn arrange(&mut self, mut order: Vec<RowId>) {
        if order.iter().copied().eq(0..order.len() as RowId) {
            return;
        }
        let numbers = numbers(&order);
        self.rows.iter_mut().for_each(|row| row.partner = row.partner.map(|partner| numbers[partner as usize]));
        for start in 0..order.len() {
            self.arrange_from(start, &mut order);
        }
    }

    /// Moves the events of a cycle of places to where they belong; those that are in place have their own number in `order`.
    fn arrange_from(&mut self, start: usize, order: &mut [RowId]) {
        let first = (self.rows[start], self.details[start]);
        let mut place = start;
        loop {
            let from = std::mem::replace(&mut order[place], place as RowId) as usize;
            if from == start {
                break;
            }
            (self.rows[place], self.details[place]) = (self.rows[from], self.details[from]);
            place = from;
        }
        (self.rows[place], self.details[place]) = first;
    }

    /// The event after each event in its process, and how many events each waits for: the one before it, and the send of
    /// a receive.
    pub(crate) fn followers(&self) -> (Vec<OptionalId>, Vec<u8>) {
        let n_rows = self.rows.len();
        let (mut followers, mut n_before) = (vec![OptionalId::NONE; n_rows], Vec::with_capacity(n_rows));
        let mut last = vec![OptionalId::NONE; self.n_processes()];
        for (row, id) in self.rows.iter().zip(0..) {
            let waits = row.port == SeqPort::Receive && row.partner != OptionalId::NONE;
            let last = std::mem::replace(&mut last[row.process as usize], OptionalId::some(id));
            n_before.push(u8::from(waits) + u8::from(last != OptionalId::NONE));
            if let Some(last) = last.get() {
                followers[last as usize] = OptionalId::some(id);
            }
        }
        (followers, n_before)
    }
}

/// The place of each event in an order.
pub(crate) fn numbers(order: &[RowId]) -> Vec<RowId> {
    let mut numbers = vec![0; order.len()];
    for (row, number) in order.iter().zip(0..) {
        numbers[*row as usize] = number;
    }
    numbers
}

/// A run whose events are put in order when they are first asked for.
pub(crate) struct LazyRun {
    unordered: Mutex<Option<(SeqRun, Vec<RowId>)>>,
    run: OnceLock<SeqRun>,
}

impl LazyRun {
    /// The events of a run in an order.
    pub(crate) fn new(run: SeqRun, order: Vec<RowId>) -> LazyRun {
        LazyRun { unordered: Mutex::new(Some((run, order))), run: OnceLock::new() }
    }
}

impl Deref for LazyRun {
    type Target = SeqRun;

    fn deref(&self) -> &SeqRun {
        self.run.get_or_init(|| {
            let unordered = lock(&self.unordered).take();
            let (mut run, order) = unordered.unwrap_or_default();
            run.arrange(order);
            run
        })
    }
}
