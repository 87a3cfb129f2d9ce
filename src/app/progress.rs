//! A sign of life on standard error while a trace is read for more than half a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Ends on request, or when it is dropped.
pub(crate) struct ProgressDisplay(Option<(Sender<()>, JoinHandle<()>)>);

const DELAY: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(100);

impl ProgressDisplay {
    /// Shows progress after half a second, or not at all if `wanted` says so.
    ///
    /// `what` is read, of `size` bytes if that is known; `n_read` counts those read so far.
    pub(crate) fn start(
        what: &str,
        size: Option<u64>,
        n_read: &Arc<AtomicU64>,
        wanted: ProgressWanted,
    ) -> ProgressDisplay {
        if wanted == ProgressWanted::No {
            return ProgressDisplay(None);
        }
        let (what, n_read) = (what.to_owned(), Arc::clone(n_read));
        let (end, ended) = mpsc::channel();
        let shown = thread::spawn(move || {
            let goes_on = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if !goes_on(DELAY) {
                return;
            }
            let bar = bar(&what, size);
            while goes_on(TICK) {
                bar.set_position(n_read.load(Ordering::Relaxed));
                bar.tick();
            }
            bar.finish_and_clear();
        });
        ProgressDisplay(Some((end, shown)))
    }

    /// Removes the sign.
    pub(crate) fn end(self) {
        if let Some((end, shown)) = self.0 {
            drop(end);
            let _ = shown.join();
        }
    }
}

/// A bar if the size is known, otherwise a spinner.
fn bar(what: &str, size: Option<u64>) -> ProgressBar {
    let (bar, template) = match size {
        Some(size) => (ProgressBar::new(size), "{msg} {wide_bar} {percent:>3} % {eta}"),
        None => (ProgressBar::new_spinner(), "{spinner} {msg} {elapsed}"),
    };
    bar.set_style(ProgressStyle::with_template(template).expect("a constant"));
    bar.with_message(format!("reading {}", crate::output::terminal_safe(what)))
}

/// Whether progress is shown on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgressWanted {
    /// It is a terminal.
    Yes,
    /// It is not a terminal, or `--quiet` is given.
    No,
}
