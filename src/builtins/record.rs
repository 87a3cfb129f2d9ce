//! Constructors for the records of predicates: they take name and arity from the line of modes.

use crate::engine::{
    Builtin, Computation, Det, Effect, NextSolution, Nondet, PredicateFunction, Protection, SolutionSource, Solutions,
    Stop, World,
};

/// A library predicate that answers at most once.
pub(crate) const fn det(
    modes: &'static str,
    doc: &'static str,
    example: &'static str,
    answer: &'static str,
    run: Det,
) -> Builtin {
    record(modes, doc, example, answer, PredicateFunction::Det(run))
}

/// A library predicate that may answer often.
pub(crate) const fn nondet(
    modes: &'static str,
    doc: &'static str,
    example: &'static str,
    answer: &'static str,
    run: Nondet,
) -> Builtin {
    record(modes, doc, example, answer, PredicateFunction::Nondet(run))
}

/// The same record as a protected predicate.
pub(crate) const fn iso(record: Builtin) -> Builtin {
    Builtin { protection: Protection::Iso, ..record }
}

/// The same record with an effect.
pub(crate) const fn with(effect: Effect, record: Builtin) -> Builtin {
    Builtin { effect, ..record }
}

/// The same record of a predicate that columns can compute.
pub(crate) const fn computes(computation: Computation, record: Builtin) -> Builtin {
    with(Effect::Computes(computation), record)
}

/// The same record for a predicate that cannot see attributes of variables; `name` is the predicate that respects them.
pub(crate) const fn where_attributed(name: &'static str, record: Builtin) -> Builtin {
    Builtin { attributed: Some(name), ..record }
}

/// The same records, of predicates that have no effect where none is given.
pub(crate) const fn pure<const N: usize>(records: [Builtin; N]) -> [Builtin; N] {
    otherwise(Effect::Pure, records)
}

/// The same records, of predicates that only ask the trace where no effect is given.
pub(crate) const fn asks<const N: usize>(records: [Builtin; N]) -> [Builtin; N] {
    otherwise(Effect::Asks, records)
}

/// The same records, of predicates about what a trace itself says where no effect is given.
pub(crate) const fn tells<const N: usize>(records: [Builtin; N]) -> [Builtin; N] {
    otherwise(Effect::Tells, records)
}

const fn otherwise<const N: usize>(effect: Effect, mut records: [Builtin; N]) -> [Builtin; N] {
    let mut i = 0;
    while i < N {
        if matches!(records[i].effect, Effect::Any) {
            records[i].effect = effect;
        }
        i += 1;
    }
    records
}

const fn record(
    modes: &'static str,
    doc: &'static str,
    example: &'static str,
    answer: &'static str,
    run: PredicateFunction,
) -> Builtin {
    let (name, arity) = name_and_arity(modes);
    let (protection, effect) = (Protection::Library, Effect::Any);
    Builtin { name, arity, modes, doc, example, answer, run, protection, effect, attributed: None }
}

/// `sort(+Key, +Order, +List, -Sorted) is det` is `sort` with 4 arguments, `halt is det` one without.
const fn name_and_arity(modes: &'static str) -> (&'static str, usize) {
    let bytes = modes.as_bytes();
    let mut end = 0;
    while bytes[end] != b'(' && bytes[end] != b' ' {
        end += 1;
    }
    let (name, rest) = modes.split_at(end);
    (name, count_arguments(rest.as_bytes()))
}

const fn count_arguments(bytes: &[u8]) -> usize {
    if bytes[0] != b'(' {
        return 0;
    }
    let (mut arity, mut i) = (1, 0);
    while bytes[i] != b')' {
        if bytes[i] == b',' {
            arity += 1;
        }
        i += 1;
    }
    arity
}

/// The answers of an iterator: each item is unified by a function.
struct Each<I: Iterator, F> {
    items: std::iter::Peekable<I>,
    unify: F,
}

/// Answers that take the items of `items` one by one; `unify` says whether an item fits.
pub(crate) fn each<I, F>(items: I, unify: F) -> Solutions
where
    I: Iterator + 'static,
    F: FnMut(&mut World, I::Item) -> bool + 'static,
{
    Ok(Some(Box::new(Each { items: items.peekable(), unify })))
}

impl<I: Iterator, F: FnMut(&mut World, I::Item) -> bool> SolutionSource for Each<I, F> {
    fn next(&mut self, world: &mut World) -> Result<NextSolution, Stop> {
        let Some(item) = self.items.next() else { return Ok(NextSolution::Fail) };
        let unified = (self.unify)(world, item);
        Ok(match (unified, self.items.peek().is_some()) {
            (true, true) => NextSolution::More,
            (true, false) => NextSolution::Last,
            (false, true) => NextSolution::Skip,
            (false, false) => NextSolution::Fail,
        })
    }
}

/// At most one answer, for a predicate that may have more in another mode.
pub(crate) fn at_most_one(unified: bool) -> Solutions {
    Ok(unified.then(|| Box::new(Once) as Box<dyn SolutionSource>))
}

/// An answer that has been found already; as a type of size zero, its box allocates nothing.
struct Once;

impl SolutionSource for Once {
    fn next(&mut self, _: &mut World) -> Result<NextSolution, Stop> {
        Ok(NextSolution::Last)
    }
}

/// The predicates of a topic.
pub(crate) type TopicPredicates = (&'static str, &'static [Builtin]);
