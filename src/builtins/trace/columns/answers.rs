//! The answers of a goal as a list, without calling it.

use crate::builtins::program::clause_search::effect_of;
use crate::builtins::trace::values::attributes;
use crate::engine::{Arrival, Cell, Effect, Often, Stop, Store, Term, World};
use crate::term::atoms;
use crate::term::hash::NumberMap;
use crate::trace::{AttributeId, EventId, IndexedPart, Trace};

use super::compile::compile_answers;
use super::rows::Batch;
use super::run::{MoreRows, ROWS, RunEnd};
use super::slots::{SlotKind, VariableSlots};
use super::steps::{GoalSteps, RowStep};

/// A part of an answer.
enum AnswerPart {
    Constant(Cell),
    Integer(usize),
    Call(usize),
    Event(usize, AttributeId),
    /// A part of the event in a slot.
    Part(usize, IndexedPart),
}

/// A template of findall/3.
struct Template {
    /// The name and arguments of a compound; without a name the only value is the template.
    name: Option<crate::term::Atom>,
    values: Vec<AnswerPart>,
}

/// Answers that columns give.
pub(crate) struct Listing {
    steps: GoalSteps,
    template: Template,
    /// The most answers.
    limit: usize,
}

impl Listing {
    /// The instances of a template for the answers of a goal.
    pub(super) fn new(world: &mut World, template: Cell, goal: Cell) -> Option<Listing> {
        let (limit, goal) = limited(world, goal)?;
        if !begins_with_search(world, goal) {
            return None;
        }
        let steps =
            compile_answers(world, goal).filter(|steps| limit == usize::MAX || steps.joins().next().is_none())?;
        let template = Template::new(&world.store, &steps.slots, template)?;
        Some(Listing { steps, template, limit })
    }

    /// The list of the answers; none if columns cannot go on.
    pub(super) fn run(&self, world: &mut World) -> Result<Option<Cell>, Stop> {
        let answers = collect(world, &self.steps, &self.template, self.limit)?;
        match answers {
            Some(answers) => self.template.list(world, &self.steps.trace, &answers),
            None => Ok(None),
        }
    }
}

/// How many answers are wanted, and the goal that gives them.
fn limited(world: &World, goal: Cell) -> Option<(usize, Cell)> {
    let Term::Compound(compound) = world.store.look(goal) else { return None };
    if effect_of(world, goal) != Some(Effect::Limits) {
        return Some((usize::MAX, goal));
    }
    match world.store.look(world.store.arg(compound, 0)) {
        Term::Int(n) if n > 0 => Some((usize::try_from(n).ok()?, world.store.arg(compound, 1))),
        _ => None,
    }
}

/// Whether the first goal of a conjunction is a search that prints nothing.
fn begins_with_search(world: &World, mut goal: Cell) -> bool {
    while let Term::Compound(compound) = world.store.look(goal)
        && (compound.name, compound.arity) == (atoms::COMMA, 2)
    {
        goal = world.store.arg(compound, 0);
    }
    match effect_of(world, goal) {
        Some(Effect::Searches(search)) => search.often == Often::All && search.arrival != Arrival::Shown,
        _ => false,
    }
}

/// Values of answers, a column for each value of the template.
struct AnswerColumns {
    n_answers: usize,
    columns: Vec<Vec<i64>>,
}

/// The first `limit` answers; none if columns cannot give them.
fn collect(
    world: &mut World,
    steps: &GoalSteps,
    template: &Template,
    limit: usize,
) -> Result<Option<AnswerColumns>, Stop> {
    let mut answers = AnswerColumns { n_answers: 0, columns: template.values.iter().map(|_| Vec::new()).collect() };
    let bytes = |n_answers: usize| n_answers.saturating_mul(template.cells()).saturating_mul(2 * size_of::<Cell>());
    let room = world.store.watch.memory.saturating_sub(world.store.bytes().saturating_add(world.bytes_kept()));
    let mut is_found = false;
    let end = steps.run(world, limit.min(ROWS), |batch| {
        is_found = true;
        template.add(&steps.trace, batch, &mut answers);
        let is_enough = answers.n_answers >= limit || bytes(answers.n_answers) > room;
        Some(if is_enough { MoreRows::Enough } else { MoreRows::Wanted })
    })?;
    if !is_found && let Some(RowStep::Events(events)) = steps.steps.first() {
        events.query.note_failure(world, steps.direction.start(world.desk.cursor()).0);
    }
    answers.n_answers = answers.n_answers.min(limit);
    world.check_room(bytes(answers.n_answers))?;
    Ok((end == RunEnd::Done).then_some(answers))
}

