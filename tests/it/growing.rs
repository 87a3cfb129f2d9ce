//! Traces that grow while they are asked: `papaver query --follow`, and `reload` at the prompt.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::support::{data, file, papaver, program, stderr, stdout};

/// A running command, and its lines as they arrive.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    fn start(words: &[&str]) -> Running {
        let mut command = program();
        let mut child = command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Running { child, lines }
    }

    fn write(&mut self, text: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// The next line, which must arrive soon.
    fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(30)).expect("a line is due")
    }

    fn is_silent(&self) -> bool {
        self.lines.recv_timeout(Duration::from_millis(700)).is_err()
    }

    /// Ends the input; returns the remaining lines and the status.
    fn end(mut self) -> (Vec<String>, Option<i32>) {
        drop(self.child.stdin.take());
        let status = self.child.wait().unwrap().code();
        (self.lines.iter().collect(), status)
    }
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// The lines of a trace of 60 events: five calls fail in it.
fn lines() -> Vec<String> {
    let text = std::fs::read_to_string(data("queens.trace")).unwrap();
    text.lines().take(60).map(|line| format!("{line}\n")).collect()
}

#[test]
fn answers_come_with_the_events_of_a_pipe() {
    let lines = lines();
    let mut running = Running::start(&["query", "--follow", "event([port=fail, call=C]), parent(C, P)", "-"]);
    running.write(&lines[..42].concat());
    assert!(running.is_silent(), "event 43 is the first failure");
    running.write(&lines[42]);
    assert_eq!(running.line(), "C = 16, P = 15");
    // half a line is no event yet
    running.write(&lines[43][..20]);
    assert!(running.is_silent());
    running.write(&lines[43][20..]);
    assert_eq!(running.line(), "C = 15, P = 3");
    running.write(&lines[44..].concat());
    let (rest, status) = running.end();
    assert_eq!(rest, ["C = 14, P = 12", "C = 17, P = 13", "C = 13, P = 12", "C = 12, P = 10"]);
    assert_eq!(status, Some(0));
}

#[test]
fn a_file_is_followed_until_nothing_comes_any_more() {
    let lines = lines();
    let (_folder, path) = file("grows.trace", &lines[..43].concat());
    let mut running =
        Running::start(&["query", "--follow", "--until-idle", "3s", "fget([port=fail])", path.to_str().unwrap()]);
    assert!(running.line().starts_with(" 43:    16 [4] fail nodiag("));
    append(&path, &lines[43]);
    assert!(running.line().starts_with(" 44:   15 [3] fail safe("));
    assert!(running.child.try_wait().unwrap().is_none());
    let (rest, status) = running.end();
    assert_eq!((rest.len(), status), (0, Some(0)));
}

