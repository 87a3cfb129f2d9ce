//! What holds of every reader: a trace is the same however its file is cut into chunks, on one core and on several, from a
//! pipe and from a file. The events of each sample are those that `tests/data/digests` has.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::loading::{LoadOptions, likeliest, load};
use super::testing::{in_chunks, shown};
use super::{Format, test_each_format};
use crate::trace::threads::{with_helpers, with_n_cores};

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder, by path.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("a folder can be read").path());
    let mut files: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    files.sort();
    files
}

/// Files of other kinds than traces.
const NO_TRACES: &[&str] = &["digests", "goals", "md", "out", "pl", "py", "rs", "svg", "toml"];

/// The samples of a format: those of its fuzz target, and those of the tests and examples that are recognised as its.
fn samples(format: &Format) -> Vec<(String, Vec<u8>)> {
    let own = files(&top().join("tests/fuzz/corpus").join(format.name));
    let others = ["tests/data", "examples"].iter().flat_map(|folder| files(&top().join(folder)));
    let is_trace = |path: &PathBuf| !path.extension().is_some_and(|ending| NO_TRACES.iter().any(|no| ending == *no));
    let is_own = |path: &PathBuf| {
        let text = fs::read(path).expect("a sample can be read");
        likeliest(&text[..text.len().min(1 << 16)]).is_some_and(|found| found.name == format.name)
    };
    let all = own.into_iter().chain(others.filter(is_trace).filter(is_own));
    let named = |path: PathBuf| {
        let text = fs::read(&path).expect("a sample can be read");
        let name = path.strip_prefix(top()).expect("it is a file of the project").display().to_string();
        (name, text)
    };
    all.map(named).collect()
}

/// How many events a file has, and all contents of its trace; of a file that is refused, the reason.
fn contents(format: &Format, path: &Path) -> (u32, String) {
    let options = LoadOptions { from: Some(format.name), ..LoadOptions::default() };
    match load(path, &options) {
        Ok(trace) => (trace.n_events(), shown(&trace)),
        Err(error) => (0, error.to_string().replace(&path.display().to_string(), "the file")),
    }
}

/// The first lines at the same place that differ.
fn first_difference<'t>(found: &'t str, expected: &'t str) -> Option<(&'t str, &'t str)> {
    found.lines().zip(expected.lines()).find(|(found, expected)| found != expected)
}

test_each_format!(cut_anywhere, is_the_same_in_any_chunks);

/// A file of up to this many bytes is cut into chunks of one byte.
const SHORT: usize = 20_000;
/// Chunks of Prolog tracers are at least this long: a goal on several lines is cut if it is longer than a chunk.
const LONGEST_GOAL: usize = 100;

fn is_the_same_in_any_chunks(format: &Format) {
    for (name, text) in samples(format) {
        let whole = with_n_cores(1, || shown(&in_chunks(format, &text, 1 << 30)));
        let least = match text.len() {
            _ if format.name == "prolog" => LONGEST_GOAL,
            0..=SHORT => 1,
            _ => 500,
        };
        for (chunk_bytes, n_cores) in [(least, 2), (97, 1), (1000, 2), (5000, 1)] {
            let cut = with_n_cores(n_cores, || shown(&in_chunks(format, &text, chunk_bytes.max(least))));
            let difference = first_difference(&cut, &whole);
            assert!(cut == whole, "{name} in chunks of {chunk_bytes} bytes on {n_cores} cores: {difference:?}");
        }
    }
}

test_each_format!(digests, has_the_events_that_are_stored);

/// The events, attributes, calls and findings of each sample, from the file and from a pipe, have the stored checksum.
fn has_the_events_that_are_stored(format: &Format) {
    let mut found = String::new();
    for (name, text) in samples(format) {
        let path = top().join(&name);
        let (n_events, of_file) = contents(format, &path);
        let (_, of_pipe) = through_pipe(&path, &text, |path| contents(format, path));
        assert!(of_pipe == of_file, "{name} from a pipe: {:?}", first_difference(&of_pipe, &of_file));
        let checksum = crc32fast::hash(of_file.as_bytes());
        writeln!(found, "{name} {n_events} {checksum:08x}").expect("a string takes all text");
    }
    let path = top().join(format!("tests/data/digests/{}.digests", format.name));
    if std::env::var_os("PAPAVER_UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, &found).expect("a golden file can be written");
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    let new: Vec<&str> = found.lines().filter(|line| !stored.lines().any(|kept| kept == *line)).collect();
    assert!(new.is_empty() && stored == found, "{} has not {new:#?}", path.display());
}

/// What `read` finds in a pipe with the name of a file, into which its text is written.
fn through_pipe<T>(file: &Path, text: &[u8], read: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let pipe = folder.path().join(file.file_name().expect("a file has a name"));
    let made = Command::new("mkfifo").arg(&pipe).status().expect("the system has `mkfifo`");
    assert!(made.success());
    // a reader may have seen enough before the end
    with_helpers(1, || fs::write(&pipe, text).is_ok(), || read(&pipe)).0
}
