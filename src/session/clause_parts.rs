//! The parts of clauses: head and body, arguments, lists, variables.

use crate::syntax::ReadTerm;
use crate::term::hash::HashSet;
use crate::term::{Atom, Node, NodeId, Tree};

/// Head and body of a clause; the body of a fact is `true`.
pub(super) fn head_and_body(clause: &mut ReadTerm) -> (NodeId, NodeId) {
    let root = clause.tree.root();
    match args_of(&clause.tree, root, ":-") {
        Some(&[head, body]) => (head, body),
        _ => {
            let body = clause.tree.push(Node::Atom(Atom::new("true")), clause.span);
            clause.tree.set_root(root);
            (root, body)
        }
    }
}

/// The arguments of `term` if its functor's name is `name`.
pub(super) fn args_of<'t>(tree: &'t Tree, term: NodeId, name: &str) -> Option<&'t [NodeId]> {
    let (functor, _) = tree.functor(term)?;
    (functor == Atom::new(name)).then(|| tree.args(term))
}

/// The elements of a list; none if it is no complete list.
pub(super) fn list_items(tree: &Tree, list: NodeId) -> Option<Vec<NodeId>> {
    let (mut items, mut rest) = (Vec::new(), list);
    while let Some(&[item, after]) = args_of(tree, rest, ".") {
        items.push(item);
        rest = after;
    }
    (*tree.node(rest) == Node::Atom(Atom::new("[]"))).then_some(items)
}

/// The numbers of the variables in a term.
pub(super) fn variables(tree: &Tree, term: NodeId) -> HashSet<u32> {
    let (mut found, mut waiting) = (HashSet::default(), vec![term]);
    while let Some(term) = waiting.pop() {
        match tree.node(term) {
            Node::Var(variable) => {
                found.insert(*variable);
            }
            _ => waiting.extend_from_slice(tree.args(term)),
        }
    }
    found
}
