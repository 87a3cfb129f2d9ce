//! `papaver check --builtin` and `papaver info --strict`.

use crate::support::{data, file, papaver, stdout};

/// A log that states nothing but the output of a process, and events without `det`.
#[test]
fn checks_are_chosen_by_what_the_trace_has() {
    let chosen = |name: &str, text: &str| -> Vec<Vec<String>> {
        let (_folder, path) = file(name, text);
        let follow: [&[&str]; 2] = [&[], &["--follow", "--until-idle", "100ms"]];
        let outcomes = follow.map(|more| stdout(papaver().args(["check", "--builtin"]).arg(&path).args(more), 0));
        let name_of = |line: &str| line.split_whitespace().nth(1).unwrap().to_owned();
        outcomes
            .iter()
            .map(|text| text.lines().filter(|line| line.starts_with("holds")).map(name_of).collect())
            .collect()
    };
    let print = chosen("print.raw", "{seq_trace,0,{print,{0,1},<0.93.0>,[],hi}}.\n");
    assert_eq!(print, [["well_formed"]; 2]);
    let calls = ["well_formed", "every_call_ends", "boxes_alternate", "boxes_nest"];
    assert_eq!(chosen("queens.trace", &std::fs::read_to_string(data("queens.trace")).unwrap()), [calls; 2]);
    let names = chosen("run.jsonl", "{\"name\": \"start\"}\n{\"name\": \"stop\"}\n");
    assert_eq!(names, [["well_formed"]; 2]);
}

/// Findings other than faults do not make a check fail, and `--strict` refuses findings graver than notes.
#[test]
fn strict_refuses_faults_and_warnings_and_passes_notes() {
    let passes = |name: &str, status: i32| stdout(papaver().args(["info", "--strict", &data(name)]), status);
    passes("visandor/ciao_fib_2agents.ev", 0);
    passes("visandor/ciao_overflow.ev.gz", 2);
    passes("mpd/CS_stdout_mixed.trc", 2);
    passes("mpd/bad/M4_end_line.trc", 2);
    let severities =
        stdout(papaver().args(["query", "finding(S, R, C, W)", "--to=csv", &data("visandor/ciao_overflow.ev.gz")]), 0);
    let severities: Vec<&str> = severities.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(severities, ["warning", "note"]);
}

/// The cost of a deep recursion that was killed: each of its calls is open, and so is the one around it.
#[test]
fn the_checks_of_calls_take_steps_in_proportion_to_open_calls() {
    let n_calls = 3000;
    let event = |call: u32| {
        let parent = call - 1;
        format!(
            "{{\"port\":\"call\",\"name\":\"f\",\"arity\":0,\"call\":{call},\"parent\":{parent},\"depth\":{call}}}\n"
        )
    };
    let events: String = (1..=n_calls).map(event).collect();
    let ends = |end: &str| format!("{{\"papaver\":1,\"port\":\"trailer\",\"events\":{n_calls},\"lost\":0{end}}}\n");
    let header = "{\"papaver\":1,\"port\":\"header\",\"source\":\"t 1\"}\n";
    let killed = ends(",\"end\":\"interrupted\"");
    let (_folder, path) = file("deep.jsonl", &format!("{header}{events}{killed}"));
    let goal = |check: &str| {
        format!("statistics(inferences, Before), {check}, statistics(inferences, After), N is After - Before")
    };
    for check in ["every_call_ends", "boxes_alternate", "boxes_nest"] {
        let answer = stdout(papaver().args(["query", &goal(check)]).arg(&path), 0);
        let n_steps = answer.trim().rsplit(' ').next().and_then(|n| n.parse::<u32>().ok()).expect("N is last");
        assert!(n_steps < 20 * n_calls, "{check}: {n_steps} steps for {n_calls} calls");
    }
}

