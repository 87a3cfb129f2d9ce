//! The declaration of tabled predicates. Their evaluation belongs to the machine.

use std::rc::Rc;

use crate::builtins::record::det;
use crate::engine::{Builtin, Cell, Protection, Stop, TableMode, Term, World};

use super::clause_search::indicator;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[det(
    "$table_declare(+Indicator, +Modes) is det",
    "Makes a predicate tabled; without modes, all its arguments tell answers apart.",
    "'$table_declare'(tabled_example/1, []), dynamic(tabled_example/1), tabled_example(_)",
    "false",
    table_declare,
)];

fn table_declare(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (name, arity) = indicator(world, args[0])?;
    let pred = world.database.pred_id(world.namespace(), name, arity);
    if world.database.pred(pred).protection == Protection::Iso {
        return Err(world.may_not("modify", "static_procedure", pred));
    }
    let mut modes: Vec<TableMode> = Vec::new();
    for mode in world.store.walk_list(args[1]).items {
        modes.push(mode_of(world, mode));
    }
    world.store.check_walks()?;
    modes.resize(arity, TableMode::Index);
    world.declare_tabled(pred, modes);
    Ok(true)
}

fn mode_of(world: &mut World, mode: Cell) -> TableMode {
    let name = match world.store.look(mode) {
        Term::Atom(name) => name,
        _ => return TableMode::Goal(Rc::new(world.store.freeze(mode))),
    };
    match name.as_str() {
        "min" => TableMode::Min,
        "max" => TableMode::Max,
        "first" => TableMode::First,
        "last" => TableMode::Last,
        "sum" => TableMode::Sum,
        _ => TableMode::Index,
    }
}
