//! Grouping and counting the events of one search, for goals of the form `event(Constraints)`.

use crate::builtins::program::clause_search::effect_of;
use crate::builtins::terms::order::{ascending, sort_by_key};
use crate::builtins::trace::constraints::list::Purpose;
use crate::builtins::trace::queries::query::CompiledQuery;
use crate::builtins::trace::values::attributes;
use crate::engine::{Cell, Effect, EventPart, SearchCourse, Stop, Store, Term, TermUse, World};
use crate::term::atoms;
use crate::trace::{AttributeId, AttributeType, group};

/// The search of a goal `event(Constraints)`, if columns alone give its answers: every term is a different variable.
pub(super) fn only_search(world: &mut World, goal: Cell) -> Result<Option<CompiledQuery>, Stop> {
    let Term::Compound(compound) = world.store.look(goal) else { return Ok(None) };
    let is_search =
        matches!(effect_of(world, goal), Some(Effect::Searches(search)) if search.direction == SearchCourse::Relation);
    if !is_search || world.desk.trace().is_none() {
        return Ok(None);
    }
    if world.is_for_machine_alone(goal) {
        return Ok(None);
    }
    let query = CompiledQuery::new(world, world.store.arg(compound, 0), Purpose::Search)?;
    if !query.plan.tests.is_empty() {
        return Ok(None);
    }
    let mut seen: Vec<Cell> = Vec::new();
    for (index, usage) in &query.plan.uses {
        let term = world.store.deref(query.terms[*index]);
        let is_fresh = matches!(world.store.look(term), Term::Var(_)) && !seen.contains(&term);
        match usage {
            TermUse::Chrono | TermUse::Call => return Ok(None),
            TermUse::Unify(EventPart::Attribute(attribute)) if is_fresh && !query.trace.is_computed(*attribute) => {
                seen.push(term)
            }
            TermUse::Unify(_) | TermUse::Differ(_) => return Ok(None),
        }
    }
    Ok(Some(query))
}

/// The events of a search, grouped by the values of attributes.
pub(crate) struct EventGroups {
    query: CompiledQuery,
    /// The variables of the key, with the attributes whose values they take.
    columns: Vec<(Cell, AttributeId)>,
    key: Cell,
}

impl EventGroups {
    /// Groups by a key whose variables take attributes with few values.
    pub(super) fn new(world: &mut World, key: Cell, goal: Cell) -> Result<Option<EventGroups>, Stop> {
        let query = only_search(world, goal)?;
        Ok(query.and_then(|query| {
            let columns = columns(&world.store, &query, key)?;
            Some(EventGroups { query, columns, key })
        }))
    }

    /// Groups by a key and an integer.
    pub(super) fn with_values(
        world: &mut World,
        key: Cell,
        value: Cell,
        goal: Cell,
    ) -> Result<Option<EventGroups>, Stop> {
        let pair = world.store.compound(atoms::MINUS, &[key, value]);
        let groups = EventGroups::new(world, pair, goal)?;
        let is_integer = |groups: &EventGroups| groups.is_integer(&world.store, value);
        Ok(groups.filter(is_integer))
    }

    /// Whether a term is an integer, or takes an attribute of integers.
    fn is_integer(&self, store: &Store, term: Cell) -> bool {
        let schema = self.query.trace.schema();
        let takes = |term: Cell| self.columns.iter().find(|(variable, _)| *variable == term);
        match store.look(term) {
            Term::Int(_) => true,
            Term::Var(variable) => {
                takes(variable).is_some_and(|(_, attribute)| schema.get(*attribute).kind == AttributeType::Integer)
            }
            _ => false,
        }
    }

    /// The list of `Key-Number` with the number of events.
    pub(super) fn counts(&self, world: &mut World) -> Result<Option<Cell>, Stop> {
        let counted = self.counted(world);
        pairs(world, counted)
    }

