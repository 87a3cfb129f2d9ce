//! Several traces: their list, goals and moves in another trace, and comparisons of two traces.

use std::sync::Arc;

use crate::builtins::arguments::{atomic_text, count, is_var, optional_integer};
use crate::builtins::record::{at_most_one, det, each, nondet};
use crate::builtins::trace::errors::trace;
use crate::builtins::trace::values::attributes;
use crate::engine::error::{existence_error, instantiation_error, with_message};
use crate::engine::{Builtin, Cell, Solutions, Stop, Term, World};
use crate::term::{Atom, atoms};
use crate::trace::{AttributeId, CallId, Difference, EventId, Trace, first_difference};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    nondet(
        "named_trace(?Number, ?File) is nondet",
        "Number and file of each trace that was named on the command line.",
        "named_trace(2, File)",
        "false",
        named_trace,
    ),
    det(
        "$trace_number(+Trace, -Number) is det",
        "Number is that of the trace which a number or name means.",
        "'$trace_number'(1, N)",
        "N = 1",
        trace_number,
    ),
    det(
        "$derived_number(+Name, -Number) is det",
        "Number is that of the derived trace of this name.",
        "catch('$derived_number'(exits, _), error(E, _), true)",
        "E = existence_error(trace, exits)",
        derived_number,
    ),
    det(
        "$trace_now(-Number, -Cursor) is det",
        "The number of the trace that goals ask, and its cursor.",
        "'$trace_now'(N, C)",
        "N = 1, C = 0",
        trace_now,
    ),
    det(
        "$trace_go(+Number, +Cursor) is det",
        "Makes another trace the one that goals ask, with the cursor there.",
        "'$trace_go'(1, 0)",
        "true",
        trace_go,
    ),
    det(
        "$trace_kept(+Number, -Cursor) is det",
        "Where the cursor of a trace stands that goals do not ask now.",
        "'$trace_kept'(2, C)",
        "C = 0",
        trace_kept,
    ),
    det(
        "$trace_keep(+Number, +Cursor) is det",
        "Keeps where the cursor of a trace stands.",
        "'$trace_keep'(2, 5), '$trace_kept'(2, C)",
        "C = 5",
        trace_keep,
    ),
    det(
        "$first_difference(+Trace1, +Trace2, -Difference) is semidet",
        "As first_difference/3, of traces that have been made.",
        "'$first_difference'(1, 1, D)",
        "false",
        first_difference_3,
    ),
    nondet(
        "$partner(+Trace1, ?Call1, +Trace2, ?Call2) is nondet",
        "As partner/4, of traces that have been made.",
        "'$partner'(1, 3, 1, C)",
        "C = 3",
        partner,
    ),
    nondet(
        "$unpartnered(+Trace1, ?Call, +Trace2) is nondet",
        "Call is a call of one trace that has no partner in another.",
        "'$unpartnered'(1, C, 1)",
        "false",
        unpartnered,
    ),
];

fn named_trace(world: &mut World, args: &[Cell]) -> Solutions {
    let [number, file] = [args[0], args[1]];
    if args.iter().all(|argument| is_var(&world.store, *argument)) {
        world.desk.traces.note_listing();
    }
    let paths: Vec<(usize, String)> = (0..world.desk.traces.len())
        .filter_map(|at| Some((at, world.desk.traces.path(at)?.display().to_string())))
        .collect();
    each(paths.into_iter(), move |world, (at, path)| {
        let place = world.store.int(at as i64 + 1);
        world.store.unify(number, place) && world.store.unify(file, Cell::atom(Atom::new(&path)))
    })
}

/// The index of a trace, given by its number or its name.
fn place(world: &mut World, cell: Cell) -> Result<usize, Stop> {
    let World { store, desk, .. } = world;
    let found = match store.look(cell) {
        Term::Var(_) => return Err(instantiation_error()),
        Term::Int(number) => {
            usize::try_from(number).ok().and_then(|number| number.checked_sub(1)).filter(|at| *at < desk.traces.len())
        }
        _ => atomic_text(store, cell).and_then(|name| desk.traces.find(&name)),
    };
    let store = &world.store;
    found.ok_or_else(|| {
        let message = match world.desk.traces.len() {
            0 => "no trace is open".to_string(),
            1 if world.desk.traces.derived_names().is_empty() => {
                "only one trace was named, which is number 1".to_string()
            }
            n => format!("{}; there are those from 1 to {n}: {}", unknown(world, cell), names(world)),
        };
        with_message(existence_error(store, "trace", cell), &message)
    })
}

