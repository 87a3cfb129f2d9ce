//! What the assertions that a goal called have come to, for whoever explains the goal.

use super::copy::Frozen;
use crate::trace::EventId;

/// The assertions that were decided since this was last cleared.
#[derive(Clone, Debug, Default)]
pub struct Assertions {
    /// How many.
    pub n_decided: usize,
    /// How many of them held, but had nothing to be violated by.
    pub n_vacuous: usize,
    /// Why the first such one had nothing.
    pub vacuous: Option<String>,
    /// Why the last one does not hold, if it does not.
    pub violated: Option<Violated>,
    /// Assertions that are not to be decided, but to be followed while the trace grows.
    pub followed: Vec<Frozen>,
}

/// Why an assertion does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violated {
    /// In words.
    pub message: String,
    /// The events that show it, in order.
    pub witnesses: Vec<EventId>,
}

impl Assertions {
    /// Notes an assertion that holds.
    pub fn note_holds(&mut self) {
        self.n_decided += 1;
        self.violated = None;
    }

    /// Notes one that holds, as it had nothing to be violated by.
    pub fn note_vacuous(&mut self, why: impl FnOnce() -> String) {
        self.note_holds();
        self.n_vacuous += 1;
        self.vacuous.get_or_insert_with(why);
    }

    /// Notes one that does not hold.
    pub fn note_violated(&mut self, violated: Violated) {
        self.n_decided += 1;
        self.violated = Some(violated);
    }

    /// Whether there were some, and none of them had anything to be violated by.
    pub fn are_vacuous(&self) -> bool {
        self.n_decided > 0 && self.n_vacuous == self.n_decided
    }
}
