//! What every command needs: the streams, the messages on standard error, loading, and sessions.

use std::cell::{Cell, OnceCell, RefCell};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::args::{Common, Executor, LineOptions};
use super::interrupt::{self, InterruptEffect};
use super::named_traces::{FolderFiles, NamedTraces};
use super::out::{Out, OutputReader};
use super::progress::{ProgressDisplay, ProgressWanted};
use super::read_here::{free_here, free_unneeded};
use super::status::Status;
use super::terminal::{DIM, ERROR, Terminal, WARNING, paint};
use super::traces_ahead::{TracesAhead, Turn};
use super::units::MemoryLimit;
use super::work_ahead::{FoundAhead, SessionAhead, WorkAhead};
use crate::engine::{GoalTrace, Loader, NamedFiles, ScriptFile, Stop, Stopped};
use crate::formats::{
    LoadError, LoadOptions, Selected, Unneeded, load, load_beginning, load_bytes, load_merged, load_selected,
    unknown_names,
};
use crate::session::{Consulted, Limits, Moves, Options, Session, declared_operators};
use crate::spill;
use crate::syntax::diagnostic::{Diagnostic, Severity};
use crate::term::hash::{HashMap, HashSet};
use crate::term::ops::OpTable;
use crate::trace::threads::n_openers;
use crate::trace::{Selection, Trace};

/// The note on a trace whose recorder did not finish.
pub(crate) const UNFINISHED: &str = "there is no trailer: the recorder did not come to its end";

/// Why `--on` and `--follow` exclude each other.
pub(crate) const NOT_FOLLOWED: &str = "a derived trace cannot be followed: it is made when its source is complete";

/// How often memory is looked at for new sessions.
const ASK_FREE_EVERY: Duration = Duration::from_millis(200);

/// All goals that are solved ahead take at most this part of the memory that one may take in its turn.
const SHARES_AHEAD: u64 = 4;

/// The environment of a command.
pub(crate) struct CommandContext {
    /// The options that all commands have.
    pub(crate) common: Common,
    /// What is known about the streams.
    pub(crate) terminal: Terminal,
    /// Standard output.
    pub(crate) out: Out,
    /// What Ctrl-C ends.
    pub(crate) ends: InterruptEffect,
    /// The flag that Ctrl-C sets in all sessions of a command, once it is watched.
    interrupt: OnceCell<Arc<AtomicBool>>,
    has_told_unwritten: Cell<bool>,
    /// What was said about scripts, which are consulted again for each trace.
    printed: RefCell<HashSet<String>>,
    /// The errors printed and not yet taken by [`CommandContext::take_faults`].
    faults: RefCell<Vec<PrintedError>>,
    /// The files that are read as one trace.
    merged: RefCell<Vec<PathBuf>>,
    /// The traces that goals may ask, whichever is the current one.
    named: RefCell<Arc<NamedFiles>>,
    /// The formats that the first bytes of some of them show.
    formats: RefCell<Arc<HashMap<PathBuf, &'static str>>>,
    /// Those of them that were read and are needed again.
    kept: Rc<RefCell<HashMap<PathBuf, Arc<Trace>>>>,
    /// The traces that are read while goals run on those before.
    ahead: OnceCell<FilesAhead>,
    /// A trace that was read as a whole, since a part of it cannot be read.
    whole: RefCell<Option<(PathBuf, Loaded)>>,
    /// What was found ahead on the trace that was taken last, if anything was.
    found: RefCell<Option<(Arc<Trace>, FoundAhead)>>,
    /// When memory was looked at, and half of what was free.
    half_of_free: Cell<Option<(Instant, Option<u64>)>>,
    /// The scripts of `-l`, or why one cannot be read.
    scripts: Vec<Result<ScriptFile, String>>,
    /// The operators of texts that are terms, if the scripts of `-l` declare some.
    pub(crate) operators: Option<Arc<OpTable>>,
}

/// A trace, or why it cannot be read.
type Loaded = Result<Arc<Trace>, LoadError>;

/// Files that are read ahead.
struct FilesAhead {
    traces: TracesAhead<FileAhead>,
    work: Option<Arc<dyn WorkAhead>>,
    n_traces: usize,
    n_read: Arc<AtomicU64>,
}

