//! The variables of a term.

use super::cell::Cell;
use super::sharing::Visits;
use super::store::{Store, Term};
use super::traverse::push_reversed;
use crate::term::hash::{NumberMap, NumberSet};

impl Store {
    /// The distinct unbound variables of the term, in order of first occurrence from the left.
    pub(crate) fn variables(&self, term: Cell) -> Vec<Cell> {
        let mut seen = NumberSet::default();
        let mut found = Vec::new();
        let mut visits = Visits::new(self);
        let mut rest = vec![term];
        while let Some(term) = rest.pop() {
            match self.look(term) {
                Term::Var(cell) if seen.insert(cell) => found.push(cell),
                Term::Compound(compound) if !visits.is_repeated(self, compound) => {
                    push_reversed(&mut rest, self.args(compound))
                }
                _ => {}
            }
        }
        self.note_walk(visits.steps);
        found
    }

    /// The distinct unbound variables of the term, in order of first occurrence from the left, each with its number of
    /// occurrences.
    pub(crate) fn variables_by_occurrence(&self, term: Cell) -> Vec<(Cell, usize)> {
        let mut places = NumberMap::default();
        let mut found: Vec<(Cell, usize)> = Vec::new();
        let mut visits = Visits::new(self);
        let mut rest = vec![term];
        while let Some(term) = rest.pop() {
            match self.look(term) {
                Term::Var(cell) => {
                    let place = *places.entry(cell).or_insert(found.len());
                    if place == found.len() {
                        found.push((cell, 0));
                    }
                    found[place].1 += 1;
                }
                Term::Compound(compound) if !visits.is_repeated(self, compound) => {
                    push_reversed(&mut rest, self.args(compound))
                }
                _ => {}
            }
        }
        self.note_walk(visits.steps);
        found
    }
}
