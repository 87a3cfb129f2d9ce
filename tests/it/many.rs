//! Commands with thousands of traces.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::{data, papaver, stderr, stdout};

/// A folder with copies of a trace: `0000.trace`, `0001.trace`, ...
fn copies(n_copies: usize) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for number in 0..n_copies {
        fs::copy(data("qsort.trace"), name(folder.path(), number)).expect("a temporary folder can be written to");
    }
    folder
}

fn name(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("{number:04}.trace"))
}

fn query(options: &[&str], folder: &Path, n_traces: usize) -> String {
    let mut command = papaver();
    command.arg("query").args(options).args((0..n_traces).map(|number| name(folder, number)));
    stdout(&mut command, 0)
}

#[test]
fn each_trace_is_answered_with_its_name_in_the_order_of_the_command_line() {
    let folder = copies(300);
    let text = query(&["event([port=exit])", "--count"], folder.path(), 300);
    let expected = |number| format!("{}:21\n", name(folder.path(), number).display());
    assert_eq!(text, (0..300).map(expected).collect::<String>());
}

#[test]
fn a_trace_and_an_answer_among_thousands_cost_what_they_cost_alone() {
    let folder = copies(1600);
    let options = ["event([chrono=C])", "-n", "20", "--to", "json"];
    let time = |n_traces| {
        let start = Instant::now();
        assert_eq!(query(&options, folder.path(), n_traces).lines().count(), n_traces * 20);
        start.elapsed()
    };
    let few = (0..3).map(|_| time(100)).min().unwrap_or(Duration::MAX);
    let many = time(1600);
    assert!(many < few * 16 * 3, "100 traces take {few:?}, 1600 take {many:?}");
}

#[test]
fn a_folder_a_pattern_and_a_list_name_the_same_traces() {
    let folder = copies(30);
    let path = folder.path();
    let list = path.join("list.txt");
    let lines: String = (0..30).map(|number| format!("{}\n", name(path, number).display())).collect();
    fs::write(&list, lines).expect("a temporary folder can be written to");
    let ask = |named: String| stdout(papaver().args(["query", "event([port=exit])", "--count"]).arg(named), 0);
    let expected = query(&["event([port=exit])", "--count"], path, 30);
    assert_eq!(ask(path.display().to_string()), expected);
    assert_eq!(ask(format!("{}/*.trace", path.display())), expected);
    assert_eq!(ask(format!("@{}", list.display())), expected);
}

#[test]
fn a_file_of_a_folder_that_is_no_trace_is_left_out_and_a_broken_trace_costs_only_itself() {
    let folder = copies(3);
    fs::write(folder.path().join("README"), "nothing to see\n").expect("a temporary folder can be written to");
    fs::write(folder.path().join("0001.trace"), [0x1F, 0x8B, 8, 0]).expect("a temporary folder can be written to");
    let output = papaver().args(["query", "event([port=exit])", "--count"]).arg(folder.path()).output();
    let output = output.expect("papaver runs");
    let counts = [0, 2].map(|number| format!("{}:21\n", name(folder.path(), number).display())).concat();
    assert_eq!(String::from_utf8_lossy(&output.stdout), counts);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let readme = folder.path().join("README");
    assert!(messages.contains(&format!("note: left out `{}`", readme.display())), "{messages}");
    assert_eq!(messages.matches("error").count(), 1, "{messages}");
    assert!(messages.contains("0001.trace"), "{messages}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn every_command_answers_for_the_traces_of_a_folder_in_their_order() {
    let folder = copies(40);
    let rules = folder.path().join("rules.pl");
    fs::write(&rules, "check(calls) :- event([port=call, name=main]).\n")
        .expect("a temporary folder can be written to");
    let traces: Vec<PathBuf> = (0..40).map(|number| name(folder.path(), number)).collect();
    for command in [&["stats", "-n", "1", "--to", "json"][..], &["info", "--to", "json"], &["check", "--to", "json"]] {
        let rules = (command[0] == "check").then_some(&rules);
        let whole = stdout(papaver().args(command).args(rules).args(&traces), 0);
        let each: String =
            traces.iter().map(|trace| stdout(papaver().args(command).args(rules).arg(trace), 0)).collect();
        let without_names = |text: &str| text.lines().map(without_trace).collect::<Vec<_>>();
        assert_eq!(without_names(&whole), without_names(&each), "{command:?}");
        let named = whole.lines().filter_map(|line| line.split_once("0039.trace")).count();
        assert!(named > 0, "{whole}");
    }
}

/// A line without the key that names its trace among several.
fn without_trace(line: &str) -> serde_json::Map<String, serde_json::Value> {
    let mut object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).expect("it is an object");
    object.remove("trace");
    object
}