fn derived_number(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let at = place(world, args[0]).ok().filter(|at| world.desk.traces.derived_name(*at).is_some());
    let Some(at) = at else {
        let error = existence_error(&world.store, "trace", args[0]);
        return Err(with_message(error, &no_derived(world, args[0])));
    };
    let number = world.store.int(at as i64 + 1);
    Ok(world.store.unify(args[1], number))
}

/// The message for a name that no derived trace has.
fn no_derived(world: &World, cell: Cell) -> String {
    let name = atomic_text(&world.store, cell).unwrap_or_default();
    let known: Vec<String> = world.desk.traces.derived_names().iter().map(|name| format!("`{name}`")).collect();
    match known.is_empty() {
        true => format!("no script declares the derived trace `{name}`, or any other"),
        false => format!("no script declares the derived trace `{name}`; declared: {}", known.join(", ")),
    }
}

/// The message for a number or name that no trace has, or that several have.
fn unknown(world: &World, cell: Cell) -> String {
    match atomic_text(&world.store, cell) {
        Some(text) if matches!(world.store.look(cell), Term::Int(_)) => format!("there is no trace number {text}"),
        Some(text) => format!("`{text}` is the name of no trace, or of several"),
        None => "expected the number or the name of a trace".to_string(),
    }
}

/// The files of the first traces, and the names of derived traces.
fn names(world: &World) -> String {
    const MOST: usize = 10;
    let traces = &world.desk.traces;
    let paths = (0..traces.len()).filter_map(|at| traces.path(at)).map(|path| path.display().to_string());
    let derived = traces.derived_names().into_iter().map(|name| name.to_string());
    let mut names: Vec<String> = paths.chain(derived).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST {
        names.truncate(MOST);
        names.push("...".to_string());
    }
    names.join(", ")
}

fn unreadable(world: &World, at: usize, why: &str) -> Stop {
    let number = Cell::small_int(at as i64 + 1);
    with_message(existence_error(&world.store, "trace", number), why)
}

/// A trace by number or name.
fn named(world: &mut World, cell: Cell) -> Result<Arc<Trace>, Stop> {
    let at = place(world, cell)?;
    world.desk.traces.trace(at).map_err(|why| unreadable(world, at, &why))
}

fn trace_number(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let at = place(world, args[0])?;
    let number = world.store.int(at as i64 + 1);
    Ok(world.store.unify(args[1], number))
}

fn trace_now(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    trace(world)?;
    let (number, cursor) = (world.desk.traces.current() as i64 + 1, i64::from(world.desk.cursor()));
    let [number, cursor] = [number, cursor].map(|value| world.store.int(value));
    Ok(world.store.unify(args[0], number) && world.store.unify(args[1], cursor))
}

fn trace_go(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let at = place(world, args[0])?;
    let cursor = count(&world.store, args[1])? as u32;
    world.go_to_trace(at, cursor).map_err(|why| unreadable(world, at, &why))?;
    Ok(true)
}

fn trace_kept(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let at = count(&world.store, args[0])?.saturating_sub(1);
    let cursor = i64::from(world.kept_cursor(at));
    let cursor = world.store.int(cursor);
    Ok(world.store.unify(args[1], cursor))
}

fn trace_keep(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let at = count(&world.store, args[0])?.saturating_sub(1);
    let cursor = count(&world.store, args[1])? as u32;
    world.keep_cursor(at, cursor);
    Ok(true)
}

fn first_difference_3(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (one, other) = (named(world, args[0])?, named(world, args[1])?);
    let Some(found) = first_difference(&one, &other, &[]) else { return Ok(false) };
    let values = differing(world, &one, &other, &found);
    let [first, second] = [(&one, found.one), (&other, found.other)].map(|(trace, event)| chrono(world, trace, event));
    let difference = world.store.compound(Atom::new("difference"), &[first, second, values]);
    Ok(world.store.unify(args[2], difference))
}

