//! What may end a predicate midway: interrupts, and the limits of the session and of the goal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::stop::{QueryLimit, Stop};

/// Steps between two polls if single steps may be long.
pub(super) const POLL_LONG_STEPS_EVERY: usize = 1 << 6;

/// The interrupts and limits that long-running work polls.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// Set from outside to stop the running query.
    pub(crate) interrupt: Arc<AtomicBool>,
    /// When the present query must end.
    pub(crate) deadline: Option<Instant>,
    /// The earliest deadline of the limits that goals have set.
    pub(crate) goal_deadline: Option<Instant>,
    /// Bytes that the query may use.
    pub(crate) memory: usize,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch { interrupt: Arc::default(), deadline: None, goal_deadline: None, memory: usize::MAX }
    }
}

impl Watch {
    /// An error after an interrupt or deadline; partial results of a long predicate are then discarded.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        if self.interrupt.swap(false, Ordering::Relaxed) {
            return Err(Stop::Interrupt);
        }
        match self.passed_limit() {
            Some(limit) => Err(Stop::Limit(limit)),
            None => Ok(()),
        }
    }

    /// Like [`Watch::check`], for a loop of potentially long steps: polls at some of them.
    #[inline]
    pub(crate) fn check_at(&self, n_steps: usize) -> Result<(), Stop> {
        if n_steps.is_multiple_of(POLL_LONG_STEPS_EVERY) { self.check() } else { Ok(()) }
    }

    /// Whether work should stop, for callers that cannot return the reason: the next poll reports it.
    pub(crate) fn is_due(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.passed_limit().is_some()
    }

    fn passed_limit(&self) -> Option<QueryLimit> {
        self.deadline.or(self.goal_deadline)?;
        let now = Instant::now();
        let has_passed = |deadline: Option<Instant>| deadline.is_some_and(|deadline| now > deadline);
        match () {
            () if has_passed(self.deadline) => Some(QueryLimit::Time),
            () if has_passed(self.goal_deadline) => Some(QueryLimit::GoalTime),
            () => None,
        }
    }
}
