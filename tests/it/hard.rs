//! Hostile goals: terms, numbers and recursions that are too large, cyclic terms, errors in awkward places.
//!
//! Everything runs with a stack of 256 kilobytes and eight gigabytes of address space: nothing recurses natively over
//! data, and no allocation fails.

use std::process::{Command, Output};
use std::time::Instant;

use crate::support::{data, file, program};

const RULES: &str = "nest(0, T, T) :- !.
nest(N, A, T) :- M is N - 1, nest(M, f(A), T).
lists(0, T, T) :- !.
lists(N, A, T) :- M is N - 1, lists(M, [A], T).
minus(0, T, T) :- !.
minus(N, A, T) :- M is N - 1, minus(M, A-x, T).
left :- left, end.
right(X) :- right(f(X)).
count(N, N) :- !.
count(M, N) :- M1 is M + 1, count(M1, N).
rethrown(0) :- throw(x).
rethrown(N) :- M is N - 1, catch(rethrown(M), X, throw(X)).
numbers(1). numbers(2). numbers(3).
end.
:- dynamic(n/1).
n(1). n(2). n(3).
";

struct GoalRun {
    status: i32,
    out: String,
    error: String,
    seconds: f64,
}

/// Runs a goal with little native stack.
fn ask(goal: &str, more: &[&str]) -> GoalRun {
    let (_folder, rules) = file("rules.pl", RULES);
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "ulimit -s 256; ulimit -v 8000000; exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_papaver"),
        "query",
        goal,
    ]);
    command.arg(data("qsort.trace")).arg("-l").arg(rules).args(more).env_remove("NO_COLOR");
    let start = Instant::now();
    let Output { status, stdout, stderr } = command.output().expect("a shell can be started");
    GoalRun {
        status: status.code().unwrap_or(-1),
        out: String::from_utf8(stdout).unwrap(),
        error: String::from_utf8(stderr).unwrap(),
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// Asserts that a goal has an answer, without messages.
fn holds(goal: &str) {
    let run = ask(goal, &["--to", "none", "--first", "--time-limit", "60s"]);
    assert_eq!((run.status, run.error.as_str()), (0, ""), "{goal}");
}

/// The bindings of the goal's first answer, as text.
fn answer(goal: &str) -> String {
    let run = ask(goal, &["--first", "--time-limit", "60s"]);
    assert_eq!((run.status, run.error.as_str()), (0, ""), "{goal}");
    run.out.trim_end().to_string()
}

/// A term that is deeper than the stack has bytes can be worked with.
fn situation_11_as_made_by(make: &str) {
    let work = [
        "copy_term(T, U), T == U, T = U, compare(=, T, U), T =@= U, \\+ T \\= U, unify_with_occurs_check(T, U)",
        "ground(T), acyclic_term(T), term_variables(T, []), findall(T, true, [U]), U == T, sort([T, U], [_])",
        "assertz(deep(T)), deep(D), D == T, clause(deep(C), true), C == T, retract(deep(_)), \\+ deep(_)",
        "term_to_atom(T, A), atom_length(A, N), N > 300000, term_to_atom(U, A), U == T",
        "with_output_to(string(S), print(T)), term_string(U, S), U == T",
        "nb_setval(k, T), nb_getval(k, U), U == T, T =.. [_|_], functor(T, _, _)",
        "catch(throw(T), U, true), U == T",
    ];
    for goals in work {
        holds(&format!("{make}, {goals}"));
    }
}

#[test]
fn situation_11_nested_compounds() {
    situation_11_as_made_by("nest(300000, a, T)");
}

#[test]
fn situation_11_nested_lists() {
    situation_11_as_made_by("lists(300000, a, T)");
}

#[test]
fn situation_11_nested_operators() {
    situation_11_as_made_by("minus(300000, a, T)");
}

#[test]
fn situation_11_a_long_list() {
    situation_11_as_made_by("numlist(1, 300000, T)");
}

#[test]
fn situation_11_a_term_a_million_deep_is_an_answer_in_every_output() {
    let text = answer("nest(1000000, a, T)");
    assert!(text.starts_with("T = f(f(f(") && text.len() > 3_000_000);
    for form in ["json", "csv"] {
        let run = ask("lists(1000000, a, T)", &["--to", form]);
        assert!(run.status == 0 && run.out.len() > 2_000_000, "{form}");
    }
}

#[test]
fn situation_11_a_script_with_a_term_a_million_deep_is_read() {
    let deep = |open: &str, close: &str| format!("{}a{}", open.repeat(1_000_000), close.repeat(1_000_000));
    for (open, close) in [("f(", ")"), ("[", "]"), ("(", ")"), ("- ", ""), ("a,", ""), ("{", "}")] {
        let (_folder, path) =
            file("deep.pl", &format!("deep(({})).\nmain :- deep(X), nonvar(X).\n", deep(open, close)));
        crate::support::papaver().arg("run").arg(&path).assert().code(0);
    }
}

#[test]
fn situation_12_an_integer_of_a_million_digits_is_read_multiplied_and_printed() {
    holds("X is 10 ** 1000000 - 1, number_codes(X, C), length(C, 1000000), number_codes(Y, C), X =:= Y");
    holds("X is 10 ** 1000000 - 1, Y is X * X, Z is Y // X, Z == X, Y mod X =:= 0, Y > X, compare(>, Y, X)");
    holds(
        "X is 10 ** 1000000, atom_number(A, X), atom_length(A, 1000001), with_output_to(string(S), write(X)), \
           string_length(S, 1000001)",
    );
}

#[test]
fn situation_26_infinite_left_recursion_ends_at_the_memory_limit_with_its_predicate_and_depth() {
    let run = ask("left", &["--memory-limit", "200MB"]);
    assert_eq!(run.status, 2);
    assert!(run.error.contains("not enough memory (in `left/0`)"), "{}", run.error);
    assert!(run.error.contains("in `left/0` at ") && run.error.contains(" times"), "{}", run.error);
    assert!(run.seconds < 20.0);
    let run = ask("catch(left, error(E, _), true), X = goes_on", &["--memory-limit", "200MB"]);
    assert_eq!(run.out, "E = resource_error(memory), X = goes_on\n");
}

#[test]
fn situation_27_infinite_right_recursion_ends_at_the_memory_limit() {
    let run = ask("right(a)", &["--memory-limit", "200MB"]);
    assert!(run.status == 2 && run.error.contains("not enough memory"), "{}", run.error);
    let run = ask("catch(right(a), error(E, _), true)", &["--memory-limit", "200MB"]);
    assert_eq!(run.out, "E = resource_error(memory)\n");
}

#[test]
fn situation_28_a_limit_is_told_as_one_with_how_far_the_search_has_come() {
    let run = ask("event([chrono=3]), repeat, fail", &["--time-limit", "200ms"]);
    assert!(run.status == 2 && run.error.contains("time limit exceeded, stopped "), "{}", run.error);
    assert!(run.error.contains(" steps"), "{}", run.error);
    let run = ask("fget_np([chrono=3]), repeat, fail", &["--time-limit", "200ms"]);
    assert!(run.error.contains("stopped at chrono 3, "), "{}", run.error);
}

#[test]
fn situation_30_and_31_what_would_be_too_large_is_an_error_at_once() {
    for goal in [
        "X is 2 ** (10 ** 9)",
        "X is 1 << (1 << 62)",
        "X is 7 ** (7 ** 77)",
        "numlist(1, 1000000000, L)",
        "length(L, 1000000000)",
        "functor(T, f, 1000000000)",
        "tab(1000000000)",
        "format(\"~*c\", [1000000000, 0'x])",
        "X is 7 ** 300000, Y is gcd(X, X - 1)",
        "X is 7 ** 30000, Y is powm(X, X, X - 1)",
    ] {
        let run = ask(goal, &[]);
        assert!(run.status == 2 && run.error.contains("not enough "), "{goal}: {}", run.error);
        assert!(run.seconds < 5.0, "{goal}: {}", run.seconds);
    }
}

#[test]
fn situation_31_a_list_that_the_memory_limit_does_not_leave_is_not_begun() {
    let run = ask("numlist(1, 20000000, L)", &["--memory-limit", "100MB"]);
    assert!(run.status == 2 && run.error.contains("not enough memory (in `numlist/3`)"), "{}", run.error);
}

#[test]
fn situation_31_text_of_shared_parts_ends_at_the_memory_limit() {
    let double = "length(L, 40), foldl([_, A, f(A, A)]>>true, L, x, T), with_output_to(string(_), print(T))";
    let run = ask(double, &["--memory-limit", "50MB", "--to", "none"]);
    assert!(run.status == 2 && run.error.contains("not enough memory"), "{}", run.error);
}

#[test]
fn situation_32_arithmetic_is_exact_or_an_error() {
    for (goal, error) in [
        ("X is 1 / 0", "zero_divisor"),
        ("X is 1 / 0.0", "zero_divisor"),
        ("X is 1 // 0", "zero_divisor"),
        ("X is 1 mod 0", "zero_divisor"),
        ("X is 1.0e308 * 10", "float_overflow"),
        ("X is 2.0 ** 5000", "float_overflow"),
        ("X is float(10 ** 400)", "float_overflow"),
        ("X is 0 / 0.0", "undefined"),
        ("X is log(0)", "undefined"),
        ("X is sqrt(-1)", "undefined"),
    ] {
        assert_eq!(answer(&format!("catch(({goal}), error(E, _), true)")), format!("E = evaluation_error({error})"));
    }
    holds("9007199254740993 > 9007199254740992.0, 9007199254740993 =\\= 9007199254740992.0");
    holds("9007199254740992 =:= 9007199254740992.0, compare(<, 9007199254740992.0, 9007199254740992)");
    holds("compare(>, 9007199254740993, 9007199254740992.0), 10 ** 400 > 1.0e308, -(10 ** 400) < -1.0e308");
}

#[test]
fn situation_33_whatever_meets_a_cyclic_term_ends() {
    for goal in [
        "X = f(X), Y = f(Y), X = Y, X == Y, compare(=, X, Y), X =@= Y",
        "X = f(X, X), Y = f(Y, Y), X = Y, X == Y, copy_term(X, Z), Z == X",
        "X = f(X, Y), Z = f(Z, 1), X = Z, Y == 1",
        "X = f(X), copy_term(X, Y), X == Y, findall(X, true, [Z]), Z == X, nb_setval(k, X), nb_getval(k, W), W == X",
        "X = f(X, A, B), term_variables(X, [A, B]), \\+ ground(X), \\+ acyclic_term(X)",
        "X = f(X), sort([X, X], [_]), subsumes_term(f(_), X), \\+ unify_with_occurs_check(Z, f(Z)), X =.. [f, X]",
        "X = f(X), with_output_to(string(S), print(X)), string_length(S, N), N < 1000",
        "X = f(X), with_output_to(string(S), format(\"~w\", [X])), string_length(S, N), N < 1000",
        "X = f(X), set_prolog_flag(occurs_check, true), \\+ Y = f(Y)",
    ] {
        holds(goal);
    }
    for goal in ["length(X, _)", "msort(X, _)", "sort(X, _)", "atom_codes(_, X)", "sum_list(X, _)", "atom_length(X, _)"]
    {
        let error = answer(&format!("X = [a|X], catch({goal}, error(type_error(K, _), _), true), X = [Y|_]"));
        assert!(error.contains("K = "), "{goal}: {error}");
    }
    for goal in ["assertz(p(X))", "assertz((p :- X))", "call((true, X))"] {
        let error = answer(&format!("X = (a, X), catch({goal}, error(type_error(K, _), _), true), X = (Y, _)"));
        assert!(error.contains("K = acyclic_term"), "{goal}: {error}");
    }
    assert!(answer("X = f(X), copy_term(X, Y)").len() < 200);
}

#[test]
fn situation_34_asserting_and_retracting_does_not_change_an_iteration_in_progress() {
    assert_eq!(answer("findall(X, (n(X), Y is X + 10, assertz(n(Y))), L), X = _"), "L = [1, 2, 3]");
    assert_eq!(answer("findall(X, (n(X), retractall(n(_))), L), X = _"), "L = [1, 2, 3]");
    assert_eq!(answer("findall(X, (n(X), asserta(n(0)), X >= 2, retract(n(3))), L), X = _"), "L = [2]");
    let goal = "findall(X, (retract(n(X)), assertz(n(9))), L), findall(X, n(X), M)";
    assert_eq!(answer(goal), "L = [1, 2, 3], M = [9, 9, 9]");
}

#[test]
fn situation_35_errors_in_awkward_places_find_their_handler() {
    holds("catch(findall(X, (member(X, [1, 2]), X > 1, throw(here(X))), _), here(2), true)");
    holds("catch(forall(member(X, [1, a]), X > 0), error(type_error(evaluable, a/0), _), true)");
    holds("catch(catch(throw(a), b, fail), a, true)");
    holds("catch(catch(throw(a), a, throw(b)), b, true)");
    holds("catch((member(X, [1, 2, 3]), X >= 2, throw(found(X))), found(Y), true), Y == 2, var(X)");
    holds("catch(setup_call_cleanup(true, throw(first), throw(second)), E, true), E == first");
    holds(
        "nb_setval(n, 0), catch(setup_call_cleanup(true, throw(x), (nb_getval(n, N), M is N + 1, nb_setval(n, M))), \
           x, true), nb_getval(n, 1)",
    );
    holds("'$choices'(A), catch((repeat, throw(x)), x, true), '$choices'(B), A =:= B");
    holds("findall(X, (member(X, [1, 2]), catch(findall(Y, (member(Y, [a]), throw(y)), _), y, true)), [1, 2])");
    let run = ask("numlist(1, 1000000, L), throw(L)", &[]);
    assert!(run.status == 2 && run.error.len() < 2000, "{}", run.error.len());
    let run = ask("throw(error(type_error(_, _), _))", &[]);
    assert!(run.status == 2 && run.error.contains("error: "), "{}", run.error);
    let run = ask("rethrown(300000)", &[]);
    assert!(run.status == 2 && run.error.contains("uncaught exception `x`"), "{}", run.error);
}

#[test]
fn situation_35_a_handler_catches_what_a_later_answer_throws() {
    holds("findall(R, catch((member(X, [1, 2]), (X > 1 -> throw(late) ; R = X)), late, R = caught), [1, caught])");
    let run = ask("catch((member(X, [1, 2]), (X > 1 -> throw(late) ; true)), late, X = caught)", &[]);
    assert_eq!((run.status, run.out.as_str()), (0, "X = 1\nX = caught\n"));
}

#[test]
fn situation_36_cuts_are_local_where_the_standard_says_so() {
    assert_eq!(answer("findall(X, (numbers(X), call(!)), L), X = _"), "L = [1, 2, 3]");
    assert_eq!(answer("findall(X, (numbers(X), !), L), X = _"), "L = [1]");
    assert_eq!(answer("findall(X, (numbers(X), \\+ \\+ !), L), X = _"), "L = [1, 2, 3]");
    assert_eq!(answer("findall(X, (numbers(X), (! -> true ; true)), L), X = _"), "L = [1, 2, 3]");
    assert_eq!(answer("findall(X, (numbers(X), (true -> ! ; true)), L), X = _"), "L = [1]");
    assert_eq!(answer("findall(X, (G = (numbers(X), !), call(G) ; X = more), L), X = _, G = _"), "L = [1, more]");
    assert_eq!(answer("findall(X, (catch((numbers(X), !), _, true) ; X = more), L), X = _"), "L = [1, more]");
}

/// A prompt to which goals are piped, so that its memory can be examined in between.
#[cfg(target_os = "linux")]
mod memory {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Child, ChildStdout, Stdio};

    use super::*;

    struct Prompt {
        child: Child,
        answers: BufReader<ChildStdout>,
        _folder: tempfile::TempDir,
    }

    impl Prompt {
        fn open(limit: &str) -> Prompt {
            let (folder, rules) = file("rules.pl", RULES);
            let mut command = program();
            command.arg(data("qsort.trace")).arg("-l").arg(rules).args(["--memory-limit", limit]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            let answers = BufReader::new(child.stdout.take().unwrap());
            Prompt { child, answers, _folder: folder }
        }

        /// Sends a goal and waits until it has ended.
        fn put(&mut self, goal: &str) {
            writeln!(self.child.stdin.as_mut().unwrap(), "{goal}.\nwrite(ended), nl.").unwrap();
            let mut line = String::new();
            while line.trim() != "ended" {
                line.clear();
                assert!(self.answers.read_line(&mut line).unwrap() > 0, "{goal} ends the prompt");
            }
        }

        /// A line of the process status of the system, in megabytes.
        fn megabytes(&self, name: &str) -> u64 {
            let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.trim_matches([':', ' ', '\t', 'k', 'B']).parse::<u64>().unwrap() / 1024
        }
    }

    impl Drop for Prompt {
        fn drop(&mut self) {
            drop(self.child.stdin.take());
            let _ = self.child.wait();
        }
    }

    #[test]
    fn situations_26_and_27_memory_is_given_back_after_a_runaway_goal() {
        let mut prompt = Prompt::open("300MB");
        for goal in ["left", "right(a)", "catch(left, _, true), catch(right(a), _, true)"] {
            prompt.put(goal);
            assert!(prompt.megabytes("VmRSS") < 150, "{goal}: {} MB", prompt.megabytes("VmRSS"));
        }
        assert!(prompt.megabytes("VmHWM") < 1000);
    }

    #[test]
    fn situation_36_loops_of_a_million_rounds_need_no_memory() {
        let mut prompt = Prompt::open("1GB");
        prompt.put("true");
        let before = prompt.megabytes("VmHWM");
        for goal in [
            "between(1, 1000000, X), atom_length(abc, X), fail",
            "forall(between(1, 1000000, X), X > 0)",
            "aggregate_all(count, between(1, 1000000, _), N)",
            "count(0, 1000000)",
        ] {
            prompt.put(goal);
            let used = prompt.megabytes("VmHWM") - before;
            assert!(used < 60, "{goal}: {used} MB");
        }
    }
}
