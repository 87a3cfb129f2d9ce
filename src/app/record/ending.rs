//! What is said at the end: what was recorded, how the program ended, and what to ask.

use super::target::Target;
use super::{Outcome, program};
use crate::recorders::Recorder;

/// Prints the lines on standard error.
pub(super) fn tell(outcome: &Outcome, target: &Target, recorder: &Recorder) {
    let tally = &outcome.recording.tally;
    let file = &outcome.recording.file;
    let name = crate::output::terminal_safe(&target.path.display().to_string()).into_owned();
    if let Some(failure) = &file.failure {
        eprintln!("papaver record: `{name}` breaks off: {failure}");
    }
    if tally.n_events == 0 {
        eprintln!("papaver record: nothing was recorded");
        return;
    }
    let what = match tally.n_calls {
        0 => format!("{} events", tally.n_events),
        n_calls => format!("{} events of {n_calls} calls", tally.n_events),
    };
    let (size, end) = (size(file.n_bytes), end(outcome));
    eprintln!("recorded {what} in {:.2} s: {name} ({size}), ended by {end}", outcome.seconds);
    eprintln!("ask: papaver {name}    or: papaver query '{}' {name}", question(outcome, recorder));
}

/// `exit 0`, `signal 9`
fn end(outcome: &Outcome) -> String {
    match program::signal(&outcome.status) {
        Some(signal) => signal,
        None => format!("exit {}", program::exit_status(&outcome.status)),
    }
}

/// A goal that finds what people look for first.
fn question(outcome: &Outcome, recorder: &Recorder) -> &'static str {
    let tally = &outcome.recording.tally;
    match (tally.n_exceptions, tally.n_fails) {
        (1.., _) => recorder.question,
        (0, 1..) => "fget([port=fail])",
        (0, 0) => "last, bget([port=exit])",
    }
}

fn size(n_bytes: u64) -> String {
    match n_bytes {
        0..10_000 => format!("{n_bytes} bytes"),
        10_000..10_000_000 => format!("{} KB", n_bytes / 1000),
        _ => format!("{} MB", n_bytes / 1_000_000),
    }
}
