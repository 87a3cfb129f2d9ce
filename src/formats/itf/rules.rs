//! The integrity rules I1 to I8.

use super::events::{ItfTrace, number};
use super::line::ItfState;
use crate::trace::TraceBuilder;

impl ItfTrace {
    /// The rules about the whole file.
    pub(super) fn check(&self, builder: &mut TraceBuilder) {
        if !self.has_states {
            builder.finding("I1", None, None, "the file has no array `states`");
        }
        for (place, _) in self.states.iter().filter(|(_, state)| state.is_none()) {
            builder.finding("I1", None, Some(place.line), "a state is no object");
        }
        let n_states = self.states.len();
        if let Some(lasso) = &self.lasso
            && lasso.parse::<usize>().map_or(true, |start| start >= n_states)
        {
            let message = format!("`loop` is `{lasso}`, which is none of the {n_states} states");
            builder.finding("I5", None, None, message);
        }
    }

    /// The rules about a state.
    pub(super) fn check_state(&self, position: usize, line: u64, state: &ItfState, builder: &mut TraceBuilder) {
        let chrono = number(position);
        let mut fault = |rule, message: String| builder.finding(rule, chrono, Some(line), message);
        for name in self.variables.iter().filter(|name| state.value(name).is_none()) {
            fault("I2", format!("state {position} has no value of `{name}`"));
        }
        let is_known =
            |name: &String| self.variables.contains(name) || self.params.contains(name) || name.starts_with("mbt::");
        for (name, _) in state.values.iter().filter(|(name, _)| !is_known(name)) {
            fault("I3", format!("state {position} has `{name}`, which is no variable"));
        }
        if let Some(index) = state.index.as_ref().filter(|index| **index != position.to_string()) {
            fault("I4", format!("state {position} has the index {index}"));
        }
        for rule in &state.broken {
            let what = match *rule {
                "I7" => "a map with two entries for one key",
                "I8" => "a set with the same member twice",
                _ => "a value that is no expression of the format",
            };
            fault(rule, format!("state {position} has {what}"));
        }
    }
}
