//! `papaver check`: the assertions of scripts, each against each trace.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::args::CheckArgs;
use super::checks_ahead::ChecksAhead;
use super::context::{CommandContext, NOT_FOLLOWED};
use super::engine_process::Engine;
use super::interrupt::InterruptEffect;
use super::report::{Keeping, Report, ReportEntry, ReportExtent};
use super::status::Status;
use super::view;
use super::work_ahead::{FoundAhead, ThreadWork, WorkAhead};
use crate::engine::{ScriptFile, Stop};
use crate::session::{Check, Moves, Outcome, Session, Verdict};
use crate::trace::Trace;

/// Runs the command.
pub(crate) fn check(args: &CheckArgs) -> Status {
    let context = CommandContext::new(&args.common, InterruptEffect::Command);
    let is_script = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "pl");
    let (scripts, traces): (Vec<_>, Vec<_>) = args.files.iter().partition(is_script);
    let traces = context.traces(&traces.into_iter().cloned().collect::<Vec<_>>());
    let lacks_script = scripts.is_empty() && !args.builtin;
    if lacks_script || traces.is_empty() && scripts.is_empty() {
        let missing = if lacks_script { "a script (`FILE.pl`)" } else { "a trace" };
        context.error(None, &format!("expected {missing} to check"));
        return Status::Error;
    }
    let scripts: Vec<&Path> = scripts.into_iter().map(PathBuf::as_path).collect();
    if traces.is_empty() {
        return context.finish(without_trace(args, &context, &scripts));
    }
    if args.follow && (traces.len() > 1 || args.common.reading.merge) {
        context.error(None, "expected one trace to follow");
        return Status::Error;
    }
    if args.follow && args.common.on.is_some() {
        context.error(None, NOT_FOLLOWED);
        return Status::Error;
    }
    let keeping = if args.report.is_some() { Keeping::Kept } else { Keeping::Dropped };
    let extent = if args.total { ReportExtent::Total } else { ReportExtent::EachTrace };
    let report = Report::new(Some(args.to), extent, traces.len(), &context, keeping);
    let Some(mut checker) = Checker::new(args, &context, &scripts, report) else { return Status::Error };
    if !args.follow && args.engine.is_none() {
        context.work_ahead(&traces, None, || checker.ahead());
    }
    let mut status = checker.each_trace(&traces);
    if let Some(path) = &args.report {
        status = status.and(view::write_report(path, &scripts, checker.report.take_kept(), &context));
    }
    context.finish(status)
}

/// Tells what is wrong with scripts as far as it can be seen without a trace: errors, then what is probably a mistake.
fn without_trace(args: &CheckArgs, context: &CommandContext, scripts: &[&Path]) -> Status {
    let report = Report::new(None, ReportExtent::EachTrace, 0, context, Keeping::Dropped);
    let Some(checker) = Checker::new(args, context, scripts, report) else { return Status::Error };
    let (mut session, mut status) = checker.session();
    let (mut n_checks, mut is_doubtful) = (0, false);
    for index in 0..checker.scripts.len() {
        let (consulted, read) = context.consult(&mut session, &checker.scripts[index]);
        status = status.and(checker.without_halt(read));
        if status.is_end() {
            return status;
        }
        let checks = session.checks(&consulted);
        n_checks += checks.len();
        let found = session.probable_mistakes(&consulted, &checks);
        is_doubtful |= consulted.is_doubtful || checks.iter().any(Check::is_doubtful);
        status = status.and(context.diagnostics(&found));
    }
    if n_checks == 0 && status != Status::Error {
        return checker.no_checks();
    }
    let told = format!("{n_checks} {}, no trace\n", if n_checks == 1 { "check" } else { "checks" });
    let status = if is_doubtful { status.and(Status::No) } else { status };
    status.and(context.written(context.out.data(&told)))
}

/// The outcomes of all checks of scripts on traces, which are not written anywhere; and the status that they imply.
pub(super) fn outcomes(
    args: &CheckArgs,
    context: &CommandContext,
    scripts: &[&Path],
    traces: &[PathBuf],
) -> (Vec<ReportEntry>, Status) {
    let report = Report::new(None, ReportExtent::EachTrace, traces.len(), context, Keeping::Kept);
    let Some(mut checker) = Checker::new(args, context, scripts, report) else { return (Vec::new(), Status::Error) };
    let status = checker.each_trace(traces);
    (checker.report.take_kept(), status)
}

