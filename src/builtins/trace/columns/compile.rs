//! Compiles goals that use only the relation and integer arithmetic to steps over columns.
//!
//! A goal becomes steps only if they give its answers in every case; the machine runs all others.

use std::sync::Arc;

use crate::builtins::program::clause_search::effect_of;
use crate::builtins::trace::constraints::list::{Purpose, is_of_arguments};
use crate::builtins::trace::queries::query::CompiledQuery;
use crate::builtins::trace::queries::term_test::TermTest;
use crate::engine::{
    Arrival, CallRelation, Cell, Comparison, Computation, Effect, EventPart, OccursCheck, Often, Plan, SearchCourse,
    SearchKind, Store, Term, TermUse, World,
};
use crate::term::atoms;
use crate::trace::{AttributeId, Trace};

use super::expression::Expression;
use super::slots::{SlotKind, VariableSlots};
use super::steps::{Bind, Edge, Events, GoalSteps, RowOrder, RowStep};

/// A conjunction of more goals is left to the machine.
const MAX_GOALS: usize = 64;

/// The steps of a goal, if there are steps for all of its parts.
pub(super) fn compile(world: &mut World, goal: Cell) -> Option<GoalSteps> {
    compile_for(world, goal, RowOrder::Any)
}

/// The same for rows that are wanted in the order of the answers; the goal may begin with a move.
pub(super) fn compile_answers(world: &mut World, goal: Cell) -> Option<GoalSteps> {
    compile_for(world, goal, RowOrder::Answers)
}

fn compile_for(world: &mut World, goal: Cell, order: RowOrder) -> Option<GoalSteps> {
    if world.is_for_machine_alone(goal) {
        return None;
    }
    let trace = Arc::clone(world.desk.trace()?);
    let direction = SearchCourse::Relation;
    let mut steps = GoalSteps { trace, steps: Vec::new(), slots: VariableSlots::default(), direction, order };
    for goal in conjunction(&world.store, goal)? {
        if add_test(world, &mut steps, goal) {
            continue;
        }
        let step = step(world, &mut steps, goal)?;
        steps.steps.push(step);
    }
    matches!(steps.steps.first(), Some(RowStep::Events(_) | RowStep::Between(..))).then_some(steps)
}

/// Adds a goal as a test of the arguments of the events found last; returns whether it is such a test.
fn add_test(world: &World, so_far: &mut GoalSteps, goal: Cell) -> bool {
    let Some(test) = TermTest::of(world, goal) else { return false };
    let Some(RowStep::Events(events) | RowStep::EventAt(_, events) | RowStep::EventsOf(_, events)) =
        so_far.steps.last_mut()
    else {
        return false;
    };
    events.filter.as_mut().is_some_and(|filter| filter.add_test(&world.store, test))
}

/// The goals of a conjunction.
fn conjunction(store: &Store, goal: Cell) -> Option<Vec<Cell>> {
    let mut goals = Vec::new();
    let mut waiting = vec![goal];
    for _ in 0..2 * MAX_GOALS {
        let Some(goal) = waiting.pop() else { return Some(goals) };
        match store.look(goal) {
            Term::Compound(compound) if (compound.name, compound.arity) == (atoms::COMMA, 2) => {
                waiting.extend([store.arg(compound, 1), store.arg(compound, 0)]);
            }
            Term::Atom(atoms::TRUE) => {}
            _ => goals.push(goal),
        }
    }
    None
}

fn step(world: &mut World, so_far: &mut GoalSteps, goal: Cell) -> Option<RowStep> {
    let is_first = so_far.steps.is_empty();
    let args: Vec<Cell> = world.store.arguments(goal).iter().map(|arg| world.store.deref(*arg)).collect();
    match effect_of(world, goal)? {
        Effect::Searches(SearchKind { direction: SearchCourse::Relation, .. }) => {
            events(world, so_far, args[0], is_first)
        }
        Effect::Searches(SearchKind { direction, often: Often::All, arrival: Arrival::Silent })
            if is_first && so_far.order == RowOrder::Answers =>
        {
            so_far.direction = direction;
            events(world, so_far, args[0], is_first)
        }
        Effect::RelatesCall(CallRelation::Start) => edge(&world.store, so_far, Edge::Start, &args),
        Effect::RelatesCall(CallRelation::End) => edge(&world.store, so_far, Edge::End, &args),
        Effect::RelatesCall(CallRelation::Parent) => {
            let child = call_slot(so_far, args[0])?;
            let parent = fresh(&world.store, &mut so_far.slots, args[1], SlotKind::Call)?;
            Some(RowStep::Parent(child, parent))
        }
        Effect::Negates => negation(world, so_far, args[0]),
        Effect::Computes(Computation::Range) if is_first => between(&world.store, so_far, &args),
        Effect::Computes(Computation::Value) => {
            let value = Expression::new(&world.store, &so_far.slots, args[1])?;
            Some(RowStep::Is(fresh(&world.store, &mut so_far.slots, args[0], SlotKind::Integer)?, value))
        }
        _ => Some(RowStep::Compare(vec![comparison(world, &so_far.slots, goal)?], true)),
    }
}

fn between(store: &Store, so_far: &mut GoalSteps, args: &[Cell]) -> Option<RowStep> {
    let (Term::Int(low), Term::Int(high)) = (store.look(args[0]), store.look(args[1])) else { return None };
    Some(RowStep::Between(low, high, fresh(store, &mut so_far.slots, args[2], SlotKind::Integer)?))
}

fn edge(store: &Store, so_far: &mut GoalSteps, edge: Edge, args: &[Cell]) -> Option<RowStep> {
    let call = call_slot(so_far, args[0])?;
    Some(RowStep::Edge(edge, call, fresh(store, &mut so_far.slots, args[1], SlotKind::Integer)?))
}

