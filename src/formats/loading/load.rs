//! Loading a trace from a path; its content decides the format.

use std::fs::{File, Metadata};
use std::io::{self, Cursor, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use thiserror::Error;

use super::memory::{self, BegunFile};
use super::other_kinds;
use super::recognise::{FEW, is_certain, likelier, likeliest, recognised};
use super::spans::{SpanRule, formats_with_spans, refuse_spans, with_spans};
use crate::formats::exported::{self, PARQUET_MAGIC, is_exported};
use crate::formats::json::scanner::JsonScanner;
use crate::formats::lines::input::{self, TraceInput};
use crate::formats::lines::{BYTE_ORDER_MARK, Lines, StretchReader, split_lines};
use crate::formats::mapping::{JsonMap, MapError, read_maps};
use crate::formats::{ExcerptRequest, FORMATS, Format, Unneeded};
use crate::term::ops::OpTable;
use crate::trace::{
    Finding, INPUT, MemorySource, SAVED_MAGIC, SavedError, SavedSource, Selection, Shortage, Trace, TraceBuilder,
    nearest,
};

/// Options of loading.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoadOptions<'a> {
    /// Name of the format; without one, the content decides.
    pub(crate) from: Option<&'a str>,
    /// The format that the first bytes of the file are known to show.
    pub(crate) recognised: Option<&'static str>,
    /// A file of maps through which lines of JSON are read.
    pub(crate) map: Option<&'a Path>,
    /// Whether a finding that is more than a note is an error.
    pub(crate) strict: bool,
    /// The spans that become boxes; only for a format that has spans.
    pub(crate) spans: &'a [SpanRule],
    /// What must be known of the lines that a query does not need.
    pub(crate) unneeded: Unneeded,
    /// Returns how many bytes of memory reading a trace may take; no limit if absent.
    pub(crate) memory: Option<fn() -> Option<u64>>,
    /// The name of the file, if it is one of several logs of a run.
    pub(crate) log: Option<&'a str>,
    /// The file that says which events were lost, if it is not beside the trace under its usual name.
    pub(crate) losses: Option<&'a Path>,
    /// The operators for reading texts as terms, if not the standard ones.
    pub(crate) operators: Option<&'a OpTable>,
    /// Counts the bytes read from the file so far.
    pub(crate) n_read: Option<&'a Arc<AtomicU64>>,
}

