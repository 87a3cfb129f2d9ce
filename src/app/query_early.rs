//! Answers about the beginning of a large file, which `papaver query` tells before it reads the rest.

use std::path::Path;
use std::sync::Arc;

use super::answer_writer::AnswerWriter;
use super::answers::AnswersEnd;
use super::args::AnswerForm;
use super::new_events::{GoalByEvents, lacks_attribute};
use super::query::{AskedGoal, solve};
use super::status::Status;
use crate::formats::{Format, TIMES};
use crate::session::Session;
use crate::syntax::ReadTerm;
use crate::term::{Node, NodeId, atoms};
use crate::trace::Selection;

/// Bytes of the first beginning, and of the largest. Each has [`TIMES`] as many as that before, and the file so many times the
/// last, so that little is read twice.
const FIRST: u64 = 1 << 18;
const LARGEST: u64 = 1 << 26;

/// What was told of the answers.
pub(super) enum ToldAnswers {
    /// All that are wanted, or those before the goal stopped.
    Enough(Status),
    /// So many, apart from those that a goal gives.
    ApartFrom(ReadTerm, usize),
}

impl AskedGoal<'_> {
    /// Tells the answers about events at the beginning of a file.
    pub(super) fn tell_early(
        &self,
        path: &Path,
        selection: &Selection,
        session: &mut Session,
        writer: &mut AnswerWriter,
    ) -> ToldAnswers {
        let mut rest = ToldAnswers::ApartFrom(self.goal.clone(), 0);
        let Some(goal) = GoalByEvents::new(self.goal).filter(|_| self.is_of_single_events(selection)) else {
            return rest;
        };
        let mut n_bytes = FIRST;
        while let ToldAnswers::ApartFrom(part, n_told) = &rest
            && n_bytes <= LARGEST
            && let Some(trace) = self.context.load_beginning(path, n_bytes)
        {
            let (last, format) = (trace.chrono(trace.n_events() - 1), trace.origin().format);
            session.open(Arc::new(trace));
            let n_written = self.context.out.bytes();
            let (end, _) = solve(&AskedGoal { goal: part, n_told: *n_told, ..*self }, session, writer);
            self.context.show_so_far();
            let n_told = writer.n_answers();
            let is_silent = n_told == 0 && self.context.out.bytes() == n_written;
            rest = match end {
                // without an answer, the whole goal shows why
                AnswersEnd::Exhausted if is_silent => ToldAnswers::ApartFrom(self.goal.clone(), 0),
                AnswersEnd::Exhausted => ToldAnswers::ApartFrom(goal.after(last), n_told),
                AnswersEnd::Enough => ToldAnswers::Enough(Status::Yes),
                AnswersEnd::Stopped(stopped) if n_told == 0 && lacks_attribute(&stopped.stop) => break,
                AnswersEnd::Stopped(stopped) => ToldAnswers::Enough(self.context.stopped(&stopped, session)),
                AnswersEnd::Unwritten(error) => ToldAnswers::Enough(self.context.written(Err(error))),
            };
            // such a format reads only what is needed of the rest
            if Format::named(format).is_some_and(|format| format.excerpt.is_some()) {
                break;
            }
            n_bytes *= TIMES;
        }
        rest
    }

    /// Whether each answer is about one event, and the same whatever comes before and after this event. Rows of a table, and
    /// events in JSON, depend on all events.
    fn is_of_single_events(&self, selection: &Selection) -> bool {
        let shows_whole = match self.args.to {
            AnswerForm::Table => true,
            AnswerForm::Json => selection.attributes.is_none(),
            AnswerForm::Text | AnswerForm::Csv | AnswerForm::None => false,
        };
        let tree = &self.goal.tree;
        let cuts = (0..tree.len() as NodeId).any(|id| *tree.node(id) == Node::Atom(atoms::CUT));
        let is_alone = selection.wanted.len() == 1 && !selection.counts_events && !selection.needs_starts;
        is_alone && !cuts && !shows_whole && !self.args.total && self.args.common.goals.executor.is_none()
    }
}
