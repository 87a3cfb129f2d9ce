//! The logs of one run put together: every event with names that mean the same in all logs.

use std::collections::HashMap;

use super::log::{Event, Log, NameId, Port, Time};
use super::names::{Nodes, Pid};
use crate::formats::text;
use crate::trace::Field;

/// Number of an event among those of all logs.
pub type RowId = u32;

/// An event of a run.
#[derive(Clone, Debug)]
pub struct Row {
    pub port: Port,
    pub label: NameId,
    pub prev: u64,
    pub cur: u64,
    pub from: NameId,
    pub to: Option<NameId>,
    pub time: Option<Time>,
    /// The number of its log.
    pub log: u32,
    /// Its number in the log; that of the receive for a send that was made up.
    pub event: u32,
    pub line: u64,
    pub is_made_up: bool,
    /// The send of a receive, the receive of a send.
    pub partner: Option<RowId>,
    /// The process where it happens, as one log sees it.
    pub process: u32,
}

/// A label, a process or another name.
#[derive(Debug)]
pub struct Name {
    /// Its text, as the language reads it.
    pub text: String,
    /// The atom that it is, if it is one.
    atom: Option<String>,
    /// The node of a process, if that is known.
    pub node: Option<String>,
    /// The process without its node.
    pub own: String,
}

impl Name {
    fn new(local: &str, nodes: &Nodes) -> Name {
        let text = nodes.resolved(local).into_owned();
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
        Name { text, atom, node, own }
    }

    /// The value as an attribute has it.
    pub fn field(&self) -> Field<'_> {
        match (&self.atom, self.text.parse()) {
            (Some(atom), _) => Field::Atom(atom),
            (None, Ok(number)) => Field::Int(number),
            (None, Err(_)) => Field::Term(&self.text),
        }
    }
}

/// Whether a text that begins with a quote ends with the one that closes it.
fn is_one_quoted(text: &str) -> bool {
    let inner = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    inner.is_some_and(|inner| !inner.replace("\\\\", "").replace("\\'", "").contains('\''))
}

/// The events of all logs.
#[derive(Debug, Default)]
pub struct Run {
    pub logs: Vec<Log>,
    pub rows: Vec<Row>,
    pub names: Vec<Name>,
    name_ids: HashMap<String, NameId>,
    /// The number of each process, by its name and log.
    processes: HashMap<(NameId, u32), u32>,
}

impl Run {
    /// The events of logs whose nodes are named.
    pub fn new(logs: Vec<Log>) -> Run {
        let mut run = Run::default();
        for (log, number) in logs.iter().zip(0..) {
            let names: Vec<NameId> = log.names().iter().map(|local| run.name(local, &log.nodes)).collect();
            run.rows.reserve(log.events.len());
            for (event, index) in log.events.iter().zip(0..) {
                run.add(event, &names, number, index);
            }
        }
        run.logs = logs;
        run
    }

    fn name(&mut self, local: &str, nodes: &Nodes) -> NameId {
        let name = Name::new(local, nodes);
        if let Some(id) = self.name_ids.get(&name.text) {
            return *id;
        }
        let id = self.names.len() as NameId;
        self.name_ids.insert(name.text.clone(), id);
        self.names.push(name);
        id
    }

    fn add(&mut self, event: &Event, names: &[NameId], log: u32, index: u32) {
        let name = |id: NameId| names[id as usize];
        let (from, to) = (name(event.from), event.to.map(name));
        let actor = if event.port == Port::Receive { to.unwrap_or(from) } else { from };
        let process = self.process(actor, log);
        self.rows.push(Row {
            port: event.port,
            label: name(event.label),
            prev: event.prev,
            cur: event.cur,
            from,
            to,
            time: event.time,
            log,
            event: index,
            line: event.line,
            is_made_up: false,
            partner: None,
            process,
        });
    }

    fn process(&mut self, actor: NameId, log: u32) -> u32 {
        let next = self.processes.len() as u32;
        *self.processes.entry((actor, log)).or_insert(next)
    }

    /// How many processes there are.
    pub fn n_processes(&self) -> usize {
        self.processes.len()
    }

    /// The name of the process where an event happens.
    pub fn actor(&self, row: &Row) -> &Name {
        let actor = if row.port == Port::Receive { row.to.unwrap_or(row.from) } else { row.from };
        &self.names[actor as usize]
    }

    /// The message of an event, nodes unresolved.
    pub fn local_message(&self, row: &Row) -> &str {
        let log = &self.logs[row.log as usize];
        log.text(&log.events[row.event as usize])
    }

    /// The message of an event.
    pub fn message(&self, row: &Row) -> std::borrow::Cow<'_, str> {
        self.logs[row.log as usize].nodes.resolved(self.local_message(row))
    }

    /// Makes up the sends of the receives, which no log has; gives how many.
    pub fn make_up_sends(&mut self) -> usize {
        if self.rows.iter().any(|row| row.port == Port::Send) {
            return 0;
        }
        let n_rows = self.rows.len();
        for receive in 0..n_rows {
            let row = self.rows[receive].clone();
            if row.port != Port::Receive {
                continue;
            }
            let home = (0..self.logs.len() as u32).find(|log| self.processes.contains_key(&(row.from, *log)));
            let process = self.process(row.from, home.unwrap_or(row.log));
            let send = self.rows.len() as RowId;
            self.rows[receive].partner = Some(send);
            let partner = Some(receive as RowId);
            self.rows.push(Row { port: Port::Send, time: None, is_made_up: true, process, partner, ..row });
        }
        self.rows.len() - n_rows
    }

    /// The events of each process, in its order.
    pub fn sequences(&self) -> Vec<Vec<RowId>> {
        let mut sequences = vec![Vec::new(); self.n_processes()];
        let (logged, made_up): (Vec<RowId>, Vec<RowId>) =
            (0..self.rows.len() as RowId).partition(|row| !self.rows[*row as usize].is_made_up);
        for row in logged {
            sequences[self.rows[row as usize].process as usize].push(row);
        }
        let mut sends = vec![Vec::new(); self.n_processes()];
        for row in made_up {
            sends[self.rows[row as usize].process as usize].push(row);
        }
        sequences.into_iter().zip(sends).map(|(logged, sends)| self.merged(logged, sends)).collect()
    }

    /// Puts sends that were made up among the other events of their process: where its counter stood below theirs.
    fn merged(&self, logged: Vec<RowId>, mut sends: Vec<RowId>) -> Vec<RowId> {
        if sends.is_empty() {
            return logged;
        }
        let cur = |row: &RowId| self.rows[*row as usize].cur;
        sends.sort_by_key(cur);
        let mut merged = Vec::with_capacity(logged.len() + sends.len());
        let mut next = sends.into_iter().peekable();
        for row in logged {
            while let Some(send) = next.next_if(|send| cur(send) <= cur(&row)) {
                merged.push(send);
            }
            merged.push(row);
        }
        merged.extend(next);
        merged
    }
}
