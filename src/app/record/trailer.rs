//! The lines of a recording that papaver writes itself: the header where the recorder has none, the gap of `--last`, and
//! the trailer, which joins what the recorder says at its end with what papaver knows.

use serde_json::{Map, Value, json};

use super::tally::Tally;
use crate::recorders::Limits;

/// How a recording ended.
#[derive(Debug, Default)]
pub(super) struct End {
    /// The exit status of the program.
    pub(super) status: u8,
    /// The signal that killed it: `SIGKILL`.
    pub(super) signal: Option<String>,
    /// Whether other processes of the program were still being recorded.
    pub(super) is_running: bool,
    /// Whether papaver stopped recording before, since there were enough events.
    pub(super) is_cut: bool,
    /// Lines that had no end.
    pub(super) n_partial: u64,
}

/// What the recorder said at its end.
#[derive(Debug, Default)]
pub(super) struct Trailer {
    /// The keys of the last trailer; counts are those of all of them, since each process may write one.
    stated: Option<Map<String, Value>>,
}

impl Trailer {
    /// Takes a line if it is a trailer.
    pub(super) fn take(&mut self, line: &[u8]) -> bool {
        let Ok(Value::Object(mut stated)) = serde_json::from_slice(line) else { return false };
        if stated.get("port").and_then(Value::as_str) != Some("trailer") {
            return false;
        }
        for (key, value) in self.stated.take().unwrap_or_default() {
            if matches!(&*key, "events" | "lost" | "hook_errors" | "left_out") {
                let sum = stated.remove(&key).map_or(value.clone(), |other| sum(&value, &other));
                stated.insert(key, sum);
            }
        }
        self.stated = Some(stated);
        true
    }

    /// Whether the recorder has come to its end.
    pub(super) fn has_come(&self) -> bool {
        self.stated.is_some()
    }

    /// A count that the recorder stated.
    pub(super) fn count(&self, key: &str) -> u64 {
        self.stated.as_ref().and_then(|stated| stated.get(key)?.as_u64()).unwrap_or(0)
    }

    /// What the recorder left out, by limit.
    pub(super) fn left_out(&self) -> Map<String, Value> {
        let left_out = self.stated.as_ref().and_then(|stated| stated.get("left_out")?.as_object());
        left_out.cloned().unwrap_or_default()
    }

    /// The last line of the file, with what the limits left out.
    pub(super) fn line(&self, tally: &Tally, n_kept: u64, left_out: Map<String, Value>, end: &End) -> Vec<u8> {
        let mut line = Map::from_iter([("papaver".to_string(), json!(1)), ("port".to_string(), json!("trailer"))]);
        let stated = self.stated.clone().unwrap_or_default();
        if tally.is_text {
            line.insert("end".to_string(), json!(end_of_text(end)));
        } else {
            // what was stated and has not come was lost on the way
            let missing = self.count("events").saturating_sub(tally.n_events + tally.n_cut);
            line.insert("events".to_string(), json!(n_kept));
            line.insert("lost".to_string(), json!(self.count("lost") + missing + end.n_partial));
            line.extend(self.end(end));
        }
        line.insert("status".to_string(), json!(end.status));
        if !left_out.is_empty() {
            line.insert("left_out".to_string(), Value::Object(left_out));
        }
        for (key, value) in stated {
            line.entry(key).or_insert(value);
        }
        text(line)
    }

    /// How the program ended, as the recorder says; without its word the trace is unfinished.
    fn end(&self, end: &End) -> Vec<(String, Value)> {
        let stated = self.stated.as_ref().and_then(|stated| stated.get("end"));
        let cut = end.is_cut.then(|| json!("limit"));
        let killed = end.signal.as_ref().map(|signal| json!(format!("killed by {signal}")));
        let is_unfinished = stated.is_none() && cut.is_none();
        let end = cut.or(stated.cloned()).or(killed).map(|end| ("end".to_string(), end));
        let unfinished = is_unfinished.then(|| ("unfinished".to_string(), json!(true)));
        end.into_iter().chain(unfinished).collect()
    }
}

/// How a program ended of which no recorder inside says it.
fn end_of_text(end: &End) -> String {
    match &end.signal {
        _ if end.is_cut => "limit".to_string(),
        _ if end.is_running => "stopped".to_string(),
        Some(signal) => format!("killed by {signal}"),
        None => "ok".to_string(),
    }
}

