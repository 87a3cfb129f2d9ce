//! `papaver query --engine`: an SQL engine answers about an exported folder, and the answers are written as always.

use std::path::Path;
use std::sync::Arc;

use super::answer_writer::AnswerWriter;
use super::args::{AnswerForm, QueryArgs};
use super::context::CommandContext;
use super::engine_folder::{AskedFolder, Derived};
use super::engine_process::{Engine, EngineFailure};
use super::engine_rows::{EngineAnswer, read_count, read_row};
use super::query::{AskedGoal, Notes, add_up, asking, counted, read};
use super::query_total::TotalGoal;
use super::sql::rules;
use super::status::Status;
use crate::formats::read_chosen;
use crate::output::{Display, event_line};
use crate::session::{Answer, Moves, Session};
use crate::sql::{Query, Selected};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::{ReadTerm, read_goal};
use crate::term::ops::OpTable;
use crate::term::{NodeId, Tree};
use crate::trace::{EventId, Trace};

/// How many answers are written at a time; the events that they moved to are read together.
const BATCH: usize = 4096;

/// Answers a goal about the trace of a folder at `path`; an error if it cannot be put to any.
pub(super) fn engine_answers(
    args: &QueryArgs,
    engine: &Engine,
    context: &CommandContext,
    path: &Path,
    writer: &mut AnswerWriter,
) -> Result<Status, Status> {
    if args.common.reading.merge {
        return Err(context.error_once("`--engine` cannot be combined with `--merge`"));
    }
    let (mut session, consulted) = asking(args, context);
    if consulted != Status::Yes {
        return Ok(consulted);
    }
    let source = Source::new("query", args.goal.as_str());
    let (goal, total) = match questions(args, &session, &source) {
        Ok(questions) => questions,
        Err(diagnostic) => return Err(context.diagnostics(&[*diagnostic])),
    };
    let rules = match rules(&context.loaded_scripts(), &session.goals().operators) {
        Ok(rules) => rules,
        Err(diagnostic) => return Err(context.diagnostics(&[*diagnostic])),
    };
    let asked = match AskedFolder::new(path, engine, rules, args.common.on.as_deref()) {
        Ok(asked) => asked,
        Err(message) => return Ok(context.error_once(&message)),
    };
    let status = EngineGoal { args, context, goal, source: &source, is_total: total.is_some() }.of(&asked, writer);
    total.iter().for_each(|total| add_up(total, &mut session, &source, writer));
    Ok(status)
}

/// The goal for each trace, which `--count` counts, and the one whose results `--total` adds up.
fn questions(
    args: &QueryArgs,
    session: &Session,
    source: &Arc<Source>,
) -> Result<(ReadTerm, Option<TotalGoal>), Box<Diagnostic>> {
    let goals = session.goals();
    match (args.total, args.count) {
        (true, _) => {
            let total = TotalGoal::new(read(args, session, source)?, source)?;
            Ok((total.for_each(), Some(total)))
        }
        (false, false) => Ok((read(args, session, source)?, None)),
        (false, true) => read_goal(&args.goal, &goals.operators, &goals.flags)
            .map(|goal| (goal, None))
            .map_err(|error| Box::new(Diagnostic::syntax(source, error))),
    }
}

/// A goal for each trace.
struct EngineGoal<'a> {
    args: &'a QueryArgs,
    context: &'a CommandContext,
    goal: ReadTerm,
    source: &'a Arc<Source>,
    is_total: bool,
}

