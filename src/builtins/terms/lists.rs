//! List predicates that are much faster in Rust: length, membership, numbers, sums and extremes.

use crate::builtins::arguments::{MAX_ELEMENTS, check_list, is_var, list, small_integer};
use crate::builtins::record::{at_most_one, computes, det, each, nondet, pure, where_attributed};
use crate::engine::arith::{self, Function, Number, evaluate};
use crate::engine::error::{domain_error, type_error};
use crate::engine::{Builtin, Cell, Computation, ListEnd, Solutions, Stop, Store, Term, World};
use crate::term::atoms;

use super::order::{ascending, dedup_by_key, sort_by_key};

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([
    nondet(
        "length(?List, ?Length) is nondet",
        "The number of elements of a list; longer and longer lists if neither is known.",
        "length(L, 2)",
        "L = [_, _]",
        length,
    ),
    computes(
        Computation::HasElement,
        where_attributed(
            "$first_member",
            det(
                "memberchk(?X, ?List) is semidet",
                "X is an element of List: the first one that unifies, and no other.",
                "memberchk(b-V, [a-1, b-2])",
                "V = 2",
                memberchk,
            ),
        ),
    ),
    det(
        "numlist(+Low, +High, -List) is semidet",
        "The list of the integers from Low to High.",
        "numlist(1, 3, L)",
        "L = [1, 2, 3]",
        numlist,
    ),
    det("sum_list(+List, -Sum) is det", "The sum of a list of numbers.", "sum_list([1, 2, 3], S)", "S = 6", sum_list),
    det("sumlist(+List, -Sum) is det", "As sum_list/2.", "sumlist([], S)", "S = 0", sum_list),
    det(
        "max_list(+List, -Max) is semidet",
        "The greatest of a list of numbers; fails for `[]`.",
        "max_list([1, 3, 2], M)",
        "M = 3",
        max_list,
    ),
    det(
        "min_list(+List, -Min) is semidet",
        "The least of a list of numbers; fails for `[]`.",
        "min_list([3, 1, 2], M)",
        "M = 1",
        min_list,
    ),
    det(
        "list_to_set(+List, -Set) is det",
        "The elements without those that are identical to an earlier one.",
        "list_to_set([b, a, b], S)",
        "S = [b, a]",
        list_to_set,
    ),
]);

fn length(world: &mut World, args: &[Cell]) -> Solutions {
    let store = &mut world.store;
    let (whole, n) = (args[0], args[1]);
    let wanted = if is_var(store, n) { None } else { Some(small_integer(store, n)?) };
    let walk = store.walk_list(whole);
    let known = walk.items.len();
    let tail = match walk.end {
        ListEnd::Nil => {
            let known = store.int(known as i64);
            return at_most_one(store.unify(n, known));
        }
        ListEnd::Partial(tail) => tail,
        ListEnd::Improper(_) | ListEnd::Cyclic => return Err(type_error(store, "list", whole)),
    };
    match wanted {
        Some(wanted) if wanted < 0 => Err(domain_error(store, "not_less_than_zero", n)),
        Some(wanted) => at_most_one(wanted >= known as i64 && extend(world, tail, wanted as usize - known)?),
        // No integer is a list.
        None if store.deref(n) == tail => Ok(None),
        None => each(0..MAX_ELEMENTS, move |world, more| {
            let n_known = world.store.int((known + more) as i64);
            extend(world, tail, more).unwrap_or(false) && world.store.unify(n, n_known)
        }),
    }
}

/// In the language:
///
/// ```prolog
/// memberchk(X, [First|Rest]) :- ( X = First -> true ; memberchk(X, Rest) ).
/// ```
fn memberchk(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(has_element(&mut world.store, args[0], args[1]))
}

/// Unifies a term with the first element of a list with which it unifies; a partial list is extended by it otherwise.
pub(crate) fn has_element(store: &mut Store, element: Cell, mut list: Cell) -> bool {
    let (mut seen, mut lap, mut steps) = (store.deref(list), 1usize, 0usize);
    loop {
        match store.look(list) {
            Term::Compound(pair) if (pair.name, pair.arity) == (atoms::DOT, 2) => {
                if unify_or_undo(store, element, store.arg(pair, 0)) {
                    return true;
                }
                list = store.deref(store.arg(pair, 1));
            }
            Term::Var(tail) => {
                let rest = store.new_var();
                let longer = store.cons(element, rest);
                return store.unify(tail, longer);
            }
            _ => return false,
        }
        // A cyclic list has no further elements after one round.
        steps += 1;
        if list == seen || store.is_given_up_at(steps) {
            return false;
        }
        if steps == lap {
            (seen, lap) = (list, lap * 2);
        }
    }
}

