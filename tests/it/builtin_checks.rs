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
