//! Traces in folders of Parquet files that papaver exported, and in others with the same names of columns; the chapter
//! `engines` of the manual says what they are.

mod description;
mod events;
mod table;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

pub(crate) use self::description::{FOLDER_FILE, Folder, FolderAttribute, FolderColumn, FolderTrace};
use self::events::EventReader;
use self::table::{TableFile, TableType};
use crate::trace::{AttributeId, BASE, Trace, TraceBuilder, known_attribute};

/// The first bytes of a Parquet file.
pub(crate) const PARQUET_MAGIC: &[u8] = b"PAR1";

/// The names of the traces in an exported folder, as paths: that of each folder of events; none for anything else than a
/// folder with several traces.
pub(crate) fn traces_of(path: &Path) -> Option<Vec<PathBuf>> {
    if !path.join(FOLDER_FILE).is_file() {
        return None;
    }
    let folder = Folder::read(path).ok().filter(|folder| folder.traces.len() > 1)?;
    let place = |trace: &FolderTrace| Some(path.join(Path::new(trace.event_files.first()?).parent()?));
    folder.traces.iter().map(place).collect()
}

/// The traces at a path: those of a folder, or one that [`traces_of`] names; and the folder from which their files are named.
pub(crate) fn traces_at(path: &Path) -> Result<(PathBuf, Vec<FolderTrace>), String> {
    let has_folder = |top: &&Path| top.join(FOLDER_FILE).is_file();
    let top_of = |path: &Path| path.ancestors().take(3).find(has_folder).map(Path::to_path_buf);
    // a name such as `trace=NAME` alone does not say what is above it
    let full = std::path::absolute(path).ok().filter(|_| top_of(path).is_none());
    let path = full.as_deref().filter(|full| top_of(full).is_some()).unwrap_or(path);
    let top = top_of(path).unwrap_or_else(|| path.to_path_buf());
    let traces = match path.file_name() {
        Some(name) if top != path => vec![trace_below(&top, path, Path::new(name))?],
        _ => Folder::read(&top)?.traces,
    };
    let top = if top.as_os_str().is_empty() { PathBuf::from(".") } else { top };
    Ok((top, traces))
}

/// The trace in a folder of events, as its first file describes it, so that the description of a large folder is not read
/// for each of its traces.
fn trace_below(top: &Path, events: &Path, name: &Path) -> Result<FolderTrace, String> {
    let event_files = parquet_files(events)?;
    let first =
        event_files.first().ok_or_else(|| format!("{}: there is no Parquet file of events", events.display()))?;
    let file = open(first).map_err(|reason| format!("{}: {reason}", first.display()))?;
    let about = file.metadata("papaver").map(serde_json::from_str::<FolderTrace>);
    let Some(Ok(mut trace)) = about else {
        return Err(format!("{}: `papaver export` has not written this file", first.display()));
    };
    let named = |file: &PathBuf| file.strip_prefix(top).unwrap_or(file).display().to_string();
    trace.event_files = event_files.iter().map(named).collect();
    trace.call_files = parquet_files(&top.join("calls").join(name))?.iter().map(named).collect();
    Ok(trace)
}

/// Reads the trace in a folder or a Parquet file.
pub(crate) fn read(path: &Path) -> Result<Trace, String> {
    read_events(path, None)
}

/// Reads the events with these numbers, which rise, of the trace in a folder.
pub(crate) fn read_chosen(path: &Path, chronos: &[i64]) -> Result<Trace, String> {
    read_events(path, Some(chronos))
}

fn read_events(path: &Path, chronos: Option<&[i64]>) -> Result<Trace, String> {
    let (described, files) = parts(path)?;
    let open = |file: &PathBuf| open(file).map_err(|reason| format!("{}: {reason}", file.display()));
    let about = match (described, files.first()) {
        (Some(about), _) => about,
        (None, Some(first)) => described_by(&open(first)?)?,
        (None, None) => return Err("there is no Parquet file of events".to_string()),
    };
    let Some(format) = about.format() else { return Err(format!("unknown format `{}`", about.format)) };
    let mut builder = TraceBuilder::new(format.origin(path));
    *builder.recording() = about.recording();
    let findings = about.findings().ok_or("the description of its findings contradicts itself")?;
    builder.inherit_findings(&findings);
    let mut reader = EventReader::new(&about, chronos, &mut builder);
    for file in &files {
        reader.read(&open(file)?).map_err(|reason| format!("{}: {reason}", file.display()))?;
    }
    if builder.n_events() == 0 && findings.total() == 0 && chronos.is_none() {
        builder.first_finding("input", None, "no events");
    }
    if chronos.is_some() {
        builder.is_part_of(about.events);
    }
    let mut trace = builder.finish();
    if chronos.is_some() {
        let stored = about.attributes.iter().filter(|attribute| !attribute.columns.is_empty());
        trace.has_elsewhere(stored.map(|attribute| attribute.name.as_str()));
    }
    Ok(trace)
}

