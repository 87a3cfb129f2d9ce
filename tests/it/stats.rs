//! `papaver stats`, `--to table`, and the predicates behind them. Expected numbers are worked out by hand.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Random, data, file, papaver, stderr, stdout};

/// `main` runs from 0 to 100 and calls `load` twice, from 10 to 40 and from 50 to 90; the second time it fails. The first
/// `load` calls `parse` from 20 to 30.
const CALLS: &str = r#"{"papaver": 1, "port": "header", "source": "by hand"}
{"call": 1, "depth": 1, "port": "call", "name": "main", "time": 0}
{"call": 2, "depth": 2, "port": "call", "name": "load", "time": 10}
{"call": 3, "depth": 3, "port": "call", "name": "parse", "time": 20}
{"call": 3, "depth": 3, "port": "exit", "name": "parse", "time": 30}
{"call": 2, "depth": 2, "port": "exit", "name": "load", "time": 40}
{"call": 4, "depth": 2, "port": "call", "name": "load", "time": 50}
{"call": 4, "depth": 2, "port": "exception", "name": "load", "time": 90}
{"call": 1, "depth": 1, "port": "exit", "name": "main", "time": 100}
{"papaver": 1, "port": "trailer", "events": 8, "lost": 0, "end": "ok"}
"#;