/// The slot of a call; a call known by its number gets a slot of its own.
fn call_slot(so_far: &mut GoalSteps, cell: Cell) -> Option<usize> {
    match so_far.slots.find(cell)? {
        (slot, SlotKind::Call) => Some(slot),
        (slot, SlotKind::Integer) => {
            let call = so_far.slots.add(None, SlotKind::Call);
            so_far.steps.push(RowStep::CallNumbered(slot, call));
            Some(call)
        }
        (_, SlotKind::Event(_) | SlotKind::Argument) => None,
    }
}

/// A slot for a variable that has none yet.
fn fresh(store: &Store, slots: &mut VariableSlots, cell: Cell, kind: SlotKind) -> Option<usize> {
    let is_fresh = matches!(store.look(cell), Term::Var(_)) && slots.find(cell).is_none();
    is_fresh.then(|| slots.add(Some(cell), kind))
}

/// `event(Constraints)`: over all events, or those with a number or call that is already known.
fn events(world: &mut World, so_far: &mut GoalSteps, constraints: Cell, is_first: bool) -> Option<RowStep> {
    let is_known = |query: &CompiledQuery| query.is_unlimited() || is_first && so_far.order == RowOrder::Answers;
    let query = CompiledQuery::new(world, constraints, Purpose::Search).ok().filter(is_known)?;
    let plan: &Plan = &query.plan;
    let event = so_far.slots.add(None, SlotKind::Integer);
    let n_known = so_far.slots.len();
    let (mut binds, mut known) = (Vec::new(), None);
    let mut is_filtered = !plan.tests.is_empty();
    for (index, usage) in &plan.uses {
        let term = world.store.deref(query.terms[*index]);
        if is_of_arguments(*usage) {
            argument_variables(&world.store, &mut so_far.slots, term)?;
            is_filtered = true;
            continue;
        }
        let attribute = match *usage {
            TermUse::Unify(EventPart::Attribute(attribute)) => attribute,
            TermUse::Chrono | TermUse::Call => continue,
            _ => return None,
        };
        if !matches!(world.store.look(term), Term::Var(_)) {
            return None;
        }
        match so_far.slots.find(term) {
            None => {
                let (kind, bind) = bind(&so_far.trace, attribute)?;
                binds.push((so_far.slots.add(Some(term), kind), bind));
            }
            Some((slot, kind)) if slot < n_known && known.is_none() => known = Some((attribute, slot, kind)),
            Some(_) => return None,
        }
    }
    let keys = query.trace.keys_of(&plan.pattern).filter(|_| !is_filtered);
    let filter = is_filtered.then(|| query.filter(&world.store));
    let events = Events { query, filter, keys, event, binds };
    match known {
        None => is_first.then_some(RowStep::Events(events)),
        Some((AttributeId::CHRONO, slot, SlotKind::Integer)) => Some(RowStep::EventAt(slot, events)),
        Some((AttributeId::CALL, slot, SlotKind::Call)) => Some(RowStep::EventsOf(slot, events)),
        Some(_) => None,
    }
}

/// The most variables in a term for arguments.
const MAX_VARIABLES: usize = 64;

/// Adds the variables of a term for arguments to the slots; none if one of them has a slot already.
fn argument_variables(store: &Store, slots: &mut VariableSlots, term: Cell) -> Option<()> {
    if store.occurs_check != OccursCheck::Off {
        return None;
    }
    let variables = store.variables(term);
    if variables.len() > MAX_VARIABLES || variables.iter().any(|variable| slots.find(*variable).is_some()) {
        return None;
    }
    variables.into_iter().for_each(|variable| {
        slots.add(Some(variable), SlotKind::Argument);
    });
    Some(())
}

fn bind(trace: &Trace, attribute: AttributeId) -> Option<(SlotKind, Bind)> {
    match attribute {
        AttributeId::CHRONO => Some((SlotKind::Integer, Bind::Chrono)),
        AttributeId::CALL => Some((SlotKind::Call, Bind::Call)),
        _ if trace.is_part_of_key(attribute) => Some((SlotKind::Event(attribute), Bind::Event)),
        _ if trace.is_integer_column(attribute) => Some((SlotKind::Integer, Bind::Integer(attribute))),
        _ => None,
    }
}

/// `\+ Goal`, where the goal is one search from a known number or call, or consists of comparisons.
fn negation(world: &mut World, so_far: &mut GoalSteps, goal: Cell) -> Option<RowStep> {
    let goals = conjunction(&world.store, goal)?;
    let compare = |goal: &Cell| comparison(world, &so_far.slots, *goal);
    if let Some(comparisons) = goals.iter().map(compare).collect::<Option<Vec<_>>>() {
        return Some(RowStep::Compare(comparisons, false));
    }
    let &[goal] = goals.as_slice() else { return None };
    let n_known = so_far.slots.len();
    let step = step(world, so_far, goal)?;
    so_far.slots.forget_from(n_known);
    match step {
        RowStep::EventAt(slot, events) => Some(RowStep::NoEventAt(slot, events)),
        RowStep::EventsOf(slot, events) => Some(RowStep::NoEventOf(slot, events)),
        _ => None,
    }
}

fn comparison(world: &World, slots: &VariableSlots, goal: Cell) -> Option<(Comparison, Expression, Expression)> {
    let Effect::Computes(Computation::Comparison(comparison)) = effect_of(world, goal)? else { return None };
    let side = |side: Cell| Expression::new(&world.store, slots, side);
    match *world.store.arguments(goal) {
        [left, right] => Some((comparison, side(left)?, side(right)?)),
        _ => None,
    }
}
