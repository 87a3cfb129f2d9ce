//! `papaver run`: consults a script and solves its `main/0`.

use std::sync::Arc;

use super::args::RunArgs;
use super::context::CommandContext;
use super::interrupt::InterruptEffect;
use super::status::Status;
use crate::engine::ScriptFile;
use crate::session::{Moves, Session};
use crate::trace::Trace;

/// Runs the command; with several traces the script runs on each in turn, until it has asked about all of them itself.
pub(crate) fn run(args: &RunArgs) -> Status {
    let context = CommandContext::new(&args.common, InterruptEffect::Command);
    let Some(script) = context.script(&args.script) else { return Status::Error };
    let run = ScriptRun { args, script: &script, context: &context };
    let mut status = Status::Yes;
    if args.traces.is_empty() {
        status = run.on(None).1;
    }
    let traces = context.traces(&args.traces);
    context.read_ahead(&traces);
    for path in &traces {
        let Some(trace) = context.load(path) else {
            status = status.and(Status::Error);
            continue;
        };
        let (session, one) = run.on(Some(&trace));
        status = status.and(context.trusted(&trace, one));
        if status.is_end() || session.has_asked_all_traces() {
            break;
        }
    }
    context.finish(status)
}

/// What is run.
struct ScriptRun<'a> {
    args: &'a RunArgs,
    script: &'a ScriptFile,
    context: &'a CommandContext,
}

impl ScriptRun<'_> {
    /// Runs the script in a session of its own.
    fn on(&self, trace: Option<&Arc<Trace>>) -> (Session, Status) {
        let (mut session, status) = self.context.session(Moves::Shown, self.context.out.clone(), &self.args.args);
        let status = if status.is_end() { status } else { self.run_in(&mut session, status, trace) };
        (session, status)
    }

    fn run_in(&self, session: &mut Session, mut status: Status, trace: Option<&Arc<Trace>>) -> Status {
        let ScriptRun { args, context, .. } = self;
        if let Some(trace) = trace
            && context.open(session, trace, &args.lines) != Status::Yes
        {
            return Status::Error;
        }
        let (consulted, consulted_status) = context.consult(session, self.script);
        status = status.and(consulted_status);
        if trace.is_some() && !status.is_end() {
            status = status.and(context.reach(session, &args.lines));
        }
        if status.is_end() || (status == Status::Error && args.common.on.is_some()) {
            return status;
        }
        if consulted.runs_main() {
            return if consulted.report.initialization_failed { status.and(Status::No) } else { status };
        }
        status.and(main(context, session))
    }
}

fn main(context: &CommandContext, session: &mut Session) -> Status {
    session.rewind();
    let solved = session.solve_once("main");
    let status_of_scripts = context.diagnostics(&session.take_load_report().diagnostics);
    let status = match solved {
        Ok(true) => Status::Yes,
        Ok(false) => Status::No,
        Err(stop) => context.stopped(&stop, session),
    };
    status.and(status_of_scripts)
}
