//! Assertions on a growing trace: events that match their lists are kept as long as they can matter, and a violation is
//! reported once no later event can change it.

use smallvec::SmallVec;
use std::time::{Duration, Instant};

use crate::engine::{Cell, Frozen, Stop, Term, World};
use crate::formats::{KeptEvent, NewEvents, NewLines};
use crate::term::hash::NumberMap;
use crate::trace::{
    Bindings, Claim, Constraint, EventId, Growth, Marks, Measure, Needed, Property, PropertyBinding, Scope, Slice,
    Trace, TraceEnd, Violation, telling_values,
};

use super::codes::TermCodes;
use super::evaluate::{Sum, compared_by_value, shared_variables};
use super::goal::{Assertion, VocabularyWord, named_variables, vocabulary_goal};
use super::limit::DistanceLimit;
use super::marks::{MarkedList, numbers_in};
use super::strangers::FirstValues;
use super::words::{Case, Names};

/// An assertion on a growing trace. Rows of events are counted from 0 over all batches.
pub(crate) struct Follower {
    /// The goal with the names of its variables: `$violation(Goal, Names)`.
    goal: Frozen,
    lists: Vec<Matched>,
    codes: TermCodes,
    first_values: FirstValues,
    /// What the goal says.
    form: Option<AssertionForm>,
    /// How far apart events must be, once it is known.
    limit: Option<DistanceLimit>,
    /// The first and the last event of the trace so far, with their values for the limit's attribute.
    edges: [Option<(EventId, i128)>; 2],
    n_events: EventId,
    /// The events before this one were decided for every binding that they can belong to, and may have been dropped.
    from: EventId,
    /// Whether something could have violated the assertion so far.
    has_cases: bool,
    is_due: bool,
    /// When it was decided last, and how long that took.
    decided: Option<(Instant, Duration)>,
    /// For each list, whether no later value can change which of the earlier events match.
    settled: Vec<bool>,
    /// Whether a later value may have changed which of the earlier events match.
    is_overtaken: bool,
    /// Whether some event had a smaller value of the limit's attribute than the one before it, or none.
    time_falls: bool,
}

/// What does not change from batch to batch.
struct AssertionForm {
    word: VocabularyWord,
    property: Property,
    names: Names,
    /// The constraints of the subject in the last batch, if it is no chain.
    asked: Vec<Constraint>,
    /// For each list and for the limit, the error that every event so far gives, such as an attribute that none of them
    /// has: then the list matches none of them. None if there was no event.
    unknown: Option<Vec<Option<Stop>>>,
}

/// The events that match a list and may still matter.
#[derive(Default)]
struct Matched {
    marks: Marks,
    /// The value of each event, if distances are limited.
    values: Vec<Option<i128>>,
    events: Vec<KeptEvent>,
}

/// Why an assertion does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Breach {
    /// In words.
    pub(crate) message: String,
    /// The events that show it.
    pub(crate) witnesses: Vec<KeptEvent>,
}

/// The events that have just arrived.
pub(crate) struct News<'a> {
    /// The events.
    pub(crate) batch: &'a NewEvents,
    /// The text of their lines.
    pub(crate) text: &'a NewLines<'a>,
}

impl News<'_> {
    /// The place in the batch of an event by its row over all batches, if it is one of these.
    fn place(&self, row: EventId) -> Option<EventId> {
        let event = row.checked_sub(self.batch.n_before)?.checked_add(self.batch.first)?;
        Some(event).filter(|event| *event < self.batch.trace.n_events())
    }

    fn event(&self, row: EventId) -> Option<KeptEvent> {
        self.place(row).map(|event| self.text.keep(self.batch, event))
    }

    /// The values that break constraints.
    fn values(&self, row: EventId, asked: &[Constraint]) -> String {
        self.place(row).map_or_else(String::new, |event| telling_values(&self.batch.trace, event, asked))
    }
}

/// The result at the end of the trace.
pub(crate) enum FollowedEnding {
    /// It holds.
    Holds,
    /// It holds because nothing could violate it; the reason in words.
    Vacuous(String),
    /// It does not hold.
    Violated(Breach),
}

