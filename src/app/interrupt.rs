//! Ctrl-C and other signals: they end the running goal, and in batch mode also the command.

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use super::status::Status;

/// How long a command may take for an orderly end after `SIGTERM`: to stop its goal and flush its output.
const GRACE: Duration = Duration::from_millis(600);

/// The effect of Ctrl-C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InterruptEffect {
    /// It ends the goal and the command.
    Command,
    /// It ends only the goal.
    Goal,
}

/// Makes signals set the flag of a machine.
///
/// In batch mode a second Ctrl-C ends a command that the first did not end; at the prompt every Ctrl-C ends only the
/// goal. `SIGTERM` always ends the process. `SIGHUP` is left to the system, which ends the process at once, unless it
/// was started to outlive its terminal.
pub(crate) fn watch(ends: InterruptEffect, handle: Arc<AtomicBool>) -> io::Result<()> {
    if ends == InterruptEffect::Command {
        flag::register_conditional_shutdown(SIGINT, i32::from(Status::Interrupted.code()), handle.clone())?;
    }
    flag::register(SIGINT, handle.clone())?;
    flag::register(SIGTERM, handle)?;
    end_after_grace()
}

/// Ends the process some time after the first `SIGTERM`, if it is still running then.
fn end_after_grace() -> io::Result<()> {
    static STARTED: Once = Once::new();
    let mut result = Ok(());
    STARTED.call_once(|| {
        result = Signals::new([SIGTERM]).map(|mut signals| {
            thread::spawn(move || {
                if signals.forever().next().is_some() {
                    thread::sleep(GRACE);
                    low_level::exit(i32::from(Status::Interrupted.code()));
                }
            });
        });
    });
    result
}
