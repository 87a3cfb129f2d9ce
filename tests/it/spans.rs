//! `--span`: events of a POSIX trace that open and close boxes.

use std::fmt::Write;

use crate::support::{data, file, papaver, stderr, stdout};

const JOBS: &str = "job_get,job_done,tid";

fn ask(goal: &str, spans: &[&str], path: &str) -> String {
    let mut query = papaver();
    query.args(["query", "-q", goal, path]);
    query.args(spans.iter().flat_map(|span| ["--span", span]));
    stdout(&mut query, 0).trim_end().to_string()
}

fn sample(name: &str) -> String {
    data(&format!("posix/{name}.jsonl"))
}

/// A trace of events, each `NAME TID` or `NAME TID PID` in the order of time; those of the system have thread 0.
fn trace(events: &[&str]) -> String {
    let mut text = String::from("{\"posix_trace\":1,\"attr\":{}}\n");
    let ids = ["start", "stop", "overflow", "resume", "flush_start", "flush_stop"];
    for (id, name) in ids.iter().enumerate() {
        writeln!(text, "{{\"type\":{},\"name\":\"posix_trace_{name}\",\"class\":\"system\"}}", id + 1).unwrap();
    }
    let users = ["get", "done", "lock", "unlock", "note"];
    for (id, name) in users.iter().enumerate() {
        writeln!(text, "{{\"type\":{},\"name\":\"{name}\",\"class\":\"user\"}}", id + 21).unwrap();
    }
    for (time, event) in events.iter().enumerate() {
        let words: Vec<&str> = event.split(' ').collect();
        let (name, tid) = (words[0], words[1]);
        let known = |names: &[&str], first| names.iter().position(|one| *one == name).map(|place| place + first);
        let id = known(&ids, 1).or(known(&users, 21)).unwrap();
        let pid = words.get(2).copied().unwrap_or(if tid == "0" { "0" } else { "7" });
        writeln!(text, "{{\"t\":\"{time}.0\",\"id\":{id},\"pid\":{pid},\"tid\":{tid},\"addr\":\"0x1\",\"trunc\":\"POSIX_TRACE_NOT_TRUNCATED\"}}").unwrap();
    }
    text
}

/// The event lines of a trace, without their blanks.
fn lines(events: &[&str], spans: &[&str]) -> Vec<String> {
    let (_folder, path) = file("t.jsonl", &trace(events));
    let printed = ask("toggle(time), toggle(tid), fget([])", spans, &path.display().to_string());
    printed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The pairs of each thread were counted without papaver; in `untilfull` one job is still running when the trace stops.
#[test]
fn the_jobs_of_the_samples_are_boxes() {
    for (name, calls, exits) in [
        ("loop", "[2-12, 4-6]", "[2-12, 4-6]"),
        ("filter", "[2-4, 4-4, 6-3]", "[2-4, 4-4, 6-3]"),
        ("untilfull", "[2-14, 5-5]", "[2-13, 5-5]"),
    ] {
        let goal = "tally(T, event([port=call, name=job_get, tid=T]), C), tally(T, event([port=exit, name=job_done, tid=T]), E)";
        assert_eq!(ask(goal, &[JOBS], &sample(name)), format!("C = {calls}, E = {exits}"), "{name}");
    }
    let inside = "tally(N, event([port=event, name=N, depth=2]), L)";
    assert_eq!(ask(inside, &[JOBS], &sample("loop")), "L = [note-18]");
    assert_eq!(ask(inside, &[JOBS], &sample("filter")), "L = [note-3]");
}

#[test]
fn what_is_asked_of_boxes_and_windows_can_be_asked_of_spans() {
    let path = sample("loop");
    assert_eq!(ask("every_call_ends, boxes_alternate", &[JOBS], &path), "true");
    let open = "findall(C-T, (open_call(C), call_start(C, S), attribute(S, tid, T)), L)";
    assert_eq!(ask(open, &[JOBS], &sample("untilfull")), "L = [16-2]");
    assert_eq!(ask("attribute(4, call, C), attribute(4, parent, P)", &[JOBS], &path), "C = 3, P = 1");
    let stack = ask("goto(5), stack", &[JOBS], &path);
    assert!(stack.contains("Level 0: (chrono=4, call=3, depth=2) job_get/1"), "{stack}");
    assert!(stack.contains("Level 1: (chrono=3, call=1, depth=1)"), "{stack}");
    let windows = "findall(K-F-T, window(K, F, T), L)";
    assert_eq!(ask(windows, &[JOBS], &path), ask(windows, &[], &path));
    let chrome = stdout(papaver().args(["convert", "--to", "chrome", "--span", JOBS, &path]), 0);
    assert_eq!(chrome.matches("{\"name\": \"job_get\", \"ph\": \"B\"").count(), 18);
    assert_eq!(chrome.matches("{\"name\": \"job_get\", \"ph\": \"E\"").count(), 18);
}

#[test]
fn a_saved_trace_keeps_its_spans_and_may_get_them_later() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let exits = "aggregate_all(count, event([port=exit]), N)";
    for (name, before, after) in [("with", &[JOBS][..], &[][..]), ("without", &[], &[JOBS])] {
        let saved = folder.path().join(format!("{name}.papaver")).display().to_string();
        let mut command = papaver();
        command.args(["convert", &sample("loop"), "-o", &saved]);
        command.args(before.iter().flat_map(|span| ["--span", span]));
        command.assert().success();
        assert_eq!(ask(exits, after, &saved), "N = 18", "{name}");
    }
}

