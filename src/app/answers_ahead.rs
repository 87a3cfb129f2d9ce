//! Answers that are found ahead: the threads that read the next traces also solve the goal on them.
//!
//! What a goal does is its answers and what it writes; both are kept until the trace's turn comes, and then told as if the
//! goal ran at that moment. If anything else happens (an error, a limit, a question to the user or to another trace, too
//! many answers), the thread gives up, and the goal is solved when the turn comes.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::answer_writer::LineStarts;
use super::answers::{AnswerView, AnswersEnd, Continue, show_answers};
use crate::engine::{NamedFiles, Remarks, ScriptFile};
use crate::session::{Answer, Limits, Moves, Options, Session};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::Source;
use crate::trace::Trace;
use crate::trace::threads::lock;

/// The most nodes of the answers about one trace that are kept, and the most bytes that the goal writes.
const MOST_NODES: usize = 1 << 13;
const MOST_BYTES: usize = 1 << 18;

/// A goal, and everything on which its answers about a trace depend.
pub(super) struct GoalAhead {
    pub(super) goal: ReadTerm,
    pub(super) source: Arc<Source>,
    pub(super) most: usize,
    pub(super) moves: Moves,
    pub(super) line_starts: LineStarts,
    pub(super) shown: Vec<String>,
    /// Whether the goal changes nothing, so that a thread can solve it on its next trace in the same session.
    pub(super) changes_nothing: bool,
    pub(super) settings: SessionAhead,
    pub(super) progress: ProgressAhead,
}

/// A session of a thread.
struct ThreadSession {
    session: Session,
    /// What the goal has written.
    written: Rc<RefCell<Vec<u8>>>,
    /// Whether the goal has asked neither the user nor another trace.
    is_alone: Rc<Cell<bool>>,
}

thread_local! {
    /// A session in which this thread has solved a goal that changes nothing, with the number of the goal.
    static KEPT: RefCell<Option<(u64, ThreadSession)>> = const { RefCell::new(None) };
}

/// The settings of its sessions.
pub(super) struct SessionAhead {
    pub(super) scripts: Vec<ScriptFile>,
    pub(super) source_folders: Vec<PathBuf>,
    pub(super) by_machine: bool,
    pub(super) named: Arc<NamedFiles>,
    /// Of each thread; all of them together take a fraction of what the goal may take in its turn.
    pub(super) limits: Limits,
}

/// How the threads get on.
pub(super) struct ProgressAhead {
    /// The number of the goal.
    number: u64,
    /// How many more goals gave their answers than gave up; below zero, no more are tried.
    balance: AtomicI64,
    /// The flags that end the goals that are running.
    running: Mutex<Vec<Arc<AtomicBool>>>,
    is_stopped: AtomicBool,
}

impl Default for ProgressAhead {
    fn default() -> ProgressAhead {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        ProgressAhead {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            balance: AtomicI64::new(0),
            running: Mutex::default(),
            is_stopped: AtomicBool::new(false),
        }
    }
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

impl GoalAhead {
    /// Solves the goal on a trace; none if it must be solved when the turn of the trace comes.
    pub(super) fn solve(&self, trace: &Arc<Trace>) -> Option<FoundAnswers> {
        let progress = &self.progress;
        if progress.is_stopped.load(Ordering::Relaxed) || progress.balance.load(Ordering::Relaxed) < 0 {
            return None;
        }
        let found = self.found(trace);
        progress.balance.fetch_add(if found.is_some() { 1 } else { -1 }, Ordering::Relaxed);
        found
    }

    /// Ends the goals that are running; no more are begun.
    pub(super) fn stop(&self) {
        self.progress.is_stopped.store(true, Ordering::Relaxed);
        lock(&self.progress.running).iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
    }

