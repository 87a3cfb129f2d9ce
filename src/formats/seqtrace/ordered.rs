//! A run on its way into its order: its events are moved there only if one of their attributes is asked for.

use std::ops::Deref;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::log::RowId;
use super::run::Run;

/// A run whose events are put in order when they are first asked for.
pub struct Ordered {
    unordered: Mutex<Option<(Run, Vec<RowId>)>>,
    run: OnceLock<Run>,
}

impl Ordered {
    /// The events of a run in an order.
    pub fn new(run: Run, order: Vec<RowId>) -> Ordered {
        Ordered { unordered: Mutex::new(Some((run, order))), run: OnceLock::new() }
    }
}

impl Deref for Ordered {
    type Target = Run;

    fn deref(&self) -> &Run {
        self.run.get_or_init(|| {
            let unordered = self.unordered.lock().unwrap_or_else(PoisonError::into_inner).take();
            let (mut run, order) = unordered.unwrap_or_default();
            run.arrange(order);
            run
        })
    }
}