#[test]
fn spans_nest_by_thread_and_nothing_else_enters_them() {
    let events =
        ["start 0", "get 1", "get 2", "lock 1", "note 1", "note 2", "note 3", "unlock 1", "done 1", "done 1", "stop 0"];
    let expected = [
        "1: 1 [1] start posix_trace_start [run1]",
        "2: 2 [2] call get [run1, get]",
        "3: 3 [2] call get [run1, get]",
        "4: 4 [3] call lock [run1, get, lock]",
        "5: 4 [3] event note [run1, get, lock]",
        "6: 3 [2] event note [run1, get]",
        "7: 1 [1] event note [run1]",
        "8: 4 [3] exit unlock [run1, get, lock]",
        "9: 2 [2] exit done [run1, get]",
        "10: 1 [1] event done [run1]",
        "11: 1 [1] stop posix_trace_stop [run1]",
    ];
    assert_eq!(lines(&events, &["get,done,tid", "lock,unlock,tid"]), expected);
    let (_folder, path) = file("t.jsonl", &trace(&events));
    let parents = "findall(C-P, event([port=call, call=C, parent=P]), L)";
    let spans = ["get,done,tid", "lock,unlock,tid"];
    assert_eq!(ask(parents, &spans, &path.display().to_string()), "L = [2-1, 3-1, 4-2]");
}

#[test]
fn events_of_two_processes_are_no_span() {
    let events = ["start 0", "get 1 7", "get 1 8", "done 1 7", "get 2 7", "done 1 8", "done 2 8", "done 2 7", "stop 0"];
    let (_folder, path) = file("t.jsonl", &trace(&events));
    let exits = "findall(F-C, (event([port=exit, call=K, chrono=C]), event([port=call, call=K, chrono=F])), L)";
    for keys in ["pid+tid", "tid + pid"] {
        let span = format!("get,done,{keys}");
        assert_eq!(ask(exits, &[&span], &path.display().to_string()), "L = [2-4, 3-6, 5-8]", "{keys}");
    }
}

#[test]
fn a_span_may_end_in_several_ways() {
    let events = ["start 0", "get 1", "get 1", "unlock 1", "done 1", "stop 0"];
    let event_lines = lines(&events, &["get,done,tid", "get,unlock,tid"]);
    assert_eq!(event_lines[1], "2: 2 [2] call get [run1, get]");
    assert_eq!(event_lines[2], "3: 3 [3] call get [run1, get, get]");
    assert_eq!(event_lines[3], "4: 3 [3] exit unlock [run1, get, get]");
    assert_eq!(event_lines[4], "5: 2 [2] exit done [run1, get]");
}

