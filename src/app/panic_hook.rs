//! The panic hook: a defect of papaver itself is reported in one line, without a backtrace by default.

use std::panic;

/// Replaces the panic message by a line with the source location, which a bug report needs.
pub(crate) fn install() {
    if std::env::var_os("RUST_BACKTRACE").is_some() {
        return;
    }
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
        eprintln!(
            "papaver: sorry, this is a bug in papaver {}{place}; please report it with the command and the goal",
            env!("CARGO_PKG_VERSION")
        );
    }));
}

/// Runs `work`; a panic in it becomes `None`.
pub(crate) fn guard<T>(work: impl FnOnce() -> T) -> Option<T> {
    panic::catch_unwind(panic::AssertUnwindSafe(work)).ok()
}
