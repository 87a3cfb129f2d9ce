//! Ctrl-C: ends the running goal, and in batch the command with it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::context::Ends;
use super::status::Status;

/// Makes signals set the flag of a machine.
///
/// In batch, what does not end by that ends at the second signal; at the prompt, however often the keys are pressed,
/// only the goal ends.
pub fn watch(ends: Ends, handle: Arc<AtomicBool>) -> io::Result<()> {
    if ends == Ends::Goal {
        return flag::register(SIGINT, handle).map(drop);
    }
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, i32::from(Status::Interrupted.code()), handle.clone())?;
        flag::register(signal, handle.clone())?;
    }
    Ok(())
}
