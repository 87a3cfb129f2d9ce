//! Unifying a term of a constraint with a value of the trace: a text may be written as an atom or as a string, and an object
//! of JSON by some of its keys.

use smallvec::{SmallVec, smallvec};

use crate::builtins::arguments::pair;
use crate::engine::{Cell, Compound, Store, Term};
use crate::term::{Atom, atoms};

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
                waiting.extend(values_of(store, store.arg(pattern, 0), object)?);
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

/// Whether a part of a constraint is `{a:1, b:X}` and the value an object, `json([a=1, ...])` or of another class, or
/// `map([a-1, ...])`.
fn is_pattern(pattern: Compound, object: Compound) -> bool {
    (pattern.name, pattern.arity) == (atoms::CURLY, 1) && object.name != atoms::CURLY && object.arity == 1
}

/// The forms in a pattern such as `a:1, b:X`, each with the value of its key among the pairs of an object; none if the
/// object lacks a key, or if the pattern is of another form.
fn values_of(store: &Store, pattern: Cell, object: Compound) -> Option<UnificationPairs> {
    let sign = if object.name == atoms::MAP { atoms::MINUS } else { atoms::EQUALS };
    let pairs = store.walk_list(store.arg(object, 0)).items;
    let of_key = |(key, form)| {
        let value = pairs.iter().find_map(|member| {
            let (name, value) = pair(store, *member, sign)?;
            (text(store, name) == Some(key)).then_some(value)
        });
        Some((form, value?))
    };
    forms_by_key(store, pattern)?.into_iter().map(of_key).collect()
}

/// The keys in a pattern such as `a:1, b:X`, with their forms; none if it is of another form.
fn forms_by_key(store: &Store, pattern: Cell) -> Option<SmallVec<[(&str, Cell); 8]>> {
    let (mut found, mut rest) = (SmallVec::new(), pattern);
    loop {
        let (first, others) = match pair(store, rest, atoms::COMMA) {
            Some((first, others)) => (first, Some(others)),
            None => (rest, None),
        };
        let (key, form) = pair(store, first, atoms::COLON)?;
        found.push((text(store, key)?, form));
        match others {
            Some(others) => rest = others,
            None => return Some(found),
        }
    }
}

fn text(store: &Store, key: Cell) -> Option<&str> {
    match store.look(key) {
        Term::Atom(name) => Some(name.as_str()),
        Term::Str(text) => Some(text),
        _ => None,
    }
}

/// The keys that a term asks for, if it is the pattern of an object, `{a:1, b:X}`, with their forms.
pub(crate) fn forms_of_keys(store: &Store, term: Cell) -> Vec<(Atom, Cell)> {
    let inner = match store.look(term) {
        Term::Compound(pattern) if (pattern.name, pattern.arity) == (atoms::CURLY, 1) => store.arg(pattern, 0),
        _ => return Vec::new(),
    };
    forms_by_key(store, inner).into_iter().flatten().map(|(key, form)| (Atom::new(key), form)).collect()
}
