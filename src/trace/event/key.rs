//! Keys: each distinct combination of procedure, port and determinism has one code, so that one narrow column stores
//! all three.

use crate::term::Atom;
use crate::term::hash::{HashMap, NumberMap};

use super::port::{PortRole, PortSet, Traced};
use super::proc::{Proc, ProcId, ProcRow};

/// Number of a port within a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PortId(pub(crate) u32);

/// Number of a combination of procedure, port and determinism within a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct KeyId(pub(crate) u32);

/// The part that all events with one key share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) proc: Option<ProcId>,
    pub(crate) port: Option<PortId>,
    pub(crate) det: Option<Atom>,
}

/// A port of a trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Port {
    pub(crate) name: Atom,
    pub(crate) role: PortRole,
    pub(crate) traced: Traced,
}

/// The keys of a trace, numbered in order of appearance, with their procedures and ports.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    pub(crate) keys: Vec<Key>,
    pub(crate) procs: Vec<Proc>,
    pub(crate) ports: Vec<Port>,
}

impl Keys {
    pub(crate) fn proc(&self, code: u32) -> Option<&Proc> {
        self.keys[code as usize].proc.map(|id| &self.procs[id.0 as usize])
    }

    pub(crate) fn port(&self, code: u32) -> Option<&Port> {
        self.keys[code as usize].port.map(|id| &self.ports[id.0 as usize])
    }

    /// The effect of the events of each key on their boxes.
    pub(crate) fn roles(&self) -> Vec<PortRole> {
        let role = |key| self.port(key).map_or(PortRole::Inside, |port| port.role);
        (0..self.keys.len() as u32).map(role).collect()
    }
}

/// Builder of keys. The hash has a random key, because the texts come from hostile traces.
#[derive(Default)]
pub(crate) struct KeyBuilder {
    codes: NumberMap<Key, u32>,
    proc_ids: HashMap<Box<[u8]>, ProcId>,
    port_ids: HashMap<Box<str>, PortId>,
    dets: HashMap<Box<str>, Atom>,
    scratch: Vec<u8>,
    done: Keys,
}

impl KeyBuilder {
    /// A key that has a number.
    pub(crate) fn key(&self, code: u32) -> Key {
        self.done.keys[code as usize]
    }

    pub(crate) fn code(&mut self, key: Key) -> u32 {
        let next = number(self.done.keys.len());
        let code = *self.codes.entry(key).or_insert(next);
        if code == next {
            self.done.keys.push(key);
        }
        code
    }

    pub(crate) fn proc(&mut self, row: &ProcRow<'_>) -> Option<ProcId> {
        if row.is_empty() {
            return None;
        }
        row.write_key(&mut self.scratch);
        if let Some(id) = self.proc_ids.get(self.scratch.as_slice()) {
            return Some(*id);
        }
        let id = ProcId(number(self.done.procs.len()));
        self.done.procs.push(row.proc());
        self.proc_ids.insert(self.scratch.as_slice().into(), id);
        Some(id)
    }

    pub(crate) fn port(&mut self, spelling: &str, ports: &PortSet) -> PortId {
        if let Some(id) = self.port_ids.get(spelling) {
            return *id;
        }
        let port = match ports.find(spelling) {
            Some(record) => Port { name: Atom::new(record.name), role: record.role, traced: record.traced },
            None => Port { name: Atom::new(spelling), role: PortRole::Inside, traced: Traced::Yes },
        };
        let same = self.done.ports.iter().position(|other| other.name == port.name);
        let id = PortId(number(same.unwrap_or(self.done.ports.len())));
        if same.is_none() {
            self.done.ports.push(port);
        }
        self.port_ids.insert(spelling.into(), id);
        id
    }

    pub(crate) fn finish(self) -> Keys {
        self.done
    }

    pub(crate) fn det(&mut self, name: &str) -> Atom {
        if let Some(atom) = self.dets.get(name) {
            return *atom;
        }
        let atom = Atom::new(name);
        self.dets.insert(name.into(), atom);
        atom
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).expect("there are no more of these than events, which are counted in 32 bits")
}
