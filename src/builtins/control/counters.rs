//! Mutable counters for monitors: a number for each key, not undone on backtracking.

use crate::builtins::arguments::small_integer;
use crate::builtins::record::det;
use crate::builtins::terms::order::{ascending, sort_by_key};
use crate::engine::{Builtin, Cell, Stop, World};
use crate::term::atoms;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "tick(+Counter, +Key) is det",
        "Adds 1 to the count of a ground key.",
        "clear_ticks(c), tick(c, exit), ticks(c, P)",
        "P = [exit-1]",
        tick,
    ),
    det(
        "tick(+Counter, +Key, +N) is det",
        "Adds N to the count of a ground key.",
        "clear_ticks(c), tick(c, a, 2), tick(c, a, 3), ticks(c, P)",
        "P = [a-5]",
        tick_by,
    ),
    det(
        "ticks(+Counter, -Pairs) is det",
        "The list of Key-Count of a counter, in the standard order of keys.",
        "clear_ticks(c), ticks(c, P)",
        "P = []",
        ticks,
    ),
    det("clear_ticks(+Counter) is det", "Forgets all counts of a counter.", "clear_ticks(c)", "true", clear_ticks),
];

fn tick(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    world.counters.step(&world.store, args[0], args[1], 1).map(|_| true)
}

fn tick_by(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let n = small_integer(&world.store, args[2])?;
    world.counters.step(&world.store, args[0], args[1], n).map(|_| true)
}

fn ticks(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let counts = world.counters.counts(&mut world.store, args[0])?;
    let counts = sort_by_key(world, counts, ascending, |count| count.0)?;
    let store = &mut world.store;
    let pairs: Vec<Cell> = counts
        .into_iter()
        .map(|(key, n)| {
            let n = store.int(n);
            store.compound(atoms::MINUS, &[key, n])
        })
        .collect();
    let pairs = store.list(&pairs);
    Ok(store.unify(args[1], pairs))
}

fn clear_ticks(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    world.counters.clear(&world.store, args[0]).map(|()| true)
}
