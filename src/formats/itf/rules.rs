//! The integrity rules I1 to I8.

use super::events::{ItfTrace, number};
use super::part::META;
use super::states::{StateTable, VariableColumn};
use crate::trace::{EventId, PlaceTable, TraceBuilder};

impl ItfTrace {
    /// The rules about the whole file.
    pub(super) fn check(&self, builder: &mut TraceBuilder) {
        if !self.has_states {
            builder.finding("I1", None, None, "the file has no array `states`");
        }
        for position in &self.states.no_objects {
            builder.finding("I1", None, Some(self.states.line(*position)), "a state is no object");
        }
        let n_states = self.states.n_states;
        if let Some(lasso) = &self.lasso
            && lasso.parse::<usize>().map_or(true, |start| start >= n_states)
        {
            let message = format!("`loop` is `{lasso}`, which is none of the {n_states} states");
            builder.finding("I5", None, None, message);
        }
    }

    /// The rules about each state.
    pub(super) fn check_states(&self, columns: &[VariableColumn], places: &PlaceTable, builder: &mut TraceBuilder) {
        let n_events = self.states.n_events();
        let find = |name: &String| columns.iter().find(|column| column.name == *name);
        let is_full = |column: &VariableColumn| (0..n_events).all(|event| column.values.has(event));
        let missing: Vec<(&String, Option<&VariableColumn>)> = self
            .variables
            .iter()
            .map(|name| (name, find(name)))
            .filter(|(_, column)| !column.is_some_and(is_full))
            .collect();
        let is_known =
            |name: &String| self.variables.contains(name) || self.params.contains(name) || name.starts_with("mbt::");
        let unknown: Vec<&VariableColumn> =
            columns.iter().filter(|column| column.name != META && !is_known(&column.name)).collect();
        let StateTable { indexes, broken, .. } = &self.states;
        if missing.is_empty() && unknown.is_empty() && indexes.is_empty() && broken.is_empty() {
            return;
        }
        let (mut indexes, mut broken) = (indexes.iter().peekable(), broken.iter().peekable());
        for (event, position) in (0 as EventId..).zip(self.states.positions()) {
            let mut fault = |rule, what: String| {
                let line = places.at(position).map_or(0, |place| place.line);
                builder.finding(rule, number(position), Some(line), format!("state {position} has {what}"));
            };
            for (name, _) in missing.iter().filter(|(_, column)| !column.is_some_and(|column| column.values.has(event)))
            {
                fault("I2", format!("no value of `{name}`"));
            }
            for column in unknown.iter().filter(|column| column.values.has(event)) {
                fault("I3", format!("`{}`, which is no variable", column.name));
            }
            if let Some((_, index)) = indexes.next_if(|(of, _)| *of == position) {
                fault("I4", format!("the index {index}"));
            }
            while let Some((_, rule)) = broken.next_if(|(of, _)| *of == position) {
                let what = match *rule {
                    "I7" => "a map with two entries for one key",
                    "I8" => "a set with the same member twice",
                    _ => "a value that is no expression of the format",
                };
                fault(rule, what.to_owned());
            }
        }
    }
}
