//! `papaver run`.

use crate::support::{data, kept_file, papaver, stderr, stdout};

fn run(script: &str, more: &[&str]) -> assert_cmd::Command {
    let mut command = papaver();
    command.arg("run").arg(kept_file("script.pl", script)).args(more);
    command
}

#[test]
fn main_is_solved_once() {
    assert_eq!(stdout(&mut run("main :- member(X, [1, 2]), write(X), nl.", &[]), 0), "1\n");
    assert_eq!(stdout(&mut run(":- initialization(main).\nmain :- write(x), nl.", &[]), 0), "x\n");
    stdout(&mut run("main :- fail.", &[]), 1);
    stdout(&mut run(":- initialization(main).\nmain :- fail.", &[]), 1);
    stdout(&mut run("main :- halt(3).", &[]), 3);
}

#[test]
fn an_uncaught_exception_is_told_and_status_2() {
    let text = stderr(&mut run("main :- atom_length(_, _).", &[]), 2);
    assert!(text.contains("error:"), "{text}");
    let text = stderr(&mut run("main :- undefined_one.", &[]), 2);
    assert!(text.contains("undefined_one/0"), "{text}");
}

#[test]
fn a_script_sees_its_arguments_and_its_trace() {
    let script = "main :- argv(L), writeq(L), nl, aggregate_all(count, event([port=exit]), N), write(N), nl.";
    let text = stdout(&mut run(script, &[&data("queens.trace"), "--", "-x", "a b"]), 0);
    assert_eq!(text, "['-x','a b']\n149\n");
}

/// Three traces; a script that compares each with the first one runs on each.
#[test]
fn a_script_that_asks_about_all_traces_runs_once() {
    let traces = ["queens.trace", "compare/queens_dropped.trace", "compare/queens_changed.trace"].map(data);
    let traces: Vec<&str> = traces.iter().map(String::as_str).collect();
    let scripts = [
        ("main :- forall(named_trace(N, _), write(N)), nl.", "123\n"),
        ("main :- findall(F, named_trace(_, F), L), length(L, N), write(N), nl.", "3\n"),
        (
            "main :- forall(member(N, [2, 3]), ( first_difference(1, N, difference(C, _, _)), write(C), nl )).",
            "54\n40\n",
        ),
        (
            ":- initialization(main).\nmain :- forall(between(1, 3, N), in_trace(N, event([chrono=1]))), write(x), nl.",
            "x\n",
        ),
        ("main :- event([chrono=1, name=N]), write(N), nl.", "main\nmain\nmain\n"),
        ("main :- in_trace(1, event([chrono=1, name=N])), write(N), nl.", "main\nmain\nmain\n"),
        ("main :- trace_info(path, F), named_trace(N, F), write(N), nl.", "1\n2\n3\n"),
    ];
    for (script, expected) in scripts {
        assert_eq!(stdout(&mut run(script, &traces), 0), expected, "{script}");
    }
}

#[test]
fn a_wrong_clause_is_told_and_the_others_count() {
    let mut command = run("a(1).\nb(.\nmain :- a(X), write(X), nl.", &[]);
    let output = command.assert().code(2).get_output().clone();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("script.pl:2:"));
}
