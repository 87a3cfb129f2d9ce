//! Counting and grouping events from the columns, for goals of the form `event(Constraints)`.

use crate::builtins::program::clause_search::effect_of;
use crate::builtins::record::det;
use crate::builtins::terms::order::{ascending, sort_by_key};
use crate::builtins::trace::constraints::list::Purpose;
use crate::builtins::trace::queries::query::CompiledQuery;
use crate::builtins::trace::values::attributes;
use crate::engine::{Builtin, Cell, Effect, EventPart, SearchCourse, Stop, Store, Term, TermUse, World};
use crate::term::atoms;
use crate::trace::{AttributeId, AttributeType, count, group};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "$count_events(:Goal, -Count) is semidet",
        "How many answers a goal has that is nothing but event/1, from the columns; fails for any other goal.",
        "'$count_events'(event([port=exit]), N)",
        "N = 149",
        count_events,
    ),
    det(
        "$group_events(?Key, :Goal, -Pairs) is semidet",
        "What tally/3 gives for a goal that is nothing but event/1, from the columns; fails for any other goal.",
        "'$group_events'(P, event([port=P, name=queen]), L)",
        "L = [call-1, exit-1]",
        group_events,
    ),
];

/// The search of a goal `event(Constraints)`, if columns alone give its answers: every term is a different variable.
fn search(world: &mut World, goal: Cell) -> Result<Option<CompiledQuery>, Stop> {
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

fn count_events(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let Some(query) = search(world, args[0])? else { return Ok(false) };
    let n = count(&query.trace, &query.plan.pattern);
    let n = world.store.int(i64::try_from(n).unwrap_or(i64::MAX));
    Ok(world.store.unify(args[1], n))
}

fn group_events(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let [key, goal, pairs] = [args[0], args[1], args[2]];
    let Some(query) = search(world, goal)? else { return Ok(false) };
    let Some(columns) = columns(&world.store, &query, key) else { return Ok(false) };
    let attributes: Vec<AttributeId> = columns.iter().map(|(_, attribute)| *attribute).collect();
    let trace = std::sync::Arc::clone(&query.trace);
    let mut counted = Vec::new();
    for (values, n) in group(&trace, &query.plan.pattern, &attributes) {
        let attempt = world.store.begin_attempt();
        for ((variable, _), value) in columns.iter().zip(values) {
            let value = attributes::of(&mut world.store, &trace, value).unwrap_or(Cell::atom(atoms::MINUS));
            world.store.unify(*variable, value);
        }
        let row = world.store.freeze(key);
        world.store.undo_attempt(attempt);
        counted.push((world.store.thaw(&row), i64::try_from(n).unwrap_or(i64::MAX)));
    }
    let merged = merge(world, counted)?;
    let list = self::pairs(&mut world.store, merged);
    Ok(world.store.unify(pairs, list))
}

/// The list of `Key-Number`.
pub(crate) fn pairs(store: &mut Store, counted: Vec<(Cell, i64)>) -> Cell {
    let pair = |(key, number)| {
        let number = store.int(number);
        store.compound(atoms::MINUS, &[key, number])
    };
    let items: Vec<Cell> = counted.into_iter().map(pair).collect();
    store.list(&items)
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

/// Sorts by key and adds up the counts of equal keys.
pub(crate) fn merge(world: &World, counted: Vec<(Cell, i64)>) -> Result<Vec<(Cell, i64)>, Stop> {
    let counted = sort_by_key(world, counted, ascending, |count| count.0)?;
    let mut merged: Vec<(Cell, i64)> = Vec::new();
    for (key, n) in counted {
        match merged.last_mut() {
            Some((last, total)) if world.store.compare(*last, key).is_eq() => *total += n,
            _ => merged.push((key, n)),
        }
    }
    Ok(merged)
}
