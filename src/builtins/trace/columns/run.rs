//! Runs steps, many rows at a time.

use crate::builtins::trace::queries::filter::{Filter, NoStore};
use crate::engine::{Reach, Stop, Store, Watch, World};
use crate::trace::{EventId, Matches, NO_CALL, SearchDirection, Trace, keep_from};

use super::expression::Expression;
use super::join::Join;
use super::rows::Batch;
use super::steps::{Bind, Edge, Events, GoalSteps, RowStep};

/// How a run over all rows ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunEnd {
    /// All rows were seen, or enough of them.
    Done,
    /// Some value does not fit into 64 bits: the result so far is invalid.
    Abandoned,
}

/// Whether more rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoreRows {
    Wanted,
    Enough,
}

/// The approximate number of rows of a batch.
pub(super) const ROWS: usize = 1024;

/// Why the rows of a batch could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// Some value does not fit into 64 bits.
    TooLarge,
    /// A term has to be built, and there is no store for it.
    NoStore,
    /// A value of a row cannot be looked up.
    NoHash,
    /// The rows that belong to those of a batch are too many for one.
    TooManyRows,
    /// An interrupt or a limit is to be looked at.
    Due,
}

impl From<NoStore> for Halt {
    fn from(_: NoStore) -> Halt {
        Halt::NoStore
    }
}

impl GoalSteps {
    /// The joins of the steps.
    pub(super) fn joins(&self) -> impl Iterator<Item = &Join> {
        self.steps.iter().filter_map(|step| match step {
            RowStep::Join(join) | RowStep::NoJoin(join) => Some(join),
            _ => None,
        })
    }

    /// Makes the tables of the joins; returns whether there is one for each.
    pub(super) fn prepare(&self, world: &mut World) -> Result<bool, Stop> {
        for join in self.joins() {
            if !join.prepare(world, &self.trace)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Calls `sink` with all rows in order, about `at_once` at a time; `sink` returns none if a value does not fit into
    /// 64 bits.
    pub(super) fn run(
        &self,
        world: &mut World,
        at_once: usize,
        mut sink: impl FnMut(&Batch) -> Option<MoreRows>,
    ) -> Result<RunEnd, Stop> {
        let Some(first) = self.steps.first() else { return Ok(RunEnd::Abandoned) };
        if !self.prepare(world)? {
            return Ok(RunEnd::Abandoned);
        }
        let mut source = RowSource::new(self.direction.start(world.desk.cursor()), first, at_once);
        let watch = world.store.watch.clone();
        let mut worker = Worker::new(self, Some(&mut world.store), watch.clone());
        loop {
            watch.check()?;
            let done = source.fill(&mut worker, &watch, first);
            if worker.batch.n_rows == 0 && done.is_ok() {
                watch.check()?;
                return Ok(RunEnd::Done);
            }
            match done.and_then(|()| worker.finish(&mut sink)) {
                Err(_) => {
                    watch.check()?;
                    return Ok(RunEnd::Abandoned);
                }
                Ok(MoreRows::Enough) => return Ok(RunEnd::Done),
                Ok(MoreRows::Wanted) => {}
            }
        }
    }
}

/// Where the rows of the first step come from, in order.
enum RowSource {
    /// Matching events, about this many at once.
    Events(Matches, usize),
    /// The next integer, if there is one.
    Integers(Option<i64>),
}

impl RowSource {
    fn new((_, way, row): (Reach, SearchDirection, EventId), step: &RowStep, at_once: usize) -> RowSource {
        match step {
            RowStep::Events(events) => RowSource::Events(events.query.matches(way, row), at_once),
            RowStep::Between(low, high, _) => RowSource::Integers((low <= high).then_some(*low)),
            _ => unreachable!("goals begin with one of these"),
        }
    }

    fn fill(&mut self, worker: &mut Worker<'_>, watch: &Watch, step: &RowStep) -> Result<(), Halt> {
        worker.batch.clear();
        match (self, step) {
            (RowSource::Events(matches, at_once), RowStep::Events(events)) => {
                let trace = &worker.steps.trace;
                loop {
                    let rows = &mut worker.batch.columns[events.event];
                    let before = rows.len();
                    matches.take(trace, &events.query.plan.pattern, rows);
                    if rows.len() == before {
                        break;
                    }
                    worker.filter_first(events, before)?;
                    if worker.batch.columns[events.event].len() >= *at_once || watch.is_due() {
                        break;
                    }
                }
                worker.begin(events);
            }
            (RowSource::Integers(next), RowStep::Between(_, high, slot)) => {
                if let Some(low) = *next {
                    let last = low.saturating_add(ROWS as i64 - 1).min(*high);
                    worker.batch.columns[*slot].extend(low..=last);
                    worker.batch.n_rows = worker.batch.columns[*slot].len();
                    *next = last.checked_add(1).filter(|next| next <= high);
                }
            }
            _ => unreachable!("the source was made for this step"),
        }
        Ok(())
    }
}

/// Runs the steps for one batch after another.
pub(super) struct Worker<'w> {
    pub(super) steps: &'w GoalSteps,
    pub(super) batch: Batch,
    /// For each step its conditions on arguments, with the verdicts on their texts so far.
    filters: Vec<Option<Filter>>,
    /// Where terms are built; without it, batches that need terms are given up.
    store: Option<&'w mut Store>,
    watch: Watch,
}

impl<'w> Worker<'w> {
    pub(super) fn new(steps: &'w GoalSteps, store: Option<&'w mut Store>, watch: Watch) -> Worker<'w> {
        let batch = Batch { n_rows: 0, columns: vec![Vec::new(); steps.slots.len()] };
        let filters = steps.steps.iter().map(|step| step.filter().cloned()).collect();
        Worker { steps, batch, filters, store, watch }
    }

