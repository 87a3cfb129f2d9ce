//! Lists of constraints: taken apart, compiled once for each shape, and unified with events.

use std::ops::Range;
use std::sync::Arc;

use crate::builtins::trace::constraints::list::{Draft, Purpose, is_of_arguments};
use crate::builtins::trace::errors::trace;
use crate::builtins::trace::values::attributes;
use crate::builtins::trace::values::tuples::LastVariables;
use crate::builtins::trace::values::unify::unify_value;
use crate::engine::{ArgumentTest, Cell, EventPart, Plan, Reach, Stop, Store, Term, TermUse, World};
use crate::term::atoms;
use crate::trace::{AttributeId, CallId, EventId, Matches, SearchDirection, Trace, Value, ValueIndex};

use super::filter::{Filter, Settled};
use super::lookup;

/// Constraints compiled for a trace.
#[derive(Debug)]
pub(crate) struct CompiledQuery {
    /// The trace.
    pub(crate) trace: Arc<Trace>,
    /// The constraints, compiled.
    pub(crate) plan: Arc<Plan>,
    /// The terms that the plan uses.
    pub(crate) terms: Vec<Cell>,
    purpose: Purpose,
    scope: SearchScope,
    /// The candidates that an index knows.
    indexed: Option<(Arc<ValueIndex>, Range<u32>)>,
    /// The terms that are unified with attributes of keys, with the values by key; none if the plan has other uses,
    /// too.
    prepared: Option<Prepared>,
    /// Whether a term must unify with an argument, or must not.
    asks_arguments: bool,
    /// The variables that distinguish tuples of different lengths.
    last_variables: LastVariables,
    n_seen: u32,
    /// The conditions on arguments, made after several events have been tested.
    filter: Option<Filter>,
}

/// Terms, each with the values with which it is unified, by key.
type Prepared = Vec<(Cell, Vec<Option<Cell>>)>;

/// The filter is not made for fewer events than this.
const SEVERAL: u32 = 4;

/// The events to which exact numbers limit a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchScope {
    All,
    Event(EventId),
    Call(CallId),
    None,
}

impl CompiledQuery {
    /// Compiles a term of constraints: a list, or a conjunction with `and`.
    pub(crate) fn new(world: &mut World, constraints: Cell, purpose: Purpose) -> Result<CompiledQuery, Stop> {
        let trace = trace(world)?;
        world.desk.plans.belong_to(&trace);
        let mut draft = Draft::default();
        let mut key = std::mem::take(&mut world.desk.plans.scratch);
        key.clear();
        key.push(u64::from(purpose == Purpose::Current));
        let plan = draft.read(world, &trace, constraints, &mut key).and_then(|()| match world.desk.plans.find(&key) {
            Some(plan) => Ok(Arc::clone(plan)),
            None => {
                let mut draft = Draft::for_plan();
                draft.read(world, &trace, constraints, &mut Vec::new())?;
                let plan = Arc::new(draft.compile(world, &trace, purpose)?);
                world.desk.plans.keep(&key, &plan);
                Ok(plan)
            }
        });
        world.desk.plans.scratch = key;
        let plan = plan?;
        world.remarks.doubt(&trace, &plan);
        let scope = scope(&world.store, &trace, &plan, &draft.terms);
        let indexed = match (purpose, scope) {
            (Purpose::Search, SearchScope::All) => lookup::candidates(world, &trace, &plan, &draft.terms),
            _ => None,
        };
        let asks_arguments = purpose == Purpose::Search && plan.uses.iter().any(|(_, usage)| is_of_arguments(*usage));
        if purpose == Purpose::Search && lookup::asks_for_words(&world.store, &plan, &draft.terms) {
            let words = || {
                let words = lookup::words_inside(&trace, &world.store, &plan, &draft.terms);
                (words, lookup::asked_lists(&world.store, &plan, &draft.terms))
            };
            world.remarks.doubt_words(&trace, &plan, words);
        }
        let last_variables = LastVariables::of_all(&world.store, &draft.terms);
        let terms = draft.terms;
        let (prepared, n_seen, filter) = (None, 0, None);
        Ok(CompiledQuery {
            trace,
            plan,
            terms,
            purpose,
            scope,
            indexed,
            prepared,
            asks_arguments,
            last_variables,
            n_seen,
            filter,
        })
    }

