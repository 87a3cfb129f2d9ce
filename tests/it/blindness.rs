//! What a goal must know and what its trace lacks: every word whose answer other events could change is doubted on a trace with
//! a gap, and none on a whole one.

use std::path::Path;

use crate::support::{data, kept_file, papaver, stderr, stdout};

/// The header, a job of two calls, and what is lost between them if `gap` says so.
fn jobs(gap: &str) -> std::path::PathBuf {
    let lost = if gap.is_empty() { 0 } else { 5 };
    let text = format!(
        r#"{{"papaver":1,"port":"header","source":"t 1","time":"us"}}
{{"port":"call","name":"job","call":1,"time":100,"args":[1]}}
{{"port":"call","name":"part","call":2,"parent":1,"time":120,"args":[2]}}
{{"port":"exit","name":"part","call":2,"time":140,"args":[2]}}
{gap}{{"port":"exit","name":"job","call":1,"time":200,"args":[1]}}
{{"papaver":1,"port":"trailer","events":4,"lost":{lost},"end":"ok"}}
"#
    );
    kept_file("jobs.jsonl", &text)
}

const GAP: &str = "{\"papaver\":1,\"port\":\"gap\",\"lost\":5}\n";

/// The warning of each goal as a check, or none.
fn warnings(goals: &[&str], rules: &str, trace: &Path) -> Vec<Option<String>> {
    let checks: String = goals.iter().enumerate().map(|(n, goal)| format!("check({n}) :- {goal}.\n")).collect();
    let script = kept_file("rules.pl", &format!("{rules}{checks}"));
    let output = papaver().args(["check", "--to", "json"]).arg(&script).arg(trace).output().expect("papaver runs");
    let lines = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    let found: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found.len(), goals.len(), "{lines}");
    let warning = |(outcome, goal): (&serde_json::Value, &&str)| {
        assert_ne!(outcome["result"], "error", "{goal}: {outcome}");
        outcome["warning"].as_str().map(str::to_string)
    };
    found.iter().zip(goals).map(warning).collect()
}

/// Those of the goals that are doubted.
fn doubted<'g>(goals: &[&'g str], rules: &str, trace: &Path) -> Vec<&'g str> {
    let told = warnings(goals, rules, trace);
    goals.iter().zip(told).filter(|(_, warning)| warning.is_some()).map(|(goal, _)| *goal).collect()
}

/// Whatever happened in the gap could change these.
const OF_ALL: &[&str] = &[
    "never([name=alarm])",
    "\\+ exists([name=alarm])",
    "\\+ exists([name=job], exactly(3))",
    "always([call < 9])",
    "precedes([port=call, call=C], [port=exit, call=C])",
    "responds([port=exit, call=C], [port=call, call=C])",
    "foldt([port=call], [A, B]>>(B is A + 1), 0, 2)",
    "( event([port=call]), tick(calls, call), fail ; true ), ticks(calls, _)",
    "forall(event([port=call]), tick(calls, call))",
    "findall(C, call_start(C, _), [_, _])",
    "findall(C, child(1, C), [2])",
    "\\+ parent(_, 2)",
    "\\+ ancestor(2, 7)",
    "\\+ open_call(_)",
    "call_end(1, 4)",
    "last_np, stack([_])",
    "trace_info(events, 4)",
    "trace_info(calls, 2)",
    "\\+ attribute(_, name, alarm)",
    "aggregate_all(count, event([port=call]), 2)",
    "tally(N, event([name=N]), _)",
    "order_by([asc(N)], event([name=N]))",
    "\\+ (duration(_, D), D > 1_000_000)",
    "within_budget([name=job], 1_000_000)",
    "slowest(1, [_])",
    "self_time(1, _)",
    "concurrency(1, 1)",
    "time_is_kept",
    "every_call_ends",
    "no_exception",
    "boxes_nest",
    "profile([_, _])",
    "profile(name, [], [_, _])",
    "critical_path([_ | _], _)",
    "dynamic_call_graph(_)",
    "\\+ loops(_)",
    "no_alarm",
    "maplist(absent, [alarm])",
];

