//! Goals that commands build around what was written on the command line.

use std::sync::Arc;

use super::context::CommandContext;
use super::status::Status;
use crate::session::Session;
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::{ReadTerm, read_goal};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};
use crate::trace::EventId;

/// Adds a list of terms to a goal.
pub(crate) fn list(goal: &mut ReadTerm, items: &[NodeId]) -> NodeId {
    let end = goal.tree.push(Node::Atom(atoms::NIL), Span::default());
    items.iter().rev().fold(end, |rest, item| goal.tree.push_compound(atoms::DOT, &[*item, rest], Span::default()))
}

/// The events for which `wanted` holds, in order: constraints, or a goal about the current event.
pub(crate) fn events_where(
    wanted: &str,
    session: &mut Session,
    context: &CommandContext,
) -> Result<Vec<EventId>, Status> {
    let source = Source::new("--where", wanted);
    let goal = goal_of_events(wanted, session, &source).map_err(|diagnostic| context.diagnostics(&[*diagnostic]))?;
    let found = session.query(&goal, &source).and_then(|answers| {
        answers.filter_map(|answer| answer.map(|answer| answer.event).transpose()).collect::<Result<Vec<EventId>, _>>()
    });
    found.map_err(|stop| context.stopped(&stop, session))
}

/// A goal that moves to each of the events in turn.
fn goal_of_events(wanted: &str, session: &Session, source: &Arc<Source>) -> Result<ReadTerm, Box<Diagnostic>> {
    let goals = session.goals();
    let mut goal = read_goal(wanted, &goals.operators, &goals.flags)
        .map_err(|error| Box::new(Diagnostic::syntax(source, error)))?;
    goal.variables.clear();
    let (root, at) = (goal.tree.root(), Span::default());
    let is_list = matches!(goal.tree.functor(root), Some((atoms::DOT, 2) | (atoms::NIL, 0)));
    let parts = if is_list { None } else { constraints(&goal.tree) };
    let constraints = match &parts {
        Some(parts) => list(&mut goal, parts),
        None if is_list => root,
        None => goal.tree.push(Node::Atom(atoms::NIL), at),
    };
    let search = goal.tree.push_compound(Atom::new("fget_np"), &[constraints], goal.tree.span(root));
    if parts.is_none() && !is_list {
        let fails = goal.tree.push_compound(atoms::NOT_PROVABLE, &[root], at);
        let holds = goal.tree.push_compound(atoms::NOT_PROVABLE, &[fails], at);
        goal.tree.push_compound(atoms::COMMA, &[search, holds], at);
    }
    Ok(goal)
}

/// The constraints that a term is a conjunction of; none if a part of it is something else.
fn constraints(tree: &Tree) -> Option<Vec<NodeId>> {
    let (mut found, mut waiting) = (Vec::new(), vec![tree.root()]);
    while let Some(part) = waiting.pop() {
        let (name, arity) = tree.functor(part)?;
        let &[left, right] = tree.args(part) else { return None };
        match name.as_str() {
            "," | "and" => waiting.extend([right, left]),
            "=" | "\\=" | "<" | ">" | "=<" | ">=" if arity == 2 && is_attribute(tree, left) => found.push(part),
            _ => return None,
        }
    }
    Some(found)
}

/// `port`, `arg(2)`
fn is_attribute(tree: &Tree, term: NodeId) -> bool {
    match tree.functor(term) {
        Some((_, 0)) => true,
        Some((name, 1)) => name.as_str() == "arg",
        _ => false,
    }
}
