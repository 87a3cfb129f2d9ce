//! Ports: the kinds of event that a format declares, with their spellings and what they do to a box.

use super::nearest::nearest;

/// What an event of a port does to the box that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortRole {
    /// Opens it.
    Opens,
    /// Opens it again.
    Reopens,
    /// Closes it.
    Closes,
    /// Neither.
    Inside,
    /// Opens it, and it ends without an event.
    Alone,
}

/// Whether `next` and `step` stop at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traced {
    /// They stop there.
    Yes,
    /// They pass over it.
    No,
}

/// A port that a format declares.
#[derive(Clone, Copy, Debug)]
pub struct PortRecord {
    /// The name under which it is stored and shown.
    pub name: &'static str,
    /// Other spellings that are read and accepted in constraints.
    pub spellings: &'static [&'static str],
    /// What it does to its box.
    pub role: PortRole,
    /// Whether `next` and `step` stop there.
    pub traced: Traced,
}

/// The ports of a format.
#[derive(Clone, Copy, Debug)]
pub enum PortSet {
    /// These and no others.
    Closed(&'static [PortRecord]),
    /// These, and whatever else a trace says.
    Open(&'static [PortRecord]),
}

impl PortSet {
    /// The declared ports.
    pub fn records(&self) -> &'static [PortRecord] {
        match self {
            PortSet::Closed(records) | PortSet::Open(records) => records,
        }
    }

    /// Whether there can be no other ports.
    pub fn is_closed(&self) -> bool {
        matches!(self, PortSet::Closed(_))
    }

    /// The declared port with this name or other spelling.
    pub fn find(&self, spelling: &str) -> Option<&'static PortRecord> {
        self.records().iter().find(|record| record.name == spelling || record.spellings.contains(&spelling))
    }

    /// The declared spelling most like `spelling`, if one is near.
    pub fn nearest(&self, spelling: &str) -> Option<&'static str> {
        let names = self.records().iter().flat_map(|record| record.spellings.iter().copied().chain([record.name]));
        nearest(spelling, names)
    }
}

const fn port(name: &'static str, spellings: &'static [&'static str], role: PortRole, traced: Traced) -> PortRecord {
    PortRecord { name, spellings, role, traced }
}

/// The ports of Mercury's tracer as Morphine names them (Morphine's `traced_ports`, exceptions added).
pub const MERCURY_PORTS: &[PortRecord] = &[
    port("call", &["CALL"], PortRole::Opens, Traced::Yes),
    port("exit", &["EXIT"], PortRole::Closes, Traced::Yes),
    port("redo", &["REDO"], PortRole::Reopens, Traced::Yes),
    port("fail", &["FAIL"], PortRole::Closes, Traced::Yes),
    port("exception", &["EXCEPTION", "EXCP"], PortRole::Closes, Traced::Yes),
    port("cond", &["COND", "ite_cond"], PortRole::Inside, Traced::No),
    port("then", &["THEN", "ite_then"], PortRole::Inside, Traced::Yes),
    port("else", &["ELSE", "ite_else"], PortRole::Inside, Traced::Yes),
    port("neg_enter", &["NEGE"], PortRole::Inside, Traced::No),
    port("neg_success", &["NEGS"], PortRole::Inside, Traced::No),
    port("neg_failure", &["NEGF"], PortRole::Inside, Traced::No),
    port("disj", &["DISJ"], PortRole::Inside, Traced::Yes),
    port("switch", &["SWITCH", "SWTC"], PortRole::Inside, Traced::Yes),
    port("first", &["FIRST", "FRST", "nondet_pragma_first"], PortRole::Inside, Traced::Yes),
    port("later", &["LATER", "LATR", "nondet_pragma_later"], PortRole::Inside, Traced::Yes),
    port("tail", &["TAIL", "tailrec_call"], PortRole::Inside, Traced::No),
    port("user", &["USER"], PortRole::Inside, Traced::No),
];
