//! Properties of whole terms: groundness, cycles, variants.

use crate::term::hash::{NumberMap, NumberSet};
use smallvec::SmallVec;

use super::cell::{Cell, Tag};
use super::sharing::EqualPairs;
use super::store::{Store, Term};

/// Appends cells, the last one first.
#[inline]
pub(super) fn push_reversed(rest: &mut Vec<Cell>, cells: &[Cell]) {
    let first = rest.len();
    rest.extend_from_slice(cells);
    rest[first..].reverse();
}

#[cfg(test)]
impl Store {
    /// Pushes a choice point, as the machine does.
    pub(crate) fn choose(&mut self) -> super::store::Mark {
        self.barrier = self.heap.len();
        self.mark()
    }

    /// Backtracks to a choice point.
    pub(crate) fn back_to(&mut self, mark: super::store::Mark) {
        self.undo_to(mark);
    }
}

/// An item of the stack of a walk that notices when it leaves a term.
enum Visit {
    Enter(Cell),
    Leave(Cell),
}

/// Tags a compound of the left term, to distinguish it from the same compound in the right term.
fn on_the_left(compound: Cell) -> Cell {
    const LEFT: u64 = 1 << 63;
    Cell(compound.0 | LEFT)
}

impl Store {
    /// Whether no unbound variable occurs in the term.
    pub(crate) fn is_ground(&self, term: Cell) -> bool {
        let mut seen = NumberSet::default();
        let mut rest = vec![term];
        let mut steps = 0;
        while let Some(term) = rest.pop() {
            if self.gives_up_at(steps + 1) {
                return false;
            }
            let term = self.deref(term);
            match self.look(term) {
                Term::Var(_) => return false,
                // After this many steps a term is shared or cyclic: from then on each compound is visited once.
                Term::Compound(_) if steps > self.heap.len() && !seen.insert(term) => {}
                Term::Compound(compound) => push_reversed(&mut rest, self.args(compound)),
                _ => {}
            }
            steps += 1;
        }
        self.note_walk(steps);
        true
    }

    /// Whether no compound contains itself.
    pub(crate) fn is_acyclic(&self, term: Cell) -> bool {
        self.is_small_tree(term) || self.has_no_cycle(term)
    }

    /// Whether the term has at most `most` parts, including itself; shared ones count each time.
    pub(crate) fn has_at_most(&self, most: usize, term: Cell) -> bool {
        let mut rest: SmallVec<[Cell; 16]> = SmallVec::new();
        rest.push(term);
        let mut n_parts = 1;
        while let Some(term) = rest.pop() {
            if let Term::Compound(compound) = self.look(term) {
                n_parts += compound.arity;
                if n_parts > most {
                    return false;
                }
                rest.extend_from_slice(self.args(compound));
            }
        }
        true
    }

    /// Whether a walk over the term ends within as many steps as the heap has cells.
    fn is_small_tree(&self, term: Cell) -> bool {
        let mut rest = vec![term];
        for step in 1..=self.heap.len() + 1 {
            if self.gives_up_at(step) {
                return false;
            }
            match rest.pop() {
                None => {
                    self.note_walk(step);
                    return true;
                }
                Some(term) => {
                    if let Term::Compound(compound) = self.look(term) {
                        rest.extend_from_slice(self.args(compound));
                    }
                }
            }
        }
        rest.is_empty()
    }

    fn has_no_cycle(&self, term: Cell) -> bool {
        // Maps a compound to `true` while its arguments are walked, and to `false` once they are known to be acyclic.
        let mut open: NumberMap<Cell, bool> = NumberMap::default();
        let mut rest = vec![Visit::Enter(term)];
        let mut steps = 0;
        while let Some(visit) = rest.pop() {
            steps += 1;
            if self.gave_up() || self.gives_up_at(steps) {
                return false;
            }
            match visit {
                Visit::Leave(term) => drop(open.insert(term, false)),
                Visit::Enter(term) => {
                    let term = self.deref(term);
                    let Term::Compound(compound) = self.look(term) else { continue };
                    match open.get(&term) {
                        Some(true) => return false,
                        Some(false) => continue,
                        None => {}
                    }
                    open.insert(term, true);
                    rest.push(Visit::Leave(term));
                    rest.extend(self.args(compound).iter().rev().map(|&arg| Visit::Enter(arg)));
                }
            }
        }
        true
    }

