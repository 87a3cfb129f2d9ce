//! Noncallable goals inside `\+`, `once/1` and `ignore/1`: an error when they are called rather than when the clause is
//! compiled, since only control constructs are converted with their clause (ISO 7.6.2).

use super::ClauseParts;
use crate::term::{Node, NodeId, Span, Tree, atoms};

/// The clause with `call(G)` for each such goal `G`; `None` if there is none.
pub(super) fn with_deferred_goals(tree: &Tree, parts: ClauseParts) -> Option<Tree> {
    let mut tree = tree.clone();
    let root = tree.root();
    let mut has_changed = false;
    let mut rest: Vec<NodeId> = parts.body.into_iter().collect();
    while let Some(goal) = rest.pop() {
        if is_control(&tree, goal) {
            rest.extend_from_slice(tree.args(goal));
        } else if takes_goal(&tree, goal) {
            let inner = tree.args(goal)[0];
            if is_body(&tree, inner) {
                rest.push(inner);
            } else {
                let culprit = without_marks(&mut tree, inner);
                let called = tree.push_compound(atoms::CALL, &[culprit], Span::default());
                tree.replace_arg(goal, 0, called);
                has_changed = true;
            }
        }
    }
    tree.set_root(root);
    has_changed.then_some(tree)
}

/// The body with each marked noncallable goal replaced by the term itself.
fn without_marks(tree: &mut Tree, body: NodeId) -> NodeId {
    let mut rest = vec![body];
    while let Some(goal) = rest.pop() {
        let goals = if is_control(tree, goal) { tree.args(goal).to_vec() } else { Vec::new() };
        for (index, inner) in goals.into_iter().enumerate() {
            match marked(tree, inner) {
                Some(value) => tree.replace_arg(goal, index, value),
                None => rest.push(inner),
            }
        }
    }
    marked(tree, body).unwrap_or(body)
}

/// The term in a mark of a noncallable goal.
fn marked(tree: &Tree, goal: NodeId) -> Option<NodeId> {
    (tree.functor(goal) == Some((atoms::NO_GOAL, 1))).then(|| tree.args(goal)[0])
}

fn is_control(tree: &Tree, goal: NodeId) -> bool {
    let names = [atoms::COMMA, atoms::SEMICOLON, atoms::BAR, atoms::ARROW, atoms::SOFT_ARROW];
    matches!(tree.functor(goal), Some((name, 2)) if names.contains(&name))
}

fn takes_goal(tree: &Tree, goal: NodeId) -> bool {
    match tree.node(goal) {
        Node::Compound { functor, arity: 1, .. } => {
            matches!(*functor, atoms::NOT_PROVABLE | atoms::ONCE | atoms::IGNORE)
        }
        _ => false,
    }
}

/// Whether every goal of a body is callable or a variable.
fn is_body(tree: &Tree, body: NodeId) -> bool {
    let mut rest = vec![body];
    while let Some(goal) = rest.pop() {
        if is_control(tree, goal) {
            rest.extend_from_slice(tree.args(goal));
        } else if !matches!(tree.node(goal), Node::Var(_) | Node::Atom(_) | Node::Compound { .. })
            || marked(tree, goal).is_some()
        {
            return false;
        }
    }
    true
}
