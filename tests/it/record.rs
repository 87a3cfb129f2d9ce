//! `papaver record` and `papaver recorder`: programs of all kinds are recorded, and stay as they are.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{papaver, stdout};

/// Whether system calls can be recorded here; says so if not.
fn has_strace() -> bool {
    let works = Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success());
    if !works {
        println!("strace cannot be had here: not tested");
    }
    works
}

/// The exit status, and what papaver wrote to the two streams.
fn recorded(folder: &tempfile::TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = papaver().current_dir(folder.path()).arg("record").args(arguments).output().expect("papaver runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

#[test]
fn a_program_keeps_its_output_and_its_status() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    let (status, out, err) = recorded(&folder, &["sh", "-c", "echo hello; echo world >&2; exit 3"]);
    assert_eq!((status, out.as_str()), (Some(3), "hello\n"), "{err}");
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines[0], "world");
    assert!(lines[1].starts_with("recorded ") && lines[1].ends_with(", ended by exit 3"), "{err}");
    assert!(lines[2].starts_with("ask: papaver sh.strace.zst "), "{err}");
    let file = folder.path().join("sh.strace.zst");
    let mode = fs::metadata(&file).expect("the trace is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let found =
        stdout(papaver().args(["query", "event([name=write, port=exit, args=[_, T|_]])", "--count"]).arg(file), 0);
    assert_eq!(found, "2\n");
}

#[test]
fn a_name_is_never_taken_twice() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    for name in ["true.strace.zst", "true.2.strace.zst", "true.3.strace.zst"] {
        let (status, _, err) = recorded(&folder, &["true"]);
        assert_eq!(status, Some(0), "{err}");
        assert!(folder.path().join(name).is_file(), "{name}: {err}");
    }
    let (status, _, err) = recorded(&folder, &["-o", "true.strace.zst", "true"]);
    assert_eq!(status, Some(125));
    assert!(err.contains("exists already (--force replaces it)"), "{err}");
    let (status, _, err) = recorded(&folder, &["--force", "-o", "true.strace.zst", "true"]);
    assert_eq!(status, Some(0), "{err}");
}

#[test]
fn each_packing_can_be_read() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    for name in ["t.strace", "t.strace.gz", "t.strace.zst", "t.papaver"] {
        let (status, _, err) = recorded(&folder, &["-o", name, "--", "cat", "/dev/null"]);
        assert_eq!(status, Some(0), "{err}");
        let query = ["query", "event([name=execve, port=exit])", "--count"];
        let count = stdout(papaver().current_dir(folder.path()).args(query).arg(name), 0);
        assert_eq!(count, "1\n", "{name}");
    }
    let n_files = fs::read_dir(folder.path()).expect("it is there").count();
    assert_eq!(n_files, 4, "nothing else is left");
}

#[test]
fn what_cannot_be_run_is_said() {
    let folder = folder();
    let (status, _, err) = recorded(&folder, &["no-such-program"]);
    assert_eq!(
        (status, err.as_str()),
        (Some(127), "papaver record: error: cannot run `no-such-program`: no such program\n")
    );
    fs::write(folder.path().join("text"), "text").expect("it can be written");
    let (status, _, err) = recorded(&folder, &["./text"]);
    assert_eq!((status, err.as_str()), (Some(126), "papaver record: error: cannot run `./text`: permission denied\n"));
    let (status, _, err) = recorded(&folder, &["--depth", "3", "--with", "strace", "true"]);
    assert_eq!((status, err.as_str()), (Some(125), "papaver record: error: strace cannot do --depth\n"));
    assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 1, "no trace is left");
}

#[test]
fn a_recorder_is_printed() {
    let kinds = stdout(papaver().arg("recorder"), 0);
    assert!(kinds.contains("strace"), "{kinds}");
    for kind in kinds.lines().filter_map(|line| line.split_whitespace().next()) {
        let text = stdout(papaver().args(["recorder", kind]), 0);
        assert!(text.contains("PAPAVER_OUT"), "{kind} does not write where it is told to");
    }
}