/// Why a trace could not be loaded.
#[derive(Debug, Error)]
pub(crate) enum LoadError {
    /// A missing file, a directory, a file without permission, a failing disk.
    #[error("cannot read `{}`: {reason}", path.display())]
    Unreadable {
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// A file that is no trace: a picture, a program, other text.
    #[error("cannot recognise the format of `{}`: {reason}", path.display())]
    Unrecognised {
        path: PathBuf,
        /// The kind of document that it is, or what it lacks for the nearest formats; and what to do.
        reason: String,
    },
    /// The summary of `strace -c`.
    #[error("`{}` is {kind}, which has no events", path.display())]
    NoTrace {
        path: PathBuf,
        /// What the file is.
        kind: &'static str,
    },
    /// A file with more events than memory can hold.
    #[error(
        "cannot read `{}`: about {n_events} events need about {} MiB, and {} MiB are free in memory and on the disk for temporary files (`--memory-limit none` tries anyway)",
        path.display(), needed >> 20, free >> 20
    )]
    TooLarge {
        path: PathBuf,
        /// The estimated number of its events.
        n_events: u64,
        /// Bytes that these events need.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// A saved trace that cannot be opened.
    #[error("cannot read `{}`: {reason}", path.display())]
    Saved {
        path: PathBuf,
        /// What is wrong with it.
        reason: SavedError,
    },
    /// Parquet files that are damaged, or hold no events.
    #[error("cannot read `{}`: {reason}", path.display())]
    Exported {
        path: PathBuf,
        /// What is wrong with them.
        reason: String,
    },
    /// Several traces to merge, without times, in a format that has no merge of its own.
    #[error("cannot merge `{}`: its events have no attribute `time`", path.display())]
    Timeless {
        /// The first such file.
        path: PathBuf,
    },
    /// `--span` for a trace of a format whose events cannot open and close spans.
    #[error("cannot make spans in `{}`: `--span` needs the format {}, and this one is `{format}`", path.display(), formats_with_spans())]
    Spanless {
        path: PathBuf,
        /// The format that it has.
        format: &'static str,
    },
    /// `--losses` for a trace of a format that has no such file.
    #[error("cannot use the losses in `{}`: `--losses` is for traces that babeltrace2 prints, and this one is `{format}`", path.display())]
    Lossless {
        /// The file of losses.
        path: PathBuf,
        /// The format of the trace.
        format: &'static str,
    },
    /// A key that is no attribute: `--span job_get,job_done,tidd`.
    #[error("cannot make spans in `{}`: unknown attribute `{name}`{hint}", path.display())]
    UnknownKey {
        path: PathBuf,
        /// The key.
        name: String,
        hint: String,
    },
    /// One name for both ends of a span: `--span tick,tick,tid`.
    #[error("`{name}` cannot both open a span and close one")]
    OpensAndCloses {
        /// The name of the events.
        name: String,
    },
    /// Text in two-byte characters, as some editors save it.
    #[error("`{}` is UTF-16 text: save it as UTF-8", path.display())]
    Utf16 {
        /// The file.
        path: PathBuf,
    },
    /// A file of maps with an error: `map(x, tiem, t:s).`
    #[error("{0}")]
    Map(MapError),
    /// A name that is no format: `--from morphin`.
    #[error("unknown format `{name}`: expected {expected}")]
    UnknownFormat {
        name: String,
        /// All names, and a suggestion.
        expected: String,
    },
    /// A fault or warning in a trace that is loaded strictly.
    #[error("{}:{}{message}{}", path.display(), line.map(|line| format!("{line}: ")).unwrap_or_default(), others(*total))]
    Strict {
        path: PathBuf,
        /// Line of the first fault, or of the first warning if there is no fault.
        line: Option<u64>,
        /// The message of that finding.
        message: String,
        /// The number of faults and warnings.
        total: u64,
    },
}

impl LoadError {
    /// The error that `n_events` events of a file do not fit in what is free.
    pub(super) fn too_large(path: &Path, n_events: u64, shortage: Shortage) -> LoadError {
        let needed = shortage.taken.saturating_add(shortage.needed);
        LoadError::TooLarge {
            path: path.to_owned(),
            n_events,
            needed,
            free: shortage.taken.saturating_add(shortage.left),
        }
    }
}

fn others(total: u64) -> String {
    if total > 1 { format!(" (the first of {total} findings)") } else { String::new() }
}

/// The free memory is not checked for a trace that needs no more bytes than this.
const UNASKED: u64 = 1 << 22;

/// Reads the trace in the file at `path`, or on standard input for `-`; gzip and zstd are unpacked.
pub(crate) fn load(path: &Path, options: &LoadOptions<'_>) -> Result<Trace, LoadError> {
    load_opened(path, options, open(path, options)?)
}

/// Reads the trace in `bytes`, the content of `path`.
pub(crate) fn load_bytes(path: &Path, bytes: Vec<u8>, options: &LoadOptions<'_>) -> Result<Trace, LoadError> {
    load_opened(path, options, open_input(path, options, input::of_bytes(bytes).map_err(unreadable(path))?)?)
}

/// Makes an error of the system one about the file at `path`.
pub(super) fn unreadable(path: &Path) -> impl Fn(io::Error) -> LoadError {
    move |reason| LoadError::Unreadable { path: path.to_owned(), reason }
}