impl EngineGoal<'_> {
    fn of(self, asked: &AskedFolder, writer: &mut AnswerWriter) -> Status {
        let EngineGoal { args, context, ref goal, source, is_total } = self;
        let is_counted = args.count && !is_total;
        let most = args.max.map(|most| i64::try_from(most).unwrap_or(i64::MAX));
        let most = if args.first && !args.count { Some(1) } else { most };
        let shown = if self.is_text() { refuse_unshown(goal, source) } else { Ok(()) };
        let selected = if is_counted { Selected::Count } else { Selected::Terms };
        let compiled = shown.and_then(|()| asked.compiled(goal, source, selected, most));
        let query = match (compiled, asked.on) {
            (Ok(query), None) => query,
            // the events of a derived trace are not in the folder
            (Ok(query), Some(_)) if is_counted || !self.shows_events(&query) => query,
            (Err(refusal), None) => {
                return match asked.events_of(goal, source) {
                    None => context.diagnostics(&[*refusal]),
                    Some(trace) => self.of_chosen(trace, writer),
                };
            }
            (compiled, Some(name)) => {
                return match (asked.derived(name), compiled) {
                    (Err(_), Err(refusal)) | (Err(refusal), Ok(_)) => context.diagnostics(&[*refusal]),
                    (Ok(derived), _) => self.of_derived(asked, derived, writer),
                };
            }
        };
        let (session, _) = context.session(Moves::Silent, context.out.aside(), &[]);
        let ops = session.operators().clone();
        let shows_moves = self.shows_moves();
        let mut answers = EngineAnswers {
            args,
            asked,
            context,
            query: &query,
            is_counted,
            shows_moves,
            ops: &ops,
            writer,
            kept: Vec::new(),
        };
        answers.run(goal)
    }

    /// Whether answers are text.
    fn is_text(&self) -> bool {
        matches!(self.args.to, AnswerForm::Text | AnswerForm::None) && !self.args.count && !self.is_total
    }

    /// Whether the event of each answer is shown before it.
    fn shows_moves(&self) -> bool {
        let tree = &self.goal.tree;
        self.is_text() && is_shown_move(tree, last_goal(tree))
    }

    /// Whether the answers of a query are written with events.
    fn shows_events(&self, query: &Query) -> bool {
        self.shows_moves() || writes_events(self.args, query)
    }

    /// Answers the goal about a trace of the events that it needs.
    fn of_chosen(self, chosen: Result<Trace, String>, writer: &mut AnswerWriter) -> Status {
        match chosen {
            Err(message) => failed(self.context, &message),
            Ok(trace) => {
                self.here(writer, |here, session, writer| here.of(&Arc::new(trace), session, Notes::LeftOut, writer).0)
            }
        }
    }

    /// Answers the goal about the derived trace.
    fn of_derived(self, asked: &AskedFolder, derived: Result<Derived, String>, writer: &mut AnswerWriter) -> Status {
        match derived {
            Err(message) => failed(self.context, &message),
            Ok(derived) => self.here(writer, |here, session, writer| match derived.open(asked.path, session) {
                Ok(()) => here.of_open(session, Notes::LeftOut, writer).0,
                Err(stopped) => here.context.stopped(&stopped, session),
            }),
        }
    }

    /// Answers the goal here, in a session.
    fn here(
        self,
        writer: &mut AnswerWriter,
        answer: impl FnOnce(&AskedGoal, &mut Session, &mut AnswerWriter) -> Status,
    ) -> Status {
        let EngineGoal { args, context, goal, source, is_total } = self;
        let (mut session, _) = asking(args, context);
        let goal = if args.count && !is_total { counted(goal, args.max) } else { goal };
        answer(&AskedGoal { args, context, goal: &goal, source, n_told: 0 }, &mut session, writer)
    }
}

/// The status after an engine failed.
pub(super) fn failed(context: &CommandContext, message: &str) -> Status {
    if context.is_interrupted() { Status::Interrupted } else { context.error_once(message) }
}

/// Whether answers are written with the events that the goal moved to.
fn writes_events(args: &QueryArgs, query: &Query) -> bool {
    args.to == AnswerForm::Json || query.variables.is_empty() && matches!(args.to, AnswerForm::Csv | AnswerForm::Table)
}

/// As text, a goal shows each event that it moves to; an engine knows only those of answers.
fn refuse_unshown(goal: &ReadTerm, source: &Arc<Source>) -> Result<(), Box<Diagnostic>> {
    let tree = &goal.tree;
    let last = last_goal(tree);
    let other = all_terms(tree).into_iter().find(|node| is_shown_move(tree, *node) && *node != last);
    match other {
        None => Ok(()),
        Some(node) => {
            let why = "as text, every event that this moves to is shown, also without an answer, which an engine does not \
                       tell; use `fget_np` or `bget_np`, or `--to json`";
            Err(Box::new(Diagnostic::error(source, tree.span(node), why)))
        }
    }
}

/// Whether a goal moves to events and shows them as text.
fn is_shown_move(tree: &Tree, goal: NodeId) -> bool {
    tree.functor(goal).is_some_and(|(name, arity)| arity == 1 && matches!(name.as_str(), "fget" | "bget"))
}

