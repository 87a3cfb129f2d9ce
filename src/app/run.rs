//! `papaver run`: consults a script and solves its `main/0`.

use std::sync::Arc;

use super::args::RunArgs;
use super::context::CommandContext;
use super::interrupt::InterruptEffect;
use super::status::Status;
use crate::engine::ScriptFile;
use crate::session::{Moves, Session};
use crate::trace::Trace;

/// Runs the command; with several traces the script runs on each in turn.
pub(crate) fn run(args: &RunArgs) -> Status {
    let context = CommandContext::new(&args.common, InterruptEffect::Command);
    let Some(script) = context.script(&args.script) else { return Status::Error };
    let mut status = Status::Yes;
    if args.traces.is_empty() {
        status = run_on(args, &script, &context, None);
    }
    let traces = context.traces(&args.traces);
    context.read_ahead(&traces);
    for path in &traces {
        let one = match context.load(path) {
            Some(trace) => context.trusted(&trace, run_on(args, &script, &context, Some(&trace))),
            None => Status::Error,
        };
        status = status.and(one);
        if status.is_end() {
            break;
        }
    }
    context.finish(status)
}

fn run_on(args: &RunArgs, script: &ScriptFile, context: &CommandContext, trace: Option<&Arc<Trace>>) -> Status {
    let (mut session, mut status) = context.session(Moves::Shown, context.out.clone(), &args.args);
    if status.is_end() {
        return status;
    }
    if let Some(trace) = trace
        && context.open(&mut session, trace, &args.lines) != Status::Yes
    {
        return Status::Error;
    }
    let (consulted, consulted_status) = context.consult(&mut session, script);
    status = status.and(consulted_status);
    if trace.is_some() && !status.is_end() {
        status = status.and(context.reach(&mut session, &args.lines));
    }
    if status.is_end() || (status == Status::Error && args.common.on.is_some()) {
        return status;
    }
    if consulted.runs_main() {
        return if consulted.report.initialization_failed { status.and(Status::No) } else { status };
    }
    status.and(main(context, &mut session))
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
