//! Answers that are found ahead: the threads that read the next traces also solve the goal on them.
//!
//! What a goal does is its answers and what it writes.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use super::answer_writer::LineStarts;
use super::answers::{AnswerView, AnswersEnd, Continue, show_answers};
use super::work_ahead::{FoundAhead, ThreadSession, ThreadWork, WorkAhead};
use crate::engine::Remarks;
use crate::session::Answer;
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::Source;
use crate::trace::Trace;

/// The most nodes of the answers about one trace that are kept.
const MOST_NODES: usize = 1 << 13;

/// A goal, and everything on which its answers about a trace depend.
pub(super) struct GoalAhead {
    pub(super) goal: ReadTerm,
    pub(super) source: Arc<Source>,
    pub(super) most: usize,
    pub(super) line_starts: LineStarts,
    pub(super) shown: Vec<String>,
    /// Whether it and the scripts only ask the trace, once that is known.
    pub(super) only_asks: OnceLock<bool>,
    pub(super) work: ThreadWork,
}

/// What a goal did on a trace.
pub(super) struct FoundAnswers {
    /// What the goal had written before each answer.
    answers: Vec<(Vec<u8>, Answer)>,
    written_last: Vec<u8>,
    end: EndAhead,
    /// Why there is no answer, unless there are several. One may be a count of none.
    reasons: Vec<String>,
    text_comparisons: Vec<String>,
}

/// Why there are no more answers.
enum EndAhead {
    Exhausted,
    Enough,
}

impl WorkAhead for GoalAhead {
    fn solve(&self, trace: &Arc<Trace>) -> Option<FoundAhead> {
        self.work.on(trace, |own| self.found(own)).map(FoundAhead::Answers)
    }

    fn stop(&self) {
        self.work.stop();
    }
}

impl GoalAhead {
    fn found(&self, own: &mut ThreadSession) -> Option<FoundAnswers> {
        own.is_unchanged = *self.only_asks.get_or_init(|| own.only_asks(Some(&self.goal)));
        let session = &mut own.session;
        session.show_attributes(&self.shown).ok()?;
        let written = Rc::clone(&own.written);
        let mut kept = KeptAnswers { written, answers: Vec::new(), n_nodes: 0, line_starts: self.line_starts };
        let (end, remarks) = show_answers(session, &self.goal, &self.source, self.most, &mut kept);
        if kept.n_nodes > MOST_NODES || !session.take_load_report().diagnostics.is_empty() {
            return None;
        }
        let end = match end {
            AnswersEnd::Exhausted => EndAhead::Exhausted,
            AnswersEnd::Enough => EndAhead::Enough,
            AnswersEnd::Stopped(_) | AnswersEnd::Unwritten(_) => return None,
        };
        Some(FoundAnswers {
            written_last: kept.written.take(),
            end,
            reasons: if kept.answers.len() > 1 { Vec::new() } else { remarks.reasons() },
            text_comparisons: remarks.text_comparisons().to_vec(),
            answers: kept.answers,
        })
    }
}

impl FoundAnswers {
    /// Tells what the goal did: what it wrote goes to `out`, its answers to `view`.
    pub(super) fn tell(self, out: &mut impl Write, view: &mut impl AnswerView) -> (AnswersEnd, Remarks) {
        let mut tell = || {
            for (written, answer) in &self.answers {
                out.write_all(written)?;
                view.show(answer)?;
            }
            out.write_all(&self.written_last)
        };
        let end = match (tell(), self.end) {
            (Err(error), _) => AnswersEnd::Unwritten(error),
            (Ok(()), EndAhead::Exhausted) => AnswersEnd::Exhausted,
            (Ok(()), EndAhead::Enough) => AnswersEnd::Enough,
        };
        (end, Remarks::told(self.reasons, self.text_comparisons))
    }
}

/// Answers that are kept with what the goal wrote before them.
struct KeptAnswers {
    written: Rc<RefCell<Vec<u8>>>,
    answers: Vec<(Vec<u8>, Answer)>,
    n_nodes: usize,
    line_starts: LineStarts,
}

impl AnswerView for KeptAnswers {
    fn begins_line(&self, next: Option<&Answer>) -> bool {
        next.is_some_and(|answer| self.line_starts.begins_line(answer))
    }

    fn show(&mut self, answer: &Answer) -> io::Result<Continue> {
        self.n_nodes += 1 + answer.tree.len();
        self.answers.push((self.written.take(), answer.clone()));
        Ok(if self.n_nodes <= MOST_NODES { Continue::Yes } else { Continue::No })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::work_ahead::SessionAhead;
    use super::*;
    use crate::engine::NamedFiles;
    use crate::formats::{LoadOptions, load};
    use crate::session::{Limits, Moves, Options, Session};
    use crate::syntax::read_goal;

    /// The number of answers of a goal that is solved ahead.
    fn solved(text: &str) -> Option<usize> {
        let path = PathBuf::from("tests/data/queens.trace");
        let trace = Arc::new(load(&path, &LoadOptions::default()).expect("the sample is sound"));
        let goals = Session::new(Options::default()).goals();
        let goal = GoalAhead {
            goal: read_goal(text, &goals.operators, &goals.flags).expect("the goal is right"),
            source: Source::new("query", text),
            most: usize::MAX,
            line_starts: LineStarts { is_text: true, shows_events: false },
            shown: Vec::new(),
            only_asks: OnceLock::new(),
            work: ThreadWork::new(
                SessionAhead {
                    scripts: Vec::new(),
                    source_folders: Vec::new(),
                    by_machine: false,
                    named: Arc::new(NamedFiles::new(vec![path.clone(), path])),
                    limits: Limits { time: None, memory: Some(1 << 24) },
                },
                Moves::Shown,
            ),
        };
        match goal.solve(&trace)? {
            FoundAhead::Answers(found) => Some(found.answers.len()),
            _ => None,
        }
    }

    #[test]
    fn answers_and_output_are_found_ahead() {
        assert_eq!(solved("event([port=exit])"), Some(149));
        assert_eq!(solved("fget([port=exit, name=safe]), write(a)"), Some(6));
        assert_eq!(solved("event([depth > 90])"), Some(0));
    }

    #[test]
    fn whatever_else_happens_is_left_for_the_turn_of_the_trace() {
        for goal in [
            "X is foo + 1",
            "halt(3)",
            "no_such_predicate",
            "catch(read(X), _, true)",
            "catch(in_trace(2, event([chrono=1])), _, true)",
            "between(1, inf, X)",
            "repeat, write(abcdefghijklmnopqrstuvwxyz), fail",
            "numlist(1, 3000000, L)",
        ] {
            assert_eq!(solved(goal), None, "{goal}");
        }
    }
}
