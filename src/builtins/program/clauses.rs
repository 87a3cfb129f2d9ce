//! Predicates that look at clauses and change them.

use std::collections::BTreeSet;

use super::references;
use crate::builtins::arguments::{is_var, small_integer};
use crate::builtins::record::{det, each, iso, nondet};
use crate::engine::{
    Answers, Builtin, Cell, ClauseEnd, ClauseId, Definition, Namespace, Next, PredId, Protection, Remaining, Solutions,
    Stop, Term, World, error,
};
use crate::term::{Atom, atoms};

/// The predicates of this family.
pub const TABLE: &[Builtin] = &[
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

/// Head and body of a clause; the body of a fact is `true`.
fn head_and_body(world: &World, clause: Cell) -> (Cell, Cell) {
    match world.store.look(clause) {
        Term::Compound(c) if (c.name, c.arity) == (atoms::NECK, 2) => (world.store.arg(c, 0), world.store.arg(c, 1)),
        _ => (clause, Cell::atom(atoms::TRUE)),
    }
}

/// The predicate of a head, if it is known.
pub(crate) fn head_pred(world: &World, head: Cell) -> Result<Option<PredId>, Stop> {
    match world.store.look(head) {
        Term::Var(_) => Err(error::instantiation_error()),
        Term::Atom(name) => Ok(world.database.find(name, 0)),
        Term::Compound(compound) => Ok(world.database.find(compound.name, compound.arity)),
        _ => Err(error::type_error(&world.store, "callable", head)),
    }
}

/// The clauses of a predicate that unify with a head and a body, one at a time.
struct Clauses {
    pred: PredId,
    head: Cell,
    body: Cell,
    remaining: Remaining,
    action: Action,
}

/// What is done with a clause that unifies.
#[derive(Clone, Copy)]
pub(crate) enum Action {
    Look,
    Retract,
    /// A reference to it is unified with this.
    Refer(Cell),
}

impl Action {
    /// Whether it succeeds.
    fn run(self, world: &mut World, pred: PredId, clause: ClauseId) -> bool {
        match self {
            Action::Look => true,
            Action::Retract => world.database.erase(pred, clause),
            Action::Refer(to) => references::unify(world, to, pred, clause),
        }
    }
}

impl Answers for Clauses {
    fn next(&mut self, world: &mut World) -> Result<Next, Stop> {
        let Some((number, source)) = world.take_clause(self.pred, self.head, &mut self.remaining) else {
            return Ok(Next::Fail);
        };
        let is_last = self.remaining.is_at_end();
        let is_meant = source.is_some_and(|source| world.unify_clause(&source, self.head, self.body))
            && self.action.run(world, self.pred, number);
        Ok(match (is_meant, is_last) {
            (true, true) => Next::Last,
            (true, false) => Next::More,
            (false, true) => Next::Fail,
            (false, false) => Next::Skip,
        })
    }

    fn view(&self) -> Option<(PredId, u64)> {
        Some((self.pred, self.remaining.generation()))
    }
}

fn clauses(world: &mut World, pred: PredId, head: Cell, body: Cell, action: Action) -> Option<Box<dyn Answers>> {
    let remaining = world.clauses_of(pred, head)?;
    Some(Box::new(Clauses { pred, head, body, remaining, action }))
}

fn clause(world: &mut World, args: &[Cell]) -> Solutions {
    clauses_of_scripts(world, args[0], args[1], Action::Look)
}

/// The clauses of scripts that unify with a head and a body.
pub(crate) fn clauses_of_scripts(world: &mut World, head: Cell, body: Cell, action: Action) -> Solutions {
    let pred = head_pred(world, head)?;
    if matches!(world.store.look(body), Term::Int(_) | Term::BigInt(_) | Term::Float(_) | Term::Str(_)) {
        return Err(error::type_error(&world.store, "callable", body));
    }
    let Some(pred) = pred else { return Ok(None) };
    if !is_of_scripts(world, pred) {
        return match world.database.pred(pred).definition {
            Definition::Undefined => Ok(None),
            _ => Err(world.may_not("access", "private_procedure", pred)),
        };
    }
    Ok(clauses(world, pred, head, body, action))
}

fn retract(world: &mut World, args: &[Cell]) -> Solutions {
    let (head, body) = head_and_body(world, args[0]);
    let Some(pred) = head_pred(world, head)? else { return Ok(None) };
    check_modifiable(world, pred)?;
    Ok(clauses(world, pred, head, body, Action::Retract))
}

/// Static procedures keep their clauses.
pub(crate) fn check_modifiable(world: &mut World, pred: PredId) -> Result<(), Stop> {
    match &world.database.pred(pred).definition {
        definition if definition.is_undefined() => Ok(()),
        Definition::Clauses(list) if list.dynamic => Ok(()),
        _ => Err(world.may_not("modify", "static_procedure", pred)),
    }
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

/// Name and arity of `Name/Arity`; an error if it is something else.
pub(crate) fn indicator(world: &World, cell: Cell) -> Result<(Atom, usize), Stop> {
    let Term::Compound(compound) = world.store.look(cell) else {
        return Err(match world.store.look(cell) {
            Term::Var(_) => error::instantiation_error(),
            _ => error::type_error(&world.store, "predicate_indicator", cell),
        });
    };
    if (compound.name, compound.arity) != (atoms::DIVIDE, 2) {
        return Err(error::type_error(&world.store, "predicate_indicator", cell));
    }
    let (name, arity) = (world.store.arg(compound, 0), world.store.arg(compound, 1));
    if is_var(&world.store, name) || is_var(&world.store, arity) {
        return Err(error::instantiation_error());
    }
    let Term::Atom(name_atom) = world.store.look(name) else {
        return Err(error::type_error(&world.store, "atom", name));
    };
    match small_integer(&world.store, arity)? {
        n if n < 0 => Err(error::domain_error(&world.store, "not_less_than_zero", arity)),
        n if n > 240 => Err(error::representation_error("max_arity")),
        n => Ok((name_atom, n as usize)),
    }
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

/// Whether the predicate's clauses come from scripts or assertions.
pub(crate) fn is_of_scripts(world: &World, pred: PredId) -> bool {
    matches!(world.database.pred(pred).definition, Definition::Clauses(_)) && world.database.is_users(pred)
}
