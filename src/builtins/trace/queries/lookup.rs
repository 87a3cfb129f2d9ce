//! Finding the candidates of a search by the values that it asks for, in an index.

use std::ops::Range;
use std::sync::Arc;

use crate::engine::{Cell, EventPart, Plan, Store, Term, TermUse, World};
use crate::term::atoms;
use crate::term::number::Number;
use crate::trace::{AttributeId, IndexedPart, Trace, ValueHash, ValueIndex};

/// An index makes a search worth its while if it leaves at most one of so many rows.
const FEWER: u64 = 4;

/// The fewest candidates that an index has for one of the values that constraints ask for, if they are much fewer than the
/// rows that the search would visit.
pub(super) fn candidates(
    world: &World,
    trace: &Trace,
    plan: &Plan,
    terms: &[Cell],
) -> Option<(Arc<ValueIndex>, Range<u32>)> {
    let n_visited = plan.pattern.n_visited(trace);
    if n_visited < FEWER {
        return None;
    }
    let of_constraints = plan.constraints.iter().filter_map(|constraint| constraint.equality(trace));
    let of_terms = plan.uses.iter().flat_map(|(index, usage)| asked(&world.store, trace, *usage, terms[*index]));
    let found = of_constraints.chain(of_terms).filter_map(|(part, value)| {
        let index = trace.index_of(part, n_visited, |bytes| world.check_room(bytes).is_ok())?;
        let places = index.places(value);
        Some((index, places))
    });
    let n_candidates = |(index, places): &(Arc<ValueIndex>, Range<u32>)| places.len() + index.others.len();
    found.min_by_key(n_candidates).filter(|found| n_candidates(found) as u64 * FEWER <= n_visited)
}

/// The arguments of which a use asks for a value, with that value.
fn asked(
    store: &Store,
    trace: &Trace,
    usage: TermUse,
    term: Cell,
) -> impl Iterator<Item = (IndexedPart, ValueHash)> + use<> {
    let of_argument = |number: usize, term: Cell| Some((Trace::indexed_argument(number)?, hash(store, trace, term)?));
    let mut found = Vec::new();
    match usage {
        TermUse::Unify(EventPart::Argument(number)) => found.extend(of_argument(number, term)),
        TermUse::Unify(EventPart::Attribute(AttributeId::ARGS)) => {
            let mut rest = term;
            for number in 1.. {
                let (Some((atoms::DOT, 2)), Term::Compound(pair)) = (store.functor(rest), store.look(rest)) else {
                    break;
                };
                if Trace::indexed_argument(number).is_none() {
                    break;
                }
                found.extend(of_argument(number, store.arg(pair, 0)));
                rest = store.arg(pair, 1);
            }
        }
        _ => {}
    }
    found.into_iter()
}

/// The hash of a number, name or text; none for another term.
fn hash(store: &Store, trace: &Trace, term: Cell) -> Option<ValueHash> {
    let indexes = &trace.value_indexes;
    match store.look(term) {
        Term::Atom(atoms::NIL) => None,
        Term::Atom(name) => Some(indexes.of_text(name.as_str())),
        Term::Str(text) => Some(indexes.of_text(text)),
        Term::Int(_) | Term::BigInt(_) | Term::Float(_) => {
            Number::of(store, term).map(|number| indexes.of_number(&number))
        }
        _ => None,
    }
}
