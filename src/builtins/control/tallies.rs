//! The counts of the library's `distinct/2` and `tally/3` while they run.

use crate::builtins::arguments::integer;
use crate::builtins::record::{det, with};
use crate::builtins::terms::order::{ascending, sort_by_key};
use crate::engine::{Builtin, Cell, Effect, Stop, World};

/// The predicates of this family; an integer, the number of a state, identifies a tally.
pub(crate) const TABLE: &[Builtin] = &[
    with(
        Effect::Watches,
        det(
            "$tally_add(+Tally, +Key, -Count) is det",
            "Counts a key, variables apart, and gives how often it has been counted.",
            "'$tally_add'(-1, a, M), '$tally_add'(-1, a, N), '$tally_free'(-1)",
            "M = 1, N = 2",
            tally_add,
        ),
    ),
    det(
        "$tally_pairs(+Tally, -Pairs) is det",
        "Gives every key with its count, in the standard order of keys.",
        "'$tally_add'(-1, b, _), '$tally_add'(-1, a, _), '$tally_pairs'(-1, L), '$tally_free'(-1)",
        "L = [a-1, b-1]",
        tally_pairs,
    ),
    det("$tally_free(+Tally) is det", "Forgets a tally.", "'$tally_free'(-1)", "true", tally_free),
];

fn tally_add(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    integer(&world.store, args[0])?;
    let count = world.collectors.tallies.step(&world.store, args[0], args[1], 1)?;
    let count = world.store.int(count);
    Ok(world.store.unify(args[2], count))
}

fn tally_pairs(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    integer(&world.store, args[0])?;
    let counts = world.collectors.tallies.counts(&mut world.store, args[0])?;
    let counts = sort_by_key(world, counts, ascending, |count| count.0)?;
    let store = &mut world.store;
    let minus = crate::term::atoms::MINUS;
    let pairs: Vec<Cell> = counts
        .into_iter()
        .map(|(key, count)| {
            let count = store.int(count);
            store.compound(minus, &[key, count])
        })
        .collect();
    let pairs = store.list(&pairs);
    Ok(store.unify(args[1], pairs))
}

fn tally_free(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    integer(&world.store, args[0])?;
    world.collectors.tallies.remove(&world.store, args[0]);
    Ok(true)
}
