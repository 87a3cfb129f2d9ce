//! Unifying a term of a constraint with a value of the trace: a text may be written as an atom or as a string, and an object
//! of JSON by some of its keys.

use smallvec::{SmallVec, smallvec};

use crate::builtins::arguments::pair;
use crate::engine::{Cell, Compound, Store, Term};
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
            (Term::Compound(pattern), Term::Compound(object)) if is_pattern(pattern, object) => {
                waiting.extend(values_of(store, store.arg(pattern, 0), store.arg(object, 0))?);
            }
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

/// Whether a part of a constraint is `{a:1, b:X}` and the value an object of JSON.
fn is_pattern(pattern: Compound, object: Compound) -> bool {
    (pattern.name, pattern.arity, object.name, object.arity) == (atoms::CURLY, 1, atoms::JSON, 1)
}

/// The forms in a pattern such as `a:1, b:X`, each with the value of its key among the pairs of an object; none if the
/// object lacks a key, or if the pattern is of another form.
fn values_of(store: &Store, pattern: Cell, pairs: Cell) -> Option<UnificationPairs> {
    let pairs = store.walk_list(pairs).items;
    let text = |key: Cell| match store.look(key) {
        Term::Atom(name) => Some(name.as_str()),
        Term::Str(text) => Some(text),
        _ => None,
    };
    let (mut found, mut rest) = (SmallVec::new(), pattern);
    loop {
        let (first, others) = match pair(store, rest, atoms::COMMA) {
            Some((first, others)) => (first, Some(others)),
            None => (rest, None),
        };
        let (key, form) = pair(store, first, atoms::COLON)?;
        let key = text(key)?;
        let value = pairs.iter().find_map(|member| {
            let (name, value) = pair(store, *member, atoms::EQUALS)?;
            (text(name) == Some(key)).then_some(value)
        });
        found.push((form, value?));
        match others {
            Some(others) => rest = others,
            None => return Some(found),
        }
    }
}
