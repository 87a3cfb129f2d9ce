//! Global variables.

use crate::builtins::arguments::atom;
use crate::builtins::record::det;
use crate::engine::error::existence_error;
use crate::engine::{Builtin, Cell, Stop, World};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "nb_setval(+Name, +Value) is det",
        "Keeps a copy of Value under Name; backtracking does not undo it.",
        "nb_setval(n, 1), nb_getval(n, V)",
        "V = 1",
        nb_setval,
    ),
    det(
        "b_setval(+Name, +Value) is det",
        "Puts Value under Name until backtracking undoes it.",
        "b_setval(n, 1), b_getval(n, V)",
        "V = 1",
        b_setval,
    ),
    det(
        "nb_getval(+Name, -Value) is det",
        "The value under Name.",
        "nb_getval(unheard_of, V)",
        "error: existence_error(variable, unheard_of)",
        getval,
    ),
    det(
        "b_getval(+Name, -Value) is det",
        "The value under Name.",
        "b_setval(m, f(X)), b_getval(m, V)",
        "V = f(X)",
        getval,
    ),
    det("setval(+Name, +Value) is det", "As nb_setval/2.", "setval(n, a), getval(n, V)", "V = a", nb_setval),
    det("getval(+Name, -Value) is det", "As nb_getval/2.", "setval(n, b), getval(n, V)", "V = b", getval),
];

fn nb_setval(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let name = atom(&world.store, args[0])?;
    world.globals.keep(&mut world.store, name, args[1]).map(|()| true)
}

fn b_setval(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let name = atom(&world.store, args[0])?;
    world.globals.put(&mut world.store, name, args[1]);
    Ok(true)
}

fn getval(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let name = atom(&world.store, args[0])?;
    match world.globals.value(&mut world.store, name) {
        Some(value) => Ok(world.store.unify(args[1], value)),
        None => Err(existence_error(&world.store, "variable", args[0])),
    }
}
