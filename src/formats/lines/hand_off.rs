//! Threads that work at the same time, and hand over what they did one after the other.

use std::num::NonZero;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// More threads than this only wait for each other.
const MAX_THREADS: usize = 8;

/// The threads that the machine has use for.
pub fn n_cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS)
}

/// Runs `work` on so many threads, of which this one is the last to begin.
pub fn on_threads(n_threads: usize, work: impl Fn() + Sync) {
    thread::scope(|scope| {
        // if the system has no thread left, the others do the work
        let spawn = || thread::Builder::new().spawn_scoped(scope, &work);
        (1..n_threads).for_each(|_| drop(spawn()));
        work();
    });
}

/// Something that threads use in turn.
pub struct Turns<T> {
    turn: Mutex<Turn<T>>,
    passed: Condvar,
}

struct Turn<T> {
    next: usize,
    is_left: bool,
    thing: T,
}

impl<T> Turns<T> {
    /// The first turn has number 0.
    pub fn new(thing: T) -> Turns<T> {
        Turns { turn: Mutex::new(Turn { next: 0, is_left: false, thing }), passed: Condvar::new() }
    }

    /// Uses the thing when all turns before number `index` have passed; never if a thread has left.
    pub fn take(&self, index: usize, used: impl FnOnce(&mut T)) {
        let waits = |turn: &mut Turn<T>| turn.next != index && !turn.is_left;
        let waited = self.passed.wait_while(lock(&self.turn), waits);
        let mut turn = waited.unwrap_or_else(PoisonError::into_inner);
        if turn.is_left {
            return;
        }
        used(&mut turn.thing);
        turn.next += 1;
        drop(turn);
        self.passed.notify_all();
    }

    /// Must be dropped by a thread that takes part: if it panics, the others do not wait for it.
    pub fn leaving(&self) -> Leaving<'_, T> {
        Leaving(self)
    }

    /// The thing.
    pub fn into_inner(self) -> T {
        self.turn.into_inner().unwrap_or_else(PoisonError::into_inner).thing
    }
}

/// Lets the other threads go on when the one that holds it panics.
pub struct Leaving<'t, T>(&'t Turns<T>);

impl<T> Drop for Leaving<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(&self.0.turn).is_left = true;
            self.0.passed.notify_all();
        }
    }
}

/// What a mutex guards, whatever happened to those who held it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
