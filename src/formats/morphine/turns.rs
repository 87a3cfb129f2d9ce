//! Reading on several threads: each takes a chunk, reads it by itself, and hands it over when its turn has come.

use std::num::NonZero;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::locals;
use crate::formats::lines::{Attached, Chunk, Lines};

/// Lines that stay with the event above them.
pub const ATTACHED: Attached = Attached { heading: locals::HEADING, indent: locals::INDENT };

/// More threads than this only wait for each other.
const MAX_THREADS: usize = 8;

/// The threads that pay for `lines`: one if everything is in the first chunk.
pub fn n_threads(lines: &mut Lines) -> usize {
    lines.fill_to(lines.chunk_bytes + 1);
    match lines.is_all_read() {
        true => 1,
        false => n_cores(),
    }
}

/// The threads that the machine has use for.
pub fn n_cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS)
}

/// Where the chunks come from, one after the other.
pub struct Chunks<'l>(Mutex<(&'l mut Lines, usize)>);

impl<'l> Chunks<'l> {
    /// The chunks of `lines`.
    pub fn new(lines: &'l mut Lines) -> Chunks<'l> {
        Chunks(Mutex::new((lines, 0)))
    }

    /// The next chunk and its number, from 0.
    pub fn next(&self, spent: Vec<u8>) -> Option<(usize, Chunk)> {
        let mut source = lock(&self.0);
        let chunk = source.0.next_chunk(ATTACHED, spent)?;
        source.1 += 1;
        Some((source.1 - 1, chunk))
    }
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
