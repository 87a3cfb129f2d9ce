//! `setup_call_cleanup/3`: cleanups that are called when a goal is left in any way.
//!
//! The goal runs above a choice point that holds the cleanup. Whatever drops that choice point calls the cleanup: the
//! goal's last solution, backtracking, an exception, a cut, or the end of the query. A cut that drops no cleanup finds
//! this out by comparing one number.

use std::time::{Duration, Instant};

use super::backtrace::GoalRegisters;
use super::calls::Entered;
use super::choices::Alternative;
use super::machine::{HEADER, Machine};
use crate::engine::code::{FAIL, Pc};
use crate::engine::heap::{Cell, Stop};
use crate::engine::state::{CleanupStep, Namespace};
use crate::term::{Atom, atoms};

/// The pending cleanups, in the order of their choice points.
#[derive(Debug, Default)]
pub(super) struct Cleanups {
    waiting: Vec<WaitingCleanup>,
    /// A cut below this height drops some.
    pub(super) guard: usize,
    serial: i64,
}

#[derive(Clone, Copy, Debug)]
struct WaitingCleanup {
    /// The height of the choice point.
    choice: usize,
    /// Distinguishes this cleanup from those at the same height at other times.
    serial: i64,
}

/// How long cleanups may take if their query has reached its time limit or is ended early.
const GRACE: Duration = Duration::from_secs(1);

impl Cleanups {
    fn push(&mut self, choice: usize) -> i64 {
        self.serial += 1;
        self.waiting.push(WaitingCleanup { choice, serial: self.serial });
        self.guard = choice + 1;
        self.serial
    }

    fn pop(&mut self) -> Option<usize> {
        let last = self.waiting.pop()?;
        self.guard = self.waiting.last().map_or(0, |waiting| waiting.choice + 1);
        Some(last.choice)
    }

    pub(super) fn clear(&mut self) {
        *self = Cleanups { serial: self.serial, ..Cleanups::default() };
    }
}

impl Machine {
    /// Runs a step whose arguments are in the registers.
    pub(super) fn cleanup_step(&mut self, step: CleanupStep) -> Entered {
        match step {
            CleanupStep::Mark => self.begin_cleanup(),
            CleanupStep::Exit => self.cleanup_after_exit(),
            CleanupStep::Rethrow => {
                self.keep_ball(self.x[0]);
                let frame = self.integer_in(1) as usize;
                self.note_cleanup_end(frame);
                self.unwind_at_once(GoalRegisters::of_frame(frame))
            }
            CleanupStep::Resume => Entered::Code(self.resume_after_cut()),
        }
    }

    fn begin_cleanup(&mut self) -> Entered {
        let serial = self.cleanups.push(self.choices.len());
        let variable = self.x[2];
        self.push_choice(Alternative::Cleanup, 2);
        let serial = self.world.store.int(serial);
        self.world.store.unify(variable, serial);
        Entered::Return
    }

    /// Continues when the goal has succeeded: with the cleanup, if the goal has left no choice point.
    fn cleanup_after_exit(&mut self) -> Entered {
        let serial = self.integer_in(0);
        let is_last = self
            .cleanups
            .waiting
            .last()
            .is_some_and(|waiting| waiting.serial == serial && waiting.choice + 1 == self.choices.len());
        if !is_last {
            return Entered::Return;
        }
        let [catcher, cleanup] = self.take_cleanup();
        self.x[..3].copy_from_slice(&[Cell::atom(Atom::new("exit")), catcher, cleanup]);
        Entered::Code(self.call_library("cleanup_run_", 3))
    }

    /// Drops the newest choice point, which is that of a cleanup, and returns what it holds.
    fn take_cleanup(&mut self) -> [Cell; 2] {
        self.cleanups.pop();
        let choice = self.choices.last().expect("each pending cleanup has a choice point");
        let held = [self.saved[choice.saved], self.saved[choice.saved + 1]];
        self.cut_to(self.choices.len() - 1);
        held
    }

    /// Runs the cleanup when the goal has no more solutions; the state before the goal is restored already.
    pub(super) fn cleanup_after_failure(&mut self) -> Pc {
        let held = self.take_cleanup();
        self.x[..2].copy_from_slice(&held);
        self.call_library("cleanup_fail_", 2)
    }

