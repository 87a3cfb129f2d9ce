//! The answers that `findall/3` and the aggregates of the library keep across backtracking.

use std::cmp::Ordering;

use crate::builtins::arguments::{integer, small_integer};
use crate::builtins::record::{det, with};
use crate::engine::arith::{self, Function};
use crate::engine::{Builtin, Cell, Effect, Stop, World};

/// The predicates of this family.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "$collect_open(-Number) is det",
        "Opens a collection of answers.",
        "'$collect_open'(N), '$collect_close'(N, L, [])",
        "N = 0, L = []",
        collect_open,
    ),
    with(
        Effect::Watches,
        det(
            "$collect_add(+Number, +Term) is det",
            "Adds a copy of a term to a collection.",
            "'$collect_open'(N), '$collect_add'(N, a), '$collect_close'(N, L, [])",
            "N = 0, L = [a]",
            collect_add,
        ),
    ),
    det(
        "$collect_close(+Number, -List, ?Tail) is det",
        "Ends a collection; its answers in order, before Tail.",
        "'$collect_open'(N), '$collect_close'(N, L, [x])",
        "N = 0, L = [x]",
        collect_close,
    ),
    det(
        "$collect_sum(+Number, +Expression) is det",
        "Adds a value to what a collection adds up to.",
        "'$collect_open'(N), '$collect_sum'(N, 1 + 1), '$collect_total'(N, Sum)",
        "N = 0, Sum = 2",
        collect_sum,
    ),
    det(
        "$collect_total(+Number, -Sum) is det",
        "Ends a collection and gives what it adds up to, 0 if nothing was added.",
        "'$collect_open'(N), '$collect_total'(N, Sum)",
        "N = 0, Sum = 0",
        collect_total,
    ),
    det(
        "$collect_least(+Number, +Expression, +Witness) is det",
        "Keeps a value with a copy of Witness in a collection if it is less than the one there.",
        "'$collect_open'(N), '$collect_least'(N, 2, a), '$collect_least'(N, 2, b), '$collect_best'(N, V, W)",
        "N = 0, V = 2, W = a",
        collect_least,
    ),
    det(
        "$collect_most(+Number, +Expression, +Witness) is det",
        "Keeps a value with a copy of Witness in a collection if it is greater than the one there.",
        "'$collect_open'(N), '$collect_most'(N, 2, a), '$collect_most'(N, 3, b), '$collect_best'(N, V, W)",
        "N = 0, V = 3, W = b",
        collect_most,
    ),
    det(
        "$collect_best(+Number, -Value, -Witness) is semidet",
        "Ends a collection and gives the value kept in it and its witness; fails if there is none.",
        "'$collect_open'(N), '$collect_best'(N, _, _)",
        "false",
        collect_best,
    ),
    det(
        "$state_add(+State, +Expression) is det",
        "Adds to a state that is a number.",
        "'$state_new'(S, 1), '$state_add'(S, 2), '$state_get'(S, V), '$state_free'(S), V \\== 3",
        "false",
        state_add,
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
    with(
        Effect::Watches,
        det(
            "$state_set(+State, +Term) is det",
            "Changes a state.",
            "'$state_new'(S, 1), '$state_set'(S, 2), '$state_get'(S, V), '$state_free'(S), V \\== 2",
            "false",
            state_set,
        ),
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
    world.check_room(world.collectors.bytes())?;
    let list = world.collectors.close(&mut world.store, number, args[2]);
    Ok(world.store.unify(args[1], list))
}

fn collect_sum(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let value = arith::evaluate(&world.store, args[1])?;
    let number = collector(world, args[0])?;
    world.collectors.add_up(number, &value)?;
    Ok(true)
}

fn collect_total(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let number = collector(world, args[0])?;
    let total = match world.collectors.close_number(&mut world.store, number) {
        Some((total, _)) => total.into_cell(&mut world.store),
        None => world.store.int(0),
    };
    Ok(world.store.unify(args[1], total))
}

fn collect_least(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    collect_extreme(world, args, Ordering::Less)
}

fn collect_most(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    collect_extreme(world, args, Ordering::Greater)
}

fn collect_extreme(world: &mut World, args: &[Cell], wanted: Ordering) -> Result<bool, Stop> {
    let value = arith::evaluate(&world.store, args[1])?;
    let number = collector(world, args[0])?;
    world.collectors.add_best(&mut world.store, number, wanted, value, args[2]);
    Ok(true)
}

fn collect_best(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let number = collector(world, args[0])?;
    let Some((value, witness)) = world.collectors.close_number(&mut world.store, number) else { return Ok(false) };
    let value = value.into_cell(&mut world.store);
    Ok(world.store.unify(args[1], value) && world.store.unify(args[2], witness))
}

fn state_add(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let value = arith::evaluate(&world.store, args[1])?;
    let state = small_integer(&world.store, args[0])?;
    let Some(before) = world.collectors.state(&mut world.store, state) else { return Ok(false) };
    let sum = Function::Add.apply2(&arith::evaluate(&world.store, before)?, &value)?.into_cell(&mut world.store);
    world.collectors.set_state(&mut world.store, state, sum).map(|()| true)
}

fn collector(world: &World, cell: Cell) -> Result<usize, Stop> {
    integer(&world.store, cell)?;
    Ok(usize::try_from(small_integer(&world.store, cell)?).unwrap_or(usize::MAX - 1))
}

fn state_new(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let state = world.collectors.new_state(&mut world.store, args[1])?;
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
    world.collectors.set_state(&mut world.store, state, args[1]).map(|()| true)
}

fn state_free(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let state = small_integer(&world.store, args[0])?;
    world.collectors.drop_state(state);
    Ok(true)
}
