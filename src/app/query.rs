//! `papaver query`: every answer of a goal, on each trace.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::answer_writer::{AnswerWriter, COUNT};
use super::answers::{AnswerView, AnswersEnd, Continue, show_answers};
use super::answers_ahead::GoalAhead;
use super::args::{AnswerForm, Executor, QueryArgs};
use super::context::{CommandContext, NOT_FOLLOWED};
use super::engine::engine_answers;
use super::engine_process::Engine;
use super::interrupt::InterruptEffect;
use super::out::Out;
use super::query_early::ToldAnswers;
use super::query_follow::FollowedGoal;
use super::query_total::TotalGoal;
use super::status::Status;
use super::work_ahead::{FoundAhead, ThreadWork, WorkAhead};
use crate::builtins::{MoveVisibility, footprint};
use crate::engine::Remarks;
use crate::session::{Answer, Moves, Session};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::{ReadTerm, read_goal};
use crate::term::ops::OpTable;
use crate::term::{Atom, Node, NodeId, Span, atoms};
use crate::trace::{Selection, Trace};

/// Runs the command.
pub(crate) fn query(args: &QueryArgs) -> Status {
    let context = CommandContext::new(&args.common, InterruptEffect::Command);
    let traces = context.traces(&args.traces);
    let mut writer = AnswerWriter::new(args, &context, traces.len());
    let mut status = Status::No;
    if args.follow && traces.len() > 1 {
        context.error(None, "expected one trace for `--follow`");
        return context.finish(Status::Error);
    }
    let mut kept: Option<Question> = None;
    let engine = args.engine.map(|dialect| Engine::new(dialect, args.engine_command.as_deref()));
    for path in &traces {
        let one = match &engine {
            Some(engine) => engine_answers(args, engine, &context, path, &mut writer),
            None => query_one(args, &context, &traces, path, &mut kept, &mut writer),
        };
        status = either(status, one.unwrap_or_else(|refused| refused));
        if status.is_end() || one.is_err() {
            break;
        }
    }
    drop(engine);
    if args.total && !status.is_end() {
        status = either(status, total(args, &context, &mut writer));
    }
    status = status.and(context.written(writer.finish()));
    context.finish(status)
}

/// Answers the goal about all traces by the results about each.
fn total(args: &QueryArgs, context: &CommandContext, writer: &mut AnswerWriter) -> Status {
    let results = writer.end_results();
    if results.is_empty() {
        return Status::No;
    }
    let (mut session, _) = context.session(Moves::Silent, context.out.aside(), &[]);
    let source = Source::new("query", args.goal.as_str());
    let goal = read(args, &session, &source).and_then(|goal| TotalGoal::new(goal, &source));
    let goal = match goal {
        Ok(goal) => goal.last(results),
        Err(diagnostic) => return context.diagnostics(&[*diagnostic]),
    };
    answer(&AskedGoal { args, context, goal: &goal, source: &source, n_told: 0 }, &mut session, Notes::LeftOut, writer)
        .0
}

/// Adds up results if there are many.
pub(super) fn add_up(goal: &TotalGoal, session: &mut Session, source: &Arc<Source>, writer: &mut AnswerWriter) {
    let Some(results) = writer.results().filter(|results| results.are_many()) else { return };
    let question = goal.of(std::mem::take(results));
    let Ok(mut query) = session.query(&question, source) else { return };
    let sum = query.next().and_then(Result::ok);
    query.finish();
    sum.into_iter().for_each(|sum| results.push(sum));
}

/// Combines the statuses of two traces: an answer for either is an answer, and an error stays an error.
fn either(before: Status, now: Status) -> Status {
    match (before, now) {
        (Status::No, now) => now,
        (before, Status::No | Status::Yes) => before,
        (before, now) => before.and(now),
    }
}

/// A session whose moves show as the options say, and the status after consulting rules.
pub(super) fn asking(args: &QueryArgs, context: &CommandContext) -> (Session, Status) {
    let (moves, output) = output(args, context);
    context.session(moves, output, &[])
}

/// Whether moves show, and where goals write.
fn output(args: &QueryArgs, context: &CommandContext) -> (Moves, Out) {
    match args.to {
        _ if args.count => (Moves::Silent, context.out.aside()),
        AnswerForm::Json | AnswerForm::Csv | AnswerForm::Table => (Moves::Silent, context.out.aside()),
        AnswerForm::Text if args.around.is_some() => (Moves::Silent, context.out.clone()),
        AnswerForm::Text | AnswerForm::None => (Moves::Shown, context.out.clone()),
    }
}