fn load_opened(path: &Path, options: &LoadOptions<'_>, opened: Opened) -> Result<Trace, LoadError> {
    let (mut lines, format, likelier) = match opened {
        Opened::Saved(trace) => return with_spans(*trace, options.spans),
        Opened::Text { lines, format, likelier } => (*lines, format, likelier),
    };
    refuse_spans(path, format.name, options.spans)?;
    lines.operators = options.operators.cloned().map(Box::new);
    lines.log = options.log.map(str::to_owned);
    lines.losses = losses(path, format, options)?;
    let origin = format.origin(path);
    let mut builder = TraceBuilder::new(origin);
    builder.limit_memory(options.memory.map(|free| MemorySource { free, unasked: UNASKED }));
    (format.read)(&mut lines, &mut builder);
    if let Some(shortage) = builder.shortage() {
        return Err(LoadError::too_large(path, builder.n_events().into(), shortage));
    }
    note_end(&mut lines, &mut builder).map_err(unreadable(path))?;
    if let Some(likelier) = likelier {
        let (looks, read) = (likelier.name, format.name);
        let message = format!("the file looks like `{looks}`; it was read as `{read}` because of --from");
        builder.first_finding(INPUT, None, message);
    }
    let trace = builder.finish();
    let trace = if options.strict { refuse_findings(path, trace)? } else { trace };
    with_spans(trace, options.spans)
}

/// What the file of losses says: the one of the options, or `X.stderr.txt` beside the trace `X.txt` or `X.txt.gz`.
fn losses(path: &Path, format: &Format, options: &LoadOptions<'_>) -> Result<Option<Vec<u8>>, LoadError> {
    let read = |path: &Path| std::fs::read(path).map_err(unreadable(path));
    match (options.losses, format.has_losses) {
        (Some(path), false) => Err(LoadError::Lossless { path: path.to_owned(), format: format.name }),
        (Some(path), true) => read(path).map(Some),
        (None, true) => Ok(std::fs::read(beside(path)).ok()),
        (None, false) => Ok(None),
    }
}

/// The usual name of the file with the errors that the program reported that wrote a trace.
fn beside(path: &Path) -> PathBuf {
    let is_packed = path.extension().is_some_and(|ending| ["gz", "zst"].iter().any(|packed| ending == *packed));
    let unpacked = if is_packed { path.with_extension("") } else { path.to_owned() };
    unpacked.with_extension("stderr.txt")
}

/// A file that was opened.
pub(super) enum Opened {
    /// A saved trace, which needs no reading.
    Saved(Box<Trace>),
    /// Text, still to be read.
    Text {
        /// The text, from its first line on.
        lines: Box<Lines>,
        /// The format in which it is read.
        format: &'static Format,
        /// The format that the text looks like, if `--from` requests another one.
        likelier: Option<&'static Format>,
    },
}

/// Opens a file and finds its format.
pub(super) fn open(path: &Path, options: &LoadOptions<'_>) -> Result<Opened, LoadError> {
    options.from.map(format_named).transpose()?;
    match open_bytes(path, options) {
        Ok(input) => open_input(path, options, input),
        // the bytes of a folder cannot be read
        Err(_) if is_exported(path) => open_exported(path, options),
        Err(error) => Err(error),
    }
}

