//! Choice points: pushing, cutting, and coming back to them.

use super::builtin::Next;
use super::clause_list::Remaining;
use super::error::Stop;
use super::instr::{Pc, PredId};
use super::machine::Machine;
use super::store::Mark;

/// A place to come back to, and the state to restore there.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) alternative: Alternative,
    pub(super) environment: usize,
    pub(super) continuation: Pc,
    pub(super) cut_barrier: usize,
    pub(super) mark: Mark,
    /// Where the next environment may begin.
    pub(super) top: usize,
    pub(super) cursor: u32,
    pub(super) saved: usize,
    pub(super) answers: usize,
    pub(super) code: usize,
}

/// What is done when a choice point is come back to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Alternative {
    /// Go on at an instruction.
    Code(Pc),
    /// Try the remaining clauses.
    Clauses(PredId, Remaining),
    /// Ask the topmost answers for the next.
    Answers,
    /// Nothing: fail further.
    Fail,
    /// A call of `catch/3` whose goal has not ended.
    Catch,
    /// The query has no more answers.
    Bottom,
}

impl Machine {
    /// Pushes a choice point that keeps the first `n` registers.
    pub(super) fn push_choice(&mut self, alternative: Alternative, n: usize) {
        let choice = Choice {
            alternative,
            environment: self.environment,
            continuation: self.continuation,
            cut_barrier: self.cut_barrier,
            mark: self.world.store.mark(),
            top: self.top(),
            cursor: self.world.cursor,
            saved: self.saved.len(),
            answers: self.answers.len(),
            code: self.world.database.code.len(),
        };
        self.saved.extend_from_slice(&self.x[..n]);
        self.world.store.barrier = choice.mark.heap;
        self.choices.push(choice);
    }

    /// Drops the choice points above the first `height`.
    #[inline(always)]
    pub(super) fn cut_to(&mut self, height: usize) {
        if height < self.choices.len() {
            self.saved.truncate(self.choices[height].saved);
            self.answers.truncate(self.choices[height].answers);
            self.choices.truncate(height);
            self.world.store.barrier = self.choices.last().map_or(0, |choice| choice.mark.heap);
        }
    }

    /// Goes back to the newest choice point that has something left; `false` if there is none.
    pub(super) fn backtrack(&mut self) -> Result<bool, Stop> {
        loop {
            let Some(choice) = self.choices.last() else { return Ok(false) };
            let alternative = choice.alternative;
            self.restore();
            match alternative {
                Alternative::Code(to) => {
                    self.cut_to(self.choices.len() - 1);
                    self.pc = to;
                    return Ok(true);
                }
                Alternative::Clauses(id, remaining) => {
                    self.retry(id, remaining);
                    return Ok(true);
                }
                Alternative::Answers => {
                    self.fuel -= 1;
                    if self.fuel == 0 {
                        self.poll()?;
                    }
                    return self.next_of_answers();
                }
                Alternative::Fail | Alternative::Catch => self.cut_to(self.choices.len() - 1),
                Alternative::Bottom => return Ok(false),
            }
        }
    }

    /// Puts everything back to how it was when the newest choice point was pushed.
    pub(super) fn restore(&mut self) {
        let choice = self.choices.last().expect("the caller has seen one");
        self.environment = choice.environment;
        self.continuation = choice.continuation;
        self.cut_barrier = choice.cut_barrier;
        self.world.cursor = choice.cursor;
        self.answers.truncate(choice.answers + usize::from(matches!(choice.alternative, Alternative::Answers)));
        self.world.store.undo_to(choice.mark);
        self.world.database.forget_temporary_code(choice.code);
    }

    fn retry(&mut self, id: PredId, here: Remaining) {
        let list = self.world.database.clauses(id).expect("clauses do not go away while they are tried");
        let code = list.clause(here.next).expect("a match is a clause").code;
        let rest = here.from(here.next + 1);
        let rest = rest.from(list.next_match(rest));
        let arity = self.world.database.pred(id).arity;
        let height = self.choices.len() - 1;
        let saved = self.choices[height].saved;
        self.x[..arity].copy_from_slice(&self.saved[saved..saved + arity]);
        self.cut_barrier = height;
        if rest.is_at_end() {
            self.cut_to(height);
        } else {
            self.choices[height].alternative = Alternative::Clauses(id, rest);
        }
        self.pc = code;
    }

    /// The topmost choice point is that of the topmost answers: takes their next one.
    pub(super) fn next_of_answers(&mut self) -> Result<bool, Stop> {
        loop {
            let mut answers = self.answers.pop().expect("its choice point is on top");
            let next = answers.next(&mut self.world);
            self.answers.push(answers);
            match next? {
                Next::More => {}
                Next::Last => self.cut_to(self.choices.len() - 1),
                Next::Fail => {
                    self.cut_to(self.choices.len() - 1);
                    return self.backtrack();
                }
                Next::Skip => {
                    if self.fuel == 1 {
                        self.poll()?;
                    }
                    self.fuel -= 1;
                    let mark = self.choices.last().expect("its choice point is on top").mark;
                    self.world.store.undo_to(mark);
                    continue;
                }
            }
            self.pc = self.continuation;
            return Ok(true);
        }
    }
}
