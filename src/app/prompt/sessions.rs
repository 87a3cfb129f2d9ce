//! Runs goals in the sessions of a prompt, and shows their answers.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::answer_table::put_as_table;
use super::keys::AnswerKey;
use crate::app::answer_text::{AnswerExtent, answer_text};
use crate::app::answers::{AnswerView, AnswersEnd, Continue, show_answers};
use crate::app::args::LineOptions;
use crate::app::context::CommandContext;
use crate::app::status::Status;
use crate::app::terminal::{DIM, paint};
use crate::engine::{AnswerLayout, Ask, Remarks};
use crate::session::{Answer, Goals, Session};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::term::ops::OpTable;
use crate::term::{Atom, Node};

/// The reader of the answers, who decides whether more are wanted.
pub(crate) trait Audience {
    /// Shows the last line of an answer, without its line end, and returns what is wanted next.
    fn show_and_ask(&mut self, last_line: &str) -> io::Result<AnswerKey>;
}

/// The sessions in which every goal runs, one for each trace.
pub(crate) struct PromptSessions<'c> {
    context: &'c CommandContext,
    sessions: Vec<Session>,
    /// How long the file of each trace was when it was read; none if that does not matter.
    sizes: Vec<Option<u64>>,
}

/// The length of a file that others may append to.
pub(crate) fn file_size(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|file| file.len())
}

/// What reads the traces again at the prompt.
const RELOAD: &str = "reload";

impl<'c> PromptSessions<'c> {
    /// At least one session, and how long the files of their traces were when these were read.
    pub(crate) fn new(
        context: &'c CommandContext,
        sessions: Vec<Session>,
        sizes: Vec<Option<u64>>,
    ) -> PromptSessions<'c> {
        PromptSessions { context, sessions, sizes }
    }

    /// The sessions.
    pub(crate) fn all(&self) -> &[Session] {
        &self.sessions
    }

    /// Lets goals read lines interactively.
    pub(crate) fn ask_lines(&mut self, ask: impl Fn() -> Ask) {
        self.sessions.iter_mut().for_each(|session| session.ask_lines(ask()));
    }

    /// The width of the terminal, and the number of characters to which event lines are cut.
    pub(crate) fn fit_terminal(&mut self, columns: usize, room: usize) {
        self.sessions.iter_mut().for_each(|session| session.fit_terminal(columns, room));
    }

    /// Says once of each trace whose file has grown how to take in the new events.
    pub(crate) fn tell_growth(&mut self) {
        for (session, size) in self.sessions.iter().zip(&mut self.sizes) {
            let Some(path) = session.trace().map(|trace| trace.origin().path.clone()) else { continue };
            let grown = size.zip(file_size(&path)).filter(|(before, now)| before < now);
            if let Some((before, now)) = grown {
                *size = None;
                let path = path.display();
                remark(self.context, &format!("{path} has grown by {} bytes: `reload.` takes them in", now - before));
                let _ = self.context.out.flush_all();
            }
        }
    }

    /// Reads the traces again; the cursors stay at their events.
    fn reload(&mut self) -> Status {
        let mut status = Status::Yes;
        for (session, size) in self.sessions.iter_mut().zip(&mut self.sizes) {
            let Some(before) = session.trace().cloned() else { continue };
            let path = &before.origin().path;
            self.context.forget(path);
            *size = file_size(path);
            let Some(trace) = self.context.load(path) else {
                status = Status::Error;
                continue;
            };
            self.context.keep(path, &trace);
            let cursor = session.current_number();
            session.open(trace);
            status = status.and(self.context.reach(session, &LineOptions::default()));
            if let Some(number) = cursor {
                session.go_to_number(number);
            }
            let n_events = session.trace().map_or(0, |trace| trace.n_events());
            let line = format!("{}: {n_events} events, {} before\n", path.display(), before.n_events());
            status = status.and(self.context.written(self.context.out.data(&line)));
        }
        status
    }

    /// The number of lines of standard input that goals have read.
    pub(crate) fn lines_taken(&self) -> usize {
        self.sessions.iter().map(Session::lines_taken).sum()
    }

    /// How goals are currently read.
    pub(crate) fn goals(&self) -> Goals {
        self.sessions[0].goals()
    }

    /// Discards interrupts that arrived when no goal was running, so that they do not stop the next goal.
    pub(crate) fn forget_interrupts(&self) {
        for session in &self.sessions {
            session.interrupt_handle().store(false, Ordering::Relaxed);
        }
    }

    /// Runs the goals of a text in order, until one ends the program.
    ///
    /// Returns the gravest status.
    pub(crate) fn put_all(&mut self, text: &str, audience: &mut dyn Audience) -> Status {
        self.put_source(&Source::new("goal", text), audience)
    }

    /// As [`PromptSessions::put_all`], for a text whose name and lines are known.
    pub(crate) fn put_source(&mut self, source: &Arc<Source>, audience: &mut dyn Audience) -> Status {
        let mut status = Status::Yes;
        for goal in self.goals().read(&source.text) {
            let one = match goal {
                Ok(goal) => self.put(&goal, source, audience),
                Err(error) => self.context.diagnostics(&[Diagnostic::syntax(source, error)]),
            };
            status = status.and(one);
            if status.is_end() {
                break;
            }
        }
        status
    }

    /// Runs a goal in each session; the status is that of an answer if some session has one.
    pub(crate) fn put(&mut self, goal: &ReadTerm, source: &Arc<Source>, audience: &mut dyn Audience) -> Status {
        if *goal.tree.node(goal.tree.root()) == Node::Atom(Atom::new(RELOAD)) {
            return self.reload();
        }
        let mut status = Status::No;
        let is_named = self.sessions.len() > 1;
        for session in &mut self.sessions {
            let name = session.trace().filter(|_| is_named).map(|trace| trace.origin().path.display().to_string());
            let show = || name.map_or(Ok(()), |name| self.context.out.data(&format!("% {name}\n")));
            if let Err(error) = show() {
                return self.context.written(Err(error));
            }
            let one = put_to(self.context, session, goal, source, audience);
            status = match (status, one) {
                (Status::No, one) => one,
                (Status::Yes, Status::No) => Status::Yes,
                (before, one) => before.and(one),
            };
            if status.is_end() {
                break;
            }
        }
        status
    }
}

