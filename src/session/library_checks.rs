//! The assertions of `check --builtin`: predicates of the library file `checks.pl` that the format of the trace names.

use super::check::Check;
use super::clause_parts::args_of;
use super::rules::{LIBRARY_FILE, library_clauses, library_text};
use super::state::Session;
use crate::formats::{Format, ready_checks};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::Source;
use crate::term::Atom;

impl Session {
    /// The library's assertions for the format of the trace, in the order of the library file, without those whose
    /// events or attributes the trace lacks.
    pub(crate) fn library_checks(&self) -> Vec<Check> {
        let Some(trace) = self.trace() else { return Vec::new() };
        let format = Format::named(trace.origin().format).unwrap_or(&Format::PLAIN);
        let ready = ready_checks(trace, format.checks);
        let source = Source::new(format!("library/{LIBRARY_FILE}"), library_text());
        let checks = library_clauses().filter_map(|clause| {
            let (name, goal) = rule(clause)?;
            let known = ready.iter().find(|known| known.name == name.as_str())?;
            Some(Check::new(known.name.to_string(), goal, source.clone()).that_needs(known.needs))
        });
        checks.filter(|check| self.can_answer(check)).collect()
    }

    /// Whether the trace has what an assertion needs; assertions of scripts have no such needs.
    pub(crate) fn can_answer(&self, check: &Check) -> bool {
        self.trace().is_none_or(|trace| check.needs.iter().all(|need| need.is_met(trace)))
    }
}

/// The name of a rule without arguments, and its body.
fn rule(mut clause: ReadTerm) -> Option<(Atom, ReadTerm)> {
    let &[head, body] = args_of(&clause.tree, clause.tree.root(), ":-")? else { return None };
    let (name, 0) = clause.tree.functor(head)? else { return None };
    clause.tree.set_root(body);
    Some((name, clause))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::FORMATS;

    #[test]
    fn every_assertion_of_a_format_is_one_of_the_library_file() {
        let known: Vec<Atom> = library_clauses().filter_map(rule).map(|(name, _)| name).collect();
        for (format, check) in FORMATS.iter().flat_map(|format| format.checks.iter().map(move |check| (format, check)))
        {
            assert!(known.iter().any(|name| name.as_str() == check.name), "{}: {}", format.name, check.name);
        }
    }
}
