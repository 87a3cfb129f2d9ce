//! Ctrl-C and other signals: they end the running goal, and in batch the command with it.

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

/// How long a command may take to end in order after `SIGTERM`: to stop its goal, and to write what it has.
const GRACE: Duration = Duration::from_millis(600);

/// What Ctrl-C ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The goal, and with it the command.
    Command,
    /// The goal only.
    Goal,
}

/// Makes signals set the flag of a machine.
///
/// In batch, what does not end by Ctrl-C ends at the second one; at the prompt, however often the keys are pressed, only
/// the goal ends. `SIGTERM` ends the process, whatever it does; `SIGHUP` is left to the system, which does so at once,
/// unless the program was started to outlive its terminal.
pub fn watch(ends: Ends, handle: Arc<AtomicBool>) -> io::Result<()> {
    if ends == Ends::Command {
        flag::register_conditional_shutdown(SIGINT, i32::from(Status::Interrupted.code()), handle.clone())?;
    }
    flag::register(SIGINT, handle.clone())?;
    flag::register(SIGTERM, handle)?;
    end_after_grace()
}

/// Ends the process some time after the first `SIGTERM`, if it is still there by then.
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
