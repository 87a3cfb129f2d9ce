//! From states to events: one for each state, when the variables and the loop are known.

use std::sync::Arc;

use smallvec::SmallVec;

use super::columns::{AttributeIds, of_variable};
use super::line::picks;
use super::part::{META, PICKS};
use super::states::{StateTable, VariableColumn};
use crate::term::hash::HashMap;
use crate::term::letters::atom_text;
use crate::trace::{
    ArgsId, AttributeId, EventId, EventRow, Field, KnownColumns, LazyValues, ListField, ProcRow, RecordNumbers,
    TraceBuilder, Value, ValueColumn, ValueId,
};

/// A file that was read.
#[derive(Default)]
pub(super) struct ItfTrace {
    /// The variables, without those of model-based testing.
    pub(super) variables: Vec<String>,
    pub(super) params: Vec<String>,
    pub(super) states: StateTable,
    /// The number of the state to which the last one goes back, as it is written.
    pub(super) lasso: Option<String>,
    /// Whether there is an array of states.
    pub(super) has_states: bool,
}

/// What is made of the states for the events.
struct EventMaker<'t> {
    trace: &'t ItfTrace,
    ids: AttributeIds,
    action: Option<&'t ValueColumn>,
    picks: Option<&'t ValueColumn>,
    /// The variables by name, without those that no state has.
    sorted: Vec<&'t VariableColumn>,
    changes: HashMap<Vec<bool>, ValueId>,
    /// By value, the choices of an action: how many, and the numbers of their values and names.
    known_picks: HashMap<ValueId, (i64, ArgsId, Option<ArgsId>)>,
    /// The events that have names of arguments, and their numbers.
    arg_names: Vec<(EventId, ArgsId)>,
}

impl ItfTrace {
    /// The state at which the loop begins, if there is one.
    fn loop_start(&self) -> Option<usize> {
        self.lasso.as_ref()?.parse().ok().filter(|start| *start < self.states.n_states)
    }

    /// Hands the events over.
    pub(super) fn emit(mut self, builder: &mut TraceBuilder) {
        self.check(builder);
        let ids = AttributeIds::new(builder);
        let mut attributes: HashMap<String, Option<AttributeId>> = HashMap::default();
        for name in &self.variables {
            let id = *attributes.entry(name.clone()).or_insert_with(|| of_variable(name, builder));
            id.into_iter().for_each(|id| builder.let_stand(id));
        }
        let places = Arc::new(std::mem::take(&mut self.states.places));
        builder.places(Arc::clone(&places), RecordNumbers::Attribute(ids.index, 0));
        let columns = self.states.finish(builder);
        self.check_states(&columns, &places, builder);
        let mut taken: Vec<AttributeId> = Vec::new();
        for variable in columns.iter().filter(|column| ![META, PICKS].contains(&column.name.as_str())) {
            let mut name = variable.name.clone();
            let mut id = *attributes.entry(name.clone()).or_insert_with(|| of_variable(&name, builder));
            // `index` and `index_` are two variables
            while id.is_some_and(|id| taken.contains(&id)) {
                name.push('_');
                id = of_variable(&name, builder);
            }
            if let Some(id) = id {
                taken.push(id);
                builder.put_column(id, variable.values.clone());
            }
        }
        self.push_events(&columns, ids, builder);
        if self.states.n_events() > 0 {
            let find = |name: &String| columns.iter().find(|variable| variable.name == *name);
            let pair = |variable: &VariableColumn| (atom_text(&variable.name).into_owned(), variable.values.clone());
            let pairs: Vec<(String, ValueColumn)> = self.variables.iter().filter_map(find).map(pair).collect();
            builder.lazy_values(AttributeId::VARS, move |known, column| fill_pairs(&pairs, known, column));
        }
    }

    fn push_events(&self, columns: &[VariableColumn], ids: AttributeIds, builder: &mut TraceBuilder) {
        let find = |name: &str| columns.iter().find(|variable| variable.name == name);
        let mut names: Vec<&String> = self.variables.iter().collect();
        names.sort();
        names.dedup();
        let mut maker = EventMaker {
            trace: self,
            ids,
            action: find(META).map(|column| &column.values),
            picks: find(PICKS).map(|column| &column.values),
            sorted: names.iter().filter_map(|name| find(name)).collect(),
            changes: HashMap::default(),
            known_picks: HashMap::default(),
            arg_names: Vec::new(),
        };
        let (mut positions, start) = (self.states.positions().peekable(), self.loop_start());
        let mut event = 0;
        while let Some(position) = positions.next() {
            let next = match positions.peek() {
                Some(next) => number(*next),
                None if position + 1 == self.states.n_states => maker.after_last(position, start),
                None => None,
            };
            maker.push(event, position, (next, start.is_some_and(|start| position >= start)), builder);
            event += 1;
        }
        builder.scatter_arg_names(&maker.arg_names);
    }
}