    /// The list of `Key-Sum` for groups by a key and an integer.
    pub(super) fn sums(&self, world: &mut World) -> Result<Option<Cell>, Stop> {
        let counted = self.counted(world).into_iter();
        let weigh = |(pair, n): (Cell, i128)| match *world.store.arguments(pair) {
            [key, value] => match world.store.look(value) {
                Term::Int(value) => Some((key, n * i128::from(value))),
                _ => None,
            },
            _ => None,
        };
        match counted.map(weigh).collect::<Option<Vec<_>>>() {
            Some(sums) => pairs(world, sums),
            None => Ok(None),
        }
    }

    /// The keys with their numbers of events.
    fn counted(&self, world: &mut World) -> Vec<(Cell, i128)> {
        let trace = &self.query.trace;
        let attributes: Vec<AttributeId> = self.columns.iter().map(|(_, attribute)| *attribute).collect();
        let groups = group(trace, &self.query.plan.pattern, &attributes).into_iter();
        let counted = groups.map(|(values, n)| {
            let store = &mut world.store;
            let cells = values.into_iter().map(|value| attributes::of(store, trace, value));
            let cells: Vec<Cell> = cells.map(|value| value.unwrap_or(Cell::atom(atoms::MINUS))).collect();
            let bindings = self.columns.iter().map(|(variable, _)| *variable).zip(cells);
            (instance(store, self.key, bindings), i128::from(n))
        });
        counted.collect()
    }
}

/// A copy of a term in which variables have values.
pub(super) fn instance(store: &mut Store, term: Cell, bindings: impl Iterator<Item = (Cell, Cell)>) -> Cell {
    let attempt = store.begin_attempt();
    bindings.for_each(|(variable, value)| {
        store.unify(variable, value);
    });
    let copy = store.freeze(term);
    store.undo_attempt(attempt);
    store.thaw(&copy)
}

/// The list of `Key-Number` in the order of keys, where the numbers of equal keys are added up; none if a number does
/// not fit into 64 bits.
pub(super) fn pairs(world: &mut World, counted: Vec<(Cell, i128)>) -> Result<Option<Cell>, Stop> {
    let merged = merge(world, counted)?;
    let store = &mut world.store;
    let pair = |(key, number): (Cell, i128)| {
        let number = store.int(i64::try_from(number).ok()?);
        Some(store.compound(atoms::MINUS, &[key, number]))
    };
    let items = merged.into_iter().map(pair).collect::<Option<Vec<Cell>>>();
    Ok(items.map(|items| world.store.list(&items)))
}

/// The variables of a key with the attributes whose values they take; none if one takes no attribute, or one whose
/// values few events share.
fn columns(store: &Store, query: &CompiledQuery, key: Cell) -> Option<Vec<(Cell, AttributeId)>> {
    let attribute = |variable: Cell| {
        query.plan.uses.iter().find_map(|(index, usage)| match usage {
            TermUse::Unify(EventPart::Attribute(attribute)) if store.deref(query.terms[*index]) == variable => {
                Some(*attribute)
            }
            _ => None,
        })
    };
    let is_plain = |attribute: &AttributeId| {
        use AttributeType::{GoalPath, Integer, Name, Port, Proc};
        *attribute != AttributeId::CHRONO
            && matches!(query.trace.schema().get(*attribute).kind, Integer | Name | Port | Proc | GoalPath)
    };
    let variables = store.variables(key).into_iter();
    variables.map(|variable| attribute(variable).filter(is_plain).map(|attribute| (variable, attribute))).collect()
}

/// Sorts by key and adds up the numbers of equal keys.
fn merge(world: &World, counted: Vec<(Cell, i128)>) -> Result<Vec<(Cell, i128)>, Stop> {
    let counted = sort_by_key(world, counted, ascending, |count| count.0)?;
    let mut merged: Vec<(Cell, i128)> = Vec::new();
    for (key, n) in counted {
        match merged.last_mut() {
            Some((last, total)) if world.store.compare(*last, key).is_eq() => *total += n,
            _ => merged.push((key, n)),
        }
    }
    Ok(merged)
}