#[test]
fn enough_answers_end_it_also_while_the_trace_grows() {
    let mut running =
        Running::start(&["query", "--follow", "--to", "json", "-n", "1", "event([port=fail, call=C])", "-"]);
    running.write(&lines().concat());
    assert_eq!(running.line(), r#"{"bindings": {"C": 16}}"#);
    assert_eq!(running.child.wait().unwrap().code(), Some(0));
}

#[test]
fn an_attribute_may_come_late() {
    let mut running = Running::start(&["query", "--follow", "event([port=done, ret=R])", "-"]);
    running.write("{\"port\": \"start\", \"name\": \"a\"}\n");
    assert!(running.is_silent());
    running.write("{\"port\": \"done\", \"name\": \"a\", \"ret\": 7}\n");
    assert_eq!(running.line(), "R = 7");
    assert_eq!(running.end().1, Some(0));
    let mut command = papaver();
    command.args(["query", "--follow", "event([rett=R])", "-"]).write_stdin("{\"port\": \"start\", \"ret\": 1}\n");
    assert!(stderr(&mut command, 2).contains("unknown attribute `rett` (did you mean `ret`?)"));
}

#[test]
fn a_table_shows_what_has_come() {
    let mut running =
        Running::start(&["query", "--follow", "--to", "table", "event([port=fail, call=C, name=N])", "-"]);
    running.write(&lines()[..43].concat());
    assert_eq!((running.line(), running.line()), (" C  N".to_string(), "16  nodiag".to_string()));
    assert_eq!(running.end().1, Some(0));
}

#[test]
fn what_cannot_be_followed_is_an_error() {
    let queens = data("queens.trace");
    for goal in ["X = 1", "bget([port=fail])", "det_fget([port=fail])", "findall(C, event([call=C]), L)"] {
        let message = stderr(papaver().args(["query", "--follow", goal, &queens]), 2);
        assert!(message.contains("expected a goal that begins with `event(..)` or `fget(..)`"), "{goal}: {message}");
    }
    let message = stderr(papaver().args(["query", "--follow", "event([])", &queens, &queens]), 2);
    assert!(message.contains("expected one trace"), "{message}");
    // no answer
    stdout(papaver().args(["query", "--follow", "--until-idle", "1s", "event([depth > 99])", &queens]), 1);
}

#[test]
fn reload_takes_the_new_events_in_and_keeps_the_cursor() {
    let lines = lines();
    let (_folder, path) = file("grows.trace", &lines[..50].concat());
    let mut running = Running::start(&[path.to_str().unwrap()]);
    running.write("det_fget_np([chrono=43]).\n");
    assert_eq!(running.line(), "true.");
    running.write("aggregate_all(count, event([]), N).\n");
    assert_eq!(running.line(), "N = 50.");
    append(&path, &lines[50..].concat());
    running.write("reload.\n");
    assert_eq!(running.line(), format!("{}: 60 events, 50 before", path.display()));
    running.write("current([chrono=Here]), aggregate_all(count, event([]), N).\n");
    assert_eq!((running.line(), running.line()), ("Here = 43,".to_string(), "N = 60.".to_string()));
    assert_eq!(running.end().1, Some(0));
}

#[test]
fn reload_derives_again_and_keeps_the_cursor_on_the_derived_trace() {
    let lines = lines();
    let (_folder, path) = file("grows.trace", &lines[..50].concat());
    let rule = ":- derived_trace(calls, [port=call, name=N, origin=O], event([port=call, name=N, chrono=O])).\n";
    let (_rules, script) = file("rules.pl", rule);
    let calls = |lines: &[String]| lines.iter().filter(|line| line.contains("] call ")).count();
    let (before, after) = (calls(&lines[..50]), calls(&lines));
    let mut running = Running::start(&["-l", script.to_str().unwrap(), "--on", "calls", path.to_str().unwrap()]);
    running.write("det_fget_np([chrono=3]).\n");
    assert_eq!(running.line(), "true.");
    append(&path, &lines[50..].concat());
    running.write("reload.\n");
    assert_eq!(running.line(), format!("{}: {after} events, {before} before", path.display()));
    running.write("current([chrono=Here]), aggregate_all(count, event([]), N).\n");
    assert_eq!((running.line(), running.line()), ("Here = 3,".to_string(), format!("N = {after}.")));
    assert_eq!(running.end().1, Some(0));
}

#[cfg(unix)]
#[test]
fn the_prompt_says_that_a_file_has_grown() {
    let lines = lines();
    let (_folder, path) = file("grows.trace", &lines[..50].concat());
    let home = tempfile::tempdir().unwrap();
    let mut command = program();
    command.arg(&path).arg("--color=never").env("TERM", "xterm").env("HOME", home.path());
    command.env("XDG_STATE_HOME", home.path()).env("XDG_CONFIG_HOME", home.path());
    let mut pty = rexpect::session::spawn_command(command, Some(30_000)).unwrap();
    pty.exp_string("?- ").unwrap();
    append(&path, &lines[50]);
    pty.send("X = 1.\r").unwrap();
    pty.flush().unwrap();
    pty.exp_string("X = 1.").unwrap();
    pty.exp_string(&format!("has grown by {} bytes: `reload.` takes them in", lines[50].len())).unwrap();
    pty.send("reload.\r").unwrap();
    pty.flush().unwrap();
    pty.exp_string("51 events, 50 before").unwrap();
}
