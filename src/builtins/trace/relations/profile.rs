//! The profile of a trace: where its time went, by procedure or by other attributes.

use std::sync::Arc;

use crate::builtins::arguments::{atom, is_var, list, pair};
use crate::builtins::record::det;
use crate::builtins::trace::constraints::list::{Purpose, attribute};
use crate::builtins::trace::errors::trace;
use crate::builtins::trace::queries::query::CompiledQuery;
use crate::builtins::trace::values::attributes;
use crate::engine::arith::Number;
use crate::engine::error::{instantiation_error, type_error};
use crate::engine::{Builtin, Cell, Stop, Store, Term, World};
use crate::term::{Atom, atoms};
use crate::trace::{AttributeId, EventId, ProfileRow, Trace, is_of_ends, profile, profile_groups};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "profile(+By, +Constraints, -Rows) is det",
        "Rows has a list of Key=Value for each value that an attribute, or a list of attributes, has at the first events of the calls that satisfy the constraints there (or at their last events, if it has none before): `name`, this value; `calls`, `errors` (calls that ended by an exception, with the status `error` or with an error number, and branches of VisAndOr that failed), the least `depth`, `total` (the time in which such calls ran; what runs at the same time counts once), `self` (in which none of their children did), and of the duration of one call `p50`, `p95`, `p99` and `max`. Times are in the unit of the trace, or in events if it has none. The greatest `self` comes first. Of a trace without calls, the rows are about its events: `events` is in place of `calls`, and the greatest comes first.",
        "profile(name, [name=[safe, nodiag]], [Row|_])",
        "Row = [name=nodiag, calls=27, errors=0, depth=4, total=263, self=263, p50=6, p95=28, p99=31, max=31]",
        profile_3,
    ),
    det(
        "$profile_groups(+By, +Constraints, -Names) is det",
        "Names has the `name` of each row of profile/3, in the order in which the first of these calls begin. What the calls cost, with the duration of each, is left on the desk, to be added up with that of other traces.",
        "'$profile_groups'(name, [name=[safe, nodiag]], Names)",
        "Names = [safe, nodiag]",
        profile_groups_3,
    ),
    det(
        "$percentile(+Percent, +Pairs, -Number) is semidet",
        "Of the numbers in Pairs, Number-Count in rising order, Percent per cent are at most Number.",
        "'$percentile'(50, [1-2, 7-3], N)",
        "N = 7",
        percentile,
    ),
    det(
        "$claims_about(+What, +List) is det",
        "Notes that a claim is about the elements of List: about nothing if there are none; What says what they would be.",
        "'$claims_about'(number, [1])",
        "true",
        claims_about,
    ),
];

/// A claim of the library about some things; one about nothing is vacuous, as those of the vocabulary are.
fn claims_about(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let what = atom(&world.store, args[0])?;
    match world.store.look(args[1]) {
        Term::Atom(atoms::NIL) => world.remarks.assertions.note_vacuous(|| format!("nothing to check: no {what}")),
        _ => world.remarks.assertions.note_holds(),
    }
    Ok(true)
}

fn profile_3(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (trace, by, rows) = found(world, args, profile)?;
    let rows: Vec<Cell> = rows.iter().map(|row| row_term(&mut world.store, &trace, &by, row)).collect();
    let rows = world.store.list(&rows);
    Ok(world.store.unify(args[2], rows))
}

fn profile_groups_3(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (trace, by, groups) = found(world, args, profile_groups)?;
    let names: Vec<Cell> = groups.iter().map(|group| name(&mut world.store, &trace, &by, group.row.first)).collect();
    world.desk.profile = groups;
    let names = world.store.list(&names);
    Ok(world.store.unify(args[2], names))
}

/// The current trace, the attributes `args[0]`, and the groups of the calls that satisfy the constraints `args[1]`.
fn found<T>(
    world: &mut World,
    args: &[Cell],
    groups: impl FnOnce(&Trace, &[AttributeId], Option<&mut dyn FnMut(EventId) -> bool>) -> T,
) -> Result<(Arc<Trace>, Vec<NamePart>, T), Stop> {
    let trace = trace(world)?;
    let by = by(world, &trace, args[0])?;
    let mut query = CompiledQuery::new(world, args[1], Purpose::Search)?;
    let is_everything = query.binds_nothing() && query.admits_everything();
    let mut is_wanted = |event: EventId| query.holds_at(event) && unifies(world, &mut query, event);
    let groups = groups(&trace, &by, (!is_everything).then_some(&mut is_wanted as &mut dyn FnMut(EventId) -> bool));
    let part = |id| NamePart { id, is_of_ends: is_of_ends(&trace, id) };
    let parts = by.into_iter().map(part).collect();
    Ok((trace, parts, groups))
}

