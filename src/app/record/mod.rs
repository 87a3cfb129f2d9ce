//! `papaver record`: runs a program under a recorder and writes what it does.

mod args;
mod ending;
mod pack;
mod pipe;
mod program;
mod recording;
mod ring;
mod tally;
mod target;
mod trailer;
mod typed;

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

pub(crate) use args::{RecordArgs, RecorderArgs};

use super::args::{Common, LineOptions, PromptArgs, When};
use super::prompt;
use super::status::Status;
use super::terminal::{ERROR, Terminal, paint};
use crate::recorders::{Limit, Limits, Recorder, Request, Start, Wrapper, chosen, with_interpreter};
use pipe::Pipe;
use recording::{OwnLimits, Recording};
use ring::Ring;
use target::Target;
use trailer::End;
use typed::Typed;

/// The exit status of a command that cannot be recorded.
const NOT_RECORDED: u8 = 125;

/// Why nothing was run.
struct Refusal {
    status: u8,
    message: String,
}

impl Refusal {
    fn new(message: impl Into<String>) -> Refusal {
        Refusal { status: NOT_RECORDED, message: message.into() }
    }
}

/// Runs the command.
pub(crate) fn record(args: &RecordArgs) -> Status {
    match run(args) {
        Ok(status) => status,
        Err(refusal) => {
            let color = Terminal::detect(When::Auto).color_error;
            let message = crate::output::terminal_safe(&refusal.message);
            anstream::eprintln!("papaver record: {}: {message}", paint("error", ERROR, color));
            Status::Program(refusal.status)
        }
    }
}

fn run(args: &RecordArgs) -> Result<Status, Refusal> {
    program::find(&args.command[0])?;
    let (typed, wrapper) = (Typed::new(&args.command), Wrapper::of(&args.command));
    let own = &args.command[wrapper.words.len()..];
    let command = program::find(&own[0]).map_or_else(|_| own.to_vec(), |file| with_interpreter(own, &file));
    let recorder = match args.with.as_deref().and_then(Recorder::named) {
        Some(recorder) => recorder,
        None => chosen(&command[0]),
    };
    let limits = limits(args, recorder)?;
    let pipe = Pipe::new().map_err(|error| Refusal::new(format!("cannot make a named pipe: {error}")))?;
    write_files(recorder, pipe.folder())?;
    let most = limits.max_events.filter(|_| !keeps(recorder, Limit::MaxEvents));
    let asked = Limits { max_events: limits.max_events.filter(|_| most.is_none()), ..limits.clone() };
    let instead = typed.behind(wrapper.words.len());
    let request =
        Request { wrapper: &wrapper, command: &command, instead: &instead, folder: pipe.folder(), limits: &asked };
    let start = (recorder.start)(&request).map_err(Refusal::new)?;
    let target = Target::new(args, recorder, &command, &own[0])?;
    let ring = args.last.map(Ring::new);
    let of_lines = recorder.kept_outside.and_then(|kept| kept(&limits));
    let rest = OwnLimits { most, ring, of_lines };
    let recording = Recording::new(target.create(args.force)?, recorder.kind, limits.clone(), rest);
    let outcome = follow(&start, pipe, recording)?;
    let status = program::exit_status(&outcome.status);
    if !args.quiet || outcome.recording.file.failure.is_some() {
        ending::tell(&outcome, &target, recorder, &typed);
    }
    target.finish(&outcome.recording)?;
    if args.output.is_none() && outcome.recording.tally.n_events > 0 && can_ask() {
        open_prompt(&target.path);
    }
    Ok(Status::Program(status))
}

/// What happened: how the program ended, and what was recorded.
struct Outcome {
    status: std::process::ExitStatus,
    recording: Recording,
    seconds: f64,
}

fn follow(start: &Start, pipe: Pipe, mut recording: Recording) -> Result<Outcome, Refusal> {
    let begun = std::time::Instant::now();
    let child = program::spawn(start)?;
    let ended = pipe.follow(child, &mut recording);
    let seconds = begun.elapsed().as_secs_f64();
    let pipe::End { status, is_running } =
        ended.map_err(|error| Refusal::new(format!("cannot wait for the program: {error}")))?;
    let (signal, is_cut) = (program::signal(&status), recording.is_full());
    let is_running = is_running && !recording.trailer.has_come();
    recording.finish(End { status: program::exit_status(&status), signal, is_running, is_cut, n_partial: 0 });
    Ok(Outcome { status, recording, seconds })
}

/// The limits of the command line, if the recorder can keep them.
fn limits(args: &RecordArgs, recorder: &Recorder) -> Result<Limits, Refusal> {
    let given = &args.limits;
    let limits = Limits {
        only: given.only.clone(),
        skip: given.skip.clone(),
        max_events: given.max_events,
        depth: given.depth,
        text: given.text,
        levels: given.levels,
        no_args: given.no_args,
        sample: given.sample,
        lines: given.lines,
    };
    // the number of events can also be kept from outside
    let refused = |limit: &Limit| *limit != Limit::MaxEvents && !keeps(recorder, *limit);
    match limits.given().into_iter().find(refused) {
        Some(limit) => Err(Refusal::new(format!("{} cannot do {}", recorder.kind, limit.option()))),
        None => Ok(limits),
    }
}

fn keeps(recorder: &Recorder, limit: Limit) -> bool {
    recorder.limits.contains(&limit)
}

/// Writes the files of the recorder into its folder.
fn write_files(recorder: &Recorder, folder: &Path) -> Result<(), Refusal> {
    for file in recorder.files {
        let mut options = OpenOptions::new();
        let opened = options.write(true).create_new(true).mode(0o600).open(folder.join(file.name));
        let written = opened.and_then(|mut opened| opened.write_all(file.text.as_bytes()));
        written.map_err(|error| Refusal::new(format!("cannot write the recorder to {}: {error}", folder.display())))?;
    }
    Ok(())
}

/// Whether somebody is there to ask about the trace.
fn can_ask() -> bool {
    let terminal = Terminal::detect(When::Auto);
    terminal.input && terminal.output
}

/// Opens the prompt on the trace; the exit status stays that of the program.
fn open_prompt(path: &Path) {
    let args =
        PromptArgs { traces: vec![path.to_path_buf()], lines: LineOptions::default(), common: Common::default() };
    prompt::prompt(&args);
}
