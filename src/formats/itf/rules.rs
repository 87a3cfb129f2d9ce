//! The integrity rules I1 to I8.

use super::events::{ItfTrace, number};
use super::states::{StateColumns, StateTable};
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
    pub(super) fn check_states(&self, columns: &StateColumns, places: &PlaceTable, builder: &mut TraceBuilder) {
        let faults: Vec<ShapeFaults> =
            self.states.shapes.iter().map(|shape| self.shape_faults(shape, columns)).collect();
        let StateTable { indexes, broken, .. } = &self.states;
        let has_faults = faults.iter().any(|shape| !shape.is_empty());
        if !has_faults && indexes.is_empty() && broken.is_empty() {
            return;
        }
        let (mut indexes, mut broken) = (indexes.iter().peekable(), broken.iter().peekable());
        for (event, position) in (0 as EventId..).zip(self.states.positions()) {
            let mut fault = |rule, message: String| {
                let line = places.at(position).map_or(0, |place| place.line);
                builder.finding(rule, number(position), Some(line), message);
            };
            let shape = columns.shape.int(event).and_then(|shape| faults.get(shape as usize));
            for (rule, message) in shape.into_iter().flatten() {
                fault(rule, format!("state {position} has {message}"));
            }
            if let Some((_, index)) = indexes.next_if(|(of, _)| *of == position) {
                fault("I4", format!("state {position} has the index {index}"));
            }
            while let Some((_, rule)) = broken.next_if(|(of, _)| *of == position) {
                let what = match *rule {
                    "I7" => "a map with two entries for one key",
                    "I8" => "a set with the same member twice",
                    _ => "a value that is no expression of the format",
                };
                fault(rule, format!("state {position} has {what}"));
            }
        }
    }

    /// What is wrong with states that have these variables.
    fn shape_faults(&self, shape: &[usize], columns: &StateColumns) -> ShapeFaults {
        let names: Vec<&String> = shape.iter().map(|variable| &columns.variables[*variable].name).collect();
        let missing = self.variables.iter().filter(|name| !names.contains(name));
        let is_known =
            |name: &String| self.variables.contains(name) || self.params.contains(name) || name.starts_with("mbt::");
        let unknown = names.iter().filter(|name| !is_known(name));
        let missing = missing.map(|name| ("I2", format!("no value of `{name}`")));
        missing.chain(unknown.map(|name| ("I3", format!("`{name}`, which is no variable")))).collect()
    }
}

/// Rules that states break, and what such a state has.
type ShapeFaults = Vec<(&'static str, String)>;