    /// Removes the first step's events from index `from` on whose arguments do not match.
    pub(super) fn filter_first(&mut self, events: &Events, from: usize) -> Result<(), Halt> {
        let Some(Some(filter)) = self.filters.first_mut() else { return Ok(()) };
        let rows = &mut self.batch.columns[events.event];
        if !events.query.plan.tests.is_empty() {
            keep_from(rows, from, |row| events.query.passes_tests(row as EventId));
        }
        Ok(filter.keep(self.store.as_deref_mut(), &self.steps.trace, rows, from)?)
    }

    /// Makes a row of each event in the slot of the first step.
    pub(super) fn begin(&mut self, events: &Events) {
        self.batch.n_rows = self.batch.columns[events.event].len();
        self.batch.bind(&self.steps.trace, events.event, &events.binds);
    }

    /// Runs all steps but the first, and passes the rows to `sink`; in parts, if they are too many at once.
    pub(super) fn finish(&mut self, mut sink: impl FnMut(&Batch) -> Option<MoreRows>) -> Result<MoreRows, Halt> {
        let rows = match self.steps.steps.first() {
            Some(RowStep::Events(events)) if self.steps.joins().next().is_some() => {
                self.batch.columns[events.event].clone()
            }
            _ => Vec::new(),
        };
        match (self.apply_rest(), self.steps.steps.first()) {
            (Ok(()), _) => sink(&self.batch).ok_or(Halt::TooLarge),
            (Err(Halt::TooManyRows), Some(RowStep::Events(events))) => self.finish_parts(events, &rows, sink),
            (Err(halt), _) => Err(halt),
        }
    }

    fn finish_parts(
        &mut self,
        events: &Events,
        rows: &[i64],
        mut sink: impl FnMut(&Batch) -> Option<MoreRows>,
    ) -> Result<MoreRows, Halt> {
        let (mut waiting, mut has_passed_rows): (Vec<&[i64]>, bool) = (vec![rows], false);
        while let Some(part) = waiting.pop() {
            if self.watch.is_due() {
                return Err(Halt::Due);
            }
            self.batch.clear();
            self.batch.columns[events.event].extend_from_slice(part);
            self.begin(events);
            match self.apply_rest() {
                Ok(()) => {
                    if sink(&self.batch).ok_or(Halt::TooLarge)? == MoreRows::Enough {
                        return Ok(MoreRows::Enough);
                    }
                    has_passed_rows = true;
                }
                // another thread would take the whole batch, and count the rows of these parts again
                Err(Halt::NoStore) if has_passed_rows => return Err(Halt::TooManyRows),
                Err(Halt::TooManyRows) if part.len() > 1 => {
                    let (first, rest) = part.split_at(part.len() / 2);
                    waiting.extend([rest, first]);
                }
                Err(halt) => return Err(halt),
            }
        }
        Ok(MoreRows::Wanted)
    }

