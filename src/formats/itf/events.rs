//! From states to events: one for each state, when the variables and the loop are known.

use std::sync::Arc;

use super::columns::{AttributeIds, of_variable};
use super::line::{Expression, ExpressionKind, ItfState};
use crate::term::hash::HashMap;
use crate::term::letters::atom_text;
use crate::trace::{
    AttributeId, EventRow, Field, ListField, PlaceTable, ProcRow, RecordNumbers, SourcePlace, TraceBuilder,
};

/// A file that was read.
#[derive(Default)]
pub(super) struct ItfTrace {
    /// The variables, without those of model-based testing.
    pub(super) variables: Vec<String>,
    pub(super) params: Vec<String>,
    /// The states, each with its place; none is one that is no object.
    pub(super) states: Vec<(SourcePlace, Option<ItfState>)>,
    /// The number of the state to which the last one goes back, as it is written.
    pub(super) lasso: Option<String>,
    /// Whether there is an array of states.
    pub(super) has_states: bool,
}

impl ItfTrace {
    /// The state at which the loop begins, if there is one.
    fn loop_start(&self) -> Option<usize> {
        self.lasso.as_ref()?.parse().ok().filter(|start| *start < self.states.len())
    }

    /// Hands the events over.
    pub(super) fn emit(&self, builder: &mut TraceBuilder) {
        self.check(builder);
        let ids = AttributeIds::new(builder);
        let mut columns: HashMap<&str, Option<AttributeId>> = HashMap::default();
        for name in &self.variables {
            let id = of_variable(name, builder);
            id.into_iter().for_each(|id| builder.let_stand(id));
            columns.insert(name, id);
        }
        let mut places = PlaceTable::default();
        self.states.iter().for_each(|(place, _)| places.push(*place));
        builder.places(Arc::new(places), RecordNumbers::Attribute(ids.index, 0));
        let mut before: Option<&ItfState> = None;
        for (position, (place, state)) in self.states.iter().enumerate() {
            let Some(state) = state else { continue };
            self.check_state(position, place.line, state, builder);
            let mut values: Vec<(AttributeId, Field<'_>)> = Vec::new();
            for (name, value) in &state.values {
                let id = *columns.entry(name).or_insert_with(|| of_variable(name, builder));
                values.extend(id.map(|id| (id, field(value))));
            }
            self.push(position, place.line, (before, state), values, ids, builder);
            before = Some(state);
        }
    }

    fn push(
        &self,
        position: usize,
        line: u64,
        (before, state): (Option<&ItfState>, &ItfState),
        values: Vec<(AttributeId, Field<'_>)>,
        ids: AttributeIds,
        builder: &mut TraceBuilder,
    ) {
        let start = self.loop_start();
        let picks = state.picks.as_deref().unwrap_or_default();
        let args: Vec<Option<&str>> = picks.iter().map(|(_, value)| Some(value.text.as_str())).collect();
        let arg_names: Vec<Option<&str>> = picks.iter().map(|(name, _)| Some(name.as_str())).collect();
        let changed = format!("[{}]", self.changed(before, state).join(","));
        let all = format!("[{}]", self.pairs(state).join(","));
        let mut values = values;
        values.push((ids.index, Field::Int(i64::try_from(position).unwrap_or(i64::MAX))));
        values.push((ids.changed, Field::Term(&changed)));
        values.push((AttributeId::VARS, Field::Term(&all)));
        values.extend(start.filter(|start| position >= *start).map(|_| (ids.in_loop, Field::Bool(true))));
        let next = self.next(position);
        values.extend(next.map(|next| (ids.next, Field::Int(next))));
        let default = if position == 0 { "init" } else { "step" };
        let has_picks = state.picks.is_some();
        builder.push(&EventRow {
            chrono: number(position),
            depth: Some(1),
            port: Some("state"),
            proc: ProcRow {
                name: Some(state.action.as_deref().unwrap_or(default)),
                arity: i64::try_from(args.len()).ok().filter(|_| has_picks),
                ..ProcRow::default()
            },
            args: if has_picks { ListField::Parts(&args) } else { ListField::Absent },
            arg_names: if args.is_empty() { ListField::Absent } else { ListField::Parts(&arg_names) },
            extra: &values,
            source_line: line,
            ..EventRow::default()
        });
    }

    /// The variables that a step changes, in order, as texts of atoms.
    fn changed(&self, before: Option<&ItfState>, state: &ItfState) -> Vec<String> {
        let Some(before) = before else { return Vec::new() };
        let canonical = |state: &ItfState, name: &str| state.value(name).map(|value| value.canonical().to_owned());
        let differs = |name: &&String| canonical(before, name) != canonical(state, name);
        let mut names: Vec<&String> = self.variables.iter().filter(differs).collect();
        names.sort();
        names.dedup();
        names.into_iter().map(|name| atom_text(name).into_owned()).collect()
    }

    /// The variables with their values, `name-value`.
    fn pairs(&self, state: &ItfState) -> Vec<String> {
        let pair = |name: &String| {
            let value = &state.value(name)?.text;
            Some(format!("{}-{}{value}", atom_text(name), if value.starts_with('-') { " " } else { "" }))
        };
        self.variables.iter().filter_map(pair).collect()
    }

    /// The number of the event that follows a state. A loop whose last state is also its first one goes on after that.
    fn next(&self, position: usize) -> Option<i64> {
        let is_event = |at: &usize| self.states.get(*at).is_some_and(|(_, state)| state.is_some());
        let last = self.states.len().checked_sub(1)?;
        if position < last {
            let next = (position + 1..=last).find(is_event)?;
            return number(next);
        }
        let start = self.loop_start()?;
        let state = |at: usize| self.states[at].1.as_ref();
        let is_same = match (state(start), state(last)) {
            (Some(one), Some(other)) => start < last && self.changed(Some(one), other).is_empty(),
            _ => false,
        };
        number((start + usize::from(is_same)..=last).find(is_event)?)
    }
}

/// The number of the event of a state: a state that is no object has none, and its number is left out.
pub(super) fn number(position: usize) -> Option<i64> {
    i64::try_from(position).ok()?.checked_add(1)
}

/// The value of an attribute.
fn field(value: &Expression) -> Field<'_> {
    match value.kind {
        ExpressionKind::Integer => Field::BigInt(&value.text),
        ExpressionKind::Bool => Field::Bool(value.text == "true"),
        _ => Field::Term(&value.text),
    }
}
