//! Unfolds an assertion through the rules that it calls, so that a violation shows which part failed.

use std::collections::{HashMap, HashSet};

use super::check::{Check, args_of, head_and_body};
use super::library_checks;
use crate::syntax::ReadTerm;
use crate::term::{Atom, NodeId, Span, Tree};

type Functor = (Atom, usize);

/// The clauses of a script.
#[derive(Debug, Default)]
pub(super) struct Rules {
    clauses: HashMap<Functor, Vec<ReadTerm>>,
}

/// A goal in which calls of rules are replaced by their bodies.
pub(super) struct Unfolded {
    /// Holds the parts; its root is the original goal.
    pub(super) goal: ReadTerm,
    /// The conjunction, from left to right.
    pub(super) parts: Vec<Part>,
}

/// A goal of the conjunction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The goal itself.
    pub(super) goal: NodeId,
    /// The goal of the assertion that it comes from.
    pub(super) written: NodeId,
}

impl Rules {
    /// Adds a clause.
    pub(super) fn add(&mut self, mut clause: ReadTerm) {
        let (head, _) = head_and_body(&mut clause);
        if let Some(functor) = clause.tree.functor(head) {
            self.clauses.entry(functor).or_default().push(clause);
        }
    }

    /// The only clause, without a cut, of a predicate of the script or an assertion of the library.
    fn only(&self, functor: Functor) -> Option<ReadTerm> {
        let clause = match self.clauses.get(&functor).map(Vec::as_slice) {
            Some([clause]) => clause.clone(),
            Some(_) => return None,
            None => library_rule(functor)?,
        };
        let has_cut =
            (0..clause.tree.len()).any(|node| clause.tree.functor(node as NodeId) == Some((Atom::new("!"), 0)));
        (!has_cut).then_some(clause)
    }
}

/// An assertion of the library; its source positions are not in the script.
fn library_rule(functor: Functor) -> Option<ReadTerm> {
    let mut clause = library_checks::clauses().find(|clause| {
        let head = args_of(&clause.tree, clause.tree.root(), ":-").and_then(|sides| sides.first());
        head.is_some_and(|head| clause.tree.functor(*head) == Some(functor))
    })?;
    (0..clause.tree.len()).for_each(|node| clause.tree.set_span(node as NodeId, Span::default()));
    Some(clause)
}

impl Check {
    /// The assertion with calls of rules unfolded, each rule once.
    pub(super) fn unfolded(&self) -> Unfolded {
        let mut goal = self.goal.clone();
        let root = goal.tree.root();
        let (mut parts, mut seen) = (Vec::new(), HashSet::new());
        let written = conjuncts(&goal.tree, root).into_iter().map(|part| Part { goal: part, written: part });
        let mut waiting: Vec<Part> = written.rev().collect();
        while let Some(part) = waiting.pop() {
            let functor = goal.tree.functor(part.goal).filter(|functor| !seen.contains(functor));
            let Some((functor, rule)) = functor.and_then(|functor| Some((functor, self.rules.only(functor)?))) else {
                parts.push(part);
                continue;
            };
            seen.insert(functor);
            let body = write_out(&mut goal, part.goal, rule);
            waiting.extend(body.into_iter().rev().map(|inner| Part { goal: inner, written: part.written }));
        }
        goal.tree.set_root(root);
        Unfolded { goal, parts }
    }
}

/// The goals to which a call of a rule unfolds: unifications of the arguments with the head, and the body.
fn write_out(goal: &mut ReadTerm, call: NodeId, mut rule: ReadTerm) -> Vec<NodeId> {
    let (head, body) = head_and_body(&mut rule);
    let pair = rule.tree.push_compound(Atom::new(":-"), &[head, body], Span::default());
    rule.tree.set_root(pair);
    let first_variable = goal.n_variables;
    let root = goal.tree.graft(&rule.tree, first_variable);
    let (head, body) = (goal.tree.args(root)[0], goal.tree.args(root)[1]);
    goal.n_variables += rule.n_variables;
    for (name, number, span, times) in rule.variables {
        let name = if goal.variables.iter().any(|known| known.0 == name) { format!("_{name}") } else { name };
        goal.variables.push((name, number + first_variable, span, times));
    }
    let arguments: Vec<(NodeId, NodeId)> =
        goal.tree.args(call).iter().copied().zip(goal.tree.args(head).iter().copied()).collect();
    let equal =
        |(given, asked): (NodeId, NodeId)| goal.tree.push_compound(Atom::new("="), &[given, asked], Span::default());
    let mut parts: Vec<NodeId> = arguments.into_iter().map(equal).collect();
    parts.extend(conjuncts(&goal.tree, body));
    parts
}

/// The goals of a conjunction from left to right.
pub(super) fn conjuncts(tree: &Tree, goal: NodeId) -> Vec<NodeId> {
    let mut parts = Vec::new();
    let mut waiting = vec![goal];
    while let Some(goal) = waiting.pop() {
        match args_of(tree, goal, ",") {
            Some(&[first, rest]) => waiting.extend([rest, first]),
            _ => parts.push(goal),
        }
    }
    parts
}