fn open_input(path: &Path, options: &LoadOptions<'_>, mut input: TraceInput) -> Result<Opened, LoadError> {
    let maps = options.map.map(maps).transpose()?;
    let forced = match maps {
        Some(_) => Format::of_maps(),
        None => options.from.map(format_named).transpose()?,
    };
    if input.first.starts_with(SAVED_MAGIC)
        && let Some(file) = input.file.take()
    {
        return open_saved(path, SavedSource::File(file), options).map(|trace| Opened::Saved(Box::new(trace)));
    }
    if input.first.starts_with(PARQUET_MAGIC) && input.file.is_some() {
        return open_exported(path, options);
    }
    let mut lines = Lines::begun(input.first, input.rest);
    let recognised = options.recognised.map(format_named).transpose()?.filter(|_| forced.is_none());
    lines.fill_sample(|head| recognised.is_some() || is_certain(head));
    if forced.is_none()
        && recognised.is_none()
        && begins_document(lines.sample())
        && likeliest(lines.sample()).is_none()
    {
        lines.fill_long_sample();
    }
    if lines.head().starts_with(SAVED_MAGIC) {
        let most = options.memory.and_then(|free| free());
        let bytes = lines.into_bytes(most).map_err(unreadable(path))?;
        let trace = open_saved(path, SavedSource::Memory(bytes), options)?;
        return Ok(Opened::Saved(Box::new(trace)));
    }
    lines.file = input.file;
    refuse_other_outputs(path, lines.sample())?;
    lines.maps = maps;
    let (format, likelier) = match forced {
        Some(format) if lines.maps.is_some() => (format, None),
        Some(format) => (format, likelier(format, lines.sample())),
        None => (recognised.map_or_else(|| recognise(path, &mut lines), Ok)?, None),
    };
    if let (Some(free), Some(size)) = (options.memory, input.size) {
        BegunFile { path, head: lines.sample(), size, is_packed: input.is_packed }.refuse_too_large(free)?;
    }
    Ok(Opened::Text { lines: Box::new(lines), format, likelier })
}

/// Reads a trace from Parquet files, for which `--from` has no meaning.
fn open_exported(path: &Path, options: &LoadOptions<'_>) -> Result<Opened, LoadError> {
    let read = exported::read(path).map_err(|reason| LoadError::Exported { path: path.to_owned(), reason })?;
    let trace = if options.strict { refuse_findings(path, read)? } else { read };
    Ok(Opened::Saved(Box::new(trace)))
}

/// The maps in a file.
fn maps(path: &Path) -> Result<Arc<[JsonMap]>, LoadError> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(unreadable(path))?;
    read_maps(&path.display().to_string(), &text).map(Arc::from).map_err(LoadError::Map)
}

/// A part of a trace.
#[derive(Debug)]
pub(crate) struct Excerpt {
    /// The events that are needed, and maybe others.
    pub(crate) trace: Trace,
    /// What is known of the lines that are left out.
    pub(crate) unneeded: Unneeded,
}

/// What was read of a trace for a selection.
#[derive(Debug)]
pub(crate) enum Selected {
    Part(Excerpt),
    Whole(Trace),
}

/// Reads the events of a file that `selection` needs, and perhaps others; the whole trace if that must be.
pub(crate) fn load_selected(
    path: &Path,
    options: &LoadOptions<'_>,
    selection: &Selection,
) -> Result<Selected, LoadError> {
    let has_excerpt = options.map.is_none() && !options.strict && options.spans.is_empty() && path != Path::new("-");
    let Some(input) = has_excerpt.then(|| open_bytes(path, options)).and_then(Result::ok) else {
        return load(path, options).map(Selected::Whole);
    };
    match excerpt(path, &input, options, selection)? {
        Some(excerpt) => Ok(Selected::Part(excerpt)),
        None => load_opened(path, options, open_input(path, options, input)?).map(Selected::Whole),
    }
}

fn open_bytes(path: &Path, options: &LoadOptions<'_>) -> Result<TraceInput, LoadError> {
    input::open(path, options.n_read.cloned()).map_err(unreadable(path))
}

/// The part of a file that `selection` needs; `None` if the whole file must be read.
///
/// A file with faults must be read whole, unless the unneeded lines are [believed](Unneeded::Believed).
fn excerpt(
    path: &Path,
    input: &TraceInput,
    options: &LoadOptions<'_>,
    selection: &Selection,
) -> Result<Option<Excerpt>, LoadError> {
    let (Some(file), Some(size), Some(head)) = (&input.file, input.size, head(&input.first)) else { return Ok(None) };
    let format = excerpt_format(options, head)?;
    let Some((format, read)) = format.and_then(|format| Some((format, format.excerpt?))) else { return Ok(None) };
    let origin = format.origin(path);
    let mut builder = TraceBuilder::new(origin);
    let file = StretchReader { file, size, first: &input.first };
    let most_events = memory::most_events(size, options.memory);
    let request = ExcerptRequest { selection, most_events, unneeded: options.unneeded };
    let read = read(file, head, &request, &mut builder);
    let read = read.map_err(unreadable(path))?;
    let excerpt = read.map(|unneeded| Excerpt { trace: builder.finish(), unneeded });
    // events outside the excerpt may have attributes that it lacks
    let has_asked = |excerpt: &Excerpt| {
        let schema = excerpt.trace.schema();
        let has_all = selection.attributes.iter().flatten().all(|attribute| schema.has(*attribute));
        has_all && excerpt.trace.n_events() > 0
    };
    Ok(excerpt.filter(has_asked))
}