/// The rows of `papaver stats --to json`.
fn rows(trace: &str, options: &[&str]) -> Vec<Value> {
    let (_folder, path) = file("calls.jsonl", trace);
    let text = stdout(papaver().arg("stats").arg(&path).args(["--to", "json"]).args(options), 0);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn keys(row: &Value, keys: &[&str]) -> Value {
    keys.iter().map(|key| row[key].clone()).collect()
}

#[test]
fn rows_add_up_to_the_time_of_the_run() {
    let rows = rows(CALLS, &[]);
    assert_eq!(
        rows,
        [
            json!({"name": "load", "calls": 2, "errors": 1, "depth": 2, "total": 70, "self": 60, "p50": 30, "p95": 40, "p99": 40, "max": 40}),
            json!({"name": "main", "calls": 1, "errors": 0, "depth": 1, "total": 100, "self": 30, "p50": 100, "p95": 100, "p99": 100, "max": 100}),
            json!({"name": "parse", "calls": 1, "errors": 0, "depth": 3, "total": 10, "self": 10, "p50": 10, "p95": 10, "p99": 10, "max": 10}),
        ]
    );
}

#[test]
fn recursion_counts_once_in_total() {
    let line = |call: u32, port: &str, time: u32| {
        format!("{{\"call\": {call}, \"depth\": {call}, \"port\": \"{port}\", \"name\": \"f\", \"time\": {time}}}\n")
    };
    let trace = line(1, "call", 0) + &line(2, "call", 10) + &line(2, "exit", 60) + &line(1, "exit", 80);
    let found = rows(&trace, &[]);
    assert_eq!(keys(&found[0], &["calls", "total", "self", "max"]), json!([2, 80, 80, 80]));
}

#[test]
fn a_call_that_is_left_and_entered_again_counts_only_while_it_is_active() {
    let line = |call: u32, port: &str, time: u32| {
        let name = if call == 1 { "main" } else { "member" };
        format!(
            "{{\"call\": {call}, \"depth\": {call}, \"port\": \"{port}\", \"name\": \"{name}\", \"time\": {time}}}\n"
        )
    };
    let trace = [(1, "call", 0), (2, "call", 10), (2, "exit", 20), (2, "redo", 70), (2, "fail", 75), (1, "exit", 100)];
    let trace: String = trace.iter().map(|(call, port, time)| line(*call, port, *time)).collect();
    let found = rows(&trace, &[]);
    assert_eq!(keys(&found[0], &["name", "total", "self"]), json!(["main", 100, 85]));
    assert_eq!(keys(&found[1], &["name", "total", "self"]), json!(["member", 15, 15]));
}

#[test]
fn children_side_by_side_count_once() {
    let event = |call: u32, parent: &str, port: &str, time: u32| {
        format!(
            "{{\"call\": {call}, \"parent\": {parent}, \"port\": \"{port}\", \"name\": \"f{call}\", \"time\": {time}, \"thread\": {call}}}\n"
        )
    };
    let trace = event(1, "null", "call", 0)
        + &event(2, "1", "call", 10)
        + &event(3, "1", "call", 20)
        + &event(2, "1", "exit", 50)
        + &event(3, "1", "exit", 70)
        + &event(1, "null", "exit", 100);
    let found = rows(&trace, &[]);
    let self_times: Vec<Value> = found.iter().map(|row| keys(row, &["name", "self"])).collect();
    assert_eq!(self_times, [json!(["f3", 50]), json!(["f1", 40]), json!(["f2", 40])]);
}

#[test]
fn a_call_without_an_end_has_no_duration() {
    let found = rows(
        &CALLS.replace("{\"call\": 1, \"depth\": 1, \"port\": \"exit\", \"name\": \"main\", \"time\": 100}\n", ""),
        &[],
    );
    let main = found.iter().find(|row| row["name"] == "main").unwrap();
    assert_eq!(main, &json!({"name": "main", "calls": 1, "errors": 0, "depth": 1}));
}

#[test]
fn calls_are_grouped_by_any_attributes_and_chosen_by_constraints() {
    let found = rows(CALLS, &["--by", "depth", "--where", "depth > 1"]);
    let found: Vec<Value> = found.iter().map(|row| keys(row, &["name", "calls", "total"])).collect();
    assert_eq!(found, [json!(["2", 2, 70]), json!(["3", 1, 10])]);
    let found = rows(CALLS, &["--by", "depth,name", "-n", "1"]);
    assert_eq!(keys(&found[0], &["depth", "name", "calls"]), json!(["2", "load", 2]));
    let found = rows(CALLS, &["--where", "depth > 1, name = parse"]);
    assert_eq!(found.len(), 1);
}

#[test]
fn each_attribute_that_names_a_row_has_a_column() {
    let (_folder, path) = file("calls.jsonl", CALLS);
    for total in [&[][..], &["--total"]] {
        let csv = stdout(papaver().args(["stats", "--by", "name,depth", "--to", "csv"]).args(total).arg(&path), 0);
        assert_eq!(
            csv,
            "name,depth,calls,errors,total,self,p50,p95,p99,max\n\
             load,2,2,1,70,60,30,40,40,40\nmain,1,1,0,100,30,100,100,100,100\nparse,3,1,0,10,10,10,10,10,10\n"
        );
    }
}

#[test]
fn events_are_counted_where_there_are_no_calls() {
    let text = r#"{"port": "note", "name": "b", "kind": "x"}
{"port": "note", "name": "a", "kind": "x"}
{"port": "note", "name": "a", "kind": "y"}
"#;
    let (_folder, path) = file("notes.jsonl", text);
    for total in [&[][..], &["--total"]] {
        let csv = |by: &str| stdout(papaver().args(["stats", "--to", "csv", "--by", by]).args(total).arg(&path), 0);
        let found = csv("name");
        let first_two = |row: &str| row.split(',').take(2).collect::<Vec<_>>().join(" ");
        assert_eq!(found.lines().map(first_two).collect::<Vec<_>>(), ["name events", "a 2", "b 1"]);
        assert!(!found.contains("total"), "{found}");
        assert_eq!(csv("name,kind").lines().count(), 4);
    }
}

#[test]
fn calls_are_grouped_by_what_is_known_at_their_ends() {
    let text = "7 1.000001 open(\"a\", O_RDONLY) = -1 ENOENT (No such file or directory)\n\
                7 1.000002 open(\"b\", O_RDONLY) = 3\n\
                7 1.000003 open(\"c\", O_RDONLY) = -1 EACCES (Permission denied)\n\
                7 1.000004 open(\"d\", O_RDONLY) = -1 ENOENT (No such file or directory)\n\
                7 1.000005 read(3, \"\", 1) = 0\n";
    let (_folder, path) = file("calls.strace", text);
    let args = ["stats", "-q", "--by", "name,errno", "--to", "json"];
    for total in [&[][..], &["--total"]] {
        let found = stdout(papaver().args(args).args(total).arg(&path), 0);
        let found: Vec<Value> = found.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut found: Vec<Value> = found.iter().map(|row| keys(row, &["name", "errno", "calls", "errors"])).collect();
        found.sort_by_key(Value::to_string);
        let expected = [
            json!(["open", "-", 1, 0]),
            json!(["open", "EACCES", 1, 1]),
            json!(["open", "ENOENT", 2, 2]),
            json!(["read", "-", 1, 0]),
        ];
        assert_eq!(found, expected);
    }
}

#[test]
fn a_table_has_units_and_csv_has_numbers() {
    let (_folder, path) = file("calls.jsonl", CALLS);
    let table = stdout(papaver().arg("stats").arg(&path), 0);
    assert_eq!(
        table,
        "name   calls  errors  depth   total   self     p50     p95     p99     max\n\
         load       2       1      2   70 ns  60 ns   30 ns   40 ns   40 ns   40 ns\n\
         main       1       0      1  100 ns  30 ns  100 ns  100 ns  100 ns  100 ns\n\
         parse      1       0      3   10 ns  10 ns   10 ns   10 ns   10 ns   10 ns\n"
    );
    let csv = stdout(papaver().arg("stats").arg(&path).args(["--to", "csv", "-n", "1"]), 0);
    assert_eq!(csv, "name,calls,errors,depth,total,self,p50,p95,p99,max\nload,2,1,2,70,60,30,40,40,40\n");
}

#[test]
fn a_trace_without_times_counts_events() {
    let text = stdout(papaver().args(["stats", &data("queens.trace"), "--to", "csv", "--where", "name = main"]), 0);
    // main is entered at event 1 and left at event 698, the last one
    assert!(text.ends_with(",697,697,697,697\n"), "{text}");
}

#[test]
fn mistakes_are_told_at_their_place() {
    let (_folder, path) = file("calls.jsonl", CALLS);
    let told = stderr(papaver().arg("stats").arg(&path).args(["--by", "sevrice"]), 2);
    assert!(told.starts_with("--by:1:1: error: expected an attribute, found `sevrice`"), "{told}");
    let told = stderr(papaver().arg("stats").arg(&path).args(["--where", "depth >"]), 2);
    assert!(told.starts_with("--where:1:"), "{told}");
    let told = stderr(papaver().arg("stats").arg(&path).args(["--where", "dept > 1"]), 2);
    assert!(told.contains("did you mean `depth`"), "{told}");
}

#[test]
fn answers_of_queries_fit_into_a_table() {
    let goal = "event([port=P, name=safe, depth=D, chrono=C]), C < 60";
    let table = stdout(papaver().args(["query", goal, &data("queens.trace"), "--to", "table"]), 0);
    let lines: Vec<&str> = table.lines().collect();
    let csv = stdout(papaver().args(["query", goal, &data("queens.trace"), "--to", "csv"]), 0);
    let fields = |line: &str| line.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    let expected: Vec<Vec<String>> = csv.lines().map(|line| line.split(',').map(str::to_string).collect()).collect();
    assert_eq!(lines.iter().map(|line| fields(line)).collect::<Vec<_>>(), expected);
    assert!(lines.len() > 3 && lines[1..].iter().all(|line| line.len() == lines[0].len()), "{table}");
}

/// The kinds nest in each other, and calls of one kind run in two threads from 0 to 90 and from 20 to 100.
#[test]
fn no_total_is_longer_than_the_trace() {
    let text: String = [
        (1, "server", "null", "call", 0),
        (2, "client", "1", "call", 10),
        (3, "server", "null", "call", 20),
        (4, "server", "2", "call", 30),
        (5, "client", "3", "call", 40),
        (4, "server", "2", "exit", 60),
        (2, "client", "1", "exit", 70),
        (5, "client", "3", "exit", 80),
        (1, "server", "null", "exit", 90),
        (3, "server", "null", "exit", 100),
    ]
    .iter()
    .map(|(call, kind, parent, port, time)| {
        let thread = if matches!(call, 3 | 5) { 2 } else { 1 };
        let rest = format!("\"name\": \"f\", \"kind\": \"{kind}\", \"port\": \"{port}\", \"time\": {time}");
        format!("{{\"call\": {call}, \"parent\": {parent}, \"thread\": {thread}, {rest}}}\n")
    })
    .collect();
    let found = rows(&text, &["--by", "kind"]);
    let found: Vec<Value> = found.iter().map(|row| keys(row, &["name", "calls", "total", "self"])).collect();
    // servers alone: 0-10, 70-90; 20-40, 80-100; 30-60. clients alone: 10-30, 60-70; 40-80
    assert_eq!(found, [json!(["server", 3, 100, 100]), json!(["client", 2, 70, 70])]);
    assert_eq!(keys(&rows(&text, &[])[0], &["calls", "total"]), json!([5, 100]));
}

#[test]
fn a_call_that_outlives_the_one_that_made_it_counts_in_the_total() {
    let event = |call: u32, parent: &str, port: &str, time: u32| {
        format!(
            "{{\"call\": {call}, \"parent\": {parent}, \"port\": \"{port}\", \"name\": \"f\", \"time\": {time}, \"thread\": {call}}}\n"
        )
    };
    // active from 0 to 50, from 20 to 80, and again from 100 to 110
    let trace = event(1, "null", "call", 0)
        + &event(2, "1", "call", 20)
        + &event(1, "null", "exit", 50)
        + &event(2, "1", "exit", 80)
        + &event(1, "null", "redo", 100)
        + &event(1, "null", "fail", 110);
    let found = rows(&trace, &[]);
    assert_eq!(keys(&found[0], &["calls", "total"]), json!([2, 90]));
}

/// The rows of `papaver stats --total --to json` about several traces.
fn total(traces: &[&Path], options: &[&str], status: i32) -> Vec<Value> {
    let text = stdout(papaver().args(["stats", "-q", "--total", "--to", "json"]).args(traces).args(options), status);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `load` runs from 5 to 15 and `parse` from 20 to 21.
const MORE_CALLS: &str = r#"{"call": 1, "depth": 1, "port": "call", "name": "load", "time": 5}
{"call": 1, "depth": 1, "port": "exit", "name": "load", "time": 15}
{"call": 2, "depth": 1, "port": "call", "name": "parse", "time": 20}
{"call": 2, "depth": 1, "port": "exit", "name": "parse", "time": 21}
"#;

#[test]
fn the_total_has_the_percentiles_of_all_durations() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [("a.jsonl", CALLS), ("b.jsonl", MORE_CALLS)].map(|(name, text)| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    });
    let traces: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let expected = [
        json!({"name": "load", "calls": 3, "errors": 1, "depth": 1, "total": 80, "self": 70, "p50": 30, "p95": 40, "p99": 40, "max": 40}),
        json!({"name": "main", "calls": 1, "errors": 0, "depth": 1, "total": 100, "self": 30, "p50": 100, "p95": 100, "p99": 100, "max": 100}),
        json!({"name": "parse", "calls": 2, "errors": 0, "depth": 1, "total": 11, "self": 11, "p50": 1, "p95": 10, "p99": 10, "max": 10}),
    ];
    assert_eq!(total(&traces, &[], 0), expected);
    assert_eq!(total(&[folder.path()], &["-n", "1"], 0), expected[..1]);
    let table = stdout(papaver().args(["stats", "--total", "--where", "depth = 1"]).args(&traces), 0);
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["name", "calls", "errors", "depth", "total", "self", "p50", "p95", "p99", "max"]);
    assert_eq!(
        lines[1..].iter().map(|line| (line[0], line[1])).collect::<Vec<_>>(),
        [("main", "1"), ("load", "1"), ("parse", "1")]
    );
}