    /// The events after a row, or before it, that satisfy the pattern and the exact numbers.
    pub(crate) fn matches(&self, way: SearchDirection, row: u32) -> Matches {
        let (trace, pattern) = (&self.trace, &self.plan.pattern);
        match (self.scope, &self.indexed) {
            (_, Some((index, places))) => Matches::of_index(trace, pattern, (index, places.clone()), way, row),
            (SearchScope::All, None) => Matches::new(trace, pattern, way, row),
            (SearchScope::Call(call), None) => Matches::of_call(trace, pattern, call, way, row),
            (SearchScope::Event(event), None) => {
                let is_there = (event >= row) == (way == SearchDirection::Forward) && pattern.matches(trace, event);
                Matches::of_event(is_there.then_some(event))
            }
            (SearchScope::None, None) => Matches::of_event(None),
        }
    }

    /// Whether neither exact numbers nor an index limit the search.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.scope == SearchScope::All && self.indexed.is_none()
    }

    /// How a search is run, in one line.
    pub(crate) fn explain(&self) -> String {
        match self.scope {
            SearchScope::All => match &self.indexed {
                Some((_, places)) => format!("looks up {} events in an index", places.len()),
                None => self.plan.pattern.explain(&self.trace),
            },
            SearchScope::Event(_) => "looks up one event".into(),
            SearchScope::Call(call) => format!("walks the {} events of one call", self.trace.call_events(call).len()),
            SearchScope::None => "nothing to search: no event has the number".into(),
        }
    }

    /// Builds the values of each key once, for all its events.
    pub(crate) fn prepare(&mut self, store: &mut Store) {
        let keys = self.trace.events_of_keys();
        if keys.len() * 16 > self.trace.n_events() as usize || !self.plan.tests.is_empty() {
            return;
        }
        let prepared = self.plan.uses.iter().map(|(index, usage)| match usage {
            TermUse::Unify(EventPart::Attribute(attribute)) if self.trace.is_part_of_key(*attribute) => {
                let mut value = |event| attributes::attribute_value(store, &self.trace, event, *attribute);
                let by_key = self.trace.events_of_keys().map(|event| event.and_then(&mut value)).collect();
                Some((self.terms[*index], by_key))
            }
            _ => None,
        });
        self.prepared = prepared.collect();
    }

    /// Whether a search for one more event costs almost nothing.
    pub(crate) fn is_quick(&self) -> bool {
        !self.is_unlimited() || self.trace.n_events() < 10_000 || self.plan.pattern.is_selective()
    }

    /// Whether every event satisfies the pattern.
    pub(crate) fn admits_everything(&self) -> bool {
        self.scope == SearchScope::All && self.plan.pattern.is_everything(&self.trace)
    }

    /// Whether there is nothing that an event that satisfies the pattern must unify with.
    pub(crate) fn binds_nothing(&self) -> bool {
        self.plan.uses.is_empty() && self.plan.tests.is_empty()
    }

    /// Whether an event satisfies the pattern and the exact numbers.
    pub(crate) fn holds_at(&self, event: EventId) -> bool {
        let is_in_scope = match self.scope {
            SearchScope::All => true,
            SearchScope::Event(only) => only == event,
            SearchScope::Call(call) => self.trace.call(event) == Some(call),
            SearchScope::None => false,
        };
        is_in_scope && self.plan.pattern.matches(&self.trace, event)
    }

    /// The conditions of the query on the arguments of events.
    pub(crate) fn filter(&self, store: &Store) -> Filter {
        Filter::new(store, &self.plan, &self.terms)
    }

    /// Whether the filter rules an event out by its arguments.
    #[inline]
    pub(crate) fn rejects(&mut self, store: &Store, event: EventId) -> bool {
        self.asks_arguments && self.settle(store, event).is_none()
    }

    /// The uses that are known to hold for an event and bind nothing; none if some use does not hold.
    fn settle(&mut self, store: &Store, event: EventId) -> Option<Settled> {
        if self.filter.is_none() {
            self.n_seen += 1;
            if self.n_seen == SEVERAL {
                self.filter = Some(self.filter(store));
            }
        }
        self.filter.as_mut().map_or(Some(Settled::default()), |filter| filter.settle(&self.trace, event))
    }

    /// Whether the tests of the arguments hold for an event.
    pub(crate) fn passes_tests(&self, event: EventId) -> bool {
        let passes = |test: &ArgumentTest| match self.trace.value(event, AttributeId::ARGS) {
            Value::Args(list) => {
                attributes::argument_text(&self.trace, event, list, test.part).is_some_and(&test.holds)
            }
            _ => false,
        };
        self.plan.tests.iter().all(passes)
    }

    /// Unifies the terms with the values of an event, after the tests of its arguments.
    pub(crate) fn unify(&mut self, world: &mut World, event: EventId) -> bool {
        if let Some(prepared) = &self.prepared {
            let key = self.trace.key_of(event);
            return prepared.iter().all(|(term, values)| match values.get(key) {
                Some(Some(value)) => world.store.unify(*term, *value),
                _ => false,
            });
        }
        let settled = if self.asks_arguments { self.settle(&world.store, event) } else { Some(Settled::default()) };
        let Some(settled) = settled else { return false };
        self.passes_tests(event)
            && self.unify_uses(world, event, settled)
            && self.last_variables.are_elements(&world.store)
    }

    fn unify_uses(&self, world: &mut World, event: EventId, settled: Settled) -> bool {
        self.plan.uses.iter().all(|&(index, usage)| match usage {
            _ if settled.has(index) => true,
            TermUse::Chrono | TermUse::Call => true,
            TermUse::Unify(part) => self.unify_part(world, event, part, self.terms[index]),
            TermUse::Differ(part) => match attributes::part(&mut world.store, &self.trace, event, part) {
                Some(value) => {
                    let (store, term) = (&mut world.store, self.terms[index]);
                    let last = LastVariables::of_all(store, &[term]);
                    let attempt = store.begin_attempt();
                    let is_same = unify_value(store, term, value) && last.are_elements(store);
                    store.undo_attempt(attempt);
                    !is_same
                }
                None => false,
            },
        })
    }

    fn unify_part(&self, world: &mut World, event: EventId, part: EventPart, term: Cell) -> bool {
        let value = match attributes::part(&mut world.store, &self.trace, event, part) {
            Some(value) => value,
            None if self.purpose == Purpose::Current => Cell::atom(atoms::MINUS),
            None => return false,
        };
        unify_value(&mut world.store, term, value)
    }

    /// Records that nothing was found, for explanations.
    pub(crate) fn note_failure(&self, world: &mut World, reach: Reach) {
        let number = |(index, usage): &(usize, TermUse)| {
            let attribute = match usage {
                TermUse::Chrono => AttributeId::CHRONO,
                TermUse::Call => AttributeId::CALL,
                _ => return None,
            };
            match world.store.look(self.terms[*index]) {
                Term::Int(number) => Some((attribute, number)),
                _ => None,
            }
        };
        let numbers = self.plan.uses.iter().filter_map(number).collect();
        world.remarks.fail_search(&self.trace, &self.plan, numbers, reach);
    }
}

/// The events to which exact numbers limit the search.
fn scope(store: &Store, trace: &Trace, plan: &Plan, terms: &[Cell]) -> SearchScope {
    let mut scope = SearchScope::All;
    for (index, usage) in &plan.uses {
        let Term::Int(number) = store.look(terms[*index]) else { continue };
        let next = match usage {
            TermUse::Chrono => trace.find_chrono(number).map(SearchScope::Event),
            TermUse::Call => trace.find_call(number).map(SearchScope::Call),
            _ => continue,
        };
        scope = match (scope, next.unwrap_or(SearchScope::None)) {
            (SearchScope::All, next) => next,
            (before, next) if before == next => before,
            (SearchScope::Event(event), SearchScope::Call(call))
            | (SearchScope::Call(call), SearchScope::Event(event))
                if trace.call(event) == Some(call) =>
            {
                SearchScope::Event(event)
            }
            _ => SearchScope::None,
        };
    }
    scope
}
