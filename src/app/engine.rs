//! `papaver query --engine`: an SQL engine answers about an exported folder, and the answers are written as always.

use std::path::Path;
use std::sync::Arc;

use super::answer_writer::AnswerWriter;
use super::args::{AnswerForm, QueryArgs};
use super::context::CommandContext;
use super::engine_folder::AskedFolder;
use super::engine_process::{self, EngineFailure};
use super::engine_rows::{EngineAnswer, read_count, read_row};
use super::query::{AskedGoal, Notes, asking, counted, moving};
use super::sql::{SqlDialect, rules};
use super::status::Status;
use crate::formats::{Folder, read_chosen};
use crate::output::{Display, event_line};
use crate::session::{Answer, Moves};
use crate::sql::{Query, Selected};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::{ReadTerm, read_goal};
use crate::term::ops::OpTable;
use crate::term::{NodeId, Tree};
use crate::trace::{EventId, Trace};

/// How many answers are written at a time; the events that they moved to are read together.
const BATCH: usize = 4096;

/// Answers a goal about the folder at `path`.
pub(super) fn engine_answers(
    args: &QueryArgs,
    engine: SqlDialect,
    context: &CommandContext,
    path: &Path,
    writer: &mut AnswerWriter,
) -> Status {
    if args.common.on.is_some() || args.common.reading.merge {
        return context.error_once("`--engine` cannot be combined with `--on` and `--merge`");
    }
    let (session, consulted) = context.session(Moves::Silent, context.out.aside(), &[]);
    if consulted != Status::Yes {
        return consulted;
    }
    let goals = session.goals();
    let source = Source::new("query", args.goal.as_str());
    let goal = match read_goal(&args.goal, &goals.operators, &goals.flags) {
        Ok(goal) if args.count => goal,
        Ok(goal) => moving(goal, args),
        Err(error) => return context.diagnostics(&[Diagnostic::syntax(&source, error)]),
    };
    let folder = match Folder::read(path) {
        Ok(folder) => folder,
        Err(message) => return context.error_once(&format!("{message}; `--engine` asks a folder of `papaver export`")),
    };
    let rules = match rules(&context.loaded_scripts(), &goals.operators) {
        Ok(rules) => rules,
        Err(diagnostic) => return context.diagnostics(&[*diagnostic]),
    };
    let asked = AskedFolder { path, folder, engine, command: args.engine_command.as_deref(), rules };
    let most = if args.first { Some(1) } else { args.max.map(|most| i64::try_from(most).unwrap_or(i64::MAX)) };
    let selected = if args.count { Selected::Count } else { Selected::Terms };
    let is_text = matches!(args.to, AnswerForm::Text | AnswerForm::None) && !args.count;
    let shown = if is_text { refuse_unshown(&goal, &source) } else { Ok(()) };
    let compiled = shown.and_then(|()| asked.compiled(&goal, &source, selected, most));
    let query = match compiled {
        Ok(query) => query,
        Err(refusal) => {
            return match asked.events_of(&goal, &source) {
                None => context.diagnostics(&[*refusal]),
                Some(Err(_)) if context.is_interrupted() => Status::Interrupted,
                Some(Err(message)) => context.error_once(&message),
                Some(Ok(trace)) => {
                    let (mut session, _) = asking(args, context);
                    let goal = if args.count { counted(goal, args.max) } else { goal };
                    let here = AskedGoal { args, context, goal: &goal, source: &source };
                    here.of(&Arc::new(trace), &mut session, Notes::LeftOut, writer).0
                }
            };
        }
    };
    let ops = session.operators().clone();
    let shows_moves =
        matches!(args.to, AnswerForm::Text | AnswerForm::None) && is_shown_move(&goal.tree, last_goal(&goal.tree));
    let mut answers =
        EngineAnswers { args, engine, context, path, query: &query, shows_moves, ops: &ops, writer, kept: Vec::new() };
    answers.run(&goal)
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
    engine: SqlDialect,
    context: &'a CommandContext,
    path: &'a Path,
    query: &'a Query,
    /// Whether the event of each answer is shown before it.
    shows_moves: bool,
    ops: &'a OpTable,
    writer: &'a mut AnswerWriter,
    /// Answers that were read and not yet written.
    kept: Vec<EngineAnswer>,
}

impl EngineAnswers<'_> {
    fn run(&mut self, goal: &ReadTerm) -> Status {
        let begun = self.writer.begin_at(self.path.display().to_string(), None, goal);
        let mut status = self.context.written(begun);
        if status != Status::Yes {
            return status;
        }
        let (engine, command, query) = (self.engine, self.args.engine_command.as_deref(), self.query);
        let ended = engine_process::run(engine, command, &query.text, |line| {
            if self.args.count {
                let count = read_count(line)?;
                status = self.context.written(self.writer.counted(count));
                return Ok(true);
            }
            let mut answer = read_row(line, query, engine)?;
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
        let shows_events = self.shows_moves
            || self.args.to == AnswerForm::Json
            || self.query.variables.is_empty() && matches!(self.args.to, AnswerForm::Csv | AnswerForm::Table);
        let mut chronos: Vec<i64> = kept.iter().filter_map(|answer| answer.chrono).filter(|_| shows_events).collect();
        chronos.sort_unstable();
        chronos.dedup();
        let trace = if chronos.is_empty() { None } else { Some(read_chosen(self.path, &chronos)?) };
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
                display.show(name, trace.schema()).map_err(|error| std::io::Error::other(error.to_string()))?;
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