#[test]
fn the_total_of_one_trace_is_its_table() {
    for (name, options) in [
        ("queens.trace", &[][..]),
        ("qsort.jsonl", &["--by", "depth,name", "--where", "depth > 2"]),
        ("../../examples/spans/depot.jsonl", &["--by", "service", "-n", "2"]),
        ("../../examples/erlang/bank.jsonl", &["--to", "csv"]),
    ] {
        let table = stdout(papaver().args(["stats", "-q", &data(name)]).args(options), 0);
        assert_eq!(stdout(papaver().args(["stats", "-q", "--total", &data(name)]).args(options), 0), table, "{name}");
        assert!(table.lines().count() > 2, "{table}");
    }
}

/// A random trace; `calls` have begun before it, and it begins at `time`.
struct RandomCalls {
    text: String,
    calls: u64,
    time: u64,
}

impl RandomCalls {
    /// Adds a trace after the one before; with `parents`, calls may outlive those that made them.
    fn add(&mut self, random: &mut Random, has_times: bool, parents: bool) {
        let mut open: Vec<(u64, u64, &str)> = Vec::new();
        let n_moves = 10 + random.below(60);
        for number in 0.. {
            self.time += random.below(400);
            let closes = number >= n_moves || random.below(2) == 0;
            let (call, parent, depth, name, port) = if closes && !open.is_empty() {
                let at = if parents { random.below(open.len() as u64) as usize } else { open.len() - 1 };
                let (call, parent, name) = open.remove(at);
                (call, parent, open.len() + 1, name, random.of(&["exit", "exit", "exception"]))
            } else if number >= n_moves {
                break;
            } else {
                self.calls += 1;
                let parent = open.last().map_or(0, |(call, ..)| *call);
                open.push((self.calls, parent, random.of(&["p", "q", "r"])));
                let (call, parent, name) = open[open.len() - 1];
                (call, parent, open.len(), name, "call")
            };
            let parent = if parent == 0 { "null".to_string() } else { parent.to_string() };
            let place = if parents { format!("\"parent\": {parent}") } else { format!("\"depth\": {depth}") };
            let time = if has_times { format!(", \"time\": {}", self.time) } else { String::new() };
            let event = format!("\"call\": {call}, {place}, \"port\": \"{port}\", \"name\": \"{name}\"{time}");
            self.text += &format!("{{{event}}}\n");
        }
    }
}