    /// Runs all steps but the first.
    fn apply_rest(&mut self) -> Result<(), Halt> {
        let Worker { steps, batch, filters, store, .. } = self;
        for (step, filter) in steps.steps.iter().zip(filters).skip(1) {
            let mut search = RowSearch { trace: &steps.trace, filter: filter.as_mut(), store: store.as_deref_mut() };
            step.apply(&mut search, batch)?;
        }
        Ok(())
    }
}

/// What a search from a known number or call needs besides its constraints.
struct RowSearch<'s> {
    trace: &'s Trace,
    filter: Option<&'s mut Filter>,
    store: Option<&'s mut Store>,
}

impl RowSearch<'_> {
    #[inline]
    fn matches(&mut self, events: &Events, event: EventId) -> Result<bool, Halt> {
        Ok(events.matches(self.filter.as_deref_mut(), self.store.as_deref_mut(), self.trace, event)?)
    }

    /// The row of the event with a number, if it matches; otherwise -1.
    #[inline]
    fn row_at(&mut self, events: &Events, chrono: i64) -> Result<i64, Halt> {
        match self.trace.find_chrono(chrono) {
            Some(row) if self.matches(events, row)? => Ok(i64::from(row)),
            _ => Ok(-1),
        }
    }

    /// For each call, whether none of its events matches.
    fn without(&mut self, events: &Events, calls: &[i64]) -> Result<Vec<bool>, Halt> {
        if self.filter.is_some() {
            return calls.iter().map(|call| self.has_none(events, *call)).collect();
        }
        let mut marks = Vec::with_capacity(calls.len());
        self.trace.gather_without_match(&events.query.plan.pattern, events.keys.as_deref(), calls, &mut marks);
        Ok(marks)
    }

    /// Whether no event of a call matches.
    fn has_none(&mut self, events: &Events, call: i64) -> Result<bool, Halt> {
        for event in self.trace.events_of_call(call) {
            if self.matches(events, *event)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Batch {
    pub(super) fn clear(&mut self) {
        self.n_rows = 0;
        self.columns.iter_mut().for_each(Vec::clear);
    }

    /// Fills the slots whose values the events in a slot give.
    fn bind(&mut self, trace: &Trace, event: usize, binds: &[(usize, Bind)]) {
        let rows = std::mem::take(&mut self.columns[event]);
        for (slot, bind) in binds {
            let into = &mut self.columns[*slot];
            match bind {
                Bind::Chrono => trace.gather_chronos(&rows, into),
                Bind::Call => trace.gather_calls(&rows, into),
                Bind::Event => into.extend_from_slice(&rows),
                Bind::Integer(attribute) => {
                    trace.gather_integers(*attribute, &rows, into);
                }
            }
        }
        self.columns[event] = rows;
    }

    /// Keeps only the marked rows.
    fn keep(&mut self, marks: &[bool]) {
        let n_rows = self.n_rows;
        for column in self.columns.iter_mut().filter(|column| column.len() == n_rows) {
            let mut n_kept = 0;
            for (at, mark) in marks.iter().enumerate() {
                column[n_kept] = column[at];
                n_kept += usize::from(*mark);
            }
            column.truncate(n_kept);
        }
        self.n_rows = marks.iter().map(|mark| usize::from(*mark)).sum();
    }

    /// Replaces the rows by those at the given indexes, which may repeat.
    fn spread(&mut self, places: &[usize]) {
        let n_rows = self.n_rows;
        for column in self.columns.iter_mut().filter(|column| column.len() == n_rows) {
            *column = places.iter().map(|place| column[*place]).collect();
        }
        self.n_rows = places.len();
    }
}

impl RowStep {
    /// Runs the step for all rows of a batch.
    fn apply(&self, search: &mut RowSearch<'_>, batch: &mut Batch) -> Result<(), Halt> {
        let trace = search.trace;
        match self {
            RowStep::Events(_) | RowStep::Between(..) => {}
            RowStep::CallNumbered(slot, to) => {
                let mut calls = Vec::with_capacity(batch.n_rows);
                trace.gather_calls_numbered(&batch.columns[*slot], &mut calls);
                let marks: Vec<bool> = calls.iter().map(|call| *call != NO_CALL).collect();
                batch.columns[*to] = calls;
                batch.keep(&marks);
            }
            RowStep::EventAt(slot, events) => {
                let mut rows = Vec::with_capacity(batch.n_rows);
                for chrono in &batch.columns[*slot] {
                    rows.push(search.row_at(events, *chrono)?);
                }
                let marks: Vec<bool> = rows.iter().map(|row| *row >= 0).collect();
                batch.columns[events.event] = rows;
                batch.keep(&marks);
                batch.bind(trace, events.event, &events.binds);
            }
            RowStep::EventsOf(slot, events) => {
                let (mut places, mut rows) = (Vec::new(), Vec::new());
                for (place, call) in batch.columns[*slot].iter().enumerate() {
                    for event in trace.events_of_call(*call) {
                        if search.matches(events, *event)? {
                            places.push(place);
                            rows.push(i64::from(*event));
                        }
                    }
                }
                batch.spread(&places);
                batch.columns[events.event] = rows;
                batch.bind(trace, events.event, &events.binds);
            }
            RowStep::Join(join) => {
                let (places, rows) = join.found(trace, batch)?;
                batch.spread(&places);
                batch.columns[join.event] = rows;
                batch.bind(trace, join.event, &join.binds);
            }
            RowStep::NoJoin(join) => {
                let marks = join.without(trace, batch)?;
                batch.keep(&marks);
            }
            RowStep::NoEventAt(slot, events) => {
                let is_none = |chrono: &i64| Ok(search.row_at(events, *chrono)? < 0);
                let marks: Vec<bool> = batch.columns[*slot].iter().map(is_none).collect::<Result<_, Halt>>()?;
                batch.keep(&marks);
            }
            RowStep::NoEventOf(slot, events) => {
                let marks = search.without(events, &batch.columns[*slot])?;
                batch.keep(&marks);
            }
            RowStep::Edge(edge, call, to) => {
                let mut into = std::mem::take(&mut batch.columns[*to]);
                match edge {
                    Edge::Start => trace.gather_call_starts(&batch.columns[*call], &mut into),
                    Edge::End => trace.gather_call_ends(&batch.columns[*call], &mut into),
                }
                batch.columns[*to] = into;
            }
            RowStep::Parent(call, to) => {
                let mut into = std::mem::take(&mut batch.columns[*to]);
                trace.gather_parents(&batch.columns[*call], &mut into);
                let marks: Vec<bool> = into.iter().map(|parent| *parent != NO_CALL).collect();
                batch.columns[*to] = into;
                batch.keep(&marks);
            }
            RowStep::Is(to, value) => {
                batch.columns[*to] = value.evaluate(trace, batch).ok_or(Halt::TooLarge)?.into_owned();
            }
            RowStep::Compare(comparisons, wanted) => {
                let mut marks = vec![true; batch.n_rows];
                for (comparison, left, right) in comparisons {
                    let value = |side: &'_ Expression| side.evaluate(trace, batch).ok_or(Halt::TooLarge);
                    let (left, right) = (value(left)?, value(right)?);
                    let pairs = left.iter().zip(right.iter());
                    marks.iter_mut().zip(pairs).for_each(|(mark, (a, b))| *mark &= comparison.holds(a.cmp(b)));
                }
                marks.iter_mut().for_each(|mark| *mark = *mark == *wanted);
                batch.keep(&marks);
            }
        }
        Ok(())
    }
}
