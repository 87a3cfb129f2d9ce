//! Chrome traces: what papaver writes is read as the trace that it was, and the samples have the facts that are known of them.

use serde_json::Value;

use crate::support::{data, file, papaver, stdout};

/// The events of a trace as objects, without attributes that an event lacks.
fn events(path: &str) -> Vec<Value> {
    let lines = stdout(papaver().args(["convert", "-q", "--to", "jsonl", path]), 0);
    let objects = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("every line is an object"));
    let without_null = |mut object: Value| {
        let entries = object.as_object_mut().expect("every line is an object");
        entries.retain(|_, value| !value.is_null());
        object
    };
    objects.map(without_null).filter(|object| object.get("papaver").is_none()).collect()
}

#[test]
fn what_is_written_reads_as_the_same_trace() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (trace, n_events) in [
        (data("queens.trace"), 698),
        (data("qsort.trace"), 65),
        ("examples/philosophers/philos_ok.trc".to_owned(), 135),
        ("examples/seqtrace/b.raw".to_owned(), 28),
        ("examples/parallel/ciao_qsort_3agents.ev".to_owned(), 194),
        ("examples/monpoly/reports.log".to_owned(), 14),
    ] {
        let path = folder.path().join("written.json");
        stdout(papaver().args(["convert", "-q", "--to", "chrome", &trace, "-o"]).arg(&path), 0);
        let (before, after) = (events(&trace), events(&path.to_string_lossy()));
        assert_eq!(before.len(), n_events, "{trace}");
        assert_eq!(after.len(), n_events, "{trace}");
        before.iter().zip(&after).for_each(|(one, other)| assert_eq!(one, other, "{trace}"));
    }
}

#[test]
fn a_file_that_papaver_wrote_is_read_as_slices_if_the_format_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("written.json");
    stdout(papaver().args(["convert", "-q", "--to", "chrome", &data("queens.trace"), "-o"]).arg(&path), 0);
    let ports = "tally(P, event([port=P]), L)";
    let slices = stdout(papaver().args(["query", "-q", "--from", "chrome", ports]).arg(&path), 0);
    assert_eq!(slices, "L = [call-241, event-216, exit-241]\n");
}

/// A trace of threads only, as viztracer and uftrace write it.
#[test]
fn questions_about_threads_need_no_operations_arrows_counters_or_names() {
    let (_folder, path) = file(
        "threads.json",
        r#"[{"ph":"X","ts":1,"dur":4,"pid":1,"tid":1,"name":"f"},
            {"ph":"X","ts":3,"dur":4,"pid":1,"tid":2,"name":"g"},
            {"ph":"X","ts":9,"dur":1,"pid":1,"tid":1,"name":"f"}]"#,
    );
    let query = |goal: &str, status| stdout(papaver().args(["query", "-q", goal]).arg(&path), status);
    let running = "findall(T-N, parallel(T, N), L)";
    assert_eq!(query(running, 0), "L = [1000-1, 3000-2, 5000-1, 7000-0, 9000-1, 10000-0]\n");
    assert_eq!(query("idle(Track, From, To)", 0), "Track = 1-1, From = 5000, To = 9000\n");
    assert_eq!(query("findall(T-P-N, track(1, T, P, N), L)", 0), "L = [1-(-)-(-), 2-(-)-(-)]\n");
    query("arrows_arrive", 0);
    for goal in ["async(_, _)", "in_flight(_, _)", "flow(_, _, _)", "counter(_, _, _)", "object(_, _, _, _)"] {
        assert_eq!(query(goal, 1), "", "{goal}");
    }
}

#[test]
fn arrows_that_never_arrive_are_found() {
    let slice = |ts: u32, more: &str| format!(r#"{{"ph":"X","ts":{ts},"dur":4,"pid":1,"tid":1,"name":"f"{more}}}"#);
    let start = r#"{"ph":"s","id":1,"cat":"c","name":"a","ts":2,"pid":1,"tid":1}"#.to_owned();
    let end = r#"{"ph":"f","bp":"e","id":1,"cat":"c","name":"a","ts":3,"pid":1,"tid":1}"#.to_owned();
    let (out, into) = (slice(11, r#","bind_id":7,"flow_out":true"#), slice(21, r#","bind_id":7,"flow_in":true"#));
    for (records, status) in [
        (vec![slice(1, ""), start.clone(), end], 0),
        (vec![slice(1, ""), start], 1),
        (vec![out.clone(), into], 0),
        (vec![out], 1),
    ] {
        let (_folder, path) = file("arrows.json", &format!("[{}]", records.join(",\n")));
        stdout(papaver().args(["query", "-q", "arrows_arrive"]).arg(&path), status);
    }
}

#[test]
fn texts_are_terms_only_if_records_are_named_after_lines_of_files() {
    for (name, args) in [("event loop", r#"["5"]"#), ("event src/orders.rs:18", "[5]")] {
        let record = format!(r#"[{{"ph":"i","ts":1,"pid":1,"tid":1,"name":"{name}","args":{{"a":"5"}}}}]"#);
        let (_folder, path) = file("named.json", &record);
        assert_eq!(stdout(papaver().args(["query", "-q", "event([args=A])"]).arg(&path), 0), format!("A = {args}\n"));
    }
}

/// Such as the settings of the recorder that some browsers write first, indented.
#[test]
fn a_document_is_recognised_by_its_keys_behind_long_others() {
    let settings = "  \"a setting\": \"and its value\",\n".repeat(4000);
    let records = r#"[{"ph":"X","ts":1,"dur":4,"pid":1,"tid":1,"name":"f"}]"#;
    let (_folder, path) = file("late.json", &format!("{{\n{settings}  \"traceEvents\": {records}\n}}\n"));
    let goal = "trace_info(format, F), trace_info(events, N)";
    assert_eq!(stdout(papaver().args(["query", "-q", goal]).arg(&path), 0), "F = chrome, N = 2\n");
}
