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
            "every_call_ends",
            "boxes_alternate",
            "no_deadlock",
            "every_semaphore_released",
            "every_invocation_served",
            "every_invocation_answered",
        ],
    ),
    ("seqtrace", &["well_formed", "every_message_received", "every_receive_sent"]),
    ("visandor", &["well_formed", "boxes_alternate", "every_fork_joins", "every_goal_finishes"]),
    ("posix", &["well_formed", "boxes_alternate", "nothing_lost", "nothing_truncated"]),
];

/// Assertions that make sense only of a trace that has an attribute.
const NEEDS: &[(&str, &str)] = &[("determinism_is_kept", "det")];

impl Session {
    /// The library's assertions for the format of the trace, in the order in which they stand in its file.
    pub fn ready_checks(&self) -> Vec<Check> {
        let Some(trace) = self.trace() else { return Vec::new() };
        let wanted = wanted(trace);
        let source = Source::new(format!("library/{FILE}"), text());
        let checks = clauses().filter_map(|clause| {
            let (name, goal) = rule(clause)?;
            wanted.contains(&name.as_str()).then(|| Check::new(name.as_str().to_string(), goal, source.clone()))
        });
        checks.collect()
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

fn wanted(trace: &Trace) -> Vec<&'static str> {
    let row = CHECKS.iter().find(|(format, _)| *format == trace.origin().format);
    let can_be_asked = |check: &&&str| {
        NEEDS.iter().all(|(needing, attribute)| needing != *check || trace.schema().find(attribute).is_some())
    };
    row.map_or(BOXES, |(_, checks)| checks).iter().filter(can_be_asked).copied().collect()
}

/// The name of a rule without arguments, and its body.
fn rule(mut clause: ReadTerm) -> Option<(Atom, ReadTerm)> {
    let &[head, body] = args_of(&clause.tree, clause.tree.root(), ":-")? else { return None };
    let (name, 0) = clause.tree.functor(head)? else { return None };
    clause.tree.set_root(body);
    Some((name, clause))
}
