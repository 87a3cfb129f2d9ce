//! `papaver query --engine`: an SQL engine gives the answers that papaver gives, written in the same way.

use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::{data, papaver, stderr, stdout};

/// A trace that was exported.
fn exported(name: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut command = papaver();
    command.args(["export", "-q", "--force", &data(name), "-o"]).arg(folder.path());
    stdout(&mut command, 0);
    folder
}

fn has_duckdb() -> bool {
    let run = Command::new("python3").args(["-c", "import duckdb"]).stderr(Stdio::null()).status();
    let has = run.is_ok_and(|status| status.success());
    if !has {
        eprintln!("not compared: python3 has no module duckdb (pip install duckdb)");
    }
    has
}

/// Options and a goal, each with the exit status.
const QUESTIONS: &[(&[&str], &str, i32)] = &[
    (&[], "event([port=exit, name=safe])", 0),
    (&[], "event([port=exit, name=N, arity=A, chrono=C]), C > 650", 0),
    (&["--to", "json"], "fget([port=exit, name=N]), fget_np([port=call])", 0),
    (&["--to", "json", "--first"], "fget([port=fail])", 0),
    (&["--to", "csv"], "fget([port=fail, name=nodiag])", 0),
    (&["--to", "csv", "-n", "3"], "event([proc=P, depth=D]), D > 3", 0),
    (&["--to", "table"], "tally(P, event([port=P]), Ps), member(P-N, Ps)", 0),
    (&[], "aggregate_all(count, event([port=exit, call=K]), N)", 0),
    (&["--to", "json"], "aggregate_all(count, event([port=exit, call=K]), N)", 0),
    (&["--to", "csv"], "event([chrono=C, call=3]), \\+ event([chrono=C, depth=D, port=fail])", 0),
    (&["--to", "table"], "event([chrono=C, call=3]), \\+ event([chrono=C, depth=D, port=fail])", 0),
    (&["--count"], "event([port=call]), event([port=fail])", 0),
    (&["--count", "-n", "3"], "event([port=call])", 0),
    (&[], "tally(P, event([port=call, proc=P]), Ps)", 0),
    (&[], "findall(p(N, 1, x), event([port=fail, name=N]), L), length(L, Length)", 0),
    (&[], "sum_by(N, D, event([name=N, depth=D]), Sums)", 0),
    (&[], "tally(N, event([name=N, chrono > 100000]), Ps)", 0),
    (&[], "event([port=exit, name=no_such_name])", 1),
    (&["--first"], "event([name=data])", 0),
    (&["--to", "none"], "event([name=data])", 0),
    (&[], "\\+ event([depth > 1000])", 0),
    (&["--show", "line_number"], "fget([name=data])", 0),
];

#[test]
fn duckdb_answers_as_papaver_does() {
    if !has_duckdb() {
        return;
    }
    let folder = exported("queens.trace");
    for (options, goal, status) in QUESTIONS {
        let expected = stdout(papaver().args(["query", "-q", goal, &data("queens.trace")]).args(*options), *status);
        let mut command = papaver();
        command.args(["query", "-q", "--engine", "duckdb", goal]).arg(folder.path()).args(*options);
        assert_eq!(stdout(&mut command, *status), expected, "{goal} {options:?}");
    }
}

#[test]
fn any_command_can_be_the_engine() {
    let folder = exported("queens.trace");
    let mut command = papaver();
    command.args(["query", "--engine", "duckdb", "--engine-command"]);
    command.arg(
        "grep -q 'FROM events' && echo '[\"a\", 7, null]' && echo '{\"N\": \"b c\", \"C\": 8, \"chrono_\": null}'",
    );
    command.arg("event([name=N, chrono=C])").arg(folder.path());
    assert_eq!(stdout(&mut command, 0), "N = a, C = 7\nN = 'b c', C = 8\n");
    for (engine, message) in [
        ("echo nothing", "the engine gave another row than papaver asked for"),
        ("echo '[1]'", "the engine gave another row than papaver asked for"),
        ("echo 'no such table' >&2; exit 3", "duckdb: no such table"),
    ] {
        let mut command = papaver();
        command.args(["query", "--engine", "duckdb", "--engine-command", engine, "event([name=N])"]).arg(folder.path());
        let found = stderr(&mut command, 2);
        assert!(found.contains(message), "{engine}: {found}");
    }
}

#[test]
fn a_missing_engine_is_named_with_how_to_install_it() {
    let folder = exported("queens.trace");
    for (engine, advice) in [("duckdb", "pip install duckdb"), ("spark", "pip install pyspark")] {
        let mut command = papaver();
        command
            .args(["query", "--engine", engine, "event([name=N])"])
            .arg(folder.path())
            .env("PATH", "/no/such/folder");
        assert!(stderr(&mut command, 2).contains(advice));
    }
}

#[test]
fn what_an_engine_cannot_answer_is_an_error_at_its_place() {
    let folder = exported("queens.trace");
    for (goal, place) in [
        ("fget([port=call]), event([port=exit])", "query:1:1: error: as text, every event that this moves to is shown"),
        ("event([port=call]), assertz(a)", "query:1:21: error: `assertz/1` is not compiled to SQL"),
    ] {
        let mut command = papaver();
        command.args(["query", "--engine", "duckdb", goal]).arg(folder.path());
        let message = stderr(&mut command, 2);
        assert!(message.contains(place), "{goal}: {message}");
    }
    let message = stderr(papaver().args(["query", "--engine", "duckdb", "true", &data("queens.trace")]), 2);
    assert!(message.contains("`--engine` asks a folder of `papaver export`"), "{message}");
}
