//! From states to events: one for each state, when the variables and the loop are known.

use std::sync::Arc;

use super::columns::{AttributeIds, of_variable};
use super::states::{StateColumns, StateTable, VariableColumn};
use crate::term::hash::HashMap;
use crate::term::letters::atom_text;
use crate::trace::{
    ArgsId, AttributeId, EventId, Field, KeyId, KnownColumns, LazyValues, ProcRow, RecordNumbers, Rows, TraceBuilder,
    Value, ValueColumn, ValueId,
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

/// Events that are handed over at once.
const BATCH: usize = 1 << 14;

/// What is made of the states for the events.
struct EventMaker<'t> {
    trace: &'t ItfTrace,
    columns: &'t StateColumns,
    ids: AttributeIds,
    /// The variables by name, without those that no state has.
    sorted: Vec<usize>,
    keys: HashMap<(Option<ValueId>, Option<i64>, bool), KeyId>,
    changes: HashMap<Vec<bool>, ValueId>,
    in_loop: Option<ValueId>,
}

/// The columns of a batch of events.
#[derive(Default)]
struct EventBatch {
    chronos: Vec<i64>,
    depths: Vec<i64>,
    keys: Vec<KeyId>,
    indexes: Vec<i64>,
    next: Vec<i64>,
    changed: Vec<ValueId>,
    in_loop: Vec<(EventId, ValueId)>,
    args: Vec<(EventId, ArgsId)>,
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
        let columns = self.states.finish();
        self.check_states(&columns, &places, builder);
        let mut taken: Vec<AttributeId> = Vec::new();
        for variable in &columns.variables {
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
        if self.states.n_events > 0 {
            let find = |name: &String| columns.variables.iter().find(|variable| variable.name == *name);
            let pair = |variable: &VariableColumn| (atom_text(&variable.name).into_owned(), variable.values.clone());
            let pairs: Vec<(String, ValueColumn)> = self.variables.iter().filter_map(find).map(pair).collect();
            builder.lazy_values(AttributeId::VARS, move |known, column| fill_pairs(&pairs, known, column));
        }
    }

    fn push_events(&self, columns: &StateColumns, ids: AttributeIds, builder: &mut TraceBuilder) {
        let find = |name: &&String| columns.variables.iter().position(|variable| variable.name == **name);
        let mut names: Vec<&String> = self.variables.iter().collect();
        names.sort();
        names.dedup();
        let mut maker = EventMaker {
            trace: self,
            columns,
            ids,
            sorted: names.iter().filter_map(find).collect(),
            keys: HashMap::default(),
            changes: HashMap::default(),
            in_loop: None,
        };
        let (mut batch, mut positions) = (EventBatch::default(), self.states.positions().peekable());
        let (start, mut event) = (self.loop_start(), 0);
        while let Some(position) = positions.next() {
            let next = match positions.peek() {
                Some(next) => number(*next),
                None if position + 1 == self.states.n_states => maker.after_last(position, start),
                None => None,
            };
            maker.add(event, position, next, start, &mut batch, builder);
            event += 1;
            if batch.keys.len() == BATCH {
                batch.flush(&ids, builder);
            }
        }
        batch.flush(&ids, builder);
    }
}

impl EventMaker<'_> {
    fn add(
        &mut self,
        event: EventId,
        position: usize,
        next: Option<i64>,
        start: Option<usize>,
        batch: &mut EventBatch,
        builder: &mut TraceBuilder,
    ) {
        batch.chronos.extend(number(position));
        batch.depths.push(1);
        batch.keys.push(self.key(event, position == 0, builder));
        batch.indexes.push(i64::try_from(position).unwrap_or(i64::MAX));
        batch.next.push(next.unwrap_or(i64::MIN));
        let changed = self.changed(event.checked_sub(1), event, builder);
        batch.changed.push(changed);
        if start.is_some_and(|start| position >= start) {
            let id = self.ids.in_loop;
            let value = *self.in_loop.get_or_insert_with(|| builder.value(id, Field::Bool(true)));
            batch.in_loop.push((event, value));
        }
        let list = |column: &ValueColumn| column.int(event).map(|list| (event, ArgsId(list as u32)));
        batch.args.extend(list(&self.columns.args));
        batch.arg_names.extend(list(&self.columns.arg_names));
    }

    fn key(&mut self, event: EventId, is_first: bool, builder: &mut TraceBuilder) -> KeyId {
        let (action, arity) = (self.columns.action.id(event), self.columns.arity.int(event));
        *self.keys.entry((action, arity, is_first)).or_insert_with(|| {
            let name = match self.columns.action.at(event) {
                Value::Text(name) => name,
                _ if is_first => "init",
                _ => "step",
            };
            builder.key(&ProcRow { name: Some(name), arity, ..ProcRow::default() }, Some("state"), None)
        })
    }

    /// The variables that a step changes, in order, as a list of atoms.
    fn changed(&mut self, before: Option<EventId>, event: EventId, builder: &mut TraceBuilder) -> ValueId {
        let differs =
            |variable: &usize| before.is_some_and(|before| !self.columns.variables[*variable].is_equal(before, event));
        let changes: Vec<bool> = self.sorted.iter().map(differs).collect();
        if let Some(known) = self.changes.get(&changes) {
            return *known;
        }
        let changed = self.sorted.iter().zip(&changes).filter(|(_, differs)| **differs);
        let name = |(variable, _): (&usize, _)| atom_text(&self.columns.variables[*variable].name).into_owned();
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
        self.sorted.iter().all(|variable| self.columns.variables[*variable].is_equal(one, other))
    }
}

impl EventBatch {
    fn flush(&mut self, ids: &AttributeIds, builder: &mut TraceBuilder) {
        let rows = Rows {
            chronos: &self.chronos,
            calls: &[],
            depths: &self.depths,
            keys: &self.keys,
            places: &[],
            args: &[],
            lines: &[],
            first_line: 0,
            text: &[],
            offset: 0,
        };
        if let Some(first) = builder.append(&rows).filter(|_| !self.keys.is_empty()) {
            builder.append_ints(ids.index, first, &self.indexes);
            builder.append_ints(ids.next, first, &self.next);
            builder.append_values(ids.changed, first, &self.changed);
            builder.scatter_values(ids.in_loop, &self.in_loop);
            for run in self.args.chunk_by(|(one, _), (next, _)| next - one == 1) {
                let args: Vec<ArgsId> = run.iter().map(|(_, args)| *args).collect();
                builder.append_args(run[0].0, &args);
            }
            builder.scatter_arg_names(&self.arg_names);
        }
        *self = EventBatch::default();
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
