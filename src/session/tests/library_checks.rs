//! The assertions of the library, on sound traces, on broken ones, and on parts that lack most attributes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::formats::{LoadOptions, load_bytes};
use crate::session::{Check, Options, Session, Verdict};

/// The sample traces in a folder of `tests/data`.
fn samples(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new("tests/data").join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

/// The names of the library's assertions that are checked on a trace given as bytes, with their outcomes.
fn verdicts(session: &mut Session, path: &Path, bytes: &[u8]) -> Vec<(String, Verdict, String)> {
    let trace = load_bytes(path, bytes.to_vec(), &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    session.open(Arc::new(trace));
    let checks = session.library_checks();
    let put = |check: &Check| {
        let outcome = session.check(check);
        (check.name.clone(), outcome.verdict, outcome.message)
    };
    checks.iter().map(put).collect()
}

#[test]
fn no_piece_of_a_trace_makes_a_check_an_error() {
    let mut session = Session::new(Options::default());
    let folders = ["", "lttng", "mdb", "mpd", "posix", "seq_trace", "strace", "visandor"];
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

/// The samples with defects of the program or the recording, with the assertions that report them.
const VIOLATED: &[(&str, &[&str])] = &[
    ("strace/filtered.txt", &["no_kill"]),
    ("strace/split_ff.28963", &["no_bad_close", "reads_what_it_opens"]),
    ("strace/split_ff.28966", &["files_closed"]),
    ("strace/split_ff.28967", &["reads_what_it_opens"]),
    ("strace/stack_k.txt.gz", &["reads_what_it_opens"]),
    ("lttng/shop.txt", &["every_span_ends"]),
    ("lttng/shop_names_all.txt", &["every_span_ends"]),
    ("mpd/philos_deadlock.trc", &["every_process_ends", "no_deadlock", "every_semaphore_released"]),
    ("seq_trace/lossy.raw", &["every_message_received"]),
    ("seq_trace/two_nodes_plain_a.raw", &["every_message_received", "every_receive_sent"]),
    ("seq_trace/two_nodes_plain_b.raw", &["every_message_received", "every_receive_sent"]),
    ("seq_trace/two_nodes_timestamp_a.raw", &["every_message_received", "every_receive_sent"]),
    ("seq_trace/two_nodes_timestamp_b.raw", &["every_message_received", "every_receive_sent"]),
    ("posix/loop.jsonl", &["nothing_lost"]),
    ("posix/untilfull.jsonl", &["nothing_lost"]),
    ("posix/trunc.jsonl", &["nothing_truncated"]),
];

/// The assertions of the library that do not hold for a trace.
fn violated(session: &mut Session, path: &Path, bytes: &[u8]) -> Vec<String> {
    let verdicts = verdicts(session, path, bytes).into_iter();
    verdicts.filter(|(_, verdict, _)| *verdict != Verdict::Holds).map(|(name, ..)| name).collect()
}

#[test]
fn every_sound_sample_is_green_and_every_bad_one_is_not() {
    let mut session = Session::new(Options::default());
    for folder in ["lttng", "mpd", "posix", "seq_trace", "strace", "visandor"] {
        for path in samples(folder) {
            let name = format!("{folder}/{}", path.file_name().unwrap().display());
            let expected = VIOLATED.iter().find(|(violated, _)| *violated == name).map_or(&[][..], |(_, names)| names);
            assert_eq!(violated(&mut session, &path, &std::fs::read(&path).unwrap()), expected, "{name}");
        }
        for path in samples(&format!("{folder}/bad")) {
            let found = violated(&mut session, &path, &std::fs::read(&path).unwrap());
            assert!(found.iter().any(|name| name == "well_formed"), "{}: {found:?}", path.display());
        }
    }
    for name in ["queens.trace", "queens.jsonl", "qsort.trace", "qsort.jsonl"] {
        let path = Path::new("tests/data").join(name);
        assert_eq!(violated(&mut session, &path, &std::fs::read(&path).unwrap()), [""; 0], "{name}");
    }
}

/// The samples in the manuals of mpdtrace, where the arbitrator waits at its input statement at the end, and of
/// VisAndOr, a fragment; those of seq_trace and of Morphine are among the files.
#[test]
fn the_samples_in_the_manuals_are_green() {
    const MPD: &str = "15 main.body BODY 1730b8 0\n16 main.body CREATEG 1730b8 0\n1 CS.body BODY 173168 0\n5 CS.body SEND 173168 0\n\
        1 CS.body ENDBODY 173168 0\n5 CS.arbitrator PROC 1731c0 173168\n20 main.body SEND 1730b8 0\n15 main.body ENDBODY 1730b8 0\n\
        7 CS.arbitrator IN 1731c0 0\n20 main.user PROC 173168 1730b8\n22 main.user CALL 173168 0\n8 CS.arbitrator ARM 1731c0 173168\n\
        7 CS.arbitrator NI 1731c0 173168\n10 CS.arbitrator IN 1731c0 0\n24 main.user SEND 173168 0\n10 CS.arbitrator ARM 1731c0 173168\n\
        10 CS.arbitrator NI 1731c0 173168\n7 CS.arbitrator IN 1731c0 0\n20 main.user ENDPROC 173168 1730b8\n";
    const VISANDOR: &str = "1 > OR parallelism\n1236420313 5 0 0 1 1\n1236422609 20 0 1 1 1\n1236424094 21 0 0 1 1\n\
        1236425973 33 0 0 2 2\n1236427516 33 0 0 3 3\n...\n";
    let mut session = Session::new(Options::default());
    let mpd: String = MPD.lines().map(|line| format!("CS.mpd, {line}\n")).collect();
    assert_eq!(violated(&mut session, Path::new("manual.trc"), mpd.as_bytes()), [""; 0]);
    assert_eq!(violated(&mut session, Path::new("manual.ev"), VISANDOR.as_bytes()), [""; 0]);
}