/// A file that was read ahead, and what was found on it, if anything was.
struct FileAhead {
    trace: ReadTrace,
    found: Option<FoundAhead>,
}

/// What became of a file that was read.
enum ReadTrace {
    Part(Arc<Trace>, Unneeded),
    Whole(Loaded),
}

impl ReadTrace {
    /// Reads what `selection` needs, if there is one and that can be told apart.
    fn of(path: &Path, options: &LoadOptions<'_>, selection: Option<&Selection>) -> ReadTrace {
        match selection.map(|selection| load_selected(path, options, selection)) {
            None => ReadTrace::Whole(load(path, options).map(Arc::new)),
            Some(Ok(Selected::Part(part))) => ReadTrace::Part(Arc::new(part.trace), part.unneeded),
            Some(Ok(Selected::Whole(trace))) => ReadTrace::Whole(Ok(Arc::new(trace))),
            Some(Err(error)) => ReadTrace::Whole(Err(error)),
        }
    }

    fn trace(&self) -> Option<&Arc<Trace>> {
        match self {
            ReadTrace::Part(trace, _) => Some(trace),
            ReadTrace::Whole(loaded) => loaded.as_ref().ok(),
        }
    }
}

/// An error that was printed on standard error.
pub(crate) struct PrintedError {
    /// `file:line:col`, if there is one.
    pub(crate) place: Option<String>,
    /// What is wrong.
    pub(crate) message: String,
}

impl CommandContext {
    /// Looks at the streams.
    pub(crate) fn new(common: &Common, ends: InterruptEffect) -> CommandContext {
        match common.goals.memory_limit {
            Some(MemoryLimit::Bytes(most)) => spill::limit_memory(Some(most)),
            Some(MemoryLimit::Unlimited) => spill::limit_memory(None),
            None => {}
        }
        let terminal = Terminal::detect(common.color);
        let out = Out::new(if terminal.output { OutputReader::Terminal } else { OutputReader::Pipe });
        let scripts: Vec<_> = common.load.iter().map(|file| script(file)).collect();
        let operators = declared_operators(scripts.iter().flatten()).map(Arc::new);
        CommandContext {
            common: common.clone(),
            terminal,
            out,
            ends,
            interrupt: OnceCell::new(),
            has_told_unwritten: Cell::new(false),
            printed: RefCell::default(),
            faults: RefCell::default(),
            merged: RefCell::default(),
            named: RefCell::default(),
            kept: Rc::default(),
            ahead: OnceCell::new(),
            whole: RefCell::default(),
            found: RefCell::default(),
            formats: RefCell::default(),
            half_of_free: Cell::default(),
            scripts,
            operators,
        }
    }

    /// Tells an error; `place` is `file:line:col`, if there is one.
    pub(crate) fn error(&self, place: Option<&str>, message: &str) {
        self.faults.borrow_mut().push(PrintedError { place: place.map(str::to_string), message: message.to_string() });
        self.message(place, "error", ERROR, message);
    }

    /// Prints an error, unless it was printed before; gives the status of an error.
    pub(crate) fn error_once(&self, message: &str) -> Status {
        if self.printed.borrow_mut().insert(message.to_string()) {
            self.error(None, message);
        }
        Status::Error
    }

    /// The errors printed since the last call, for readers of the report alone.
    pub(crate) fn take_faults(&self) -> Vec<PrintedError> {
        self.faults.take()
    }

    /// Tells a warning, unless `--quiet`.
    pub(crate) fn warning(&self, message: &str) {
        if !self.common.quiet {
            self.message(None, "warning", WARNING, message);
        }
    }

    /// Tells something that helps, unless `--quiet`.
    pub(crate) fn note(&self, message: &str) {
        if !self.common.quiet {
            self.message(None, "note", DIM, message);
        }
    }

    fn message(&self, place: Option<&str>, kind: &str, style: anstyle::Style, message: &str) {
        let _ = self.out.clone().flush();
        let place = place.unwrap_or("papaver");
        let message = crate::output::terminal_safe(message);
        anstream::eprintln!("{place}: {}: {message}", paint(kind, style, self.terminal.color_error));
    }

