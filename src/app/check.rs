//! `papaver check`: the assertions of scripts, each against each trace.

use std::path::PathBuf;
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
    if scripts.is_empty() || traces.is_empty() {
        let missing = if scripts.is_empty() { "a script (`FILE.pl`)" } else { "a trace" };
        context.error(None, &format!("expected {missing} to check"));
        return Status::Error;
    }
    let readable = scripts.iter().map(|script| context.readable(script)).fold(Status::Yes, Status::and);
    if readable != Status::Yes {
        return readable;
    }
    let mut report = Report::new(args.to, traces.len(), &context);
    let mut status = Status::Yes;
    for path in &traces {
        let one = match context.load(path) {
            Some(trace) => context.trusted(&trace, check_trace(&context, &scripts, &trace, &mut report)),
            None => Status::Error,
        };
        status = status.and(one);
        if status.is_end() {
            break;
        }
    }
    status = status.and(context.written(report.finish()));
    context.finish(status)
}

fn check_trace(context: &Context, scripts: &[&PathBuf], trace: &Arc<Trace>, report: &mut Report) -> Status {
    // The goals' own output goes to standard error, as standard output is the report; so moves print nothing.
    let (mut session, mut status) = context.session(Moves::Silent, context.out.aside(), &[]);
    session.open(trace.clone());
    let mut n_checks = 0;
    for script in scripts {
        if status.is_end() {
            return status;
        }
        let consulted = context.consult(&mut session, script);
        if consulted == Status::Error {
            report.wrong_script(script);
        }
        status = status.and(consulted);
        let Ok(checks) = session.checks(script) else { continue };
        n_checks += checks.len();
        for check in checks {
            let one = check_one(context, &mut session, trace, check, report);
            status = status.and(one);
            if status.is_end() {
                return status;
            }
        }
    }
    if n_checks == 0 && status != Status::Error {
        context.error_once("expected clauses `check(Name) :- Goal.` in the scripts, found none");
        return Status::Error;
    }
    status
}

fn check_one(
    context: &Context,
    session: &mut Session,
    trace: &Arc<Trace>,
    check: Check,
    report: &mut Report,
) -> Status {
    let outcome = session.check(&check);
    let status = match outcome.verdict {
        Verdict::Holds => Status::Yes,
        Verdict::Violated => Status::No,
        Verdict::Error if outcome.stop == Some(Stop::Interrupt) => Status::Interrupted,
        Verdict::Error => Status::Error,
    };
    let written = report.add(Entry { check, trace: trace.clone(), outcome });
    status.and(context.written(written))
}