/// The last goal of a conjunction.
fn last_goal(tree: &Tree) -> NodeId {
    let mut goal = tree.root();
    while let (Some((name, 2)), &[_, rest]) = (tree.functor(goal), tree.args(goal)) {
        if name.as_str() != "," {
            break;
        }
        goal = rest;
    }
    goal
}

fn all_terms(tree: &Tree) -> Vec<NodeId> {
    let (mut found, mut waiting) = (Vec::new(), vec![tree.root()]);
    while let Some(node) = waiting.pop() {
        found.push(node);
        waiting.extend_from_slice(tree.args(node));
    }
    found
}

/// The answers of an engine on their way to the output.
struct EngineAnswers<'a> {
    args: &'a QueryArgs,
    asked: &'a AskedFolder<'a>,
    context: &'a CommandContext,
    query: &'a Query,
    /// Whether the only row is the number of answers.
    is_counted: bool,
    /// Whether the event of each answer is shown before it.
    shows_moves: bool,
    ops: &'a OpTable,
    writer: &'a mut AnswerWriter,
    /// Answers that were read and not yet written.
    kept: Vec<EngineAnswer>,
}

impl EngineAnswers<'_> {
    fn run(&mut self, goal: &ReadTerm) -> Status {
        let begun = self.writer.begin_at(self.asked.path.display().to_string(), None, goal);
        let mut status = self.context.written(begun);
        if status != Status::Yes {
            return status;
        }
        let (engine, query) = (self.asked.engine, self.query);
        let ended = engine.run(&query.text, |line| {
            if self.is_counted {
                let count = read_count(line)?;
                status = self.context.written(self.writer.counted(count));
                return Ok(true);
            }
            let mut answer = read_row(line, query, engine.dialect)?;
            answer.add_unbound(goal);
            self.kept.push(answer);
            if self.kept.len() >= BATCH {
                status = self.write()?;
            }
            Ok(status == Status::Yes)
        });
        let ended = ended.and_then(|()| match status {
            Status::Yes => self.write().map_err(EngineFailure::Failed),
            other => Ok(other),
        });
        match ended {
            _ if self.context.is_interrupted() => Status::Interrupted,
            Ok(Status::Yes) if self.writer.n_answers() == 0 => Status::No,
            Ok(status) => status,
            Err(EngineFailure::Missing(message) | EngineFailure::Failed(message)) => {
                self.context.error(None, &message);
                Status::Error
            }
        }
    }

    /// Writes the answers that were kept.
    fn write(&mut self) -> Result<Status, String> {
        let kept = std::mem::take(&mut self.kept);
        let shows_events = self.shows_moves || writes_events(self.args, self.query);
        let mut chronos: Vec<i64> = kept.iter().filter_map(|answer| answer.chrono).filter(|_| shows_events).collect();
        chronos.sort_unstable();
        chronos.dedup();
        let trace = if chronos.is_empty() { None } else { Some(read_chosen(self.asked.path, &chronos)?) };
        for answer in kept {
            let event = answer.chrono.zip(trace.as_ref()).map(|(chrono, trace)| event_of(trace, chrono));
            let event =
                event.map(|event| event.ok_or("the engine gave an event that is not in the folder")).transpose()?;
            let EngineAnswer { tree, values, .. } = answer;
            let answer = Answer { tree, values, goals: Vec::new(), event, more: false };
            let written = self.show(&answer, trace.as_ref());
            let status = self.context.written(written);
            if status != Status::Yes {
                return Ok(status);
            }
        }
        Ok(Status::Yes)
    }

    fn show(&mut self, answer: &Answer, trace: Option<&Trace>) -> std::io::Result<()> {
        if let (Some(event), Some(trace), true) = (answer.event, trace, self.shows_moves) {
            let mut display = Display::default();
            for name in &self.args.lines.show {
                display.show(name, trace).map_err(|error| std::io::Error::other(error.to_string()))?;
            }
            self.context.out.data(&format!("{}\n", event_line(trace, event, &display)))?;
        }
        self.writer.answer(answer, trace, self.ops)
    }
}

/// The event with a number.
pub(super) fn event_of(trace: &Trace, chrono: i64) -> Option<EventId> {
    let (mut low, mut high) = (0, trace.n_events());
    while low < high {
        let middle = low + (high - low) / 2;
        match trace.chrono(middle) < chrono {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    (low < trace.n_events() && trace.chrono(low) == chrono).then_some(low)
}
