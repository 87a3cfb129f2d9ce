//! `papaver help TOPIC`: a command's options, or the text of `help/1` at the prompt; `papaver man TOPIC`: that of
//! `man/1`.

use std::io;

use super::args::{Common, HelpArgs, definition};
use super::context::CommandContext;
use super::interrupt::InterruptEffect;
use super::status::Status;
use crate::session::Moves;
use crate::term::letters::atom_text;

/// Runs the command.
pub(crate) fn help(args: &HelpArgs) -> Status {
    let context = CommandContext::new(&Common::default(), InterruptEffect::Command);
    let status = match args.topic.as_deref() {
        None => overview(&context),
        Some(name) => match definition().find_subcommand_mut(name) {
            Some(command) => {
                let mut command = command.clone().bin_name(format!("papaver {name}"));
                context.written(command.print_long_help())
            }
            None => explain(&context, "help", name),
        },
    };
    context.finish(status)
}

/// Prints a whole chapter of the manual.
pub(crate) fn chapter(name: &str) -> Status {
    let context = CommandContext::new(&Common::default(), InterruptEffect::Command);
    let status = explain(&context, "man", name);
    context.finish(status)
}

/// Prints the usage of the command line, then the topics.
fn overview(context: &CommandContext) -> Status {
    let printed: io::Result<()> = definition().bin_name("papaver").print_help();
    match context.written(printed.and_then(|()| context.out.own("\nAt the prompt and in goals:\n"))) {
        Status::Yes => solve(context, "help"),
        status => status,
    }
}

/// `fget`, `member/2`, `constraints`
fn explain(context: &CommandContext, predicate: &str, name: &str) -> Status {
    let goal = match name.rsplit_once('/') {
        Some((name, arity)) if !name.is_empty() && arity.parse::<usize>().is_ok() => {
            format!("{predicate}({}/{arity})", atom_text(name))
        }
        _ => format!("{predicate}({})", atom_text(name)),
    };
    solve(context, &goal)
}

fn solve(context: &CommandContext, goal: &str) -> Status {
    let (mut session, status) = context.session(Moves::Silent, context.out.clone(), &[]);
    match session.solve_once(goal) {
        Ok(true) => status,
        Ok(false) => Status::No,
        Err(stop) => context.stopped(&stop, &session),
    }
}