/// The sum of two counts, or of two objects of counts; `true` is a count that nobody knows.
fn sum(one: &Value, other: &Value) -> Value {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let mut sums = one.clone();
            for (key, value) in other {
                let known = sums.get(key).map_or(value.clone(), |known| sum(known, value));
                sums.insert(key.clone(), known);
            }
            Value::Object(sums)
        }
        _ => match (one.as_u64(), other.as_u64()) {
            (Some(one), Some(other)) => json!(one + other),
            _ => json!(true),
        },
    }
}

/// The first line, where the recorder has none.
pub(super) fn header(kind: &str, limits: &Limits, last: Option<u64>) -> Vec<u8> {
    let recorder = format!("papaver {} {kind}", env!("CARGO_PKG_VERSION"));
    let mut line = json!({ "papaver": 1, "port": "header", "source": kind, "recorder": recorder });
    let limits = in_force(limits, last);
    if !limits.is_empty() {
        line["limits"] = Value::Object(limits);
    }
    let Value::Object(line) = line else { return Vec::new() };
    text(line)
}

/// The header of a recorder, with a limit that papaver keeps.
pub(super) fn with_last(line: &[u8], last: u64) -> Vec<u8> {
    let Ok(Value::Object(mut header)) = serde_json::from_slice(line) else { return line.to_vec() };
    match header.entry("limits").or_insert_with(|| json!({})) {
        Value::Object(limits) => drop(limits.insert("last".to_string(), json!(last))),
        _ => return line.to_vec(),
    }
    text(header)
}

/// The limits, by the names that recorders know.
fn in_force(limits: &Limits, last: Option<u64>) -> Map<String, Value> {
    let mut keys = Map::new();
    for (key, patterns) in [("only", &limits.only), ("skip", &limits.skip)] {
        if !patterns.is_empty() {
            keys.insert(key.to_string(), json!(patterns));
        }
    }
    let numbers = [
        ("max_events", limits.max_events),
        ("last", last),
        ("depth", limits.depth),
        ("text", limits.text),
        ("sample", limits.sample),
    ];
    keys.extend(numbers.into_iter().filter_map(|(key, number)| Some((key.to_string(), json!(number?)))));
    keys.extend(limits.no_args.then(|| ("no_args".to_string(), json!(true))));
    keys
}

/// The line that says how many events `--last` left out.
pub(super) fn gap(n_lost: u64) -> Vec<u8> {
    format!("{{\"papaver\":1,\"port\":\"gap\",\"lost\":{n_lost}}}\n").into_bytes()
}

fn text(line: Map<String, Value>) -> Vec<u8> {
    format!("{}\n", Value::Object(line)).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trailer(lines: &[&str], tally: &Tally, end: &End) -> String {
        let mut trailer = Trailer::default();
        assert!(lines.iter().all(|line| trailer.take(line.as_bytes())));
        let line = trailer.line(tally, tally.n_events, trailer.left_out(), end);
        String::from_utf8(line).unwrap().trim_end().to_string()
    }

    #[test]
    fn the_status_is_added_to_what_the_recorder_says() {
        let stated = r#"{"papaver":1,"port":"trailer","events":3,"lost":0,"end":"halted","hook_errors":1,"left_out":{"skip":4}}"#;
        let tally = Tally { n_events: 3, ..Tally::default() };
        let line = trailer(&[stated], &tally, &End { status: 3, ..End::default() });
        assert_eq!(
            line,
            r#"{"papaver":1,"port":"trailer","events":3,"lost":0,"end":"halted","status":3,"left_out":{"skip":4},"hook_errors":1}"#
        );
    }

    #[test]
    fn counts_of_several_processes_are_summed() {
        let stated = [
            r#"{"papaver":1,"port":"trailer","events":3,"lost":1,"end":"ok","left_out":{"skip":4,"text":true}}"#,
            r#"{"papaver":1,"port":"trailer","events":2,"lost":0,"end":"true","left_out":{"skip":1,"depth":2}}"#,
        ];
        let tally = Tally { n_events: 4, ..Tally::default() };
        let line = trailer(&stated, &tally, &End::default());
        assert_eq!(
            line,
            r#"{"papaver":1,"port":"trailer","events":4,"lost":2,"end":"true","status":0,"left_out":{"skip":5,"text":true,"depth":2}}"#
        );
    }

    #[test]
    fn without_a_word_of_the_recorder_the_trace_is_unfinished() {
        let tally = Tally { n_events: 1, ..Tally::default() };
        let end = End { status: 137, signal: Some("SIGKILL".to_string()), n_partial: 1, ..End::default() };
        let line = trailer(&[], &tally, &end);
        assert_eq!(
            line,
            r#"{"papaver":1,"port":"trailer","events":1,"lost":1,"end":"killed by SIGKILL","unfinished":true,"status":137}"#
        );
    }
}