/// An attribute by which calls are grouped.
struct NamePart {
    id: AttributeId,
    /// Whether it is the last event of a call that has it.
    is_of_ends: bool,
}

fn percentile(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &world.store;
    let mut counts = Vec::new();
    let mut n_numbers = 0_i64;
    for item in list(store, args[1])? {
        let Some((number, count)) = pair(store, item, atoms::MINUS) else {
            return Err(type_error(store, "pair", item));
        };
        if is_var(store, number) {
            return Err(instantiation_error());
        }
        if Number::of(store, number).is_none() {
            return Err(type_error(store, "number", number));
        }
        let Term::Int(count) = store.look(count) else { return Err(type_error(store, "integer", count)) };
        n_numbers = n_numbers.saturating_add(count);
        counts.push((number, n_numbers));
    }
    let rank = match Number::of(store, args[0]) {
        Some(Number::Int(percent)) => (i128::from(percent) * i128::from(n_numbers) + 99).div_euclid(100),
        Some(percent) => (percent.to_float()? * n_numbers as f64 / 100.0).ceil() as i128,
        None => return Err(type_error(store, "number", args[0])),
    };
    let at = counts.partition_point(|(_, n_so_far)| i128::from(*n_so_far) < rank.max(1));
    Ok(counts.get(at).is_some_and(|(number, _)| world.store.unify(args[2], *number)))
}

/// The attributes by which calls are grouped.
fn by(world: &mut World, trace: &Arc<Trace>, cell: Cell) -> Result<Vec<AttributeId>, Stop> {
    world.desk.plans.belong_to(trace);
    match world.store.look(cell) {
        Term::Atom(name) if name != atoms::NIL => Ok(vec![attribute(world, trace, cell)?]),
        _ => list(&world.store, cell)?.into_iter().map(|name| attribute(world, trace, name)).collect(),
    }
}

fn unifies(world: &mut World, query: &mut CompiledQuery, event: EventId) -> bool {
    if query.binds_nothing() {
        return true;
    }
    let attempt = world.store.begin_attempt();
    let unifies = query.unify(world, event);
    world.store.undo_attempt(attempt);
    unifies
}

fn row_term(store: &mut Store, trace: &Trace, by: &[NamePart], row: &ProfileRow) -> Cell {
    let mut pairs = vec![("name", name(store, trace, by, row.first))];
    let mut number = |key, value: i64| pairs.push((key, store.int(value)));
    number(if trace.n_calls() == 0 { "events" } else { "calls" }, count(row.n_calls));
    number("errors", count(row.n_errors));
    row.depth.into_iter().for_each(|depth| number("depth", depth));
    if let Some(durations) = row.durations {
        number("total", row.total);
        number("self", row.self_time);
        number("p50", durations.p50);
        number("p95", durations.p95);
        number("p99", durations.p99);
        number("max", durations.max);
    }
    let pair = |(key, value)| store.compound(atoms::EQUALS, &[Cell::atom(Atom::new(key)), value]);
    let pairs: Vec<Cell> = pairs.into_iter().map(pair).collect();
    store.list(&pairs)
}

/// The value of one attribute, or the list of the values of several, for the call that begins at an event; `-` where there
/// is none.
fn name(store: &mut Store, trace: &Trace, by: &[NamePart], first: EventId) -> Cell {
    let mut value = |part: &NamePart| {
        let call = trace.call(first).filter(|_| part.is_of_ends);
        let event = call.map_or(first, |call| trace.call_last(call));
        attributes::attribute_value(store, trace, event, part.id).unwrap_or(Cell::atom(atoms::MINUS))
    };
    match by {
        [one] => value(one),
        several => {
            let values: Vec<Cell> = several.iter().map(value).collect();
            store.list(&values)
        }
    }
}

fn count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
