//! Assertions that stay violated once they are, whatever the trace goes on with: a violation is told as soon as it is there.

use super::check::Check;
use super::clause_parts::args_of;
use super::unfold::Unfolded;
use crate::builtins::effects::KnownPredicate;
use crate::builtins::trace::{is_assertion, is_of_later_events, is_of_order, stays_violated};
use crate::engine::{Effect, SearchCourse, Summary};
use crate::formats::EventOrder;
use crate::term::{Node, NodeId, Tree, atoms};
use crate::trace::{AttributeId, BASE, known_attribute};

impl Check {
    /// Whether no later line can mend a violation in a trace whose events have this order.
    pub(crate) fn stays_violated(&self, order: EventOrder) -> bool {
        let Unfolded { goal, parts } = self.unfolded();
        let tree = &goal.tree;
        if order == EventOrder::OfTime && (0..tree.len()).any(|node| is_about_order(tree, node as NodeId)) {
            return false;
        }
        let is_of_later = |node: usize| match tree.node(node as NodeId) {
            Node::Atom(name) => is_of_later_events(name.as_str()),
            _ => false,
        };
        let nodes = 0..tree.len();
        !nodes.clone().any(is_of_later)
            && !nodes.map(|node| node as NodeId).any(|node| may_differ_later(tree, node))
            && parts.iter().all(|part| stays_false(tree, part.goal))
    }
}

/// The attributes whose values depend on the events before, and around.
const IN_ORDER: [AttributeId; 5] =
    [AttributeId::CHRONO, AttributeId::DEPTH, AttributeId::PARENT, AttributeId::STACK, AttributeId::GOAL_PATH];

/// Whether a part of a goal is about what comes before an event, or around it.
fn is_about_order(tree: &Tree, node: NodeId) -> bool {
    if let Node::Atom(name) = tree.node(node) {
        return known_attribute(name.as_str()).is_some_and(|id| IN_ORDER.contains(&id));
    }
    tree.functor(node).is_some_and(|(name, _)| is_of_order(name.as_str()))
}

/// Whether a constraint asks for a number in an attribute of a trace's own: whether 1 equals 1.0 there depends on all values
/// that it has.
fn may_differ_later(tree: &Tree, constraint: NodeId) -> bool {
    let Some((atoms::EQUALS | atoms::NOT_EQUALS, 2)) = tree.functor(constraint) else { return false };
    let &[name, form] = tree.args(constraint) else { return false };
    let Node::Atom(name) = tree.node(name) else { return false };
    let mut waiting = vec![form];
    let has_number = std::iter::from_fn(|| {
        let node = waiting.pop()?;
        waiting.extend_from_slice(tree.args(node));
        Some(matches!(tree.node(node), Node::Int(_) | Node::BigInt(_) | Node::Float(_)))
    });
    let is_own = BASE.iter().all(|row| row.name != name.as_str()) && !name.as_str().starts_with("arg.");
    is_own && has_number.into_iter().any(|is_number| is_number)
}

/// Whether a goal that fails also fails on a longer trace.
fn stays_false(tree: &Tree, goal: NodeId) -> bool {
    let Some((name, arity)) = tree.functor(goal) else { return false };
    if is_assertion(name.as_str(), arity) {
        let bound = tree.args(goal).get(1).and_then(|bound| tree.functor(*bound));
        return stays_violated(name.as_str(), bound.map(|(name, _)| name.as_str()));
    }
    match (KnownPredicate::of(name, arity).map(|known| known.effect), tree.args(goal)) {
        (Some(Effect::Negates), [inner]) => stays_true(tree, *inner),
        (Some(Effect::Summarizes(Summary::ForAll)), [condition, action]) => {
            stays_true(tree, *condition) && (is_test(tree, *action) || stays_false(tree, *action))
        }
        _ => is_test(tree, goal),
    }
}

/// Whether a goal that has an answer also has it on a longer trace: it finds events, and tests their values.
fn stays_true(tree: &Tree, goal: NodeId) -> bool {
    let mut waiting = vec![goal];
    while let Some(goal) = waiting.pop() {
        let Some((name, arity)) = tree.functor(goal) else { return false };
        let is_condition = |goal: &NodeId| args_of(tree, *goal, "->").is_some();
        match KnownPredicate::of(name, arity).map(|known| known.effect) {
            _ if matches!((name.as_str(), arity), ("," | ";", 2)) && !tree.args(goal).iter().any(is_condition) => {
                waiting.extend_from_slice(tree.args(goal));
            }
            Some(Effect::Searches(search)) if search.direction == SearchCourse::Relation => {}
            _ if is_test(tree, goal) => {}
            _ => return false,
        }
    }
    true
}

/// Whether a goal does not ask the trace.
fn is_test(tree: &Tree, goal: NodeId) -> bool {
    let known = tree.functor(goal).and_then(|(name, arity)| KnownPredicate::of(name, arity));
    known.is_some_and(|known| matches!(known.effect, Effect::Pure | Effect::Computes(_)) && !known.has_goals())
}
