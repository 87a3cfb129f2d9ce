//! `papaver record` and `papaver recorder`: programs of all kinds are recorded, and stay as they are.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::record_commands::asked;
use crate::support::{papaver, program, stdout};

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
    assert!(lines[lines.len() - 1].starts_with("ask: papaver sh.strace.zst "), "{err}");
    let file = folder.path().join("sh.strace.zst");
    let mode = fs::metadata(&file).expect("the trace is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let found =
        stdout(papaver().args(["query", "event([name=write, port=exit, args=[_, T|_]])", "--count"]).arg(file), 0);
    assert_eq!(found, "2\n");
}

/// There may be no call in a trace of system calls.
#[test]
fn the_question_at_the_end_has_an_answer() {
    if !has_strace() {
        return;
    }
    for only in [&["--only", "connect"][..], &[]] {
        let folder = folder();
        let (_, _, err) = recorded(&folder, &[only, &["-o", "t.strace", "timeout", "9", "true"]].concat());
        assert!(!asked(folder.path(), err.as_bytes()).is_empty(), "{err}");
    }
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

/// A shell script that starts a program many times.
const LOOP: &str = "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done; exit 4";

#[test]
fn a_recording_ends_at_the_most_events_and_the_program_goes_on() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    let (status, _, err) = recorded(&folder, &["--max-events", "20", "-o", "t.strace", "sh", "-c", LOOP]);
    assert_eq!(status, Some(4), "{err}");
    assert!(err.contains("stopped recording at --max-events; the program went on"), "{err}");
    assert!(!err.contains("strace:"), "{err}");
    let text = fs::read_to_string(folder.path().join("t.strace")).expect("the trace is there");
    assert_eq!(text.lines().count(), 22, "a header, 20 lines, a trailer");
    let last = text.lines().last().unwrap_or_default();
    assert!(last.contains(r#""end":"limit","status":4,"left_out":{"max_events":true"#), "{last}");
}

/// Its child makes calls while it waits in `vfork` until the child ends.
const VFORK: &str = "#include <unistd.h>
#include <sys/wait.h>
int main(void) {
    int status;
    if (vfork() == 0) { for (int i = 0; i < 400; i++) { usleep(1000); getppid(); } _exit(4); }
    wait(&status);
    return WEXITSTATUS(status);
}
";

#[test]
fn a_program_that_waits_in_vfork_goes_on_without_the_tracer() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    fs::write(folder.path().join("vfork.c"), VFORK).expect("it is written");
    let compiled = Command::new("cc").current_dir(folder.path()).args(["-o", "vfork", "vfork.c"]).status();
    assert!(compiled.expect("the linker of Rust compiles C").success());
    let (status, _, err) = recorded(&folder, &["--max-events", "60", "-o", "t.strace", "./vfork"]);
    assert_eq!(status, Some(4), "{err}");
    assert!(err.contains("stopped recording at --max-events; the program went on"), "{err}");
}

#[test]
fn the_last_events_stay_behind_a_gap() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    let (status, _, err) = recorded(&folder, &["--last", "10", "-o", "t.strace", "sh", "-c", LOOP]);
    assert_eq!(status, Some(4), "{err}");
    let text = fs::read_to_string(folder.path().join("t.strace")).expect("the trace is there");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 13, "a header, a gap, 10 lines, a trailer");
    assert!(lines[1].starts_with(r#"{"papaver":1,"port":"gap","lost":"#), "{}", lines[1]);
    assert!(lines[11].ends_with("+++ exited with 4 +++"), "{}", lines[11]);
}

#[test]
fn every_process_of_a_program_is_recorded() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    let (status, _, err) = recorded(&folder, &["-o", "t.strace.zst", "sh", "-c", LOOP]);
    assert_eq!(status, Some(4), "{err}");
    let ask =
        |goal: &str| stdout(papaver().current_dir(folder.path()).args(["query", goal, "t.strace.zst", "--count"]), 0);
    assert_eq!(ask("event([port=exited])"), "201\n");
    assert_eq!(ask("every_call_ends, boxes_alternate, well_formed"), "1\n");
}