/// With more kept events than this, deciding again waits until `IDLE` times the duration of the last time has passed:
/// it takes at most a fifth of the time.
const MANY: usize = 20_000;
const IDLE: u32 = 4;

impl Follower {
    /// The follower of a goal, with names (`Name=Variable`) for its variables; none if the goal can only be decided on
    /// a whole trace.
    pub(crate) fn new(world: &mut World, question: Frozen) -> Option<Follower> {
        let term = world.store.thaw(&question);
        let (goal, _) = question_parts(world, term)?;
        let (word, args) = vocabulary_goal(world, goal)?;
        if !is_followed(world, word, &args) {
            return None;
        }
        Some(Follower {
            goal: question,
            lists: Vec::new(),
            codes: TermCodes::default(),
            first_values: FirstValues::default(),
            form: None,
            limit: None,
            edges: [None, None],
            n_events: 0,
            from: 0,
            has_cases: false,
            is_due: false,
            decided: None,
            time_falls: false,
            settled: Vec::new(),
            is_overtaken: false,
        })
    }

    /// Takes new events, which the world's trace contains too. Returns a violation that no later event can change; it
    /// looks for one only if that is worth the time.
    pub(crate) fn feed(&mut self, world: &mut World, news: &News<'_>) -> Result<Option<Breach>, Stop> {
        let attempt = world.store.begin_attempt();
        let fed = self.add(world, news);
        world.store.undo_attempt(attempt);
        self.n_events += news.batch.trace.n_events() - news.batch.first;
        fed?;
        if self.is_overtaken { Ok(None) } else { self.breach(world, news) }
    }

    fn add(&mut self, world: &mut World, news: &News<'_>) -> Result<(), Stop> {
        let (trace, first) = (&news.batch.trace, news.batch.first);
        let question = world.store.thaw(&self.goal);
        let Some((goal, names)) = question_parts(world, question) else { return Ok(()) };
        let Some((word, args)) = vocabulary_goal(world, goal) else { return Ok(()) };
        let assertion = Assertion::read(&world.store, word, &args)?;
        let shared = shared_variables(&world.store, &assertion.lists);
        let mut unknown = self.form.take().and_then(|form| form.unknown);
        let mut lists = Vec::new();
        for constraints in &assertion.lists {
            let list = MarkedList::new(world, *constraints, &shared);
            lists.push((list, world.remarks.trust_comparisons(&mut world.store)));
        }
        let known = lists.iter().filter_map(|(list, _)| list.as_ref().ok());
        self.is_overtaken |= self.codes.compare_by_value(compared_by_value(&world.store, &shared, known));
        let limit = assertion.within.map(|within| DistanceLimit::read(world, trace, within)).transpose();
        let attribute = limit.as_ref().ok().and_then(|limit| Some(limit.as_ref()?.attribute));
        let value = |event: EventId| Measure::of_value(trace.value(event, attribute?));
        self.time_falls |= attribute.is_some() && falls(news, self.edges[1], value);
        let names =
            Names::new(&world.store, &shared, lists.iter().flat_map(|(list, _)| list), &named_variables(world, names));
        let subject = assertion.only_subject().and_then(|list| lists[list].0.as_ref().ok());
        let asked = subject.map_or(Vec::new(), |list| list.constraints().to_vec());
        let mut errors = Vec::new();
        self.lists.resize_with(lists.len(), Matched::default);
        self.settled.resize(lists.len(), false);
        for (number, ((list, doubt), constraints)) in lists.into_iter().zip(&assertion.lists).enumerate() {
            let marks = match list {
                Ok(list) => {
                    errors.push(doubt.err().map(thrown).transpose()?);
                    let (awaits, is_in_question) = list.awaits(first);
                    self.settled[number] |= !awaits;
                    self.is_overtaken |= !self.settled[number] && is_in_question;
                    let names = list.names(&world.store);
                    let marks = list.marks(world, &mut self.codes)?;
                    self.first_values.add(number, &marks, names);
                    marks
                }
                Err(stop) => {
                    errors.push(Some(thrown(stop)?));
                    let variables = numbers_in(&world.store, *constraints, &shared).collect();
                    Marks { variables, ..Marks::default() }
                }
            };
            self.is_due |= self.lists[number].add(marks, news, value);
        }
        match limit {
            Ok(limit) => {
                errors.push(None);
                self.limit = limit.map(|limit| self.with_growth(limit, trace));
            }
            Err(stop) => errors.push(Some(thrown(stop)?)),
        }
        self.note_edges(news, value);
        let is_timed = self.limit.as_ref().is_some_and(|limit| limit.growth == Growth::Rising);
        self.is_due |= trace.n_events() > first && (is_timed || assertion.property.claim == Claim::Always);
        match &mut unknown {
            _ if trace.n_events() == 0 => {}
            None => unknown = Some(errors),
            Some(unknown) => {
                for (known, now) in unknown.iter_mut().zip(errors) {
                    // an attribute that had no value of this type before has one now
                    self.is_overtaken |= now.is_none() && known.as_ref().is_some_and(is_type_error);
                    *known = known.take().and(now);
                }
            }
        }
        self.form = Some(AssertionForm { word, property: assertion.property, names, asked, unknown });
        Ok(())
    }