fn open(path: &Path) -> Result<TableFile, String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let mut first = [0; PARQUET_MAGIC.len()];
    if file.read_exact(&mut first).is_err() || first != PARQUET_MAGIC {
        return Err("this is no Parquet file".to_string());
    }
    TableFile::open(file)
}

/// The description of the trace at a path, if a folder has one, and the files of its events.
fn parts(path: &Path) -> Result<(Option<FolderTrace>, Vec<PathBuf>), String> {
    if !path.is_dir() {
        return Ok((None, vec![path.to_path_buf()]));
    }
    if !path.join(FOLDER_FILE).is_file() {
        let events = path.join("events");
        return Ok((None, parquet_files(if events.is_dir() { &events } else { path })?));
    }
    let mut folder = Folder::read(path)?;
    let (Some(trace), true) = (folder.traces.pop(), folder.traces.is_empty()) else {
        return Err("it holds several traces; name one of the folders in `events`".to_string());
    };
    let files = trace.event_files.iter().map(|file| path.join(file)).collect();
    Ok((Some(trace), files))
}

/// The Parquet files in a folder and in the folders below it, in the order of their names.
fn parquet_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ if entry.path().extension().is_some_and(|ending| ending == "parquet") => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    Ok(files)
}

/// What a file says of its trace; without that, what the names and types of its columns say.
fn described_by(file: &TableFile) -> Result<FolderTrace, String> {
    if let Some(text) = file.metadata("papaver") {
        return serde_json::from_str(text).map_err(|error| format!("its description cannot be read: {error}"));
    }
    let names = file.names();
    if !names.iter().any(|name| matches!(name.as_str(), "port" | "name" | "chrono")) {
        return Err("it has no column `port`, `name` or `chrono`".to_string());
    }
    let mut attributes = Vec::new();
    for (index, name) in names.iter().enumerate().filter(|(_, name)| *name != "trace") {
        let kind = file.column_type(index).ok_or_else(|| format!("the values of `{name}` have no place in a trace"))?;
        if is_repeated(name) {
            continue;
        }
        let argument = name.strip_prefix("arg").and_then(|number| number.parse().ok());
        let known = known_attribute(name).filter(|id| BASE[id.index()].name == name.as_str());
        let kind = match (known, kind) {
            _ if argument.is_some() => "argument",
            (Some(AttributeId::PROC), _) => "proc",
            (Some(AttributeId::GOAL_PATH | AttributeId::ARGS | AttributeId::ARG_NAMES | AttributeId::ARG_TYPES), _) => {
                "list"
            }
            (Some(AttributeId::VARS | AttributeId::VAR_NAMES_AND_TYPES | AttributeId::LOCAL_VARS), TableType::Text) => {
                "term"
            }
            (Some(AttributeId::RESULT), TableType::Text) | (None, TableType::Text) => "text",
            (Some(_), TableType::Text) => "atom",
            (_, TableType::Integer) => "integer",
            (_, TableType::Float) => "float",
            (_, TableType::Bool) => "bool",
        };
        let column = FolderColumn { name: name.clone(), kind: kind.to_string(), index: argument };
        let attribute = if argument.is_some() { "args" } else { name };
        attributes.push(FolderAttribute::new(attribute, "any", vec![column]));
    }
    Ok(FolderTrace::of_attributes(attributes))
}

/// Whether a column repeats the integers of another one.
fn is_repeated(name: &str) -> bool {
    let argument = name.strip_prefix("arg").and_then(|rest| rest.strip_suffix("_int"));
    argument.is_some_and(|number| number.parse::<usize>().is_ok())
}

/// Whether a path is one that [`read`] reads, as its file type or its first bytes say.
pub(crate) fn is_exported(path: &Path) -> bool {
    path.is_dir() && (path.join(FOLDER_FILE).is_file() || parquet_files(path).is_ok_and(|files| !files.is_empty()))
}