fn put_to(
    context: &CommandContext,
    session: &mut Session,
    goal: &ReadTerm,
    source: &Arc<Source>,
    audience: &mut dyn Audience,
) -> Status {
    let ops = session.operators().clone();
    if session.answer_layout() == AnswerLayout::Table && goal.variables.iter().any(|(name, ..)| !name.starts_with('_'))
    {
        return put_as_table(context, session, goal, source, audience);
    }
    let mut view = Conversation { context, ops: &ops, audience, wanted: AnswerKey::Next, n_answers: 0 };
    let (end, remarks) = show_answers(session, goal, source, usize::MAX, &mut view);
    let n_answers = view.n_answers;
    let status_of_scripts = context.diagnostics(&session.take_load_report().diagnostics);
    remarks.text_comparisons().iter().for_each(|note| remark(context, note));
    let status = match end {
        AnswersEnd::Enough => Status::Yes,
        AnswersEnd::Exhausted if n_answers == 0 => no_answer(context, &remarks),
        AnswersEnd::Exhausted => context.written(context.out.own("false.\n")),
        AnswersEnd::Stopped(stop) => context.stopped(&stop, session),
        AnswersEnd::Unwritten(error) => context.written(Err(error)),
    };
    status.and(status_of_scripts)
}

/// Answers that are shown one by one, as long as the audience wants more.
struct Conversation<'a> {
    context: &'a CommandContext,
    ops: &'a OpTable,
    audience: &'a mut dyn Audience,
    wanted: AnswerKey,
    n_answers: usize,
}

impl AnswerView for Conversation<'_> {
    fn begins_line(&self, _: Option<&Answer>) -> bool {
        true
    }

    fn show(&mut self, answer: &Answer) -> io::Result<Continue> {
        self.n_answers += 1;
        self.wanted = show(self.context, answer, self.ops, self.wanted, self.audience)?;
        Ok(if self.wanted == AnswerKey::Stop { Continue::No } else { Continue::Yes })
    }
}

/// `X = 1,` `Y = 2 ;`: shows an answer and returns what is wanted next.
pub(super) fn show(
    context: &CommandContext,
    answer: &Answer,
    ops: &OpTable,
    wanted: AnswerKey,
    audience: &mut dyn Audience,
) -> io::Result<AnswerKey> {
    let out = &context.out;
    let extent = if context.terminal.output { AnswerExtent::Cut } else { AnswerExtent::Whole };
    let text = answer_text(answer, ops, extent);
    if let Some(cut) = &text.cut {
        out.own(&format!("{}\n", paint(&format!("% {cut}"), DIM, context.terminal.color_output)))?;
    }
    let (last, first) = text.bindings.split_last().map_or(("true", &[][..]), |(last, first)| (last.as_str(), first));
    for binding in first {
        out.data(&format!("{binding},\n"))?;
    }
    match (answer.more, wanted) {
        (false, _) => out.data(&format!("{last}.\n")).map(|()| AnswerKey::Stop),
        (true, AnswerKey::All) => out.data(&format!("{last} ;\n")).map(|()| AnswerKey::All),
        (true, _) => ask(context, last, audience),
    }
}

pub(super) fn ask(context: &CommandContext, last: &str, audience: &mut dyn Audience) -> io::Result<AnswerKey> {
    context.out.flush_all()?;
    audience.show_and_ask(last)
}

/// `false.` and why.
pub(super) fn no_answer(context: &CommandContext, remarks: &Remarks) -> Status {
    let written = context.written(context.out.own("false.\n"));
    if written != Status::Yes {
        return written;
    }
    remarks.reasons().iter().for_each(|reason| remark(context, reason));
    Status::No
}

/// Prints `% why`, or a note if goals are not typed.
pub(super) fn remark(context: &CommandContext, words: &str) {
    if context.terminal.input {
        let remark = paint(&format!("% {words}"), DIM, context.terminal.color_output);
        let _ = context.out.own(&format!("{remark}\n"));
    } else {
        context.note(words);
    }
}
