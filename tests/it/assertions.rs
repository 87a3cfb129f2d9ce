//! The vocabulary of assertions in `papaver check`: verdicts, witnesses, reasons.

use serde_json::Value;

use crate::support::{data, file, papaver, stdout};

/// The outcomes of a script on the queens trace, as JSON.
fn outcomes(script: &str, status: i32) -> Vec<Value> {
    outcomes_on(script, &data("queens.trace"), status)
}

fn outcomes_on(script: &str, trace: &str, status: i32) -> Vec<Value> {
    let (_folder, path) = file("rules.pl", script);
    let text = stdout(papaver().arg("check").arg(path).args([trace, "--to", "json"]), status);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A trace of lines `{"port": ..., ...}`.
fn trace(lines: &[&str]) -> (tempfile::TempDir, std::path::PathBuf) {
    file("trace.jsonl", &lines.iter().map(|line| format!("{{{line}}}\n")).collect::<String>())
}

fn message(outcome: &Value) -> &str {
    let message = outcome["message"].as_str().unwrap();
    message.split_once(": ").map_or(message, |(_, rest)| rest)
}

/// The box of main/0 spans events 1 to 698, that of queen/2 events 4 to 673; all others are shorter.
#[test]
fn an_answer_that_is_too_far_away_is_shown_with_its_binding() {
    let script = "check(short) :-\n    responds([port=[exit, fail], call=C], [port=call, call=C], globally, within(chrono, 668)).\n";
    let outcome = &outcomes(script, 1)[0];
    assert_eq!(outcome["events"], serde_json::json!([1]));
    assert!(outcome["message"].as_str().unwrap().contains("rules.pl:2:5: C = 1: "), "{outcome}");
    assert!(message(outcome).ends_with("; 2 of 146 bindings"), "{outcome}");
}

#[test]
fn an_event_that_should_never_be_is_shown_with_the_start_of_its_stretch() {
    let outcome = &outcomes("check(quiet) :- never([name=print_list], after([port=exit, name=queen])).\n", 1)[0];
    assert_eq!(outcome["events"], serde_json::json!([673, 675]));
    assert_eq!(message(outcome), "event 675 should never be, in the stretch from event 673 on; 3 of 3 that match");
}

#[test]
fn a_bound_is_shown_by_one_event_more() {
    let outcome = &outcomes("check(few) :- exists([port=redo], at_most(2)).\n", 1)[0];
    let events: Vec<i64> = outcome["events"].as_array().unwrap().iter().map(|event| event.as_i64().unwrap()).collect();
    let text = std::fs::read_to_string(data("queens.trace")).unwrap();
    let redos = text.lines().filter(|line| line.contains("] redo ")).take(3);
    let expected: Vec<i64> = redos.map(|line| line.trim().split(':').next().unwrap().parse().unwrap()).collect();
    assert_eq!(events, expected);
}

#[test]
fn what_is_missing_is_shown_by_both_ends_of_its_stretch() {
    let script =
        "check(loud) :- exists([name=print_list], between([port=call, name=queen], [port=exit, name=queen])).\n";
    let outcome = &outcomes(script, 1)[0];
    assert_eq!(outcome["events"], serde_json::json!([4, 673]));
    assert_eq!(message(outcome), "no event, in the stretch from event 4 to event 673");
}

#[test]
fn an_assertion_in_a_rule_is_shown_at_its_own_place() {
    let script = "check(a) :- true, rule(call).\nrule(Port) :-\n    never([port=Port]).\n";
    let outcome = &outcomes(script, 1)[0];
    assert!(outcome["message"].as_str().unwrap().contains("rules.pl:3:5: event 1 should never be"), "{outcome}");
    assert_eq!(outcome["events"], serde_json::json!([1]));
}

#[test]
fn an_assertion_for_each_solution_is_shown_with_the_solution() {
    let script = "check(a) :- forall(member(N, [nobody, queen]), never([name=N])).\n";
    let outcome = &outcomes(script, 1)[0];
    assert_eq!(outcome["message"], "counterexample: N = queen; event 4 should never be; 2 of 2 that match");
    assert_eq!(outcome["events"], serde_json::json!([4]));
}

#[test]
fn nothing_to_check_is_told() {
    let script = "check(a) :- responds([port=exit], [name=nobody]).\n\
                  check(b) :- never([port=call], after([name=nobody])).\n\
                  check(c) :- never([name=nobody]).\n\
                  check(d) :- responds([port=exit], [name=nobody]), never([name=nobody]).\n";
    let vacuous: Vec<Value> = outcomes(script, 0).into_iter().map(|outcome| outcome["vacuous"].clone()).collect();
    assert_eq!(vacuous, [true, true, false, false]);
}

#[test]
fn what_means_nothing_is_an_error() {
    let script = "check(a) :- never([port=call], somewhere).\n\
                  check(b) :- never([prot=call]).\n\
                  check(c) :- responds([port=exit], [port=call], globally, within(port, 3)).\n\
                  check(d) :- exists([port=call], at_least(-1)).\n\
                  check(e) :- always([[port=call], [port=exit]]).\n\
                  check(f) :- exists([port=call], globally, within(chrono, 3), at_least(1)).\n\
                  check(g) :- responds([port=exit, call=C], [port=call, call \\= C]).\n\
                  check(h) :- never([port=exit], globally, within(chrono, 5..2)).\n\
                  check(i) :- never([port=exit], globally, within(chrono, -0.5..2)).\n\
                  check(j) :- never([port=exit], globally, within(chrono, 1..nan)).\n\
                  check(k) :- never([port=exit], globally, within(chrono, 1..few)).\n\
                  check(l) :- never([port=exit], globally, within(chrono, _..2)).\n";
    let outcomes = outcomes(script, 2);
    assert_eq!(outcomes.len(), 12);
    for (outcome, part) in outcomes.iter().zip([
        "expected a scope (globally, before(R), after(Q), between(Q, R) or after_until(Q, R)), found `somewhere`",
        "unknown attribute `prot` (did you mean `port`?)",
        "expected an attribute whose values are numbers, found `port`",
        "expected a number that is not less than zero, found `-1`",
        "found a chain",
        "expected a bound",
        "",
        "rules.pl:8:13: expected the least distance before the greatest one, found `5..2`",
        "rules.pl:9:13: expected a number that is not less than zero, found `-0.5`",
        "rules.pl:10:13: expected a number that is not less than zero, found `nan`",
        "rules.pl:11:13: expected an evaluable, found `few/0`",
        "rules.pl:12:13: expected a value, found an unbound variable",
    ]) {
        assert_eq!(outcome["result"], "error", "{outcome}");
        assert!(outcome["message"].as_str().unwrap().contains(part), "{outcome}");
    }
}

/// At the end of the trace, pid 1 holds a lock and pid 2 does not.
#[test]
fn each_value_of_a_shared_variable_is_asked_by_itself() {
    let lines = [
        r#""port": "lock", "pid": 1"#,
        r#""port": "lock", "pid": 2"#,
        r#""port": "unlock", "pid": 2"#,
        r#""port": "unlock", "pid": 3"#,
    ];
    let (_folder, path) = trace(&lines);
    let script = "check(released) :- responds([port=unlock, pid=P], [port=lock, pid=P]).\n\
                  check(locked) :- precedes([port=lock, pid=P], [port=unlock, pid=P]).\n\
                  check(some) :- responds([port=unlock, pid=_], [port=lock, pid=_]).\n";
    let outcomes = outcomes_on(script, path.to_str().unwrap(), 1);
    assert_eq!(message(&outcomes[0]), "P = 1: nothing responds to event 1; 1 of 3 bindings");
    assert_eq!(message(&outcomes[1]), "P = 3: nothing precedes event 4; 1 of 3 bindings");
    assert_eq!(outcomes[2]["result"], "holds");
}

#[test]
fn violations_have_their_numbers() {
    let (_folder, path) = trace(&[
        r#""port": "call", "call": 1, "name": "f", "time": 0"#,
        r#""port": "exit", "call": 1, "name": "f", "time": 25546"#,
        r#""port": "call", "call": 2, "name": "f", "time": 30000"#,
        r#""port": "exit", "call": 2, "name": "f", "time": 30010"#,
    ]);
    let script = "check(a) :- responds([port=exit], [port=call], globally, within(time, 20000)).\n\
                  check(b) :- never([port=exit, time > 30000]).\n\
                  check(c) :- always([time < 30000]).\n\
                  check(d) :- precedes([port=call], [port=exit], globally, within(time, 20000)).\n\
                  check(e) :- never([port=exit], after([call=2])).\n";
    let outcomes = outcomes_on(script, path.to_str().unwrap(), 1);
    let messages: Vec<&str> = outcomes.iter().map(message).collect();
    let expected = [
        "what responds to event 1 is not within(time, 20000): 25546, from event 1 to event 2; 1 of 2 that match",
        "event 4 should never be: time = 30010",
        "event 3 does not satisfy the constraints: time = 30000; 2 of 4 events",
        "what precedes event 2 is not within(time, 20000): 25546, from event 1 to event 2; 1 of 2 that match",
        "event 4 should never be, in the stretch from event 3 on; 1 of 2 that match",
    ];
    assert_eq!(messages, expected);
}

/// A service must answer, but not before it can have looked. The times are in microseconds, `t` is in milliseconds.
#[test]
fn a_distance_has_a_least_value() {
    let event = |(port, name, t): (&str, &str, f64)| {
        format!(r#""port": "{port}", "name": "{name}", "time": {}, "t": {t:?}"#, t * 1000.0)
    };
    let events = [
        ("ask", "a", 0.0),
        ("answer", "a", 19.5),
        ("ask", "b", 100.0),
        ("answer", "b", 119.0),
        ("answer", "b", 2100.0),
        ("ask", "c", 3000.0),
        ("answer", "c", 5000.5),
    ];
    let header = r#""papaver": 1, "port": "header", "time": "us""#.to_string();
    let lines: Vec<String> = [header].into_iter().chain(events.map(event)).collect();
    let (_folder, path) = trace(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let claims = [
        ("responds([port=answer, name=N], [port=ask, name=N], globally, within(time, ms(20)..s(2)))", 2),
        ("responds([port=answer, name=N], [port=ask, name=N], globally, within(t, 20..inf))", 1),
        ("responds([port=answer, name=N], [port=ask, name=N], globally, within(t, 19.5..2000.5))", 0),
        ("precedes([port=ask, name=N], [port=answer, name=N], globally, within(t, 19.25..2000))", 2),
        ("precedes([port=ask, name=N], [port=answer, name=N], globally, within(t, 0..2000.5))", 0),
        ("never([port=answer], globally, within(t, 20..118))", 0),
        ("never([port=answer], globally, within(t, 20..119))", 1),
        ("exists([port=answer], exactly(2), globally, within(t, 119..5000))", 0),
        ("exists([port=answer], at_most(1), globally, within(time, ms(119)..s(5)))", 1),
        ("always([port=answer], after([name=b]), within(t, 18..2000))", 0),
        ("always([port=answer], after([name=b]), within(t, 0..2000))", 1),
    ];
    let script: String = claims.iter().map(|(claim, _)| format!("check(c) :- {claim}.\n")).collect();
    let outcomes = outcomes_on(&script, path.to_str().unwrap(), 1);
    for ((claim, n_wrong), outcome) in claims.iter().zip(&outcomes) {
        let result = if *n_wrong == 0 { "holds" } else { "violated" };
        assert_eq!(outcome["result"], result, "{claim}: {outcome}");
        let bindings = format!("; {n_wrong} of 3 bindings");
        assert!(*n_wrong == 0 || !claim.contains("=N") || message(outcome).ends_with(&bindings), "{claim}: {outcome}");
    }
    let wrong =
        "N = a: what responds to event 1 is not within(t, 20..inf): 19.5, from event 1 to event 2; 1 of 3 bindings";
    assert_eq!(message(&outcomes[1]), wrong);
    assert_eq!(message(&outcomes[6]), "event 4 should never be within(t, 20..119); 1 of 4 that match");
}