#[test]
fn the_total_is_the_profile_of_the_traces_one_after_another() {
    let mut random = Random(25);
    let folder = tempfile::tempdir().unwrap();
    for round in 0..12 {
        let (has_times, parents) = (round % 3 != 0, round % 2 == 1);
        let mut all = RandomCalls { text: String::new(), calls: 0, time: 7 };
        let mut starts = vec![0];
        for _ in 0..1 + random.below(4) {
            all.add(&mut random, has_times, parents);
            starts.push(all.text.len());
        }
        let whole = folder.path().join(format!("{round}.jsonl"));
        fs::write(&whole, &all.text).unwrap();
        let parts: Vec<PathBuf> = starts
            .windows(2)
            .enumerate()
            .map(|(number, ends)| {
                let path = folder.path().join(format!("{round}-{number}.jsonl"));
                fs::write(&path, &all.text[ends[0]..ends[1]]).unwrap();
                path
            })
            .collect();
        let parts: Vec<&Path> = parts.iter().map(PathBuf::as_path).collect();
        let mut expected = total(&[&whole], &[], 0);
        let mut found = total(&parts, &[], 0);
        // groups with the same self time are in the order of their first events, which numbers of calls do not change
        expected.sort_by_key(|row| row["name"].to_string());
        found.sort_by_key(|row| row["name"].to_string());
        assert_eq!(found, expected, "{}", all.text);
        assert!(!expected.is_empty());
    }
}

