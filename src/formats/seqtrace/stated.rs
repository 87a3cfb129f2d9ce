//! What `papaver record` states in logs: how they were recorded, how the programs ended, and what is missing.

use super::log::SeqLog;
use crate::formats::json::{facts, value};
use crate::trace::{EventId, Field, Gap, RecordedAt, Recording, TraceBuilder};

/// What the recorder of each log states, with the name of the log.
pub(crate) fn recordings(logs: &[SeqLog]) -> Vec<(String, Recording)> {
    logs.iter().map(|log| (log.name.clone(), of_lines(&log.stated))).collect()
}

/// A log that has a header and no trailer is unfinished. Only the first events of a log are in gaps.
fn of_lines(lines: &[String]) -> Recording {
    let mut recording = Recording::default();
    let objects = lines.iter().filter_map(|line| value::object(line.trim()).ok());
    let last = objects.filter_map(|object| facts::keep(&object, 0, &mut recording)).last();
    recording.is_unfinished |= last == Some(RecordedAt::Start);
    recording
}

/// Adds the facts to the trace, under the names of the logs if there are several: then nobody knows between which events of the
/// others those lie that are missing.
pub(crate) fn record(recordings: &[(String, Recording)], builder: &mut TraceBuilder) {
    let n_events = builder.n_events();
    let into = builder.recording();
    let is_alone = recordings.len() == 1;
    for (name, recording) in recordings {
        for (at, key, stored) in recording.stored() {
            let key = if is_alone { key.to_string() } else { format!("{name}.{key}") };
            into.keep(at, &key, stored);
        }
        let before = |gap: &Gap| if is_alone { gap.before } else { n_events };
        recording.gaps().iter().for_each(|gap| into.gap(Gap { first: 0, before: before(gap), lost: gap.lost }));
        into.is_unfinished |= recording.is_unfinished;
        if recording.is_unfinished && !is_alone {
            into.record(RecordedAt::End, &format!("{name}.unfinished"), Field::Bool(true));
            into.gap(Gap { first: 0, before: n_events, lost: None });
        }
    }
    record_lost(recordings, n_events, into);
}

/// Events that several logs lost.
fn record_lost(recordings: &[(String, Recording)], n_events: EventId, into: &mut Recording) {
    let n_lost = recordings.iter().map(|(_, recording)| recording.n_lost()).fold(0, u64::saturating_add);
    if recordings.len() > 1 && n_lost > 0 {
        into.record(RecordedAt::End, "lost", Field::Int(i64::try_from(n_lost).unwrap_or(i64::MAX)));
        let is_anywhere = into.gaps().is_empty();
        is_anywhere.then(|| into.gap(Gap { first: 0, before: n_events, lost: None }));
    }
}