fn chrono(world: &mut World, trace: &Trace, event: Option<EventId>) -> Cell {
    match event {
        Some(event) => world.store.int(trace.chrono(event)),
        None => Cell::atom(Atom::new("end")),
    }
}

/// `Attribute = Value1 - Value2` for the attributes that differ.
fn differing(world: &mut World, one: &Trace, other: &Trace, found: &Difference) -> Cell {
    let (Some(first), Some(second)) = (found.one, found.other) else { return Cell::NIL };
    let store = &mut world.store;
    let mut items = Vec::new();
    for attribute in &found.attributes {
        let mut value = |trace, event, id: AttributeId| {
            attributes::attribute_value(store, trace, event, id).unwrap_or(Cell::atom(atoms::MINUS))
        };
        let both = [value(one, first, *attribute), value(other, second, *attribute)];
        let both = store.compound(atoms::MINUS, &both);
        let name = Cell::atom(Atom::new(&one.schema().get(*attribute).name));
        items.push(store.compound(atoms::EQUALS, &[name, both]));
    }
    store.list(&items)
}

/// Two traces, with the partners of the calls of one in the other.
struct TracePair {
    one: Arc<Trace>,
    other: Arc<Trace>,
    partners: Vec<Option<CallId>>,
}

fn pair(world: &mut World, first: Cell, second: Cell) -> Result<TracePair, Stop> {
    let (one, other) = (named(world, first)?, named(world, second)?);
    let places = (place(world, first)?, place(world, second)?);
    let aligned = world.desk.traces.alignment(places.0.min(places.1), places.0.max(places.1));
    let aligned = aligned.map_err(|why| unreadable(world, places.0, &why))?;
    let partners = if places.0 <= places.1 { &aligned.of_one } else { &aligned.of_other };
    Ok(TracePair { one, other, partners: partners.clone() })
}

fn partner(world: &mut World, args: &[Cell]) -> Solutions {
    let [call, partner] = [args[1], args[3]];
    let (first, second) = (optional_integer(&world.store, call)?, optional_integer(&world.store, partner)?);
    if first.is_none() && second.is_some() {
        return partner_of(world, args[2], partner, args[0], call);
    }
    partner_of(world, args[0], call, args[2], partner)
}

/// The partners of the calls of the first trace that unify.
fn partner_of(world: &mut World, first: Cell, call: Cell, second: Cell, partner: Cell) -> Solutions {
    let TracePair { one, other, partners } = pair(world, first, second)?;
    let unify = move |world: &mut World, (found, mate): (CallId, CallId)| {
        let [found, mate] = [one.call_number(found), other.call_number(mate)].map(|number| world.store.int(number));
        world.store.unify(call, found) && world.store.unify(partner, mate)
    };
    if !is_var(&world.store, call) {
        let Some(known) = known(world, first, call)? else { return Ok(None) };
        return at_most_one(partners[known.index()].is_some_and(|mate| unify(world, (known, mate))));
    }
    let trace = named(world, first)?;
    let pairs = trace.calls().filter_map(move |found| Some((found, partners[found.index()]?)));
    each(pairs, unify)
}

/// The call of a trace with the given number.
fn known(world: &mut World, trace: Cell, call: Cell) -> Result<Option<CallId>, Stop> {
    let number = optional_integer(&world.store, call)?;
    let trace = named(world, trace)?;
    Ok(number.and_then(|number| trace.find_call(number)))
}

fn unpartnered(world: &mut World, args: &[Cell]) -> Solutions {
    let TracePair { one, partners, .. } = pair(world, args[0], args[2])?;
    let call = args[1];
    if !is_var(&world.store, call) {
        let known = known(world, args[0], call)?;
        return at_most_one(known.is_some_and(|known| partners[known.index()].is_none()));
    }
    let alone = one.calls().filter(move |found| partners[found.index()].is_none());
    each(alone, move |world, found| {
        let number = world.store.int(one.call_number(found));
        world.store.unify(call, number)
    })
}
