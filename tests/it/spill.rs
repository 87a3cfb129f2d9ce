//! A trace that needs more memory than there is goes on in temporary files: the answers are the same.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{file, papaver, stdout};

const N_CALLS: usize = 150_000;

/// Calls one after the other, each with arguments of its own.
fn text() -> String {
    let mut text = String::new();
    for call in 0..N_CALLS {
        let (first, second) = (2 * call + 1, 2 * call + 2);
        let (port, depth) = if call % 3 == 0 { ("fail", 1) } else { ("exit", 1) };
        writeln!(text, "{first}: {} [{depth}] call item({call}, -) []", call + 1).expect("a string can be written");
        writeln!(text, "{second}: {} [{depth}] {port} item({call}, [{call}]) []", call + 1).expect("as above");
    }
    text
}

/// Goals that need columns, arguments, and the index of calls.
const GOALS: &[&str] = &[
    "aggregate_all(count, event([port=exit]), N)",
    "aggregate_all(count, event([port=exit, args=[_, [777]]]), N)",
    "aggregate_all(sum(F - S), (event([port=fail, call=K, chrono=F]), call_start(K, S)), N)",
    "aggregate_all(count, (event([port=call, call=K]), \\+ event([call=K, port=exit])), N)",
    "tally(P-Q, event([proc=P, port=Q]), L)",
];

/// What the prompt answers, and whether parts of the process's memory are files without names.
fn answers(trace: &Path, options: &[&str]) -> (String, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_papaver"));
    // a folder on a disk, whatever `/tmp` is
    command.env("TMPDIR", env!("CARGO_TARGET_TMPDIR"));
    command.arg(trace).args(options).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it is built");
    let mut input = child.stdin.take().expect("it is piped");
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    for goal in GOALS {
        writeln!(input, "{goal}.").expect("it reads");
    }
    writeln!(input, "write(done), nl.").expect("it reads");
    let mut answers = String::new();
    while !answers.contains("done") {
        assert!(output.read_line(&mut answers).expect("it writes text") > 0, "{answers}");
    }
    let maps = fs::read_to_string(format!("/proc/{}/maps", child.id())).expect("it still runs");
    drop(input);
    output.read_to_string(&mut answers).expect("it writes text");
    assert!(child.wait().expect("it ends").success(), "{answers}");
    (answers, maps.lines().any(|map| map.contains(" rw-s ") && map.ends_with("(deleted)")))
}

#[test]
fn parts_beyond_the_memory_limit_are_in_files_and_answers_are_the_same() {
    let (folder, trace) = file("items.trace", &text());
    let saved = |name: &str, options: &[&str]| {
        let saved = folder.path().join(name);
        papaver().arg("convert").arg(&trace).args(["-o"]).arg(&saved).args(options).assert().success();
        saved
    };
    let limit = ["--memory-limit", "2M"];
    let (in_memory, in_files) = (saved("memory.papaver", &[]), saved("files.papaver", &limit));
    assert!(fs::read(&in_memory).expect("it was written") == fs::read(&in_files).expect("it was written"));
    for trace in [&trace, &in_memory] {
        let (expected, uses_files) = answers(trace, &[]);
        assert!(!uses_files && expected.contains(&format!("N = {}", N_CALLS - N_CALLS / 3)), "{expected}");
        let (found, uses_files) = answers(trace, &["--memory-limit", "12M"]);
        assert!(uses_files, "{}", trace.display());
        assert_eq!(found, expected);
    }
}

#[test]
fn without_a_disk_for_temporary_files_everything_stays_in_memory() {
    let (_folder, trace) = file("items.trace", &text());
    let count = |folder: &str| {
        let mut command = papaver();
        command.args(["query", GOALS[2], "--memory-limit", "12M"]).arg(&trace).env("TMPDIR", folder);
        stdout(&mut command, 0)
    };
    assert_eq!(count("/dev/shm"), count("/no/such/folder"));
}
