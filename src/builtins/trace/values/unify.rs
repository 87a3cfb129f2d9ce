//! Unifying a term of a constraint with a value of the trace: a text may be written as an atom or as a string.

use smallvec::{SmallVec, smallvec};

use crate::engine::{Cell, Store, Term};
use crate::term::atoms;

/// Pairs of a term of the constraint and a part of the value.
type UnificationPairs = SmallVec<[(Cell, Cell); 8]>;

/// Unifies `term` with `value`; an atom in one also matches a string with the same characters in the other. Variables
/// are bound to the parts of the value.
pub(crate) fn unify_value(store: &mut Store, term: Cell, value: Cell) -> bool {
    if !matches!(store.look(term), Term::Atom(_) | Term::Str(_) | Term::Compound(_)) {
        return store.unify(term, value);
    }
    match rest(store, term, value) {
        Some(rest) => rest.into_iter().all(|(part, value)| store.unify(part, value)),
        None => false,
    }
}

/// The pairs that remain to be unified after texts were compared; none if something differs. Nothing is bound before
/// all pairs are known, so that only texts written in the constraint are compared in this way.
fn rest(store: &Store, term: Cell, value: Cell) -> Option<UnificationPairs> {
    let (mut rest, mut waiting): (UnificationPairs, UnificationPairs) = (SmallVec::new(), smallvec![(term, value)]);
    while let Some((part, value)) = waiting.pop() {
        match (store.look(part), store.look(value)) {
            (Term::Compound(one), Term::Compound(other)) => {
                if (one.name, one.arity) != (other.name, other.arity) {
                    return None;
                }
                waiting.extend((0..one.arity).map(|index| (store.arg(one, index), store.arg(other, index))));
            }
            (Term::Atom(name), Term::Str(text)) | (Term::Str(text), Term::Atom(name)) => {
                if name == atoms::NIL || name.as_str() != text {
                    return None;
                }
            }
            _ => rest.push((part, value)),
        }
    }
    rest.reverse();
    Some(rest)
}