/// A goal in a session.
struct Question {
    session: Session,
    source: Arc<Source>,
    goal: ReadTerm,
    /// What `--total` makes of the answers.
    total: Option<TotalGoal>,
    /// The part of a trace that the goal needs; none if that is all.
    selection: Option<Selection>,
}

impl Question {
    /// The goal of the options in a new session; `Ok` with a status if scripts say that it is not asked, an error if it
    /// cannot be put to any trace.
    fn new(args: &QueryArgs, context: &CommandContext) -> Result<Result<Question, Status>, Status> {
        let (session, consulted) = asking(args, context);
        if consulted != Status::Yes {
            return Ok(Err(consulted));
        }
        let source = Source::new("query", args.goal.as_str());
        let goal = read(args, &session, &source).map_err(|diagnostic| context.diagnostics(&[*diagnostic]))?;
        let total = args.total.then(|| TotalGoal::new(goal.clone(), &source)).transpose();
        let total = total.map_err(|diagnostic| context.diagnostics(&[*diagnostic]))?;
        let goal = total.as_ref().map_or(goal, TotalGoal::for_each);
        let selection = AskedGoal { args, context, goal: &goal, source: &source, n_told: 0 }.selection();
        Ok(Ok(Question { session, source, goal, total, selection }))
    }
}

/// Answers the goal about a trace; an error if it cannot be put to any. A question whose goal changed nothing in its session
/// is kept for the next trace.
fn query_one(
    args: &QueryArgs,
    context: &CommandContext,
    traces: &[PathBuf],
    path: &Path,
    kept: &mut Option<Question>,
    writer: &mut AnswerWriter,
) -> Result<Status, Status> {
    let mut question = match kept.take() {
        Some(mut question) => {
            context.name_traces(&mut question.session);
            question
        }
        None => match Question::new(args, context)? {
            Ok(question) => question,
            Err(status) => return Ok(status),
        },
    };
    let Question { session, source, goal, total, selection } = &mut question;
    let selection = selection.as_ref();
    if args.follow && args.common.on.is_some() {
        return Err(context.error_once(NOT_FOLLOWED));
    }
    if args.follow {
        return FollowedGoal::new(args, context, path, goal, source).map(|goal| goal.follow(session, writer));
    }
    let asked = AskedGoal { args, context, goal, source, n_told: 0 };
    context.work_ahead(traces, selection, || asked.ahead(writer));
    let told =
        selection.filter(|_| traces.len() == 1).map(|selection| asked.tell_early(path, selection, session, writer));
    let asked = match &told {
        Some(ToldAnswers::Enough(status)) => return Ok(*status),
        Some(ToldAnswers::ApartFrom(goal, n_told)) => AskedGoal { goal, n_told: *n_told, ..asked },
        None => asked,
    };
    let mut was_found = false;
    let status = match selection.and_then(|selection| context.load_excerpt(path, selection)) {
        Some(trace) => asked.of_excerpt(path, &trace, session, writer),
        None if args.common.goals.executor == Some(Executor::Excerpt) => {
            context.error(None, "there is no excerpt for this goal and file");
            return Ok(Status::Error);
        }
        None => match context.load(path) {
            Some(trace) => {
                was_found = context.has_found(&trace);
                asked.of(&trace, session, Notes::Printed, writer).0
            }
            None => Status::Error,
        },
    };
    total.iter().for_each(|total| add_up(total, session, source, writer));
    // what has a selection only searches, moves and writes; what was found ahead was not solved in this session
    let is_unchanged = (selection.is_some() || was_found) && matches!(status, Status::Yes | Status::No);
    *kept = Some(question).filter(|_| is_unchanged);
    Ok(status)
}

/// A goal with everything on which its answers depend.
pub(super) struct AskedGoal<'a> {
    pub(super) args: &'a QueryArgs,
    pub(super) context: &'a CommandContext,
    pub(super) goal: &'a ReadTerm,
    pub(super) source: &'a Arc<Source>,
    /// The number of answers that were told before those of this goal.
    pub(super) n_told: usize,
}

/// Whether notes explain why there is no answer, and where texts were compared with numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notes {
    Printed,
    LeftOut,
}

