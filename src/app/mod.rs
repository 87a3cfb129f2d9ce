//! Floor 6, the program: its arguments, its commands, the prompt. Only this floor uses the terminal and ends the
//! program.

mod answer_text;
mod answer_writer;
mod answers;
mod answers_ahead;
mod args;
mod check;
mod check_engine;
mod checks_ahead;
mod context;
mod convert;
mod diff;
mod engine;
mod engine_folder;
mod engine_process;
mod engine_rows;
mod export;
mod folders;
mod follow;
mod goal_terms;
mod help;
mod info;
mod interrupt;
mod lint;
mod manual;
mod named_traces;
mod new_events;
mod out;
mod panic_hook;
mod profile_ahead;
mod progress;
mod prompt;
mod query;
mod query_early;
mod query_follow;
mod query_total;
mod read_here;
#[cfg(unix)]
mod record;
#[cfg(unix)]
mod recorder;
mod report;
mod run;
mod sql;
mod stats;
mod stats_table;
mod stats_total;
mod status;
mod table;
mod terminal;
mod timed_variables;
mod traces_ahead;
mod units;
mod view;
mod work_ahead;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use args::{Command, CommandLine};
use status::Status;

/// Runs papaver on a command line, which begins with the program's name, and returns its exit status.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    panic_hook::install();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(command) = args::misspelt_command(&arguments) {
        let found = arguments[1].display();
        eprintln!("papaver: error: expected a command or a trace, found `{found}` (did you mean `{command}`?)");
        return Status::Error.into();
    }
    let status = match args::parse(&arguments) {
        Ok(line) => panic_hook::guard(|| dispatch(&line)).unwrap_or(Status::Error),
        Err(error) => print_usage_error(&error),
    };
    status.into()
}

/// Prints the help, the version, or an error in the command line.
fn print_usage_error(error: &clap::Error) -> Status {
    let printed = error.print();
    match (error.exit_code(), printed) {
        (0, Ok(())) => Status::Yes,
        (0, Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => Status::Closed,
        _ => Status::Error,
    }
}

fn dispatch(line: &CommandLine) -> Status {
    match &line.command {
        None => prompt::prompt(&line.prompt),
        Some(Command::Query(args)) => query::query(args),
        Some(Command::Run(args)) => run::run(args),
        Some(Command::Check(args)) => check::check(args),
        Some(Command::Info(args)) => info::info(args),
        Some(Command::Stats(args)) => stats::stats(args),
        Some(Command::Diff(args)) => diff::diff(args),
        Some(Command::View(args)) => view::view(args),
        Some(Command::Convert(args)) => convert::convert(args),
        Some(Command::Export(args)) => export::export(args),
        Some(Command::Sql(args)) => sql::sql(args),
        #[cfg(unix)]
        Some(Command::Record(args)) => record::record(args),
        #[cfg(unix)]
        Some(Command::Recorder(args)) => printed(recorder::recorder(args, &mut io::stdout().lock())),
        Some(Command::Completions(args)) => printed(manual::completions(args, &mut io::stdout().lock())),
        Some(Command::Help(args)) => help::help(args),
        Some(Command::Man(args)) => match args.topic.as_deref() {
            Some(name) => help::chapter(name),
            None => printed(manual::man(&mut io::stdout().lock())),
        },
    }
}

fn printed(result: io::Result<()>) -> Status {
    match result {
        Ok(()) => Status::Yes,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Closed,
        Err(error) => {
            eprintln!("papaver: error: cannot write standard output: {error}");
            Status::Error
        }
    }
}
