//! What goals keep across backtracking while they run: collected answers, and mutable states.

use rustc_hash::FxHashMap;
use std::cmp::Ordering;

use super::arith::{self, Function, Number};
use super::cell::{Cell, Tag};
use super::copy::Frozen;
use super::counters::Counters;
use super::error::Stop;
use super::store::Store;
use crate::trace::EventId;

/// The open collections of answers, innermost last, and the states by number.
#[derive(Debug, Default)]
pub struct Collectors {
    open: Vec<Collection>,
    states: FxHashMap<i64, State>,
    last_state: i64,
    /// Counts of keys, each under the number of a state.
    pub tallies: Counters,
    /// What the fold that has just ended has come to.
    pub folded: Frozen,
    /// The event at which the fold has ended, if it was one that moves.
    pub folded_at: Option<EventId>,
    bytes: usize,
}

/// Answers, frozen together; or what they add up to, or the best of them.
#[derive(Debug, Default)]
struct Collection {
    terms: Frozen,
    roots: Vec<Cell>,
    number: Option<Number>,
}

impl Collection {
    fn bytes(&self) -> usize {
        self.terms.growth() + size_of_val(&*self.roots)
    }
}

/// A value that outlives backtracking.
#[derive(Debug)]
enum State {
    /// An atom or an integer of one word, which is its own copy.
    Word(Cell),
    Copy(Frozen),
}

impl State {
    fn of(store: &mut Store, term: Cell) -> Result<State, Stop> {
        let cell = store.deref(term);
        let state = match cell.tag() {
            Tag::Atom | Tag::Int => State::Word(cell),
            _ => State::Copy(store.freeze(cell)),
        };
        store.check_walks().map(|()| state)
    }

    fn value(&self, store: &mut Store) -> Cell {
        match self {
            State::Word(cell) => *cell,
            State::Copy(frozen) => store.thaw(frozen),
        }
    }
}

impl Collectors {
    /// Opens a collection inside those that are open, and gives its number.
    pub fn open(&mut self) -> usize {
        self.open.push(Collection::default());
        self.open.len() - 1
    }

    /// Adds a copy of `term` to a collection; those opened after it were left by an error and are dropped.
    pub fn add(&mut self, store: &mut Store, number: usize, term: Cell) {
        self.drop_above(number + 1);
        if let Some(collection) = self.open.get_mut(number) {
            let before = collection.bytes();
            let root = store.freeze_onto(term, &mut collection.terms);
            collection.roots.push(root);
            self.bytes += collection.bytes() - before;
        }
    }

    /// Ends a collection and gives the list of its answers in order, before `tail`.
    pub fn close(&mut self, store: &mut Store, number: usize, tail: Cell) -> Cell {
        self.drop_above(number + 1);
        let collection = self.open.pop().unwrap_or_default();
        self.bytes -= collection.bytes();
        let thawed = store.thaw_from(&collection.terms);
        let answers: Vec<Cell> = collection.roots.iter().map(|&root| thawed.moved(root)).collect();
        store.list_with_tail(&answers, tail)
    }

    /// Adds a number to what a collection adds up to.
    pub fn add_up(&mut self, number: usize, value: &Number) -> Result<(), Stop> {
        self.drop_above(number + 1);
        if let Some(collection) = self.open.get_mut(number) {
            collection.number = Some(match &collection.number {
                None => value.clone(),
                Some(sum) => Function::Add.apply2(sum, value)?,
            });
        }
        Ok(())
    }

    /// Keeps a number and a copy of `witness` in a collection, if the number is the first or compares as `wanted` to the
    /// one kept before.
    pub fn add_best(&mut self, store: &mut Store, number: usize, wanted: Ordering, value: Number, witness: Cell) {
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

    /// Ends a collection and gives the number in it and the witness, if it has seen any.
    pub fn close_number(&mut self, store: &mut Store, number: usize) -> Option<(Number, Cell)> {
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

    /// Keeps a copy of `term` as a new state, and gives its number.
    pub fn new_state(&mut self, store: &mut Store, term: Cell) -> Result<i64, Stop> {
        let state = State::of(store, term)?;
        self.last_state += 1;
        self.states.insert(self.last_state, state);
        Ok(self.last_state)
    }

    /// The present value of a state.
    pub fn state(&self, store: &mut Store, number: i64) -> Option<Cell> {
        self.states.get(&number).map(|state| state.value(store))
    }

    /// Changes a state.
    pub fn set_state(&mut self, store: &mut Store, number: i64, term: Cell) -> Result<(), Stop> {
        self.states.insert(number, State::of(store, term)?);
        Ok(())
    }

    /// Forgets a state.
    pub fn drop_state(&mut self, number: i64) {
        self.states.remove(&number);
    }

    /// Forgets everything: the query has ended.
    pub fn clear(&mut self) {
        *self = Collectors { last_state: self.last_state, ..Collectors::default() };
    }

    /// Bytes that the collected answers and counts take.
    pub fn bytes(&self) -> usize {
        self.bytes + self.tallies.bytes()
    }
}
