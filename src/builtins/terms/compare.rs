//! Unification and the comparison of terms.

use std::cmp::Ordering;

use crate::builtins::arguments::is_var;
use crate::builtins::record::{det, iso, pure, where_attributed};
use crate::engine::error::{domain_error, type_error};
use crate::engine::{Builtin, Cell, Stop, Term, World};
use crate::term::atoms;

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([
    iso(det("=(?X, ?Y) is semidet", "Unifies two terms.", "f(X, b) = f(a, Y)", "X = a, Y = b", equals)),
    where_attributed(
        "$cannot_equal",
        iso(det("\\=(@X, @Y) is semidet", "Whether two terms do not unify.", "f(_) \\= g(_)", "true", not_equals)),
    ),
    iso(det(
        "unify_with_occurs_check(?X, ?Y) is semidet",
        "Unifies two terms, but never a variable with a term that contains it.",
        "unify_with_occurs_check(X, f(X))",
        "false",
        unify_with_occurs_check,
    )),
    iso(det("==(@X, @Y) is semidet", "Whether two terms are identical.", "f(X) == f(X)", "true", identical)),
    iso(det(
        "\\==(@X, @Y) is semidet",
        "Whether two terms are not identical.",
        "f(_) \\== f(_)",
        "true",
        not_identical,
    )),
    iso(det("@<(@X, @Y) is semidet", "Whether X comes before Y in the standard order.", "1 @< a", "true", less)),
    iso(det("@>(@X, @Y) is semidet", "Whether X comes after Y in the standard order.", "f(a) @> b", "true", greater)),
    iso(det("@=<(@X, @Y) is semidet", "Whether X does not come after Y.", "a @=< a", "true", not_greater)),
    iso(det("@>=(@X, @Y) is semidet", "Whether X does not come before Y.", "a @>= b", "false", not_less)),
    iso(det(
        "compare(?Order, @X, @Y) is semidet",
        "Order is `<`, `=` or `>`, by the standard order of terms.",
        "compare(O, 1, 2)",
        "O = (<)",
        compare,
    )),
    det(
        "=@=(@X, @Y) is semidet",
        "Whether two terms differ in the names of variables only.",
        "f(_, _) =@= f(_, _)",
        "true",
        variant,
    ),
    det(
        "\\=@=(@X, @Y) is semidet",
        "Whether two terms differ in more than the names of variables.",
        "f(_, _) \\=@= f(X, X)",
        "true",
        not_variant,
    ),
    iso(det(
        "subsumes_term(@General, @Specific) is semidet",
        "Whether General becomes Specific by binding variables of General only.",
        "subsumes_term(f(_), f(a))",
        "true",
        subsumes_term,
    )),
    det("?=(@X, @Y) is semidet", "Whether X and Y are identical or can never become so.", "?=(a, b)", "true", decided),
]);

fn equals(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(world.store.unify(args[0], args[1]))
}

fn not_equals(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(!world.store.unifies(args[0], args[1], |_| true))
}

fn unify_with_occurs_check(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(world.store.unify_with_occurs_check(args[0], args[1]))
}

macro_rules! comparisons {
    ($($name:ident = $test:expr;)*) => {
        $(fn $name(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
            let test: fn(Ordering) -> bool = $test;
            Ok(test(world.store.compare(args[0], args[1])))
        })*
    };
}

fn identical(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let is_identical = world.store.compare(args[0], args[1]).is_eq();
    if !is_identical {
        world.store.note_near_miss(args[0], args[1]);
    }
    Ok(is_identical)
}

fn not_identical(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    identical(world, args).map(|is_identical| !is_identical)
}

comparisons! {
    less = Ordering::is_lt;
    greater = Ordering::is_gt;
    not_greater = Ordering::is_le;
    not_less = Ordering::is_ge;
}

fn compare(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    check_order(world, args[0])?;
    let order = match world.store.compare(args[1], args[2]) {
        Ordering::Less => atoms::LESS,
        Ordering::Equal => atoms::EQUALS,
        Ordering::Greater => atoms::GREATER,
    };
    Ok(world.store.unify(args[0], Cell::atom(order)))
}

fn check_order(world: &World, order: Cell) -> Result<(), Stop> {
    match world.store.look(order) {
        Term::Var(_) | Term::Atom(atoms::LESS | atoms::EQUALS | atoms::GREATER) => Ok(()),
        Term::Atom(_) => Err(domain_error(&world.store, "order", order)),
        _ => Err(type_error(&world.store, "atom", order)),
    }
}

fn variant(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(world.store.is_variant(args[0], args[1]))
}

fn not_variant(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(!world.store.is_variant(args[0], args[1]))
}

fn subsumes_term(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let specific = world.store.variables(args[1]);
    Ok(world.store.unifies(args[0], args[1], |store| {
        let mut bound: Vec<Cell> = specific.iter().map(|&variable| store.deref(variable)).collect();
        let all_free = bound.iter().all(|&cell| is_var(store, cell));
        bound.sort_by(|&a, &b| store.compare(a, b));
        bound.dedup();
        all_free && bound.len() == specific.len()
    }))
}

fn decided(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(world.store.compare(args[0], args[1]).is_eq() || !world.store.unifies(args[0], args[1], |_| true))
}
