//! The loop over the answers of a goal, for the prompt and for `query`.

use std::io;
use std::sync::Arc;

use crate::engine::{Remarks, Stopped};
use crate::session::{Answer, GoalAnswers, Session};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::Source;

/// The receiver of the answers of a goal.
pub(crate) trait AnswerView {
    /// Whether the goal's unfinished line of output must be ended before this answer, or at the end of the goal.
    fn begins_line(&self, next: Option<&Answer>) -> bool;

    /// Shows an answer.
    fn show(&mut self, answer: &Answer) -> io::Result<Continue>;
}

/// Whether another answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Continue {
    Yes,
    No,
}

/// Why the answers of a goal ended.
pub(crate) enum AnswersEnd {
    /// There are no more answers.
    Exhausted,
    /// No more were wanted.
    Enough,
    /// The goal was stopped.
    Stopped(Stopped),
    /// An answer could not be written.
    Unwritten(io::Error),
}

/// Shows the answers of a goal, at most `most` of them; also returns what predicates remark on it.
pub(crate) fn show_answers(
    session: &mut Session,
    goal: &ReadTerm,
    source: &Arc<Source>,
    most: usize,
    view: &mut dyn AnswerView,
) -> (AnswersEnd, Remarks) {
    match session.query(goal, source) {
        Ok(mut query) => (show_each(&mut query, most, view), query.finish()),
        Err(stop) => (AnswersEnd::Stopped(stop), Remarks::default()),
    }
}

fn show_each(query: &mut GoalAnswers<'_>, most: usize, view: &mut dyn AnswerView) -> AnswersEnd {
    for _ in 0..most {
        let next = query.next();
        if view.begins_line(next.as_ref().and_then(|next| next.as_ref().ok()))
            && let Err(stop) = query.end_line()
        {
            return AnswersEnd::Stopped(stop);
        }
        match next {
            None => return AnswersEnd::Exhausted,
            Some(Err(stop)) => return AnswersEnd::Stopped(stop),
            Some(Ok(answer)) => match view.show(&answer) {
                Ok(Continue::Yes) => {}
                Ok(Continue::No) => return AnswersEnd::Enough,
                Err(error) => return AnswersEnd::Unwritten(error),
            },
        }
    }
    AnswersEnd::Enough
}
