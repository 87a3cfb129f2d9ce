//! Variables in lists of constraints: `v = V` becomes `v = '$value'(V)` if `V` occurs elsewhere in its clause. This
//! distinguishes a list that `V` is bound to at run time from a list of alternatives written in the clause.

use std::sync::LazyLock;

use super::ClauseParts;
use crate::engine::state::Database;
use crate::term::hash::NumberMap;
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};
use crate::trace::{AttributeType, BASE};

/// Attributes whose values are never lists, or which have a syntax of their own. They are compared as atoms, because a
/// name may be a placeholder for the constants of several clauses, which has no text.
static NEVER_LISTS: LazyLock<Vec<Atom>> = LazyLock::new(|| {
    let rows = BASE.iter().filter(|row| row.kind != AttributeType::Any);
    rows.map(|row| Atom::new(row.name)).collect()
});

/// The clause with its variables marked; `None` if there is nothing to mark.
pub(super) fn with_marked_values(database: &Database, tree: &Tree, parts: ClauseParts) -> Option<Tree> {
    let body = parts.body?;
    let is_asking = |id: &NodeId| variable_asked(tree, *id).is_some();
    if !(0..tree.len() as NodeId).any(|id| is_asking(&id)) {
        return None;
    }
    let counts = occurrences(tree, parts);
    let is_shared = |id: &NodeId| variable_asked(tree, *id).is_some_and(|(_, number)| counts[&number] > 1);
    let marked: Vec<NodeId> = lists_of_constraints(database, tree, body)
        .into_iter()
        .flat_map(|list| items(tree, list))
        .filter(is_shared)
        .collect();
    if marked.is_empty() {
        return None;
    }
    let (mut tree, root) = (tree.clone(), tree.root());
    for id in marked {
        if let Some((variable, _)) = variable_asked(&tree, id) {
            let value = tree.push_compound(atoms::VALUE, &[variable], Span::default());
            tree.replace_arg(id, 1, value);
        }
    }
    tree.set_root(root);
    Some(tree)
}

/// The variable of `Name = Variable` or `Name \= Variable`, if a value of that attribute may be a list.
fn variable_asked(tree: &Tree, id: NodeId) -> Option<(NodeId, u32)> {
    let (atoms::EQUALS | atoms::NOT_EQUALS, 2) = tree.functor(id)? else { return None };
    let &[name, variable] = tree.args(id) else { return None };
    match (tree.node(name), tree.node(variable)) {
        (Node::Atom(name), Node::Var(number)) => (!NEVER_LISTS.contains(name)).then_some((variable, *number)),
        _ => None,
    }
}

/// The number of occurrences of each variable in a clause.
fn occurrences(tree: &Tree, parts: ClauseParts) -> NumberMap<u32, usize> {
    let mut counts = NumberMap::default();
    let mut rest: Vec<NodeId> = parts.body.into_iter().chain([parts.head]).collect();
    while let Some(id) = rest.pop() {
        if let Node::Var(number) = tree.node(id) {
            *counts.entry(*number).or_default() += 1;
        }
        rest.extend_from_slice(tree.args(id));
    }
    counts
}

/// The arguments of goals in a body that take constraints, including goals that are arguments of others.
fn lists_of_constraints(database: &Database, tree: &Tree, body: NodeId) -> Vec<NodeId> {
    let (mut lists, mut rest) = (Vec::new(), vec![body]);
    while let Some(id) = rest.pop() {
        match tree.functor(id) {
            Some((name, arity)) if database.takes_constraints(name, arity) => lists.extend_from_slice(tree.args(id)),
            Some((atoms::EQUALS | atoms::NOT_EQUALS, 2)) | None => {}
            Some(_) => rest.extend_from_slice(tree.args(id)),
        }
    }
    lists
}

/// The constraints of a list, of an `and` conjunction, or of either under a negation or in a scope.
fn items(tree: &Tree, list: NodeId) -> Vec<NodeId> {
    let (mut items, mut rest) = (Vec::new(), vec![list]);
    while let Some(id) = rest.pop() {
        match tree.functor(id) {
            Some((atoms::EQUALS | atoms::NOT_EQUALS, 2)) => items.push(id),
            Some(_) => rest.extend_from_slice(tree.args(id)),
            None => {}
        }
    }
    items
}
