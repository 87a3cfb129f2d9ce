//! What is said at the end: what was recorded, how the program ended, and what to ask.

use super::recording::Recording;
use super::tally::Tally;
use super::target::Target;
use super::typed::{Typed, shell_word};
use super::{Outcome, program};
use crate::recorders::Recorder;

const UNENDED: &str = "the recorder did not come to its end";

/// Prints the lines on standard error.
pub(super) fn tell(outcome: &Outcome, target: &Target, recorder: &Recorder, typed: &Typed) {
    let (tally, file) = (&outcome.recording.tally, &outcome.recording.file);
    let name = crate::output::terminal_safe(&target.path.display().to_string()).into_owned();
    if tally.n_events == 0 {
        let (end, why) = (end(outcome), why_nothing(outcome, recorder, typed));
        let why = crate::output::terminal_safe(&why);
        eprintln!("papaver record: nothing was recorded, the program ended by {end}: {why}");
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
    let (file, goal) = (shell_word(&name), shell_word(question(outcome, recorder)));
    eprintln!("ask: papaver {file}    or: papaver query {goal} {file}");
}

/// Why there is no event: the program failed, what ran was left out, or nothing came from the recorder.
fn why_nothing(outcome: &Outcome, recorder: &Recorder, typed: &Typed) -> String {
    let recording = &outcome.recording;
    let left_out = recording.left_out();
    let reasons: Vec<String> = left_out.keys().filter_map(|limit| all_left_out(limit, recording, typed)).collect();
    let of_recorder = || match recording.has_header && !recording.trailer.has_come() {
        true => UNENDED.to_string(),
        false => format!("the recorder {} needs {}", recorder.kind, recorder.needs),
    };
    let why = if reasons.is_empty() { of_recorder() } else { reasons.join(", and ") };
    match left_out.keys().all(|limit| limit == "library") && program::exit_status(&outcome.status) != 0 {
        true => format!("it failed before code of its own ran, and says above why; or {why}"),
        false => why,
    }
}

/// `nothing that ran matches --only app`, where that is why there is no event.
fn all_left_out(limit: &str, recording: &Recording, typed: &Typed) -> Option<String> {
    let all = |option: &str, patterns: &[String]| -> String {
        patterns.iter().map(|pattern| format!(" {option} {pattern}")).collect()
    };
    let limits = &recording.limits;
    match limit {
        "only" => Some(format!("nothing that ran matches{}", all("--only", &limits.only))),
        "skip" => Some(format!("what ran matches{}", all("--skip", &limits.skip))),
        "library" => {
            let hint = typed.module().map(|module| format!(": type `{}`", typed.with("--only", module)));
            Some(format!("code of libraries is left out without --only{}", hint.unwrap_or_default()))
        }
        "depth" | "sample" | "memory" => {
            Some(format!("events were left out: {}", left_out(limit, &recording.left_out()[limit])))
        }
        _ => None,
    }
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
        lines.push(format!("{UNENDED}: the last events may be missing"));
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
        (0, 0) if tally.n_calls > 0 => "fget([port=call])",
        (0, 0) => recorder.overview.unwrap_or("last"),
    }
}

fn size(n_bytes: u64) -> String {
    match n_bytes {
        0..10_000 => format!("{n_bytes} bytes"),
        10_000..10_000_000 => format!("{} KB", n_bytes / 1000),
        _ => format!("{} MB", n_bytes / 1_000_000),
    }
}
