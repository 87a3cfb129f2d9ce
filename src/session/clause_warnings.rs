//! Warnings about clauses of a script that redefine a predicate of the trace, misspell `check`, or have `matches(..)` where it
//! is a term.

use std::sync::Arc;

use super::clause_parts::head_and_body;
use super::rules::Functor;
use crate::builtins::trace::FAMILIES;
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::term::hash::HashSet;
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};
use crate::trace::{AttributeId, known_attribute, nearest};

/// The predicates that the clauses of a script define and call.
#[derive(Default)]
struct Seen {
    /// The defined ones, with the position of the first clause.
    defined: Vec<(Functor, Span)>,
    /// Those that occur anywhere in a body or directive.
    called: HashSet<Functor>,
}

/// Warnings about the clauses of a script.
pub(super) fn clause_warnings(clauses: &[ReadTerm], source: &Arc<Source>) -> Vec<Diagnostic> {
    let mut seen = Seen::default();
    clauses.iter().for_each(|clause| seen.add(clause.clone()));
    let mut warnings = seen.warnings(source);
    let terms = clauses.iter().flat_map(|clause| forms_in_terms(&clause.tree));
    warnings.extend(terms.map(|span| {
        let message = "`matches(..)` inside of an argument is a term like any other: \
                       write `arg(1) = matches(..)`, or `'arg.KEY' = matches(..)` for a key of an object";
        Diagnostic::warning(source, span, message)
    }));
    warnings
}

/// Where `matches(..)` stands inside of an argument in a constraint.
fn forms_in_terms(tree: &Tree) -> Vec<Span> {
    let is_form = |node: &NodeId| tree.functor(*node) == Some((atoms::MATCHES, 1));
    let is_form_or_negated = |node: &NodeId| {
        is_form(node) || tree.functor(*node) == Some((atoms::NOT, 1)) && tree.args(*node).iter().all(is_form)
    };
    let (mut waiting, mut found) = (Vec::new(), Vec::new());
    for node in 0..tree.len() as NodeId {
        let Some((atoms::EQUALS | atoms::NOT_EQUALS, 2)) = tree.functor(node) else { continue };
        let &[name, mut value] = tree.args(node) else { continue };
        let is_of_all =
            matches!(tree.node(name), Node::Atom(name) if known_attribute(name.as_str()) == Some(AttributeId::ARGS));
        if tree.functor(name) == Some((atoms::ARG, 1)) && !is_form_or_negated(&value) {
            waiting.push(value);
        }
        while let (true, Some((atoms::DOT, 2)), &[item, rest]) = (is_of_all, tree.functor(value), tree.args(value)) {
            waiting.extend(Some(item).filter(|item| !is_form_or_negated(item)));
            value = rest;
        }
    }
    while let Some(node) = waiting.pop() {
        found.extend(is_form(&node).then(|| tree.span(node)));
        waiting.extend_from_slice(tree.args(node));
    }
    found
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
        let message = |functor: &Functor| match functor {
            (name, arity) if is_of_trace(name.as_str(), *arity) => Some(format!(
                "`{name}/{arity}` asks the trace; in this script its own clauses replace that (use another name to keep both)"
            )),
            (name, arity) if *name == Atom::new("check") && *arity != 1 && !self.called.contains(functor) => {
                Some(format!("`check/{arity}` is not a check and is never called: a check is `check(Name) :- Goal.`"))
            }
            (name, 1) if !self.called.contains(functor) && is_misspelt(name.as_str()) => {
                Some(format!("`{name}/1` is not a check and is never called (did you mean `check`?)"))
            }
            _ => None,
        };
        let warning = |(functor, span): &(Functor, Span)| Some(Diagnostic::warning(source, *span, message(functor)?));
        self.defined.iter().filter_map(warning).collect()
    }
}

/// Whether a native predicate queries the trace.
pub(super) fn is_of_trace(name: &str, arity: usize) -> bool {
    FAMILIES.iter().flat_map(|(_, table)| *table).any(|record| record.name == name && record.arity == arity)
}

fn is_misspelt(name: &str) -> bool {
    name != "check" && nearest(name, std::iter::once("check")).is_some()
}
