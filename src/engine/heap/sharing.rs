//! Walks over terms whose parts are shared or that contain themselves: they remember what they have met.

use crate::term::hash::{NumberMap, NumberSet};
use std::hash::Hash;

use super::cell::Cell;
use super::store::Store;

/// Walks of more steps than this are always suspected of being on a cyclic term; see [`Store::suspicious`].
pub(crate) const SUSPICIOUS: usize = 1 << 18;
/// Walks of fewer steps than this are never suspected.
pub(super) const HARMLESS: usize = 1 << 10;

/// A suspected walk remembers one compound in this many steps: fewer make the table larger, more let it go round a
/// cycle longer.
pub(crate) const SAMPLE: usize = 16;

/// A sample of the compounds visited on a suspiciously long walk, so that the walk ends on cyclic terms too.
///
/// Every [`SAMPLE`]-th step that is not a repetition adds a compound. This bounds the steps by [`SAMPLE`] for each
/// compound, and spares a walk over a long list a table of the whole list.
#[derive(Debug)]
pub(crate) struct Visits<T> {
    pub(crate) steps: usize,
    suspicious: usize,
    n_looked_up: usize,
    seen: NumberSet<T>,
}

impl<T: Eq + Hash> Visits<T> {
    pub(crate) fn new(store: &Store) -> Visits<T> {
        Visits { steps: 0, suspicious: store.suspicious(), n_looked_up: 0, seen: NumberSet::default() }
    }

    /// Counts a step and returns whether it is known to be a repetition. Once the walk has to end, every step counts as
    /// one.
    #[inline(always)]
    pub(crate) fn is_repeated(&mut self, store: &Store, visited: T) -> bool {
        self.steps += 1;
        self.steps > self.suspicious && self.is_seen(store, visited)
    }

    #[inline(never)]
    fn is_seen(&mut self, store: &Store, visited: T) -> bool {
        self.n_looked_up += 1;
        if store.gives_up_at(self.n_looked_up) || store.gave_up() {
            return true;
        }
        let is_known =
            if self.steps.is_multiple_of(SAMPLE) { !self.seen.insert(visited) } else { self.seen.contains(&visited) };
        if is_known {
            self.steps -= 1;
        }
        is_known
    }
}

/// Like [`Visits`], but for pairs of terms that are equal unless the walk finds a difference. Equality is transitive,
/// so two cyclic terms need as many steps as they have compounds, not as many as they have pairs of compounds.
pub(crate) struct EqualPairs {
    pub(crate) steps: usize,
    suspicious: usize,
    n_looked_up: usize,
    /// Maps a compound to one that it equals.
    equal: NumberMap<Cell, Cell>,
}

impl EqualPairs {
    pub(crate) fn new(store: &Store) -> EqualPairs {
        EqualPairs { steps: 0, suspicious: store.suspicious(), n_looked_up: 0, equal: NumberMap::default() }
    }

    /// Counts a step and returns whether the two are known to be equal. Once the walk has to end, all pairs count as
    /// equal; see [`Store::gave_up`].
    #[inline(always)]
    pub(crate) fn is_repeated(&mut self, store: &Store, a: Cell, b: Cell) -> bool {
        self.steps += 1;
        self.steps > self.suspicious && self.is_seen(store, a, b)
    }

    #[inline(never)]
    fn is_seen(&mut self, store: &Store, a: Cell, b: Cell) -> bool {
        self.n_looked_up += 1;
        if store.gives_up_at(self.n_looked_up) {
            return true;
        }
        let (a, b) = (self.representative(a), self.representative(b));
        if a == b {
            self.steps -= 1;
        } else if self.steps.is_multiple_of(SAMPLE) {
            self.equal.insert(a, b);
        }
        a == b
    }

    fn representative(&mut self, cell: Cell) -> Cell {
        let mut cell = cell;
        while let Some(&next) = self.equal.get(&cell) {
            // Path halving keeps the chains short.
            if let Some(&after) = self.equal.get(&next) {
                self.equal.insert(cell, after);
            }
            cell = next;
        }
        cell
    }
}

/// Where a sample of the compounds was copied to.
pub(super) struct Copies<K = Cell, V = Cell> {
    pub(super) known: NumberMap<K, V>,
    /// Remembers one compound in this many; none if it is 0.
    pub(super) sample: usize,
    pub(super) steps: usize,
}

impl<K, V> Default for Copies<K, V> {
    fn default() -> Copies<K, V> {
        Copies { known: NumberMap::default(), sample: 0, steps: 0 }
    }
}

impl<K: Eq + Hash, V> Copies<K, V> {
    pub(super) fn note(&mut self, source: K, copy: V) {
        if self.sample > 0 {
            self.steps += 1;
            if self.steps.is_multiple_of(self.sample) {
                self.known.insert(source, copy);
            }
        }
    }
}

impl Store {
    /// The number of steps after which a walk is suspected of being endless: a term without shared parts has no more
    /// compounds than the heap has cells.
    pub(crate) fn suspicious(&self) -> usize {
        self.heap.len().clamp(HARMLESS, SUSPICIOUS)
    }
}
