//! Predicates that inspect and change clauses.

use std::collections::BTreeSet;

use crate::builtins::record::{det, each, iso, nondet};
use crate::engine::{Builtin, Cell, ClauseEnd, Definition, Namespace, Protection, Solutions, Stop, Term, World, error};
use crate::term::{Atom, atoms};

use super::clause_search::{
    Action, check_modifiable, clauses, clauses_of_scripts, head_and_body, head_pred, indicator,
};

/// The predicates of this family.
pub(crate) const TABLE: &[Builtin] = &[
    iso(det(
        "assertz(+Clause) is det",
        "Adds a clause after those of its predicate.",
        "assertz(p(1)), assertz(p(2)), findall(X, p(X), L), abolish(p/1)",
        "L = [1, 2]",
        assertz,
    )),
    iso(det(
        "asserta(+Clause) is det",
        "Adds a clause before those of its predicate.",
        "asserta(q(1)), asserta(q(2)), findall(X, q(X), L), abolish(q/1)",
        "L = [2, 1]",
        asserta,
    )),
    det("assert(+Clause) is det", "The same as assertz/1.", "assert(r(1)), r(X), abolish(r/1)", "X = 1", assertz),
    iso(nondet(
        "retract(+Clause) is nondet",
        "Removes the first clause that unifies, and further ones on backtracking.",
        "assertz(s(1)), assertz(s(2)), retract(s(X))",
        "X = 1 ; X = 2",
        retract,
    )),
    iso(det(
        "retractall(+Head) is det",
        "Removes every clause whose head unifies; the predicate becomes dynamic.",
        "assertz(t(1)), retractall(t(_)), \\+ t(_)",
        "true",
        retractall,
    )),
    iso(det(
        "abolish(+Indicator) is det",
        "Removes a dynamic predicate with all its clauses.",
        "assertz(u(1)), abolish(u/1), catch(u(_), error(E, _), true)",
        "E = existence_error(procedure, u/1)",
        abolish,
    )),
    iso(nondet(
        "clause(+Head, ?Body) is nondet",
        "Enumerates the clauses of a predicate; the body of a fact is true.",
        "assertz((v(X) :- X > 1)), clause(v(Y), B), abolish(v/1)",
        "B = (Y > 1)",
        clause,
    )),
    iso(nondet(
        "current_predicate(?Indicator) is nondet",
        "Enumerates the predicates that have been defined by clauses of scripts.",
        "assertz(w(1)), current_predicate(w/N), abolish(w/1)",
        "N = 1",
        current_predicate,
    )),
    det(
        "$declare(+What, +Indicator) is det",
        "Declares a predicate dynamic, discontiguous or multifile.",
        "'$declare'(dynamic, x/1), \\+ x(_), abolish(x/1)",
        "true",
        declare,
    ),
];

fn assertz(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    world.assert(args[0], ClauseEnd::Back)?;
    Ok(true)
}

fn asserta(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    world.assert(args[0], ClauseEnd::Front)?;
    Ok(true)
}

fn clause(world: &mut World, args: &[Cell]) -> Solutions {
    clauses_of_scripts(world, args[0], args[1], Action::Look)
}

fn retract(world: &mut World, args: &[Cell]) -> Solutions {
    let (head, body) = head_and_body(world, args[0]);
    let Some(pred) = head_pred(world, head)? else { return Ok(None) };
    check_modifiable(world, pred)?;
    Ok(clauses(world, pred, head, body, Action::Retract))
}

fn retractall(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let head = args[0];
    if head_pred(world, head)?.is_none_or(|pred| world.database.pred(pred).definition.is_undefined()) {
        let (name, arity) = world.store.functor(head).expect("its predicate was looked up");
        let pred = world.database.pred_id(Namespace::User, name, arity);
        world.make_dynamic(pred)?;
        return Ok(true);
    }
    let Some(pred) = head_pred(world, head)? else { return Ok(true) };
    check_modifiable(world, pred)?;
    let Some(mut remaining) = world.clauses_of(pred, head) else { return Ok(true) };
    while let Some((number, source)) = world.take_clause(pred, head, &mut remaining) {
        let attempt = world.store.begin_attempt();
        let body = world.store.new_var();
        let is_meant = source.is_some_and(|source| world.unify_clause(&source, head, body));
        world.store.undo_attempt(attempt);
        world.store.check_walks()?;
        if is_meant {
            world.database.erase(pred, number);
        }
    }
    Ok(true)
}

fn abolish(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (name, arity) = indicator(world, args[0])?;
    let Some(pred) = world.database.find(name, arity) else { return Ok(true) };
    check_modifiable(world, pred)?;
    world.database.abolish(pred);
    Ok(true)
}

fn declare(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (name, arity) = indicator(world, args[1])?;
    let pred = world.database.pred_id(world.namespace(), name, arity);
    if world.database.pred(pred).protection == Protection::Iso {
        return Err(world.may_not("modify", "static_procedure", pred));
    }
    world.make_way(pred);
    match world.store.look(args[0]) {
        Term::Atom(what) if what.as_str() == "dynamic" => world.declare_dynamic(pred),
        Term::Atom(what) if what.as_str() == "discontiguous" => world.database.pred_mut(pred).is_discontiguous = true,
        _ => world.database.pred_mut(pred).is_multifile = true,
    }
    Ok(true)
}

fn current_predicate(world: &mut World, args: &[Cell]) -> Solutions {
    check_indicator_pattern(world, args[0])?;
    let has_clauses = |pred: &crate::engine::Pred| match &pred.definition {
        Definition::Clauses(list) => !list.is_empty() || list.dynamic,
        _ => false,
    };
    let found: BTreeSet<(&str, usize)> = world
        .database
        .user_preds()
        .filter(|pred| has_clauses(pred) && !pred.name.as_str().starts_with('$'))
        .map(|pred| (pred.name.as_str(), pred.arity))
        .collect();
    let target = args[0];
    each(found.into_iter(), move |world, (name, arity)| {
        let arity = world.store.int(arity as i64);
        let found = world.store.compound(atoms::DIVIDE, &[Cell::atom(Atom::new(name)), arity]);
        world.store.unify(target, found)
    })
}

fn check_indicator_pattern(world: &World, cell: Cell) -> Result<(), Stop> {
    let wrong = || error::type_error(&world.store, "predicate_indicator", cell);
    let (name, arity) = match world.store.look(cell) {
        Term::Var(_) => return Ok(()),
        Term::Compound(c) if (c.name, c.arity) == (atoms::DIVIDE, 2) => (world.store.arg(c, 0), world.store.arg(c, 1)),
        _ => return Err(wrong()),
    };
    let name_fits = matches!(world.store.look(name), Term::Var(_) | Term::Atom(_));
    let arity_fits = matches!(world.store.look(arity), Term::Var(_) | Term::Int(0..));
    if name_fits && arity_fits { Ok(()) } else { Err(wrong()) }
}
