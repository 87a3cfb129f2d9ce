//! Finds clauses by head and body, to inspect them, remove them or make references to them.

use crate::builtins::arguments::{is_var, small_integer};
use crate::engine::{
    Cell, ClauseId, Definition, Effect, NextSolution, PredId, Remaining, SolutionSource, Solutions, Stop, Term, World,
    error,
};
use crate::term::{Atom, atoms};

use super::reference;

/// Head and body of a clause; the body of a fact is `true`.
pub(super) fn head_and_body(world: &World, clause: Cell) -> (Cell, Cell) {
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

/// The action on a clause that unifies.
#[derive(Clone, Copy)]
pub(crate) enum Action {
    Look,
    Retract,
    /// Unifies a reference to the clause with this term.
    Refer(Cell),
}

impl Action {
    /// Whether it succeeds.
    fn run(self, world: &mut World, pred: PredId, clause: ClauseId) -> bool {
        match self {
            Action::Look => true,
            Action::Retract => world.database.erase(pred, clause),
            Action::Refer(to) => reference::unify(world, to, pred, clause),
        }
    }
}

impl SolutionSource for Clauses {
    fn next(&mut self, world: &mut World) -> Result<NextSolution, Stop> {
        let Some((number, source)) = world.take_clause(self.pred, self.head, &mut self.remaining) else {
            return Ok(NextSolution::Fail);
        };
        let is_last = self.remaining.is_at_end();
        let is_meant = source.is_some_and(|source| world.unify_clause(&source, self.head, self.body))
            && self.action.run(world, self.pred, number);
        Ok(match (is_meant, is_last) {
            (true, true) => NextSolution::Last,
            (true, false) => NextSolution::More,
            (false, true) => NextSolution::Fail,
            (false, false) => NextSolution::Skip,
        })
    }

    fn view(&self) -> Option<(PredId, u64)> {
        Some((self.pred, self.remaining.generation()))
    }
}

pub(super) fn clauses(
    world: &mut World,
    pred: PredId,
    head: Cell,
    body: Cell,
    action: Action,
) -> Option<Box<dyn SolutionSource>> {
    let remaining = world.clauses_of(pred, head)?;
    Some(Box::new(Clauses { pred, head, body, remaining, action }))
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

/// An error if the clauses of a predicate may not be modified because it is static.
pub(crate) fn check_modifiable(world: &mut World, pred: PredId) -> Result<(), Stop> {
    match &world.database.pred(pred).definition {
        definition if definition.is_undefined() => Ok(()),
        Definition::Clauses(list) if list.dynamic => Ok(()),
        _ => Err(world.may_not("modify", "static_procedure", pred)),
    }
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

/// Whether the predicate's clauses come from scripts or assertions.
pub(crate) fn is_of_scripts(world: &World, pred: PredId) -> bool {
    matches!(world.database.pred(pred).definition, Definition::Clauses(_)) && world.database.is_users(pred)
}

/// The body that a goal stands for, if it calls a predicate of a script with one clause that may match, whose arguments are
/// different variables. The variables of the goal stay unbound.
pub(crate) fn body_of_only_clause(world: &mut World, goal: Cell) -> Option<Cell> {
    let pred = head_pred(world, goal).ok()?.filter(|pred| is_of_scripts(world, *pred))?;
    let mut remaining = world.clauses_of(pred, goal)?;
    let (_, source) = world.take_clause(pred, goal, &mut remaining)?;
    let source = source.filter(|_| remaining.is_at_end())?;
    let clause = world.store.thaw(&source);
    let (head, body) = head_and_body(world, clause);
    let own: Vec<Cell> = world.store.arguments(head).iter().map(|arg| world.store.deref(*arg)).collect();
    let are_variables =
        own.iter().enumerate().all(|(place, arg)| is_var(&world.store, *arg) && !own[..place].contains(arg));
    let args: Vec<Cell> = world.store.arguments(goal).to_vec();
    // the variables of the clause are younger than those of the goal, so that they are bound to these
    (are_variables && own.iter().zip(args).all(|(own, arg)| world.store.unify(*own, arg))).then_some(body)
}

/// What the record of a goal's predicate says it does; none if a script has its own predicate of that name.
pub(crate) fn effect_of(world: &World, goal: Cell) -> Option<Effect> {
    let (name, arity) = world.store.functor(goal)?;
    let id = world.database.find(name, arity)?;
    let pred = world.database.pred(id);
    let is_papavers = match pred.definition {
        Definition::Native(_) | Definition::Library(_) => true,
        Definition::Clauses(_) | Definition::Unread(_) => !world.database.is_users(id),
        Definition::Undefined => false,
    };
    is_papavers.then_some(pred.effect)
}
