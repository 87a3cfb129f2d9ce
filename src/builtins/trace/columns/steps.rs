//! The steps to which a goal is compiled; each transforms rows of values.

use std::sync::Arc;

use crate::builtins::trace::queries::filter::{Filter, NoStore};
use crate::builtins::trace::queries::query::CompiledQuery;
use crate::engine::{Comparison, SearchCourse, Store};
use crate::trace::{AttributeId, EventId, Trace};

use super::expression::Expression;
use super::join::Join;
use super::slots::{SlotKind, VariableSlots};

/// A list of constraints, with the slots that each of its events fills.
#[derive(Debug)]
pub(super) struct Events {
    pub(super) query: CompiledQuery,
    /// The conditions on arguments, if there are any.
    pub(super) filter: Option<Filter>,
    /// For each key, whether it matches, if the constraints are about nothing else.
    pub(super) keys: Option<Vec<u8>>,
    /// The slot of the event.
    pub(super) event: usize,
    pub(super) binds: Vec<(usize, Bind)>,
}

impl Events {
    /// Whether an event matches, including its arguments; `filter` is a copy of that of the search.
    pub(super) fn matches(
        &self,
        filter: Option<&mut Filter>,
        store: Option<&mut Store>,
        trace: &Trace,
        event: EventId,
    ) -> Result<bool, NoStore> {
        if !self.query.plan.pattern.matches(trace, event) {
            return Ok(false);
        }
        let Some(filter) = filter else { return Ok(true) };
        Ok(self.query.passes_tests(event) && filter.passes(store, trace, event)?)
    }
}

/// The part of an event that a slot holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bind {
    Chrono,
    Call,
    Integer(AttributeId),
    Event,
}

/// A step: a transformation of rows of values.
#[derive(Debug)]
pub(super) enum RowStep {
    /// A row for each event.
    Events(Events),
    /// A row for each integer from one to another.
    Between(i64, i64, usize),
    /// The call with the number in a slot.
    CallNumbered(usize, usize),
    /// The event with the number in a slot.
    EventAt(usize, Events),
    /// The events of the call in a slot.
    EventsOf(usize, Events),
    /// The events that equal the values in slots.
    Join(Join),
    /// Keeps the rows to which no event belongs.
    NoJoin(Join),
    /// Keeps the rows for which no event has the number in a slot.
    NoEventAt(usize, Events),
    /// Keeps the rows whose call, in a slot, has no such event.
    NoEventOf(usize, Events),
    /// The number of the first or last event of the call in a slot.
    Edge(Edge, usize, usize),
    /// The parent of the call in a slot.
    Parent(usize, usize),
    /// The value of an expression.
    Is(usize, Expression),
    /// Keeps the rows for which all comparisons hold; if the flag is false, those for which some comparison fails.
    Compare(Vec<(Comparison, Expression, Expression)>, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Start,
    End,
}

impl RowStep {
    /// The conditions on the arguments of events, if there are any.
    pub(super) fn filter(&self) -> Option<&Filter> {
        match self {
            RowStep::Events(events)
            | RowStep::EventAt(_, events)
            | RowStep::EventsOf(_, events)
            | RowStep::NoEventAt(_, events)
            | RowStep::NoEventOf(_, events) => events.filter.as_ref(),
            _ => None,
        }
    }
}

/// The steps of a goal.
#[derive(Debug)]
pub(crate) struct GoalSteps {
    pub(super) trace: Arc<Trace>,
    pub(super) steps: Vec<RowStep>,
    pub(super) slots: VariableSlots,
    /// The direction in which the events of the first step are searched.
    pub(super) direction: SearchCourse,
    pub(super) order: RowOrder,
    /// The slot with the number of the event that the cursor is at, where goals have moved it.
    pub(super) cursor: Option<usize>,
}

impl GoalSteps {
    pub(super) fn new(trace: Arc<Trace>, order: RowOrder) -> GoalSteps {
        let direction = SearchCourse::Relation;
        GoalSteps { trace, steps: Vec::new(), slots: VariableSlots::default(), direction, order, cursor: None }
    }

    /// A search alone, whose events are in the first slot.
    pub(super) fn of_search(trace: &Arc<Trace>, events: Events) -> GoalSteps {
        let mut steps = GoalSteps::new(Arc::clone(trace), RowOrder::Any);
        steps.slots.add(None, SlotKind::Integer);
        steps.steps.push(RowStep::Events(events));
        steps
    }

    /// The number of events that the first search looks at, at most.
    pub(super) fn n_visited(&self) -> u64 {
        match self.steps.first() {
            Some(RowStep::Events(events)) => events.query.plan.pattern.n_visited(&self.trace),
            _ => 0,
        }
    }

    /// Whether a slot holds the numbers of events.
    pub(super) fn numbers_events(&self, slot: usize) -> bool {
        let binds = |step: &RowStep| match step {
            RowStep::Events(events) | RowStep::EventAt(_, events) | RowStep::EventsOf(_, events) => {
                is_number(&events.binds, slot)
            }
            RowStep::Join(join) => is_number(&join.binds, slot),
            _ => false,
        };
        self.steps.iter().any(binds)
    }
}

fn is_number(binds: &[(usize, Bind)], slot: usize) -> bool {
    binds.iter().any(|(bound, bind)| *bound == slot && matches!(bind, Bind::Chrono))
}

/// The order in which rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowOrder {
    /// Any order, from the whole trace.
    Any,
    /// The order of the answers, from the part of the trace that the goal searches.
    Answers,
}
