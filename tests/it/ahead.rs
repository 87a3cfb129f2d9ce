//! Goals over many traces: what is told does not depend on the thread that solved them.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{data, program};

/// The option that lets every goal be solved when the turn of its trace comes: a question of the debugger would be seen.
const IN_TURN: [&str; 2] = ["--answers", "answers.txt"];

/// Rules for the goals below.
const RULES: &str = "
named(N, D) :- event([port=exit, name=N, depth=D]), D > 2.
counted(N) :- assertz(seen(1)), findall(X, seen(X), Xs), length(Xs, N).
asked(X) :- catch(read(X), _, X = caught).
elsewhere(N) :- catch(in_trace(1, aggregate_all(count, event([port=exit]), N)), _, N = caught).
";

/// Options and goals.
const GOALS: &[(&[&str], &str)] = &[
    (&[], "event([port=exit, name=N, depth=D])"),
    (&[], "fget([port=exit, depth > 3])"),
    (&["-n", "2", "--show", "line_number"], "fget([port=exit])"),
    (&["--first"], "bget([port=exit])"),
    (&["-C", "1", "-n", "2"], "event([port=exit])"),
    (&["--to", "json"], "fget([port=exit, name=N]), fget_np([port=call])"),
    (&["--to", "csv"], "event([port=exit, name=N, arity=A])"),
    (&["--to", "table"], "named(N, D)"),
    (&["--to", "none"], "forall(event([port=exit, name=N]), (write(N), nl))"),
    (&["--count"], "event([port=exit])"),
    (&["--count"], "event([port=no_such_port])"),
    (&["--total", "--count"], "event([port=exit])"),
    (&["--total"], "tally(P, event([port=P]), Ps), member(P-N, Ps)"),
    (&[], "write(abc), event([depth=D]), D > 4"),
    (&[], "event([port=exit, name=N]), write(N), N == data"),
    (&[], "event([depth > 90])"),
    (&[], "event([name=queen, chrono=C])"),
    (&["--to", "csv"], "event([name > 3])"),
    (&[], "counted(N)"),
    (&[], "event([chrono=C]), X is foo + C"),
    (&[], "event([chrono=C, name=N]), ( C > 20, N == queen -> X is foo + C ; true )"),
    (&[], "event([name=queen, chrono=C]), halt(3)"),
    (&[], "no_such_predicate(X)"),
    (&[], "asked(X)"),
    (&[], "elsewhere(N)"),
    (&[], "between(1, 20000, X)"),
    (&["--to", "json"], "length(L, N), N > 3000, !"),
    (&["--executor", "machine"], "named(N, D)"),
    (&["--memory-limit", "20M", "--to", "none"], "numlist(1, 3000000, L), length(L, _)"),
    (&["--on", "no_such_trace"], "event([port=exit])"),
    (&["--to", "json"], "fget(port = exit"),
];

/// What papaver writes, with messages where they come, and how it ends.
fn told(options: &[&str], more: &[&str], goal: &str, rules: &str, traces: &[String]) -> (String, Option<i32>) {
    let mut command = Command::new("sh");
    command.args(["-c", "exec 2>&1; printf 'a.\\nb.\\nc.\\n' | \"$@\"", "sh", env!("CARGO_BIN_EXE_papaver")]);
    command.args(["query", "-l", rules]).args(options).args(more).arg(goal).args(traces);
    let folder = PathBuf::from(rules);
    let output = command.current_dir(folder.parent().expect("it is in a folder")).output().expect("sh runs");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

#[test]
fn what_is_told_does_not_depend_on_who_solves_the_goal() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let rules = folder.path().join("rules.pl").display().to_string();
    fs::write(&rules, RULES).expect("a file can be written");
    let broken = folder.path().join("broken.trace").display().to_string();
    fs::write(&broken, [0x1F, 0x8B, 8, 0]).expect("a file can be written");
    let [queens, qsort, bank] = ["qsort.jsonl", "queens.trace", "../../examples/erlang/bank.jsonl"].map(data);
    let traces = [&queens, &qsort, &bank, &queens, &broken, &qsort, &queens, &bank].map(String::clone);
    for (options, goal) in GOALS {
        let found = told(options, &[], goal, &rules, &traces);
        let expected = told(options, &IN_TURN, goal, &rules, &traces);
        assert_eq!(found, expected, "{goal} {options:?}");
        assert!(!expected.0.is_empty(), "{goal}");
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_goal_that_is_solved_ahead() {
    let traces = ["queens.trace", "qsort.trace", "queens.trace"].map(data);
    let mut command = program();
    command.args(["query", "( event([name=queen, port=exit]) -> true ; repeat, fail )"]).args(&traces);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("papaver can be started");
    std::thread::sleep(Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let until = Instant::now() + Duration::from_secs(10);
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break status.code();
        }
        if Instant::now() > until {
            let _ = child.kill();
            panic!("it goes on");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status, Some(130));
}
