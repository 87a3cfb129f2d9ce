//! `papaver check --builtin` on sound traces, on broken ones, and on pieces that lack most of what a trace may have.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use papaver::formats::{LoadOptions, load_bytes};
use papaver::session::{Check, Limits, Moves, Options, Session, Verdict};

use crate::support::{data, file, papaver, stdout};

/// The sample traces in a folder of `tests/data`.
fn samples(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(data(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

fn session() -> Session {
    Session::new(Options {
        output: Box::new(std::io::sink()),
        moves: Moves::Silent,
        argv: Vec::new(),
        limits: Limits::default(),
    })
}

/// The names of the assertions of the library that are put to some bytes, with what came out.
fn verdicts(session: &mut Session, path: &Path, bytes: &[u8]) -> Vec<(String, Verdict, String)> {
    let trace = load_bytes(path, bytes.to_vec(), &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    session.open(Arc::new(trace));
    let checks = session.ready_checks();
    let put = |check: &Check| {
        let outcome = session.check(check);
        (check.name.clone(), outcome.verdict, outcome.message)
    };
    checks.iter().map(put).collect()
}

#[test]
fn no_piece_of_a_trace_makes_a_check_an_error() {
    let mut session = session();
    let folders = ["", "mdb", "mpd", "posix", "seq_trace", "visandor"];
    for path in folders.iter().flat_map(|folder| samples(folder)).filter(|path| path.extension().unwrap() != "gz") {
        let whole = std::fs::read(&path).unwrap();
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').take(16).collect();
        let starts = (1..lines.len()).map(|n_lines| lines[..n_lines].concat());
        let singles = lines.iter().map(|line| [lines[0], line].concat());
        for piece in starts.chain(singles) {
            if load_bytes(&path, piece.clone(), &LoadOptions::default()).is_err() {
                continue;
            }
            for (name, verdict, message) in verdicts(&mut session, &path, &piece) {
                let text = String::from_utf8_lossy(&piece);
                assert_ne!(verdict, Verdict::Error, "{name} of {}: {message}\n{text}", path.display());
            }
        }
    }
}

/// A log of which nothing is known but what a process printed, and events without `det`.
#[test]
fn checks_are_chosen_by_what_the_trace_has() {
    let chosen = |name: &str, text: &str| -> Vec<Vec<String>> {
        let (_folder, path) = file(name, text);
        let follow: [&[&str]; 2] = [&[], &["--follow", "--until-idle", "100ms"]];
        let outcomes = follow.map(|more| stdout(papaver().args(["check", "--builtin"]).arg(&path).args(more), 0));
        let name_of = |line: &str| line.split_whitespace().nth(1).unwrap().to_owned();
        outcomes
            .iter()
            .map(|text| text.lines().filter(|line| line.starts_with("holds")).map(name_of).collect())
            .collect()
    };
    let print = chosen("print.raw", "{seq_trace,0,{print,{0,1},<0.93.0>,[],hi}}.\n");
    assert_eq!(print, [["well_formed"]; 2]);
    let calls = ["well_formed", "every_call_ends", "boxes_alternate", "boxes_nest"];
    assert_eq!(chosen("queens.trace", &std::fs::read_to_string(data("queens.trace")).unwrap()), [calls; 2]);
    let names = chosen("run.jsonl", "{\"name\": \"start\"}\n{\"name\": \"stop\"}\n");
    assert_eq!(names, [["well_formed"]; 2]);
}
