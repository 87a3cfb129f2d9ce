//! The results of the assertions that a goal called, for explanations.

use crate::engine::heap::Frozen;
use crate::trace::EventId;

/// The assertions decided since the last reset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assertions {
    /// How many were decided.
    pub(crate) n_decided: usize,
    /// How many of them held vacuously.
    pub(crate) n_vacuous: usize,
    /// Why the first of these was vacuous.
    pub(crate) vacuous: Option<String>,
    /// Why the last one is violated, if it is.
    pub(crate) violated: Option<Violated>,
    /// Assertions to be followed while the trace grows, instead of being decided.
    pub(crate) followed: Vec<Frozen>,
}

/// Why an assertion is violated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violated {
    /// In words.
    pub(crate) message: String,
    /// The events that show it, in order.
    pub(crate) witnesses: Vec<EventId>,
    /// The index of the trace that has these events.
    pub(crate) trace: usize,
}

impl Assertions {
    /// Records an assertion that holds.
    pub(crate) fn note_holds(&mut self) {
        self.n_decided += 1;
        self.violated = None;
    }

    /// Records an assertion that holds vacuously.
    pub(crate) fn note_vacuous(&mut self, why: impl FnOnce() -> String) {
        self.note_holds();
        self.n_vacuous += 1;
        self.vacuous.get_or_insert_with(why);
    }

    /// Records an assertion that is violated.
    pub(crate) fn note_violated(&mut self, violated: Violated) {
        self.n_decided += 1;
        self.violated = Some(violated);
    }

    /// Whether there were some, and all of them held vacuously.
    pub(crate) fn are_vacuous(&self) -> bool {
        self.n_decided > 0 && self.n_vacuous == self.n_decided
    }
}
