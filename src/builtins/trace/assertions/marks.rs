//! The events that match a list of constraints, with the values that they give to the variables of other lists.

use std::sync::Arc;

use crate::builtins::trace::constraints::list::{Purpose, is_of_arguments};
use crate::builtins::trace::queries::filter::Filter;
use crate::builtins::trace::queries::query::CompiledQuery;
use crate::builtins::trace::values::attributes;
use crate::engine::error::{instantiation_error, with_message};
use crate::engine::{Cell, EventPart, OccursCheck, Stop, Store, Term, TermUse, World};
use crate::trace::{AttributeId, Constraint, EventId, Marks, NumberEquality, SearchDirection, Trace};

use super::codes::TermCodes;

/// A list of constraints, with the variables that it shares with others.
pub(super) struct MarkedList {
    query: CompiledQuery,
    /// The numbers of the shared variables, in order, with the variables.
    shared: Vec<(usize, Cell)>,
    /// For each shared variable the attribute whose value it takes, if columns hold all these values; otherwise the
    /// list is unified with each event in turn.
    columns: Option<Vec<AttributeId>>,
    /// The conditions on arguments, in addition to the columns.
    filter: Option<Filter>,
}

impl MarkedList {
    /// Takes a list that shares some of `variables` with others.
    pub(super) fn new(world: &mut World, constraints: Cell, variables: &[Cell]) -> Result<MarkedList, Stop> {
        let query = CompiledQuery::new(world, constraints, Purpose::Search)?;
        let shared: Vec<(usize, Cell)> =
            numbers_in(&world.store, constraints, variables).map(|number| (number, variables[number])).collect();
        let is_bound = |variable: Cell| {
            query.plan.uses.iter().any(|(index, usage)| {
                matches!(usage, TermUse::Unify(_)) && world.store.variables(query.terms[*index]).contains(&variable)
            })
        };
        if !shared.iter().all(|(_, variable)| is_bound(*variable)) {
            let message = "expected a constraint `Attribute = Value` that gives a value to each variable of two lists";
            return Err(with_message(instantiation_error(), message));
        }
        let columns = columns(&world.store, &query, &shared);
        let is_filtered =
            query.plan.uses.iter().any(|(_, usage)| is_of_arguments(*usage)) || !query.plan.tests.is_empty();
        let filter = is_filtered.then(|| query.filter(&world.store));
        Ok(MarkedList { query, shared, columns, filter })
    }

    /// The constraints on attributes.
    pub(super) fn constraints(&self) -> &[Constraint] {
        &self.query.plan.constraints
    }

    /// Adds the variables whose numbers are compared by value: an attribute gives them their values, and does not mix
    /// integers and floats.
    pub(super) fn add_compared_by_value(&self, store: &Store, by_value: &mut [bool]) {
        for (index, usage) in &self.query.plan.uses {
            if let TermUse::Unify(EventPart::Attribute(attribute)) = *usage
                && let variable = store.deref(self.query.terms[*index])
                && let Some((number, _)) = self.shared.iter().find(|(_, shared)| *shared == variable)
            {
                by_value[*number] |= !self.query.trace.mixes_numbers(attribute);
            }
        }
    }

    /// A name for a shared variable: that of the attribute or argument whose value it takes in this list.
    pub(super) fn name_of(&self, store: &Store, variable: usize) -> Option<String> {
        let (_, cell) = self.shared.iter().find(|(number, _)| *number == variable)?;
        self.query.plan.uses.iter().find_map(|(index, usage)| match usage {
            TermUse::Unify(part) if store.variables(self.query.terms[*index]).contains(cell) => {
                Some(part.name(&self.query.trace))
            }
            _ => None,
        })
    }

    /// As [`name_of`](MarkedList::name_of), for all its shared variables.
    pub(super) fn names(&self, store: &Store) -> Vec<String> {
        self.shared.iter().map(|(number, _)| self.name_of(store, *number).unwrap_or_default()).collect()
    }