impl EventMaker<'_> {
    fn push(
        &mut self,
        event: EventId,
        position: usize,
        (next, is_in_loop): (Option<i64>, bool),
        builder: &mut TraceBuilder,
    ) {
        let picks = self.picks.and_then(|picks| self.picks_at(picks, event, builder));
        let name = match self.action.map(|action| action.at(event)) {
            Some(Value::Text(name)) => name,
            _ if position == 0 => "init",
            _ => "step",
        };
        let ids = self.ids;
        let index = Some((ids.index, Field::Int(i64::try_from(position).unwrap_or(i64::MAX))));
        let changed = Some((ids.changed, Field::Known(self.changed(event.checked_sub(1), event, builder))));
        let in_loop = is_in_loop.then_some((ids.in_loop, Field::Bool(true)));
        let next = next.map(|next| (ids.next, Field::Int(next)));
        let extra: SmallVec<[(AttributeId, Field<'_>); 4]> =
            [index, changed, in_loop, next].into_iter().flatten().collect();
        builder.push(&EventRow {
            chrono: number(position),
            depth: Some(1),
            port: Some("state"),
            proc: ProcRow { name: Some(name), arity: picks.map(|(arity, ..)| arity), ..ProcRow::default() },
            args: picks.map_or(ListField::Absent, |(_, args, _)| ListField::Known(args)),
            extra: &extra,
            ..EventRow::default()
        });
        self.arg_names.extend(picks.and_then(|(.., names)| Some((event, names?))));
    }

    /// The choices that were made for an event.
    fn picks_at(
        &mut self,
        column: &ValueColumn,
        event: EventId,
        builder: &mut TraceBuilder,
    ) -> Option<(i64, ArgsId, Option<ArgsId>)> {
        let (Value::Json(text), id) = (column.at(event), column.id(event)?) else { return None };
        if let Some(known) = self.known_picks.get(&id) {
            return Some(*known);
        }
        // rules that they break were found when the state was read
        let picks = picks(text, &mut Vec::new()).ok()??;
        let values: Vec<Option<&str>> = picks.iter().map(|(_, value)| Some(value.text.as_str())).collect();
        let names: Vec<Option<&str>> = picks.iter().map(|(name, _)| Some(name.as_str())).collect();
        let named = (!names.is_empty()).then(|| builder.names(ListField::Parts(&names)));
        let found = (picks.len() as i64, builder.list(ListField::Parts(&values)), named);
        self.known_picks.insert(id, found);
        Some(found)
    }

    /// The variables that a step changes, in order, as a list of atoms.
    fn changed(&mut self, before: Option<EventId>, event: EventId, builder: &mut TraceBuilder) -> ValueId {
        let differs = |variable: &&VariableColumn| before.is_some_and(|before| !variable.is_equal(before, event));
        let changes: Vec<bool> = self.sorted.iter().map(differs).collect();
        if let Some(known) = self.changes.get(&changes) {
            return *known;
        }
        let changed = self.sorted.iter().zip(&changes).filter(|(_, differs)| **differs);
        let name = |(variable, _): (&&VariableColumn, _)| atom_text(&variable.name).into_owned();
        let names: Vec<String> = changed.map(name).collect();
        let id = builder.value(self.ids.changed, Field::Term(&format!("[{}]", names.join(","))));
        self.changes.insert(changes, id);
        id
    }

    /// The number of the event that follows the last state. A loop whose last state is also its first one goes on after that.
    fn after_last(&self, last: usize, start: Option<usize>) -> Option<i64> {
        let (start, states) = (start?, &self.trace.states);
        let is_same = match (states.event_at(start), states.event_at(last)) {
            (Some(one), Some(other)) => start < last && self.is_same_state(one, other),
            _ => false,
        };
        let next = (start + usize::from(is_same)..=last).find(|position| states.event_at(*position).is_some())?;
        number(next)
    }

    fn is_same_state(&self, one: EventId, other: EventId) -> bool {
        self.sorted.iter().all(|variable| variable.is_equal(one, other))
    }
}

impl VariableColumn {
    /// Whether two states have equal values.
    fn is_equal(&self, one: EventId, other: EventId) -> bool {
        if self.values.is_same(one, other) {
            return true;
        }
        let (Some(one_id), Some(other_id)) = (self.values.id(one), self.values.id(other)) else { return false };
        let text = |event: EventId, id: ValueId| match self.values.at(event) {
            Value::Term(text) => Some(self.sorted.get(&id).map_or(text, |sorted| sorted)),
            Value::Bool(true) => Some("true"),
            Value::Bool(false) => Some("false"),
            _ => None,
        };
        // no term is written like an integer
        text(one, one_id).is_some_and(|text_of_one| text(other, other_id) == Some(text_of_one))
    }
}

/// The variables with their values, `name-value`.
fn fill_pairs(pairs: &[(String, ValueColumn)], known: &KnownColumns, column: &mut LazyValues) {
    let mut all = String::new();
    for event in known.events() {
        all.clear();
        all.push('[');
        for (name, values) in pairs {
            let value = values.at(event);
            let number;
            let text = match value {
                Value::Int(value) => {
                    number = value.to_string();
                    &number
                }
                Value::BigInt(text) | Value::Term(text) => text,
                Value::Bool(true) => "true",
                Value::Bool(false) => "false",
                _ => continue,
            };
            let comma = if all.len() > 1 { "," } else { "" };
            let blank = if text.starts_with('-') { " " } else { "" };
            [comma, name, "-", blank, text].iter().for_each(|part| all.push_str(part));
        }
        all.push(']');
        column.set(event, Field::Term(&all));
    }
}

/// The number of the event of a state: a state that is no object has none, and its number is left out.
pub(super) fn number(position: usize) -> Option<i64> {
    i64::try_from(position).ok()?.checked_add(1)
}
