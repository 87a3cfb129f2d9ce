//! What may end a predicate in its middle: an interrupt, and the limits of the session.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::error::{Limit, Stop};

/// What whoever works for long looks at now and then.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Set from outside to stop the running query.
    pub interrupt: Arc<AtomicBool>,
    /// When the present query must end.
    pub deadline: Option<Instant>,
    /// Bytes that the query may take.
    pub memory: usize,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch { interrupt: Arc::default(), deadline: None, memory: usize::MAX }
    }
}

impl Watch {
    /// Whether the user has interrupted, or time is up: what a long predicate has made of it meanwhile does not count.
    pub fn check(&self) -> Result<(), Stop> {
        if self.interrupt.swap(false, Ordering::Relaxed) {
            return Err(Stop::Interrupt);
        }
        match self.deadline {
            Some(deadline) if Instant::now() > deadline => Err(Stop::Limit(Limit::Time)),
            _ => Ok(()),
        }
    }

    /// Whether work should stop, for those who cannot say why: what looks next tells.
    pub fn is_due(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }
}
