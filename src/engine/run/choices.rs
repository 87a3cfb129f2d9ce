//! Choice points: pushing, cutting, and backtracking to them; and shallow backtracking between clauses without one.

use super::limit::LimitChoice;
use super::machine::{HEADER, Machine};
use super::tabling::TableChoice;
use crate::engine::code::{CallArguments, FAIL, NEXT_CLAUSE, NeckStyle, Pc, PredId, Remaining, Selected};
use crate::engine::heap::{Mark, Stop, occurs_check_error};
use crate::engine::state::{FAILING, NextSolution, World};

/// A choice point: the alternative and the state to restore.
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

/// What happens when a choice point is resumed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Alternative {
    /// Continue at an address.
    Code(Pc),
    /// Continue at an address with the arguments of the call restored.
    Retry(Pc),
    /// Try the remaining clauses.
    Clauses(PredId, Remaining),
    /// Take the next solution of the topmost native iterator.
    Answers,
    /// Fail further.
    Fail,
    /// A catch frame whose goal is still running.
    Catch,
    /// A `setup_call_cleanup/3` whose cleanup has not run.
    Cleanup,
    /// A limit of a goal.
    Limit(LimitChoice),
    /// A step of a tabled call.
    Table(TableChoice),
    /// The query has no more answers.
    Bottom,
}

impl Machine {
    /// Pushes a choice point that saves the first `n` registers.
    pub(super) fn push_choice(&mut self, alternative: Alternative, n: usize) {
        let mark = self.world.store.mark();
        self.world.store.barrier = mark.heap;
        self.push_choice_at(mark, alternative, n);
    }

    pub(super) fn push_choice_at(&mut self, mark: Mark, alternative: Alternative, n: usize) {
        let top = self.top();
        let choice = Choice {
            alternative,
            environment: self.environment,
            continuation: self.continuation,
            cut_barrier: self.cut_barrier,
            mark,
            top,
            cursor: self.world.desk.cursor,
            saved: self.saved.len(),
            answers: self.answers.len(),
            code: self.world.database.code.len(),
        };
        self.kept_top = top;
        self.saved.extend_from_slice(&self.x[..n]);
        self.choices.push(choice);
    }

    /// Enters a clause without a choice point: if it fails before its neck, the machine continues at `next` with the
    /// first `arity` registers unchanged.
    #[inline(always)]
    pub(super) fn begin_shallow(&mut self, next: Pc, arity: u8) {
        self.shallow = next;
        self.shallow_arity = arity;
        self.shallow_mark = self.world.store.mark();
        self.shallow_barrier = self.world.store.barrier;
        self.world.store.barrier = self.shallow_mark.heap;
    }

    /// Undoes the effects of the current clause, which has failed before its neck.
    #[inline(always)]
    pub(super) fn undo_shallow(&mut self) {
        self.shallow = FAIL;
        self.world.store.undo_to(self.shallow_mark);
        self.world.store.barrier = self.shallow_barrier;
    }

    /// Pushes the choice point of the remaining clauses: the current clause has reached its neck.
    #[inline(never)]
    pub(super) fn push_shallow(&mut self) {
        let alternative = match self.shallow {
            NEXT_CLAUSE => Alternative::Clauses(self.shallow_clauses.0, self.shallow_clauses.1),
            next => Alternative::Retry(next),
        };
        self.shallow = FAIL;
        self.push_choice_at(self.shallow_mark, alternative, self.shallow_arity as usize);
    }

    /// Drops the remaining clauses: the current clause has reached a cut.
    #[inline(always)]
    pub(super) fn drop_shallow(&mut self) {
        self.shallow = FAIL;
        self.world.store.barrier = self.shallow_barrier;
    }

    /// Drops the choice points above the first `height`.
    #[inline(always)]
    pub(super) fn cut_to(&mut self, height: usize) {
        if height < self.choices.len() {
            self.drop_choices(height);
        }
    }

    #[inline(never)]
    fn drop_choices(&mut self, height: usize) {
        let choice = &self.choices[height];
        self.saved.truncate(choice.saved);
        if self.answers.len() > choice.answers {
            self.answers.truncate(choice.answers);
        }
        self.choices.truncate(height);
        let (mark, kept_top) =
            self.choices.last().map_or((Mark::default(), HEADER), |choice| (choice.mark, choice.top));
        self.world.store.set_barrier(mark);
        self.kept_top = kept_top;
    }

