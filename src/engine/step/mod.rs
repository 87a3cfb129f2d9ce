//! What each instruction does. Every function ends in the next instruction's, so that a run is one long chain of jumps.
//!
//! A build without optimisation has no tail calls: there, [`next`] leaves to the loop in `machine` after every step.

mod arith;
mod assemble;
mod build;
mod call;
mod environment;
mod head;
mod part;
mod test;

pub(super) use assemble::assemble;

use super::calls::Entered;
use super::code::{Exit, Kind, Op, Run};
use super::error::Stop;
use super::instr::{FAIL, NEXT_CLAUSE, Pc};
use super::machine::Machine;

/// Steps that others end in, see [`Run`].
#[used]
static STEPS: [Run; 6] = [leave, grow, fail, resume, refuse, stop_of_walk];

/// Goes on at `pc`.
#[cfg(papaver_tail_calls)]
#[inline(always)]
pub(super) fn next(m: &mut Machine, code: &[Op], pc: usize, s: usize) -> Exit {
    match code.get(pc) {
        Some(op) => (op.run)(m, code, pc, op, s),
        None => leave(m, code, pc, &LEAVE, s),
    }
}

/// Goes on at `pc`.
#[cfg(not(papaver_tail_calls))]
pub(super) fn next(m: &mut Machine, code: &[Op], pc: usize, s: usize) -> Exit {
    leave(m, code, pc, &LEAVE, s)
}

/// Stands behind all code.
static LEAVE: Op = Op { run: leave, v: 0, n: 0, a: 0, b: 0, c: 0, kind: Kind::Fail };

/// Leaves to the loop in `machine`, which goes on at `pc`.
#[inline(never)]
fn leave(m: &mut Machine, _: &[Op], pc: usize, _: &Op, s: usize) -> Exit {
    m.left_at = (pc as Pc, s);
    // A constant would keep the compiler from making this a tail call.
    if m.stop.is_none() { Exit::Continue } else { Exit::Stop }
}

/// Makes room on the heap and the trail and does the same instruction again.
#[inline(never)]
fn grow(m: &mut Machine, code: &[Op], pc: usize, op: &Op, s: usize) -> Exit {
    match m.grow() {
        Outcome::Stop => Exit::Stop,
        _ => (op.run)(m, code, pc, op, s),
    }
}

/// The instruction at hand, or the predicate that it has called, has failed.
#[inline(never)]
pub(super) fn fail(m: &mut Machine, code: &[Op], pc: usize, op: &Op, s: usize) -> Exit {
    if m.shallow >= NEXT_CLAUSE {
        return resume(m, code, pc, op, s);
    }
    let pc = m.shallow as usize;
    m.undo_shallow();
    next(m, code, pc, s)
}

/// Goes on at the newest choice point, or with the next clause of the machine's list.
#[inline(never)]
fn resume(m: &mut Machine, code: &[Op], _: usize, _: &Op, s: usize) -> Exit {
    match m.go_back() {
        Entered::Code(pc) => next(m, code, pc as usize, s),
        Entered::Stop => Exit::Stop,
        _ => Exit::Over,
    }
}

/// Two terms have not been unified: the instruction fails, unless that has ended early.
#[inline(never)]
fn refuse(m: &mut Machine, code: &[Op], pc: usize, op: &Op, s: usize) -> Exit {
    if m.world.store.gave_up() {
        return stop_of_walk(m, code, pc, op, s);
    }
    fail(m, code, pc, op, s)
}

/// A walk over the terms of the instruction at hand has ended early.
#[cold]
#[inline(never)]
fn stop_of_walk(m: &mut Machine, _: &[Op], pc: usize, _: &Op, _: usize) -> Exit {
    m.pc = pc as Pc + 1;
    m.stop = m.world.store.check_walks().err();
    Exit::Stop
}

impl Machine {
    #[inline(never)]
    fn go_back(&mut self) -> Entered {
        if self.shallow == NEXT_CLAUSE {
            self.undo_shallow();
            let (pred, rest) = self.shallow_clauses;
            return Entered::Code(self.begin_next_clause(pred, rest));
        }
        match self.backtrack() {
            Ok(true) => Entered::Code(self.pc),
            Ok(false) => Entered::Over,
            Err(stop) => self.stopped(stop),
        }
    }

    #[inline(never)]
    fn grow(&mut self) -> Outcome {
        let result = self.reserve().map(|()| true);
        outcome(self, result)
    }
}

/// Goes on with a step of which there are many: see [`Run`].
#[inline(always)]
fn detour(run: Run, m: &mut Machine, code: &[Op], pc: usize, op: &Op, s: usize) -> Exit {
    m.detour = Some(run);
    run(m, code, pc, op, s)
}

/// What came of a step that may fail or stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Success,
    Failure,
    Stop,
}

/// The outcome of a result; a stop is put where [`Exit::Stop`] finds it.
fn outcome(m: &mut Machine, result: Result<bool, Stop>) -> Outcome {
    match result {
        Ok(true) => Outcome::Success,
        Ok(false) => Outcome::Failure,
        Err(stop) => {
            m.stop = Some(stop);
            Outcome::Stop
        }
    }
}

/// Goes on behind `pc`, fails or stops.
macro_rules! proceed {
    ($outcome:expr, $m:ident, $code:ident, $pc:ident, $op:ident, $s:expr) => {
        match $outcome {
            Outcome::Success => next($m, $code, $pc + 1, $s),
            Outcome::Failure => fail($m, $code, $pc, $op, $s),
            Outcome::Stop => Exit::Stop,
        }
    };
}
use proceed;

/// Goes on at `to`, or fails if that is no place.
#[inline(always)]
fn otherwise(m: &mut Machine, code: &[Op], pc: usize, op: &Op, s: usize) -> Exit {
    if op.n == FAIL {
        return fail(m, code, pc, op, s);
    }
    next(m, code, op.n as usize, s)
}
