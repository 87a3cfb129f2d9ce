//! `papaver query --follow`: the answers about the events of a trace that is still being written, as they arrive.
//!
//! Whenever lines have come, the goal is put to all that has been written, with the search at its beginning restricted
//! to the events that are new. So answers about earlier events stay as they were given.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::answer_writer::AnswerWriter;
use super::answers::{AnswerView, AnswersEnd, Continue, show_answers};
use super::args::QueryArgs;
use super::context::CommandContext;
use super::follow::{FollowedInput, Reading, Rereading};
use super::new_events::{GoalByEvents, lacks_attribute};
use super::query::WrittenAnswers;
use super::status::Status;
use crate::engine::{Stop, Stopped};
use crate::session::{Answer, Session};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::Source;
use crate::trace::{EventId, Trace};

/// A goal on a growing trace.
pub(super) struct FollowedGoal<'a> {
    args: &'a QueryArgs,
    context: &'a CommandContext,
    path: &'a Path,
    goal: &'a ReadTerm,
    source: &'a Arc<Source>,
    by_events: GoalByEvents<'a>,
    /// The last event that answers may be about already.
    seen: Option<SeenEvent>,
    n_answers: usize,
    /// Why the goal stopped, if later events may change that.
    stopped: Option<Stopped>,
}

/// An event that must stay where it is.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SeenEvent {
    event: EventId,
    chrono: i64,
    line: Option<u64>,
}

impl SeenEvent {
    fn last(trace: &Trace) -> Option<SeenEvent> {
        let event = trace.n_events().checked_sub(1)?;
        Some(SeenEvent { event, chrono: trace.chrono(event), line: trace.source_line(event) })
    }

    fn is_in(self, trace: &Trace) -> bool {
        let SeenEvent { event, chrono, line } = self;
        event < trace.n_events() && trace.chrono(event) == chrono && trace.source_line(event) == line
    }
}

impl<'a> FollowedGoal<'a> {
    /// The goal, which must begin with a search over events.
    pub(super) fn new(
        args: &'a QueryArgs,
        context: &'a CommandContext,
        path: &'a Path,
        goal: &'a ReadTerm,
        source: &'a Arc<Source>,
    ) -> Result<FollowedGoal<'a>, Status> {
        let Some(by_events) = GoalByEvents::new(goal) else {
            context.error(None, "expected a goal that begins with `event(..)` or `fget(..)` for `--follow`");
            return Err(Status::Error);
        };
        let (seen, n_answers, stopped) = (None, 0, None);
        Ok(FollowedGoal { args, context, path, goal, source, by_events, seen, n_answers, stopped })
    }

    /// Answers until the trace ends or enough answers were given.
    pub(super) fn follow(mut self, session: &mut Session, writer: &mut AnswerWriter) -> Status {
        match self.answer_all(session, writer) {
            Ok(()) => {}
            Err(status) => return status,
        }
        if let Some(stopped) = self.stopped {
            return self.context.stopped(&stopped, session);
        }
        if self.n_answers > 0 { Status::Yes } else { Status::No }
    }

    fn answer_all(&mut self, session: &mut Session, writer: &mut AnswerWriter) -> Result<(), Status> {
        let mut input = FollowedInput::open(self.path).map_err(|reason| self.unreadable(&reason))?;
        let mut reading = Reading::new(self.path, session.interrupt_handle(), self.args.until_idle);
        reading.keeps_all = !input.is_file();
        let (mut again, mut begun) = (Rereading::default(), false);
        loop {
            let is_last = reading.has_ended;
            again.count(reading.lines().len());
            if again.is_due(&reading) || is_last && !begun {
                let bytes = again.beginning(&reading).map_err(|reason| self.unreadable(&reason))?;
                match self.context.load_growing(self.path, bytes) {
                    Ok(trace) => {
                        begun = true;
                        self.answer(&Arc::new(trace), session, writer, is_last)?;
                    }
                    Err(error) if is_last => {
                        self.context.error(None, &error.to_string());
                        return Err(Status::Error);
                    }
                    // the beginning may be too short to be understood
                    Err(_) => {}
                }
                again.rest();
            }
            if is_last || self.n_left() == 0 {
                return Ok(());
            }
            reading.wait(&mut input);
        }
    }

    fn unreadable(&self, reason: &io::Error) -> Status {
        self.context.error(None, &format!("cannot read `{}`: {reason}", self.path.display()));
        Status::Error
    }

    fn n_left(&self) -> usize {
        let most = if self.args.first { 1 } else { self.args.max.unwrap_or(usize::MAX) };
        most.saturating_sub(self.n_answers)
    }

    /// Gives the answers about the events that are new in a trace.
    fn answer(
        &mut self,
        trace: &Arc<Trace>,
        session: &mut Session,
        writer: &mut AnswerWriter,
        is_last: bool,
    ) -> Result<(), Status> {
        if self.seen.is_some_and(|seen| !seen.is_in(trace)) {
            let path = self.path.display();
            let message = format!(
                "`{path}` cannot be followed: events that were read before are now at other places; `query` without `--follow` reads it when it is complete"
            );
            self.context.error(None, &message);
            return Err(Status::Error);
        }
        if is_last {
            self.context.tell_findings(self.path, trace);
        }
        let opened = self.context.open(session, trace, &self.args.lines);
        if opened != Status::Yes {
            return Err(opened);
        }
        if self.n_answers == 0 && self.seen.is_none() {
            writer.begin(Some(trace), self.goal).map_err(|error| self.context.written(Err(error)))?;
        }
        let goal = self.seen.map_or_else(|| self.goal.clone(), |seen| self.by_events.after(seen.chrono));
        let ops = session.operators().clone();
        let mut view = FollowedAnswers {
            context: self.context,
            answers: WrittenAnswers { writer, trace: Some(trace), ops: &ops },
            n_answers: 0,
        };
        let (end, remarks) = show_answers(session, &goal, self.source, self.n_left(), &mut view);
        let n_answers = view.n_answers;
        self.n_answers += n_answers;
        remarks.text_comparisons().iter().for_each(|note| self.context.note_once(note));
        let flushed = writer.flush().and_then(|()| self.context.out.flush_all());
        let status = self.context.written(flushed);
        if status != Status::Yes {
            return Err(status);
        }
        self.stopped = None;
        match end {
            AnswersEnd::Exhausted | AnswersEnd::Enough => self.seen = SeenEvent::last(trace).or(self.seen),
            // an attribute may come with later events, which the goal is then asked about together with these
            AnswersEnd::Stopped(stopped) if n_answers == 0 && lacks_attribute(&stopped.stop) => {
                self.stopped = Some(stopped);
            }
            // a person ends what follows a trace so
            AnswersEnd::Stopped(Stopped { stop: Stop::Interrupt, .. }) if self.n_answers > 0 => {
                return Err(Status::Yes);
            }
            AnswersEnd::Stopped(stopped) => return Err(self.context.stopped(&stopped, session)),
            AnswersEnd::Unwritten(error) => return Err(self.context.written(Err(error))),
        }
        Ok(())
    }
}

/// Answers that are written at once.
struct FollowedAnswers<'w> {
    context: &'w CommandContext,
    answers: WrittenAnswers<'w>,
    n_answers: usize,
}

impl AnswerView for FollowedAnswers<'_> {
    fn begins_line(&self, next: Option<&Answer>) -> bool {
        self.answers.begins_line(next)
    }

    fn show(&mut self, answer: &Answer) -> io::Result<Continue> {
        self.n_answers += 1;
        let wanted = self.answers.show(answer)?;
        self.context.out.flush_all()?;
        Ok(wanted)
    }
}
