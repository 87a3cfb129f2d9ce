//! Operators: `op/3` and `current_op/3`.

use crate::builtins::arguments::{atom, is_var, list, small_integer};
use crate::builtins::record::{det, each, iso, nondet};
use crate::engine::error::{domain_error, instantiation_error, permission_error, type_error};
use crate::engine::{Builtin, Cell, Solutions, Stop, Term, World};
use crate::term::ops::{OpKind, OpPlace};
use crate::term::{Atom, atoms};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    iso(det(
        "op(+Priority, +Type, +Names) is det",
        "Makes an atom, or each of a list, an operator; priority 0 takes it away.",
        "op(700, xfx, ===>)",
        "true",
        op,
    )),
    iso(nondet(
        "current_op(?Priority, ?Type, ?Name) is nondet",
        "The operators.",
        "current_op(P, xfx, is)",
        "P = 700",
        current_op,
    )),
];

fn op(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &world.store;
    if args.iter().any(|&arg| is_var(store, arg)) {
        return Err(instantiation_error());
    }
    let priority = small_integer(store, args[0])?;
    let kind = OpKind::from_name(atom(store, args[1])?.as_str())
        .ok_or_else(|| domain_error(store, "operator_specifier", args[1]))?;
    let priority = u16::try_from(priority)
        .ok()
        .filter(|priority| *priority <= 1200)
        .ok_or_else(|| domain_error(store, "operator_priority", args[0]))?;
    let names = names(world, args[2])?;
    for &name in &names {
        check(world, name, priority, kind)?;
    }
    for name in names {
        world.operators.add(priority, kind, name);
    }
    Ok(true)
}

/// One atom, or a list of them.
fn names(world: &World, names: Cell) -> Result<Vec<Atom>, Stop> {
    let store = &world.store;
    match store.look(names) {
        Term::Atom(name) if name != atoms::NIL => Ok(vec![name]),
        Term::Atom(_) => Ok(vec![atoms::NIL]),
        Term::Compound(_) => list(store, names)?.into_iter().map(|name| atom(store, name)).collect(),
        _ => Err(type_error(store, "list", names)),
    }
}

/// An error if an operator would make terms unreadable.
fn check(world: &World, name: Atom, priority: u16, kind: OpKind) -> Result<(), Stop> {
    let store = &world.store;
    let cell = Cell::atom(name);
    let infix = kind.place() == OpPlace::Infix;
    match name {
        atoms::COMMA => Err(permission_error(store, "modify", "operator", cell)),
        atoms::BAR if priority != 0 && !(infix && priority >= 1001) => {
            Err(permission_error(store, "create", "operator", cell))
        }
        atoms::NIL | atoms::CURLY => Err(permission_error(store, "create", "operator", cell)),
        _ if infix && priority != 0 && world.operators.postfix(name).is_some() => {
            Err(permission_error(store, "create", "operator", cell))
        }
        _ if kind.place() == OpPlace::Postfix && priority != 0 && world.operators.infix(name).is_some() => {
            Err(permission_error(store, "create", "operator", cell))
        }
        _ => Ok(()),
    }
}

fn current_op(world: &mut World, args: &[Cell]) -> Solutions {
    check_pattern(world, args)?;
    let (priority, kind, name) = (args[0], args[1], args[2]);
    let wanted = match world.store.look(name) {
        Term::Atom(name) => Some(name),
        _ => None,
    };
    let known: Vec<_> =
        world.operators.iter().filter(move |(name, _)| wanted.is_none_or(|wanted| wanted == *name)).collect();
    each(known.into_iter(), move |world, (atom, op)| {
        let number = world.store.int(i64::from(op.priority));
        world.store.unify(priority, number)
            && world.store.unify(kind, Cell::atom(Atom::new(op.kind.name())))
            && world.store.unify(name, Cell::atom(atom))
    })
}

fn check_pattern(world: &World, args: &[Cell]) -> Result<(), Stop> {
    let store = &world.store;
    match store.look(args[0]) {
        Term::Var(_) | Term::Int(0..=1200) => {}
        Term::Int(_) | Term::BigInt(_) => return Err(domain_error(store, "operator_priority", args[0])),
        _ => return Err(type_error(store, "integer", args[0])),
    }
    match store.look(args[1]) {
        Term::Var(_) => {}
        Term::Atom(name) if OpKind::from_name(name.as_str()).is_some() => {}
        Term::Atom(_) => return Err(domain_error(store, "operator_specifier", args[1])),
        _ => return Err(type_error(store, "atom", args[1])),
    }
    match store.look(args[2]) {
        Term::Var(_) | Term::Atom(_) => Ok(()),
        _ => Err(type_error(store, "atom", args[2])),
    }
}
