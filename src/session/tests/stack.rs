//! The stack that the machine takes. In unit tests no step ends in a tail call (see `next` in `engine::run::step`), as in
//! a build whose compiler makes none.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::session::{Options, Session};
use crate::trace::threads::on_stack_of;

const STACK: usize = 256 << 10;

/// Whether a goal has an answer in a thread with a small stack, after a script has been read there.
fn succeeds(script: &Path, goal: &str) -> bool {
    on_stack_of(STACK, || {
        let mut session = Session::new(Options::default());
        session.read_script(script).expect("scripts have no directive that stops them");
        session.solve_once(goal).expect("the goal is well-formed")
    })
}

fn assert_succeeds(name: &str, text: &str, goal: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path: PathBuf = folder.path().join("script.pl");
    fs::write(&path, text).expect("a temporary folder can be written to");
    assert!(succeeds(&path, goal), "{name}");
}

#[test]
fn the_programs_of_the_benchmark_run_on_a_small_stack() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/programs");
    for entry in fs::read_dir(folder).expect("the programs are part of the project") {
        let path = entry.expect("the folder can be read").path();
        let text = fs::read_to_string(&path).expect("programs are UTF-8").replace(":- initialization(main).", "");
        let line =
            text.lines().find_map(|line| line.strip_prefix("% middle ")).expect("every program has a middle size");
        let (size, answer) = line.split_once(": ").expect("an answer follows the size");
        let goal = format!("run({size}, A), term_to_atom(A, T), T == '{answer}'");
        assert_succeeds(&path.display().to_string(), &text, &goal);
    }
}

/// A clause with so many goals, each made from its number.
fn clause(n: usize, goal: impl Fn(usize) -> String) -> String {
    let goals: Vec<String> = (0..n).map(goal).collect();
    format!("go(X0) :- {}.\n", goals.join(",\n    "))
}

#[test]
fn long_code_without_calls_runs_on_a_small_stack() {
    let sums = clause(5000, |i| format!("X{} is X{i} + 1", i + 1));
    assert_succeeds("arithmetic", &sums, "go(0)");
    let terms = clause(5000, |i| format!("X{} = f(X{i}, g(a), [b|_])", i + 1));
    assert_succeeds("terms", &terms, "go(0)");
    let tests = clause(5000, |i| format!("X0 >= -{i}"));
    assert_succeeds("tests", &tests, "go(0)");
    let branches = clause(2000, |_| "( X0 > 0 -> true ; X0 < 0 -> write(a) ; X0 =< 1 )".to_string());
    assert_succeeds("branches", &branches, "go(0)");
    let arguments = (0..200).map(|i| format!("[a{i}, f(X{i}, b)|Y{i}]")).collect::<Vec<_>>().join(", ");
    assert_succeeds("a head", &format!("go({arguments}).\n"), "functor(G, go, 200), call(G), call(G)");
}

#[test]
fn clauses_that_fail_one_after_the_other_run_on_a_small_stack() {
    let mut heads = String::new();
    for i in 0..60 {
        writeln!(heads, "go(f(A, B, A, B, g(A, {i}, B)), C, C).").expect("a string takes all text");
    }
    let loops = "all(0) :- !.\nall(N) :- go(f(X, Y, X, Y, g(X, 59, Y)), 1, 1), M is N - 1, all(M).\n";
    assert_succeeds("heads", &(heads + loops), "all(2000)");
    let guards: String = (0..60).map(|i| format!("go(X) :- X > 0, Y is X * 2, Y =:= {i}, !.\n")).collect();
    assert_succeeds("guards", &guards, "forall(between(1, 2000, _), go(29))");
}

#[test]
fn loops_of_all_kinds_run_on_a_small_stack() {
    let script = ":- dynamic(f/1).\n:- table(path/2).\n\
        count(0) :- !.\ncount(N) :- M is N - 1, G = count(M), call(G).\n\
        apply(0) :- !.\napply(N) :- call(plus(-1), N, M), apply(M).\n\
        path(X, Y) :- path(X, Z), edge(Z, Y).\npath(X, Y) :- edge(X, Y).\n\
        edge(X, Y) :- between(1, 300, X), Y is X + 1.\n\
        caught(0) :- !.\ncaught(N) :- catch(throw(a(N)), a(M), true), L is M - 1, caught(L).\n\
        returns(0).\nreturns(N) :- M is N - 1, returns(M), true(M).\ntrue(_).\n\
        frames(0).\nframes(N) :- M is N - 1, catch(frames(M), _, true), true(M).\n\
        woken(0) :- !.\nwoken(N) :- freeze(X, X == N), X = N, M is N - 1, woken(M).\n";
    for goal in [
        "\\+ ( between(1, 100000, X), X > 100000 )",
        "count(50000)",
        "apply(50000)",
        "forall(between(1, 20000, X), assertz(f(X))), \\+ ( f(X), X > 20000 )",
        "aggregate_all(count, path(1, _), 300)",
        "caught(20000)",
        "returns(100000)",
        "frames(50000)",
        "call_with_depth_limit(returns(20000), 30000, _)",
        "length(L, 2000), foldl([X, A, B]>>(freeze(A, B = X)), L, V, W), V = a, W = a",
        "woken(2000)",
        "numlist(1, 50000, L), foldl([X, A, B]>>(B is A + X), L, 0, 1250025000)",
        "length(L, 50000), maplist(=(a), L), msort(L, M), M == L",
        "repeat, nb_getval(n, N), M is N + 1, nb_setval(n, M), M >= 20000, !",
    ] {
        assert_succeeds(goal, script, &format!("nb_setval(n, 0), {goal}"));
    }
}