    /// Whether the terms are equal up to renaming of variables.
    pub(crate) fn is_variant(&self, a: Cell, b: Cell) -> bool {
        let mut there: NumberMap<Cell, Cell> = NumberMap::default();
        let mut back: NumberMap<Cell, Cell> = NumberMap::default();
        let mut visits = EqualPairs::new(self);
        let mut pairs = vec![(a, b)];
        while let Some((a, b)) = pairs.pop() {
            let (a, b) = (self.deref(a), self.deref(b));
            match (self.look(a), self.look(b)) {
                (Term::Var(_), Term::Var(_)) => {
                    if *there.entry(a).or_insert(b) != b || *back.entry(b).or_insert(a) != a {
                        return false;
                    }
                }
                (Term::Compound(x), Term::Compound(y)) => {
                    if (x.name, x.arity) != (y.name, y.arity) {
                        return false;
                    }
                    // The same compound in the right term is a different thing.
                    if visits.is_repeated(self, on_the_left(a), b) {
                        if self.gave_up() {
                            return false;
                        }
                    } else {
                        let (x, y) = (self.args(x).iter().rev(), self.args(y).iter().rev());
                        pairs.extend(x.zip(y).map(|(x, y)| (*x, *y)));
                    }
                }
                _ if a.tag() != Tag::Ref && b.tag() != Tag::Ref && self.compare(a, b).is_eq() => {}
                _ => return false,
            }
        }
        self.note_walk(visits.steps);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Atom;

    fn f(store: &mut Store, args: &[Cell]) -> Cell {
        store.compound(Atom::new("f"), args)
    }

    #[test]
    fn a_variant_renames_one_to_one() {
        let mut store = Store::new();
        let [x, y, z] = [store.new_var(), store.new_var(), store.new_var()];
        let [xy, yz, zz] = [f(&mut store, &[x, y]), f(&mut store, &[y, z]), f(&mut store, &[z, z])];
        assert!(store.is_variant(xy, yz));
        assert!(!store.is_variant(xy, zz));
        assert!(!store.is_variant(zz, xy));
    }

    #[test]
    fn walks_over_a_cyclic_term_end() {
        let mut store = Store::new();
        let variable = store.new_var();
        let term = f(&mut store, &[variable]);
        assert!(!store.is_ground(term) && store.is_acyclic(term));
        assert!(store.unify(variable, term));
        assert!(store.is_ground(term) && !store.is_acyclic(term));
        assert!(store.is_variant(term, variable));
    }

    #[test]
    fn variants_of_different_periods_are_found_soon() {
        let mut store = Store::new();
        let ring = |store: &mut Store, period: usize| {
            let end = store.new_var();
            let ring = (0..period).fold(end, |rest, _| f(store, &[rest]));
            assert!(store.unify(end, ring));
            ring
        };
        let [one, other] = [30_011, 30_013].map(|period| ring(&mut store, period));
        let start = std::time::Instant::now();
        assert!(store.is_variant(one, other));
        assert!(start.elapsed().as_secs() < 10);
    }

    #[test]
    fn a_compound_on_both_sides_is_not_taken_for_its_partner() {
        let mut store = Store::new();
        let [a, b, c] = [Cell::NIL; 3].map(|arg| f(&mut store, &[arg]));
        let mut visits = EqualPairs::new(&store);
        for _ in 0..4000 {
            visits.is_repeated(&store, on_the_left(a), b);
            visits.is_repeated(&store, on_the_left(b), c);
        }
        assert!(visits.is_repeated(&store, on_the_left(a), b));
        assert!(visits.is_repeated(&store, on_the_left(b), c));
        assert!(!visits.is_repeated(&store, on_the_left(a), c));
    }

    #[test]
    fn a_shared_term_is_not_cyclic() {
        let mut store = Store::new();
        let one = f(&mut store, &[Cell::NIL]);
        let doubled = (0..200).fold(one, |term, _| f(&mut store, &[term, term]));
        assert!(store.is_acyclic(doubled) && store.is_ground(doubled));
    }
}
