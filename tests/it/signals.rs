//! `SIGTERM` and `SIGHUP` end the program within a second, whatever it does.

#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{data, file};

/// What the program is at when the signal comes.
struct Busy {
    /// What it does, in words.
    what: &'static str,
    child: Child,
}

/// Starts the program, whose standard streams are pipes that nobody writes to or reads from.
fn start(what: &'static str, args: &[&str]) -> Busy {
    let mut command = Command::new(env!("CARGO_BIN_EXE_papaver"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    Busy { what, child: command.spawn().expect("papaver can be started") }
}

impl Busy {
    fn send(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "{}: no process for {signal}", self.what);
    }

    /// Waits until the program has ended, which must be soon.
    fn assert_ended(mut self, signal: &str) {
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until {
            if self.child.try_wait().expect("a child can be waited for").is_some() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        panic!("{}: {signal} does not end it", self.what);
    }
}

#[test]
fn sigterm_and_sighup_end_whatever_is_going_on() {
    let trace = data("queens.trace");
    let (_folder, giant) = file("giant.pl", "big(0, 3) :- !.\nbig(N, X * X) :- M is N - 1, big(M, X).\n");
    let giant = giant.to_str().expect("temporary files have plain names");
    for signal in ["-TERM", "-HUP"] {
        let busy = [
            start("loading a trace from a pipe", &["info", "-"]),
            start("a goal without end", &["query", "repeat, fail", &trace]),
            start("writing to a pipe that nobody reads", &["query", "between(1, inf, X)", &trace]),
            start("a giant integer", &["query", "big(27, E), repeat, _ is E, fail", &trace, "-l", giant]),
            start("waiting for goals", &[&trace]),
            start("following a trace", &["check", "--follow", &trace, "-"]),
        ];
        thread::sleep(Duration::from_millis(1500));
        busy.iter().for_each(|busy| busy.send(signal));
        busy.into_iter().for_each(|busy| busy.assert_ended(signal));
    }
}
