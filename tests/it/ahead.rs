//! Goals over many traces: what is told does not depend on the thread that solved them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::{data, program};

/// The option that lets every goal be solved when the turn of its trace comes: a question of the debugger would be seen.
const IN_TURN: [&str; 2] = ["--answers", "answers.txt"];

/// Rules for most of the goals below, which only ask the trace.
const ASKING: &str = "named(N, D) :- event([port=exit, name=N, depth=D]), D > 2.\n";

/// Rules for the others.
const RULES: &str = "
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
    (&["-l", "hello.pl"], "named(N, D)"),
    (&[], "named(N, D), fget_np([name=N, port=call, chrono=C])"),
    (&["--total"], "tally(N, named(N, _), Ns), member(N-M, Ns)"),
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
    (&[], "event([chrono=1, name=N]), catch(format(user_error, '~w~n', [N]), _, true)"),
    (&[], "between(1, 20000, X)"),
    (&["--to", "json"], "length(L, N), N > 3000, !"),
    (&["--executor", "machine"], "named(N, D)"),
    (&["--memory-limit", "20M", "--to", "none"], "numlist(1, 3000000, L), length(L, _)"),
    (&["--on", "no_such_trace"], "event([port=exit])"),
    (&["--to", "json"], "fget(port = exit"),
];

/// What papaver writes, with messages where they come, and how it ends.
fn told(arguments: &[&[&str]], folder: &Path, traces: &[String]) -> (String, Option<i32>) {
    let mut command = Command::new("sh");
    command.args(["-c", "exec 2>&1; printf 'a.\\nb.\\nc.\\n' | \"$@\"", "sh", env!("CARGO_BIN_EXE_papaver")]);
    command.args(arguments.concat()).args(traces);
    let output = command.current_dir(folder).output().expect("sh runs");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

/// A folder with a broken trace, and the paths of that and of others.
fn traces() -> (TempDir, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let broken = folder.path().join("broken.trace").display().to_string();
    fs::write(&broken, [0x1F, 0x8B, 8, 0]).expect("a file can be written");
    let [qsort, queens, bank] = ["qsort.jsonl", "queens.trace", "../../examples/erlang/bank.jsonl"].map(data);
    let traces = [&qsort, &queens, &bank, &qsort, &broken, &queens, &qsort, &bank].map(String::clone);
    (folder, traces.to_vec())
}

#[test]
fn what_is_told_does_not_depend_on_who_solves_the_goal() {
    let (folder, traces) = traces();
    for (name, text) in [("rules.pl", RULES), ("asking.pl", ASKING), ("hello.pl", ":- write(hello), nl.\n")] {
        fs::write(folder.path().join(name), text).expect("a file can be written");
    }
    for (options, goal) in GOALS {
        let asks = !["counted", "asked", "elsewhere"].iter().any(|name| goal.starts_with(name));
        let query = ["query", "-l", if asks { "asking.pl" } else { "rules.pl" }];
        let found = told(&[&query, options, &[goal]], folder.path(), &traces);
        let expected = told(&[&query, options, &IN_TURN, &[goal]], folder.path(), &traces);
        assert_eq!(found, expected, "{goal} {options:?}");
        assert!(!expected.0.is_empty(), "{goal}");
    }
}

/// Scripts of checks.
const SCRIPTS: &[(&str, &str)] = &[
    (
        "sound.pl",
        "check(deep) :- never([depth > 6]).\ncheck(ends) :- forall(event([port=call, call=C]), ended(C)).\n\
         check(some) :- event([port=exit, name=N]), N \\== data.\ncheck(none) :- forall(event([name=no_such_name]), fail).\n\
         ended(C) :- event([call=C, port=[exit, fail]]).\n",
    ),
    ("more.pl", "check(again) :- ended(1).\nended(_).\ncheck(all) :- always([depth < 9]).\n"),
    ("writes.pl", "check(w) :- event([chrono=1, name=N]), format(user_error, \"~w~n\", [N]), write(N), nl.\n"),
    ("state.pl", ":- dynamic seen/1.\ncheck(s) :- assertz(seen(1)), findall(X, seen(X), [_]).\n"),
    (
        "moves.pl",
        "check(m) :- fget([port=exit]), current(name=N), N \\== main, maplist(ended, [1]).\nended(C) :- event([call=C]).\n\
         check(c) :- aggregate_all(count, event([port=call]), N), N > 3, every_call_ends.\n",
    ),
    (
        "globals.pl",
        "check(g) :- catch(nb_getval(k, V), _, V = 0), W is V + 1, nb_setval(k, W), W == 1.\n\
         check(f) :- current_prolog_flag(double_quotes, string), set_prolog_flag(double_quotes, atom).\n",
    ),
    ("wrong.pl", "check(e) :- event([chrono=C]), C > 3, X is foo + C, X > 1.\ncheck(h) :- halt(3).\n"),
    ("warns.pl", "check(v) :- event([port=exit, name=Nmae]).\n"),
    ("broken.pl", "check(b) :- event([.\ncheck(c) :- event([]).\n"),
    ("other.pl", "check(o) :- catch(in_trace(1, event([chrono=1])), _, fail).\n"),
    ("nothing.pl", "ended(_).\n"),
];

/// Commands that do something on each trace, besides `query`.
const COMMANDS: &[&[&str]] = &[
    &["check", "sound.pl"],
    &["check", "--total", "sound.pl"],
    &["check", "--no-vacuous", "--to", "json", "sound.pl"],
    &["check", "--to", "tap", "sound.pl", "more.pl"],
    &["check", "--builtin", "--show", "line_number"],
    &["check", "--builtin", "--total", "sound.pl"],
    &["check", "-l", "rules.pl", "writes.pl"],
    &["check", "state.pl"],
    &["check", "moves.pl"],
    &["check", "--total", "moves.pl"],
    &["check", "globals.pl"],
    &["check", "wrong.pl"],
    &["check", "warns.pl", "sound.pl"],
    &["check", "broken.pl"],
    &["check", "other.pl"],
    &["check", "nothing.pl"],
    &["check", "--show", "no_such_attribute", "sound.pl"],
    &["check", "--memory-limit", "1M", "sound.pl"],
    &["stats"],
    &["stats", "-l", "rules.pl", "--by", "name", "-n", "3"],
    &["stats", "--total"],
    &["stats", "--total", "--by", "port", "--to", "json"],
    &["stats", "--where", "depth > 2"],
    &["stats", "--where", "depth >"],
    &["stats", "--by", "no_such_attribute"],
    &["stats", "-l", "warns.pl", "--total"],
];

#[test]
fn what_commands_tell_does_not_depend_on_who_did_the_work() {
    let (folder, traces) = traces();
    for (name, text) in SCRIPTS.iter().chain(&[("rules.pl", RULES)]) {
        fs::write(folder.path().join(name), text).expect("a file can be written");
    }
    for command in COMMANDS {
        let found = told(&[command], folder.path(), &traces);
        let expected = told(&[command, &IN_TURN], folder.path(), &traces);
        assert_eq!(found, expected, "{command:?}");
        assert!(!expected.0.is_empty(), "{command:?}");
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