    /// Backtracks to the newest choice point with an alternative left; `false` if there is none.
    pub(super) fn backtrack(&mut self) -> Result<bool, Stop> {
        if self.world.store.refused.is_some() {
            return Err(occurs_check_error(&mut self.world.store));
        }
        loop {
            let Some(choice) = self.choices.last() else { return Ok(false) };
            let alternative = choice.alternative;
            self.restore();
            match alternative {
                Alternative::Code(to) => {
                    self.drop_choices(self.choices.len() - 1);
                    self.pc = to;
                    return Ok(true);
                }
                Alternative::Retry(to) => {
                    self.take_arguments();
                    self.pc = to;
                    return Ok(true);
                }
                Alternative::Clauses(id, remaining) => {
                    self.take_arguments();
                    self.pc = self.begin_next_clause(id, remaining);
                    return Ok(true);
                }
                Alternative::Answers => {
                    self.use_fuel()?;
                    return self.next_of_answers();
                }
                Alternative::Fail | Alternative::Catch => self.drop_choices(self.choices.len() - 1),
                Alternative::Cleanup => {
                    self.pc = self.cleanup_after_failure();
                    return Ok(true);
                }
                Alternative::Limit(choice) => self.backtrack_over_limit(choice)?,
                Alternative::Table(choice) => {
                    if self.backtrack_to_table(choice)? {
                        return Ok(true);
                    }
                }
                Alternative::Bottom => return Ok(false),
            }
        }
    }

    /// Restores the state saved in the newest choice point.
    pub(super) fn restore(&mut self) {
        let choice = self.choices.last().expect("the caller has seen one");
        self.environment = choice.environment;
        self.continuation = choice.continuation;
        self.cut_barrier = choice.cut_barrier;
        self.world.desk.cursor = choice.cursor;
        let answers = choice.answers + usize::from(matches!(choice.alternative, Alternative::Answers));
        if self.answers.len() > answers {
            self.answers.truncate(answers);
        }
        self.world.store.undo_to(choice.mark);
        self.world.database.forget_temporary_code(choice.code);
    }

    /// Loads the arguments saved in the newest choice point and drops it.
    fn take_arguments(&mut self) {
        let height = self.choices.len() - 1;
        let saved = &self.saved[self.choices[height].saved..];
        self.x[..saved.len()].copy_from_slice(saved);
        self.drop_choices(height);
        self.cut_barrier = height;
    }

    /// Enters the next of the clauses that a call has yet to try; its arguments are in the registers.
    ///
    /// Not inlined: a step that lends a reference into its own frame could not end in a tail call.
    #[inline(never)]
    pub(super) fn begin_next_clause(&mut self, id: PredId, here: Remaining) -> Pc {
        let World { database, store, .. } = &self.world;
        let call = CallArguments { store, args: &self.x[..database.pred(id).arity] };
        // The predicate may have been redefined.
        match database.clauses(id).and_then(|list| list.selected(here, &call)) {
            Some(selected) => {
                let selected = self.world.database.compiled(id, selected);
                self.begin_clause(id, selected)
            }
            None => FAILING,
        }
    }

    /// Enters a clause and records the remaining ones as alternatives; returns the code of the clause.
    #[inline]
    pub(super) fn begin_clause(&mut self, id: PredId, selected: Selected) -> Pc {
        self.fact = (id, selected.id);
        if let Some(rest) = selected.rest {
            self.keep_clauses(id, selected.style, rest);
        }
        selected.code
    }

    fn keep_clauses(&mut self, id: PredId, style: NeckStyle, rest: Remaining) {
        let arity = self.world.database.pred(id).arity;
        match style {
            NeckStyle::Preserving => {
                self.shallow_clauses = (id, rest);
                self.begin_shallow(NEXT_CLAUSE, arity as u8);
            }
            NeckStyle::Clobbering => self.push_choice(Alternative::Clauses(id, rest), arity),
        }
    }

    /// Takes the next solution of the topmost iterator, whose choice point is on top.
    pub(super) fn next_of_answers(&mut self) -> Result<bool, Stop> {
        loop {
            let answers = self.answers.last_mut().expect("its choice point is on top");
            let next = answers.next(&mut self.world);
            self.world.store.check_walks()?;
            match next? {
                NextSolution::More => {}
                NextSolution::Last => self.drop_choices(self.choices.len() - 1),
                NextSolution::Fail => {
                    self.drop_choices(self.choices.len() - 1);
                    return self.backtrack();
                }
                NextSolution::Skip => {
                    self.skip_answer()?;
                    continue;
                }
            }
            self.pc = self.continuation;
            return Ok(true);
        }
    }

    /// Undoes the bindings of a solution that did not unify.
    pub(super) fn skip_answer(&mut self) -> Result<(), Stop> {
        self.use_fuel()?;
        let mark = self.choices.last().expect("its choice point is on top").mark;
        self.world.store.undo_to(mark);
        Ok(())
    }
}
