//! The ISO error terms.

use super::cell::Cell;
use super::stop::Stop;
use super::store::Store;
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// `type_error(kind, culprit)`.
pub(crate) fn type_error(store: &Store, kind: &str, culprit: Cell) -> Stop {
    with_culprit(store, "type_error", &[kind], culprit)
}

/// `domain_error(kind, culprit)`.
pub(crate) fn domain_error(store: &Store, kind: &str, culprit: Cell) -> Stop {
    with_culprit(store, "domain_error", &[kind], culprit)
}

/// `existence_error(kind, culprit)`.
pub(crate) fn existence_error(store: &Store, kind: &str, culprit: Cell) -> Stop {
    with_culprit(store, "existence_error", &[kind], culprit)
}

/// `permission_error(action, kind, culprit)`.
pub(crate) fn permission_error(store: &Store, action: &str, kind: &str, culprit: Cell) -> Stop {
    with_culprit(store, "permission_error", &[action, kind], culprit)
}

/// `uninstantiation_error(culprit)`: a variable was expected.
pub(crate) fn uninstantiation_error(store: &Store, culprit: Cell) -> Stop {
    with_culprit(store, "uninstantiation_error", &[], culprit)
}

/// `existence_error(kind, culprit, in)`: something that a term does not contain.
pub(crate) fn existence_error_in(store: &Store, kind: &str, culprit: i64, term: Cell) -> Stop {
    let mut tree = store.save(term);
    let term = tree.root();
    let kind = tree.push(Node::Atom(Atom::new(kind)), Span::default());
    let culprit = tree.push(Node::Int(culprit), Span::default());
    let formal = tree.push_compound(Atom::new("existence_error"), &[kind, culprit, term], Span::default());
    throw_formal(tree, formal)
}

/// `occurs_check(variable, term)`: the two that the occurs check kept from becoming a cyclic term.
#[cold]
pub(crate) fn occurs_check_error(store: &mut Store) -> Stop {
    let (variable, term) = store.refused.take().unwrap_or((Cell::NIL, Cell::NIL));
    let formal = store.compound(Atom::new("occurs_check"), &[variable, term]);
    let mut tree = store.save(formal);
    let formal = tree.root();
    let context = fresh_variable(&mut tree);
    tree.push_compound(atoms::ERROR, &[formal, context], Span::default());
    Stop::Throw(Box::new(tree))
}

/// `representation_error(what)`.
pub(crate) fn representation_error(what: &str) -> Stop {
    with_name("representation_error", what)
}

/// `evaluation_error(what)`.
pub(crate) fn evaluation_error(what: &str) -> Stop {
    with_name("evaluation_error", what)
}

/// `resource_error(what)`.
pub(crate) fn resource_error(what: &str) -> Stop {
    with_name("resource_error", what)
}

/// `error(system_error, message)`: a failure outside of papaver, independent of the goal.
pub(crate) fn system_error(message: &str) -> Stop {
    let mut tree = Tree::new();
    let formal = tree.push(Node::Atom(Atom::new("system_error")), Span::default());
    let message = tree.push(Node::Str(message.into()), Span::default());
    tree.push_compound(atoms::ERROR, &[formal, message], Span::default());
    Stop::Throw(Box::new(tree))
}

/// `syntax_error(message)`.
pub(crate) fn syntax_error(message: &str) -> Stop {
    with_name("syntax_error", message)
}

/// `format(message)`: a format string and its arguments do not fit.
pub(crate) fn format_error(message: &str) -> Stop {
    with_name("format", message)
}

/// `instantiation_error`.
pub(crate) fn instantiation_error() -> Stop {
    let mut tree = Tree::new();
    let formal = tree.push(Node::Atom(Atom::new("instantiation_error")), Span::default());
    throw_formal(tree, formal)
}

fn with_name(error: &str, what: &str) -> Stop {
    let mut tree = Tree::new();
    let what = tree.push(Node::Atom(Atom::new(what)), Span::default());
    let formal = tree.push_compound(Atom::new(error), &[what], Span::default());
    throw_formal(tree, formal)
}

fn with_culprit(store: &Store, error: &str, names: &[&str], culprit: Cell) -> Stop {
    let mut tree = store.save(culprit);
    let culprit = tree.root();
    let mut args: Vec<_> = names.iter().map(|name| tree.push(Node::Atom(Atom::new(name)), Span::default())).collect();
    args.push(culprit);
    let formal = tree.push_compound(Atom::new(error), &args, Span::default());
    throw_formal(tree, formal)
}

/// The same error with a message that says more than its term.
pub(crate) fn with_message(stop: Stop, message: &str) -> Stop {
    let context = |ball: &mut Tree, message| ball.push_compound(atoms::MESSAGE, &[message], Span::default());
    in_context(stop, message, context)
}

/// The same, for an error that no goal raises and that has no place.
pub(crate) fn with_message_only(stop: Stop, message: &str) -> Stop {
    in_context(stop, message, |ball, message| {
        let [goal, place] = [0, 1].map(|_| fresh_variable(ball));
        ball.push_compound(atoms::CONTEXT, &[goal, place, message], Span::default())
    })
}

fn in_context(stop: Stop, message: &str, context: impl Fn(&mut Tree, NodeId) -> NodeId) -> Stop {
    let Stop::Throw(mut ball) = stop else { return stop };
    let root = ball.root();
    let (Some((atoms::ERROR, 2)), &[formal, _]) = (ball.functor(root), ball.args(root)) else {
        return Stop::Throw(ball);
    };
    let message = ball.push(Node::Str(message.into()), Span::default());
    let context = context(&mut ball, message);
    ball.push_compound(atoms::ERROR, &[formal, context], Span::default());
    Stop::Throw(ball)
}

/// `error(Formal, _)`: the machine binds the variable to the context.
fn throw_formal(mut tree: Tree, formal: u32) -> Stop {
    let context = fresh_variable(&mut tree);
    tree.push_compound(atoms::ERROR, &[formal, context], Span::default());
    Stop::Throw(Box::new(tree))
}

/// A fresh variable for the tree; variables are numbered below the number of nodes.
pub(crate) fn fresh_variable(tree: &mut Tree) -> NodeId {
    tree.push(Node::Var(tree.len() as u32), Span::default())
}
