//! `SIGTERM` and `SIGHUP` end the program within a second, whatever it is doing.

#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{data, file, program};

/// How long a test waits for the end, which takes a second at most on an idle machine.
const PATIENCE: Duration = Duration::from_secs(2);
/// The number of attempts, since other tests run at the same time.
const ATTEMPTS: usize = 3;
/// The time until the program is busy with its work.
const START: Duration = Duration::from_millis(1500);
/// Programs that run at the same time.
const AT_ONCE: usize = 4;

const SCRIPT: &str = "
big(0, 3) :- !.
big(N, X * X) :- M is N - 1, big(M, X).

% Leaves garbage behind while L lives on.
spin(L, N) :- copy_term(f(N, N), _), M is N + 1, spin(L, M).
";

/// Long work for the program: a description, and the arguments.
type Work<'a> = (&'static str, Vec<&'a str>);

/// Starts the program with pipes as its standard streams, which nobody writes to or reads from.
fn start(args: &[&str]) -> Child {
    let mut command = program();
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().expect("papaver can be started")
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "no process for {signal}");
}

/// Whether the program ends soon; if not, it is killed.
fn ends(child: &mut Child) -> bool {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if child.try_wait().expect("a child can be waited for").is_some() {
            return true;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

/// The works that a signal does not end soon.
fn unended<'w, 'a>(works: &[&'w Work<'a>], signal: &str) -> Vec<&'w Work<'a>> {
    let mut children: Vec<Child> = works.iter().map(|(_, args)| start(args)).collect();
    thread::sleep(START);
    children.iter().for_each(|child| send(signal, child));
    let ended: Vec<bool> = children.iter_mut().map(ends).collect();
    works.iter().zip(ended).filter(|(_, has_ended)| !has_ended).map(|(work, _)| *work).collect()
}

#[test]
fn sigterm_and_sighup_end_whatever_is_going_on() {
    let trace = data("queens.trace");
    let (_folder, script) = file("work.pl", SCRIPT);
    let script = script.to_str().expect("temporary files have plain names");
    let goal = |goal: &'static str| vec!["query", goal, &trace, "-l", script];
    let works: [Work<'_>; 12] = [
        ("loading a trace from a pipe", vec!["info", "-"]),
        ("a goal without end", goal("repeat, fail")),
        ("writing to a pipe that nobody reads", goal("between(1, inf, X)")),
        ("a giant integer", goal("big(27, E), repeat, _ is E, fail")),
        ("waiting for goals", vec![&trace]),
        ("following a trace", vec!["check", "--follow", &trace, "-"]),
        ("sorting", goal("numlist(1, 1000000, L), repeat, sort(0, @>=, L, _), fail")),
        ("unifying", goal("numlist(1, 1000000, L), numlist(1, 1000000, M), repeat, L \\= M")),
        ("writing into a text", goal("numlist(1, 1000000, L), repeat, format(atom(_), \"~p\", [L]), fail")),
        ("reading digits", goal("length(L, 1000000), maplist(=(0'7), L), repeat, number_codes(_, L), fail")),
        ("collecting garbage", goal("numlist(1, 1000000, L), spin(L, 1)")),
        ("making atoms", goal("between(1, inf, N), atom_concat(atom_, N, _), fail")),
    ];
    for signal in ["-TERM", "-HUP"] {
        for works in works.chunks(AT_ONCE) {
            let all = works.iter().collect();
            let left = (0..ATTEMPTS).fold(all, |left: Vec<&Work<'_>>, _| match left.as_slice() {
                [] => left,
                _ => unended(&left, signal),
            });
            let left: Vec<&str> = left.iter().map(|(what, _)| *what).collect();
            assert!(left.is_empty(), "{signal} does not end {left:?}");
        }
    }
}