/// Checks one trace after another.
pub(super) struct Checker<'a> {
    pub(super) args: &'a CheckArgs,
    pub(super) context: &'a CommandContext,
    report: Report,
    pub(super) scripts: Vec<ScriptFile>,
    /// Whether a check was violated.
    is_violated: bool,
}

impl<'a> Checker<'a> {
    /// With scripts that are read now; none if one cannot be read.
    fn new(args: &'a CheckArgs, context: &'a CommandContext, scripts: &[&Path], report: Report) -> Option<Checker<'a>> {
        let read: Vec<ScriptFile> = scripts.iter().filter_map(|script| context.script(script)).collect();
        (read.len() == scripts.len()).then_some(Checker { args, context, report, scripts: read, is_violated: false })
    }

    /// The checks for threads that decide them ahead; none if that could be seen.
    fn ahead(&self) -> Option<Arc<dyn WorkAhead>> {
        Some(Arc::new(ChecksAhead {
            scripts: self.scripts.clone(),
            has_library: self.args.builtin,
            shown: self.args.lines.show.clone(),
            only_asks: OnceLock::new(),
            work: ThreadWork::new(self.context.session_ahead()?, Moves::Silent),
        }))
    }

    /// Checks the traces, and writes the end of the report.
    fn each_trace(&mut self, traces: &[PathBuf]) -> Status {
        let mut status = Status::Yes;
        let args = self.args;
        let engine = args.engine.map(|dialect| Engine::new(dialect, args.engine_command.as_deref()));
        for path in traces {
            self.report.next_trace();
            status = status.and(match &engine {
                Some(engine) => self.on_engine(path, engine).and(self.faults()),
                None if self.args.follow => self.follow(path),
                None => self.trace(path),
            });
            if self.is_over(status) {
                break;
            }
        }
        status.and(self.faults()).and(self.context.written(self.report.finish()))
    }
}