    fn found(&self, trace: &Arc<Trace>) -> Option<FoundAnswers> {
        let number = self.progress.number;
        let kept = KEPT.take().filter(|(of, _)| *of == number).map(|(_, session)| session);
        let mut own = kept.or_else(|| self.session())?;
        self.name_traces(&mut own);
        let session = &mut own.session;
        let flag = session.interrupt_handle();
        lock(&self.progress.running).push(Arc::clone(&flag));
        session.open(Arc::clone(trace));
        let written = Rc::clone(&own.written);
        let mut kept = KeptAnswers { written, answers: Vec::new(), n_nodes: 0, line_starts: self.line_starts };
        let told = session.show_attributes(&self.shown).ok().map(|()| {
            let (end, remarks) = show_answers(session, &self.goal, &self.source, self.most, &mut kept);
            let is_complete = kept.n_nodes <= MOST_NODES && session.take_load_report().diagnostics.is_empty();
            (end, remarks, is_complete)
        });
        lock(&self.progress.running).retain(|running| !Arc::ptr_eq(running, &flag));
        let (end, remarks, is_complete) = told?;
        let end = match end {
            AnswersEnd::Exhausted => EndAhead::Exhausted,
            AnswersEnd::Enough => EndAhead::Enough,
            AnswersEnd::Stopped(_) | AnswersEnd::Unwritten(_) => return None,
        };
        if !is_complete || !own.is_alone.get() {
            return None;
        }
        let written_last = kept.written.take();
        if self.changes_nothing {
            KEPT.set(Some((number, own)));
        }
        Some(FoundAnswers {
            written_last,
            end,
            reasons: if kept.answers.len() > 1 { Vec::new() } else { remarks.reasons() },
            text_comparisons: remarks.text_comparisons().to_vec(),
            answers: kept.answers,
        })
    }

    /// A session as that in which the goal is solved otherwise; none if the scripts have something to say.
    fn session(&self) -> Option<ThreadSession> {
        let settings = &self.settings;
        let (written, is_alone) = (Rc::new(RefCell::new(Vec::new())), Rc::new(Cell::new(true)));
        let output = Box::new(KeptOutput(Rc::clone(&written)));
        let mut session =
            Session::new(Options { output, moves: self.moves, argv: Vec::new(), limits: settings.limits });
        let asks_user = Rc::clone(&is_alone);
        session.ask_lines(Box::new(move |_| {
            asks_user.set(false);
            Err(io::ErrorKind::Unsupported.into())
        }));
        session.show_sources(&settings.source_folders);
        if settings.by_machine {
            session.solve_by_machine();
        }
        let mut own = ThreadSession { session, written, is_alone };
        self.name_traces(&mut own);
        for script in &settings.scripts {
            let consulted = own.session.consult(script);
            if consulted.stop.is_some() || !consulted.report.diagnostics.is_empty() {
                return None;
            }
        }
        Some(own)
    }

    /// Names the traces of the command, none of which the session has opened yet.
    fn name_traces(&self, own: &mut ThreadSession) {
        let asks_trace = Rc::clone(&own.is_alone);
        let load = move |_| {
            asks_trace.set(false);
            Err(String::new())
        };
        own.session.name_traces(Arc::clone(&self.settings.named), Rc::new(load));
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

/// Output that is kept, up to a size.
struct KeptOutput(Rc<RefCell<Vec<u8>>>);

impl Write for KeptOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.0.borrow_mut();
        if written.len() + bytes.len() > MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{LoadOptions, load};
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
            moves: Moves::Shown,
            line_starts: LineStarts { is_text: true, shows_events: false },
            shown: Vec::new(),
            changes_nothing: false,
            settings: SessionAhead {
                scripts: Vec::new(),
                source_folders: Vec::new(),
                by_machine: false,
                named: Arc::new(NamedFiles::new(vec![path.clone(), path])),
                limits: Limits { time: None, memory: Some(1 << 24) },
            },
            progress: ProgressAhead::default(),
        };
        let found = goal.solve(&trace)?;
        Some(found.answers.len())
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
