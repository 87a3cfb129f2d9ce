//! Deciding a goal of the vocabulary on the trace, for each binding of its shared variables.

use smallvec::SmallVec;
use std::sync::Arc;

use crate::builtins::trace::errors::trace;
use crate::engine::{Cell, Stop, Store, Violated, World};
use crate::trace::{
    Bindings, Claim, Constraint, Decision, EventId, Measure, Property, Scope, Slice, Trace, TraceEnd, Violation,
    telling_values,
};

use super::codes::TermCodes;
use super::goal::{Assertion, VocabularyWord};
use super::limit::DistanceLimit;
use super::marks::MarkedList;
use super::strangers::FirstValues;
use super::words::{Case, Names, Tally};

/// The number of bindings decided between two polls of interrupts and limits.
const AT_ONCE: usize = 1024;

/// If more events match, violations are not counted.
const MOST_TALLIED: usize = 100_000;

/// The result for all bindings.
pub(super) struct Sum {
    pub(super) n_bindings: usize,
    pub(super) n_violated: usize,
    pub(super) n_vacuous: usize,
    /// The first violation in the trace, with the number of its binding.
    pub(super) first: Option<(usize, Violation)>,
}

/// A goal of the vocabulary with the events that match its lists.
pub(super) struct MarkedGoal {
    pub(super) trace: Arc<Trace>,
    pub(super) assertion: Assertion,
    limit: Option<DistanceLimit>,
    /// The constraints of the subject, if it is no chain.
    asked: Vec<Constraint>,
    pub(super) bindings: Bindings,
    names: Names,
    pub(super) codes: TermCodes,
}

/// Whether an assertion holds; records why it does not, or that it holds vacuously. `names` are those of its variables.
pub(super) fn evaluate(
    world: &mut World,
    word: VocabularyWord,
    args: &[Cell],
    names: &[(Cell, String)],
) -> Result<bool, Stop> {
    let question = MarkedGoal::new(world, word, args, names)?;
    let sum = question.decide(world, TraceEnd::Complete)?;
    question.note(world, sum)
}

impl MarkedGoal {
    /// Finds the events that match the lists of a goal.
    pub(super) fn new(
        world: &mut World,
        word: VocabularyWord,
        args: &[Cell],
        names: &[(Cell, String)],
    ) -> Result<MarkedGoal, Stop> {
        let trace = trace(world)?;
        let assertion = Assertion::read(&world.store, word, args)?;
        let limit = assertion.within.map(|within| DistanceLimit::read(world, &trace, within)).transpose()?;
        let shared = shared_variables(&world.store, &assertion.lists);
        let list = |list: &Cell| MarkedList::new(world, *list, &shared);
        let lists = assertion.lists.iter().map(list).collect::<Result<Vec<_>, _>>()?;
        let names = Names::new(&world.store, &shared, lists.iter(), names);
        let asked = assertion.only_subject().map_or(Vec::new(), |list| lists[list].constraints().to_vec());
        let mut codes = TermCodes::default();
        codes.compare_by_value(compared_by_value(&world.store, &shared, lists.iter()));
        let (mut marks, mut first_values) = (Vec::new(), FirstValues::default());
        for (number, list) in lists.into_iter().enumerate() {
            let names = list.names(&world.store);
            let found = list.marks(world, &mut codes)?;
            first_values.add(number, &found, names);
            let is_unmeasured = |row: &EventId| trace.is_unmeasured_end(*row);
            if limit.as_ref().is_some_and(|limit| trace.is_time(limit.attribute))
                && found.rows.iter().any(is_unmeasured)
            {
                world.remarks.note_vacuous(trace.lack_of_durations());
            }
            marks.push(found);
        }
        first_values.strangers(&codes).into_iter().for_each(|strangers| world.remarks.note_vacuous(strangers));
        let known = codes.bytes();
        let bindings = Bindings::new(marks, |bytes| {
            world.store.watch.check()?;
            world.check_room(known.saturating_add(bytes))
        })?;
        Ok(MarkedGoal { trace, assertion, limit, asked, bindings, names, codes })
    }

    /// Decides the goal for all bindings, on a complete or a growing trace.
    pub(super) fn decide(&self, world: &World, end: TraceEnd) -> Result<Sum, Stop> {
        let value = |event: EventId| self.value(event);
        let measure = self.measure(&value);
        let mut sum = Sum::new(self.bindings.len());
        let again = self.trace.goes_on_with();
        let mut lists: SmallVec<[&[EventId]; 6]> = SmallVec::new();
        for number in 0..self.bindings.len() {
            if number % AT_ONCE == 0 {
                world.store.watch.check()?;
            }
            self.bindings.rows(number, &mut lists);
            let n_events = self.trace.n_events();
            let slice = Slice { lists: &lists, n_events, again, from: 0, end, measure: measure.as_ref() };
            world.check_room(self.assertion.property.lasso_bytes(&slice))?;
            sum.add(number, self.assertion.property.decide(&slice));
        }
        Ok(sum)
    }

