//! `papaver convert`: writes a trace in another format, to a new file that replaces the old one when it is complete.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use super::args::{ConvertArgs, LineOptions};
use super::context::CommandContext;
use super::goal_terms::events_where;
use super::interrupt::InterruptEffect;
use super::status::Status;
use crate::formats::filtered;
use crate::output::convert::{TARGETS, WritableFormat, target};
use crate::session::Moves;
use crate::trace::Trace;

/// Runs the command.
pub(crate) fn convert(args: &ConvertArgs) -> Status {
    let context = CommandContext::new(&args.common, InterruptEffect::Command);
    let Some(target) = target_of(args) else {
        let endings: Vec<String> = TARGETS.iter().map(|target| format!("`.{}`", target.endings[0])).collect();
        let message = format!(
            "cannot tell the format to write from `{}`: expected the ending {}, or `--to`",
            args.output.display(),
            endings.join(" or ")
        );
        context.error(None, &message);
        return Status::Error;
    };
    let traces = context.traces(&args.traces);
    let [path] = &*traces else {
        context.error(None, "expected one trace to convert, or `--merge`");
        return Status::Error;
    };
    let Some(trace) = context.load(path) else { return Status::Error };
    let trace = match part(args, trace, &context) {
        Ok(trace) => trace,
        Err(status) => return status,
    };
    if args.output == Path::new("-") {
        return context.written(to_standard_output(trace, target, &context));
    }
    match to_file(trace, target, &args.output) {
        Ok(()) => Status::Yes,
        Err(error) => {
            context.error(None, &format!("cannot write `{}`: {error}", args.output.display()));
            Status::Error
        }
    }
}

/// The trace or, with `--where`, the part of it that is wanted.
fn part(args: &ConvertArgs, trace: Arc<Trace>, context: &CommandContext) -> Result<Arc<Trace>, Status> {
    let Some(wanted) = &args.wanted else { return context.described(trace) };
    let (mut session, consulted) = context.session(Moves::Silent, context.out.aside(), &[]);
    session.open(trace);
    let status = consulted.and(context.reach(&mut session, &LineOptions::default()));
    let Some(trace) = session.trace().cloned().filter(|_| status == Status::Yes) else { return Err(status) };
    let events = events_where(wanted, &mut session, context)?;
    if events.is_empty() {
        context.note(&format!("no event satisfies `{wanted}`"));
    }
    Ok(Arc::new(filtered(&trace, &events)))
}

fn target_of(args: &ConvertArgs) -> Option<&'static WritableFormat> {
    match &args.to {
        Some(name) => target(name),
        None if args.output == Path::new("-") => target("jsonl"),
        None => target(args.output.extension()?.to_str()?),
    }
}

/// Writes to standard output; on a terminal, control characters are made visible.
fn to_standard_output(trace: Arc<Trace>, target: &WritableFormat, context: &CommandContext) -> io::Result<()> {
    if context.terminal.output {
        return target.write(trace, &mut context.out.clone());
    }
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    target.write(trace, &mut out)?;
    out.flush()
}

/// Writes a trace to a file, as [`replace`].
pub(super) fn to_file(trace: Arc<Trace>, target: &WritableFormat, path: &Path) -> io::Result<()> {
    replace(path, |out| target.write(trace, out))
}

/// Writes to a temporary file and then renames it, so that nobody sees half a file and an old file survives every
/// error.
pub(super) fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if path.exists() && !path.is_file() {
        return write(&mut BufWriter::new(std::fs::File::create(path)?));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".papaver-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(folder)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    write(&mut out)?;
    let file = out.into_inner().map_err(|error| error.into_error())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
