//! Parallel work on all cores, for blocks that are packed and unpacked independently.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// The number of threads to use.
pub(crate) fn n_cores() -> usize {
    // cached, because the system reads several files to find out
    static N_CORES: OnceLock<usize> = OnceLock::new();
    *N_CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// The results of a job for each thing, in order, on at most `n_threads` threads.
pub(crate) fn on_cores<T: Send, R: Send>(
    n_threads: usize,
    things: impl ExactSizeIterator<Item = T> + Send,
    job: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let n_helpers = n_threads.min(things.len()).saturating_sub(1);
    if n_helpers == 0 {
        return things.map(job).collect();
    }
    let queue = Mutex::new(things.enumerate());
    let work = || {
        let mut done = Vec::new();
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((index, thing)) = next else { return done };
            done.push((index, job(thing)));
        }
    };
    let mut done = thread::scope(|scope| {
        // if the system has no thread left, this one does the work
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let helpers: Vec<_> = (0..n_helpers).filter_map(spawn).collect();
        let mut done = work();
        for helper in helpers {
            done.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::on_cores;

    #[test]
    fn results_keep_their_order_for_any_number_of_threads() {
        let squares: Vec<u32> = (0..1000).map(|number| number * number).collect();
        for n_threads in [0, 1, 2, 7] {
            assert_eq!(on_cores(n_threads, 0..1000_u32, |number| number * number), squares);
        }
        assert!(on_cores(4, 0..0_u32, |number| number).is_empty());
    }
}