impl AskedGoal<'_> {
    pub(super) fn of(
        &self,
        trace: &Arc<Trace>,
        session: &mut Session,
        notes: Notes,
        writer: &mut AnswerWriter,
    ) -> (Status, Remarks) {
        match self.context.open(session, trace, &self.args.lines) {
            Status::Yes => {
                let (status, remarks) = self.of_open(session, notes, writer);
                (self.context.trusted(trace, status), remarks)
            }
            other => (other, Remarks::default()),
        }
    }

    /// Answers about the trace that is open in the session; with `--on`, about the derived one.
    pub(super) fn of_open(&self, session: &mut Session, notes: Notes, writer: &mut AnswerWriter) -> (Status, Remarks) {
        let reached = self.context.reach(session, &self.args.lines);
        if reached != Status::Yes {
            return (reached, Remarks::default());
        }
        answer(self, session, notes, writer)
    }

    /// The goal for threads that solve it ahead; none if that could be seen.
    fn ahead(&self, writer: &AnswerWriter) -> Option<Arc<dyn WorkAhead>> {
        Some(Arc::new(GoalAhead {
            goal: self.goal.clone(),
            source: Arc::clone(self.source),
            most: self.most(),
            line_starts: writer.line_starts(),
            shown: self.args.lines.show.clone(),
            only_asks: OnceLock::new(),
            work: ThreadWork::new(self.context.session_ahead()?, output(self.args, self.context).0),
        }))
    }

    /// Answers from the part of the file that the goal needs.
    fn of_excerpt(&self, path: &Path, trace: &Arc<Trace>, session: &mut Session, writer: &mut AnswerWriter) -> Status {
        let (status, remarks) = self.of(trace, session, Notes::LeftOut, writer);
        let compares_texts = !remarks.text_comparisons().is_empty();
        if (status == Status::No || compares_texts) && !self.context.common.quiet {
            self.note_of_whole(path, status);
        }
        status
    }

    /// The part of a trace that the goal needs; none if that is all.
    fn selection(&self) -> Option<Selection> {
        let is_whole = matches!(self.args.common.goals.executor, Some(Executor::Whole | Executor::Machine));
        let common = &self.args.common;
        let has_options = !common.load.is_empty()
            || common.on.is_some()
            || self.args.around.is_some()
            || !self.args.lines.show.is_empty();
        if is_whole || has_options {
            return None;
        }
        let shown = match self.args.to {
            _ if self.args.count => MoveVisibility::Values,
            AnswerForm::None => MoveVisibility::Values,
            AnswerForm::Text | AnswerForm::Json | AnswerForm::Csv | AnswerForm::Table => MoveVisibility::Events,
        };
        footprint(&self.goal.tree, self.most(), shown)
    }

    /// Prints the notes that only the whole trace can give: where texts were compared with numbers, and why there is no
    /// answer. The goal's own output has been written already and is dropped here.
    fn note_of_whole(&self, path: &Path, status: Status) {
        let Some(trace) = self.context.load(path) else { return };
        let (mut session, _) = self.context.session(Moves::Silent, io::sink(), &[]);
        session.open(trace);
        let Ok(mut query) = session.query(self.goal, self.source) else { return };
        query.by_ref().take(self.most()).take_while(Result::is_ok).for_each(drop);
        let remarks = query.finish();
        remarks.text_comparisons().iter().for_each(|note| self.context.note_once(note));
        if status == Status::No {
            remarks.reasons().iter().for_each(|reason| self.context.note(reason));
        }
    }

    /// The most answers that are wanted.
    fn most(&self) -> usize {
        let most = match self.args.max {
            _ if self.args.first || self.args.count => 1,
            most => most.unwrap_or(usize::MAX),
        };
        most.saturating_sub(self.n_told)
    }
}

pub(super) fn read(args: &QueryArgs, session: &Session, source: &Arc<Source>) -> Result<ReadTerm, Box<Diagnostic>> {
    let goals = session.goals();
    let goal = read_goal(&args.goal, &goals.operators, &goals.flags)
        .map_err(|error| Box::new(Diagnostic::syntax(source, error)))?;
    let mut goal = if args.count { counted(goal, args.max) } else { moving(goal, args) };
    if args.to == AnswerForm::None && !args.count {
        // values that are not shown need not be copied
        goal.variables.clear();
    }
    Ok(goal)
}

