//! What is said at the end: what was recorded, how the program ended, and what to ask.

use super::tally::Tally;
use super::target::Target;
use super::{Outcome, program};
use crate::recorders::Recorder;

/// Prints the lines on standard error.
pub(super) fn tell(outcome: &Outcome, target: &Target, recorder: &Recorder) {
    let (tally, file) = (&outcome.recording.tally, &outcome.recording.file);
    let name = crate::output::terminal_safe(&target.path.display().to_string()).into_owned();
    if tally.n_events == 0 {
        eprintln!("papaver record: nothing was recorded");
        return;
    }
    let (size, end) = (size(file.n_bytes), end(outcome));
    eprintln!("recorded {} in {:.2} s: {name} ({size}), ended by {end}", amount(tally), outcome.seconds);
    if let Some(failure) = &file.failure {
        eprintln!("papaver record: `{name}` breaks off: {failure}");
    }
    cuts(outcome).iter().for_each(|cut| eprintln!("{cut}"));
    if file.n_bytes == 0 {
        return;
    }
    eprintln!("ask: papaver {name}    or: papaver query '{}' {name}", question(outcome, recorder));
}

/// `104 events of 34 calls`
fn amount(tally: &Tally) -> String {
    match tally.n_calls {
        n_calls if tally.is_text => format!("{n_calls} calls"),
        0 => format!("{} events", tally.n_events),
        n_calls => format!("{} events of {n_calls} calls", tally.n_events),
    }
}

/// What is not in the trace, a line for each reason.
fn cuts(outcome: &Outcome) -> Vec<String> {
    let recording = &outcome.recording;
    let trailer = &recording.trailer;
    let mut lines = Vec::new();
    if recording.is_full() {
        lines.push("stopped recording at --max-events; the program went on".to_string());
    }
    if recording.n_dropped() > 0 {
        lines.push(format!("kept the last {} events, {} came before", recording.n_kept(), recording.n_dropped()));
    }
    // lines of their own say what is in the file of the first or the last events
    let is_told = |limit: &str| limit == "last" || (limit == "max_events" && recording.is_full());
    let left_out: Vec<String> = (recording.left_out().iter().filter(|(limit, _)| !is_told(limit)))
        .map(|(limit, count)| left_out(limit, count))
        .collect();
    if !left_out.is_empty() {
        lines.push(format!("left out: {}", left_out.join(", ")));
    }
    if trailer.count("lost") > 0 {
        lines.push(format!("lost {} events", trailer.count("lost")));
    }
    if trailer.count("hook_errors") > 0 {
        lines.push(format!("{} errors in the recorder", trailer.count("hook_errors")));
    }
    if !trailer.has_come() && !recording.tally.is_text && !recording.is_full() {
        lines.push("the recorder did not come to its end: the last events may be missing".to_string());
    }
    lines
}

/// `12 by --skip`; what is no limit of the user is told in words.
fn left_out(limit: &str, count: &serde_json::Value) -> String {
    let count = count.as_u64().map_or("some".to_string(), |count| count.to_string());
    match limit {
        "library" => format!("{count} of the library"),
        "text" => format!("{count} values cut by --text"),
        "no_args" => "arguments and results by --no-args".to_string(),
        "memory" => "all that came after, as the stacks of the program were too full".to_string(),
        "inferences" => format!("{count} goals under a limit of inferences"),
        "thread_local" => format!("{count} thread-local procedures"),
        "long" => format!("the arguments of {count} calls that are long"),
        limit => format!("{count} by --{}", limit.replace('_', "-")),
    }
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