impl Template {
    /// A variable, a constant, or a compound of these; none for anything else, or for a variable without a value.
    fn new(store: &Store, slots: &VariableSlots, term: Cell) -> Option<Template> {
        match store.look(term) {
            Term::Compound(compound) => {
                let values = store.args(compound).iter().map(|arg| AnswerPart::new(store, slots, *arg));
                Some(Template { name: Some(compound.name), values: values.collect::<Option<_>>()? })
            }
            _ => Some(Template { name: None, values: vec![AnswerPart::new(store, slots, term)?] }),
        }
    }

    /// The number of cells that an answer and its list pair take.
    fn cells(&self) -> usize {
        self.values.len() + 3
    }

    fn add(&self, trace: &Trace, batch: &Batch, answers: &mut AnswerColumns) {
        answers.n_answers += batch.n_rows;
        for (value, column) in self.values.iter().zip(&mut answers.columns) {
            match value {
                AnswerPart::Constant(_) => {}
                AnswerPart::Call(slot) => trace.gather_call_numbers(&batch.columns[*slot], column),
                AnswerPart::Integer(slot) | AnswerPart::Event(slot, _) | AnswerPart::Part(slot, _) => {
                    column.extend_from_slice(&batch.columns[*slot])
                }
            }
        }
    }

    /// The answers as a list; none if a variable in an argument may be that of another argument.
    fn list(&self, world: &mut World, trace: &Trace, answers: &AnswerColumns) -> Result<Option<Cell>, Stop> {
        let mut by_key: Vec<NumberMap<usize, Cell>> = self.values.iter().map(|_| NumberMap::default()).collect();
        let mut items = Vec::with_capacity(answers.n_answers);
        let mut parts = Vec::with_capacity(self.values.len());
        for row in 0..answers.n_answers {
            if row.is_multiple_of(ROWS) {
                world.check_room(0)?;
            }
            let store = &mut world.store;
            parts.clear();
            for (index, value) in self.values.iter().enumerate() {
                parts.push(match value {
                    AnswerPart::Constant(cell) => *cell,
                    AnswerPart::Integer(_) | AnswerPart::Call(_) => store.int(answers.columns[index][row]),
                    AnswerPart::Event(_, attribute) => {
                        let event = answers.columns[index][row] as EventId;
                        *by_key[index].entry(trace.key_of(event)).or_insert_with(|| {
                            let value = attributes::attribute_value(store, trace, event, *attribute);
                            value.unwrap_or(Cell::atom(atoms::MINUS))
                        })
                    }
                    AnswerPart::Part(_, part) => {
                        let value = attributes::indexed(store, trace, answers.columns[index][row] as EventId, *part);
                        match value.filter(|value| store.is_ground(*value)) {
                            Some(value) => value,
                            None => return Ok(None),
                        }
                    }
                });
            }
            items.push(self.name.map_or(parts[0], |name| store.compound(name, &parts)));
        }
        Ok(Some(world.store.list_of(items.into_iter())))
    }
}

impl AnswerPart {
    fn new(store: &Store, slots: &VariableSlots, term: Cell) -> Option<AnswerPart> {
        match store.look(term) {
            Term::Var(variable) => match slots.find(variable)? {
                (slot, SlotKind::Integer) => Some(AnswerPart::Integer(slot)),
                (slot, SlotKind::Call) => Some(AnswerPart::Call(slot)),
                (slot, SlotKind::Event(attribute)) => Some(AnswerPart::Event(slot, attribute)),
                (slot, SlotKind::Part(part)) => Some(AnswerPart::Part(slot, part)),
                (_, SlotKind::Argument) => None,
            },
            Term::Atom(_) | Term::Int(_) => Some(AnswerPart::Constant(store.deref(term))),
            _ => None,
        }
    }
}
