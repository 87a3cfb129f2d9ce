//! `papaver view`: traces as a page in the browser, as a file, or as a picture; and the page of `check --report`.

mod goals;
mod requests;
mod server;
mod tiles;
mod verdicts;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::{CheckArgs, CheckForm, Common, LineOptions, ViewArgs};
use super::context::CommandContext;
use super::interrupt::InterruptEffect;
use super::report::ReportEntry;
use super::status::Status;
use super::{check, convert};
use crate::session::{Moves, Session};
use crate::trace::Trace;
use crate::view::{self, PageContents, PageTrace};
use goals::{GoalOutput, GoalSession};

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileForm {
    Page,
    Picture,
}

/// Runs the command.
pub(crate) fn view(args: &ViewArgs) -> Status {
    let context = CommandContext::new(&args.common, InterruptEffect::Command);
    let form = match args.output.as_deref().map(form_of) {
        Some(None) => {
            context.error(None, "expected a file that ends in `.html` or `.svg` after `-o`");
            return Status::Error;
        }
        form => form.flatten(),
    };
    let paths = context.traces(&args.traces);
    if args.compare && paths.len() != 2 {
        context.error(None, "expected two traces to compare");
        return context.finish(Status::Error);
    }
    let mut sources = Vec::new();
    for path in &paths {
        let Some(trace) = context.load(path) else { return context.finish(Status::Error) };
        context.keep(path, &trace);
        sources.push(trace);
    }
    let scripts: Vec<&Path> = args.check.iter().map(PathBuf::as_path).collect();
    let (entries, checked) = match scripts.is_empty() {
        true => (Vec::new(), Status::Yes),
        false => check::outcomes(&check_args(args), &context, &scripts, &paths),
    };
    if checked.is_end() {
        return context.finish(checked);
    }
    let mut traces = Vec::new();
    for source in sources {
        // the checks have made the derived trace to which they were put
        let checked =
            entries.iter().map(|entry| &entry.trace).find(|trace| trace.origin().path == source.origin().path);
        match checked.map_or_else(|| context.described(source), |trace| Ok(Arc::clone(trace))) {
            Ok(trace) => traces.push(trace),
            Err(status) => return context.finish(status),
        }
    }
    let output = GoalOutput::default();
    let (session, consulted) = context.session(Moves::Silent, output.clone(), &[]);
    let mut contents = contents(&scripts, traces, &entries, &args.common.source_dir);
    contents.opens = args.compare.then_some("compare");
    let mut session = GoalSession { session, context: &context, output };
    let mut status = consulted;
    for (id, goal) in args.goal.iter().enumerate() {
        let layer = session.layer(&contents.traces, id, goal);
        if let Some(error) = &layer.error {
            context.error(None, error);
            status = status.and(Status::Error);
        }
        contents.layers.push(layer);
    }
    let done = match (&args.output, form) {
        (Some(path), Some(form)) => written(path, &contents, form, &context),
        _ => server::serve(contents, session, args.no_open),
    };
    context.finish(status.and(done))
}

fn form_of(path: &Path) -> Option<FileForm> {
    match path.extension().and_then(OsStr::to_str)? {
        "html" | "htm" => Some(FileForm::Page),
        "svg" => Some(FileForm::Picture),
        _ => None,
    }
}

/// The arguments with which the scripts are checked.
fn check_args(args: &ViewArgs) -> CheckArgs {
    CheckArgs {
        files: Vec::new(),
        to: CheckForm::Text,
        total: false,
        builtin: false,
        fail_fast: false,
        no_vacuous: false,
        allow_empty: true,
        report: None,
        follow: false,
        until_idle: None,
        engine: None,
        engine_command: None,
        lines: LineOptions::default(),
        common: Common { quiet: true, ..args.common.clone() },
    }
}

/// The page of a run of checks.
pub(super) fn write_report(
    path: &Path,
    scripts: &[&Path],
    entries: Vec<ReportEntry>,
    context: &CommandContext,
) -> Status {
    let mut traces: Vec<Arc<Trace>> = Vec::new();
    for entry in &entries {
        if !traces.iter().any(|trace| Arc::ptr_eq(trace, &entry.trace)) {
            traces.push(Arc::clone(&entry.trace));
        }
    }
    written(path, &contents(scripts, traces, &entries, &context.common.source_dir), FileForm::Page, context)
}

fn contents(scripts: &[&Path], traces: Vec<Arc<Trace>>, entries: &[ReportEntry], sources: &[PathBuf]) -> PageContents {
    let names = |paths: &mut dyn Iterator<Item = &Path>| -> String {
        let name = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        paths.map(name).collect::<Vec<_>>().join(", ")
    };
    let mut title = names(&mut traces.iter().map(|trace| trace.origin().path.as_path()));
    if !scripts.is_empty() {
        title = format!("{title}: {}", names(&mut scripts.iter().copied()));
    }
    let traces: Vec<PageTrace> =
        traces.into_iter().enumerate().map(|(index, trace)| PageTrace::new(index, trace)).collect();
    let verdicts = verdicts::verdicts(entries, &traces);
    let witness = |verdict: &view::PageVerdict| {
        let witness = verdict.witnesses.first()?;
        Some((witness.trace, traces[witness.trace].timeline.trace.find_chrono(witness.event)?))
    };
    let events: Vec<_> = verdicts.iter().filter(|verdict| verdict.state == "violated").filter_map(witness).collect();
    let sources = sources.to_vec();
    let pictures = view::pictures(&traces, &events, &sources);
    PageContents { title, traces, verdicts, layers: Vec::new(), pictures, opens: None, sources }
}

/// Writes the page or the picture to a file.
fn written(path: &Path, contents: &PageContents, form: FileForm, context: &CommandContext) -> Status {
    let text = match form {
        FileForm::Page => view::file(contents),
        FileForm::Picture => view::timeline_svg(contents),
    };
    match convert::replace(path, |out: &mut dyn Write| -> io::Result<()> { out.write_all(text.as_bytes()) }) {
        Ok(()) => Status::Yes,
        Err(error) => {
            context.error(None, &format!("cannot write `{}`: {error}", path.display()));
            Status::Error
        }
    }
}

/// Closes the trace of a session and opens another.
fn open(session: &mut Session, trace: &Arc<Trace>) {
    session.open(Arc::clone(trace));
}
