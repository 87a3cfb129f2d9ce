//! Processes and semaphores have ids, which may be used again, and terms, by which predicates and other attributes name them. A
//! constraint that compares an id with a term is about the term.

use super::reader::OuterForm;
use crate::engine::{Cell, Store, Term};
use crate::trace::{AttributeId, Schema};

/// An attribute of ids, and the one of the terms for the same things.
const IDENTITIES: [(&str, &str); 2] = [("pid", "process"), ("sem", "semaphore")];

/// The attribute of terms that a constraint on an id is about, as its value is a term: `pid = p('82E32C0', 2)`.
pub(super) fn attribute_of_terms(store: &Store, schema: &Schema, name: Cell, form: Cell) -> Option<AttributeId> {
    let (Term::Compound(_), Term::Atom(name)) = (store.look(form), store.look(name)) else { return None };
    let found = schema.find(terms_of_ids(name.as_str())?)?;
    matches!(OuterForm::of(store, found, form), OuterForm::Value).then_some(found)
}

/// The attribute of terms for the things whose ids are in an attribute.
pub(crate) fn terms_of_ids(name: &str) -> Option<&'static str> {
    IDENTITIES.iter().find(|(id, _)| *id == name).map(|(_, of_terms)| *of_terms)
}
