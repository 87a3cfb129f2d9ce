//! The assertions that `check --builtin` puts to a trace: predicates of the library file `checks.pl` that its format names.

use super::check::{Check, args_of};
use super::state::Session;
use crate::builtins::library::text_of;
use crate::formats::Format;
use crate::syntax::diagnostic::Source;
use crate::syntax::{ReadFlags, ReadTerm, Reader};
use crate::term::Atom;
use crate::term::ops::OpTable;

/// The library file whose predicates are meant.
const FILE: &str = "checks.pl";

impl Session {
    /// The library's assertions for the format of the trace that it has the events and attributes for, in the order in which
    /// they stand in the library's file.
    pub(crate) fn ready_checks(&self) -> Vec<Check> {
        let Some(trace) = self.trace() else { return Vec::new() };
        let format = Format::named(trace.origin().format).unwrap_or(&Format::PLAIN);
        let source = Source::new(format!("library/{FILE}"), text_of(FILE).unwrap_or_default());
        let checks = clauses().filter_map(|clause| {
            let (name, goal) = rule(clause)?;
            let ready = format.checks.iter().find(|ready| ready.name == name.as_str())?;
            Some(Check::new(ready.name.to_string(), goal, source.clone()).that_needs(ready.needs))
        });
        checks.filter(|check| self.can_answer(check)).collect()
    }

    /// Whether the trace has what an assertion needs; one of a script needs nothing.
    pub(crate) fn can_answer(&self, check: &Check) -> bool {
        self.trace().is_none_or(|trace| check.needs.iter().all(|need| need.is_met(trace)))
    }
}

/// The clauses of the library's assertions.
pub(super) fn clauses() -> impl Iterator<Item = ReadTerm> {
    let (operators, flags) = (OpTable::standard(), ReadFlags::default());
    let mut reader = Reader::new(text_of(FILE).unwrap_or_default());
    std::iter::from_fn(move || reader.read(&operators, &flags).expect("a test reads the whole library"))
}

/// The name of a rule without arguments, and its body.
fn rule(mut clause: ReadTerm) -> Option<(Atom, ReadTerm)> {
    let &[head, body] = args_of(&clause.tree, clause.tree.root(), ":-")? else { return None };
    let (name, 0) = clause.tree.functor(head)? else { return None };
    clause.tree.set_root(body);
    Some((name, clause))
}
