//! What the recorder of a trace says of it: how it was made, how the program ended, and where events are missing.

use super::EventId;
use super::extra::{decode, encode};
use super::value::{Field, Value};

/// What is known of how a trace was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    facts: Vec<Fact>,
    gaps: Vec<Gap>,
    /// Whether the recorder did not come to its end.
    pub is_unfinished: bool,
    /// The least depth of an event, where the recorder counts from elsewhere than 1.
    pub least_depth: Option<i64>,
}

/// Where a fact was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToldAt {
    /// Before the events.
    Start,
    /// Behind them.
    End,
}

/// Something that was told.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fact {
    at: ToldAt,
    key: Box<str>,
    /// The value, as columns store it.
    stored: Box<str>,
}

/// A place where the recorder left events out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The first row before which events may be missing: that of the event behind it, if the trace is not of several logs.
    pub first: EventId,
    /// The row of the event behind it.
    pub before: EventId,
    /// How many events are missing, if that is known.
    pub lost: Option<u64>,
}

impl Recording {
    /// Facts, and gaps, that are kept at most.
    const MOST: usize = 10_000;

    /// Keeps a fact; of two with one key the last one counts.
    pub fn tell(&mut self, at: ToldAt, key: &str, value: Field<'_>) {
        let mut stored = String::new();
        encode(value, &mut stored);
        self.keep(at, key, &stored);
    }

    pub(super) fn keep(&mut self, at: ToldAt, key: &str, stored: &str) {
        let fact = Fact { at, key: key.into(), stored: stored.into() };
        if let Some(known) = self.facts.iter_mut().find(|known| *known.key == *key) {
            *known = fact;
        } else if self.facts.len() < Recording::MOST {
            self.facts.push(fact);
        }
    }

    pub(super) fn stored(&self) -> impl Iterator<Item = (ToldAt, &str, &str)> {
        self.facts.iter().map(|fact| (fact.at, &*fact.key, &*fact.stored))
    }

    /// Notes that events are missing.
    pub fn gap(&mut self, gap: Gap) {
        if self.gaps.len() < Recording::MOST {
            self.gaps.push(gap);
        }
    }

    /// What was told, and where.
    pub fn facts(&self) -> impl Iterator<Item = (ToldAt, &str, Value<'_>)> {
        self.stored().map(|(at, key, stored)| (at, key, decode(stored)))
    }

    /// The value of a key.
    pub fn fact(&self, key: &str) -> Option<Value<'_>> {
        self.facts().find(|(_, known, _)| *known == key).map(|(.., value)| value)
    }

    /// The places where events are missing, in rising order.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// How many events the recorder says that it lost.
    pub fn n_lost(&self) -> u64 {
        let in_gaps = self.gaps.iter().filter_map(|gap| gap.lost).fold(0, u64::saturating_add);
        match self.fact("lost") {
            Some(Value::Int(lost)) => u64::try_from(lost).unwrap_or(0).max(in_gaps),
            _ => in_gaps,
        }
    }

    /// The logs that are unfinished, where the trace is of several.
    pub fn unfinished_logs(&self) -> impl Iterator<Item = &str> {
        let told = self.facts().filter(|(_, _, value)| *value == Value::Bool(true));
        told.filter_map(|(_, key, _)| key.strip_suffix(".unfinished"))
    }

    /// Whether there are stretches of which the trace knows nothing.
    pub fn is_blind(&self) -> bool {
        self.is_unfinished || !self.gaps.is_empty() || self.n_lost() > 0
    }

    /// Whether the program was ended while calls were open: by a halt, an interrupt, a limit or a kill.
    pub fn was_stopped(&self) -> bool {
        let is_stop = |end: &str| matches!(end, "halted" | "interrupted" | "limit" | "killed");
        // logs that ended in different ways have `LOG.end` each
        let mut ends = self.facts().filter(|(_, key, _)| *key == "end" || key.ends_with(".end"));
        self.is_unfinished || ends.any(|(_, _, end)| end.characters().is_some_and(is_stop))
    }

    /// Whether there is nothing to be told.
    pub fn is_empty(&self) -> bool {
        *self == Recording::default()
    }
}
