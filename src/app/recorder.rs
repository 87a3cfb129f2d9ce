//! `papaver recorder`: prints the file of a recorder, or lists the recorders.

use std::io::{self, Write};

use super::record::RecorderArgs;
use crate::recorders::{RECORDERS, Recorder};

/// Runs the command.
pub(crate) fn recorder(args: &RecorderArgs, out: &mut dyn Write) -> io::Result<()> {
    match args.kind.as_deref().and_then(Recorder::named) {
        Some(recorder) => out.write_all(recorder.files[0].text.as_bytes()),
        None => RECORDERS.iter().try_for_each(|recorder| {
            writeln!(out, "{:<10}{} (papaver help {})", recorder.kind, recorder.doc, recorder.page)
        }),
    }
}
