//! Runs the steps over all rows on all cores, for results that do not depend on their order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::engine::{Stop, Watch, World};
use crate::trace::Sweep;
use crate::trace::threads::{lock, n_cores, with_helpers};

use super::rows::Batch;
use super::run::{Halt, MoreRows, ROWS, RunEnd, Worker};
use super::steps::{Events, GoalSteps, RowStep};

/// A result computed from rows in any order.
pub(super) trait RowSink: Clone + Send + Sync {
    /// Adds the rows of a batch; none if a value does not fit into 64 bits.
    fn add(&mut self, steps: &GoalSteps, batch: &Batch) -> Option<()>;

    /// Adds the result of other rows.
    fn absorb(&mut self, steps: &GoalSteps, other: Self);
}

/// The most stretches of a batch, even if they give few rows.
const MAX_STRETCHES: usize = 64;
/// A thread without a store stops after leaving this many batches to the thread that has one.
const MAX_LEFT: usize = 16;

/// The work that threads share.
struct SharedWork<'s> {
    steps: &'s GoalSteps,
    events: &'s Events,
    sweep: Sweep<'s>,
    watch: Watch,
    /// The first stretch that no thread has taken.
    next: AtomicUsize,
    /// The stretches whose rows cannot be decided without a store.
    left: Mutex<Vec<usize>>,
    is_abandoned: AtomicBool,
}

impl GoalSteps {
    /// Adds all rows to `sink`, which must be empty.
    pub(super) fn run_shared<S: RowSink>(&self, world: &mut World, sink: &mut S) -> Result<RunEnd, Stop> {
        let Some(RowStep::Events(events)) = self.steps.first() else {
            return self.run(world, ROWS, |batch| sink.add(self, batch).map(|()| MoreRows::Wanted));
        };
        if !self.prepare(world)? {
            return Ok(RunEnd::Abandoned);
        }
        let sweep = Sweep::new(&self.trace, &events.query.plan.pattern);
        let n_threads = n_threads(&sweep, events);
        let shared = SharedWork {
            steps: self,
            events,
            sweep,
            watch: world.store.watch.clone(),
            next: AtomicUsize::new(0),
            left: Mutex::default(),
            is_abandoned: AtomicBool::new(false),
        };
        let watch = shared.watch.clone();
        let mut worker = Worker::new(self, Some(&mut world.store), watch);
        let empty = sink.clone();
        let help = || {
            let mut sink = empty.clone();
            shared.work(&mut Worker::new(self, None, shared.watch.clone()), &mut sink);
            sink
        };
        let ((), others) = with_helpers(n_threads - 1, help, || shared.work(&mut worker, sink));
        others.into_iter().for_each(|other| sink.absorb(self, other));
        shared.work_off(&mut worker, sink);
        let is_abandoned = shared.is_abandoned.into_inner();
        world.store.watch.check()?;
        Ok(if is_abandoned { RunEnd::Abandoned } else { RunEnd::Done })
    }
}

impl SharedWork<'_> {
    fn is_over(&self) -> bool {
        self.is_abandoned.load(Ordering::Relaxed) || self.watch.is_due()
    }

    /// Takes stretches and adds their rows until none is left.
    fn work<S: RowSink>(&self, worker: &mut Worker<'_>, sink: &mut S) {
        let n_stretches = self.sweep.n_stretches();
        let (mut taken, mut n_left) = (Vec::new(), 0);
        while n_left < MAX_LEFT && !self.is_over() {
            taken.clear();
            worker.batch.clear();
            while taken.len() < MAX_STRETCHES && worker.batch.columns[self.events.event].len() < ROWS {
                let stretch = self.next.fetch_add(1, Ordering::Relaxed);
                if stretch >= n_stretches {
                    break;
                }
                self.sweep.add(stretch, &mut worker.batch.columns[self.events.event]);
                taken.push(stretch);
            }
            if taken.is_empty() {
                return;
            }
            if self.add(worker, sink) == Err(Halt::NoStore) {
                n_left += 1;
                lock(&self.left).append(&mut taken);
            }
        }
    }

    /// Adds the rows of the stretches that were left to the thread with a store.
    fn work_off<S: RowSink>(&self, worker: &mut Worker<'_>, sink: &mut S) {
        let left = std::mem::take(&mut *lock(&self.left));
        for stretch in left {
            if self.is_over() {
                return;
            }
            worker.batch.clear();
            self.sweep.add(stretch, &mut worker.batch.columns[self.events.event]);
            if self.add(worker, sink).is_err() {
                return;
            }
        }
    }

    /// Adds the rows that result from the events in the slot of the first step.
    fn add<S: RowSink>(&self, worker: &mut Worker<'_>, sink: &mut S) -> Result<(), Halt> {
        let mut done = worker.filter_first(self.events, 0);
        if done.is_ok() {
            worker.begin(self.events);
            let add = |batch: &Batch| sink.add(self.steps, batch).map(|()| MoreRows::Wanted);
            done = worker.finish(add).map(drop);
        }
        if done.is_err_and(|halt| halt != Halt::NoStore) {
            self.is_abandoned.store(true, Ordering::Relaxed);
        }
        done
    }
}

/// The least work for a thread, in rows of a column (estimated).
const WORTH_A_THREAD: usize = 1 << 18;
/// The cost of an event of a list, in rows of a column (estimated).
const LISTED: usize = 4;
/// The cost of testing the arguments of an event, in rows of a column (estimated).
const FILTERED: usize = 32;

/// The number of threads for the work.
fn n_threads(sweep: &Sweep<'_>, events: &Events) -> usize {
    let n_rows = sweep.n_rows();
    let work = match sweep.n_listed() {
        Some(n_events) if events.filter.is_some() => n_events * FILTERED,
        Some(n_events) => n_events * LISTED,
        None => n_rows,
    };
    match work / WORTH_A_THREAD {
        0 | 1 => 1,
        n_threads => n_threads.min(n_cores()),
    }
}
