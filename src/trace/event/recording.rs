//! What the recorder says about a trace: how it was recorded, how the program ended, and where events are missing.

use super::EventId;
use super::value::{Field, Value};

/// Facts about the recording of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recording {
    facts: Vec<RecordedFact>,
    gaps: Vec<Gap>,
    /// Whether the recording is truncated.
    pub(crate) is_unfinished: bool,
    /// The least depth of an event, if the recorder does not count from 1.
    pub(crate) least_depth: Option<i64>,
}

/// Where a fact was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordedAt {
    /// In the header, before the events.
    Start,
    /// In the trailer, after the events.
    End,
}

/// A fact that the recorder reported.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RecordedFact {
    at: RecordedAt,
    key: Box<str>,
    /// The value, encoded as in columns.
    stored: Box<str>,
}

/// A gap: the recorder left out events here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The first row before which events may be missing; equal to `before` unless the trace is merged from several
    /// logs.
    pub(crate) first: EventId,
    /// The row of the event after the gap.
    pub(crate) before: EventId,
    /// The number of missing events, if it is known.
    pub(crate) lost: Option<u64>,
}

/// The key of the trailer under which each limit of the recording has what it left out.
const LEFT_OUT: &str = "left_out";
/// The limit that leaves out what the language brings along.
pub(crate) const LIBRARY: &str = "library";
/// The key under which a format says how many parts of its records were dropped.
pub(crate) const DROPPED: &str = "dropped";
/// The limits that cut values, not events.
const VALUES: [&str; 3] = ["text", "no_args", "long"];
/// The limits that leave out the end.
const AFTER_ALL: [&str; 2] = ["max_events", "memory"];
/// The limit that leaves a gap where it left events out.
const IN_A_GAP: &str = "last";

impl Recording {
    /// At most this many facts and this many gaps are kept.
    const MOST: usize = 10_000;

    /// Keeps a fact; a later fact with the same key replaces an earlier one.
    pub(crate) fn record(&mut self, at: RecordedAt, key: &str, value: Field<'_>) {
        let mut stored = String::new();
        value.write_stored(&mut stored);
        self.keep(at, key, &stored);
    }

    pub(crate) fn keep(&mut self, at: RecordedAt, key: &str, stored: &str) {
        let fact = RecordedFact { at, key: key.into(), stored: stored.into() };
        if let Some(known) = self.facts.iter_mut().find(|known| *known.key == *key) {
            *known = fact;
        } else if self.facts.len() < Recording::MOST {
            self.facts.push(fact);
        }
    }

    pub(crate) fn stored(&self) -> impl Iterator<Item = (RecordedAt, &str, &str)> {
        self.facts.iter().map(|fact| (fact.at, &*fact.key, &*fact.stored))
    }

    /// Adds a gap.
    pub(crate) fn gap(&mut self, gap: Gap) {
        if self.gaps.len() < Recording::MOST {
            self.gaps.push(gap);
        }
    }

    /// The reported facts, and where they were reported.
    pub(crate) fn facts(&self) -> impl Iterator<Item = (RecordedAt, &str, Value<'_>)> {
        self.stored().map(|(at, key, stored)| (at, key, Value::stored(stored)))
    }

    /// The value of a fact.
    pub(crate) fn fact(&self, key: &str) -> Option<Value<'_>> {
        self.facts().find(|(_, known, _)| *known == key).map(|(.., value)| value)
    }

    /// The gaps, in rising order.
    pub(crate) fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// The number of events that the recorder says it lost.
    pub(crate) fn n_lost(&self) -> u64 {
        let in_gaps = self.gaps.iter().filter_map(|gap| gap.lost).fold(0, u64::saturating_add);
        match self.fact("lost") {
            Some(Value::Int(lost)) => u64::try_from(lost).unwrap_or(0).max(in_gaps),
            _ => in_gaps,
        }
    }

    /// Where events were lost, as the recorder says: the gaps, and the whole trace of `n_events` events if some were lost of
    /// which nobody knows where. What limits left out is not among it.
    pub(crate) fn losses(&self, n_events: EventId) -> Vec<Gap> {
        let in_gaps = self.gaps.iter().map(|gap| gap.lost).try_fold(0u64, |sum, lost| Some(sum.saturating_add(lost?)));
        let elsewhere = in_gaps.map_or(0, |in_gaps| self.n_lost() - in_gaps);
        let anywhere = Gap { first: 0, before: n_events, lost: Some(elsewhere) };
        self.gaps.iter().copied().chain((elsewhere > 0).then_some(anywhere)).collect()
    }

    /// The truncated logs of a trace that is merged from several.
    pub(crate) fn unfinished_logs(&self) -> impl Iterator<Item = &str> {
        let truths = self.facts().filter(|(_, _, value)| *value == Value::Bool(true));
        truths.filter_map(|(_, key, _)| key.strip_suffix(".unfinished"))
    }

    /// Whether the trace lacks a part of the run.
    pub(crate) fn is_blind(&self) -> bool {
        let has_dropped = || self.facts_called(DROPPED).any(|value| value != Value::Int(0));
        self.is_unfinished || !self.gaps.is_empty() || self.n_lost() > 0 || !self.left_out().is_empty() || has_dropped()
    }

    /// What the limits of the recording left out of the run: `only`, `depth`, ... . Whatever `library` left out is no
    /// limit of the user.
    pub(crate) fn left_out(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.limits().filter(|key| key != LIBRARY).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Whether the recorder left something out because of a limit.
    pub(crate) fn is_limited_by(&self, limit: &str) -> bool {
        self.limits().any(|key| key == limit)
    }

    fn limits(&self) -> impl Iterator<Item = String> {
        let parsed = self.facts_called(LEFT_OUT).filter_map(|value| match value {
            Value::Json(text) => serde_json::from_str::<serde_json::Map<_, _>>(text).ok(),
            _ => None,
        });
        parsed.flatten().map(|(key, _)| key)
    }

    /// The values of a fact; logs of which it differs have `LOG.KEY` each.
    fn facts_called(&self, key: &str) -> impl Iterator<Item = Value<'_>> {
        let is_it = move |known: &str| known.strip_suffix(key).is_some_and(|log| log.is_empty() || log.ends_with('.'));
        self.facts().filter(move |(_, known, _)| is_it(known)).map(|(.., value)| value)
    }

    /// Whether limits left out events in unknown places of the trace.
    pub(crate) fn lacks_events(&self) -> bool {
        let elsewhere = |key: &str| VALUES.contains(&key) || AFTER_ALL.contains(&key) || key == IN_A_GAP;
        self.left_out().iter().any(|key| !elsewhere(key))
    }

    /// Whether limits left out what came after the last event.
    pub(crate) fn lacks_the_end(&self) -> bool {
        self.left_out().iter().any(|key| AFTER_ALL.contains(&key.as_str()))
    }

    /// Whether limits cut values.
    pub(crate) fn lacks_values(&self) -> bool {
        self.left_out().iter().any(|key| VALUES.contains(&key.as_str()))
    }

    /// Whether the program ended while calls were open: by a halt, an interrupt, a limit or a kill, or as the recorder
    /// stopped before it.
    pub(crate) fn was_stopped(&self) -> bool {
        let is_stop = |end: &str| {
            matches!(end, "halted" | "interrupted" | "limit" | "stopped" | "killed") || end.starts_with("killed by ")
        };
        self.is_unfinished || self.facts_called("end").any(|end| end.characters().is_some_and(is_stop))
    }
}
