//! A sign of life on standard error while a trace is read for more than half a second.

use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Ends when it is told, or dropped.
pub struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

const DELAY: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(100);

impl Progress {
    /// Begins to wait; shows nothing before half a second has gone, and nothing at all if `wanted` says so.
    pub fn start(path: &Path, wanted: Wanted) -> Progress {
        if wanted == Wanted::No {
            return Progress(None);
        }
        let name = path.display().to_string();
        let (end, ended) = mpsc::channel();
        let shown = thread::spawn(move || {
            if ended.recv_timeout(DELAY).is_err_and(|error| error == mpsc::RecvTimeoutError::Timeout) {
                let bar = ProgressBar::new_spinner().with_message(format!("reading {name}"));
                bar.set_style(ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("a constant"));
                bar.enable_steady_tick(TICK);
                let _ = ended.recv();
                bar.finish_and_clear();
            }
        });
        Progress(Some((end, shown)))
    }

    /// Takes it away.
    pub fn end(self) {
        if let Some((end, shown)) = self.0 {
            drop(end);
            let _ = shown.join();
        }
    }
}

/// Whether somebody looks at standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// It is a terminal.
    Yes,
    /// It is not, or `--quiet`.
    No,
}