#[test]
fn a_process_that_is_left_behind_is_not_waited_for() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    let begun = std::time::Instant::now();
    let (status, out, err) = recorded(&folder, &["-o", "t.strace", "sh", "-c", "sleep 20 >&- 2>&- <&- & echo $!"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(begun.elapsed().as_secs() < 15, "{err}");
    let is_running = Command::new("kill").arg(out.trim()).status().is_ok_and(|status| status.success());
    assert!(is_running, "it goes on without its tracer");
    let text = fs::read_to_string(folder.path().join("t.strace")).expect("the trace is there");
    assert!(text.lines().last().is_some_and(|last| last.contains(r#""end":"stopped""#)), "{text}");
}

#[test]
fn a_signal_that_kills_the_program_gives_the_status_of_a_shell() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    let (status, _, err) = recorded(&folder, &["-o", "t.strace", "sh", "-c", "kill -9 $$"]);
    assert_eq!(status, Some(137), "{err}");
    assert!(err.contains(", ended by SIGKILL"), "{err}");
}

#[test]
fn a_signal_to_papaver_is_handed_on() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    let script = "trap 'echo told; exit 7' TERM; kill -TERM $PPID; sleep 3 & wait; echo late";
    let (status, out, err) = recorded(&folder, &["-o", "t.strace", "sh", "-c", script]);
    assert_eq!((status, out.as_str()), (Some(7), "told\n"), "{err}");
}

#[test]
fn a_full_disk_ends_the_recording_and_not_the_program() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    let (status, out, err) = recorded(&folder, &["--force", "-o", "/dev/full", "sh", "-c", "echo hello; exit 5"]);
    assert_eq!((status, out.as_str()), (Some(5), "hello\n"), "{err}");
    assert!(err.contains("`/dev/full` breaks off: No space left on device"), "{err}");
    assert!(!err.contains("ask:"), "{err}");
}

#[test]
fn the_recording_of_a_papaver_that_was_killed_can_be_read() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    let script = "sleep 1.5; ls /; kill -KILL $PPID; exit 0";
    let output = papaver()
        .current_dir(folder.path())
        .args(["record", "-o", "t.strace.zst", "sh", "-c", script])
        .output()
        .expect("papaver runs");
    assert_eq!(output.status.code(), None, "it was killed");
    let info = stdout(papaver().arg("info").arg(folder.path().join("t.strace.zst")), 0);
    assert!(info.contains("execve") && info.contains("there is no trailer"), "{info}");
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
    let (status, _, err) = recorded(&folder, &["--depth", "3", "--with", "seqtrace", "true"]);
    assert_eq!((status, err.as_str()), (Some(125), "papaver record: error: seqtrace cannot do --depth\n"));
    let (status, _, err) = recorded(&folder, &["--depth", "3", "--skip", "clone3", "--with", "strace", "true"]);
    assert_eq!(status, Some(125));
    assert!(err.contains("with --depth, strace cannot leave out the calls that make processes"), "{err}");
    let (status, _, err) = recorded(&folder, &["--lines", "--with", "strace", "true"]);
    assert_eq!((status, err.as_str()), (Some(125), "papaver record: error: strace cannot do --lines\n"));
    assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 1, "no trace is left");
}

#[test]
fn without_strace_a_program_is_not_run_unrecorded() {
    let folder = folder();
    std::os::unix::fs::symlink("/bin/sh", folder.path().join("shell")).expect("a link can be made");
    let command = ["record", "shell", "-c", "echo ran"];
    let output = papaver().current_dir(folder.path()).env("PATH", folder.path()).args(command).output();
    let output = output.expect("papaver runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(125), &b""[..]), "{err}");
    assert!(err.contains("needs `strace`, which is not installed"), "{err}");
}

#[test]
fn where_nothing_may_be_traced_a_program_is_not_run_unrecorded() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    let mut command = Command::new("strace");
    command.args(["-f", "-o", "/dev/null", env!("CARGO_BIN_EXE_papaver"), "record", "--", "echo", "ran"]);
    let output = command.current_dir(folder.path()).output().expect("strace runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(125), &b""[..]), "{err}");
    assert!(err.contains("strace cannot trace here: "), "{err}");
    assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 0, "no trace is left");
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

/// On a terminal, Ctrl-C goes to the program, and the prompt opens on what it did; the exit status stays its own.
#[test]
fn ctrl_c_is_for_the_program_and_the_prompt_opens_afterwards() {
    if !has_strace() {
        return;
    }
    let folder = folder();
    let mut command = program();
    let script = "trap 'echo caught; exit 9' INT; echo ready; sleep 20 & wait";
    command.args(["record", "sh", "-c", script]).current_dir(folder.path()).env("TERM", "xterm");
    command.env("HOME", folder.path()).env("XDG_STATE_HOME", folder.path()).env("XDG_CONFIG_HOME", folder.path());
    let mut pty = rexpect::session::spawn_command(command, Some(30_000)).expect("papaver starts");
    let sees = |pty: &mut rexpect::session::PtySession, text: &str| {
        pty.exp_string(text).unwrap_or_else(|error| panic!("expected {text:?}: {error}"));
    };
    sees(&mut pty, "ready");
    pty.send_control('c').expect("the terminal takes it");
    sees(&mut pty, "caught");
    sees(&mut pty, "ended by exit 9");
    sees(&mut pty, "?- ");
    pty.send("event([port=signal, name=S]).\r").and_then(|_| pty.flush()).expect("the terminal takes it");
    sees(&mut pty, "'SIGINT'");
    pty.send("\r\u{4}").and_then(|_| pty.flush()).expect("the terminal takes it");
    pty.exp_eof().expect("papaver ends");
    let status = pty.process().wait().expect("papaver has ended");
    assert!(matches!(status, rexpect::process::WaitStatus::Exited(_, 9)), "{status:?}");
}
