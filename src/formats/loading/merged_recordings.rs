//! Facts of the recorders of merged logs, combined for one trace.

use super::event_copy::field;
use crate::trace::{EventId, Field, Gap, RecordedAt, Recording, Trace, Value};

/// Keys of a header that control how the lines are read.
pub(crate) const READING: [&str; 9] =
    ["args", "capitals", "ops", "time", "boxes", "objects", "atoms", "least_depth", "events"];

/// A log, and the numbers of its events in the merged trace.
pub(crate) struct Log<'t> {
    /// The log, read alone.
    pub(crate) trace: &'t Trace,
    /// Its name.
    pub(crate) name: &'t str,
    /// The numbers of its events in the merged trace, from 1 and without gaps.
    pub(crate) chronos: &'t [i64],
}

impl Log<'_> {
    fn recording(&self) -> &Recording {
        self.trace.recording()
    }

    /// The row of an event of the log in the merged trace; `n_events` for the row after the last one.
    fn merged(&self, row: EventId, n_events: EventId) -> EventId {
        self.chronos.get(row as usize).map_or(n_events, |chrono| (*chrono - 1) as EventId)
    }

    /// The merged row after the event before `row`; 0 if there is none before.
    fn after(&self, row: EventId) -> EventId {
        row.checked_sub(1).and_then(|before| self.chronos.get(before as usize)).map_or(0, |chrono| *chrono as EventId)
    }
}

/// Records the facts of the logs: a fact that all share under its key, another under the names of its logs.
pub(crate) fn record(logs: &[Log<'_>], into: &mut Recording) {
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
    record_gaps(logs, into);
    record_unfinished(logs, into);
}

/// All facts, with their logs.
fn facts<'t>(logs: &'t [Log<'t>]) -> impl Iterator<Item = (&'t Log<'t>, RecordedAt, &'t str, Value<'t>)> {
    logs.iter().flat_map(|log| log.recording().facts().map(move |(at, key, value)| (log, at, key, value)))
}

/// A gap of a log may be anywhere between the events of that log around it.
fn record_gaps(logs: &[Log<'_>], into: &mut Recording) {
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
fn record_unfinished(logs: &[Log<'_>], into: &mut Recording) {
    for log in logs.iter().filter(|log| log.recording().is_unfinished) {
        into.is_unfinished = true;
        into.record(RecordedAt::End, &format!("{}.unfinished", log.name), Field::Bool(true));
    }
}
