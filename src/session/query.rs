//! A running goal: an iterator over its answers.

use std::sync::Arc;

use super::answer::Answer;
use crate::builtins::messages::{Complaint, describe};
use crate::engine::{Bookmark, Cell, Determinism, Machine, Remarks, Stopped};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::Source;
use crate::term::atoms;

/// The answers of a goal, computed on demand. Dropping it ends the goal.
///
/// The cursor stays at the event of the last answer taken; when there are no more answers, or an error ends the goal,
/// it returns to where it was before.
pub(crate) struct GoalAnswers<'s> {
    machine: &'s mut Machine,
    variables: Vec<(String, u32)>,
    /// The cursors before the goal.
    bookmark: Bookmark,
    state: QueryState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum QueryState {
    Running,
    /// The last answer was given, and the machine knows that it was.
    Exhausted,
    Ended,
}

impl<'s> GoalAnswers<'s> {
    pub(super) fn start(
        machine: &'s mut Machine,
        goal: &ReadTerm,
        source: &Arc<Source>,
    ) -> Result<GoalAnswers<'s>, Stopped> {
        let variables = goal.variables.iter().map(|(name, number, ..)| (name.clone(), *number)).collect();
        let bookmark = machine.world.desk.bookmark();
        machine.query(goal, source)?;
        Ok(GoalAnswers { machine, variables, bookmark, state: QueryState::Running })
    }

    fn answer(&mut self, more: bool) -> Result<Answer, Stopped> {
        self.machine.world.settle_cursors();
        let cells: Vec<_> = self.variables.iter().map(|(_, number)| self.machine.binding(*number)).collect();
        let goals = self.machine.residual_goals();
        let store = &mut self.machine.world.store;
        let cells: Vec<_> = cells.into_iter().chain(store.walk_list(goals).items).collect();
        let all = if cells.is_empty() { Cell::NIL } else { store.compound(atoms::NIL, &cells) };
        let tree = store.save(all);
        store.check_walks()?;
        let (values, goals) = tree.args(tree.root()).split_at(self.variables.len());
        let (values, goals) = (values.to_vec(), goals.to_vec());
        let values = self.variables.iter().map(|(name, _)| name.clone()).zip(values).collect();
        let cursor = self.machine.world.desk.cursor();
        let event = (cursor != self.bookmark.cursor()).then(|| cursor.checked_sub(1)).flatten();
        Ok(Answer { tree, values, goals, event, more })
    }

    /// Why the goal stopped, in words; nothing for `halt`.
    pub(crate) fn describe(&self, stop: &Stopped) -> Option<Complaint> {
        describe(stop, &self.machine.world)
    }

    /// Ends an unfinished line of the goal's output.
    pub(crate) fn end_line(&mut self) -> Result<(), Stopped> {
        if self.machine.world.output.column() > 0 {
            self.machine.world.output.write_str("\n")?;
        }
        Ok(())
    }

    /// Ends the goal and returns what predicates remarked on it.
    pub(crate) fn finish(mut self) -> Remarks {
        self.end();
        self.machine.world.remark_near_misses();
        std::mem::take(&mut self.machine.world.remarks)
    }

    fn end(&mut self) {
        if self.state != QueryState::Ended {
            self.state = QueryState::Ended;
            self.machine.end_query();
        }
    }
}

impl Iterator for GoalAnswers<'_> {
    type Item = Result<Answer, Stopped>;

    fn next(&mut self) -> Option<Result<Answer, Stopped>> {
        if self.state != QueryState::Running {
            return None;
        }
        self.machine.world.desk.return_cursors(&self.bookmark);
        let answer = self.machine.next_answer().and_then(|determinism| match determinism {
            Some(determinism) => self.answer(determinism == Determinism::More).map(Some),
            None => Ok(None),
        });
        match answer {
            Ok(Some(answer)) => {
                if !answer.more {
                    self.state = QueryState::Exhausted;
                }
                Some(Ok(answer))
            }
            Ok(None) => {
                self.end();
                self.machine.world.desk.return_to(self.bookmark.cursor());
                None
            }
            Err(stop) => {
                self.end();
                self.machine.world.return_to(&self.bookmark);
                Some(Err(stop))
            }
        }
    }
}

impl Drop for GoalAnswers<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