/// What the first bytes of a file show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstLook {
    /// It is no trace of any format.
    NoTrace,
    /// It may be a trace; also if it cannot be read, so that loading it says why.
    MaybeTrace,
    /// It is a trace of the format with this name.
    Clear(&'static str),
}

/// Looks at the first bytes of a file.
pub(crate) fn first_look(path: &Path) -> FirstLook {
    look_at_few(path).unwrap_or_else(|| look_at_more(path))
}

/// The same, if the first [`FEW`] bytes of a file that is not packed suffice, as they mostly do.
fn look_at_few(path: &Path) -> Option<FirstLook> {
    let file = File::open(path).ok()?;
    let size = file.metadata().ok().filter(Metadata::is_file)?.len();
    let mut head = vec![0; BYTE_ORDER_MARK.len() + FEW];
    let n_read = input::read_some_at(&file, &mut head, 0).ok()?;
    head.truncate(n_read);
    let is_short = size < Lines::SAMPLE as u64;
    if input::is_packed(&head) { None } else { judged(&head, n_read as u64 == size, is_short) }
}

fn look_at_more(path: &Path) -> FirstLook {
    let Ok(input) = input::open(path, None) else { return FirstLook::MaybeTrace };
    let mut source = Cursor::new(input.first).chain(input.rest.unwrap_or_else(|| Box::new(io::empty())));
    let mut head = Vec::new();
    for n_bytes in [FEW, Lines::SAMPLE, Lines::LONG_SAMPLE] {
        if n_bytes == Lines::LONG_SAMPLE && !begins_document(&head) {
            break;
        }
        let rest = (BYTE_ORDER_MARK.len() + n_bytes).saturating_sub(head.len());
        let Ok(n_read) = source.by_ref().take(rest as u64).read_to_end(&mut head) else {
            return FirstLook::MaybeTrace;
        };
        let is_short = n_bytes == FEW && !input.is_packed && input.size.is_some_and(|size| size < Lines::SAMPLE as u64);
        if let Some(look) = judged(&head, n_read < rest, is_short) {
            return look;
        }
    }
    FirstLook::NoTrace
}

/// What the first bytes of a file show; none if more of them may show it. All bytes of a short file are looked at, as
/// loading it does.
fn judged(head: &[u8], is_whole: bool, is_short: bool) -> Option<FirstLook> {
    if head.starts_with(SAVED_MAGIC) || head.starts_with(PARQUET_MAGIC) {
        return Some(FirstLook::MaybeTrace);
    }
    match recognised(head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head)) {
        Some(found) if found.is_clear || is_whole => Some(FirstLook::Clear(found.format.name)),
        Some(_) if !is_short => Some(FirstLook::MaybeTrace),
        None if is_whole => Some(FirstLook::NoTrace),
        _ => None,
    }
}