#[test]
fn a_broken_trace_is_told_and_costs_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let good = write("good.jsonl", CALLS.as_bytes());
    let broken = write("broken.jsonl.gz", &[0x1F, 0x8B, 8, 0]);
    let events = write("events.trace", b"1: 1 [1] call load() []\n2: 1 [1] exit load() []\n");
    let without_calls = write("none.jsonl", b"{\"port\": \"note\", \"name\": \"load\"}\n");
    let traces: [&Path; 4] = [&without_calls, &good, &broken, &good];
    let found = total(&traces, &["--by", "name"], 2);
    assert_eq!(keys(&found[0], &["name", "calls", "self", "max"]), json!(["load", 4, 120, 40]));
    let told = stderr(papaver().args(["stats", "--total"]).args(traces), 2);
    assert_eq!(told.matches("error").count(), 1, "{told}");
    assert!(told.contains("broken.jsonl.gz"), "{told}");
    let told = stderr(papaver().args(["stats", "--total"]).args([&good, &events]), 2);
    assert!(
        told.contains(
            "events.trace: calls are measured in events, but in nanoseconds in the traces before: `--total` cannot"
        ),
        "{told}"
    );
    let kept = total(&[&good, &events], &["--by", "name"], 2);
    assert_eq!(keys(&kept[0], &["name", "calls"]), json!(["load", 2]));
    assert_eq!(stdout(papaver().args(["stats", "--total"]).arg(&broken), 2), "");
}

#[test]
fn names_that_look_alike_but_differ_have_rows_of_their_own() {
    let call = |value: &str| {
        let line = |port: &str| {
            format!("{{\"call\": 1, \"depth\": 1, \"port\": \"{port}\", \"name\": \"f\", \"code\": {value}}}\n")
        };
        line("call") + &line("exit")
    };
    let (_one, number) = file("number.jsonl", &call("7"));
    let (_other, text) = file("text.jsonl", &call("\"7\""));
    let found = total(&[&number, &text, &number], &["--by", "code"], 0);
    let found: Vec<Value> = found.iter().map(|row| keys(row, &["name", "calls"])).collect();
    assert_eq!(found, [json!(["7", 2]), json!(["7", 1])]);
}
