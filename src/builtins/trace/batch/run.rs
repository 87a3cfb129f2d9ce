//! Steps done for many rows at a time.

use crate::engine::{Stop, Store, World};
use crate::trace::{EventId, Matches, NO_CALL, Trace, Way};

use super::goal::{Bind, Comparison, Edge, Events, Step, Steps};

/// Rows of values: a column for each slot that has one.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) n_rows: usize,
    pub(super) columns: Vec<Vec<i64>>,
}

/// How going through all rows ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// All rows were seen, or enough of them.
    Done,
    /// Some value is no integer of 64 bits: nothing that was found counts.
    Abandoned,
}

/// Whether more rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum More {
    Wanted,
    Enough,
}

/// Rows of a batch, at least.
const ROWS: usize = 1024;

impl Steps {
    /// Calls `sink` with all rows, batch by batch and in their order; without an answer from it a value was not one
    /// of 64 bits.
    pub(super) fn run(&self, world: &mut World, mut sink: impl FnMut(&Batch) -> Option<More>) -> Result<End, Stop> {
        let Some((first, rest)) = self.steps.split_first() else { return Ok(End::Abandoned) };
        let mut source = Source::new(&self.trace, first);
        let mut batch = Batch { n_rows: 0, columns: vec![Vec::new(); self.slots.len()] };
        loop {
            world.watch.check()?;
            batch.clear();
            source.fill(world, &self.trace, first, &mut batch);
            if batch.n_rows == 0 {
                world.watch.check()?;
                return Ok(End::Done);
            }
            let done = rest.iter().try_for_each(|step| step.apply(&mut world.store, &self.trace, &mut batch));
            match done.and_then(|()| sink(&batch)) {
                None => return Ok(End::Abandoned),
                Some(More::Enough) => return Ok(End::Done),
                Some(More::Wanted) => {}
            }
        }
    }
}

/// Where the rows of the first step come from.
enum Source {
    Events(Matches),
    /// The next integer, if there is one.
    Integers(Option<i64>),
}

impl Source {
    fn new(trace: &Trace, step: &Step) -> Source {
        match step {
            Step::Events(events) => Source::Events(Matches::new(trace, &events.query.plan.pattern, Way::Forward, 0)),
            Step::Between(low, high, _) => Source::Integers((low <= high).then_some(*low)),
            _ => unreachable!("goals begin with one of these"),
        }
    }

    fn fill(&mut self, world: &mut World, trace: &Trace, step: &Step, batch: &mut Batch) {
        match (self, step) {
            (Source::Events(matches), Step::Events(events)) => {
                let rows = &mut batch.columns[events.event];
                loop {
                    let before = rows.len();
                    matches.take(trace, &events.query.plan.pattern, rows);
                    if rows.len() == before {
                        break;
                    }
                    if events.is_filtered() {
                        let store = &mut world.store;
                        keep_from(rows, before, |row| events.passes(store, trace, row as EventId));
                    }
                    if rows.len() >= ROWS || world.watch.is_due() {
                        break;
                    }
                }
                batch.n_rows = rows.len();
                batch.bind(trace, events);
            }
            (Source::Integers(next), Step::Between(_, high, slot)) => {
                if let Some(low) = *next {
                    let last = low.saturating_add(ROWS as i64 - 1).min(*high);
                    batch.columns[*slot].extend(low..=last);
                    batch.n_rows = batch.columns[*slot].len();
                    *next = last.checked_add(1).filter(|next| next <= high);
                }
            }
            _ => unreachable!("the source was made for this step"),
        }
    }
}

/// Removes the rows from one place on that a condition does not hold for.
fn keep_from(rows: &mut Vec<i64>, from: usize, mut holds: impl FnMut(i64) -> bool) {
    let mut n_kept = from;
    for at in from..rows.len() {
        rows[n_kept] = rows[at];
        n_kept += usize::from(holds(rows[at]));
    }
    rows.truncate(n_kept);
}

impl Batch {
    fn clear(&mut self) {
        self.n_rows = 0;
        self.columns.iter_mut().for_each(Vec::clear);
    }

