//! Declarations of a source: its modules, its imports, and its predicates and functions with their determinisms.

use crate::term::{Atom, Node, NodeId, Tree};

/// A declaration that helps to find call sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Declaration {
    /// `:- module a.b.`
    Module(String),
    /// `:- end_module a.b.`
    EndModule,
    /// `:- import_module a, b.` and `:- use_module ..`
    Imports(Vec<String>),
    /// `:- pred p(int::in) is det.`, `:- func f(int) = int.`, `:- mode p(in) is det.`
    Procedure(DeclaredProcedure),
}

/// A predicate or function, or a mode of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeclaredProcedure {
    pub(crate) name: Atom,
    /// The number of arguments, without the result.
    pub(crate) arity: usize,
    pub(crate) is_func: bool,
    /// Whether this is the declaration of a mode.
    pub(crate) is_mode: bool,
    /// The determinism after `is`.
    pub(crate) det: Option<Atom>,
}

/// The declaration in `:- X`, where `id` is X.
pub(crate) fn declaration(tree: &Tree, mut id: NodeId) -> Option<Declaration> {
    let mut det = None;
    loop {
        let (functor, arity) = tree.functor(id)?;
        let args = tree.args(id);
        match (functor.as_str(), arity) {
            ("module", 1) => return Some(Declaration::Module(path(tree, args[0])?)),
            ("end_module", 1) => return Some(Declaration::EndModule),
            ("import_module" | "use_module" | "include_module", 1) => {
                return Some(Declaration::Imports(names(tree, args[0])));
            }
            ("pred" | "func" | "mode", 1) => {
                let procedure = procedure(tree, args[0], det)?;
                let is_func = procedure.is_func || functor.as_str() == "func";
                let is_mode = functor.as_str() == "mode";
                return Some(Declaration::Procedure(DeclaredProcedure { is_func, is_mode, ..procedure }));
            }
            ("is", 2) => {
                det = atom(tree, args[1]);
                id = args[0];
            }
            ("some" | "all" | "impure" | "semipure" | "solver", 1) | ("<=" | "=>", 2) => id = args[0],
            _ => return None,
        }
    }
}

/// `p(int::in) is det`, `f(int) = int`
fn procedure(tree: &Tree, mut id: NodeId, mut det: Option<Atom>) -> Option<DeclaredProcedure> {
    let mut is_func = false;
    loop {
        let args = tree.args(id);
        match (tree.functor(id)?.0.as_str(), args.len()) {
            ("is", 2) => det = atom(tree, args[1]),
            ("=", 2) => is_func = true,
            ("<=" | "=>" | "with_type" | "with_inst", 2) => {}
            _ => break,
        }
        id = args[0];
    }
    let (_, name) = qualified(tree, id);
    let (name, arity) = tree.functor(name)?;
    Some(DeclaredProcedure { name, arity, is_func, is_mode: false, det })
}

/// The parts of `a.b.c(X)`, which is read as `a:b:c(X)`: the path before the last name, and the term after it.
pub(crate) fn qualified(tree: &Tree, id: NodeId) -> (Option<NodeId>, NodeId) {
    match (tree.functor(id), tree.args(id)) {
        (Some((functor, 2)), &[before, last]) if functor.as_str() == ":" => (Some(before), last),
        _ => (None, id),
    }
}

/// `a.b.c` as text.
pub(crate) fn path(tree: &Tree, id: NodeId) -> Option<String> {
    let mut parts = Vec::new();
    let mut rest = Some(id);
    while let Some(id) = rest {
        let (before, last) = qualified(tree, id);
        parts.push(atom(tree, last)?.as_str());
        rest = before;
    }
    parts.reverse();
    Some(parts.join("."))
}

/// `a, b.c` as texts.
fn names(tree: &Tree, mut id: NodeId) -> Vec<String> {
    let mut found = Vec::new();
    while let (Some((functor, 2)), &[first, rest]) = (tree.functor(id), tree.args(id))
        && functor.as_str() == ","
    {
        found.extend(path(tree, first));
        id = rest;
    }
    found.extend(path(tree, id));
    found
}

fn atom(tree: &Tree, id: NodeId) -> Option<Atom> {
    match tree.node(id) {
        Node::Atom(name) => Some(*name),
        _ => None,
    }
}