/// No event that is missing could change these.
const OF_SOME: &[&str] = &[
    "event([name=job])",
    "exists([name=part])",
    "\\+ never([name=part])",
    "event([chrono=2, name=N]), N == part",
    "never([name=alarm, chrono=1..3])",
    "goto_np(2), current(name=part)",
    "attribute(2, name, part)",
    "trace_info(source, _)",
    "trace_info(format, jsonl)",
    "well_formed",
    "\\+ integrity(_, _, _)",
    "blind(_, _) -> true ; true",
    "sound(event([name=job]))",
    "member(X, [1, 2]), X > 1",
];

const RULES: &str = "no_alarm :- \\+ event([name=alarm]).\nabsent(N) :- \\+ event([name=N]).\n";

#[test]
fn every_word_that_other_events_could_change_is_doubted_on_a_trace_with_a_gap() {
    let (whole, gap) = (jobs(""), jobs(GAP));
    assert_eq!(doubted(OF_ALL, RULES, &gap), OF_ALL);
    assert_eq!(doubted(OF_SOME, RULES, &gap), [""; 0]);
    assert_eq!(doubted(OF_ALL, RULES, &whole), [""; 0]);
    assert_eq!(doubted(OF_SOME, RULES, &whole), [""; 0]);
}

/// `note` is filtered out from event 1 to 25, `job_wait` from event 16 on.
#[test]
fn events_that_a_filter_left_out_are_unknown() {
    let of_filtered = [
        "never([name=note, chrono < 20])",
        "\\+ event([tid=9])",
        "forall(event([name=[job_get, note]]), true)",
        "never([class=user, data=zzz])",
        "findall(N, interval(note, N), [_, _])",
    ];
    let of_others = [
        "event([name=note])",
        "never([name=job_none])",
        "never([port=overflow])",
        "never([name=note, chrono > 28, tid=9])",
        "boxes_alternate",
        "nothing_lost",
        "rate(job_get, _)",
    ];
    let trace = data("posix/filter.jsonl");
    assert_eq!(doubted(&of_filtered, "", Path::new(&trace)), of_filtered);
    assert_eq!(doubted(&of_others, "", Path::new(&trace)), [""; 0]);
    let told = warnings(&["\\+ event([name=note, tid=9])"], "", Path::new(&trace));
    let text = "the answer depends on events that were filtered out from event 1 on: note";
    assert_eq!(told, [Some(text.to_string())]);
}

