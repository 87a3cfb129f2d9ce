//! Instruction dispatch: every instruction function ends in a call of the next one's (threaded code).
//!
//! An optimized build makes these calls jumps, but Rust does not promise it. So the stack is measured wherever
//! instructions may repeat: at calls, at returns, when backtracking, and in code that is long without any of these. If
//! frames have piled up, the step returns to the loop in `machine`, which continues; see `stack`.

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
use super::machine::Machine;
use super::op::{Exit, InstructionFunction, InstructionKind, LinkedInstruction};
use crate::engine::code::{FAIL, NEXT_CLAUSE, Pc};
use crate::engine::heap::Stop;

/// The steps of this file that are reached through `detour`; see [`InstructionFunction`].
#[used]
static STEPS: [InstructionFunction; 7] = [leave, grow, fail, resume, refuse, stop_at_abandoned_walk, next_measured];

/// Continues at `pc`. In unit tests it is no tail call: they see that the stack is bounded without one.
#[inline(always)]
pub(super) fn next(m: &mut Machine, code: &[LinkedInstruction], pc: usize, s: usize) -> Exit {
    let exit = match code.get(pc) {
        Some(op) => (op.run)(m, code, pc, op, s),
        None => leave(m, code, pc, &LEAVE, s),
    };
    #[cfg(test)]
    std::hint::black_box(m.left_at);
    exit
}

/// The instruction after the end of the code.
static LEAVE: LinkedInstruction =
    LinkedInstruction { run: leave, v: 0, n: 0, a: 0, b: 0, c: 0, kind: InstructionKind::Fail };

/// Returns to the loop in `machine`, which continues at `pc`.
#[inline(never)]
fn leave(m: &mut Machine, _: &[LinkedInstruction], pc: usize, _: &LinkedInstruction, s: usize) -> Exit {
    m.left_at = (pc as Pc, s);
    // Returning a constant would keep the compiler from making this a tail call.
    if m.stop.is_none() { Exit::Continue } else { Exit::Stop }
}

/// Grows the heap and the trail, and repeats the instruction.
#[inline(never)]
fn grow(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    match m.grow() {
        StepOutcome::Stop => Exit::Stop,
        _ => (op.run)(m, code, pc, op, s),
    }
}

/// Continues when the current instruction has failed, or the predicate that it called.
#[inline(never)]
pub(super) fn fail(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    if m.shallow >= NEXT_CLAUSE {
        return resume(m, code, pc, op, s);
    }
    let pc = m.shallow as usize;
    m.undo_shallow();
    next(m, code, pc, s)
}

/// Resumes the newest choice point, or tries the next clause of the clause list.
#[inline(never)]
fn resume(m: &mut Machine, code: &[LinkedInstruction], _: usize, op: &LinkedInstruction, s: usize) -> Exit {
    match m.go_back() {
        Entered::Code(pc) => next_counted(m, code, pc as usize, op, s),
        Entered::Stop => Exit::Stop,
        _ => Exit::Over,
    }
}

/// Continues with the next instruction after measuring the stack.
fn check_stack(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    next_measured(m, code, pc + 1, op, s)
}

/// Continues at `to` after measuring the stack, through the loop if frames have piled up.
#[inline(never)]
fn next_measured(m: &mut Machine, code: &[LinkedInstruction], to: usize, op: &LinkedInstruction, s: usize) -> Exit {
    if m.measure_stack() {
        return leave(m, code, to, op, s);
    }
    next(m, code, to, s)
}

/// Continues at `to` after a return or after backtracking; measures the stack now and then.
#[inline(always)]
fn next_counted(m: &mut Machine, code: &[LinkedInstruction], to: usize, op: &LinkedInstruction, s: usize) -> Exit {
    m.return_fuel -= 1;
    if m.return_fuel == 0 {
        m.return_fuel = m.chain;
        return next_measured(m, code, to, op, s);
    }
    next(m, code, to, s)
}

/// Fails after a unification that has failed, unless the unification was abandoned.
#[inline(never)]
fn refuse(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    if m.world.store.gave_up() {
        return stop_at_abandoned_walk(m, code, pc, op, s);
    }
    fail(m, code, pc, op, s)
}

/// Stops after an abandoned walk over the terms of the current instruction.
#[cold]
#[inline(never)]
fn stop_at_abandoned_walk(
    m: &mut Machine,
    _: &[LinkedInstruction],
    pc: usize,
    _: &LinkedInstruction,
    _: usize,
) -> Exit {
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
    fn grow(&mut self) -> StepOutcome {
        let result = self.reserve().map(|()| true);
        outcome(self, result)
    }
}

/// Continues with a shared slow-path step; see [`InstructionFunction`].
#[inline(always)]
fn detour(
    run: InstructionFunction,
    m: &mut Machine,
    code: &[LinkedInstruction],
    pc: usize,
    op: &LinkedInstruction,
    s: usize,
) -> Exit {
    m.detour = Some(run);
    run(m, code, pc, op, s)
}

/// The outcome of a step that may fail or stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepOutcome {
    Success,
    Failure,
    Stop,
}

/// Converts a result to an outcome; a stop is stored for [`Exit::Stop`].
fn outcome(m: &mut Machine, result: Result<bool, Stop>) -> StepOutcome {
    match result {
        Ok(true) => StepOutcome::Success,
        Ok(false) => StepOutcome::Failure,
        Err(stop) => {
            m.stop = Some(stop);
            StepOutcome::Stop
        }
    }
}

/// Continues after `pc`, fails or stops.
macro_rules! proceed {
    ($outcome:expr, $m:ident, $code:ident, $pc:ident, $op:ident, $s:expr) => {
        match $outcome {
            StepOutcome::Success => next($m, $code, $pc + 1, $s),
            StepOutcome::Failure => fail($m, $code, $pc, $op, $s),
            StepOutcome::Stop => Exit::Stop,
        }
    };
}
use proceed;

/// Jumps to `to`, or fails if that is not an address.
#[inline(always)]
fn otherwise(m: &mut Machine, code: &[LinkedInstruction], pc: usize, op: &LinkedInstruction, s: usize) -> Exit {
    if op.n == FAIL {
        return fail(m, code, pc, op, s);
    }
    next(m, code, op.n as usize, s)
}
