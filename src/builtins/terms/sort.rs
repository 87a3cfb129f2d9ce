//! Sorting by the standard order of terms.

use std::cmp::Ordering;

use crate::builtins::arguments::{integer, list, list_or_partial, small_integer};
use crate::builtins::record::{det, iso, pure};
use crate::engine::error::{domain_error, existence_error_in, instantiation_error, type_error};
use crate::engine::{Builtin, Cell, ListEnd, Stop, Store, Term, World};
use crate::term::atoms;

use super::order::{SortDirection, ascending, compare_values, dedup_by_key, sort_by_key, sort_by_value};

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([
    det(
        "msort(+List, -Sorted) is det",
        "The elements in standard order, equal ones kept.",
        "msort([b, a, b], L)",
        "L = [a, b, b]",
        msort,
    ),
    iso(det(
        "sort(+List, -Sorted) is det",
        "The elements in standard order, without duplicates.",
        "sort([b, a, b], L)",
        "L = [a, b]",
        sort,
    )),
    det(
        "sort(+Key, +Order, +List, -Sorted) is det",
        "Sorts by argument Key (0: the element) in the order @< or @> (duplicates go) or @=< or @>=.",
        "sort(0, @>=, [1, 3, 2, 3], L)",
        "L = [3, 3, 2, 1]",
        sort_4,
    ),
    det(
        "$sort_values(+Key, +Order, +List, -Sorted) is det",
        "As sort/4, but numbers are in the order of their values whatever their kinds.",
        "'$sort_values'(0, @=<, [1, 0.5, 3], L)",
        "L = [0.5, 1, 3]",
        sort_values,
    ),
    det(
        "$less_in_value(+X, +Y) is semidet",
        "X comes before Y in the standard order, with numbers in the order of their values.",
        "'$less_in_value'(1, 1.5)",
        "true",
        |world, args| Ok(compare_values(&world.store, args[0], args[1]).is_lt()),
    ),
    iso(det(
        "keysort(+Pairs, -Sorted) is det",
        "Sorts pairs Key-Value by key; equal keys keep their order.",
        "keysort([b-1, a-2], L)",
        "L = [a-2, b-1]",
        keysort,
    )),
]);

/// The elements of a proper list, dereferenced, so that comparisons need not follow bindings.
fn elements(store: &Store, cell: Cell) -> Result<Vec<Cell>, Stop> {
    let mut items = list(store, cell)?;
    items.iter_mut().for_each(|item| *item = store.deref(*item));
    Ok(items)
}

fn msort(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let items = elements(&world.store, args[0])?;
    let items = sort_by_key(world, items, ascending, |&item| item)?;
    sorted(&mut world.store, &items, args[1])
}

fn sort(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let items = elements(&world.store, args[0])?;
    list_or_partial(&world.store, args[1])?;
    let items = sort_by_key(world, items, ascending, |&item| item)?;
    let items = dedup_by_key(world, items, |&item| item)?;
    sorted(&mut world.store, &items, args[1])
}

fn sorted(store: &mut Store, items: &[Cell], target: Cell) -> Result<bool, Stop> {
    let items = store.list(items);
    Ok(store.unify(target, items))
}

fn keysort(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let store = &world.store;
    let mut pairs = Vec::new();
    for item in list(store, args[0])? {
        pairs.push((store.deref(pair_key(store, item)?), item));
    }
    check_pairs(store, args[1])?;
    let pairs = sort_by_key(world, pairs, ascending, |pair| pair.0)?;
    let items: Vec<Cell> = pairs.into_iter().map(|(_, item)| item).collect();
    sorted(&mut world.store, &items, args[1])
}

fn pair_key(store: &Store, item: Cell) -> Result<Cell, Stop> {
    match store.look(item) {
        Term::Compound(pair) if pair.name == atoms::MINUS && pair.arity == 2 => Ok(store.arg(pair, 0)),
        Term::Var(_) => Err(instantiation_error()),
        _ => Err(type_error(store, "pair", item)),
    }
}

/// An error if a term cannot be a list of pairs.
fn check_pairs(store: &Store, cell: Cell) -> Result<(), Stop> {
    let walk = store.walk_list(cell);
    if let ListEnd::Improper(_) | ListEnd::Cyclic = walk.end {
        return Err(type_error(store, "list", cell));
    }
    let mut known = walk.items.into_iter().filter(|&item| !matches!(store.look(item), Term::Var(_)));
    known.try_for_each(|item| pair_key(store, item).map(drop))
}

fn sort_4(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    sort_in_order(world, args, NumberOrder::Standard)
}

fn sort_values(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    sort_in_order(world, args, NumberOrder::OfValues)
}

/// How numbers of different kinds are ordered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberOrder {
    /// Floats before integers.
    Standard,
    OfValues,
}

fn sort_in_order(world: &mut World, args: &[Cell], numbers: NumberOrder) -> Result<bool, Stop> {
    let store = &world.store;
    let path = key_path(store, args[0])?;
    let (direction, duplicates) = direction(store, args[1])?;
    let mut keyed = Vec::new();
    for item in list(store, args[2])? {
        keyed.push((store.deref(key(store, &path, item)?), item));
    }
    let mut keyed = match numbers {
        NumberOrder::Standard => sort_by_key(world, keyed, direction, |item| item.0)?,
        NumberOrder::OfValues => sort_by_value(world, keyed, direction, |item| item.0)?,
    };
    if duplicates == Duplicates::Go {
        keyed = dedup_by_key(world, keyed, |item| item.0)?;
    }
    let items: Vec<Cell> = keyed.into_iter().map(|(_, item)| item).collect();
    sorted(&mut world.store, &items, args[3])
}

/// Whether sort/4 keeps elements with equal keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Duplicates {
    Go,
    Stay,
}

fn direction(store: &Store, order: Cell) -> Result<(SortDirection, Duplicates), Stop> {
    let name = match store.look(order) {
        Term::Atom(name) => name,
        Term::Var(_) => return Err(instantiation_error()),
        _ => return Err(type_error(store, "atom", order)),
    };
    match name.as_str() {
        "@<" => Ok((|order| order, Duplicates::Go)),
        "@=<" => Ok((|order| order, Duplicates::Stay)),
        "@>" => Ok((Ordering::reverse, Duplicates::Go)),
        "@>=" => Ok((Ordering::reverse, Duplicates::Stay)),
        _ => Err(domain_error(store, "order", order)),
    }
}

/// The argument numbers that lead to the key: none for 0, several for a list.
fn key_path(store: &Store, key: Cell) -> Result<Vec<usize>, Stop> {
    if let Term::Compound(_) = store.look(key) {
        return list(store, key)?.into_iter().map(|step| argument_number(store, step)).collect();
    }
    integer(store, key)?;
    let number = argument_number(store, key)?;
    Ok(if number == 0 { Vec::new() } else { vec![number] })
}

fn argument_number(store: &Store, cell: Cell) -> Result<usize, Stop> {
    let number = small_integer(store, cell)?;
    usize::try_from(number).map_err(|_| domain_error(store, "not_less_than_zero", cell))
}

fn key(store: &Store, path: &[usize], item: Cell) -> Result<Cell, Stop> {
    let mut key = item;
    for &number in path {
        key = match store.look(key) {
            Term::Compound(compound) if (1..=compound.arity).contains(&number) => store.arg(compound, number - 1),
            Term::Compound(_) => return Err(existence_error_in(store, "argument", number as i64, key)),
            Term::Var(_) => return Err(instantiation_error()),
            _ => return Err(type_error(store, "compound", key)),
        };
    }
    Ok(key)
}
