//! Traces that go on with one of their events after the last one, for ever, as counterexamples of model checkers do.

use super::store::Trace;
use crate::trace::event::EventId;
use crate::trace::event::value::Value;

impl Trace {
    /// The event with which the trace goes on after the last one, for ever; none if it ends.
    pub(crate) fn goes_on_with(&self) -> Option<EventId> {
        let next = self.schema.find(self.origin.lasso?)?;
        match self.value(self.n_events.checked_sub(1)?, next) {
            Value::Int(number) => self.find_chrono(number),
            _ => None,
        }
    }
}
