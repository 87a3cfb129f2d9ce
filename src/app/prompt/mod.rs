//! The prompt: goals typed by a person, or piped in.

mod answer_table;
mod colors;
pub(super) mod complete;
mod editor;
mod helper;
mod interactive;
mod keys;
mod lines;
mod sessions;
pub(super) mod words;

use std::sync::Arc;

use super::args::PromptArgs;
use super::context::CommandContext;
use super::folders;
use super::interrupt::InterruptEffect;
use super::status::Status;
use crate::session::{Moves, Session};
use crate::trace::Trace;
use sessions::{PromptSessions, file_size};

/// Runs the prompt.
pub(crate) fn prompt(args: &PromptArgs) -> Status {
    let ends = if super::terminal::Terminal::detect(args.common.color).input {
        InterruptEffect::Goal
    } else {
        InterruptEffect::Command
    };
    let context = CommandContext::new(&args.common, ends);
    let (mut traces, mut sizes) = (Vec::new(), Vec::new());
    for path in &context.traces(&args.traces) {
        sizes.push(file_size(path));
        match context.load(path) {
            Some(trace) => {
                context.keep(path, &trace);
                traces.push(trace);
            }
            None => return Status::Error,
        }
    }
    let (sessions, status) = sessions(args, &context, &traces);
    if status.is_end() || (status == Status::Error && !context.terminal.input) {
        return context.finish(status);
    }
    let mut sessions = PromptSessions::new(&context, sessions, sizes);
    let status = match context.terminal {
        terminal if terminal.can_edit() => interactive::converse(&context, &mut sessions),
        terminal if terminal.input => lines::converse(&context, &mut sessions),
        _ => lines::answer_all(&context, &mut sessions),
    };
    context.finish(status)
}

/// A session for each trace, with the rules of `-l`, the abbreviations, and at a terminal the start-up files.
fn sessions(args: &PromptArgs, context: &CommandContext, traces: &[Arc<Trace>]) -> (Vec<Session>, Status) {
    let mut sessions = Vec::new();
    let mut status = Status::Yes;
    for index in 0..traces.len().max(1) {
        let (mut session, consulted) = context.session(Moves::Shown, context.out.clone(), &[]);
        status = status.and(consulted);
        if let Some(trace) = traces.get(index) {
            status = status.and(context.open(&mut session, trace, &args.lines));
        }
        session.become_prompt();
        if context.terminal.input {
            for script in folders::start_up_files().iter().filter_map(|file| context.script(file)) {
                context.consult(&mut session, &script);
            }
        }
        if traces.get(index).is_some() {
            status = status.and(context.reach(&mut session, &args.lines));
        }
        sessions.push(session);
        if status.is_end() {
            break;
        }
    }
    (sessions, status)
}