    /// Fills the slots that a search gives values.
    fn bind(&mut self, trace: &Trace, events: &Events) {
        let rows = std::mem::take(&mut self.columns[events.event]);
        for (slot, bind) in &events.binds {
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
        self.columns[events.event] = rows;
    }

    /// Keeps the rows that are marked.
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

    /// Makes a row of each place given, with the values of the row there.
    fn spread(&mut self, places: &[usize]) {
        let n_rows = self.n_rows;
        for column in self.columns.iter_mut().filter(|column| column.len() == n_rows) {
            *column = places.iter().map(|place| column[*place]).collect();
        }
        self.n_rows = places.len();
    }
}

impl Step {
    /// Does the step for all rows; none if a value is no integer of 64 bits.
    fn apply(&self, store: &mut Store, trace: &Trace, batch: &mut Batch) -> Option<()> {
        match self {
            Step::Events(_) | Step::Between(..) => {}
            Step::CallNumbered(slot, to) => {
                let mut calls = Vec::with_capacity(batch.n_rows);
                trace.gather_calls_numbered(&batch.columns[*slot], &mut calls);
                let marks: Vec<bool> = calls.iter().map(|call| *call != NO_CALL).collect();
                batch.columns[*to] = calls;
                batch.keep(&marks);
            }
            Step::EventAt(slot, events) => {
                let row = |chrono: &i64| row_at(store, trace, events, *chrono);
                let rows: Vec<i64> = batch.columns[*slot].iter().map(row).collect();
                let marks: Vec<bool> = rows.iter().map(|row| *row >= 0).collect();
                batch.columns[events.event] = rows;
                batch.keep(&marks);
                batch.bind(trace, events);
            }
            Step::EventsOf(slot, events) => {
                let (mut places, mut rows) = (Vec::new(), Vec::new());
                for (place, call) in batch.columns[*slot].iter().enumerate() {
                    for event in trace.events_of_call(*call) {
                        if events.matches(store, trace, *event) {
                            places.push(place);
                            rows.push(i64::from(*event));
                        }
                    }
                }
                batch.spread(&places);
                batch.columns[events.event] = rows;
                batch.bind(trace, events);
            }
            Step::NoEventAt(slot, events) => {
                let is_none = |chrono: &i64| row_at(store, trace, events, *chrono) < 0;
                let marks: Vec<bool> = batch.columns[*slot].iter().map(is_none).collect();
                batch.keep(&marks);
            }
            Step::NoEventOf(slot, events) => {
                let (pattern, keys) = (&events.query.plan.pattern, events.keys.as_deref());
                let mut matches = |event: &EventId| events.matches(store, trace, *event);
                let is_none = |call: &i64| match events.is_filtered() {
                    true => !trace.events_of_call(*call).iter().any(&mut matches),
                    false => !trace.has_match_in_call(pattern, keys, *call),
                };
                let marks: Vec<bool> = batch.columns[*slot].iter().map(is_none).collect();
                batch.keep(&marks);
            }
            Step::Edge(edge, call, to) => {
                let mut into = std::mem::take(&mut batch.columns[*to]);
                match edge {
                    Edge::Start => trace.gather_call_starts(&batch.columns[*call], &mut into),
                    Edge::End => trace.gather_call_ends(&batch.columns[*call], &mut into),
                }
                batch.columns[*to] = into;
            }
            Step::Parent(call, to) => {
                let mut into = std::mem::take(&mut batch.columns[*to]);
                trace.gather_parents(&batch.columns[*call], &mut into);
                let marks: Vec<bool> = into.iter().map(|parent| *parent != NO_CALL).collect();
                batch.columns[*to] = into;
                batch.keep(&marks);
            }
            Step::Is(to, value) => batch.columns[*to] = value.evaluate(trace, batch)?,
            Step::Compare(comparisons, wanted) => {
                let mut marks = vec![true; batch.n_rows];
                for (comparison, left, right) in comparisons {
                    let (left, right) = (left.evaluate(trace, batch)?, right.evaluate(trace, batch)?);
                    let pairs = left.iter().zip(&right);
                    marks.iter_mut().zip(pairs).for_each(|(mark, (a, b))| *mark &= comparison.holds(*a, *b));
                }
                marks.iter_mut().for_each(|mark| *mark = *mark == *wanted);
                batch.keep(&marks);
            }
        }
        Some(())
    }
}

/// The row of the event with a number, if it matches; otherwise -1.
fn row_at(store: &mut Store, trace: &Trace, events: &Events, chrono: i64) -> i64 {
    let row = trace.find_chrono(chrono).filter(|row| events.matches(store, trace, *row));
    row.map_or(-1, i64::from)
}

impl Comparison {
    fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Comparison::Less => a < b,
            Comparison::LessOrEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterOrEqual => a >= b,
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
        }
    }
}