    /// Runs the cleanup when an exception leaves the goal. Its handler is sought in the environments from `frame`
    /// outwards; returns the first of these that is outside the goal.
    pub(super) fn cleanup_after_throw(&mut self, frame: usize) -> usize {
        self.restore();
        let top = self.choices.last().expect("the caller has seen one").top;
        let frame = self.ancestor_frame(frame, top - 1);
        let held = self.take_cleanup();
        self.x[..2].copy_from_slice(&held);
        self.x[2] = self.world.store.thaw(&self.caught.ball);
        self.x[3] = self.world.store.int(frame as i64);
        if let Some(failing) = &mut self.world.tables.failing {
            failing.height = self.choices.len();
        }
        self.pc = self.call_library("cleanup_throw_", 4);
        frame
    }

    /// Drops the choice points above the first `height` and returns where to continue: at `pc`, unless cleanups among
    /// them have to run first.
    pub(super) fn cut(&mut self, height: usize, pc: Pc) -> Pc {
        if height < self.cleanups.guard {
            return self.cut_with_cleanups(height, pc);
        }
        self.cut_to(height);
        pc
    }

    #[cold]
    fn cut_with_cleanups(&mut self, height: usize, pc: Pc) -> Pc {
        let mut dropped = Vec::new();
        while self.cleanups.guard > height {
            let choice = self.cleanups.pop().expect("the guard is that of the last one");
            let saved = self.choices[choice].saved;
            dropped.push(self.world.store.compound(atoms::MINUS, &[self.saved[saved], self.saved[saved + 1]]));
        }
        self.cut_to(height);
        let dropped = self.world.store.list(&dropped);
        self.suspend_registers(pc);
        self.x[0] = dropped;
        let resume = self.world.database.pred_id(Namespace::Library, Atom::new("$cleanup_resume"), 0);
        self.continuation = self.world.database.entry(resume);
        self.call_library("cleanup_cut_", 1)
    }

    /// Saves the continuation and the registers in an environment, for `resume_after_cut`.
    fn suspend_registers(&mut self, pc: Pc) {
        let kept = [Cell(u64::from(pc)), Cell(self.cut_barrier as u64)];
        self.allocate(kept.len() + self.x.len());
        let start = self.environment + HEADER;
        self.environments[start..start + kept.len()].copy_from_slice(&kept);
        let start = start + kept.len();
        self.environments[start..start + self.x.len()].copy_from_slice(&self.x[..]);
    }

    fn resume_after_cut(&mut self) -> Pc {
        let start = self.environment + HEADER;
        let pc = self.environments[start].0 as Pc;
        self.cut_barrier = self.environments[start + 1].0 as usize;
        let n = self.x.len();
        self.x.copy_from_slice(&self.environments[start + 2..start + 2 + n]);
        self.leave_environment();
        pc
    }

    /// Runs the pending cleanups of a query that is ended.
    pub(super) fn clean_up(&mut self) {
        if self.cleanups.waiting.is_empty() {
            return;
        }
        self.world.tables.abandon_from(0);
        self.shallow = FAIL;
        self.limits.clear();
        self.world.store.watch.goal_deadline = None;
        let deadline = self.world.store.watch.deadline;
        self.world.store.watch.deadline = deadline.map(|_| Instant::now() + GRACE);
        while let Some(choice) = self.cleanups.waiting.last().map(|waiting| waiting.choice) {
            self.cut_to(choice + 1);
            if self.clean_up_last().is_err() {
                break;
            }
        }
        self.world.store.watch.deadline = deadline;
    }

    fn clean_up_last(&mut self) -> Result<(), Stop> {
        let held = self.take_cleanup();
        self.x[..2].copy_from_slice(&held);
        self.continuation = 0;
        self.pc = self.call_library("cleanup_end_", 2);
        self.run().map(|_| ())
    }

    /// Calls a library predicate at once, regardless of limits: a cleanup must at least start.
    pub(super) fn call_library(&mut self, name: &str, arity: usize) -> Pc {
        let pred = self.world.database.pred_id(Namespace::Library, Atom::new(name), arity);
        self.fuel = self.fuel.max(2);
        self.begin_call(pred)
    }
}
