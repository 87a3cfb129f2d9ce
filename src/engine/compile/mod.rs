//! The clause compiler: flattening of the body, classification of variables, register allocation, code generation.

mod arguments;
mod arithmetic;
mod blocks;
mod body;
mod bound_values;
mod deferred;
mod emit;
mod fuse;
mod goals;
mod guard;
mod registers;
mod variables;

use crate::engine::code::{Compiled, Effect, PredId, live_places};
use crate::engine::heap::{ANY_KEY, Cell, Frozen, LIST_KEY, Store, key_of as key_of_cell};
use crate::engine::state::{Database, Namespace};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// Why a term is not a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClauseError {
    /// A goal is neither a callable term nor a variable.
    NotCallable(NodeId),
    /// A predicate has more arguments than there are argument registers.
    TooManyArguments,
}

/// The largest number of arguments of a predicate; compounds have no such limit.
pub(crate) const MAX_ARITY: usize = 240;

/// The head and the body of a clause as nodes of a tree; a fact has no body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClauseParts {
    /// The head.
    pub(crate) head: NodeId,
    /// The body.
    pub(crate) body: Option<NodeId>,
}

impl ClauseParts {
    /// Splits `Head :- Body` or `Head`.
    pub(crate) fn of(tree: &Tree) -> ClauseParts {
        match (tree.functor(tree.root()), tree.args(tree.root())) {
            (Some((atoms::NECK, 2)), &[head, body]) => ClauseParts { head, body: Some(body) },
            _ => ClauseParts { head: tree.root(), body: None },
        }
    }
}

/// Compiles a clause in `tree`; its goals see the predicates of `namespace`.
pub(crate) fn compile(
    database: &mut Database,
    namespace: Namespace,
    tree: &Tree,
    parts: ClauseParts,
) -> Result<Compiled, ClauseError> {
    if tree.args(parts.head).len() > MAX_ARITY {
        return Err(ClauseError::TooManyArguments);
    }
    let marked = bound_values::with_marked_values(database, tree, parts);
    let tree = marked.as_ref().unwrap_or(tree);
    let body = match body::flatten(tree, parts.body) {
        Err(refusal) => match deferred::with_deferred_goals(tree, parts) {
            Some(tree) => return compile(database, namespace, &tree, parts),
            None => return Err(refusal),
        },
        Ok(body) => body,
    };
    for mode in [emit::CompoundMode::Registers, emit::CompoundMode::Frozen] {
        let mut emitter = emit::Emitter::new(database, namespace, tree, parts.head, &body, mode)?;
        if let Some(mut emitted) = emitter.run() {
            let style = emitter.style();
            fuse::fuse(&mut emitted);
            let emit::Emitted { code, places } = emitted;
            let live = live_places(&code, |pred| is_opaque(database, namespace, pred));
            return Ok(Compiled { code, places, style, live });
        }
    }
    Err(ClauseError::TooManyArguments)
}

/// Whether a goal of the library collects or watches what a goal did that was called before it.
fn is_opaque(database: &Database, namespace: Namespace, pred: PredId) -> bool {
    namespace == Namespace::Library && database.pred(pred).effect == Effect::Watches
}

/// The index keys of the head arguments, see [`crate::engine::heap::keys`].
pub(super) fn keys(tree: &Tree, head: NodeId) -> Box<[u64]> {
    tree.args(head).iter().map(|&arg| key_of(tree, arg)).collect()
}

/// The index key of a head argument.
fn key_of(tree: &Tree, arg: NodeId) -> u64 {
    match tree.node(arg) {
        Node::Var(_) => ANY_KEY,
        Node::Compound { functor, arity, .. } if is_list_pair(*functor, *arity as usize) => LIST_KEY,
        Node::Compound { functor, arity, .. } => Cell::header(*functor, *arity as usize).0,
        _ => {
            let mut store = Store::new();
            let cell = load_simple(&mut store, tree.node(arg));
            key_of_cell(&store, cell)
        }
    }
}

/// Builds a simple term.
fn load_simple(store: &mut Store, node: &Node) -> Cell {
    let mut tree = Tree::new();
    tree.push(node.clone(), Span::default());
    store.load(&tree).0
}

/// The cell of an atom or a small integer; other terms need the heap.
fn constant(node: &Node) -> Option<Cell> {
    match node {
        Node::Atom(name) => Some(Cell::atom(*name)),
        Node::Int(value) if (Cell::MIN_INT..=Cell::MAX_INT).contains(value) => Some(Cell::small_int(*value)),
        _ => None,
    }
}

/// A number or string that needs more than one cell, as a constant of the code.
fn freeze_simple(node: &Node) -> Frozen {
    let mut store = Store::new();
    let cell = load_simple(&mut store, node);
    store.freeze(cell)
}

fn is_list_pair(functor: Atom, arity: usize) -> bool {
    (functor, arity) == (atoms::DOT, 2)
}
