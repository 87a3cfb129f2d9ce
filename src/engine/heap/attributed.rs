//! Attributed variables: unbound variables that carry a term, and the record of their bindings.
//!
//! On the heap an attributed variable stands between a mark and its attributes, `'$attributes'(Name, Value, Others)` or
//! `[]`. It is bound like any other variable. All of them lie below the barrier, so the trail records each binding, and
//! the machine reads there which were bound since it last checked. A program without attributed variables pays nothing.

use super::cell::{Cell, Tag};
use super::store::{Attributed, Mark, Store, Term, Trailed};
use super::traverse::push_reversed;
use crate::term::Atom;
use crate::term::hash::NumberSet;

/// An attributed variable that was bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoundVariable {
    /// What it carried.
    pub(crate) attributes: Cell,
    /// Its value.
    pub(crate) value: Cell,
}

/// Precedes an attributed variable.
const MARK: Cell = Cell(Cell::RAW.0 - (1 << 35));

impl Store {
    /// Whether there are attributed variables.
    #[inline(always)]
    pub(crate) fn has_attributed(&self) -> bool {
        self.attributed.first != usize::MAX
    }

    /// Whether a term is an attributed variable, even one that has no attributes at the moment.
    pub(crate) fn is_attributed(&self, term: Cell) -> bool {
        let cell = self.deref(term);
        cell.is_ref() && self.is_attributed_at(cell.index())
    }

    /// Whether the cell at `index` is an attributed variable. Floats have one NaN only, so the bits of a float never
    /// look like the mark.
    pub(crate) fn is_attributed_at(&self, index: usize) -> bool {
        index >= self.attributed.first && self.heap.get(index.wrapping_sub(1)) == Some(&MARK)
    }

    /// The attributes of an unbound variable: `[]` if it has none.
    pub(crate) fn attributes(&self, variable: Cell) -> Cell {
        let cell = self.deref(variable);
        match self.is_attributed(cell) {
            true => self.heap[cell.index() + 1],
            false => Cell::NIL,
        }
    }

    /// Sets the attributes of an unbound variable; backtracking restores the old ones.
    pub(crate) fn set_attributes(&mut self, variable: Cell, attributes: Cell) {
        let mut cell = self.deref(variable);
        if !self.is_attributed(cell) {
            cell = self.make_attributed(cell);
        }
        let place = cell.index() + 1;
        self.trail.push(Trailed { index: place, old: Some(self.heap[place]) });
        self.heap[place] = attributes;
    }

    /// Binds a variable to a new attributed one.
    fn make_attributed(&mut self, variable: Cell) -> Cell {
        self.heap.push(MARK);
        let attributed = self.new_var();
        self.heap.push(Cell::NIL);
        self.bind(variable, attributed);
        self.attributed.first = self.attributed.first.min(attributed.index());
        self.attributed.end = self.heap.len();
        self.barrier = self.barrier.max(self.attributed.end);
        attributed
    }

    /// Trails bindings of cells older than a choice point with this mark from now on, and those of attributed variables
    /// always.
    #[inline]
    pub(crate) fn set_barrier(&mut self, mark: Mark) {
        self.barrier = self.barrier_at(mark).max(self.attributed.end);
    }

    /// The attributed variables bound since the last check, in order of binding.
    pub(crate) fn take_bound(&mut self) -> Vec<BoundVariable> {
        let from = std::mem::replace(&mut self.attributed.checked, self.trail.len());
        let changes = self.trail.get(from..).unwrap_or_default();
        let bound = changes.iter().filter(|change| change.old.is_none() && self.is_attributed_at(change.index));
        bound
            .map(|change| BoundVariable { attributes: self.heap[change.index + 1], value: self.heap[change.index] })
            .collect()
    }

    /// Whether the trail has grown since the last check.
    pub(crate) fn has_unchecked_bindings(&self) -> bool {
        self.trail.len() > self.attributed.checked
    }

    /// Must be called when the trail was cut to `length`.
    #[inline(always)]
    pub(crate) fn note_cut_trail(&mut self, length: usize) {
        self.attributed.checked = self.attributed.checked.min(length);
    }