impl Checker<'_> {
    fn trace(&mut self, path: &Path) -> Status {
        match self.context.load(path) {
            Some(trace) => self.trace_loaded(&trace),
            None => self.faults().and(Status::Error),
        }
    }

    pub(super) fn trace_loaded(&mut self, trace: &Arc<Trace>) -> Status {
        if self.refuses_empty(&trace.origin().path, trace.n_events()) {
            return self.faults().and(Status::Error);
        }
        let status = self.all(trace);
        self.context.trusted(trace, status)
    }

    /// Whether a trace is refused because it has no events, with which most checks would hold; reports that as an
    /// error.
    pub(super) fn refuses_empty(&self, path: &Path, n_events: u32) -> bool {
        let refuses = n_events == 0 && !self.args.allow_empty;
        if refuses {
            let path = path.display();
            self.context.error(None, &format!("{path}: the trace has no events (`--allow-empty` lets that be)"));
        }
        refuses
    }

    /// A session for checks, and the status after consulting the rules of `-l`.
    pub(super) fn session(&self) -> (Session, Status) {
        // The goals' own output goes to standard error, as standard output is the report; so moves print nothing.
        let (session, status) = self.context.session(Moves::Silent, self.context.out.aside(), &[]);
        (session, self.without_halt(status))
    }

    /// Treats `halt` in a script as an error, since its status would replace the result of all checks.
    fn without_halt(&self, status: Status) -> Status {
        match status {
            Status::Halted(_) => self.context.error_once("no permission to call `halt` in a script of checks"),
            status => status,
        }
    }

    /// Adds the errors printed on standard error to the report, so that its readers see that outcomes may be missing.
    fn faults(&mut self) -> Status {
        let faults = self.context.take_faults();
        faults.iter().map(|fault| self.context.written(self.report.fault(fault))).fold(Status::Yes, Status::and)
    }

    fn all(&mut self, trace: &Arc<Trace>) -> Status {
        if let Some(FoundAhead::Checks(decided)) = self.context.take_found(trace) {
            let mut status = Status::Yes;
            for (check, outcome) in decided {
                status = status.and(self.tell(check, Arc::clone(trace), outcome));
                if self.is_over(status) {
                    break;
                }
            }
            return status;
        }
        let (mut session, mut status) = self.session();
        status = status.and(self.context.open(&mut session, trace, &self.args.lines));
        if self.context.common.on.is_some() {
            return self.all_on_derived(session, status);
        }
        let from_library = if self.args.builtin { session.library_checks() } else { Vec::new() };
        let mut n_checks = from_library.len();
        status = status.and(self.each(&mut session, trace, from_library));
        for index in 0..self.scripts.len() {
            if self.is_over(status) {
                return status;
            }
            let (checks, consulted) = self.consult(&mut session, index);
            n_checks += checks.len();
            status = status.and(consulted).and(self.each(&mut session, trace, checks));
        }
        if n_checks == 0 && !status.is_end() && status != Status::Error {
            return self.no_checks();
        }
        status
    }

    /// All checks on the derived trace, which any of the scripts may declare.
    fn all_on_derived(&mut self, mut session: Session, mut status: Status) -> Status {
        let mut checks = Vec::new();
        for index in 0..self.scripts.len() {
            if status.is_end() {
                return status;
            }
            let (more, consulted) = self.consult(&mut session, index);
            checks.extend(more);
            status = status.and(consulted);
        }
        self.on_derived(session, checks, status)
    }

    /// Checks on the derived trace of the one that is open, after scripts were consulted with a status.
    pub(super) fn on_derived(&mut self, mut session: Session, checks: Vec<Check>, status: Status) -> Status {
        let reached = self.context.reach(&mut session, &self.args.lines);
        let Some(trace) = session.trace().cloned().filter(|_| reached == Status::Yes) else {
            return self.faults().and(reached);
        };
        if self.refuses_empty(&trace.origin().path, trace.n_events()) {
            return self.faults().and(Status::Error);
        }
        let from_library = if self.args.builtin { session.library_checks() } else { Vec::new() };
        let checks: Vec<Check> = from_library.into_iter().chain(checks).collect();
        if checks.is_empty() && !status.is_end() && status != Status::Error {
            return self.no_checks();
        }
        status.and(self.each(&mut session, &trace, checks))
    }

    /// Whether nothing more is checked.
    pub(super) fn is_over(&self, status: Status) -> bool {
        status.is_end() || self.args.fail_fast && self.is_violated
    }

    fn no_checks(&self) -> Status {
        self.context.error_once("expected clauses `check(Name) :- Goal.` in the scripts, found none")
    }

    /// All checks, in order, before any is run on the trace of the session.
    pub(super) fn checks(&mut self, session: &mut Session) -> (Vec<Check>, Status) {
        let mut checks = if self.args.builtin { session.library_checks() } else { Vec::new() };
        let mut status = Status::Yes;
        for index in 0..self.scripts.len() {
            let (more, consulted) = self.consult(session, index);
            checks.extend(more);
            status = status.and(consulted);
            if status.is_end() {
                return (checks, status);
            }
        }
        if checks.is_empty() && status != Status::Error {
            status = self.no_checks();
        }
        (checks, status)
    }

    fn consult(&mut self, session: &mut Session, script: usize) -> (Vec<Check>, Status) {
        let script = &self.scripts[script];
        let (consulted, status) = self.context.consult(session, script);
        let status = self.without_halt(status);
        if status == Status::Error {
            self.report.wrong_script(&script.path);
        }
        let status = match self.args.no_vacuous && consulted.is_doubtful {
            true => {
                status.and(self.context.error_once("`--no-vacuous` allows no warnings about the clauses of a script"))
            }
            false => status,
        };
        let reported = self.faults();
        (session.checks(&consulted), status.and(reported))
    }

    fn each(&mut self, session: &mut Session, trace: &Arc<Trace>, checks: Vec<Check>) -> Status {
        let mut status = Status::Yes;
        for check in checks {
            status = status.and(self.one(session, trace, check));
            if self.is_over(status) {
                break;
            }
        }
        status
    }

    pub(super) fn one(&mut self, session: &mut Session, trace: &Arc<Trace>, check: Check) -> Status {
        let outcome = session.check(&check);
        self.tell(check, trace.clone(), outcome)
    }

    /// Reports an outcome, and returns the status that it implies.
    pub(super) fn tell(&mut self, check: Check, trace: Arc<Trace>, outcome: Outcome) -> Status {
        let outcome = if self.args.no_vacuous { outcome.if_not_vacuous() } else { outcome };
        let status = match outcome.verdict {
            Verdict::Holds => Status::Yes,
            Verdict::Violated => Status::No,
            Verdict::Error if outcome.stop == Some(Stop::Interrupt) => Status::Interrupted,
            Verdict::Error => Status::Error,
        };
        self.is_violated |= status == Status::No;
        let written = self.report.add(ReportEntry { check, trace, outcome, shown: self.args.lines.show.clone() });
        status.and(self.context.written(written))
    }
}
