//! What the recorder of a trace says of it: how it was made, how the program ended, and where events are missing.

use super::EventId;

/// What is known of how a trace was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// What the recorder told, in its order: a key and a JSON value.
    facts: Vec<(Box<str>, Box<str>)>,
    gaps: Vec<Gap>,
    /// Whether the recorder did not come to its end.
    pub is_unfinished: bool,
}

/// A place where the recorder left events out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The row of the event behind it.
    pub before: EventId,
    /// How many events are missing, if that is known.
    pub lost: Option<u64>,
}

impl Recording {
    /// Facts that are kept at most.
    const MOST: usize = 1000;

    /// Keeps a fact; of two with one key the last one counts.
    pub fn tell(&mut self, key: &str, json: &str) {
        if let Some((_, known)) = self.facts.iter_mut().find(|(known, _)| **known == *key) {
            *known = json.into();
        } else if self.facts.len() < Recording::MOST {
            self.facts.push((key.into(), json.into()));
        }
    }

    /// Notes that events are missing before a row.
    pub fn gap(&mut self, before: EventId, lost: Option<u64>) {
        self.gaps.push(Gap { before, lost });
    }

    /// What the recorder told: keys and JSON values.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.facts.iter().map(|(key, json)| (&**key, &**json))
    }

    /// The JSON value of a key.
    pub fn fact(&self, key: &str) -> Option<&str> {
        self.facts().find(|(known, _)| *known == key).map(|(_, json)| json)
    }

    /// The places where events are missing, in rising order.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Whether there is nothing to be told.
    pub fn is_empty(&self) -> bool {
        *self == Recording::default()
    }
}