    /// Whether later values may change what matches, and whether they may do so for events from row `first` on. What
    /// calls cost is known at their ends only.
    pub(super) fn awaits(&self, first: EventId) -> (bool, bool) {
        let trace = &self.query.trace;
        if self.query.plan.asks_call_times() {
            return (true, true);
        }
        let waiting = || self.query.plan.constraints.iter().filter(|constraint| constraint.awaits_numbers(trace));
        (waiting().next().is_some(), waiting().any(|constraint| constraint.depends_on_others(trace, first)))
    }

    /// The events that match.
    pub(super) fn marks(mut self, world: &mut World, codes: &mut TermCodes) -> Result<Marks, Stop> {
        let variables: Vec<usize> = self.shared.iter().map(|(number, _)| *number).collect();
        let mut marks = Marks { variables, ..Marks::default() };
        let Some(attributes) = self.columns.take() else {
            self.each_batch(world, |list, world, batch| {
                batch.iter().for_each(|row| list.unify(world, *row as EventId, codes, &mut marks));
            })?;
            return Ok(marks);
        };
        let column =
            |(attribute, variable): (AttributeId, &usize)| AttributeCodes::new(attribute, codes.equality(*variable));
        let mut columns: Vec<AttributeCodes> = attributes.into_iter().zip(&marks.variables).map(column).collect();
        self.each_batch(world, |list, world, batch| {
            list.keep(world, batch);
            for column in &mut columns {
                column.read(world, &list.query.trace, batch, codes);
            }
            marks.rows.extend(batch.iter().map(|row| *row as EventId));
            match columns.as_slice() {
                [] => {}
                [column] => marks.codes.extend_from_slice(&column.codes),
                columns => (0..batch.len())
                    .for_each(|place| marks.codes.extend(columns.iter().map(|column| column.codes[place]))),
            }
        })?;
        Ok(marks)
    }

    /// Passes the events that match according to the columns to a function, many at a time.
    fn each_batch(
        &mut self,
        world: &mut World,
        mut act: impl FnMut(&mut MarkedList, &mut World, &mut Vec<i64>),
    ) -> Result<(), Stop> {
        let trace = Arc::clone(&self.query.trace);
        let mut matches = self.query.matches(SearchDirection::Forward, 0);
        let mut batch = Vec::new();
        loop {
            matches.take(&trace, &self.query.plan.pattern, &mut batch);
            if batch.is_empty() {
                return Ok(());
            }
            act(self, world, &mut batch);
            batch.clear();
            world.store.watch.check()?;
        }
    }

    /// Removes the events whose arguments do not match.
    fn keep(&mut self, world: &mut World, batch: &mut Vec<i64>) {
        let Some(filter) = &mut self.filter else { return };
        batch.retain(|row| self.query.passes_tests(*row as EventId));
        filter.keep(Some(&mut world.store), &self.query.trace, batch, 0).expect("there is a store");
    }

    fn unify(&mut self, world: &mut World, event: EventId, codes: &mut TermCodes, marks: &mut Marks) {
        let attempt = world.store.begin_attempt();
        if self.query.unify(world, event) {
            marks.rows.push(event);
            for (number, variable) in &self.shared {
                marks.codes.push(codes.of_term(&world.store, *variable, codes.equality(*number)));
            }
        }
        world.store.undo_attempt(attempt);
    }
}

/// The numbers of the variables that occur in a list of constraints, in order.
pub(super) fn numbers_in(store: &Store, constraints: Cell, variables: &[Cell]) -> impl Iterator<Item = usize> {
    let own = store.variables(constraints);
    (0..variables.len()).filter(move |number| own.contains(&variables[*number]))
}

/// The most variables in a term for arguments that a filter can test.
const MAX_VARIABLES: usize = 64;

