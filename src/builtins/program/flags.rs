//! Prolog flags.

use crate::builtins::arguments::{atom, is_var};
use crate::builtins::record::{det, each, iso, nondet};
use crate::engine::error::{domain_error, instantiation_error, permission_error, type_error};
use crate::engine::flags::CHANGEABLE;
use crate::engine::{Builtin, Cell, OccursCheck, Solutions, Stop, Store, Term, World};
use crate::term::{Atom, atoms};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    iso(det(
        "set_prolog_flag(+Flag, +Value) is det",
        "Gives a flag a value.",
        "set_prolog_flag(double_quotes, codes)",
        "true",
        set_prolog_flag,
    )),
    iso(nondet(
        "current_prolog_flag(?Flag, ?Value) is nondet",
        "The flags and their values.",
        "current_prolog_flag(bounded, V)",
        "V = false",
        current_prolog_flag,
    )),
];

/// The value of a flag that never changes.
#[derive(Clone, Copy)]
enum Fixed {
    Name(&'static str),
    Int(i64),
}

/// The flags that never change.
const FIXED: &[(&str, Fixed)] = &[
    ("bounded", Fixed::Name("false")),
    ("integer_rounding_function", Fixed::Name("toward_zero")),
    ("max_arity", Fixed::Name("unbounded")),
    ("max_procedure_arity", Fixed::Int(240)),
    ("max_tagged_integer", Fixed::Int(Cell::MAX_INT)),
    ("min_tagged_integer", Fixed::Int(Cell::MIN_INT)),
    ("dialect", Fixed::Name("papaver")),
];

fn set_prolog_flag(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &mut world.store;
    if is_var(store, args[1]) {
        return Err(instantiation_error());
    }
    let name = atom(store, args[0])?;
    let Some((_, allowed)) = CHANGEABLE.iter().find(|(flag, _)| *flag == name.as_str()) else {
        let is_fixed = FIXED.iter().any(|(flag, _)| *flag == name.as_str());
        return Err(if is_fixed {
            permission_error(store, "modify", "flag", args[0])
        } else {
            domain_error(store, "prolog_flag", args[0])
        });
    };
    let value = match store.look(args[1]) {
        Term::Atom(value) if allowed.contains(&value.as_str()) => value,
        _ => return Err(flag_value_error(store, args)),
    };
    if name.as_str() == "occurs_check" {
        store.occurs_check = match value.as_str() {
            "true" => OccursCheck::On,
            "error" => OccursCheck::Error,
            _ => OccursCheck::Off,
        };
    }
    world.flags.change(name, value);
    Ok(true)
}

/// `domain_error(flag_value, Flag+Value)`.
fn flag_value_error(store: &mut Store, args: &[Cell]) -> Stop {
    let culprit = store.compound(atoms::PLUS, &[args[0], args[1]]);
    domain_error(store, "flag_value", culprit)
}

fn current_prolog_flag(world: &mut World, args: &[Cell]) -> Solutions {
    let (flag, value) = (args[0], args[1]);
    if !is_var(&world.store, flag) && !matches!(world.store.look(flag), Term::Atom(_)) {
        return Err(type_error(&world.store, "atom", flag));
    }
    let changeable = world.flags.iter().map(|(name, value)| (name, Fixed::Name(value.as_str())));
    let fixed = FIXED.iter().map(|&(name, value)| (Atom::new(name), value));
    let wanted = match world.store.look(flag) {
        Term::Atom(name) => Some(name),
        _ => None,
    };
    let all: Vec<_> = changeable.chain(fixed).filter(|(name, _)| wanted.is_none_or(|wanted| wanted == *name)).collect();
    each(all.into_iter(), move |world, (name, present)| {
        let present = match present {
            Fixed::Name(name) => Cell::atom(Atom::new(name)),
            Fixed::Int(value) => world.store.int(value),
        };
        world.store.unify(flag, Cell::atom(name)) && world.store.unify(value, present)
    })
}
