//! The assertions that `check --builtin` puts to a trace: predicates of the library file `checks.pl`, by format.

use super::check::{Check, args_of};
use super::state::Session;
use crate::builtins::library::FILES;
use crate::syntax::diagnostic::Source;
use crate::syntax::{ReadFlags, ReadTerm, Reader};
use crate::term::Atom;
use crate::term::ops::OpTable;
use crate::trace::Trace;

/// The library file whose predicates are meant.
const FILE: &str = "checks.pl";

/// What is asked of formats that have no row below: of calls in boxes.
const BOXES: &[&str] = &["well_formed", "every_call_ends", "boxes_alternate", "boxes_nest", "determinism_is_kept"];

/// What is asked of the traces of a format.
const CHECKS: &[(&str, &[&str])] = &[
    (
        "mpd",
        &[
            "well_formed",
            "every_process_ends",
            "boxes_alternate",
            "no_deadlock",
            "every_semaphore_released",
            "every_invocation_served",
            "every_invocation_answered",
        ],
    ),
    ("seqtrace", &["well_formed", "every_message_received", "every_receive_sent"]),
    ("visandor", &["well_formed", "boxes_alternate", "every_fork_joins", "every_goal_finishes", "every_branch_ends"]),
    ("posix", &["well_formed", "every_span_ends", "boxes_alternate", "nothing_lost", "nothing_truncated"]),
];

/// What a trace must have for an assertion to say something about it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Need {
    /// An attribute.
    Attribute(&'static str),
    /// An event of a port.
    Port(&'static str),
}

impl Need {
    /// Whether a trace has it; one without events lacks nothing.
    fn is_met(self, trace: &Trace) -> bool {
        match self {
            _ if trace.schema().is_empty() => true,
            Need::Attribute(name) => trace.schema().find(name).is_some(),
            Need::Port(name) => trace.ports().any(|(_, port)| port.as_str() == name),
        }
    }
}

/// What each assertion needs beside the attributes that every trace of its format has.
const NEEDS: &[(&str, &[Need])] = &[
    ("every_call_ends", &[Need::Attribute("call")]),
    ("every_span_ends", &[Need::Attribute("call"), Need::Port("call")]),
    ("boxes_alternate", &[Need::Attribute("call"), Need::Attribute("port")]),
    ("boxes_nest", &[Need::Attribute("call")]),
    ("determinism_is_kept", &[Need::Attribute("det"), Need::Attribute("call"), Need::Attribute("port")]),
    ("every_message_received", &[Need::Port("send"), Need::Attribute("call")]),
    ("every_receive_sent", &[Need::Port("send")]),
    ("every_fork_joins", &[Need::Port("fork"), Need::Attribute("call")]),
    ("every_goal_finishes", &[Need::Port("start_goal"), Need::Attribute("call")]),
    ("every_branch_ends", &[Need::Port("start_branch"), Need::Attribute("call")]),
];

impl Session {
    /// The library's assertions for the format of the trace that it has the events and attributes for, in the order in which
    /// they stand in the library's file.
    pub fn ready_checks(&self) -> Vec<Check> {
        let Some(trace) = self.trace() else { return Vec::new() };
        let row = CHECKS.iter().find(|(format, _)| *format == trace.origin().format);
        let wanted = row.map_or(BOXES, |(_, checks)| checks);
        let source = Source::new(format!("library/{FILE}"), text());
        let checks = clauses().filter_map(|clause| {
            let (name, goal) = rule(clause)?;
            let check = Check::new(name.as_str().to_string(), goal, source.clone());
            wanted.contains(&name.as_str()).then(|| check.that_needs(needs(name.as_str())))
        });
        checks.filter(|check| self.can_answer(check)).collect()
    }

    /// Whether the trace has what an assertion needs; one of a script needs nothing.
    pub fn can_answer(&self, check: &Check) -> bool {
        self.trace().is_none_or(|trace| check.needs.iter().all(|need| need.is_met(trace)))
    }
}

/// The clauses of the library's assertions.
pub(super) fn clauses() -> impl Iterator<Item = ReadTerm> {
    let (operators, flags) = (OpTable::standard(), ReadFlags::default());
    let mut reader = Reader::new(text());
    std::iter::from_fn(move || reader.read(&operators, &flags).expect("a test reads the whole library"))
}

fn text() -> &'static str {
    FILES.iter().find(|(file, _)| *file == FILE).map_or("", |(_, text)| text)
}

fn needs(check: &str) -> &'static [Need] {
    NEEDS.iter().find(|(name, _)| *name == check).map_or(&[], |(_, needs)| needs)
}

/// The name of a rule without arguments, and its body.
fn rule(mut clause: ReadTerm) -> Option<(Atom, ReadTerm)> {
    let &[head, body] = args_of(&clause.tree, clause.tree.root(), ":-")? else { return None };
    let (name, 0) = clause.tree.functor(head)? else { return None };
    clause.tree.set_root(body);
    Some((name, clause))
}
