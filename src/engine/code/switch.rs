//! Switches on an argument of a call.

use super::instr::Pc;
use crate::engine::heap::{Cell, LIST_KEY, Store, Tag, boxed_key};

/// A switch table: where to continue for each key of an argument.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    /// The target for a variable.
    pub(crate) variable: Pc,
    /// The target for keys that no clause has.
    pub(crate) other: Pc,
    pub(crate) by_key: Vec<(u64, Pc)>,
}

impl Switch {
    /// Where a call continues whose argument is `cell`, dereferenced.
    #[inline]
    pub(crate) fn target(&self, store: &Store, cell: Cell) -> Pc {
        let key = match cell.tag() {
            Tag::Ref => return self.variable,
            Tag::Atom | Tag::Int => cell.0,
            Tag::List => LIST_KEY,
            Tag::Struct => store.heap[cell.index()].0,
            Tag::Float | Tag::Object | Tag::Header => boxed_key(store, cell),
        };
        self.by_key.iter().find(|entry| entry.0 == key).map_or(self.other, |entry| entry.1)
    }

    /// Whether a clause has a text or a float.
    pub(crate) fn has_boxed_keys(&self) -> bool {
        self.by_key.iter().any(|entry| Cell(entry.0).is_boxed())
    }

    /// Notes a term for which no clause is, if one is for a term that is written alike.
    #[cold]
    pub(crate) fn note_miss(&self, store: &mut Store, cell: Cell) {
        if self.target(store, cell) == self.other {
            store.note_missed_clause(cell, |store, alike| self.target(store, alike) != self.other);
        }
    }
}
