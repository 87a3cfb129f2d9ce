//! Data that running goals keep across backtracking: collected answers and mutable states.

use std::cmp::Ordering;

use super::counters::Counters;
use crate::engine::arith::{self, Function, Number};
use crate::engine::heap::{Cell, Frozen, Stop, Store, Tag};
use crate::term::hash::HashMap;
use crate::trace::EventId;

/// The open collections, innermost last, and the states by number.
#[derive(Debug, Default)]
pub(crate) struct Collectors {
    open: Vec<CollectedAnswers>,
    states: HashMap<i64, LastingValue>,
    last_state: i64,
    /// Counts of keys, by the number of a state.
    pub(crate) tallies: Counters,
    /// The result of the fold that has just ended.
    pub(crate) folded: Frozen,
    /// The event at which the fold ended, if it moves the cursor.
    pub(crate) folded_at: Option<EventId>,
    bytes: usize,
}

/// Frozen answers, or their sum, or the best of them.
#[derive(Debug, Default)]
struct CollectedAnswers {
    terms: Frozen,
    roots: Vec<Cell>,
    number: Option<Number>,
}

impl CollectedAnswers {
    fn bytes(&self) -> usize {
        self.terms.growth() + size_of_val(&*self.roots)
    }
}

/// A value that survives backtracking.
#[derive(Debug)]
enum LastingValue {
    /// An atom or a small integer, which is its own copy.
    Word(Cell),
    Copy(Frozen),
}

impl LastingValue {
    fn of(store: &mut Store, term: Cell) -> Result<LastingValue, Stop> {
        let cell = store.deref(term);
        let state = match cell.tag() {
            Tag::Atom | Tag::Int => LastingValue::Word(cell),
            _ => LastingValue::Copy(store.freeze(cell)),
        };
        store.check_walks().map(|()| state)
    }

    fn value(&self, store: &mut Store) -> Cell {
        match self {
            LastingValue::Word(cell) => *cell,
            LastingValue::Copy(frozen) => store.thaw(frozen),
        }
    }
}

impl Collectors {
    /// Opens a nested collection and returns its number.
    pub(crate) fn open(&mut self) -> usize {
        self.open.push(CollectedAnswers::default());
        self.open.len() - 1
    }

    /// Adds a copy of `term` to a collection; nested ones, which an error has left open, are dropped.
    #[inline]
    pub(crate) fn add(&mut self, store: &mut Store, number: usize, term: Cell) {
        self.drop_above(number + 1);
        if let Some(collection) = self.open.get_mut(number) {
            let before = collection.bytes();
            let root = store.freeze_onto(term, &mut collection.terms);
            collection.roots.push(root);
            self.bytes += collection.bytes() - before;
        }
    }

    /// Ends a collection and gives the list of its answers in order, before `tail`.
    pub(crate) fn close(&mut self, store: &mut Store, number: usize, tail: Cell) -> Cell {
        self.drop_above(number + 1);
        let collection = self.open.pop().unwrap_or_default();
        self.bytes -= collection.bytes();
        let thawed = store.thaw_from(&collection.terms);
        let answers: Vec<Cell> = collection.roots.iter().map(|&root| thawed.moved(root)).collect();
        store.list_with_tail(&answers, tail)
    }

    /// Adds a number to the sum of a collection.
    pub(crate) fn add_up(&mut self, number: usize, value: &Number) -> Result<(), Stop> {
        self.drop_above(number + 1);
        if let Some(collection) = self.open.get_mut(number) {
            collection.number = Some(match &collection.number {
                None => value.clone(),
                Some(sum) => Function::Add.apply2(sum, value)?,
            });
        }
        Ok(())
    }

    /// Stores a number and a copy of `witness` in a collection if it is empty, or if the number compares as `wanted` to
    /// the stored one.
    pub(crate) fn add_best(
        &mut self,
        store: &mut Store,
        number: usize,
        wanted: Ordering,
        value: Number,
        witness: Cell,
    ) {
        self.drop_above(number + 1);
        if let Some(collection) = self.open.get_mut(number)
            && collection.number.as_ref().is_none_or(|best| arith::compare(&value, best) == wanted)
        {
            self.bytes -= collection.bytes();
            collection.terms = store.freeze(witness);
            collection.number = Some(value);
            self.bytes += collection.bytes();
        }
    }

    /// Ends a collection and returns its number and witness, unless it is empty.
    pub(crate) fn close_number(&mut self, store: &mut Store, number: usize) -> Option<(Number, Cell)> {
        self.drop_above(number + 1);
        let collection = self.open.pop()?;
        self.bytes -= collection.bytes();
        let witness = if collection.terms.is_empty() { Cell::NIL } else { store.thaw(&collection.terms) };
        Some((collection.number?, witness))
    }

    fn drop_above(&mut self, height: usize) {
        for collection in self.open.drain(height.min(self.open.len())..) {
            self.bytes -= collection.bytes();
        }
    }

    /// Stores a copy of `term` as a new state and returns its number.
    pub(crate) fn new_state(&mut self, store: &mut Store, term: Cell) -> Result<i64, Stop> {
        let state = LastingValue::of(store, term)?;
        self.last_state += 1;
        self.states.insert(self.last_state, state);
        Ok(self.last_state)
    }

    /// The present value of a state.
    pub(crate) fn state(&self, store: &mut Store, number: i64) -> Option<Cell> {
        self.states.get(&number).map(|state| state.value(store))
    }

    /// Changes a state.
    pub(crate) fn set_state(&mut self, store: &mut Store, number: i64, term: Cell) -> Result<(), Stop> {
        self.states.insert(number, LastingValue::of(store, term)?);
        Ok(())
    }

    /// Drops a state.
    pub(crate) fn drop_state(&mut self, number: i64) {
        self.states.remove(&number);
    }

    /// Drops everything when the query ends.
    pub(crate) fn clear(&mut self) {
        *self = Collectors { last_state: self.last_state, ..Collectors::default() };
    }

    /// Bytes that the collected answers and counts occupy.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.tallies.bytes()
    }
}
