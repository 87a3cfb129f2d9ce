//! The small traces that a thread has read ahead: it frees them itself, as it has allocated them. Threads that free each
//! other's memory wait for each other.

use std::cell::RefCell;
use std::sync::Arc;

use crate::trace::Trace;

thread_local! {
    /// Those that are still needed.
    static READ_HERE: RefCell<Vec<Arc<Trace>>> = const { RefCell::new(Vec::new()) };
}

/// Events of a small trace. Larger ones are freed at once.
const SMALL: u32 = 1 << 12;

/// Lets this thread free a trace that it has read, if it is small.
pub(super) fn free_here(trace: &Arc<Trace>) {
    if trace.n_events() <= SMALL {
        READ_HERE.with_borrow_mut(|traces| traces.push(Arc::clone(trace)));
    }
}

/// Frees those that nobody else needs any more.
pub(super) fn free_unneeded() {
    READ_HERE.with_borrow_mut(|traces| traces.retain(|trace| Arc::strong_count(trace) > 1));
}