    /// The value of an event for the attribute by which distances are measured.
    fn value(&self, event: EventId) -> Option<i128> {
        let limit = self.limit.as_ref()?;
        Measure::of_value(self.trace.value(event, limit.attribute))
    }

    fn measure<'v>(&self, value: &'v dyn Fn(EventId) -> Option<i128>) -> Option<Measure<'v>> {
        self.limit.as_ref().map(|limit| Measure { value, range: limit.range, growth: limit.growth })
    }

    /// How many of the matching events violate the goal, each decided on its own; none if they depend on each other, if
    /// there are too many, or if there are several bindings.
    fn tally(&self, world: &World) -> Result<Option<Tally>, Stop> {
        let Property { claim, scope, ref subject, .. } = self.assertion.property;
        if self.bindings.len() != 1 || subject.len() != 1 {
            return Ok(None);
        }
        let n_events = self.trace.n_events();
        let mut lists: SmallVec<[&[EventId]; 6]> = SmallVec::new();
        self.bindings.rows(0, &mut lists);
        let rows = lists[subject.start];
        let of_all = |n_wrong, n, what| Ok(Some(Tally { n_wrong, n, what }));
        match claim {
            Claim::Always if scope == Scope::Globally && self.limit.is_none() => {
                return of_all(n_events as usize - rows.len(), self.trace.n_events_of_whole(), "events");
            }
            Claim::Precedes | Claim::Responds | Claim::Count { most: Some(0), .. } if rows.len() <= MOST_TALLIED => {}
            _ => return Ok(None),
        }
        let value = |event: EventId| self.value(event);
        let measure = self.measure(&value);
        let (mut n_wrong, again, end) = (0, self.trace.goes_on_with(), TraceEnd::Complete);
        for (place, row) in rows.iter().enumerate() {
            if place % AT_ONCE == 0 {
                world.store.watch.check()?;
            }
            lists[subject.start] = std::slice::from_ref(row);
            let slice = Slice { lists: &lists, n_events, again, from: 0, end, measure: measure.as_ref() };
            n_wrong += usize::from(matches!(self.assertion.property.decide(&slice), Decision::Violated(_)));
        }
        of_all(n_wrong, rows.len(), "that match")
    }

    /// Records the result for explanations; returns whether the goal holds.
    fn note(&self, world: &mut World, sum: Sum) -> Result<bool, Stop> {
        let Some((number, violation)) = sum.first else {
            match sum.n_vacuous == sum.n_bindings {
                true => world.remarks.assertions.note_vacuous(|| self.assertion.word.vacuous()),
                false => world.remarks.assertions.note_holds(),
            }
            return Ok(true);
        };
        let value = |event: EventId| self.value(event);
        let measure = self.measure(&value);
        let case = Case {
            measure: measure.as_ref(),
            tally: self.tally(world)?,
            chrono: &|event| self.trace.chrono(event),
            word: self.assertion.word,
            property: &self.assertion.property,
            limit: self.limit.as_ref(),
            values: &|event| telling_values(&self.trace, event, &self.asked),
            names: &self.names,
            codes: &self.codes,
        };
        let message = case.violated(&self.bindings.binding(number), &violation, (sum.n_violated, sum.n_bindings));
        world.remarks.fail(message.clone());
        world.remarks.assertions.note_violated(Violated {
            message,
            witnesses: violation.witnesses(),
            trace: world.desk.traces.current(),
        });
        Ok(false)
    }
}

impl Sum {
    pub(super) fn new(n_bindings: usize) -> Sum {
        Sum { n_bindings, n_violated: 0, n_vacuous: 0, first: None }
    }

    pub(super) fn add(&mut self, number: usize, decision: Decision) {
        match decision {
            Decision::Holds => {}
            Decision::Vacuous => self.n_vacuous += 1,
            Decision::Violated(violation) => {
                self.n_violated += 1;
                if self.first.as_ref().is_none_or(|(_, first)| violation.row() < first.row()) {
                    self.first = Some((number, violation));
                }
            }
        }
    }
}

/// For each variable of several lists whether its numbers are compared by value.
pub(super) fn compared_by_value<'l>(
    store: &Store,
    shared: &[Cell],
    lists: impl Iterator<Item = &'l MarkedList>,
) -> Vec<bool> {
    let mut by_value = vec![false; shared.len()];
    lists.for_each(|list| list.add_compared_by_value(store, &mut by_value));
    by_value
}

/// The variables that occur in at least two lists, in order of first occurrence.
pub(super) fn shared_variables(store: &Store, lists: &[Cell]) -> Vec<Cell> {
    let of_lists: Vec<Vec<Cell>> = lists.iter().map(|list| store.variables(*list)).collect();
    let mut shared: Vec<Cell> = Vec::new();
    for variable in of_lists.iter().flatten() {
        let n_lists = of_lists.iter().filter(|variables| variables.contains(variable)).count();
        if n_lists > 1 && !shared.contains(variable) {
            shared.push(*variable);
        }
    }
    shared
}