/// What writers of the format do, each with the finding that says so, if there is one.
const LAWFUL: &[(&str, &str, &str)] = &[
    ("ends.json", "[\n{\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1},\n{}\n]\n", ""),
    ("ends_blank.json", "[{\"name\":\"a\",\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":1}, { }]\n", ""),
    (
        "one_time.json",
        r#"[{"name":"a","ph":"B","ts":1,"pid":1,"tid":1},{"name":"b","ph":"B","ts":2,"pid":1,"tid":1},
            {"name":"c","ph":"B","ts":2,"pid":1,"tid":1},{"name":"a","ph":"E","ts":3,"pid":1,"tid":1},
            {"name":"b","ph":"E","ts":3,"pid":1,"tid":1},{"name":"c","ph":"E","ts":3,"pid":1,"tid":1}]"#,
        "",
    ),
    (
        "middle.json",
        r#"{"traceEvents":[{"name":"x","ph":"E","ts":1,"pid":1,"tid":1},{"name":"y","ph":"B","ts":2,"pid":1,"tid":1},
            {"name":"y","ph":"E","ts":3,"pid":1,"tid":1},{"ph":"E","ts":4,"pid":1,"tid":1}]}"#,
        "note C5",
    ),
    ("arrow.json", r#"[{"name":"f","cat":"f","ph":"f","id":7,"ts":3,"pid":1,"tid":1,"bp":"e"}]"#, "note C7"),
    ("async.json", r#"[{"name":"z","ph":"e","cat":"c","id":8,"ts":4,"pid":1,"tid":1}]"#, "note C5"),
    (
        "signals.jsonl",
        r#"{"resourceLogs":[{"resource":{},"scopeLogs":[{"logRecords":[{"timeUnixNano":"1","body":{"stringValue":"x"}}]}]}]}
{"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"root","kind":2,"startTimeUnixNano":"1","endTimeUnixNano":"2"}]}]}]}
{"resourceMetrics":[{"resource":{},"scopeMetrics":[{"metrics":[{"name":"m","unit":"1"}]}]}]}
"#,
        "note signals: line 1: 2 documents",
    ),
    (
        "table.strace",
        "1 openat(AT_FDCWD, \"/etc/x\", O_RDONLY) = 3\n1 read(3, \"x\", 9) = 1\n1 close(3) = 0\n1 +++ exited with 0 +++\n\
         % time     seconds  usecs/call     calls    errors syscall\n\
         ------ ----------- ----------- --------- --------- ----------------\n 50.00    0.000020          20         1         1 openat\n\
         ------ ----------- ----------- --------- --------- ----------------\n100.00    0.000020          20         1         1 total\n",
        "",
    ),
    (
        "build.jsonl",
        r##"{"ImportPath":"m/b","Action":"build-output","Output":"# m/b\n"}
{"ImportPath":"m/b","Action":"build-fail"}
{"Time":"2024-05-01T10:00:00.1Z","Action":"start","Package":"m/a"}
go: downloading example.com/x v1.2.3
FAIL	m/c [build failed]
{"Time":"2024-05-01T10:00:00.4Z","Action":"pass","Package":"m/a","Elapsed":0.3}
"##,
        "warning untimed: line 1: the event has no time\n  warning untimed: line 2: the event has no time\n  warning output: line 4",
    ),
];

/// A false alarm costs as much trust as a violation that is not seen.
#[test]
fn what_writers_of_a_format_do_is_no_violation() {
    for (name, text, finding) in LAWFUL {
        let (_folder, path) = file(name, text);
        stdout(papaver().args(["check", "--builtin"]).arg(&path), 0);
        let info = stdout(papaver().arg("info").arg(&path), 0);
        assert!(info.contains(&format!("\n  {finding}")) || finding.is_empty() && !info.contains("findings"), "{info}");
        assert!(!info.contains("fault"), "{info}");
    }
}

/// Formats without calls, and with calls whose events have other ports.
#[test]
fn budgets_and_failures_are_asked_for_in_every_format() {
    for (name, status) in [("seq_trace/gen.raw", 0), ("visandor/synth_or.ev", 1), ("mpd/philos_ok.trc", 0)] {
        for (goal, status) in [("within_budget([], s(5))", 0), ("\\+ error(_)", status)] {
            let (_folder, script) = file("c.pl", &format!("check(a) :- {goal}.\n"));
            stdout(papaver().arg("check").arg(&script).arg(data(name)), status);
        }
    }
}
