//! Arithmetic as goals: evaluation, comparison of values, and relations between integers.

use std::cmp::Ordering;

use crate::builtins::arguments::{integer, is_var, small_integer};
use crate::builtins::record::{at_most_one, computes, det, each, iso, nondet, pure};
use crate::engine::arith::{self, Function, Number, evaluate};
use crate::engine::error::{domain_error, instantiation_error};
use crate::engine::{Builtin, Cell, Comparison, Computation, Solutions, Stop, Term, World};

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([
    computes(
        Computation::Value,
        iso(det(
            "is(?Value, +Expression) is semidet",
            "Unifies Value with the value of an expression.",
            "X is 2 ** 3 + 1",
            "X = 9",
            is,
        )),
    ),
    compares(
        Comparison::Equal,
        det("=:=(+X, +Y) is semidet", "Whether the values are equal.", "1 + 1 =:= 2.0", "true", equal),
    ),
    compares(
        Comparison::NotEqual,
        det("=\\=(+X, +Y) is semidet", "Whether the values differ.", "1 =\\= 2", "true", different),
    ),
    compares(Comparison::Less, det("<(+X, +Y) is semidet", "Whether the value of X is less.", "1 < 2", "true", less)),
    compares(
        Comparison::Greater,
        det(">(+X, +Y) is semidet", "Whether the value of X is greater.", "1 > 2", "false", greater),
    ),
    compares(
        Comparison::LessEqual,
        det("=<(+X, +Y) is semidet", "Whether the value of X is not greater.", "2 =< 2", "true", not_greater),
    ),
    compares(
        Comparison::GreaterEqual,
        det(">=(+X, +Y) is semidet", "Whether the value of X is not less.", "1 >= 2", "false", not_less),
    ),
    det("succ(?N, ?Next) is det", "Next is N + 1; neither is negative.", "succ(N, 4)", "N = 3", succ),
    det(
        "plus(?X, ?Y, ?Z) is det",
        "Z is X + Y, of integers; one of the three may be unknown.",
        "plus(1, Y, 3)",
        "Y = 2",
        plus,
    ),
    computes(
        Computation::Range,
        nondet(
            "between(+Low, +High, ?N) is nondet",
            "The integers from Low to High, which may be `inf`.",
            "between(1, 2, N)",
            "N = 1 ; N = 2",
            between,
        ),
    ),
]);

const fn compares(comparison: Comparison, record: Builtin) -> Builtin {
    computes(Computation::Comparison(comparison), iso(record))
}

fn is(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let value = evaluate(&world.store, args[1])?.into_cell(&mut world.store);
    Ok(world.store.unify(args[0], value))
}

macro_rules! comparisons {
    ($($name:ident = $comparison:expr;)*) => {
        $(fn $name(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
            let (x, y) = (evaluate(&world.store, args[0])?, evaluate(&world.store, args[1])?);
            Ok($comparison.holds_of_numbers(arith::order(&x, &y)))
        })*
    };
}

comparisons! {
    equal = Comparison::Equal;
    different = Comparison::NotEqual;
    less = Comparison::Less;
    greater = Comparison::Greater;
    not_greater = Comparison::LessEqual;
    not_less = Comparison::GreaterEqual;
}

fn succ(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (from, to, step) = match (is_var(&world.store, args[0]), is_var(&world.store, args[1])) {
        (true, true) => return Err(instantiation_error()),
        (true, false) => (args[1], args[0], -1),
        _ => (args[0], args[1], 1),
    };
    for &arg in args.iter().filter(|&&arg| !is_var(&world.store, arg)) {
        if integer(&world.store, arg)?.sign().is_lt() {
            return Err(domain_error(&world.store, "not_less_than_zero", arg));
        }
    }
    let value = Function::Add.apply2(&integer(&world.store, from)?, &Number::Int(step))?;
    if value.sign().is_lt() {
        return Ok(false);
    }
    let value = value.into_cell(&mut world.store);
    Ok(world.store.unify(to, value))
}

fn plus(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let unknown = args.iter().position(|&arg| is_var(&world.store, arg)).unwrap_or(2);
    let (function, x, y) = match unknown {
        0 => (Function::Subtract, args[2], args[1]),
        1 => (Function::Subtract, args[2], args[0]),
        _ => (Function::Add, args[0], args[1]),
    };
    let value = function.apply2(&integer(&world.store, x)?, &integer(&world.store, y)?)?.into_cell(&mut world.store);
    Ok(world.store.unify(args[unknown], value))
}

fn between(world: &mut World, args: &[Cell]) -> Solutions {
    let low = small_integer(&world.store, args[0])?;
    let high = upper_bound(world, args[1])?;
    let value = args[2];
    if !is_var(&world.store, value) {
        let value = integer(&world.store, value)?;
        let fits = |bound: i64, order: Ordering| arith::compare(&value, &Number::Int(bound)) != order;
        return at_most_one(fits(low, Ordering::Less) && fits(high, Ordering::Greater));
    }
    each(low..=high, move |world, n| {
        let n = world.store.int(n);
        world.store.unify(value, n)
    })
}

fn upper_bound(world: &World, high: Cell) -> Result<i64, Stop> {
    match world.store.look(high) {
        Term::Atom(name) if matches!(name.as_str(), "inf" | "infinite") => Ok(i64::MAX),
        _ => small_integer(&world.store, high),
    }
}
