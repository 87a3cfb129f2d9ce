//! A limit that is reached is told as one, with status 2: it is never the answer "no".

use crate::support::{data, file, papaver, stderr};

const RUNAWAY: &str = "left :- left, end.
right(X) :- right(f(X)).
facts(N) :- assertz(fact(N)), M is N + 1, facts(M).
end.
";

fn told(goal: &str, limit: [&str; 2]) -> String {
    let (_folder, path) = file("runaway.pl", RUNAWAY);
    stderr(papaver().args(["query", goal, &data("qsort.trace"), "-l"]).arg(&path).args(limit), 2)
}

#[test]
fn infinite_recursion_ends_at_the_memory_limit_and_names_the_predicate() {
    for (goal, indicator) in [("left", "left/0"), ("right(a)", "right/1"), ("facts(1)", "facts/1")] {
        let told = told(goal, ["--memory-limit", "100MB"]);
        assert!(told.contains("not enough memory") && told.contains(indicator), "{goal}: {told}");
    }
}

#[test]
fn a_goal_without_end_ends_at_the_time_limit() {
    assert!(told("repeat, fail", ["--time-limit", "200ms"]).contains("time limit"));
}

#[test]
fn a_long_predicate_that_outlasts_the_time_limit_is_no_failure() {
    let told = told("numlist(1, 3000000, L), msort(L, _), fail", ["--time-limit", "1ms"]);
    assert!(told.contains("time limit"), "{told}");
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
        let told = told(goal, ["--time-limit", "100ms"]);
        assert!(told.contains("time limit"), "{goal}: {told}");
    }
}

#[test]
fn cleanups_nested_without_end_reach_the_memory_limit() {
    let (_folder, path) = file("nested.pl", "p :- setup_call_cleanup(true, (true ; true), p), !.\n");
    let mut command = papaver();
    command.args(["query", "p", &data("qsort.trace"), "--memory-limit", "100MB", "-l"]).arg(&path);
    assert!(stderr(&mut command, 2).contains("not enough memory"));
}

/// The limit of the process stands for a small machine.
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
    let told = stderr(&mut limited("500000", &[]), 2);
    assert!(told.contains(" events need about 780 MiB of memory, and "), "{told}");
    assert!(told.contains("are free (`--memory-limit none` tries anyway)"), "{told}");
}
