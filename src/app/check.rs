//! `papaver check`: the assertions of scripts, each against each trace.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::CheckArgs;
use super::context::{Context, Ends};
use super::report::{Entry, Report};
use super::status::Status;
use crate::engine::Stop;
use crate::session::{Check, Moves, Session, Verdict};
use crate::trace::Trace;

/// Runs the command.
pub fn check(args: &CheckArgs) -> Status {
    let context = Context::new(&args.common, Ends::Command);
    let is_script = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "pl");
    let (scripts, traces): (Vec<_>, Vec<_>) = args.files.iter().partition(is_script);
    let traces = context.traces(&traces.into_iter().cloned().collect::<Vec<_>>());
    let lacks_script = scripts.is_empty() && !args.builtin;
    if lacks_script || traces.is_empty() {
        let missing = if lacks_script { "a script (`FILE.pl`)" } else { "a trace" };
        context.error(None, &format!("expected {missing} to check"));
        return Status::Error;
    }
    let readable = scripts.iter().map(|script| context.readable(script)).fold(Status::Yes, Status::and);
    if readable != Status::Yes {
        return readable;
    }
    let report = Report::new(args.to, traces.len(), &context);
    let mut checker = Checker { args, context: &context, report, scripts };
    let mut status = Status::Yes;
    for path in &traces {
        status = status.and(checker.trace(path));
        if status.is_end() {
            break;
        }
    }
    status = status.and(context.written(checker.report.finish()));
    context.finish(status)
}

/// What puts checks to one trace after the other.
struct Checker<'a> {
    args: &'a CheckArgs,
    context: &'a Context,
    report: Report,
    scripts: Vec<&'a PathBuf>,
}

impl Checker<'_> {
    fn trace(&mut self, path: &Path) -> Status {
        let Some(trace) = self.context.load(path) else { return Status::Error };
        let status = self.all(&trace);
        self.context.trusted(&trace, status)
    }

    fn all(&mut self, trace: &Arc<Trace>) -> Status {
        // The goals' own output goes to standard error, as standard output is the report; so moves print nothing.
        let (mut session, mut status) = self.context.session(Moves::Silent, self.context.out.aside(), &[]);
        session.open(trace.clone());
        let ready = if self.args.builtin { session.ready_checks() } else { Vec::new() };
        let mut n_checks = ready.len();
        status = status.and(self.each(&mut session, trace, ready));
        for index in 0..self.scripts.len() {
            if status.is_end() {
                return status;
            }
            let (checks, consulted) = self.consult(&mut session, index);
            n_checks += checks.len();
            status = status.and(consulted).and(self.each(&mut session, trace, checks));
        }
        if n_checks == 0 && !status.is_end() && status != Status::Error {
            self.context.error_once("expected clauses `check(Name) :- Goal.` in the scripts, found none");
            return Status::Error;
        }
        status
    }

    fn consult(&mut self, session: &mut Session, script: usize) -> (Vec<Check>, Status) {
        let script = self.scripts[script];
        let consulted = self.context.consult(session, script);
        if consulted == Status::Error {
            self.report.wrong_script(script);
        }
        (session.checks(script).unwrap_or_default(), consulted)
    }

    fn each(&mut self, session: &mut Session, trace: &Arc<Trace>, checks: Vec<Check>) -> Status {
        let mut status = Status::Yes;
        for check in checks {
            status = status.and(self.one(session, trace, check));
            if status.is_end() {
                break;
            }
        }
        status
    }

    fn one(&mut self, session: &mut Session, trace: &Arc<Trace>, check: Check) -> Status {
        let outcome = session.check(&check);
        let outcome = if self.args.no_vacuous { outcome.if_not_vacuous() } else { outcome };
        let status = match outcome.verdict {
            Verdict::Holds => Status::Yes,
            Verdict::Violated => Status::No,
            Verdict::Error if outcome.stop == Some(Stop::Interrupt) => Status::Interrupted,
            Verdict::Error => Status::Error,
        };
        let written = self.report.add(Entry { check, trace: trace.clone(), outcome });
        status.and(self.context.written(written))
    }
}
