//! Traces that are read ahead: while goals run on one trace, threads load the next ones on all cores, in their order and
//! as many as fit into a budget of bytes.

use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::term::hash::HashMap;
use crate::trace::threads::{lock, n_openers, on_cores};

/// The bytes of files that are loaded or wait to be taken, unless a single one is larger.
const BUDGET: u64 = 64 << 20;

/// What a file costs besides its bytes, so that not too many small ones wait, each of which may keep a file open.
const PER_FILE: u64 = 1 << 18;

/// How long the one who takes the files waits before looking around, as not each file that is ready is told.
const PAUSE: Duration = Duration::from_millis(1);

/// As many ready files are told at once: a wake-up for each small file would take as long as reading it.
const GROUP: usize = 8;

/// Bytes of stack of a thread, as many as the first one has.
const STACK: usize = 8 << 20;

/// What becomes of each of several files, taken in their order.
pub(crate) struct TracesAhead<T> {
    shared: Arc<Shared<T>>,
    /// The bytes of the files.
    pub(crate) n_bytes: u64,
}

/// What is done with a file.
type Read<T> = dyn Fn(&Path, Turn) -> T + Send + Sync;

struct Shared<T> {
    files: Vec<FileAhead>,
    read: Box<Read<T>>,
    state: Mutex<State<T>>,
    /// Files are ready for the one who takes them.
    is_ready: Condvar,
    /// There is room for more files.
    has_room: Condvar,
}

/// When the result is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// At once: nothing is to be done before.
    Now,
    /// When the files before have been taken.
    Later,
}

struct FileAhead {
    path: PathBuf,
    cost: u64,
}

struct State<T> {
    /// The first file that no thread has begun.
    next: usize,
    /// The first file that was not taken.
    taken: usize,
    /// The cost of the files that were begun and not taken.
    held: u64,
    ready: HashMap<usize, Result<T, Box<dyn Any + Send>>>,
    /// Whether the one who takes the files waits for the next one.
    is_next_awaited: bool,
    /// How many threads wait until files are taken.
    n_waiting: usize,
    is_over: bool,
}

impl<T: Send + 'static> TracesAhead<T> {
    /// Begins to read the files on all cores.
    pub(crate) fn start(paths: &[PathBuf], read: impl Fn(&Path, Turn) -> T + Send + Sync + 'static) -> TracesAhead<T> {
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let sizes = on_cores(n_openers(), paths.iter(), size);
        let file = |(path, size): (&PathBuf, u64)| FileAhead { path: path.clone(), cost: PER_FILE + size };
        let files: Vec<FileAhead> = paths.iter().zip(sizes).map(file).collect();
        let n_bytes = files.iter().map(|file| file.cost - PER_FILE).sum();
        let shared = Arc::new(Shared {
            files,
            read: Box::new(read),
            state: Mutex::new(State {
                next: 0,
                taken: 0,
                held: 0,
                ready: HashMap::default(),
                is_next_awaited: false,
                n_waiting: 0,
                is_over: false,
            }),
            is_ready: Condvar::new(),
            has_room: Condvar::new(),
        });
        for _ in 0..n_openers().min(paths.len()) {
            let shared = Arc::clone(&shared);
            // without a thread, the files are read when they are taken
            let _ = thread::Builder::new().stack_size(STACK).spawn(move || shared.read_ahead());
        }
        TracesAhead { shared, n_bytes }
    }

    /// What became of a file; none if it is not the next one. A panic of its thread goes on here. `while_waiting` is called
    /// now and then.
    pub(crate) fn take(&self, path: &Path, while_waiting: &dyn Fn()) -> Option<T> {
        let shared = &*self.shared;
        let mut state = lock(&shared.state);
        let index = state.taken;
        let file = shared.files.get(index).filter(|file| file.path == path)?;
        state.taken += 1;
        if state.next == index {
            state.next += 1;
            drop(state);
            return Some((shared.read)(path, Turn::Now));
        }
        let result = loop {
            match state.ready.remove(&index) {
                Some(result) => break result,
                None => {
                    while_waiting();
                    state.is_next_awaited = true;
                    state = shared.is_ready.wait_timeout(state, PAUSE).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        };
        state.is_next_awaited = false;
        state.held -= file.cost;
        let is_awaited = state.n_waiting > 0;
        drop(state);
        if is_awaited {
            shared.has_room.notify_all();
        }
        Some(result.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl<T> Shared<T> {
    fn read_ahead(&self) {
        while let Some(index) = self.begin() {
            let turn = if index == 0 { Turn::Now } else { Turn::Later };
            let read = catch_unwind(AssertUnwindSafe(|| (self.read)(&self.files[index].path, turn)));
            let mut state = lock(&self.state);
            state.ready.insert(index, read);
            let is_last = state.next == self.files.len();
            let is_told = state.is_next_awaited && (state.ready.len() >= GROUP || is_last);
            drop(state);
            if is_told {
                self.is_ready.notify_all();
            }
        }
    }

    /// Waits until the next file fits into the budget, and begins it; none if all were begun or no more is wanted.
    fn begin(&self) -> Option<usize> {
        let waits = |state: &mut State<T>| match self.files.get(state.next) {
            Some(file) => !state.is_over && state.held > 0 && state.held + file.cost > BUDGET,
            None => false,
        };
        let mut state = lock(&self.state);
        if waits(&mut state) {
            state.n_waiting += 1;
            state = self.has_room.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
            state.n_waiting -= 1;
        }
        let index = state.next;
        let file = self.files.get(index).filter(|_| !state.is_over)?;
        state.next += 1;
        state.held += file.cost;
        Some(index)
    }
}

impl<T> Drop for TracesAhead<T> {
    fn drop(&mut self) {
        lock(&self.shared.state).is_over = true;
        self.shared.has_room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    fn paths(n_files: usize) -> Vec<PathBuf> {
        (0..n_files).map(|number| PathBuf::from(number.to_string())).collect()
    }

    #[test]
    fn files_are_taken_in_their_order_each_once() {
        let n_reads = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&n_reads);
        let ahead = TracesAhead::start(&paths(1000), move |path, _| {
            counter.fetch_add(1, SeqCst);
            path.display().to_string()
        });
        for path in paths(1000) {
            assert_eq!(ahead.take(&path, &|| ()), Some(path.display().to_string()));
            assert_eq!(ahead.take(&path, &|| ()), None);
        }
        assert_eq!(n_reads.load(SeqCst), 1000);
    }

    #[test]
    fn no_more_files_wait_than_the_budget_allows() {
        let n_begun = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&n_begun);
        let most = usize::try_from(BUDGET / PER_FILE).expect("it is small");
        let ahead = TracesAhead::start(&paths(2 * most), move |_, _| counter.fetch_add(1, SeqCst));
        for (n_taken, path) in paths(2 * most).iter().enumerate() {
            assert!(ahead.take(path, &|| ()).is_some());
            assert!(n_begun.load(SeqCst) <= n_taken + 1 + most, "after {n_taken}");
        }
    }

    #[test]
    fn a_panic_goes_on_where_its_file_is_taken() {
        let ahead = TracesAhead::start(&paths(3), |path, _| assert_ne!(path, Path::new("1"), "the second one"));
        assert_eq!(ahead.take(Path::new("0"), &|| ()), Some(()));
        assert!(catch_unwind(AssertUnwindSafe(|| ahead.take(Path::new("1"), &|| ()))).is_err());
        assert_eq!(ahead.take(Path::new("2"), &|| ()), Some(()));
    }
}
