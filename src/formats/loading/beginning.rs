//! The beginning of a large file as a trace of its own, if the rest of the file leaves its events as they are.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::load::{LoadOptions, load_bytes};
use crate::formats::lines::input::is_packed;
use crate::formats::{Follow, Format};
use crate::trace::Trace;

/// A file has at least so many times as many bytes as its beginning.
pub(crate) const TIMES: u64 = 16;

/// The trace in the lines that end in the first `n_bytes` bytes of a file; none if the file is not much larger, if a line is
/// nearly as long, or if other lines may change these events.
pub(crate) fn load_beginning(path: &Path, n_bytes: u64, options: &LoadOptions<'_>) -> Option<Trace> {
    let is_as_written = options.map.is_none() && !options.strict && options.spans.is_empty();
    let file = File::open(path).ok()?;
    file.metadata().ok().filter(|file| is_as_written && file.is_file() && file.len() / TIMES >= n_bytes)?;
    let mut bytes = Vec::new();
    file.take(n_bytes).read_to_end(&mut bytes).ok()?;
    let end = memchr::memrchr(b'\n', &bytes).filter(|end| *end >= bytes.len() / 2)?;
    bytes.truncate(end + 1);
    if is_packed(&bytes) {
        return None;
    }
    load_bytes(path, bytes, options).ok().filter(is_final)
}

/// Whether lines that follow leave the events of a trace as they are: its lines are read one after the other, nothing is wrong
/// so far, and the events have the numbers that they keep if a later number does not rise.
fn is_final(trace: &Trace) -> bool {
    let is_read_by_line =
        Format::named(trace.origin().format).is_some_and(|format| !matches!(format.follow, Follow::Never));
    let n_events = trace.n_events();
    let is_numbered_from_1 = n_events > 0 && trace.chrono(0) == 1 && trace.chrono(n_events - 1) == i64::from(n_events);
    is_read_by_line
        && is_numbered_from_1
        && trace.findings().n_serious() == 0
        && trace.recording().least_depth.is_none()
}