/// `aggregate_all(count, Goal, Count)`, which counts without solving the goal where possible.
pub(super) fn counted(mut goal: ReadTerm, most: Option<usize>) -> ReadTerm {
    let at = Span::default();
    let root = match most {
        Some(most) => limited(&mut goal, most),
        None => goal.tree.root(),
    };
    let count = goal.tree.push(Node::Atom(atoms::COUNT), at);
    let result = goal.tree.push(Node::Var(goal.n_variables), at);
    goal.tree.push_compound(Atom::new("aggregate_all"), &[count, root, result], at);
    goal.variables = vec![(COUNT.to_string(), goal.n_variables, at, 1)];
    goal.n_variables += 1;
    goal
}

/// `limit(Most, Goal)`
fn limited(goal: &mut ReadTerm, most: usize) -> NodeId {
    let root = goal.tree.root();
    let most = goal.tree.push(Node::Int(i64::try_from(most).unwrap_or(i64::MAX)), Span::default());
    goal.tree.push_compound(Atom::new("limit"), &[most, root], goal.tree.span(root))
}

/// Replaces a goal `event(..)` by `fget(..)` if its events are to be shown, because it has no variables or because of
/// `-C`: before the first event both find the same events, and `fget` moves to them.
fn moving(mut goal: ReadTerm, args: &QueryArgs) -> ReadTerm {
    let root = goal.tree.root();
    let is_event = goal.tree.functor(root) == Some((Atom::new("event"), 1));
    let tells_nothing = goal.variables.iter().all(|(name, ..)| name.starts_with('_'));
    if is_event && args.to != AnswerForm::None && (tells_nothing || args.around.is_some()) {
        let constraints = goal.tree.args(root).to_vec();
        goal.tree.push_compound(Atom::new("fget"), &constraints, goal.tree.span(root));
    }
    goal
}

fn answer(asked: &AskedGoal<'_>, session: &mut Session, notes: Notes, writer: &mut AnswerWriter) -> (Status, Remarks) {
    let context = asked.context;
    let (end, remarks) = solve(asked, session, writer);
    let status = context.diagnostics(&session.take_load_report().diagnostics);
    if writer.lacks_event() {
        context.note_once("the goal moves to no event, so that `-C` has nothing to show (`fget` moves, for one)");
    }
    if notes == Notes::Printed {
        remarks.text_comparisons().iter().for_each(|note| context.note_once(note));
    }
    let status = match end {
        AnswersEnd::Stopped(stop) => context.stopped(&stop, session),
        AnswersEnd::Unwritten(error) => context.written(Err(error)),
        AnswersEnd::Exhausted | AnswersEnd::Enough if writer.n_answers() > 0 => status,
        AnswersEnd::Exhausted | AnswersEnd::Enough => {
            if notes == Notes::Printed {
                remarks.reasons().iter().for_each(|reason| context.note(reason));
            }
            Status::No.and(status)
        }
    };
    (status, remarks)
}

/// Writes the answers of a goal about the trace that is open in a session.
pub(super) fn solve(asked: &AskedGoal<'_>, session: &mut Session, writer: &mut AnswerWriter) -> (AnswersEnd, Remarks) {
    let (ops, trace) = (session.operators().clone(), session.trace().cloned());
    if asked.n_told == 0
        && let Err(error) = writer.begin(trace.as_deref(), asked.goal)
    {
        return (AnswersEnd::Unwritten(error), Remarks::default());
    }
    let mut view = WrittenAnswers { writer, trace: trace.as_deref(), ops: &ops };
    if let Some(FoundAhead::Answers(found)) = trace.as_ref().and_then(|trace| asked.context.take_found(trace)) {
        return found.tell(&mut output(asked.args, asked.context).1, &mut view);
    }
    asked.context.show_so_far();
    show_answers(session, asked.goal, asked.source, asked.most(), &mut view)
}

/// Answers that go to a writer.
pub(super) struct WrittenAnswers<'w> {
    pub(super) writer: &'w mut AnswerWriter,
    pub(super) trace: Option<&'w Trace>,
    pub(super) ops: &'w OpTable,
}

impl AnswerView for WrittenAnswers<'_> {
    fn begins_line(&self, next: Option<&Answer>) -> bool {
        next.is_some_and(|answer| self.writer.line_starts().begins_line(answer))
    }

    fn show(&mut self, answer: &Answer) -> io::Result<Continue> {
        self.writer.answer(answer, self.trace, self.ops).map(|()| Continue::Yes)
    }
}
