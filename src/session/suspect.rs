//! Suspicious clauses of a script: those that redefine a predicate of the trace, and those of a misspelt `check`.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::check::head_and_body;
use super::state::Session;
use crate::builtins::trace::FAMILIES;
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::{ReadTerm, Reader};
use crate::term::{Atom, NodeId, Span};
use crate::trace::nearest;

type Functor = (Atom, usize);

/// The predicates that the clauses of a script define and call.
#[derive(Default)]
struct Seen {
    /// The defined ones, with the position of the first clause.
    defined: Vec<(Functor, Span)>,
    /// Those that occur anywhere in a body or directive.
    called: HashSet<Functor>,
}

impl Session {
    /// Warnings about a consulted script.
    pub(super) fn suspect_clauses(&self, script: &Path) -> Vec<Diagnostic> {
        let Ok(bytes) = std::fs::read(script) else { return Vec::new() };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let source = Source::new(script.display().to_string(), text.as_str());
        let goals = self.goals();
        let (mut reader, mut seen) = (Reader::new(&text), Seen::default());
        loop {
            match reader.read(&goals.operators, &goals.flags) {
                Ok(None) => return seen.warnings(&source),
                Ok(Some(clause)) => seen.add(clause),
                Err(_) => {}
            }
        }
    }
}

impl Seen {
    fn add(&mut self, mut clause: ReadTerm) {
        let (head, _) = head_and_body(&mut clause);
        let tree = &clause.tree;
        let Some(functor) = tree.functor(head) else { return };
        let others = (0..tree.len()).map(|node| node as NodeId).filter(|node| *node != head);
        self.called.extend(others.filter_map(|node| tree.functor(node)));
        if !self.defined.iter().any(|(known, _)| *known == functor) {
            self.defined.push((functor, tree.span(head)));
        }
    }

    fn warnings(&self, source: &Arc<Source>) -> Vec<Diagnostic> {
        let has_checks = self.defined.iter().any(|(functor, _)| *functor == (Atom::new("check"), 1));
        let message = |functor: &Functor| match functor {
            (name, arity) if is_of_trace(name.as_str(), *arity) => Some(format!(
                "`{name}/{arity}` asks the trace; in this script its own clauses replace that (use another name to keep both)"
            )),
            (name, 1) if has_checks && !self.called.contains(functor) && is_misspelt(name.as_str()) => {
                Some(format!("`{name}/1` is not a check and is never called (did you mean `check`?)"))
            }
            _ => None,
        };
        let warning = |(functor, span): &(Functor, Span)| Some(Diagnostic::warning(source, *span, message(functor)?));
        self.defined.iter().filter_map(warning).collect()
    }
}

/// Whether a native predicate queries the trace.
fn is_of_trace(name: &str, arity: usize) -> bool {
    FAMILIES.iter().flat_map(|(_, table)| *table).any(|record| record.name == name && record.arity == arity)
}

fn is_misspelt(name: &str) -> bool {
    name != "check" && nearest(name, std::iter::once("check")).is_some()
}
