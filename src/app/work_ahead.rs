//! What the threads that read the next traces also do on them, each in a session of its own.
//!
//! What they find is kept until the trace's turn comes, and then told as if it were found at that moment. If anything else
//! happens (an error, a limit, a question to the user or to another trace, too much output), the thread gives up, and the
//! work is done when the turn comes.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::answers_ahead::FoundAnswers;
use super::profile_ahead::FoundProfile;
use crate::builtins::only_ask;
use crate::engine::{NamedFiles, ScriptFile};
use crate::session::{Check, Consulted, Limits, Moves, Options, Outcome, Session};
use crate::syntax::ReadTerm;
use crate::trace::Trace;
use crate::trace::threads::lock;

/// The most bytes that the goals on one trace write.
const MOST_BYTES: usize = 1 << 18;

/// Something to do on each trace.
pub(super) trait WorkAhead: Send + Sync {
    /// What there is on a trace; none if it must be done when the turn of the trace comes.
    fn solve(&self, trace: &Arc<Trace>) -> Option<FoundAhead>;

    /// Ends what is being done; no more is begun.
    fn stop(&self);
}

/// What was found on a trace.
pub(super) enum FoundAhead {
    Answers(FoundAnswers),
    Checks(Vec<(Check, Outcome)>),
    Profile(FoundProfile),
}

/// Sessions of threads.
pub(super) struct ThreadWork {
    settings: SessionAhead,
    moves: Moves,
    /// The number of the work.
    number: u64,
    /// How many more traces gave something than were given up; below zero, no more are tried.
    balance: AtomicI64,
    /// The flags that end the goals that are running.
    running: Mutex<Vec<Arc<AtomicBool>>>,
    is_stopped: AtomicBool,
}

/// The settings of the sessions.
pub(super) struct SessionAhead {
    pub(super) scripts: Vec<ScriptFile>,
    pub(super) source_folders: Vec<PathBuf>,
    pub(super) by_machine: bool,
    pub(super) named: Arc<NamedFiles>,
    /// Of each thread; all of them together take a fraction of what goals may take in their turn.
    pub(super) limits: Limits,
}

/// A session of a thread.
pub(super) struct ThreadSession {
    pub(super) session: Session,
    /// What goals have written.
    pub(super) written: Rc<RefCell<Vec<u8>>>,
    /// Whether goals have changed nothing in it, so that the thread goes on in it with its next trace.
    pub(super) is_unchanged: bool,
    /// The clauses and directives of the scripts that it has consulted.
    pub(super) terms: Vec<ReadTerm>,
    /// Their checks, if it is unchanged.
    pub(super) checks: Vec<Check>,
    /// Whether goals have asked neither the user nor another trace.
    is_alone: Rc<Cell<bool>>,
}

thread_local! {
    /// A session of this thread that is kept, with the number of the work.
    static KEPT: RefCell<Option<(u64, ThreadSession)>> = const { RefCell::new(None) };
}

impl ThreadWork {
    pub(super) fn new(settings: SessionAhead, moves: Moves) -> ThreadWork {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        ThreadWork {
            settings,
            moves,
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            balance: AtomicI64::new(0),
            running: Mutex::default(),
            is_stopped: AtomicBool::new(false),
        }
    }

    /// What `job` finds in a session of this thread in which the trace is open; none if that must be found in its turn.
    pub(super) fn on<T>(&self, trace: &Arc<Trace>, job: impl FnOnce(&mut ThreadSession) -> Option<T>) -> Option<T> {
        if self.is_stopped.load(Ordering::Relaxed) || self.balance.load(Ordering::Relaxed) < 0 {
            return None;
        }
        let found = self.found(trace, job);
        self.balance.fetch_add(if found.is_some() { 1 } else { -1 }, Ordering::Relaxed);
        found
    }

    /// Ends the goals that are running; no more are begun.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        lock(&self.running).iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
    }

    fn found<T>(&self, trace: &Arc<Trace>, job: impl FnOnce(&mut ThreadSession) -> Option<T>) -> Option<T> {
        let kept = KEPT.take().filter(|(of, _)| *of == self.number).map(|(_, session)| session);
        let mut own = kept.or_else(|| self.session())?;
        self.name_traces(&mut own);
        let flag = own.session.interrupt_handle();
        lock(&self.running).push(Arc::clone(&flag));
        own.session.open(Arc::clone(trace));
        let found = job(&mut own);
        lock(&self.running).retain(|running| !Arc::ptr_eq(running, &flag));
        let found = found.filter(|_| own.is_alone.get())?;
        if own.is_unchanged {
            KEPT.set(Some((self.number, own)));
        }
        Some(found)
    }

    /// A session as that in which goals are solved otherwise; none if the scripts have something to say.
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
        session.run_ahead();
        session.show_sources(&settings.source_folders);
        if settings.by_machine {
            session.solve_by_machine();
        }
        let mut own =
            ThreadSession { session, written, is_unchanged: false, terms: Vec::new(), checks: Vec::new(), is_alone };
        self.name_traces(&mut own);
        settings.scripts.iter().try_for_each(|script| own.consult(script).map(drop))?;
        let says_nothing = own.written.borrow().is_empty();
        says_nothing.then_some(own)
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

impl ThreadSession {
    /// Consults a script; none if there is something to say about it.
    pub(super) fn consult(&mut self, script: &ScriptFile) -> Option<Consulted> {
        let consulted = self.session.consult(script);
        self.terms.extend_from_slice(&consulted.report.terms);
        (consulted.stop.is_none() && consulted.report.diagnostics.is_empty()).then_some(consulted)
    }

    /// Whether the scripts that it has consulted, and a goal, only ask the trace.
    pub(super) fn only_asks(&self, goal: Option<&ReadTerm>) -> bool {
        only_ask(self.terms.iter().map(|term| &term.tree), goal.map(|goal| &goal.tree))
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
