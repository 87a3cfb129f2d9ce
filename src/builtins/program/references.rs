//! References to clauses: terms `'<clause>'(Predicate, Number, Birth)`, which stand for a clause until it is erased.

use crate::builtins::arguments::is_var;
use crate::builtins::record::{at_most_one, det, nondet};
use crate::engine::{Builtin, Cell, ClauseEnd, ClauseId, PredId, Solutions, Stop, Term, World, error};

use super::clause_search::{Action, check_modifiable, clauses_of_scripts, is_of_scripts};
use super::reference::{NAME, unify};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "assertz(+Clause, -Reference) is det",
        "As assertz/1; Reference stands for the clause.",
        "assertz(ra(1), _R), assertz(ra(2)), erase(_R), findall(X, ra(X), L), abolish(ra/1)",
        "L = [2]",
        |world, args| assert(world, args, ClauseEnd::Back),
    ),
    det(
        "asserta(+Clause, -Reference) is det",
        "As asserta/1; Reference stands for the clause.",
        "asserta(rb(1), r)",
        "error: uninstantiation_error(r)",
        |world, args| assert(world, args, ClauseEnd::Front),
    ),
    det(
        "assert(+Clause, -Reference) is det",
        "The same as assertz/2.",
        "assert(( rc(X) :- X > 1 ), _R), clause(H, B, _R), abolish(rc/1)",
        "H = rc(A), B = (A > 1)",
        |world, args| assert(world, args, ClauseEnd::Back),
    ),
    nondet(
        "clause(?Head, ?Body, ?Reference) is nondet",
        "As clause/2 with a reference to the clause; Head may be free where Reference is given.",
        "assertz(rd(1)), clause(rd(X), B, _R), erase(_R)",
        "X = 1, B = true",
        clause,
    ),
    det(
        "$erase_clause(+Reference) is det",
        "Removes the clause that Reference stands for.",
        "'$erase_clause'('<clause>'(0, 0, 0))",
        "error: existence_error(db_reference, '<clause>'(0, 0, 0))",
        erase,
    ),
];

fn assert(world: &mut World, args: &[Cell], end: ClauseEnd) -> Result<bool, Stop> {
    if !is_var(&world.store, args[1]) {
        return Err(error::uninstantiation_error(&world.store, args[1]));
    }
    let pred = world.assert(args[0], end)?;
    let added = world.database.clauses(pred).and_then(|list| list.at(end));
    Ok(added.is_some_and(|clause| unify(world, args[1], pred, clause)))
}

fn clause(world: &mut World, args: &[Cell]) -> Solutions {
    let (head, body, reference) = (args[0], args[1], args[2]);
    if is_var(&world.store, reference) {
        return clauses_of_scripts(world, head, body, Action::Refer(reference));
    }
    let Some((pred, clause)) = referred(world, reference)? else { return Ok(None) };
    let source = world.database.clauses(pred).and_then(|list| list.clause(clause)?.source.clone());
    let Some(source) = source else { return Ok(None) };
    let (name, arity) = (world.database.pred(pred).name, world.database.pred(pred).arity);
    let own_head = world.store.fresh_compound(name, arity);
    at_most_one(world.store.unify(head, own_head) && world.unify_clause(&source, own_head, body))
}

fn erase(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let Some((pred, clause)) = referred(world, args[0])? else {
        return Err(error::existence_error(&world.store, "db_reference", args[0]));
    };
    check_modifiable(world, pred)?;
    Ok(world.database.erase(pred, clause))
}

/// The clause of a script that a reference stands for, unless it is erased.
fn referred(world: &World, reference: Cell) -> Result<Option<(PredId, ClauseId)>, Stop> {
    let wrong = || error::type_error(&world.store, "db_reference", reference);
    let Term::Compound(compound) = world.store.look(reference) else { return Err(wrong()) };
    let &[pred, clause, birth] = world.store.args(compound) else { return Err(wrong()) };
    let number = |cell| match world.store.look(cell) {
        Term::Int(number) => u64::try_from(number).map_err(|_| wrong()),
        _ => Err(wrong()),
    };
    let (pred, clause, birth) = (number(pred)?, number(clause)?, number(birth)?);
    if compound.name.as_str() != NAME {
        return Err(wrong());
    }
    let (Ok(pred), Ok(clause)) = (PredId::try_from(pred), ClauseId::try_from(clause)) else { return Ok(None) };
    if world.database.preds().nth(pred as usize).is_none() || !is_of_scripts(world, pred) {
        return Ok(None);
    }
    let list = world.database.clauses(pred);
    Ok(list.and_then(|list| list.living(clause, birth)).map(|_| (pred, clause)))
}