/// The format of a file that begins with `head`; `None` if it does not look like the requested format.
fn excerpt_format(options: &LoadOptions<'_>, head: &[u8]) -> Result<Option<&'static Format>, LoadError> {
    let Some(name) = options.from else {
        return match options.recognised {
            Some(name) => format_named(name).map(Some),
            None => Ok(likeliest(head)),
        };
    };
    let format = format_named(name)?;
    let is_sure = (format.sniff)(head) > 0 && likelier(format, head).is_none();
    Ok(is_sure.then_some(format))
}

/// The part of the first bytes of a file that [`Lines::sample`] returns; `None` if the first line is longer.
fn head(first: &[u8]) -> Option<&[u8]> {
    let head = first.strip_prefix(BYTE_ORDER_MARK).unwrap_or(first);
    let head = &head[..head.len().min(Lines::SAMPLE)];
    memchr::memchr2(b'\n', b'\r', head).map(|_| head)
}

/// Opens a saved trace, for which `--from` has no meaning.
fn open_saved(path: &Path, source: SavedSource, options: &LoadOptions<'_>) -> Result<Trace, LoadError> {
    let memory = options.memory.map(|free| MemorySource { free, unasked: UNASKED });
    let opened = Trace::open_saved(source, path, memory, |name| Format::named(name).map(|format| format.origin(path)));
    let trace = opened.map_err(|reason| LoadError::Saved { path: path.to_owned(), reason })?;
    if options.strict { refuse_findings(path, trace) } else { Ok(trace) }
}

fn format_named(name: &str) -> Result<&'static Format, LoadError> {
    Format::named(name).ok_or_else(|| {
        let names: Vec<String> = FORMATS.iter().map(|format| format!("`{}`", format.name)).collect();
        let hint = nearest(name, FORMATS.iter().map(|format| format.name));
        let hint = hint.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
        LoadError::UnknownFormat { name: name.to_owned(), expected: format!("{}{hint}", names.join(" or ")) }
    })
}

/// Refuses what programs write that also write traces, if it has no events.
fn refuse_other_outputs(path: &Path, head: &[u8]) -> Result<(), LoadError> {
    let other = |format: &Format| (format.not_events)(head).filter(|_| (format.sniff)(head) == 0);
    FORMATS.iter().find_map(other).map_or(Ok(()), |kind| Err(LoadError::NoTrace { path: path.to_owned(), kind }))
}

/// Whether a text begins with a JSON value that does not end in its line: other keys may stand before those of a format.
fn begins_document(head: &[u8]) -> bool {
    let line = split_lines(head.trim_ascii_start()).next().unwrap_or_default();
    let ends = |line| JsonScanner::new(line).skip().is_ok();
    matches!(line.first(), Some(b'{' | b'[')) && !std::str::from_utf8(line).is_ok_and(ends)
}

/// The format with most events in the first lines; an empty file counts as the first format.
fn recognise(path: &Path, lines: &mut Lines) -> Result<&'static Format, LoadError> {
    let head = lines.sample();
    if let Some(format) = likeliest(head) {
        return Ok(format);
    }
    let is_blank = head.trim_ascii().is_empty() && lines.ends_within(head.len());
    if is_blank || lines.has_failed() {
        return Ok(&FORMATS[0]);
    }
    let path = path.to_owned();
    if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
        return Err(LoadError::Utf16 { path });
    }
    Err(LoadError::Unrecognised { path, reason: other_kinds::description(head) })
}

/// Reports a trace without events, and packed data that break off after some events. Any other failure ends loading.
pub(super) fn note_end(lines: &mut Lines, builder: &mut TraceBuilder) -> io::Result<()> {
    match lines.take_failure() {
        Some(failure) if failure.kind() == io::ErrorKind::InvalidData && builder.n_events() > 0 => {
            let message = format!("reading stopped after line {}: {failure}", lines.number());
            builder.first_finding(INPUT, Some(lines.number()), message);
        }
        Some(failure) => return Err(failure),
        None if builder.n_events() == 0 => builder.first_finding(INPUT, None, "no events"),
        None => {}
    }
    Ok(())
}

/// Refuses a trace with faults or warnings; notes are harmless.
pub(super) fn refuse_findings(path: &Path, trace: Trace) -> Result<Trace, LoadError> {
    let Some(Finding { line, message, .. }) = trace.findings().most_severe() else { return Ok(trace) };
    let (line, message) = (*line, message.clone());
    Err(LoadError::Strict { path: path.to_owned(), line, message, total: trace.findings().n_serious() })
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
