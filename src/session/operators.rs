//! The operators that scripts declare and that texts of a trace may use: read before the trace is loaded, without
//! running the scripts.
//!
//! Only the scripts of `-l` are read for this, once for a command, however many traces it loads. What is read here is
//! not what is consulted: the operators and flags with which a term is read depend on the directives above it, which
//! may ask the trace.

use super::clause_parts::args_of;
use crate::engine::ScriptFile;
use crate::syntax::{ReadFlags, Reader};
use crate::term::ops::{OpKind, OpTable};
use crate::term::{Atom, Node, NodeId, Tree, atoms};

/// The standard operators and those of the `:- op(..)` directives in some scripts; `None` if there are no such
/// directives.
pub(crate) fn declared_operators<'s>(scripts: impl IntoIterator<Item = &'s ScriptFile>) -> Option<OpTable> {
    let mut ops = OpTable::standard();
    let n_declared: usize = scripts.into_iter().map(|script| declare_all(&script.source.text, &mut ops)).sum();
    (n_declared > 0).then_some(ops)
}

/// Declares the operators of a script's directives and returns how many they name.
fn declare_all(text: &str, ops: &mut OpTable) -> usize {
    let (mut reader, mut n_declared) = (Reader::new(text), 0);
    loop {
        match reader.read(ops, &ReadFlags::default()) {
            Ok(None) => return n_declared,
            Ok(Some(clause)) => n_declared += directive(&clause.tree, ops),
            Err(_) => {}
        }
    }
}

fn directive(tree: &Tree, ops: &mut OpTable) -> usize {
    let Some([goal]) = args_of(tree, tree.root(), ":-") else { return 0 };
    let (mut goals, mut n_declared) = (vec![*goal], 0);
    while let Some(goal) = goals.pop() {
        match (args_of(tree, goal, ","), args_of(tree, goal, "op")) {
            (Some([left, right]), _) => goals.extend([*right, *left]),
            (_, Some([priority, kind, names])) => {
                n_declared += declare(tree, *priority, *kind, *names, ops).unwrap_or(0);
            }
            _ => {}
        }
    }
    n_declared
}

/// Declares an operator, or each of a list; `None` if the arguments are invalid.
fn declare(tree: &Tree, priority: NodeId, kind: NodeId, names: NodeId, ops: &mut OpTable) -> Option<usize> {
    let Node::Int(priority @ 0..=1200) = tree.node(priority) else { return None };
    let kind = OpKind::from_name(name(tree, kind)?.as_str())?;
    let (mut n_declared, mut rest) = (0, names);
    while let Some([first, more]) = args_of(tree, rest, ".") {
        ops.add(*priority as u16, kind, name(tree, *first)?);
        n_declared += 1;
        rest = *more;
    }
    match name(tree, rest)? {
        atoms::NIL => {}
        one => {
            ops.add(*priority as u16, kind, one);
            n_declared += 1;
        }
    }
    Some(n_declared)
}

fn name(tree: &Tree, term: NodeId) -> Option<Atom> {
    match tree.node(term) {
        Node::Atom(name) => Some(*name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_known_from_the_directives_alone() {
        let mut ops = OpTable::standard();
        let script = ":- op(700, xfx, ==>), op(200, xfy, [~>, '->>']).\na ==> b.\n:- a ==> ).\n:- op(x, y, z), halt.\n";
        assert_eq!(declare_all(script, &mut ops), 3);
        for name in ["==>", "~>", "->>"] {
            assert!(ops.infix(Atom::new(name)).is_some(), "{name}");
        }
        assert_eq!(declare_all("p :- op(700, xfx, nope).\n", &mut ops), 0);
    }
}
