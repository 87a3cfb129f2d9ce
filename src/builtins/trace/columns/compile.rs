//! Compiles goals that use only the relation and integer arithmetic to steps over columns.
//!
//! A goal becomes steps only if they give its answers in every case; the machine runs all others.

use std::sync::Arc;

use crate::builtins::program::clause_search::{body_of_only_clause, effect_of};
use crate::builtins::trace::constraints::list::{Purpose, attribute, is_of_arguments};
use crate::builtins::trace::queries::lookup;
use crate::builtins::trace::queries::query::CompiledQuery;
use crate::builtins::trace::queries::term_test::TermTest;
use crate::engine::{
    Arrival, CallRelation, Cell, Comparison, Computation, Destination, Effect, EventPart, ListEnd, OccursCheck, Often,
    Plan, SearchCourse, SearchKind, Store, Term, TermUse, World,
};
use crate::term::atoms;
use crate::trace::{AttributeId, IndexedPart, SearchDirection, Trace};

use super::band::{BandEnd, JoinBand};
use super::expression::Expression;
use super::join::{Join, Takes};
use super::key::JoinKey;
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
    let mut steps = GoalSteps::new(trace, order);
    for goal in conjunction(world, goal)? {
        if add_test(world, &mut steps, goal) || add_move(world, &mut steps, goal) {
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
    let step = match so_far.steps.last_mut() {
        Some(RowStep::Join(join)) if join.takes.often == Often::All => join.source.steps.first_mut(),
        step => step,
    };
    let Some(RowStep::Events(events) | RowStep::EventAt(_, events) | RowStep::EventsOf(_, events)) = step else {
        return false;
    };
    events.filter.as_mut().is_some_and(|filter| filter.add_test(&world.store, test))
}

/// Takes a move of the cursor to an event that an earlier goal found; returns whether the goal is such a move.
fn add_move(world: &World, so_far: &mut GoalSteps, goal: Cell) -> bool {
    let is_move = effect_of(world, goal) == Some(Effect::Moves(Destination::Chrono, Arrival::Silent));
    let slot = world.store.arguments(goal).first().and_then(|number| so_far.slots.find(world.store.deref(*number)));
    match slot {
        Some((slot, SlotKind::Integer)) if is_move && so_far.numbers_events(slot) => so_far.cursor = Some(slot),
        _ => return false,
    }
    true
}

/// The goals of a conjunction, and of the rules that it calls.
fn conjunction(world: &mut World, goal: Cell) -> Option<Vec<Cell>> {
    let mut goals = Vec::new();
    let mut waiting = vec![goal];
    for _ in 0..2 * MAX_GOALS {
        let Some(goal) = waiting.pop() else { return Some(goals) };
        match world.store.look(goal) {
            Term::Compound(compound) if (compound.name, compound.arity) == (atoms::COMMA, 2) => {
                waiting.extend([world.store.arg(compound, 1), world.store.arg(compound, 0)]);
            }
            Term::Atom(atoms::TRUE) => {}
            _ => match body_of_only_clause(world, goal) {
                Some(body) => waiting.push(body),
                None => goals.push(goal),
            },
        }
    }
    None
}

fn step(world: &mut World, so_far: &mut GoalSteps, goal: Cell) -> Option<RowStep> {
    let is_first = so_far.steps.is_empty();
    let args: Vec<Cell> = world.store.arguments(goal).iter().map(|arg| world.store.deref(*arg)).collect();
    if world.store.functor(goal) == Some((atoms::ONCE, 1)) {
        return first_of_search(world, so_far, args[0]);
    }
    match effect_of(world, goal)? {
        Effect::Searches(SearchKind { direction: SearchCourse::Relation, .. }) => events(world, so_far, args[0], None),
        Effect::Searches(SearchKind { direction, often: Often::All, arrival: Arrival::Silent })
            if is_first && so_far.order == RowOrder::Answers =>
        {
            so_far.direction = direction;
            events(world, so_far, args[0], None)
        }
        Effect::Searches(kind @ SearchKind { arrival: Arrival::Silent, .. }) => {
            search_from_cursor(world, so_far, args[0], kind)
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

/// The first event that a search finds.
fn first_of_search(world: &mut World, so_far: &mut GoalSteps, goal: Cell) -> Option<RowStep> {
    let Effect::Searches(kind) = effect_of(world, goal)? else { return None };
    let constraints = world.store.deref(*world.store.arguments(goal).first()?);
    let step = match kind {
        SearchKind { direction: SearchCourse::Relation, .. } => events(world, so_far, constraints, None)?,
        SearchKind { arrival: Arrival::Silent, .. } => search_from_cursor(world, so_far, constraints, kind)?,
        _ => return None,
    };
    match step {
        RowStep::Join(mut join) => {
            join.takes.often = Often::Once;
            Some(RowStep::Join(join))
        }
        _ => None,
    }
}

/// A search from where goals have moved the cursor: the events found are after it, or before it.
fn search_from_cursor(
    world: &mut World,
    so_far: &mut GoalSteps,
    constraints: Cell,
    kind: SearchKind,
) -> Option<RowStep> {
    let here = BandEnd { value: Expression::of_slot(so_far.cursor?), is_included: false };
    let (least, greatest, direction) = match kind.direction {
        SearchCourse::Forward => (Some(here), None, SearchDirection::Forward),
        SearchCourse::Backward => (None, Some(here), SearchDirection::Backward),
        _ => return None,
    };
    let beyond = JoinBand { attribute: AttributeId::CHRONO, least, greatest };
    let mut join = match events(world, so_far, constraints, Some(beyond))? {
        RowStep::Join(join) => join,
        _ => return None,
    };
    join.takes = Takes { often: kind.often, direction };
    let number = so_far.slots.add(None, SlotKind::Integer);
    join.binds.push((number, Bind::Chrono));
    so_far.cursor = Some(number);
    Some(RowStep::Join(join))
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
        (_, SlotKind::Event(_) | SlotKind::Part(_) | SlotKind::Argument) => None,
    }
}

/// A slot for a variable that has none yet.
fn fresh(store: &Store, slots: &mut VariableSlots, cell: Cell, kind: SlotKind) -> Option<usize> {
    let is_fresh = matches!(store.look(cell), Term::Var(_)) && slots.find(cell).is_none();
    is_fresh.then(|| slots.add(Some(cell), kind))
}

/// `event(Constraints)`, or a search beyond the cursor: over all events, those with a number or call that is already known,
/// or those with other known values.
fn events(world: &mut World, so_far: &mut GoalSteps, constraints: Cell, beyond: Option<JoinBand>) -> Option<RowStep> {
    let is_first = so_far.steps.is_empty();
    let is_known = |query: &CompiledQuery| query.is_unlimited() || is_first && so_far.order == RowOrder::Answers;
    let (constraints, mut bands) = bands_taken_out(world, so_far, constraints)?;
    bands.extend(beyond);
    let query = CompiledQuery::new(world, constraints, Purpose::Search).ok().filter(is_known)?;
    let plan: &Plan = &query.plan;
    let event = so_far.slots.add(None, SlotKind::Integer);
    let mut found = FoundValues { n_known: so_far.slots.len(), binds: Vec::new(), known: Vec::new() };
    for (index, usage) in &plan.uses {
        let term = world.store.deref(query.terms[*index]);
        match *usage {
            _ if is_of_arguments(*usage) => found.arguments(&world.store, &mut so_far.slots, *usage, term)?,
            TermUse::Unify(EventPart::Attribute(attribute)) => {
                found.attribute(&world.store, so_far, attribute, term)?;
            }
            TermUse::Chrono | TermUse::Call => {}
            _ => return None,
        }
    }
    let is_filtered = !plan.tests.is_empty() || plan.uses.iter().any(|(_, usage)| is_of_arguments(*usage));
    let keys = query.trace.keys_of(&plan.pattern).filter(|_| !is_filtered);
    let filter = is_filtered.then(|| query.filter(&world.store));
    let events = Events { query, filter, keys, event, binds: found.binds };
    match found.known.as_slice() {
        [] if is_first => Some(RowStep::Events(events)),
        known if known.len() != 1 || !bands.is_empty() => {
            Some(RowStep::Join(Join::new(&so_far.trace, events, found.known, bands)))
        }
        [JoinKey { slot, kind: SlotKind::Integer, part: IndexedPart::Attribute(AttributeId::CHRONO), .. }] => {
            Some(RowStep::EventAt(*slot, events))
        }
        [JoinKey { slot, kind: SlotKind::Call, part: IndexedPart::Attribute(AttributeId::CALL), .. }] => {
            Some(RowStep::EventsOf(*slot, events))
        }
        _ => Some(RowStep::Join(Join::new(&so_far.trace, events, found.known, bands))),
    }
}

/// What is left of a list of constraints without those that compare an attribute of integers with variables of earlier goals,
/// such as `time = T..U` and `depth > D`, and these; none if one of these is of another form.
fn bands_taken_out(world: &mut World, so_far: &GoalSteps, constraints: Cell) -> Option<(Cell, Vec<JoinBand>)> {
    let walk = world.store.walk_list(constraints);
    if walk.end != ListEnd::Nil {
        return Some((constraints, Vec::new()));
    }
    let (mut left, mut bands) = (Vec::new(), Vec::new());
    for item in walk.items {
        match band(world, so_far, item)? {
            Some(band) => bands.push(band),
            None => left.push(item),
        }
    }
    let rest = if bands.is_empty() { constraints } else { world.store.list(&left) };
    Some((rest, bands))
}

/// The band of a constraint; none inside if it has no variables as ends.
fn band(world: &mut World, so_far: &GoalSteps, item: Cell) -> Option<Option<JoinBand>> {
    let Term::Compound(constraint) = world.store.look(item) else { return Some(None) };
    let &[name, form] = world.store.args(constraint) else { return Some(None) };
    let slots = &so_far.slots;
    let end = |end: Cell, is_included: bool| {
        let is_end = matches!(world.store.look(end), Term::Var(_) | Term::Int(_));
        let value = is_end.then(|| Expression::new(&world.store, slots, end)).flatten()?;
        Some(Some(BandEnd { value, is_included }))
    };
    let is_open = |cell: Cell| matches!(world.store.look(cell), Term::Var(_));
    let range = match world.store.look(form) {
        Term::Compound(range) if (range.name, range.arity) == (atoms::RANGE, 2) => {
            Some((world.store.arg(range, 0), world.store.arg(range, 1)))
        }
        _ => None,
    };
    let (least, greatest) = match (constraint.name.as_str(), range) {
        ("=", Some((low, high))) if is_open(low) || is_open(high) => (end(low, true)?, end(high, true)?),
        (">", None) if is_open(form) => (end(form, false)?, None),
        (">=", None) if is_open(form) => (end(form, true)?, None),
        ("<", None) if is_open(form) => (None, end(form, false)?),
        ("=<", None) if is_open(form) => (None, end(form, true)?),
        _ => return Some(None),
    };
    let attribute = attribute(world, &so_far.trace, name).ok()?;
    let is_of_integers = attribute == AttributeId::CHRONO || so_far.trace.is_integer_column(attribute);
    is_of_integers.then_some(Some(JoinBand { attribute, least, greatest }))
}

/// What the events of a search give to slots, and what slots must equal.
struct FoundValues {
    /// The slots before those that the search fills.
    n_known: usize,
    binds: Vec<(usize, Bind)>,
    known: Vec<JoinKey>,
}

/// The most variables in a term for arguments.
const MAX_VARIABLES: usize = 64;

impl FoundValues {
    /// Takes the variable that is the value of an attribute.
    fn attribute(&mut self, store: &Store, so_far: &mut GoalSteps, attribute: AttributeId, term: Cell) -> Option<()> {
        if !matches!(store.look(term), Term::Var(_)) {
            return None;
        }
        match so_far.slots.find(term) {
            None => {
                let (kind, bind) = bind(&so_far.trace, attribute)?;
                self.binds.push((so_far.slots.add(Some(term), kind), bind));
                Some(())
            }
            Some(known) if so_far.trace.has_simple_values(attribute) => {
                self.equal(known, IndexedPart::Attribute(attribute))
            }
            Some(_) => None,
        }
    }

    /// Takes the variables of a term for arguments; none if one that is known already is at a place without an index.
    fn arguments(&mut self, store: &Store, slots: &mut VariableSlots, usage: TermUse, term: Cell) -> Option<()> {
        let variables = store.variables(term);
        if store.occurs_check != OccursCheck::Off || variables.len() > MAX_VARIABLES {
            return None;
        }
        let parts = lookup::indexed_arguments(store, usage, term);
        for variable in variables {
            let part = parts.iter().find(|(_, term)| store.deref(*term) == variable).map(|(part, _)| *part);
            match (slots.find(variable), part) {
                (None, Some(part)) => self.binds.push((slots.add(Some(variable), SlotKind::Part(part)), Bind::Event)),
                (None, None) => {
                    slots.add(Some(variable), SlotKind::Argument);
                }
                (Some(known), part) => self.equal(known, part?)?,
            }
        }
        Some(())
    }

    /// Takes a slot that a part must equal.
    fn equal(&mut self, (slot, kind): (usize, SlotKind), part: IndexedPart) -> Option<()> {
        let can_join = slot < self.n_known && kind != SlotKind::Argument;
        can_join.then(|| self.known.push(JoinKey::new((slot, kind), part)))
    }
}

fn bind(trace: &Trace, attribute: AttributeId) -> Option<(SlotKind, Bind)> {
    match attribute {
        AttributeId::CHRONO => Some((SlotKind::Integer, Bind::Chrono)),
        AttributeId::CALL => Some((SlotKind::Call, Bind::Call)),
        _ if trace.is_part_of_key(attribute) => Some((SlotKind::Event(attribute), Bind::Event)),
        _ if trace.is_integer_column(attribute) => Some((SlotKind::Integer, Bind::Integer(attribute))),
        _ if trace.has_simple_values(attribute) => {
            Some((SlotKind::Part(IndexedPart::Attribute(attribute)), Bind::Event))
        }
        _ => None,
    }
}

/// `\+ Goal`, where the goal is one search from a known number or call, or consists of comparisons.
fn negation(world: &mut World, so_far: &mut GoalSteps, goal: Cell) -> Option<RowStep> {
    let goals = conjunction(world, goal)?;
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
        RowStep::Join(join) => Some(RowStep::NoJoin(join)),
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
