//! Finding the candidates of a search by the values that it asks for, in an index.

use std::ops::Range;
use std::sync::Arc;

use crate::engine::{Cell, EventPart, ListEnd, Plan, Store, Term, TermUse, World};
use crate::term::number::Number;
use crate::term::{Atom, atoms};
use crate::trace::{AskedList, AttributeId, FormOp, IndexedPart, Trace, UnknownWord, ValueHash, ValueIndex, WordPlace};

use crate::builtins::trace::constraints::list::is_of_arguments;
use crate::builtins::trace::values::unify::forms_of_keys;

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

/// The arguments and their parts of which a use asks for a value, with that value.
fn asked(store: &Store, trace: &Trace, usage: TermUse, term: Cell) -> impl Iterator<Item = (IndexedPart, ValueHash)> {
    let parts = indexed_arguments(store, usage, term).into_iter();
    parts.filter_map(|(part, term)| Some((part, hash(store, trace, term)?)))
}

/// A use is asked for a value in at most so many parts of arguments.
const MOST_PARTS: usize = 64;

/// The arguments and their parts that a use unifies, each with its term; arguments come first.
pub(crate) fn indexed_arguments(store: &Store, usage: TermUse, term: Cell) -> Vec<(IndexedPart, Cell)> {
    let arguments = terms_of_arguments(store, usage, term).into_iter();
    let argument = |(part, term): (EventPart, Cell)| match part.indexed()? {
        IndexedPart::Attribute(_) => None,
        part => Some((part, term)),
    };
    let mut found: Vec<_> = arguments.filter_map(argument).collect();
    let mut next = 0;
    while let Some((IndexedPart::Argument(place), term)) = found.get(next).copied()
        && found.len() < MOST_PARTS
    {
        let inner = (1..).map_while(|number| place.with(number)).zip(parts(store, term));
        found.extend(inner.map(|(place, term)| (IndexedPart::Argument(place), term)));
        next += 1;
    }
    found
}

/// The arguments of a compound that is written with brackets, or the elements of a list.
fn parts(store: &Store, term: Cell) -> Vec<Cell> {
    match store.look(term) {
        Term::Compound(compound) if compound.name == atoms::DOT => elements(store, term),
        Term::Compound(compound) if is_in_brackets(compound.name) => {
            store.args(compound).iter().take(MOST_PARTS).copied().collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a compound with a name is mostly written with brackets; objects are written with braces.
fn is_in_brackets(name: Atom) -> bool {
    name != atoms::JSON && name.as_str().starts_with(char::is_alphabetic)
}

/// The first elements of a list.
fn elements(store: &Store, list: Cell) -> Vec<Cell> {
    let (mut found, mut rest) = (Vec::new(), list);
    while let (Some((atoms::DOT, 2)), Term::Compound(pair)) = (store.functor(rest), store.look(rest))
        && found.len() < MOST_PARTS
    {
        found.push(store.arg(pair, 0));
        rest = store.arg(pair, 1);
    }
    found
}

/// The arguments, and the values inside of arguments, that a use unifies, each with its term.
pub(super) fn terms_of_arguments(store: &Store, usage: TermUse, term: Cell) -> Vec<(EventPart, Cell)> {
    match usage {
        TermUse::Unify(EventPart::Attribute(AttributeId::ARGS)) => {
            (1..).map(EventPart::Argument).zip(elements(store, term)).collect()
        }
        TermUse::Unify(part) => vec![(part, term)],
        _ => Vec::new(),
    }
}

/// Whether a search asks for words in arguments, or in the objects that attributes are.
pub(super) fn asks_for_words(store: &Store, plan: &Plan, terms: &[Cell]) -> bool {
    let is_object = |index: usize| store.functor(terms[index]) == Some((atoms::CURLY, 1));
    plan.uses.iter().any(|(index, usage)| is_of_arguments(*usage) || is_object(*index))
}

/// The words that a search asks for in arguments and objects: names, texts, numbers, and the keys of objects.
pub(super) fn words_inside(trace: &Trace, store: &Store, plan: &Plan, terms: &[Cell]) -> Vec<UnknownWord> {
    let asked = plan.uses.iter().flat_map(|(index, usage)| terms_of_arguments(store, *usage, terms[*index]));
    let place = |(part, term): (EventPart, Cell)| Some((part.word_place()?, term));
    let (mut waiting, mut words): (Vec<(WordPlace, Cell)>, Vec<UnknownWord>) =
        (asked.filter_map(place).collect(), Vec::new());
    while let Some((place, term)) = waiting.pop() {
        let value = word(store, term).filter(|_| !matches!(place, WordPlace::Attribute(_)));
        words.extend(value.map(|value| UnknownWord::value(trace, place, value)));
        for (key, form) in forms_of_keys(store, term) {
            words.push(UnknownWord::path(trace, place.inside(key)));
            waiting.push((place.inside(key), form));
        }
    }
    words
}

/// The lists that a search asks for in arguments: of names, texts and numbers, and as all arguments of variables, too.
pub(super) fn asked_lists(store: &Store, plan: &Plan, terms: &[Cell]) -> Vec<AskedList> {
    let mut found = Vec::new();
    for (index, usage) in &plan.uses {
        if *usage == TermUse::Unify(EventPart::Attribute(AttributeId::ARGS)) {
            let asked = |item: &Cell| match store.look(*item) {
                Term::Var(_) => Some(None),
                _ => word(store, *item).map(Some),
            };
            found.extend(list_of(store, terms[*index], asked).map(AskedList::Arguments));
        }
        for (part, term) in terms_of_arguments(store, *usage, terms[*index]) {
            let asked = list_of(store, term, |item| word(store, *item));
            found.extend(asked.and_then(|asked| match part {
                EventPart::Argument(number) => Some(AskedList::Argument(number, asked)),
                _ => None,
            }));
        }
    }
    found
}

/// The elements of a proper list that has some, if all of them are such.
fn list_of<T>(store: &Store, term: Cell, element: impl Fn(&Cell) -> Option<T>) -> Option<Vec<T>> {
    let list = store.walk_list(term);
    let elements: Option<Vec<T>> = list.items.iter().map(element).collect();
    elements.filter(|elements| list.end == ListEnd::Nil && !elements.is_empty())
}

/// A name, text or number as a form.
fn word(store: &Store, term: Cell) -> Option<FormOp> {
    match store.look(term) {
        Term::Atom(atoms::NIL | atoms::MINUS) => None,
        Term::Atom(name) => Some(FormOp::Atom(name)),
        Term::Str(text) => Some(FormOp::Str(text.to_owned())),
        _ => Number::of(store, term).map(FormOp::Number),
    }
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