    /// Lets readers of standard output have what was written so far, before something that may take long. A failure is told
    /// at the end.
    pub(crate) fn show_so_far(&self) {
        let _ = self.out.flush_all();
    }

    /// Shows what was wrong with a text; gives whether an error was among it.
    pub(crate) fn diagnostics(&self, diagnostics: &[Diagnostic]) -> Status {
        if !diagnostics.is_empty() {
            let _ = self.out.clone().flush();
        }
        let mut status = Status::Yes;
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => {
                    status = Status::Error;
                    let place = Some(diagnostic.source.place(diagnostic.span.start));
                    self.faults.borrow_mut().push(PrintedError { place, message: diagnostic.message.clone() });
                }
                Severity::Warning if self.common.quiet => continue,
                Severity::Warning => {}
            }
            eprintln!("{diagnostic}");
        }
        status
    }

    /// Tells why a goal stopped, and what the command's status becomes by it.
    pub(crate) fn stopped(&self, stopped: &Stopped, session: &Session) -> Status {
        if let Some(complaint) = session.describe(stopped) {
            self.error(complaint.place.as_deref(), &complaint.message);
            self.goals(&complaint.goals);
        }
        match &stopped.stop {
            Stop::Halt(number) => {
                if u8::try_from(*number).is_err() {
                    self.error(None, "expected a status from 0 to 255 for `halt`");
                }
                Status::Halted(*number)
            }
            Stop::Interrupt => Status::Interrupted,
            Stop::OutputClosed => Status::Closed,
            Stop::Throw(_) | Stop::Limit(_) => Status::Error,
        }
    }

    /// Prints the goals that led to an error.
    fn goals(&self, goals: &GoalTrace) {
        for line in &goals.lines {
            let line = crate::output::terminal_safe(&line.to_string()).into_owned();
            anstream::eprintln!("{}", paint(&line, DIM, self.terminal.color_error));
        }
    }

    /// The traces to read, in order: those that were named, also by a folder, a pattern or a list; or a single merged one
    /// with `--merge`.
    pub(crate) fn traces(&self, named: &[PathBuf]) -> Vec<PathBuf> {
        let is_told_how = self.common.reading.format().is_some();
        let found = NamedTraces::of(named, if is_told_how { FolderFiles::All } else { FolderFiles::Recognised });
        found.note().iter().for_each(|note| self.note_once(note));
        *self.formats.borrow_mut() = Arc::new(found.formats);
        let named = found.paths;
        if !self.common.reading.merge || named.is_empty() {
            *self.named.borrow_mut() = Arc::new(NamedFiles::new(named.clone()));
            return named;
        }
        let names: Vec<String> = named.iter().map(|path| path.display().to_string()).collect();
        *self.merged.borrow_mut() = named;
        vec![PathBuf::from(names.join(" + "))]
    }

    /// Begins to read several traces on all cores, which are then loaded in their order.
    pub(crate) fn read_ahead(&self, traces: &[PathBuf]) {
        self.work_ahead(traces, None, || None);
    }

    /// The same; only what `selection` needs of each is read, where that is possible, and the threads also work on it.
    pub(crate) fn work_ahead(
        &self,
        traces: &[PathBuf],
        selection: Option<&Selection>,
        work: impl FnOnce() -> Option<Arc<dyn WorkAhead>>,
    ) {
        // this is asked for each trace
        let has_begun = self.ahead.get().is_some();
        if has_begun || traces.len() < 2 || traces.iter().any(|path| path == Path::new("-")) {
            return;
        }
        self.ahead.get_or_init(|| {
            let (n_read, selection) = (Arc::new(AtomicU64::new(0)), selection.cloned());
            let (common, operators, n_bytes_read) = (self.common.clone(), self.operators.clone(), Arc::clone(&n_read));
            let work = work();
            let done = work.clone();
            let formats = Arc::clone(&self.formats.borrow());
            let read = move |path: &Path, turn: Turn| {
                free_unneeded();
                let recognised = formats.get(path).copied();
                let options = load_options(&common, operators.as_deref(), Some(&n_bytes_read));
                let options = LoadOptions { recognised, ..options };
                let trace = ReadTrace::of(path, &options, selection.as_ref());
                trace.trace().into_iter().for_each(free_here);
                let work = done.as_ref().filter(|_| turn == Turn::Later);
                let found = work.zip(trace.trace()).and_then(|(work, trace)| work.solve(trace));
                FileAhead { trace, found }
            };
            FilesAhead { traces: TracesAhead::start(traces, read), work, n_traces: traces.len(), n_read }
        });
    }

    /// A trace that was read ahead, if it is the next one.
    fn take_ahead(&self, path: &Path) -> Option<ReadTrace> {
        let ahead = self.ahead.get()?;
        let what = format!("{} traces", ahead.n_traces);
        let progress = ProgressDisplay::start(&what, Some(ahead.traces.n_bytes), &ahead.n_read, self.wanted_progress());
        let while_waiting = || {
            self.show_so_far();
            if self.is_interrupted() {
                ahead.work.iter().for_each(|work| work.stop());
            }
        };
        let taken = ahead.traces.take(path, &while_waiting);
        progress.end();
        let FileAhead { trace, found } = taken?;
        *self.found.borrow_mut() = trace.trace().cloned().zip(found);
        Some(trace)
    }

    /// Whether anything was found ahead on a trace.
    pub(crate) fn has_found(&self, trace: &Arc<Trace>) -> bool {
        self.found.borrow().as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, trace))
    }

    /// What was found ahead on a trace, if anything was.
    pub(crate) fn take_found(&self, trace: &Arc<Trace>) -> Option<FoundAhead> {
        self.found.take().filter(|(of, _)| Arc::ptr_eq(of, trace)).map(|(_, found)| found)
    }

    fn wanted_progress(&self) -> ProgressWanted {
        if self.terminal.error && !self.common.quiet { ProgressWanted::Yes } else { ProgressWanted::No }
    }

    fn read(&self, path: &Path, options: &LoadOptions<'_>) -> Result<Trace, LoadError> {
        match &**self.merged.borrow() {
            [] => load(path, options),
            paths => load_merged(paths, options),
        }
    }

    fn load_options<'a>(&'a self, n_read: Option<&'a Arc<AtomicU64>>) -> LoadOptions<'a> {
        load_options(&self.common, self.operators.as_deref(), n_read)
    }

    /// Reads a trace, and prints one line if it has findings; an unreadable trace is an error.
    pub(crate) fn load(&self, path: &Path) -> Option<Arc<Trace>> {
        let read = self.whole.take().filter(|(read, _)| read == path).map(|(_, loaded)| loaded);
        let read = read.or_else(|| match self.take_ahead(path) {
            Some(ReadTrace::Whole(loaded)) => Some(loaded),
            Some(ReadTrace::Part(..)) | None => None,
        });
        if let Some(trace) = self.kept.borrow().get(path) {
            self.tell_findings(path, trace);
            return Some(Arc::clone(trace));
        }
        let loaded = read.unwrap_or_else(|| self.read_now(path, |options| self.read(path, options).map(Arc::new)));
        self.told_of(path, loaded)
    }

    /// Shows how far reading a file is.
    fn read_now<T>(&self, path: &Path, read: impl FnOnce(&LoadOptions<'_>) -> T) -> T {
        let n_read = Arc::default();
        let size = path.metadata().ok().filter(|metadata| metadata.is_file()).map(|metadata| metadata.len());
        let progress = ProgressDisplay::start(&path.display().to_string(), size, &n_read, self.wanted_progress());
        let recognised = self.formats.borrow().get(path).copied();
        let read = read(&LoadOptions { recognised, ..self.load_options(Some(&n_read)) });
        progress.end();
        read
    }

    fn told_of(&self, path: &Path, loaded: Loaded) -> Option<Arc<Trace>> {
        match loaded {
            Ok(trace) => {
                self.tell_findings(path, &trace);
                Some(trace)
            }
            Err(error) => {
                self.error(None, &error.to_string());
                None
            }
        }
    }

    /// Like [`load`](CommandContext::load), for a trace whose bytes were already read from a pipe.
    pub(crate) fn load_bytes(&self, path: &Path, bytes: Vec<u8>) -> Option<Arc<Trace>> {
        self.told_of(path, load_bytes(path, bytes, &self.load_options(None)).map(Arc::new))
    }

    /// The trace in the part of a file that has been written so far; says nothing of its findings.
    pub(crate) fn load_growing(&self, path: &Path, bytes: Vec<u8>) -> Result<Trace, LoadError> {
        load_bytes(path, bytes, &self.load_options(None))
    }

    /// The trace in the first bytes of a large file, as it will stay; says nothing of its findings.
    pub(crate) fn load_beginning(&self, path: &Path, n_bytes: u64) -> Option<Trace> {
        load_beginning(path, n_bytes, &self.load_options(None))
    }

    /// Reads the part of a trace that a goal needs; none if the trace must be read as a whole, or cannot be read.
    pub(crate) fn load_excerpt(&self, path: &Path, selection: &Selection) -> Option<Arc<Trace>> {
        if self.common.reading.merge {
            return None;
        }
        let read_now = || self.read_now(path, |options| ReadTrace::of(path, options, Some(selection)));
        let (trace, unneeded) = match self.take_ahead(path).unwrap_or_else(read_now) {
            ReadTrace::Part(trace, unneeded) => (trace, unneeded),
            ReadTrace::Whole(loaded) => {
                self.whole.replace(Some((path.to_owned(), loaded)));
                return None;
            }
        };
        if unneeded == Unneeded::Believed {
            self.note(
                "only lines that the question needs were read, and the others believed to be regular (`--trust`)",
            );
        }
        Some(trace)
    }

    /// Opens a trace in a session, and shows the attributes of `--show` in its event lines; with `--on`,
    /// [`reach`](CommandContext::reach) does that.
    pub(crate) fn open(&self, session: &mut Session, trace: &Arc<Trace>, lines: &LineOptions) -> Status {
        session.open(Arc::clone(trace));
        if self.common.on.is_some() { Status::Yes } else { self.show(session, lines) }
    }

    /// With `--on`, goes to the derived trace, which scripts have declared by now.
    pub(crate) fn reach(&self, session: &mut Session, lines: &LineOptions) -> Status {
        if self.common.on.is_none() {
            return Status::Yes;
        }
        match session.go_to_derived() {
            Ok(()) => self.show(session, lines),
            Err(stop) => self.stopped(&stop, session),
        }
    }

    /// The trace that a command without goals describes: with `--on`, the one that is derived from `trace`.
    pub(crate) fn described(&self, trace: Arc<Trace>) -> Result<Arc<Trace>, Status> {
        if self.common.on.is_none() {
            return Ok(trace);
        }
        let (mut session, consulted) = self.session(Moves::Silent, self.out.aside(), &[]);
        session.open(trace);
        let status = consulted.and(self.reach(&mut session, &LineOptions::default()));
        session.trace().cloned().filter(|_| status == Status::Yes).ok_or(status)
    }

    fn show(&self, session: &mut Session, lines: &LineOptions) -> Status {
        match session.show_attributes(&lines.show) {
            Ok(()) => Status::Yes,
            Err(error) => self.error_once(&error.to_string()),
        }
    }

    /// Keeps a trace, since goals on other traces may query it.
    pub(crate) fn keep(&self, path: &Path, trace: &Arc<Trace>) {
        self.kept.borrow_mut().insert(path.to_path_buf(), Arc::clone(trace));
    }

    /// Lets a trace be read again.
    pub(crate) fn forget(&self, path: &Path) {
        self.kept.borrow_mut().remove(path);
    }

    /// Reads other traces for goals that query them, each once.
    fn loader(&self) -> Loader {
        let (named, kept, common) = (Arc::clone(&self.named.borrow()), Rc::clone(&self.kept), self.common.clone());
        let operators = self.operators.clone();
        Rc::new(move |at| {
            let path = &named.paths()[at];
            if let Some(trace) = kept.borrow().get(path) {
                return Ok(Arc::clone(trace));
            }
            let trace =
                load(path, &load_options(&common, operators.as_deref(), None)).map_err(|error| error.to_string())?;
            let trace = Arc::new(trace);
            kept.borrow_mut().insert(path.clone(), Arc::clone(&trace));
            Ok(trace)
        })
    }

    /// The status after the last goal on a trace: an error if its file has changed meanwhile.
    pub(crate) fn trusted(&self, trace: &Trace, status: Status) -> Status {
        match trace.fault() {
            Some(fault) if status != Status::Error => {
                self.error(None, fault);
                status.and(Status::Error)
            }
            _ => status,
        }
    }

    /// Notes that the recorder of a trace did not finish.
    pub(crate) fn tell_unfinished(&self, name: &str) {
        self.note_once(&format!("{name}: {UNFINISHED}"));
    }

    /// Prints one line if a trace has findings.
    pub(crate) fn tell_findings(&self, path: &Path, trace: &Trace) {
        let unknown = unknown_names(trace, &self.common.reading.span);
        unknown.iter().for_each(|message| self.note_once(&format!("{}: {message}", path.display())));
        if trace.recording().is_unfinished {
            let logs: Vec<&str> = trace.recording().unfinished_logs().collect();
            self.tell_unfinished(&if logs.is_empty() { path.display().to_string() } else { logs.join(" + ") });
        }
        let Some(first) = trace.findings().most_severe() else { return };
        let place = first.line.map_or(String::new(), |line| format!("line {line}: "));
        let more = match trace.findings().n_serious() {
            1 => String::new(),
            total => format!(" (and {} more; `papaver info --all` lists them)", total - 1),
        };
        let warning = format!("{}: {place}{}{more}", path.display(), first.message);
        if self.printed.borrow_mut().insert(warning.clone()) {
            self.warning(&warning);
        }
    }

    /// A session with the rules of `-l`, and the status after consulting them.
    pub(crate) fn session(
        &self,
        moves: Moves,
        output: impl Write + 'static,
        argv: &[std::ffi::OsString],
    ) -> (Session, Status) {
        self.show_so_far();
        let argv = argv.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
        let mut session = Session::new(Options { output: Box::new(output), moves, argv, limits: self.limits() });
        self.name_traces(&mut session);
        session.keep_answers(self.common.goals.answers.clone());
        self.common.on.iter().for_each(|name| session.name_derived(name));
        self.watch(&mut session);
        session.show_sources(&self.common.source_dir);
        if self.terminal.input {
            session.show_prompts();
        }
        if self.common.goals.executor == Some(Executor::Machine) {
            session.solve_by_machine();
        }
        let mut status = Status::Yes;
        for script in &self.scripts {
            status = status.and(match script {
                Ok(script) => self.consult(&mut session, script).1,
                Err(message) => self.error_once(message),
            });
            if status.is_end() {
                break;
            }
        }
        (session, status)
    }

    /// Lets goals query the traces of the command, none of which the session has opened yet.
    pub(crate) fn name_traces(&self, session: &mut Session) {
        session.name_traces(Arc::clone(&self.named.borrow()), self.loader());
    }

    /// The settings of sessions in which threads solve a goal ahead, as [`session`](CommandContext::session) has them; none
    /// if that could be seen.
    pub(crate) fn session_ahead(&self) -> Option<SessionAhead> {
        let scripts: Vec<ScriptFile> = self.scripts.iter().flatten().cloned().collect();
        let is_seen =
            scripts.len() < self.scripts.len() || self.common.on.is_some() || self.common.goals.answers.is_some();
        let limits = self.limits();
        let memory = limits.memory.map(|bytes| bytes / SHARES_AHEAD / n_openers() as u64);
        (!is_seen).then(|| SessionAhead {
            scripts,
            source_folders: self.common.source_dir.clone(),
            by_machine: self.common.goals.executor == Some(Executor::Machine),
            named: Arc::clone(&self.named.borrow()),
            limits: Limits { memory, ..limits },
        })
    }

    /// The scripts of `-l` that can be read.
    pub(crate) fn loaded_scripts(&self) -> Vec<ScriptFile> {
        self.scripts.iter().flatten().cloned().collect()
    }

    /// Whether Ctrl-C has ended the command.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Lets Ctrl-C end the goals of a session. The sessions of a command that it ends share one flag, since there may be
    /// one for each of thousands of traces.
    fn watch(&self, session: &mut Session) {
        if let Some(flag) = self.interrupt.get() {
            session.share_interrupt(Arc::clone(flag));
            return;
        }
        let flag = session.interrupt_handle();
        if self.ends == InterruptEffect::Command {
            self.interrupt.get_or_init(|| Arc::clone(&flag));
        }
        if let Err(error) = interrupt::watch(self.ends, flag) {
            self.warning(&format!("cannot watch for Ctrl-C: {error}"));
        }
    }

    /// Consults a script and prints its diagnostics; also returns the status that they imply.
    pub(crate) fn consult(&self, session: &mut Session, script: &ScriptFile) -> (Consulted, Status) {
        let mut consulted = session.consult(script);
        let status = self.diagnostics_once(std::mem::take(&mut consulted.report.diagnostics));
        let status = consulted.stop.iter().fold(status, |status, stop| status.and(self.stopped(stop, session)));
        (consulted, status)
    }

    /// Prints a hint, unless it has been printed before.
    pub(crate) fn note_once(&self, message: &str) {
        if self.printed.borrow_mut().insert(message.to_string()) {
            self.note(message);
        }
    }

    /// Reads a script; prints an error if it cannot be read.
    pub(crate) fn script(&self, file: &Path) -> Option<ScriptFile> {
        match script(file) {
            Ok(script) => Some(script),
            Err(message) => {
                self.error_once(&message);
                None
            }
        }
    }

    /// Prints the diagnostics that have not been printed before; the status counts all of them.
    fn diagnostics_once(&self, mut diagnostics: Vec<Diagnostic>) -> Status {
        let is_wrong = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        diagnostics.retain(|diagnostic| self.printed.borrow_mut().insert(diagnostic.to_string()));
        self.diagnostics(&diagnostics);
        if is_wrong { Status::Error } else { Status::Yes }
    }

    fn limits(&self) -> Limits {
        let memory = match self.common.goals.memory_limit {
            Some(MemoryLimit::Bytes(bytes)) => Some(bytes),
            Some(MemoryLimit::Unlimited) => None,
            None => self.half_of_free(),
        };
        Limits { time: self.common.goals.time_limit, memory }
    }

    /// Half of the free memory, which is asked for now and then: there may be thousands of sessions in a second.
    fn half_of_free(&self) -> Option<u64> {
        let known = self.half_of_free.get().filter(|(asked, _)| asked.elapsed() < ASK_FREE_EVERY);
        let (asked, half) = known.unwrap_or_else(|| (Instant::now(), spill::free().map(|free| free / 2)));
        self.half_of_free.set(Some((asked, half)));
        half
    }

    /// The status after writing: a closed pipe is not an error, a full disk is.
    pub(crate) fn written(&self, result: io::Result<()>) -> Status {
        match result {
            Ok(()) => Status::Yes,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Closed,
            Err(error) => {
                if !self.has_told_unwritten.replace(true) {
                    self.error(None, &format!("cannot write standard output: {error}"));
                }
                Status::Error
            }
        }
    }

    /// Flushes all output; a failure to write changes the status.
    pub(crate) fn finish(&self, status: Status) -> Status {
        match self.written(self.out.finish()) {
            Status::Yes => status,
            Status::Closed => Status::Closed,
            other => status.and(other),
        }
    }
}

/// A script, or the message that it cannot be read.
fn script(file: &Path) -> Result<ScriptFile, String> {
    ScriptFile::read(file).map_err(|reason| format!("cannot read `{}`: {reason}", file.display()))
}

fn load_options<'a>(
    common: &'a Common,
    operators: Option<&'a OpTable>,
    n_read: Option<&'a Arc<AtomicU64>>,
) -> LoadOptions<'a> {
    LoadOptions {
        from: common.reading.from.as_deref(),
        recognised: None,
        map: common.reading.map.as_deref(),
        strict: common.reading.strict,
        spans: &common.reading.span,
        log: None,
        losses: common.reading.losses.as_deref(),
        unneeded: if common.reading.trust { Unneeded::Believed } else { Unneeded::Verified },
        memory: if common.goals.memory_limit == Some(MemoryLimit::Unlimited) { None } else { Some(spill::room) },
        operators,
        n_read,
    }
}
