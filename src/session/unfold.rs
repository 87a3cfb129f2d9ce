//! Unfolds an assertion through the rules that it calls, so that a violation shows which part failed.

use super::check::Check;
use super::clause_parts::head_and_body;
use crate::syntax::ReadTerm;
use crate::term::hash::HashSet;
use crate::term::{Atom, Node, NodeId, Span};

/// A goal in which calls of rules are replaced by their bodies.
pub(super) struct Unfolded {
    /// Holds the parts; its root is the original goal.
    pub(super) goal: ReadTerm,
    /// The conjunction, from left to right.
    pub(super) parts: Vec<UnfoldedPart>,
}

/// A goal of the conjunction.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnfoldedPart {
    /// The goal itself.
    pub(super) goal: NodeId,
    /// The goal of the assertion that it comes from.
    pub(super) written: NodeId,
}

impl Check {
    /// The assertion with calls of rules unfolded, each rule once.
    pub(super) fn unfolded(&self) -> Unfolded {
        let mut goal = self.goal.clone();
        let root = goal.tree.root();
        let (mut parts, mut seen) = (Vec::new(), HashSet::default());
        let written = goal.tree.conjuncts(root).into_iter().map(|part| UnfoldedPart { goal: part, written: part });
        let mut waiting: Vec<UnfoldedPart> = written.rev().collect();
        while let Some(part) = waiting.pop() {
            let functor = goal.tree.functor(part.goal).filter(|functor| !seen.contains(functor));
            let Some((functor, rule)) = functor.and_then(|functor| Some((functor, self.rules.only(functor)?))) else {
                parts.push(part);
                continue;
            };
            seen.insert(functor);
            let body = write_out(&mut goal, part.goal, rule);
            waiting.extend(body.into_iter().rev().map(|inner| UnfoldedPart { goal: inner, written: part.written }));
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
    let arguments: Vec<(NodeId, NodeId)> =
        goal.tree.args(call).iter().copied().zip(goal.tree.args(head).iter().copied()).collect();
    let is_internal = goal.tree.functor(call).is_some_and(|(name, _)| name.as_str().starts_with('$'));
    // the value of a parameter is written in the call
    let is_given = |number: u32| {
        let is_it = |node: NodeId| *goal.tree.node(node) == Node::Var(number);
        arguments.iter().any(|(given, asked)| is_it(*asked) && !matches!(goal.tree.node(*given), Node::Var(_)))
    };
    for (name, number, span, times) in rule.variables {
        let number = number + first_variable;
        let is_hidden = is_internal || is_given(number) || goal.variables.iter().any(|known| known.0 == name);
        goal.variables.push((if is_hidden { format!("_{name}") } else { name }, number, span, times));
    }
    let equal =
        |(given, asked): (NodeId, NodeId)| goal.tree.push_compound(Atom::new("="), &[given, asked], Span::default());
    let mut parts: Vec<NodeId> = arguments.into_iter().map(equal).collect();
    parts.extend(goal.tree.conjuncts(body));
    parts
}
