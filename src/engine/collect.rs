//! What goals keep across backtracking while they run: collected answers, and mutable states.

use rustc_hash::FxHashMap;

use super::cell::Cell;
use super::copy::Frozen;
use super::counters::Counters;
use super::store::Store;

/// The open collections of answers, innermost last, and the states by number.
#[derive(Debug, Default)]
pub struct Collectors {
    open: Vec<Vec<Frozen>>,
    states: FxHashMap<i64, Frozen>,
    last_state: i64,
    /// Counts of keys, each under the number of a state.
    pub tallies: Counters,
    bytes: usize,
}

impl Collectors {
    /// Opens a collection inside those that are open, and gives its number.
    pub fn open(&mut self) -> usize {
        self.open.push(Vec::new());
        self.open.len() - 1
    }

    /// Adds a copy of `term` to a collection; those opened after it were left by an error and are dropped.
    pub fn add(&mut self, store: &mut Store, number: usize, term: Cell) {
        self.drop_above(number + 1);
        if let Some(answers) = self.open.get_mut(number) {
            let answer = store.freeze(term);
            self.bytes += answer.bytes();
            answers.push(answer);
        }
    }

    /// Ends a collection and gives its answers in order.
    pub fn close(&mut self, number: usize) -> Vec<Frozen> {
        self.drop_above(number + 1);
        let answers = self.open.pop().unwrap_or_default();
        self.bytes -= answers.iter().map(Frozen::bytes).sum::<usize>();
        answers
    }

    fn drop_above(&mut self, height: usize) {
        for answers in self.open.drain(height.min(self.open.len())..) {
            self.bytes -= answers.iter().map(Frozen::bytes).sum::<usize>();
        }
    }

    /// Keeps a copy of `term` as a new state, and gives its number.
    pub fn new_state(&mut self, store: &mut Store, term: Cell) -> i64 {
        self.last_state += 1;
        self.states.insert(self.last_state, store.freeze(term));
        self.last_state
    }

    /// The present value of a state.
    pub fn state(&self, store: &mut Store, number: i64) -> Option<Cell> {
        self.states.get(&number).map(|state| store.thaw(state))
    }

    /// Changes a state.
    pub fn set_state(&mut self, store: &mut Store, number: i64, term: Cell) {
        self.states.insert(number, store.freeze(term));
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
