//! A limit that is reached is reported as such, with status 2: it is never the answer "no".

use std::time::Duration;

use crate::support::{data, file, papaver, stderr, stdout};

const RUNAWAY: &str = "left :- left, end.
right(X) :- right(f(X)).
facts(N) :- assertz(fact(N)), M is N + 1, facts(M).
end.
";

fn error_of(goal: &str, limit: [&str; 2]) -> String {
    let (_folder, path) = file("runaway.pl", RUNAWAY);
    stderr(papaver().args(["query", goal, &data("qsort.trace"), "-l"]).arg(&path).args(limit), 2)
}

#[test]
fn infinite_recursion_ends_at_the_memory_limit_and_names_the_predicate() {
    for (goal, indicator) in [("left", "left/0"), ("right(a)", "right/1"), ("facts(1)", "facts/1")] {
        let error = error_of(goal, ["--memory-limit", "100MB"]);
        assert!(error.contains("not enough memory") && error.contains(indicator), "{goal}: {error}");
    }
}

#[test]
fn a_goal_without_end_ends_at_the_time_limit() {
    assert!(error_of("repeat, fail", ["--time-limit", "200ms"]).contains("time limit"));
}

#[test]
fn a_long_predicate_that_outlasts_the_time_limit_is_no_failure() {
    let error = error_of("numlist(1, 3000000, L), msort(L, _), fail", ["--time-limit", "1ms"]);
    assert!(error.contains("time limit"), "{error}");
}

#[test]
fn running_out_of_memory_can_be_caught() {
    let (_folder, path) = file("runaway.pl", RUNAWAY);
    let goal = "catch(left, error(resource_error(What), _), true)";
    papaver()
        .args(["query", goal, &data("qsort.trace"), "--memory-limit", "100MB", "-l"])
        .arg(&path)
        .assert()
        .code(0)
        .stdout("What = memory\n");
}

#[test]
fn a_goal_cannot_catch_the_time_limit_of_the_session_away() {
    for goal in [
        "catch((repeat, fail), _, true)",
        "call_with_time_limit(10, (repeat, fail))",
        "catch(call_with_inference_limit((repeat, catch((repeat, fail), _, fail)), 1000000000000, _), _, true)",
        "repeat, setup_call_cleanup(true, (repeat, fail), (repeat, fail))",
    ] {
        let error = error_of(goal, ["--time-limit", "100ms"]);
        assert!(error.contains("time limit"), "{goal}: {error}");
    }
}

#[test]
fn cleanups_nested_without_end_reach_the_memory_limit() {
    let (_folder, path) = file("nested.pl", "p :- setup_call_cleanup(true, (true ; true), p), !.\n");
    let mut command = papaver();
    command.args(["query", "p", &data("qsort.trace"), "--memory-limit", "100MB", "-l"]).arg(&path);
    assert!(stderr(&mut command, 2).contains("not enough memory"));
}

/// The limit of the process simulates a machine with little memory.
#[cfg(target_os = "linux")]
#[test]
fn a_trace_that_does_not_fit_into_memory_is_refused_with_an_estimate() {
    let mut contents = std::fs::read_to_string(data("qsort.trace")).expect("the sample can be read");
    contents.push_str(&"\n".repeat(20 << 20));
    let (_folder, path) = file("large.trace", &contents);
    let limited = |kilobytes: &str, options: &[&str]| {
        let script = format!("ulimit -v {kilobytes} && exec \"$0\" \"$@\"");
        let mut command = assert_cmd::Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_papaver"), "query", "true"]).arg(&path).args(options);
        command
    };
    let error = stderr(&mut limited("500000", &[]), 2);
    assert!(error.contains(" events need about 780 MiB, and "), "{error}");
    assert!(
        error.contains("are free in memory and on the disk for temporary files (`--memory-limit none` tries anyway)"),
        "{error}"
    );
}

