//! What `findall/3` and the aggregates of the library keep across backtracking.

use super::arguments::{integer, small_integer};
use super::record::det;
use crate::engine::{Builtin, Cell, Stop, World};

/// The predicates of this family.
pub const TABLE: &[Builtin] = &[
    det(
        "$collect_open(-Number) is det",
        "Opens a collection of answers.",
        "'$collect_open'(N), '$collect_close'(N, L, [])",
        "N = 0, L = []",
        collect_open,
    ),
    det(
        "$collect_add(+Number, +Term) is det",
        "Adds a copy of a term to a collection.",
        "'$collect_open'(N), '$collect_add'(N, a), '$collect_close'(N, L, [])",
        "N = 0, L = [a]",
        collect_add,
    ),
    det(
        "$collect_close(+Number, -List, ?Tail) is det",
        "Ends a collection; its answers in order, before Tail.",
        "'$collect_open'(N), '$collect_close'(N, L, [x])",
        "N = 0, L = [x]",
        collect_close,
    ),
    det(
        "$state_new(-State, +Term) is det",
        "Makes a state that backtracking does not undo.",
        "'$state_new'(S, 1), '$state_get'(S, V), '$state_free'(S), V == 1, fail",
        "false",
        state_new,
    ),
    det(
        "$state_get(+State, -Term) is semidet",
        "Gives a copy of the present value of a state.",
        "'$state_new'(S, 1), '$state_get'(S, V), '$state_free'(S), V \\== 1",
        "false",
        state_get,
    ),
    det(
        "$state_set(+State, +Term) is det",
        "Changes a state.",
        "'$state_new'(S, 1), '$state_set'(S, 2), '$state_get'(S, V), '$state_free'(S), V \\== 2",
        "false",
        state_set,
    ),
    det(
        "$state_free(+State) is det",
        "Forgets a state.",
        "'$state_new'(S, 1), '$state_free'(S), '$state_get'(S, _)",
        "false",
        state_free,
    ),
];

fn collect_open(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let number = world.collectors.open();
    let number = world.store.int(number as i64);
    Ok(world.store.unify(args[0], number))
}

fn collect_add(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let number = collector(world, args[0])?;
    world.collectors.add(&mut world.store, number, args[1]);
    Ok(true)
}

fn collect_close(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let number = collector(world, args[0])?;
    let answers = world.collectors.close(number);
    let items: Vec<Cell> = answers.iter().map(|answer| world.store.thaw(answer)).collect();
    let list = world.store.list_with_tail(&items, args[2]);
    Ok(world.store.unify(args[1], list))
}

fn collector(world: &World, cell: Cell) -> Result<usize, Stop> {
    integer(&world.store, cell)?;
    Ok(usize::try_from(small_integer(&world.store, cell)?).unwrap_or(usize::MAX - 1))
}

fn state_new(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let state = world.collectors.new_state(&mut world.store, args[1]);
    let state = world.store.int(state);
    Ok(world.store.unify(args[0], state))
}

fn state_get(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let state = small_integer(&world.store, args[0])?;
    match world.collectors.state(&mut world.store, state) {
        Some(value) => Ok(world.store.unify(args[1], value)),
        None => Ok(false),
    }
}

fn state_set(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let state = small_integer(&world.store, args[0])?;
    world.collectors.set_state(&mut world.store, state, args[1]);
    Ok(true)
}

fn state_free(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let state = small_integer(&world.store, args[0])?;
    world.collectors.drop_state(state);
    Ok(true)
}
