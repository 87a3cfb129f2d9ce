//! Traces of LTTng: the events of samples, as another program derived them, every rule, and what the tracer lost.

use std::fs;

use serde_json::Value;

use crate::support::{data, file, papaver, stderr, stdout};

fn sample(name: &str) -> String {
    data(&format!("lttng/{name}"))
}

fn answer(goal: &str, name: &str) -> String {
    stdout(papaver().args(["query", goal, &sample(name)]), 0).trim().to_string()
}

/// The events as `chrono call depth port time name`, 0 for no call.
fn events(name: &str) -> Vec<String> {
    let text = stdout(papaver().args(["convert", "--to", "jsonl", &sample(name)]), 0);
    let objects = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("each line is an object"));
    let shown = |object: &Value, key: &str| match object.get(key) {
        None | Some(Value::Null) => "0".to_string(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let events = objects.filter(|object| object.get("papaver").is_none()).enumerate();
    let keys = ["call", "depth", "port", "time", "name"];
    events.map(|(index, event)| format!("{} {}", index + 1, keys.map(|key| shown(&event, key)).join(" "))).collect()
}

#[test]
fn the_samples_have_the_events_that_another_program_found() {
    for name in ["shop.txt", "shop_names_all.txt"] {
        let expected = fs::read_to_string(sample(&format!("expected/{name}.events"))).unwrap();
        assert_eq!(events(name), expected.lines().map(str::to_string).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn both_forms_give_the_same_contexts_and_fields() {
    let goal = "event([chrono=2, args=A, arg_names=N, cpu=C, host=H, vpid=V, pid=P, tid=T, procname=Who, class=K])";
    let expected = "A = [\"pear {green}\", [], 48879, label('FRUIT', 0)], N = [\"name\", \"sizes\", \"flags\", \"kind\"], C = 1, \
        H = app, V = 3652, P = 3652, T = 3659, Who = shop, K = user";
    for name in ["shop.txt", "shop_names_all.txt"] {
        assert_eq!(answer(goal, name), expected, "{name}");
    }
    let level = "event([chrono=2, loglevel=L, domain=D])";
    assert_eq!(answer(level, "shop_names_all.txt"), "L = 'TRACE_DEBUG_LINE (13)', D = ust");
}

#[test]
fn each_bad_trace_breaks_its_rule_and_keeps_its_events() {
    for (name, n_events) in [
        ("L1_cut_line", 4),
        ("L1_no_event", 6),
        ("L2_time_goes_back", 2),
        ("L3_delta", 2),
        ("L4_exit_without_entry", 4),
    ] {
        let goal = "findall(R, integrity(R, _, _), L), trace_info(events, N), write(L-N), nl, fail ; true";
        let found = answer(goal, &format!("bad/{name}.txt"));
        let found = found.lines().next().unwrap_or_default();
        assert!(found.starts_with(&format!("[{}", &name[..2])) && found.ends_with(&format!("-{n_events}")), "{found}");
    }
}

const FLOOD: &str = "lossy/shop_flood.txt.gz";

#[test]
fn losses_stand_in_a_file_beside_the_trace() {
    assert_eq!(answer("lost(N, What, _, _)", FLOOD), "N = 2235, What = events");
    assert_eq!(answer("blind(F, T), D is T - F", FLOOD).rsplit("D = ").next(), Some("204655797"));
    assert_eq!(answer("window(overflow, F, T), D is T - F", FLOOD).rsplit("D = ").next(), Some("204655797"));
    assert!(answer("coverage(P), P > 0, P < 100", FLOOD).starts_with("P = "));
    assert_eq!(answer("sound(\\+ event([name=alarm])) -> write(yes) ; write(no)", FLOOD), "no");
    assert_eq!(answer("sound(\\+ event([name=alarm])) -> write(yes) ; write(no)", "shop.txt"), "yes");
    let inside = "event([time > 58142683140000, chrono=C]), sound(\\+ event([name=alarm, chrono=C..C])), !, write(yes)";
    assert_eq!(answer(inside, FLOOD).lines().next(), Some("yes"));
}

#[test]
fn losses_may_be_named_and_only_traces_of_lttng_have_them() {
    let text =
        "WARNING: Tracer discarded 3 packets between [16:09:02.133720888] and [16:09:02.134098471] in trace \"x\"\n";
    let (_folder, path) = file("errors", text);
    let losses = ["--losses", path.to_str().unwrap()];
    let found =
        stdout(papaver().args(["query", "lost(N, What, F, T), D is T - F"]).args(losses).arg(sample("shop.txt")), 0);
    assert!(found.contains("N = 3, What = packets") && found.contains("D = 377583"), "{found}");
    let error = stderr(papaver().args(["query", "true"]).args(losses).arg(data("qsort.trace")), 2);
    assert!(error.contains("--losses") && error.contains("`morphine`"), "{error}");
    let error = stderr(papaver().args(["query", "true", "--losses", "/nowhere/x"]).arg(sample("shop.txt")), 2);
    assert!(error.contains("/nowhere/x"), "{error}");
}

#[test]
fn threads_move_between_processors_and_boxes_do_not_need_contexts() {
    let text = "[1.000000000] t:a_begin: { cpu_id = 0 }, { vtid = 5 }, { x = 1 }\n\
        [2.000000000] t:tick: { cpu_id = 1 }, { vtid = 5 }, { }\n\
        [3.000000000] t:a_end: { cpu_id = 1 }, { vtid = 5 }, { }\n\
        [4.000000000] sched_switch: { cpu_id = 1 }, { prev_comm = \"a b\" }\n";
    let (_folder, path) = file("moves.txt", text);
    let query = |goal: &str| stdout(papaver().args(["query", goal]).arg(&path), 0).trim().to_string();
    assert_eq!(query("migrated(T)"), "T = 5");
    assert_eq!(query("findall(C, cpu_of(1, C), L)"), "L = [0, 1]");
    assert_eq!(query("event([chrono=4, name=N, args=A, call=C]) -> true ; write(none)"), "none");
    assert_eq!(query("event([chrono=4, name=N, args=A, depth=D])"), "N = sched_switch, A = [\"a b\"], D = 0");
}

#[test]
fn contexts_that_are_named_as_other_attributes_do_not_replace_them() {
    let text = "[1.000000000] t:a: { cpu_id = 0 }, { time = 5, data = 6, depth = 7 }, { x = 1 }\n";
    let (_folder, path) = file("named.txt", text);
    let goal = "event([time=T, context_time=C, data=D, context_data=E, depth=F, context_depth=G])";
    let answer = stdout(papaver().args(["query", goal]).arg(&path), 0);
    assert_eq!(answer.trim(), "T = 1000000000, C = 5, D = [x=1], E = 6, F = 0, G = 7");
}