    /// The limit; its attribute counts as rising if it is the time and has not fallen so far.
    fn with_growth(&self, limit: DistanceLimit, trace: &Trace) -> DistanceLimit {
        let is_time = &*trace.schema().get(limit.attribute).name == "time";
        match is_time && !self.time_falls {
            true => DistanceLimit { growth: Growth::Rising, ..limit },
            false => limit,
        }
    }

    /// Records the values of the first and the last event.
    fn note_edges(&mut self, news: &News<'_>, value: impl Fn(EventId) -> Option<i128>) {
        let first = news.batch.first;
        let Some(last) = news.batch.trace.n_events().checked_sub(1).filter(|last| *last >= first) else { return };
        let edge = |event: EventId| Some((news.batch.n_before + (event - first), value(event)?));
        if news.batch.n_before == 0 {
            self.edges[0] = edge(first);
        }
        self.edges[1] = edge(last);
    }

    /// Values of its variables that are written alike and never equal.
    pub(crate) fn strangers(&self) -> Vec<String> {
        self.first_values.strangers(&self.codes)
    }

    /// Whether later values may change which of the earlier events match, so that the whole trace may be needed.
    pub(crate) fn is_tentative(&self) -> bool {
        self.settled.is_empty() || self.settled.contains(&false)
    }

    /// Whether later values have changed which of the earlier events match, so that only the whole trace can decide.
    pub(crate) fn is_overtaken(&self) -> bool {
        self.is_overtaken
    }

    /// Whether the events that it asks for show that it holds, whatever else happened.
    pub(crate) fn needs_no_others(&self) -> bool {
        let is_shown = |form: &AssertionForm| {
            matches!(form.property.claim, Claim::Count { most: None, .. }) && form.property.scope == Scope::Globally
        };
        self.limit.is_none() && self.form.as_ref().is_some_and(is_shown)
    }

    fn breach(&mut self, world: &World, news: &News<'_>) -> Result<Option<Breach>, Stop> {
        let is_cheap = self.form.as_ref().is_some_and(|form| form.property.claim == Claim::Always);
        let n_kept: usize = self.lists.iter().map(|list| list.events.len()).sum();
        let is_soon = self.decided.is_some_and(|(when, took)| n_kept > MANY && when.elapsed() < took * IDLE);
        let is_understood = self.form.as_ref().is_some_and(|form| form.unknown.iter().flatten().all(Option::is_none));
        if !self.is_due || !is_understood || is_soon && !is_cheap {
            return Ok(None);
        }
        let began = Instant::now();
        let breach = match self.decide(world, TraceEnd::Open, Some(news))? {
            FollowedEnding::Violated(breach) => Some(breach),
            FollowedEnding::Holds | FollowedEnding::Vacuous(_) => None,
        };
        self.is_due = false;
        self.decided = Some((Instant::now(), began.elapsed()));
        Ok(breach)
    }