/// The answer about several traces.
fn total(options: &[&str], goal: &str, traces: &[&str], status: i32) -> String {
    let mut command = papaver();
    command.args(["query", "-q", "--total"]).args(options).arg(goal).args(traces);
    stdout(&mut command, status)
}

#[test]
fn the_total_of_traces_is_the_answer_about_all_their_events() {
    let (queens, bank) = (data("queens.trace"), data("../../examples/erlang/bank.jsonl"));
    let traces: [&str; 3] = [&queens, &bank, &queens];
    let count = |port: &str, traces: &[&str]| -> u64 {
        let count = |trace: &&str| {
            let goal = format!("event([port={port}])");
            stdout(papaver().args(["query", "-q", "--count", &goal, trace]), 0).trim().parse::<u64>().unwrap()
        };
        traces.iter().map(count).sum()
    };
    let (calls, sends) = (count("call", &traces), count("send", &[&bank]));
    assert!(calls > 292 && sends > 0);
    assert_eq!(total(&["--count"], "event([port=call])", &traces, 0), format!("{calls}\n"));
    let goal = "aggregate_all(r(count, max(C), max(C, P), min(C)), event([port=call, chrono=C, pid=P]), _R), _R = r(N, Max, Best, Min)";
    let of_bank = total(&[], goal, &[&bank], 0);
    assert!(of_bank.starts_with("N = "), "{of_bank}");
    let goal = "tally(P, event([port=P]), Ps), memberchk(call-Calls, Ps), memberchk(send-Sends, Ps)";
    let found = total(&["--to", "csv"], goal, &traces, 0);
    assert!(found.trim_end().ends_with(&format!(",{calls},{sends}")), "{found}");
    let sums = total(&[], "sum_by(P, 2, event([port=P, name=_]), S), memberchk(call-N, S)", &traces, 0);
    assert!(sums.contains(&format!("N = {}", 2 * calls)), "{sums}");
    let goal = "aggregate_all(r(count, max(C), min(C), bag(1)), event([port=call, chrono=C]), r(N, Max, Min, _L)), length(_L, Length)";
    assert_eq!(total(&[], goal, &traces, 0), format!("N = {calls}, Max = 689, Min = 1, Length = {calls}\n"));
    let first = "aggregate_all(max(C, P), event([port=call, name=N, chrono=C, proc=P]), Last)";
    assert!(total(&[], first, &traces, 0).starts_with("Last = max(689, "));
    assert_eq!(total(&[], "aggregate_all(max(C), event([name=no_such_name, chrono=C]), Last)", &traces, 1), "");
    assert_eq!(
        total(&[], "findall(C, event([name=main, chrono=C]), Cs), length(Cs, 7)", &traces, 0).lines().count(),
        1
    );
}

#[test]
fn a_goal_without_a_total_is_refused_and_a_broken_trace_costs_only_itself() {
    let queens = data("queens.trace");
    let refused = stderr(papaver().args(["query", "--total", "event([port=call])", &queens, &queens]), 2);
    assert_eq!(refused.matches("query:1:1: error: `--total` adds up what aggregate_all/3").count(), 1, "{refused}");
    let unread = stderr(papaver().args(["query", "event(", &queens, &queens]), 2);
    assert_eq!(unread.matches("query:1:7: error: ").count(), 1, "{unread}");
    let goal = "aggregate_all(count, event([port=call]), N)";
    assert_eq!(total(&[], goal, &[&queens, "no such file", &queens], 2), "N = 292\n");
}
