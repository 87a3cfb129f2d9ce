//! Running a query: one at a time, answer by answer.

use std::sync::Arc;

use super::backtrace::Caught;
use super::choices::Alternative;
use super::control::with_head;
use super::machine::{Determinism, HEADER, Machine, OUTERMOST};
use crate::engine::code::FAIL;
use crate::engine::compile::{ClauseError, ClauseParts};
use crate::engine::heap::{Cell, error};
use crate::engine::state::{ANSWERING, FAILING, Stopped, World};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::Source;

/// How many unused entries a stack may keep.
const SPACIOUS: usize = 1 << 20;

/// A running query.
#[derive(Debug, Default)]
pub(super) struct Running {
    pub(super) variables: Vec<Cell>,
    /// The residual goals of the current answer, as a list.
    pub(super) residual_goals: Option<Cell>,
    has_answered: bool,
    /// Calls made in the session before this query.
    pub(super) inferences_before: u64,
}

impl Machine {
    /// Starts a query read from `source` and ends the previous one; nothing runs yet.
    pub(crate) fn query(&mut self, goal: &ReadTerm, source: &Arc<Source>) -> Result<(), Stopped> {
        self.end_query();
        self.world.forget_remarks();
        let script = self.world.sources.begin_query(Arc::clone(source));
        let body = goal.tree.root();
        let n = goal.n_variables as usize;
        let (tree, head) = with_head(goal.tree.clone(), n);
        let parts = ClauseParts { head, body: Some(body) };
        let code = self.compile_temporary(&tree, parts, Some(script)).map_err(|error| match error {
            ClauseError::NotCallable(_) => {
                let (culprit, _) = self.world.store.load(&goal.tree);
                error::type_error(&self.world.store, "callable", culprit)
            }
            ClauseError::TooManyArguments => error::representation_error("max_procedure_arity"),
        })?;
        self.running.inferences_before = self.world.inferences;
        self.running.variables = (0..n).map(|_| self.world.store.new_var()).collect();
        self.x[0] = self.world.store.list(&self.running.variables);
        self.continuation = ANSWERING;
        self.push_choice(Alternative::Bottom, 0);
        self.cut_barrier = self.choices.len();
        self.pc = code;
        Ok(())
    }

    /// The next answer of the query, or `None`; a stop ends the query.
    pub(crate) fn next_answer(&mut self) -> Result<Option<Determinism>, Stopped> {
        if self.choices.is_empty() {
            return Ok(None);
        }
        if self.running.has_answered {
            self.pc = FAILING;
        }
        self.running.has_answered = true;
        self.running.residual_goals = None;
        let answer = self.run().and_then(|answer| self.world.store.watch.check().map(|()| answer));
        let answer = answer.and_then(|answer| self.world.trust_trace().map(|()| answer));
        let answer = answer.map_err(|stop| self.stopped_by(stop));
        if !matches!(answer, Ok(Some(_))) {
            self.clean_up();
            self.stop_query();
        }
        answer
    }

    /// The value of a variable of the query by its number, in the current answer.
    pub(crate) fn binding(&self, variable: u32) -> Cell {
        self.running.variables.get(variable as usize).copied().unwrap_or(Cell::NIL)
    }

    /// Ends the query: its terms are dropped, the cursor stays.
    pub(crate) fn end_query(&mut self) {
        let cursor = self.world.desk.cursor;
        self.clean_up();
        self.stop_query();
        self.world.desk.cursor = cursor;
    }

    /// Returns unused memory of a runaway goal to the system.
    pub(super) fn give_back(&mut self) {
        let top = self.top();
        if self.environments.len() > SPACIOUS.max(4 * top) {
            self.environments.truncate(2 * top);
            self.environments.shrink_to(SPACIOUS);
        }
        let World { store, .. } = &mut self.world;
        store.give_back(SPACIOUS);
        let n_choices = self.choices.len();
        self.choices.shrink_to(SPACIOUS.max(2 * n_choices));
        let n_saved = self.saved.len();
        self.saved.shrink_to(SPACIOUS.max(2 * n_saved));
    }

    /// Drops everything that belongs to a query and restores the cursor.
    fn stop_query(&mut self) {
        if let Some(bottom) = self.choices.first() {
            self.world.desk.cursor = bottom.cursor;
        }
        self.choices.clear();
        self.cleanups.clear();
        self.caught = Caught::default();
        self.limits.clear();
        self.world.store.watch.goal_deadline = None;
        self.world.tables.end_query();
        self.world.database.release_temporary_code();
        self.saved.clear();
        self.answers.clear();
        (self.environment, self.kept_top, self.shallow) = (OUTERMOST, HEADER, FAIL);
        self.world.store.reset();
        self.reset_collection();
        self.world.collectors.clear();
        self.world.output.end_captures(0);
        self.world.database.forget_temporary_code(0);
        self.give_back();
        self.running = Running::default();
        self.world.scripts.end_all();
        self.world.dismiss_guests(0);
        self.world.desk.traces.abandon_derivations();
        self.world.sources.end_query();
    }
}
