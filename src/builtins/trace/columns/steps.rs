//! The steps that a goal becomes: what each makes of rows of values.

use std::sync::Arc;

use crate::builtins::trace::queries::filter::{Filter, NoStore};
use crate::builtins::trace::queries::query::Query;
use crate::engine::{Direction, Store};
use crate::trace::{AttributeId, EventId, Trace};

use super::expression::Expression;
use super::slots::Slots;

/// A list of constraints and what it gives of each event.
#[derive(Debug)]
pub(super) struct Events {
    pub(super) query: Query,
    /// What is asked of the arguments, if anything is.
    pub(super) filter: Option<Filter>,
    /// For each key whether it matches, if nothing else is asked.
    pub(super) keys: Option<Vec<u8>>,
    /// The slot of the event.
    pub(super) event: usize,
    pub(super) binds: Vec<(usize, Bind)>,
}

impl Events {
    /// Whether an event matches in every respect; `filter` is a copy of that of the search.
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

/// What a slot gets of an event.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bind {
    Chrono,
    Call,
    Integer(AttributeId),
    Event,
}

/// A step: what becomes of rows of values.
#[derive(Debug)]
pub(super) enum Step {
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
    /// Rows that have no event with the number in a slot.
    NoEventAt(usize, Events),
    /// Rows whose call, in a slot, has no such event.
    NoEventOf(usize, Events),
    /// The number of the first or last event of the call in a slot.
    Edge(Edge, usize, usize),
    /// The call around the call in a slot.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

impl Step {
    /// What is asked of the arguments of events, if anything is.
    pub(super) fn filter(&self) -> Option<&Filter> {
        match self {
            Step::Events(events)
            | Step::EventAt(_, events)
            | Step::EventsOf(_, events)
            | Step::NoEventAt(_, events)
            | Step::NoEventOf(_, events) => events.filter.as_ref(),
            _ => None,
        }
    }
}

/// The steps that a goal is.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) trace: Arc<Trace>,
    pub(super) steps: Vec<Step>,
    pub(super) slots: Slots,
    /// Where the events of the first step are looked for.
    pub(super) direction: Direction,
    pub(super) order: Order,
}

/// In which order rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// In any, from the whole trace.
    Any,
    /// In that of the answers, from wherever these are looked for.
    Answers,
}
