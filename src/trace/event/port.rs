//! Ports: the kinds of event that a format declares, their spellings, and their effect on a box.

use super::nearest::nearest;

/// The effect of an event of a port on its box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortRole {
    /// Opens the box.
    Opens,
    /// Reopens it.
    Reopens,
    /// Closes it.
    Closes,
    /// No effect.
    Inside,
    /// Opens the box, which ends without an event.
    Alone,
}

/// Whether `next` and `step` stop at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traced {
    /// They stop there.
    Yes,
    /// They pass over it.
    No,
}

/// A port that a format declares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortRecord {
    /// The canonical name: the one that is stored and shown.
    pub(crate) name: &'static str,
    /// Other spellings, accepted in traces and constraints.
    pub(crate) spellings: &'static [&'static str],
    /// The effect on the event's box.
    pub(crate) role: PortRole,
    /// Whether `next` and `step` stop there.
    pub(crate) traced: Traced,
    /// One line for help: what happens at such an event.
    pub(crate) doc: &'static str,
}

/// The ports of a format.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PortSet {
    /// Only these ports.
    Closed(&'static [PortRecord]),
    /// These ports, and any others that a trace has.
    Open(&'static [PortRecord]),
}

/// What other tools and languages call the ends and beginnings of calls.
const OTHER_NAMES: [(&str, &str); 20] = [
    ("B", "call"),
    ("E", "exit"),
    ("X", "call"),
    ("instant", "event"),
    ("i", "event"),
    ("I", "event"),
    ("begin", "call"),
    ("enter", "call"),
    ("entry", "call"),
    ("start", "call"),
    ("end", "exit"),
    ("finish", "exit"),
    ("leave", "exit"),
    ("return", "exit"),
    ("error", "exception"),
    ("raise", "exception"),
    ("throw", "exception"),
    ("unwind", "exception"),
    ("failed", "fail"),
    ("failure", "fail"),
];

impl PortSet {
    /// The declared ports.
    pub(crate) fn records(&self) -> &'static [PortRecord] {
        match self {
            PortSet::Closed(records) | PortSet::Open(records) => records,
        }
    }

    /// Whether the format has only its declared ports.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self, PortSet::Closed(_))
    }

    /// The declared port with this name or other spelling.
    pub(crate) fn find(&self, spelling: &str) -> Option<&'static PortRecord> {
        self.records().iter().find(|record| record.name == spelling || record.spellings.contains(&spelling))
    }

    /// The ports at which calls end, if the format has only its declared ports.
    pub(crate) fn ends_if_closed(&self) -> impl Iterator<Item = &'static str> {
        let is_closed = self.is_closed();
        let ends = self.records().iter().filter(move |record| is_closed && record.role == PortRole::Closes);
        ends.map(|record| record.name)
    }

    /// The declared port that a word probably means: one that is written nearly so, or that other tools call so.
    pub(crate) fn meant(&self, word: &str) -> Option<&'static str> {
        let other = OTHER_NAMES.iter().find(|(name, _)| *name == word).map(|(_, port)| *port);
        let near = || nearest(word, self.records().iter().map(|record| record.name));
        other.filter(|port| self.find(port).is_some()).or_else(near)
    }

    /// The spellings of the declared ports.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = &'static str> {
        self.records().iter().flat_map(|record| record.spellings.iter().copied().chain([record.name]))
    }
}

const fn port(
    name: &'static str,
    spellings: &'static [&'static str],
    role: PortRole,
    traced: Traced,
    doc: &'static str,
) -> PortRecord {
    PortRecord { name, spellings, role, traced, doc }
}

/// The ports at which calls end that failed, of which a format has one. That a goal `fail`s is no error of its program.
pub(crate) const FAILING_PORTS: [&str; 2] = ["exception", "fail_branch"];

/// The ports of Mercury's tracer as Morphine names them (Morphine's `traced_ports`, exceptions added).
pub(crate) const MERCURY_PORTS: &[PortRecord] = &[
    port("call", &["CALL"], PortRole::Opens, Traced::Yes, "a procedure is called"),
    port("exit", &["EXIT"], PortRole::Closes, Traced::Yes, "a call succeeds"),
    port(
        "redo",
        &["REDO"],
        PortRole::Reopens,
        Traced::Yes,
        "a call that succeeded is entered again for another solution",
    ),
    port("fail", &["FAIL"], PortRole::Closes, Traced::Yes, "a call fails, or has no more solutions"),
    port("exception", &["EXCEPTION", "EXCP"], PortRole::Closes, Traced::Yes, "a call is left by an exception"),
    port("cond", &["COND", "ite_cond"], PortRole::Inside, Traced::No, "the condition of an if-then-else is entered"),
    port(
        "then",
        &["THEN", "ite_then"],
        PortRole::Inside,
        Traced::Yes,
        "the condition holds, and the then-branch is entered",
    ),
    port(
        "else",
        &["ELSE", "ite_else"],
        PortRole::Inside,
        Traced::Yes,
        "the condition fails, and the else-branch is entered",
    ),
    port("neg_enter", &["NEGE"], PortRole::Inside, Traced::No, "a negated goal is entered"),
    port("neg_success", &["NEGS"], PortRole::Inside, Traced::No, "a negation succeeds, as its goal failed"),
    port("neg_failure", &["NEGF"], PortRole::Inside, Traced::No, "a negation fails, as its goal succeeded"),
    port("disj", &["DISJ"], PortRole::Inside, Traced::Yes, "a branch of a disjunction is entered"),
    port(
        "switch",
        &["SWITCH", "SWTC"],
        PortRole::Inside,
        Traced::Yes,
        "a branch of a switch, a disjunction that selects by one variable, is entered",
    ),
    port(
        "first",
        &["FIRST", "FRST", "nondet_pragma_first"],
        PortRole::Inside,
        Traced::Yes,
        "C code with several solutions is entered for its first one",
    ),
    port(
        "later",
        &["LATER", "LATR", "nondet_pragma_later"],
        PortRole::Inside,
        Traced::Yes,
        "C code with several solutions is entered again for another one",
    ),
    port(
        "tail",
        &["TAIL", "tailrec_call"],
        PortRole::Inside,
        Traced::No,
        "a procedure calls itself as its last goal, and its frame is used again",
    ),
    port("user", &["USER"], PortRole::Inside, Traced::No, "a user-defined event of the program"),
];
