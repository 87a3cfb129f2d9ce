//! What the recorders of merged logs say, as what is said of one trace.

use super::event_copy::field;
use crate::trace::{EventId, Field, Gap, RecordedAt, Recording, Trace, Value};

/// Keys of what a recorder says about how the rest is to be read.
pub const READING: [&str; 8] = ["args", "capitals", "ops", "time", "boxes", "objects", "least_depth", "events"];

/// A log with the rows that its events have in the merged trace.
pub struct Log<'t> {
    /// The log, read alone.
    pub trace: &'t Trace,
    /// What it is called.
    pub name: &'t str,
    /// The numbers of its events in the merged trace, from 1 and without gaps.
    pub chronos: &'t [i64],
}

impl Log<'_> {
    fn recording(&self) -> &Recording {
        self.trace.recording()
    }

    /// The row that an event of the log has in the merged trace; for the one after the last of `n_events`, the end of that.
    fn merged(&self, row: EventId, n_events: EventId) -> EventId {
        self.chronos.get(row as usize).map_or(n_events, |chrono| (*chrono - 1) as EventId)
    }

    /// The row after an event of the log; that of the first event if there is none before.
    fn after(&self, row: EventId) -> EventId {
        row.checked_sub(1).and_then(|before| self.chronos.get(before as usize)).map_or(0, |chrono| *chrono as EventId)
    }
}

/// Tells what the recorders of some logs say: a fact of all of them as it is, any other by the names of the logs.
pub fn tell(logs: &[Log<'_>], into: &mut Recording) {
    for (log, at, key, value) in facts(logs) {
        let is_of_all = logs.iter().all(|other| other.recording().fact(key) == Some(value));
        let Some(field) = field(value) else { continue };
        match (is_of_all, READING.contains(&key)) {
            (true, _) => into.record(at, key, field),
            (false, true) => {}
            (false, false) => into.record(at, &format!("{}.{key}", log.name), field),
        }
    }
    let n_lost = logs.iter().map(|log| log.recording().n_lost()).fold(0, u64::saturating_add);
    if facts(logs).any(|(_, _, key, _)| key == "lost") {
        into.record(RecordedAt::End, "lost", Field::Int(i64::try_from(n_lost).unwrap_or(i64::MAX)));
    }
    let least = logs.iter().map(|log| log.recording().least_depth.unwrap_or(1)).min();
    into.least_depth = least.filter(|depth| *depth != 1);
    tell_gaps(logs, into);
    tell_unfinished(logs, into);
}

/// What was told, by whom.
fn facts<'t>(logs: &'t [Log<'t>]) -> impl Iterator<Item = (&'t Log<'t>, RecordedAt, &'t str, Value<'t>)> {
    logs.iter().flat_map(|log| log.recording().facts().map(move |(at, key, value)| (log, at, key, value)))
}

/// A gap of a log may be anywhere between the events of that log around it.
fn tell_gaps(logs: &[Log<'_>], into: &mut Recording) {
    let n_events = logs.iter().map(|log| log.trace.n_events()).fold(0, EventId::saturating_add);
    let mut gaps: Vec<Gap> = Vec::new();
    for log in logs {
        let recording = log.recording();
        let of_gap = |gap: &Gap| Gap {
            first: log.after(gap.first.min(log.trace.n_events())),
            before: log.merged(gap.before, n_events),
            lost: gap.lost,
        };
        gaps.extend(recording.gaps().iter().map(of_gap));
        let n_lost = Some(recording.n_lost()).filter(|n_lost| *n_lost > 0 && recording.gaps().is_empty());
        gaps.extend(n_lost.map(|lost| Gap { first: 0, before: n_events, lost: Some(lost) }));
        let end = log.after(log.trace.n_events());
        let ends_early = recording.is_unfinished && end < n_events;
        gaps.extend(ends_early.then_some(Gap { first: end, before: n_events, lost: None }));
    }
    gaps.sort_by_key(|gap| (gap.before, gap.first));
    gaps.into_iter().for_each(|gap| into.gap(gap));
}

/// A trace is unfinished if one of its logs is.
fn tell_unfinished(logs: &[Log<'_>], into: &mut Recording) {
    for log in logs.iter().filter(|log| log.recording().is_unfinished) {
        into.is_unfinished = true;
        into.record(RecordedAt::End, &format!("{}.unfinished", log.name), Field::Bool(true));
    }
}