    /// The result if no event follows; an error if a part of the goal gave that error for every event.
    pub(crate) fn finish(&mut self, world: &World) -> Result<FollowedEnding, Stop> {
        match self.form.as_mut().and_then(|form| form.unknown.iter_mut().flatten().find_map(Option::take)) {
            Some(stop) => Err(stop),
            None => self.decide(world, TraceEnd::Complete, None),
        }
    }

    fn decide(&mut self, world: &World, end: TraceEnd, news: Option<&News<'_>>) -> Result<FollowedEnding, Stop> {
        let Some(form) = &self.form else { return Ok(FollowedEnding::Holds) };
        let marks = self.lists.iter().map(|kept| kept.marks.clone()).collect();
        let bindings = Bindings::new(marks, |bytes| {
            world.store.watch.check()?;
            world.check_room(bytes)
        })?;
        let values = self.values();
        let value = |event: EventId| values.get(&event).copied();
        let limit = self.limit.as_ref();
        let measure = limit.map(|limit| Measure { value: &value, range: limit.range, growth: limit.growth });
        let mut lists: SmallVec<[&[EventId]; 6]> = SmallVec::new();
        let mut sum = Sum::new(bindings.len());
        let mut needed: Vec<Needed> = Vec::new();
        for number in 0..bindings.len() {
            bindings.rows(number, &mut lists);
            let (n_events, from) = (self.n_events, self.from);
            let slice = Slice { lists: &lists, n_events, again: None, end, from, measure: measure.as_ref() };
            sum.add(number, form.property.decide(&slice));
            if bindings.is_uniform() && end == TraceEnd::Open {
                needed.push(form.property.needed_rows(&slice));
            }
        }
        self.has_cases |= sum.n_vacuous < sum.n_bindings;
        if let Some((number, violation)) = sum.first {
            return Ok(FollowedEnding::Violated(self.in_words(form, &bindings.binding(number), &violation, news)));
        }
        let ending = if self.has_cases { FollowedEnding::Holds } else { FollowedEnding::Vacuous(form.word.vacuous()) };
        self.forget(&bindings, &needed);
        Ok(ending)
    }

    fn in_words(
        &self,
        form: &AssertionForm,
        binding: &PropertyBinding,
        violation: &Violation,
        news: Option<&News<'_>>,
    ) -> Breach {
        let event = |row: EventId| self.event(row).or_else(|| news.and_then(|news| news.event(row)));
        let values = self.values();
        let value = |event: EventId| values.get(&event).copied();
        let measure =
            self.limit.as_ref().map(|limit| Measure { value: &value, range: limit.range, growth: limit.growth });
        let case = Case {
            measure: measure.as_ref(),
            tally: None,
            chrono: &|row| event(row).map_or(i64::from(row) + 1, |event| event.chrono),
            word: form.word,
            property: &form.property,
            limit: self.limit.as_ref(),
            values: &|row| news.map_or_else(String::new, |news| news.values(row, &form.asked)),
            names: &form.names,
            codes: &self.codes,
        };
        let message = case.violated(binding, violation, (1, 1));
        Breach { message, witnesses: violation.witnesses().into_iter().filter_map(event).collect() }
    }

    /// An event that was kept.
    fn event(&self, row: EventId) -> Option<KeptEvent> {
        let place = |list: &Matched| Some(list.events[list.marks.rows.binary_search(&row).ok()?].clone());
        self.lists.iter().find_map(place)
    }

    /// Drops the events that can no longer matter.
    fn forget(&mut self, bindings: &Bindings, needed: &[Needed]) {
        if needed.is_empty() {
            return;
        }
        self.from = self.n_events;
        for (list, matched) in self.lists.iter_mut().enumerate() {
            let numbers = bindings.numbers_of(&matched.marks);
            matched.retain(|place, row| needed[numbers.get(place).map_or(0, |number| *number)][list].contains(&row));
        }
    }

