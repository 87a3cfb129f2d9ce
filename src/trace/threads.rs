//! Threads for work on all cores: helper threads, the ordered hand-off, and the propagation of panics.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

#[cfg(test)]
thread_local! {
    /// The number of cores that a test has set.
    static CORES_OF_TEST: std::cell::Cell<Option<usize>> = const { std::cell::Cell::new(None) };
}

/// Runs a part of a test as if there were `n_cores` cores.
#[cfg(test)]
pub(crate) fn with_n_cores<T>(n_cores: usize, work: impl FnOnce() -> T) -> T {
    let before = CORES_OF_TEST.replace(Some(n_cores));
    let result = work();
    CORES_OF_TEST.set(before);
    result
}

/// The number of cores.
pub(crate) fn n_cores() -> usize {
    #[cfg(test)]
    if let Some(n_cores) = CORES_OF_TEST.get() {
        return n_cores;
    }
    // cached, because the system reads several files to find out
    static N_CORES: OnceLock<usize> = OnceLock::new();
    *N_CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// The number of threads that open files one after the other: while some of them wait for the disk, others work. A disk
/// serves as many at once.
pub(crate) fn n_openers() -> usize {
    n_cores().max(8)
}

/// Runs `own` on this thread and `help` on `n_helpers` others at the same time; the results of the helpers are in no
/// order. If the system has no thread left, there are fewer helpers or none. A panic of a helper continues on this
/// thread.
pub(crate) fn with_helpers<H: Send, T>(
    n_helpers: usize,
    help: impl Fn() -> H + Sync,
    own: impl FnOnce() -> T,
) -> (T, Vec<H>) {
    let results = Mutex::new(Vec::new());
    let help = || {
        let result = help();
        lock(&results).push(result);
    };
    let own = thread::scope(|scope| {
        let helpers = spawn(scope, n_helpers, None, &help);
        let own = own();
        join(helpers);
        own
    });
    (own, results.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Runs work on a stack of this many bytes, whatever this thread has left; on this thread's if there is no other.
pub(crate) fn on_stack_of<T: Send>(n_bytes: usize, work: impl Fn() -> T + Sync) -> T {
    let result = Mutex::new(None);
    let work_there = || *lock(&result) = Some(work());
    thread::scope(|scope| join(spawn(scope, 1, Some(n_bytes), &work_there)));
    result.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(work)
}

/// Starts at most `n_threads` threads, whose stacks may have a given size in bytes. The work is behind a pointer, so that
/// this is compiled once.
fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    n_threads: usize,
    n_bytes: Option<usize>,
    work: &'scope (dyn Fn() + Sync),
) -> Vec<ScopedJoinHandle<'scope, ()>> {
    let builder = || n_bytes.iter().fold(thread::Builder::new(), |builder, n_bytes| builder.stack_size(*n_bytes));
    (0..n_threads).filter_map(|_| builder().spawn_scoped(scope, work).ok()).collect()
}

fn join(threads: Vec<ScopedJoinHandle<'_, ()>>) {
    threads.into_iter().for_each(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
}

/// Runs the same work on at most `n_threads` threads, this one among them.
pub(crate) fn on_threads(n_threads: usize, work: impl Fn() + Sync) {
    let work: &(dyn Fn() + Sync) = &work;
    with_helpers(n_threads.saturating_sub(1), work, work);
}

/// The results of a job for each thing, in order, on at most `n_threads` threads.
pub(crate) fn on_cores<T: Send, R: Send>(
    n_threads: usize,
    things: impl ExactSizeIterator<Item = T> + Send,
    job: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let n_threads = n_threads.min(things.len());
    if n_threads <= 1 {
        return things.map(job).collect();
    }
    let mut results: Vec<Option<R>> = (0..things.len()).map(|_| None).collect();
    let queue = Mutex::new(results.iter_mut().zip(things));
    on_threads(n_threads, || {
        let next = || lock(&queue).next();
        while let Some((result, thing)) = next() {
            *result = Some(job(thing));
        }
    });
    results.into_iter().flatten().collect()
}

/// An ordered hand-off: something that threads use one after the other.
pub(crate) struct Turns<T> {
    turn: Mutex<Turn<T>>,
    passed: Condvar,
}

struct Turn<T> {
    next: usize,
    n_waiting: usize,
    is_left: bool,
    thing: T,
}

impl<T> Turns<T> {
    /// The first turn has number 0.
    pub(crate) fn new(thing: T) -> Turns<T> {
        Turns { turn: Mutex::new(Turn { next: 0, n_waiting: 0, is_left: false, thing }), passed: Condvar::new() }
    }

    /// Uses the thing when all turns before number `index` have passed; never if a thread has left.
    pub(crate) fn take(&self, index: usize, used: impl FnOnce(&mut T)) {
        let waits = |turn: &mut Turn<T>| turn.next != index && !turn.is_left;
        let mut turn = lock(&self.turn);
        if waits(&mut turn) {
            turn.n_waiting += 1;
            turn = self.passed.wait_while(turn, waits).unwrap_or_else(PoisonError::into_inner);
            turn.n_waiting -= 1;
        }
        if turn.is_left {
            return;
        }
        used(&mut turn.thing);
        turn.next += 1;
        let is_awaited = turn.n_waiting > 0;
        drop(turn);
        if is_awaited {
            self.passed.notify_all();
        }
    }

    /// Must be dropped by a thread that takes part: if it panics, the others do not wait for it.
    pub(crate) fn panic_guard(&self) -> PanicGuard<'_, T> {
        PanicGuard(self)
    }

    /// The thing.
    pub(crate) fn into_inner(self) -> T {
        self.turn.into_inner().unwrap_or_else(PoisonError::into_inner).thing
    }
}

/// Lets the other threads go on when the one that holds it panics.
pub(crate) struct PanicGuard<'t, T>(&'t Turns<T>);

impl<T> Drop for PanicGuard<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(&self.0.turn).is_left = true;
            self.0.passed.notify_all();
        }
    }
}

/// Locks a mutex, even if a thread has panicked while holding it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::{Turns, on_cores, on_threads};

    #[test]
    fn results_keep_their_order_for_any_number_of_threads() {
        let squares: Vec<u32> = (0..1000).map(|number| number * number).collect();
        for n_threads in [0, 1, 2, 7] {
            assert_eq!(on_cores(n_threads, 0..1000_u32, |number| number * number), squares);
        }
        assert!(on_cores(4, 0..0_u32, |number| number).is_empty());
    }

    #[test]
    fn a_panic_of_any_thread_goes_on_in_the_caller_and_the_others_do_not_wait() {
        for n_threads in [1, 2, 7] {
            let (turns, next) = (Turns::new(()), AtomicUsize::new(0));
            let work = || {
                let _guard = turns.panic_guard();
                match next.fetch_add(1, Relaxed) {
                    0 => panic!("the first one"),
                    index => turns.take(index, |_| ()),
                }
            };
            let panic = catch_unwind(AssertUnwindSafe(|| on_threads(n_threads, work)));
            let message = panic.expect_err("a thread panicked");
            assert_eq!(message.downcast_ref(), Some(&"the first one"), "{n_threads}");
        }
    }
}
