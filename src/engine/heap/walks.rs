//! Walks over terms end when an interrupt or a limit asks for it.

use super::stop::Stop;
use super::store::Store;
use super::watch::POLL_LONG_STEPS_EVERY;

/// Steps of a walk over a term between two polls of interrupts and limits: a poll reads the clock.
const POLL_EVERY: usize = 1 << 14;
/// Walks of more steps than this are added up, so that the many short ones cost one comparison.
const SHORT_WALK: usize = 1 << 10;
/// The added-up steps after which such walks poll.
const POLL_AFTER: usize = 1 << 19;

/// A walk over a term that is abandoned returns an arbitrary result; callers use [`Store::check_walks`] before they
/// rely on it.
impl Store {
    /// Whether a walk must be abandoned at this step; polls interrupts and limits now and then.
    #[inline]
    pub(crate) fn gives_up_at(&self, n_steps: usize) -> bool {
        n_steps.is_multiple_of(POLL_EVERY) && self.gives_up()
    }

    /// The same for a walk whose steps may be walks themselves.
    #[inline]
    pub(crate) fn is_given_up_at(&self, n_steps: usize) -> bool {
        self.gave_up.get() || n_steps.is_multiple_of(POLL_LONG_STEPS_EVERY) && self.gives_up()
    }

    /// The same without a count, for walks that poll in blocks.
    #[cold]
    pub(crate) fn gives_up(&self) -> bool {
        if self.watch.is_due() {
            self.gave_up.set(true);
        }
        self.gave_up.get()
    }

    /// Adds up the steps of finished walks: many walks too short to poll make a long one.
    #[inline]
    pub(crate) fn note_walk(&self, n_steps: usize) {
        if n_steps > SHORT_WALK {
            self.note_long_walk(n_steps);
        }
    }

    #[cold]
    fn note_long_walk(&self, n_steps: usize) {
        let sum = self.walked.get().saturating_add(n_steps);
        self.walked.set(if sum > POLL_AFTER { 0 } else { sum });
        if sum > POLL_AFTER {
            self.gives_up();
        }
    }

    /// Whether a walk was abandoned since the last check.
    #[inline]
    pub(crate) fn gave_up(&self) -> bool {
        self.gave_up.get()
    }

    /// Runs something whose walks must not be abandoned.
    pub(crate) fn without_limits<R>(&mut self, work: impl FnOnce(&mut Store) -> R) -> R {
        let watch = std::mem::take(&mut self.watch);
        let result = work(self);
        self.watch = watch;
        result
    }

    /// Why a walk was abandoned, if one was.
    #[inline]
    pub(crate) fn check_walks(&self) -> Result<(), Stop> {
        if self.gave_up.get() { Err(self.stop_of_walk()) } else { Ok(()) }
    }

    #[cold]
    fn stop_of_walk(&self) -> Stop {
        self.gave_up.set(false);
        self.watch.check().err().unwrap_or(Stop::Interrupt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Cell;
    use std::sync::atomic::Ordering;

    const LONG: i64 = 1 << 19;

    fn long_list(store: &mut Store) -> Cell {
        store.list_of((0..LONG).map(Cell::small_int))
    }

    /// The result of a walk and why it was abandoned.
    fn interrupted<R>(store: &mut Store, walk: impl FnOnce(&mut Store) -> R) -> Result<R, Stop> {
        store.watch.interrupt.store(true, Ordering::Relaxed);
        let result = walk(store);
        store.check_walks().map(|()| result)
    }

    #[test]
    fn an_interrupt_ends_every_walk_over_a_long_term() {
        let mut store = Store::new();
        let (a, b) = (long_list(&mut store), long_list(&mut store));
        let stopped = Some(Stop::Interrupt);
        assert_eq!(interrupted(&mut store, |store| store.unify(a, b)).err(), stopped);
        assert_eq!(interrupted(&mut store, |store| store.unifies(a, b, |_| true)).err(), stopped);
        assert_eq!(interrupted(&mut store, |store| store.compare(a, b)).err(), stopped);
        assert_eq!(interrupted(&mut store, |store| store.is_variant(a, b)).err(), stopped);
        assert_eq!(interrupted(&mut store, |store| store.is_ground(a)).err(), stopped);
        assert_eq!(interrupted(&mut store, |store| store.is_acyclic(a)).err(), stopped);
        assert_eq!(interrupted(&mut store, |store| store.variables(a)).err(), stopped);
        assert_eq!(interrupted(&mut store, |store| store.copy(a)).err(), stopped);
        assert_eq!(interrupted(&mut store, |store| store.save(a).len()).err(), stopped);
        assert_eq!(interrupted(&mut store, |store| store.walk_list(a).items.len()).err(), stopped);
        let variable = store.new_var();
        assert_eq!(interrupted(&mut store, |store| store.unify_with_occurs_check(variable, a)).err(), stopped);
    }

    #[test]
    fn an_interrupt_ends_one_of_many_walks_over_terms_that_are_not_long() {
        let mut store = Store::new();
        let a = store.list_of((0..10_000).map(Cell::small_int));
        let b = store.list_of((0..10_000).map(Cell::small_int));
        let many = |walk: fn(&mut Store, Cell, Cell)| move |store: &mut Store| (0..100).for_each(|_| walk(store, a, b));
        let stopped = Err(Stop::Interrupt);
        assert_eq!(interrupted(&mut store, many(|store, a, b| _ = store.unify(a, b))), stopped);
        assert_eq!(interrupted(&mut store, many(|store, a, b| _ = store.compare(a, b))), stopped);
        assert_eq!(interrupted(&mut store, many(|store, a, b| _ = store.is_variant(a, b))), stopped);
        assert_eq!(interrupted(&mut store, many(|store, a, _| _ = store.variables(a))), stopped);
        assert_eq!(interrupted(&mut store, many(|store, a, _| _ = store.is_ground(a))), stopped);
        assert_eq!(interrupted(&mut store, many(|store, a, _| _ = store.copy(a))), stopped);
        assert_eq!(interrupted(&mut store, many(|store, a, _| _ = store.walk_list(a))), stopped);
    }

    #[test]
    fn a_walk_that_must_not_end_early_does_not() {
        let mut store = Store::new();
        let a = long_list(&mut store);
        let copy = interrupted(&mut store, |store| store.without_limits(|store| store.copy(a))).expect("not abandoned");
        store.watch.interrupt.store(false, Ordering::Relaxed);
        assert!(store.compare(a, copy).is_eq());
    }
}