/// Whether the two unify; if not, nothing is bound.
fn unify_or_undo(store: &mut Store, a: Cell, b: Cell) -> bool {
    let is_constant = |term| matches!(term, Term::Atom(_) | Term::Int(_));
    if is_constant(store.look(a)) && is_constant(store.look(b)) {
        return store.unify(a, b);
    }
    let attempt = store.begin_attempt();
    let unified = store.unify(a, b);
    if unified {
        store.keep_attempt(attempt);
    } else {
        store.undo_attempt(attempt);
    }
    unified
}

/// Binds the open end of a list to `n` fresh variables.
fn extend(world: &mut World, tail: Cell, n: usize) -> Result<bool, Stop> {
    check_list(world, n)?;
    let mut items = Vec::with_capacity(n);
    for at in 0..n {
        world.store.watch.check_at(at + 1)?;
        items.push(world.store.new_var());
    }
    let items = world.store.list(&items);
    Ok(world.store.unify(tail, items))
}

fn numlist(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (low, high) = (small_integer(&world.store, args[0])?, small_integer(&world.store, args[1])?);
    if low > high {
        return Ok(false);
    }
    check_list(world, usize::try_from(high.abs_diff(low)).unwrap_or(usize::MAX))?;
    let mut items = Vec::new();
    for n in low..=high {
        world.store.watch.check_at(items.len() + 1)?;
        items.push(world.store.int(n));
    }
    let items = world.store.list(&items);
    Ok(world.store.unify(args[2], items))
}

/// The values of a list of numbers.
fn numbers(world: &World, items: Cell) -> Result<Vec<Number>, Stop> {
    let mut numbers = Vec::new();
    for item in list(&world.store, items)? {
        world.store.watch.check_at(numbers.len() + 1)?;
        numbers.push(evaluate(&world.store, item)?);
    }
    Ok(numbers)
}

fn sum_list(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    if let Some(sum) = integer_sum(&world.store, &list(&world.store, args[0])?) {
        let sum = world.store.int(sum);
        return Ok(world.store.unify(args[1], sum));
    }
    let mut sum = Number::Int(0);
    for (at, number) in numbers(world, args[0])?.into_iter().enumerate() {
        world.store.watch.check_at(at + 1)?;
        sum = Function::Add.apply2(&sum, &number)?;
    }
    let sum = sum.into_cell(&mut world.store);
    Ok(world.store.unify(args[1], sum))
}

/// The sum of integers, if neither they nor the sum are large.
fn integer_sum(store: &Store, items: &[Cell]) -> Option<i64> {
    items.iter().try_fold(0_i64, |sum, item| match store.look(*item) {
        Term::Int(value) => sum.checked_add(value),
        _ => None,
    })
}

fn max_list(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let greatest =
        numbers(world, args[0])?.into_iter().reduce(|a, b| if arith::compare(&b, &a).is_gt() { b } else { a });
    unify_number(world, args[1], greatest)
}

fn min_list(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let least = numbers(world, args[0])?.into_iter().reduce(|a, b| if arith::compare(&b, &a).is_lt() { b } else { a });
    unify_number(world, args[1], least)
}

fn unify_number(world: &mut World, target: Cell, number: Option<Number>) -> Result<bool, Stop> {
    let Some(number) = number else { return Ok(false) };
    let number = number.into_cell(&mut world.store);
    Ok(world.store.unify(target, number))
}

fn list_to_set(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let items = list(&world.store, args[0])?;
    let order: Vec<usize> = (0..items.len()).collect();
    let order = sort_by_key(world, order, ascending, |&i| items[i])?;
    let mut order = dedup_by_key(world, order, |&i| items[i])?;
    order.sort_unstable();
    let set: Vec<Cell> = order.into_iter().map(|i| items[i]).collect();
    let set = world.store.list(&set);
    Ok(world.store.unify(args[1], set))
}
