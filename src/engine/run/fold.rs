//! Accumulators of folds: a value that survives the backtracking of each step without being copied every time.

use super::choices::{Alternative, Choice};
use super::machine::Machine;
use crate::engine::heap::{Cell, Mark, Store, Tag};
use crate::engine::state::World;

/// How many cells steps may leave on the heap before the value is copied: many steps share the cost of a copy.
const FIRST_COPY: usize = 1 << 16;

/// The value passed from step to step. It stays on the heap, below the mark to which backtracking returns.
#[derive(Debug)]
pub(crate) struct Accumulator {
    value: Cell,
    /// The state of the store before the first step.
    base: Option<Mark>,
    /// The heap size beyond which the value is copied.
    limit: usize,
}

impl Accumulator {
    /// Starts with a term that is older than the fold.
    pub(crate) fn new(value: Cell) -> Accumulator {
        Accumulator { value, base: None, limit: 0 }
    }

    /// The present value.
    pub(crate) fn value(&self) -> Cell {
        self.value
    }

    /// Takes the result of a step; `mark` is the state to which the step's bindings are undone.
    pub(crate) fn keep(&mut self, store: &mut Store, mark: &mut Mark, value: Cell) {
        let base = *self.base.get_or_insert_with(|| {
            self.limit = mark.heap + FIRST_COPY;
            *mark
        });
        self.value = store.deref(value);
        if matches!(self.value.tag(), Tag::Atom | Tag::Int) {
            *mark = base;
            return;
        }
        if !store.settle(base, *mark) || store.heap.len() > self.limit {
            let frozen = store.freeze(self.value);
            store.undo_to(base);
            self.value = store.thaw(&frozen);
            let length = store.heap.len();
            self.limit = length + FIRST_COPY.max(length - base.heap);
        }
        *mark = store.mark();
    }
}

impl Store {
    /// Undoes those bindings since `mark` that bound cells below `base`, without changing the meaning of terms built
    /// since `base`. Does nothing and returns `false` if anything but bindings of variables must be undone.
    fn settle(&mut self, base: Mark, mark: Mark) -> bool {
        let bound = mark.trail..self.trail.len();
        if self.has_attributed() || self.trail[bound.clone()].iter().any(|change| change.old.is_some()) {
            return false;
        }
        self.resolve_from(mark.heap);
        for at in bound {
            let index = self.trail[at].index;
            if index >= base.heap {
                self.heap[index] = self.deref(self.heap[index]);
            }
        }
        while self.trail.len() > mark.trail
            && let Some(change) = self.trail.pop()
        {
            if change.index < base.heap {
                self.heap[change.index] = Cell::reference(change.index);
            }
        }
        true
    }

    /// Replaces references by the terms they lead to, in all cells from `start` on.
    fn resolve_from(&mut self, start: usize) {
        let mut index = start;
        while index < self.heap.len() {
            let cell = self.heap[index];
            if cell.is_ref() {
                self.heap[index] = self.deref(cell);
            }
            index += if cell == Cell::RAW { 2 } else { 1 };
        }
    }
}

impl Machine {
    /// `'$fold_keep'(Value)`: passes the value to the fold whose step has ended, and backtracks for its next event.
    #[inline(never)]
    pub(super) fn fold_keep(&mut self) {
        let World { store, .. } = &mut self.world;
        if let Some(Choice { alternative: Alternative::Answers, mark, .. }) = self.choices.last_mut()
            && let Some(answers) = self.answers.last_mut()
        {
            answers.keep(store, mark, self.x[0]);
            store.set_barrier(*mark);
        }
    }
}
