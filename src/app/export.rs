//! `papaver export`: writes traces to a folder of Parquet files, which appears when it is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::args::ExportArgs;
use super::context::CommandContext;
use super::interrupt::InterruptEffect;
use super::status::Status;
use crate::output::{EXPORT_MANIFEST, Export};

/// Runs the command. A trace that cannot be read is an error, and the others are exported.
pub(crate) fn export(args: &ExportArgs) -> Status {
    let context = CommandContext::new(&args.common, InterruptEffect::Command);
    if let Err(message) = may_write(&args.output, args.force) {
        context.error(None, &message);
        return Status::Error;
    }
    match write(args, &context) {
        Ok(status) => status,
        Err(error) => {
            context.error(None, &format!("cannot write `{}`: {error}", args.output.display()));
            Status::Error
        }
    }
}

/// An error if something is in the place of the folder that may not be replaced.
fn may_write(folder: &Path, force: bool) -> Result<(), String> {
    let shown = folder.display();
    let Ok(metadata) = fs::symlink_metadata(folder) else { return Ok(()) };
    if !metadata.is_dir() {
        return Err(format!("cannot write `{shown}`: it is not a folder"));
    }
    let is_empty = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    let is_export = folder.join(EXPORT_MANIFEST).is_file();
    match (is_empty, is_export, force) {
        (true, ..) | (_, true, true) => Ok(()),
        (_, true, false) => Err(format!("`{shown}` holds an export already; `--force` replaces it")),
        (_, false, _) => Err(format!("cannot write `{shown}`: the folder is not empty, and not an export")),
    }
}

/// Writes to a temporary folder beside the wanted one, and then renames it.
fn write(args: &ExportArgs, context: &CommandContext) -> io::Result<Status> {
    let parent = args.output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".papaver-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    let folder = builder.tempdir_in(parent)?;
    let (mut export, mut status, mut n_written) = (Export::default(), Status::Yes, 0_usize);
    let traces = context.traces(&args.traces);
    context.read_ahead(&traces);
    for path in traces {
        let trace = context.load(&path).map(|trace| context.described(trace));
        match trace {
            Some(Ok(trace)) => {
                export.add(&trace, folder.path())?;
                n_written += 1;
            }
            Some(Err(other)) => status = status.and(other),
            None => status = status.and(Status::Error),
        }
    }
    if n_written > 0 {
        export.finish(folder.path())?;
        replace(&folder.keep(), &args.output)?;
    }
    Ok(status)
}

/// Renames a folder to another, whose old contents are removed.
fn replace(new: &Path, wanted: &Path) -> io::Result<()> {
    let old: PathBuf = new.with_extension("old");
    if wanted.exists() {
        fs::rename(wanted, &old)?;
    }
    fs::rename(new, wanted)?;
    if old.exists() { fs::remove_dir_all(old) } else { Ok(()) }
}