    /// The values of events that may still matter.
    fn values(&self) -> NumberMap<EventId, i128> {
        let of_list = |kept: &Matched| -> Vec<(EventId, i128)> {
            let pairs = kept.marks.rows.iter().zip(&kept.values);
            pairs.filter_map(|(row, value)| Some((*row, (*value)?))).collect()
        };
        self.lists.iter().flat_map(of_list).chain(self.edges.iter().flatten().copied()).collect()
    }
}

/// Whether some new event has no value, or a smaller one than the event before it.
fn falls(news: &News<'_>, before: Option<(EventId, i128)>, value: impl Fn(EventId) -> Option<i128>) -> bool {
    let mut last = before.map(|(_, value)| value);
    (news.batch.first..news.batch.trace.n_events()).any(|event| {
        let now = value(event);
        let is_wrong = now.is_none() || last.is_some_and(|last| now < Some(last));
        last = now;
        is_wrong
    })
}

impl Matched {
    /// Adds the matches among new events; returns whether there were any.
    fn add(&mut self, marks: Marks, news: &News<'_>, value: impl Fn(EventId) -> Option<i128>) -> bool {
        let NewEvents { first, n_before, .. } = *news.batch;
        let start = marks.rows.partition_point(|row| *row < first);
        let width = marks.variables.len();
        let rows = &marks.rows[start..];
        self.marks.rows.extend(rows.iter().map(|row| n_before + (row - first)));
        self.marks.codes.extend_from_slice(&marks.codes[start * width..]);
        self.values.extend(rows.iter().map(|row| value(*row)));
        self.events.extend(rows.iter().map(|row| news.text.keep(news.batch, *row)));
        let is_new = !rows.is_empty();
        self.marks.variables = marks.variables;
        is_new
    }

    /// Keeps only the events that are still needed, given their indexes and rows.
    fn retain(&mut self, is_needed: impl Fn(usize, EventId) -> bool) {
        let width = self.marks.variables.len();
        let Marks { rows, codes, .. } = &mut self.marks;
        let mut n_kept = 0;
        for place in 0..rows.len() {
            if is_needed(place, rows[place]) {
                rows[n_kept] = rows[place];
                self.values[n_kept] = self.values[place];
                self.events.swap(n_kept, place);
                codes.copy_within(place * width..(place + 1) * width, n_kept * width);
                n_kept += 1;
            }
        }
        rows.truncate(n_kept);
        self.values.truncate(n_kept);
        self.events.truncate(n_kept);
        codes.truncate(n_kept * width);
    }
}

/// Whether an error says that a value is of a wrong type.
fn is_type_error(stop: &Stop) -> bool {
    let Stop::Throw(ball) = stop else { return false };
    let formal = ball.args(ball.root()).first().and_then(|formal| ball.functor(*formal));
    formal.is_some_and(|(name, _)| name.as_str() == "type_error")
}

/// The error if a goal has thrown one; any other stop ends the following.
fn thrown(stop: Stop) -> Result<Stop, Stop> {
    if matches!(stop, Stop::Throw(_)) { Ok(stop) } else { Err(stop) }
}

/// The goal and the names of `$violation(Goal, Names)`.
fn question_parts(world: &World, question: Cell) -> Option<(Cell, Cell)> {
    match world.store.look(question) {
        Term::Compound(compound) if compound.arity == 2 => {
            Some((world.store.arg(compound, 0), world.store.arg(compound, 1)))
        }
        _ => None,
    }
}

/// Whether a goal can only be violated by events that match its lists, or by the event that has just arrived.
fn is_followed(world: &World, word: VocabularyWord, args: &[Cell]) -> bool {
    if word != VocabularyWord::Always {
        return true;
    }
    let scope = args.get(1).and_then(|scope| world.store.functor(*scope)).map(|(name, _)| name.as_str());
    args.len() < 3 && !matches!(scope, Some("between" | "before"))
}