/// A span of a program that records at most one event a span, as SDKs do.
#[test]
fn what_spans_dropped_is_unknown() {
    let spans = |dropped: &str| {
        let text = format!(
            r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"GET /","startTimeUnixNano":"1000","endTimeUnixNano":"9000","events":[{{"timeUnixNano":"2000","name":"retry"}}]{dropped}}}]}}]}}]}}"#
        );
        kept_file("spans.json", &text)
    };
    let of_parts = ["never([port=event, name=alarm])", "never([name=alarm])", "never([port=call, 'http.status'=500])"];
    let of_spans = ["never([port=exception])", "no_orphans", "event([port=event, name=retry])", "every_call_ends"];
    for count in ["Events", "Attributes", "Links"] {
        let trace = spans(&format!(r#","dropped{count}Count":3"#));
        assert_eq!(doubted(&of_parts, "", &trace), of_parts, "{count}");
        assert_eq!(doubted(&of_spans, "", &trace), [""; 0], "{count}");
    }
    assert_eq!(doubted(&of_parts[..2], "", &spans("")), [""; 0]);
}

/// The first bytes of a sample, up to the middle of a line.
fn beginning(sample: &str) -> std::path::PathBuf {
    let bytes = std::fs::read(data(sample)).expect("the sample can be read");
    let place = bytes.len() * 6 / 10 + 3;
    let name = sample.rsplit('/').next().unwrap();
    let path = kept_file(name, "");
    std::fs::write(&path, &bytes[..place]).expect("it is written");
    path
}

#[test]
fn a_file_that_is_cut_is_unknown_where_it_ends() {
    let samples = [
        "otlp/shop_small.jsonl",
        "jaeger/one_trace.json",
        "zipkin/shared.json",
        "queens.jsonl",
        "queens.trace",
        "seq_trace/relay.raw",
        "visandor/synth_and.ev",
        "itf/lasso.json",
        "json/structlog.jsonl",
    ];
    for sample in samples {
        let goals = ["never([name=zzz])"];
        assert_eq!(doubted(&goals, "", &beginning(sample)), goals, "{sample}");
        assert_eq!(doubted(&goals, "", Path::new(&data(sample))), [""; 0], "{sample}");
    }
    let told = warnings(&["never([name=zzz])", "never([name=zzz, chrono=1..400])"], "", &beginning("queens.trace"));
    let text = "the answer depends on what could not be read between the events 429 and 430";
    assert_eq!(told, [Some(text.to_string()), None]);
}

#[test]
fn a_line_that_is_broken_in_the_middle_is_a_gap() {
    let text = "{\"port\":\"log\",\"name\":\"a\"}\n{\"port\":\"log\",\"na\n{\"port\":\"log\",\"name\":\"b\"}\n";
    let trace = kept_file("t.jsonl", text);
    let goals = ["never([name=zzz])", "never([name=zzz, chrono=2..9])", "event([name=b])"];
    assert_eq!(doubted(&goals, "", &trace), goals[..1]);
}

/// A log of another program has no trailer, and what a library does is unknown only where a name is unknown.
#[test]
fn what_a_recorder_left_out_with_the_library_is_unknown_where_no_event_has_a_name() {
    let lines = "{\"port\":\"call\",\"name\":\"main\",\"decl_module\":\"app\",\"call\":1}\n\
                 {\"port\":\"exit\",\"name\":\"main\",\"decl_module\":\"app\",\"call\":1}\n";
    let plain = kept_file("plain.jsonl", &format!("{{\"papaver\":1,\"port\":\"header\",\"time\":\"us\"}}\n{lines}"));
    let library = kept_file(
        "library.jsonl",
        &format!(
            "{{\"papaver\":1,\"port\":\"header\",\"source\":\"cpython 3\"}}\n{lines}\
             {{\"papaver\":1,\"port\":\"trailer\",\"events\":2,\"lost\":0,\"end\":\"ok\",\"left_out\":{{\"library\":true}}}}\n"
        ),
    );
    let of_library = [
        "never([name=loads])",
        "\\+ event([proc=json:loads])",
        "\\+ event([decl_module=json])",
        "forall(event([name=loads]), fail)",
    ];
    let of_program = [
        "never([name=main, port=exception])",
        "exists([name=main])",
        "no_exception",
        "every_call_ends",
        "responds([port=exit, call=C], [port=call, call=C])",
        "aggregate_all(count, event([decl_module=app, port=call]), 1)",
    ];
    assert_eq!(doubted(&of_library, "", &library), of_library);
    assert_eq!(doubted(&of_program, "", &library), [""; 0]);
    assert_eq!(doubted(&of_program, "", &plain), [""; 0]);
    assert_eq!(doubted(&of_library[..1], "", &plain), [""; 0]);
    for goal in of_library {
        stdout(papaver().args(["query", "-q", &format!("sound(({goal}))")]).arg(&library), 1);
    }
}

#[test]
fn stats_say_that_events_are_missing() {
    let (whole, gap) = (jobs(""), jobs(GAP));
    let told = |path: &Path| stderr(papaver().arg("stats").arg(path), 0);
    let note = "events are missing, and the numbers are about the others\n";
    for path in [&gap, Path::new(&data("posix/loop.jsonl")), Path::new(&data("lttng/lossy/shop_flood.txt.gz"))] {
        assert_eq!(told(path), format!("papaver: note: {}: {note}", path.display()));
    }
    for path in [&whole, Path::new(&data("posix/trunc.jsonl")), Path::new(&data("queens.jsonl"))] {
        assert_eq!(told(path), "");
    }
}