/// Goals that take long in a single predicate or instruction; `L` and `M` are twins, lists of 600,000 numbers.
const LONG_STEPS: &str = r#"
long(L, M, L = M).
long(L, M, same(L, M)).
long(L, M, f(L, x) = f(M, x)).
long(L, M, L \= M).
long(L, M, L == M).
long(L, M, L \== M).
long(L, M, compare(_, L, M)).
long(L, M, L @< M).
long(L, M, L =@= M).
long(L, M, subsumes_term(L, M)).
long(L, _, unify_with_occurs_check(_, L)).
long(L, _, copy_term(L, _)).
long(L, _, findall(L, true, _)).
long(L, _, assertz(kept(L))).
long(L, _, assertz((kept(L) :- a, b))).
long(L, _, nb_setval(kept, L)).
long(L, _, catch(throw(L), a, true)).
long(L, _, ground(L)).
long(L, _, acyclic_term(L)).
long(L, _, term_variables(L, _)).
long(_, _, ( length(L, 600000), numbervars(L, 0, _) )).
long(L, _, length(L, _)).
long(L, _, sort(0, @>=, L, _)).
long(L, _, sort(L, _)).
long(L, _, list_to_set(L, _)).
long(L, _, sum_list([0.5|L], _)).
long(L, _, max_list(L, _)).
long(L, _, memberchk(f(_), L)).
long(_, _, numlist(1, 9000000, _)).
long(_, _, length(_, 9000000)).
long(L, _, atomic_list_concat(L, _)).
long(L, _, with_output_to(string(_), print(L))).
long(L, _, term_to_atom(L, _)).
long(L, _, tabled(L)).
long(L, _, tick(counter, L)).
long(L, _, _ =.. [f|L]).
long(_, M, retract(held(M))).
long(_, M, retractall(held(M))).
long(_, _, ( length(L, 400000), maplist(=(0'a), L), atom_codes(_, L) )).
long(_, _, ( numlist(1, 600000, _), fail )).
long(_, _, ( text(T), string_chars(T, _) )).
long(_, _, ( text(T), split_string(T, "a", "", _) )).
long(_, _, ( text(T), sub_atom(T, _, _, _, b) )).
long(_, _, _ is 7 ** 2900000).

:- dynamic kept/1, held/1.
:- table tabled/1.
tabled(_).
same(X, X).
text(T) :- nb_getval(text, T).

main :-
    numlist(1, 600000, L),
    numlist(1, 600000, M),
    assertz(held(L)),
    format(atom(Text), "~*c", [400000, 0'a]),
    nb_setval(text, Text),
    forall(long(L, M, Goal), ended(Goal)),
    forall(( member(State, [kept(_), nb_getval(kept, _), \+ held(_)]), catch(State, _, fail) ),
           format("~w~n", [State])).

ended(Goal) :-
    statistics(walltime, [Start|_]),
    catch(( call_with_time_limit(0.0002, Goal) -> End = success ; End = failure ), Ball, End = Ball),
    statistics(walltime, [Stop|_]),
    Time is Stop - Start,
    (   End == time_limit_exceeded,
        Time < 2000
    ->  true
    ;   Goal =.. [Name|_],
        format("~w: ~q after ~d ms~n", [Name, End, Time])
    ).
"#;

#[test]
fn a_time_limit_of_a_goal_ends_a_predicate_in_its_middle_and_nothing_is_kept_of_it() {
    let (_folder, path) = file("long.pl", LONG_STEPS);
    papaver().arg("run").arg(&path).timeout(Duration::from_secs(120)).assert().code(0).stdout("");
}

#[test]
fn a_key_that_shared_parts_make_too_long_is_short_of_memory_and_not_cyclic() {
    let (_folder, path) = file("keys.pl", ":- table tabled/1.\ntabled(_).\n");
    for key in ["tick(keys, _Key)", "tabled(_Key)"] {
        let shared = "numlist(1, 60, _List), foldl([_, Part, f(Part, Part)]>>true, _List, end, _Key)";
        let goal = format!("{shared}, catch({key}, error(E, _), true)");
        papaver()
            .args(["query", &goal, &data("qsort.trace"), "-l"])
            .arg(&path)
            .assert()
            .code(0)
            .stdout("E = resource_error(memory)\n");
    }
}

/// A line with 40,000 tuples, attributes or arguments: time that grows with the square of its length would be minutes.
#[test]
fn a_long_line_takes_as_long_as_many_short_ones() {
    let many = |item: &dyn Fn(usize) -> String, n: usize| (0..n).map(item).collect::<Vec<_>>();
    let pairs = many(&|at| format!("\"k{at}\":{at}"), 40_000).join(",");
    let lines = [
        ("t.log", format!("@1 approve {}\n", many(&|at| format!("({at},{at})"), 40_000).concat()), 40_000),
        ("t.jsonl", format!("{{\"port\":\"event\",\"name\":\"f\",{pairs}}}\n"), 1),
        (
            "t.json",
            format!("[{{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1,\"name\":\"w\",\"args\":{{{pairs}}}}}]\n"),
            2,
        ),
    ];
    for (name, text, n_events) in lines {
        let (_folder, path) = file(name, &text);
        let began = std::time::Instant::now();
        let counted = stdout(papaver().args(["query", "-q", "--count", "event([chrono=_])"]).arg(&path), 0);
        assert_eq!(counted, format!("{n_events}\n"), "{name}");
        assert!(began.elapsed().as_secs() < 20, "{name}: {:?}", began.elapsed());
    }
}