/// The attributes whose values the shared variables take, if columns hold all of them and no variable of a condition on
/// arguments occurs elsewhere.
fn columns(store: &Store, query: &CompiledQuery, shared: &[(usize, Cell)]) -> Option<Vec<AttributeId>> {
    let mut attributes: Vec<Option<AttributeId>> = vec![None; shared.len()];
    let mut seen: Vec<Cell> = Vec::new();
    for (index, usage) in &query.plan.uses {
        let term = store.deref(query.terms[*index]);
        let variables = match usage {
            TermUse::Chrono | TermUse::Call => continue,
            TermUse::Unify(_) | TermUse::Differ(_) => store.variables(term),
        };
        if variables.len() > MAX_VARIABLES || variables.iter().any(|variable| seen.contains(variable)) {
            return None;
        }
        let place = shared.iter().position(|(_, variable)| variables.contains(variable));
        match (*usage, place) {
            (_, None) if is_of_arguments(*usage) && store.occurs_check == OccursCheck::Off => {}
            (TermUse::Unify(EventPart::Attribute(attribute)), place) if matches!(store.look(term), Term::Var(_)) => {
                if let Some(place) = place {
                    attributes[place] = Some(attribute).filter(|_| is_columnar(&query.trace, attribute));
                }
            }
            _ => return None,
        }
        seen.extend(variables);
    }
    attributes.into_iter().collect()
}

/// Whether an attribute is stored in a column of integers, or has few values.
fn is_columnar(trace: &Trace, attribute: AttributeId) -> bool {
    matches!(attribute, AttributeId::CHRONO | AttributeId::CALL)
        || trace.is_part_of_key(attribute)
        || trace.is_integer_column(attribute)
}

/// The codes of the values that events have for an attribute.
struct AttributeCodes {
    attribute: AttributeId,
    numbers: NumberEquality,
    codes: Vec<i64>,
    /// The codes by key, if the key of an event determines the attribute.
    by_key: Vec<Option<i64>>,
}

impl AttributeCodes {
    fn new(attribute: AttributeId, numbers: NumberEquality) -> AttributeCodes {
        AttributeCodes { attribute, numbers, codes: Vec::new(), by_key: Vec::new() }
    }

    /// Reads the values of some events, which all have one.
    fn read(&mut self, world: &mut World, trace: &Trace, rows: &[i64], codes: &mut TermCodes) {
        self.codes.clear();
        if trace.is_part_of_key(self.attribute) && !matches!(self.attribute, AttributeId::CHRONO | AttributeId::CALL) {
            return rows.iter().for_each(|row| self.read_by_key(world, trace, *row as EventId, codes));
        }
        let is_whole = match self.attribute {
            AttributeId::CHRONO => {
                trace.gather_chronos(rows, &mut self.codes);
                true
            }
            AttributeId::CALL => {
                let mut calls = Vec::with_capacity(rows.len());
                trace.gather_calls(rows, &mut calls);
                trace.gather_call_numbers(&calls, &mut self.codes);
                true
            }
            attribute => trace.gather_integers(attribute, rows, &mut self.codes),
        };
        let is_small = |value: &i64| TermCodes::of_integer(*value).is_some();
        if is_whole && self.codes.iter().all(is_small) {
            return self.codes.iter_mut().for_each(|value| *value *= 2);
        }
        self.codes.clear();
        for row in rows {
            self.codes.push(self.value_code(world, trace, *row as EventId, codes));
        }
    }

    fn read_by_key(&mut self, world: &mut World, trace: &Trace, event: EventId, codes: &mut TermCodes) {
        let key = trace.key_of(event);
        if self.by_key.len() <= key {
            self.by_key.resize(key + 1, None);
        }
        let code = self.by_key[key].unwrap_or_else(|| self.value_code(world, trace, event, codes));
        self.by_key[key] = Some(code);
        self.codes.push(code);
    }

    fn value_code(&self, world: &mut World, trace: &Trace, event: EventId, codes: &mut TermCodes) -> i64 {
        let attempt = world.store.begin_attempt();
        let value = attributes::attribute_value(&mut world.store, trace, event, self.attribute).unwrap_or(Cell::NIL);
        let code = codes.of_term(&world.store, value, self.numbers);
        world.store.undo_attempt(attempt);
        code
    }
}