#[test]
fn nothing_is_paired_across_a_blind_window_but_a_flush_is_none() {
    for (from, to) in [("overflow 0", "resume 0"), ("stop 0", "start 0")] {
        let event_lines = lines(&["start 0", "get 1", from, to, "note 1", "done 1"], &["get,done,tid"]);
        assert!(event_lines[1].contains(" call get "), "{event_lines:?}");
        assert!(event_lines[4].contains(" [1] event note "), "{event_lines:?}");
        assert!(event_lines[5].contains(" [1] event done "), "{event_lines:?}");
    }
    let flushed = lines(&["start 0", "get 1", "flush_start 0", "note 1", "flush_stop 0", "done 1"], &["get,done,tid"]);
    assert_eq!(flushed[3], "4: 3 [2] event note [run1, get]");
    assert_eq!(flushed[5], "6: 3 [2] exit done [run1, get]");
}

#[test]
fn names_that_no_event_has_are_noted_with_those_that_may_be_meant() {
    let path = sample("loop");
    let notes = |span: &str| stderr(papaver().args(["query", "--span", span, "true", &path]), 0);
    let note =
        |name: &str, hint: &str| format!("papaver: note: {path}: --span: no event has the name `{name}`{hint}\n");
    let meant = |name: &str| format!(" (did you mean `{name}`?)");
    assert_eq!(notes("job_gte,job_done,tid"), note("job_gte", &meant("job_get")));
    assert_eq!(notes("job_get,job_dnoe,tid"), note("job_dnoe", &meant("job_done")));
    assert_eq!(notes("job_get,no_such_thing,tid"), note("no_such_thing", ""));
    assert_eq!(notes(JOBS), "");
}

#[test]
fn a_span_that_never_ends_is_a_violation_unless_it_may_have_ended_in_a_blind_window() {
    let verdicts = |events: &[&str]| {
        let (_folder, path) = file("t.jsonl", &trace(events));
        let output = papaver().args(["check", "--builtin", "--span", "get,done,tid"]).arg(&path).output();
        let text = String::from_utf8(output.expect("it runs").stdout).expect("reports are text");
        let lines = text.lines().filter(|line| line.contains("every_span_ends"));
        lines.map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&["start 0", "get 1", "get 2", "done 1", "stop 0"]), ["violated every_span_ends"]);
    assert_eq!(verdicts(&["start 0", "get 1", "done 1", "stop 0"]), ["holds every_span_ends"]);
    assert_eq!(verdicts(&["start 0", "get 1", "stop 0", "start 0", "stop 0"]), ["holds every_span_ends"]);
    assert!(verdicts(&["start 0", "note 1", "stop 0"]).is_empty());
}

#[test]
fn spans_that_cannot_be_are_errors_that_say_why() {
    let path = sample("loop");
    for (span, path, expected) in [
        (
            "job_get,job_done",
            &path,
            "expected OPEN,CLOSE,KEY like `job_get,job_done,pid+tid`, found `job_get,job_done`",
        ),
        ("get,done,pid+", &path, "found `get,done,pid+`"),
        ("job_get,job_done,tidd", &path, "unknown attribute `tidd` (did you mean `tid`?)"),
        ("job_get,job_get,tid", &path, "`job_get` cannot both open a span and close one"),
        (JOBS, &data("queens.trace"), "`--span` needs the format `posix`, and this one is `morphine`"),
    ] {
        let error = stderr(papaver().args(["query", "--span", span, "true", path]), 2);
        assert!(error.contains(expected), "{error}");
    }
    let queens = data("queens.trace");
    let error = stderr(papaver().args(["check", "--builtin", "--follow", "--span", JOBS, &queens]), 2);
    assert!(error.contains("`--span` needs the format `posix`"), "{error}");
}