    /// Forgets the attributed variables that backtracking removed.
    pub(crate) fn drop_undone_attributed(&mut self) {
        self.attributed.end = self.attributed.end.min(self.heap.len());
        if self.heap.len() <= self.attributed.first {
            self.attributed = Attributed::default();
        }
    }

    /// The attributed variables in a term, or in the attributes of one of them, in order.
    pub(crate) fn attributed_in(&self, term: Cell) -> Vec<Cell> {
        let mut found = Vec::new();
        if !self.has_attributed() {
            return found;
        }
        let mut seen = NumberSet::default();
        let mut rest = vec![term];
        while let Some(term) = rest.pop() {
            let cell = self.deref(term);
            match self.look(cell) {
                Term::Var(_) if self.is_attributed(cell) && seen.insert(cell) => {
                    found.push(cell);
                    rest.push(self.attributes(cell));
                }
                Term::Compound(compound) if seen.insert(cell) => push_reversed(&mut rest, self.args(compound)),
                _ => {}
            }
        }
        found.retain(|&cell| self.deref(self.attributes(cell)) != Cell::NIL);
        found
    }

    /// The cells that belong to the attributed variable at `index`: its mark and its attributes.
    pub(crate) fn companions(&self, index: usize) -> Option<[usize; 2]> {
        self.is_attributed_at(index).then(|| [index - 1, index + 1])
    }

    /// Relocates the attributed variables after garbage collection has moved cells and compacted the trail; every
    /// binding must have been checked before.
    pub(crate) fn note_moved(&mut self, place: impl Fn(usize) -> usize) {
        if self.has_attributed() {
            let Attributed { first, end, .. } = self.attributed;
            self.attributed = Attributed { first: place(first), end: place(end - 1) + 1, checked: self.trail.len() };
        }
    }

    /// The variable to bind and its value, of two different cells: the younger is bound to the older, but an attributed
    /// variable is never bound to a plain one.
    pub(crate) fn oriented(&self, a: Cell, b: Cell) -> (Cell, Cell) {
        let (younger, older) = if a.index() < b.index() { (b, a) } else { (a, b) };
        match self.has_attributed() && self.is_attributed(younger) && !self.is_attributed(older) {
            true => (older, younger),
            false => (younger, older),
        }
    }
}

/// A list item for `'$wake'/1`: `Name(Attributes, Value)`.
impl BoundVariable {
    pub(crate) fn term(self, store: &mut Store) -> Cell {
        store.compound(Atom::new("$bound"), &[self.attributes, self.value])
    }
}

const _: () = assert!(matches!(MARK.tag(), Tag::Header));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Atom;

    fn atom(name: &str) -> Cell {
        Cell::atom(Atom::new(name))
    }

    #[test]
    fn a_binding_is_seen_once_and_backtracking_undoes_it() {
        let mut store = Store::new();
        let variable = store.new_var();
        store.set_attributes(variable, atom("note"));
        assert!(store.is_attributed(variable));
        assert_eq!(store.take_bound(), []);
        let before = store.choose();
        assert!(store.unify(variable, atom("a")));
        let bound = BoundVariable { attributes: atom("note"), value: atom("a") };
        assert_eq!(store.take_bound(), [bound]);
        assert_eq!(store.take_bound(), []);
        store.back_to(before);
        assert!(store.is_attributed(variable));
        assert!(store.unify(variable, atom("b")));
        assert_eq!(store.take_bound(), [BoundVariable { value: atom("b"), ..bound }]);
    }

    #[test]
    fn a_plain_variable_is_bound_to_an_attributed_one_whichever_is_older() {
        let mut store = Store::new();
        let (old, middle) = (store.new_var(), store.new_var());
        store.set_attributes(middle, atom("note"));
        let young = store.new_var();
        for plain in [old, young] {
            assert!(store.unify(plain, middle));
            assert!(store.is_attributed(plain));
        }
        assert_eq!(store.take_bound(), []);
    }

    #[test]
    fn a_float_never_passes_for_the_mark() {
        let mut store = Store::new();
        let variable = store.new_var();
        store.set_attributes(variable, atom("note"));
        store.float(f64::from_bits(MARK.0));
        let plain = store.new_var();
        assert!(f64::from_bits(MARK.0).is_nan());
        assert!(!store.is_attributed(plain));
    }
}
