//! Predicates on attributed variables; the library builds on them in `coroutining.pl`.

use crate::builtins::arguments::{atom, is_var};
use crate::builtins::record::det;
use crate::engine::error::uninstantiation_error;
use crate::engine::{Builtin, Cell, Stop, Store, Term, World};
use crate::term::{Atom, atoms};

/// The predicates of this family.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "attvar(@Term) is semidet",
        "Whether the term is a variable that carries attributes.",
        "attvar(_)",
        "false",
        attvar,
    ),
    det(
        "get_attr(@Variable, +Name, -Value) is semidet",
        "What a variable carries under a name; fails if it carries nothing there, or is not a variable.",
        "put_attr(X, colour, red), get_attr(X, colour, C)",
        "C = red",
        get_attr,
    ),
    det(
        "$with_attribute(@Variable, +Name, +Value, -Attributes) is det",
        "What a variable carries when it has another value under a name.",
        "'$with_attribute'(_, colour, red, A)",
        "A = att(colour, red, [])",
        with_attribute,
    ),
    det(
        "get_attrs(@Variable, -Attributes) is semidet",
        "All that a variable carries, as `att(Name, Value, Others)` or `[]`; fails for any other variable or term.",
        "put_attr(X, colour, red), get_attrs(X, A)",
        "A = att(colour, red, [])",
        get_attrs,
    ),
    det(
        "term_attvars(@Term, -Variables) is det",
        "The variables with attributes that occur in a term or in such an attribute, in order.",
        "put_attr(X, colour, red), term_attvars(f(_, X), [_])",
        "true",
        term_attvars,
    ),
    det(
        "copy_term_nat(@Term, -Copy) is det",
        "A copy of a term with fresh variables that carry no attributes.",
        "put_attr(X, colour, red), copy_term_nat(X, C), attvar(C)",
        "false",
        copy_term_nat,
    ),
    det(
        "unifiable(@X, @Y, -Unifier) is semidet",
        "What has to be bound to make two terms equal, as a list of `Variable = Value`, the last first; nothing is bound.",
        "unifiable(f(X, Y), f(1, 2), U)",
        "U = [Y=2, X=1]",
        unifiable,
    ),
];

fn attvar(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &world.store;
    Ok(store.is_attributed(args[0]) && store.deref(store.attributes(args[0])) != Cell::NIL)
}

/// The names and values that a variable carries.
fn carried(store: &Store, variable: Cell) -> Vec<(Cell, Cell)> {
    let mut carried = Vec::new();
    let mut rest = store.attributes(variable);
    while let Term::Compound(compound) = store.look(rest)
        && let &[name, value, others] = store.args(compound)
    {
        carried.push((store.deref(name), value));
        rest = others;
    }
    carried
}

fn get_attr(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &mut world.store;
    let name = Cell::atom(atom(store, args[1])?);
    let found = carried(store, args[0]).into_iter().find(|carried| carried.0 == name);
    Ok(found.is_some_and(|(_, value)| store.unify(args[2], value)))
}

fn with_attribute(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &mut world.store;
    if !is_var(store, args[0]) {
        return Err(uninstantiation_error(store, args[0]));
    }
    let name = Cell::atom(atom(store, args[1])?);
    let mut carried = carried(store, args[0]);
    match carried.iter_mut().find(|carried| carried.0 == name) {
        Some(known) => known.1 = args[2],
        None => carried.push((name, args[2])),
    }
    let functor = Atom::new("att");
    let attributes = carried
        .into_iter()
        .rev()
        .fold(Cell::NIL, |others, (name, value)| store.compound(functor, &[name, value, others]));
    Ok(store.unify(args[3], attributes))
}

fn get_attrs(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &mut world.store;
    if !store.is_attributed(args[0]) {
        return Ok(false);
    }
    let attributes = store.attributes(args[0]);
    Ok(store.unify(args[1], attributes))
}

fn term_attvars(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let variables = world.store.attributed_in(args[0]);
    let list = world.store.list(&variables);
    Ok(world.store.unify(args[1], list))
}

fn copy_term_nat(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let copy = world.store.copy(args[0]);
    Ok(world.store.unify(args[1], copy))
}

fn unifiable(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &mut world.store;
    let Some(bindings) = store.bindings_to_unify(args[0], args[1]) else { return Ok(false) };
    let pairs: Vec<Cell> = bindings.iter().rev().map(|&(a, b)| store.compound(atoms::EQUALS, &[a, b])).collect();
    let unifier = store.list(&pairs);
    Ok(store.unify(args[2], unifier))
}
