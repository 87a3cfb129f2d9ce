//! Global variables: named values.

use crate::engine::heap::{Cell, Frozen, Stop, Store, Term};
use crate::term::Atom;
use crate::term::hash::NumberMap;

/// The values by name: either a copy that survives backtracking or a term on the heap that does not.
#[derive(Debug, Default)]
pub(crate) struct Globals {
    kept: NumberMap<Atom, Frozen>,
    undone: NumberMap<Atom, GlobalSlot>,
    serials: i64,
}

/// The heap index of the backtrackable value of a name: `'$global'(Serial, Value)`.
///
/// Backtracking to before its creation cuts the heap below it; a term that is built there later has another serial.
#[derive(Clone, Copy, Debug)]
struct GlobalSlot {
    term: Cell,
    serial: i64,
}

impl Globals {
    /// Stores a copy of `value` under `name`; backtracking does not undo it.
    pub(crate) fn keep(&mut self, store: &mut Store, name: Atom, value: Cell) -> Result<(), Stop> {
        let value = store.freeze(value);
        store.check_walks()?;
        self.undone.remove(&name);
        self.kept.insert(name, value);
        Ok(())
    }

    /// Stores `value` itself under `name`; backtracking undoes it.
    pub(crate) fn put(&mut self, store: &mut Store, name: Atom, value: Cell) {
        if let Some(slot) = self.undone.get(&name)
            && slot.is_live(store)
            && let Term::Compound(compound) = store.look(slot.term)
        {
            return store.replace_arg(compound, 1, value);
        }
        self.serials += 1;
        let serial = store.int(self.serials);
        let term = store.compound(Atom::new(SLOT), &[serial, value]);
        self.undone.insert(name, GlobalSlot { term, serial: self.serials });
    }

    /// The present value of `name`; a fresh copy if it was stored as one.
    pub(crate) fn value(&self, store: &mut Store, name: Atom) -> Option<Cell> {
        if let Some(slot) = self.undone.get(&name)
            && slot.is_live(store)
            && let Term::Compound(compound) = store.look(slot.term)
        {
            return Some(store.arg(compound, 1));
        }
        self.kept.get(&name).map(|frozen| store.thaw(frozen))
    }

    /// The terms that hold the backtrackable values.
    pub(crate) fn live_slots(&self, store: &Store) -> Vec<Cell> {
        self.undone.values().filter(|slot| slot.is_live(store)).map(|slot| slot.term).collect()
    }

    /// Relocates those terms after a garbage collection and drops all others.
    pub(crate) fn move_slots(&mut self, live: &[Cell], moved: impl Fn(Cell) -> Cell) {
        self.undone.retain(|_, slot| live.contains(&slot.term));
        for slot in self.undone.values_mut() {
            slot.term = moved(slot.term);
        }
    }

    /// Bytes that the stored copies occupy.
    pub(crate) fn bytes(&self) -> usize {
        self.kept.values().map(Frozen::bytes).sum()
    }
}

const SLOT: &str = "$global";

impl GlobalSlot {
    /// Whether backtracking has left it in place.
    fn is_live(&self, store: &Store) -> bool {
        let index = self.term.index();
        store.heap.get(index) == Some(&Cell::header(Atom::new(SLOT), 2))
            && store.heap.get(index + 1) == Some(&Cell::small_int(self.serial))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backtrackable_value_goes_with_its_choice_and_the_kept_one_shows_again() {
        let (mut globals, mut store, name) = (Globals::default(), Store::new(), Atom::new("v"));
        let [one, two] = [store.int(1), store.int(2)];
        globals.keep(&mut store, name, one).expect("nothing interrupts");
        let mark = store.mark();
        globals.put(&mut store, name, two);
        assert_eq!(globals.value(&mut store, name), Some(two));
        store.undo_to(mark);
        assert_eq!(globals.value(&mut store, name), Some(one));
    }
}
