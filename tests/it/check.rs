//! `papaver check`.

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{data, file, kept_file, papaver, stderr, stdout};

fn check(script: &str, more: &[&str]) -> assert_cmd::Command {
    let mut command = papaver();
    command.arg("check").arg(kept_file("rules.pl", script)).arg(data("queens.trace")).args(more);
    command
}

const HOLDS: &str = "check('one result') :- aggregate_all(count, event([proc=queen/2, port=exit]), 1).\n";
const VIOLATED: &str = "check('calls exit') :- forall(event([port=call, call=K]), event([port=exit, call=K])).\n";
const VACUOUS: &str = "check(nothing) :- forall(event([name=typo, call=K]), event([port=exit, call=K])).\n";
const ERROR: &str = "check(wrong) :- X is foo + 1, X > 0.\n";

/// Checks a claim that fails with these words because of `--no-vacuous`; without words it holds.
fn assert_told(claim: &str, trace: &std::path::Path, told: &str) {
    let script = kept_file("c.pl", &format!("check(c) :- {claim}.\n"));
    let found = stdout(papaver().args(["check", "--no-vacuous"]).arg(&script).arg(trace), i32::from(!told.is_empty()));
    assert!(found.contains(told), "{claim}: {found}");
}

#[test]
fn the_status_is_that_of_the_gravest() {
    stdout(&mut check(HOLDS, &[]), 0);
    stdout(&mut check(&format!("{HOLDS}{VIOLATED}"), &[]), 1);
    stdout(&mut check(&format!("{VIOLATED}{ERROR}{HOLDS}"), &[]), 2);
    stderr(&mut check("rule(1).\n", &[]), 2);
}

/// Call 15 (safe/1 at event 38) is the first of 43 that never exit.
#[test]
fn a_violated_forall_shows_its_counterexample_with_its_line() {
    let text = stdout(&mut check(VIOLATED, &[]), 1);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("violated") && lines[0].contains("calls exit"), "{text}");
    assert!(lines[1].contains("counterexample: K = "), "{text}");
    let call: i64 = lines[1].rsplit("K = ").next().unwrap().parse().unwrap();
    let witness = lines[2];
    assert!(witness.contains("queens.trace:"), "{text}");
    let (place, line) = witness.split_once(": ").unwrap();
    let number: usize = place.rsplit(':').next().unwrap().parse().unwrap();
    let trace = std::fs::read_to_string(data("queens.trace")).unwrap();
    assert_eq!(trace.lines().nth(number - 1), Some(line));
    assert_eq!(call, 15);
}

#[test]
fn a_negation_shows_what_it_found() {
    let text = stdout(&mut check("check(quiet) :- \\+ event([proc=queen/2, port=exit]).\n", &["--to=json"]), 1);
    let outcome: Value = serde_json::from_str(text.trim()).unwrap();
    assert_eq!(outcome["result"], "violated");
    assert_eq!(outcome["events"], serde_json::json!([673]));
}

#[test]
fn a_vacuous_check_says_so() {
    let text = stdout(&mut check(&format!("{VACUOUS}{HOLDS}"), &["--to=json"]), 0);
    let outcomes: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&outcomes[0]["result"], &outcomes[0]["vacuous"]), (&"holds".into(), &true.into()));
    assert_eq!((&outcomes[1]["result"], &outcomes[1]["vacuous"]), (&"holds".into(), &false.into()));
    assert!(outcomes[0]["message"].as_str().unwrap().contains("typo"), "{text}");
}

/// Each claim holds; what it is warned about, if anything.
#[test]
fn a_claim_with_a_word_that_the_trace_does_not_know_is_warned_about() {
    let cases = [
        ("never([name=quen])", Some("no event has `name = quen` (did you mean `queen`?)")),
        ("\\+ event([name=qeuen, port=redo])", Some("no event has `name = qeuen` (did you mean `queen`?)")),
        ("always([name=not(saef)])", Some("no event has `name = saef` (did you mean `safe`?)")),
        ("never([name=[elephant, quen]])", Some("(did you mean `queen`?)")),
        ("never([name=\"Safe\"])", Some("no event has `name = \"Safe\"` (did you mean `safe`?)")),
        ("never([proc=quene/2])", Some("no event has `name = quene` (did you mean `queen`?)")),
        ("exists([port=call], after([name=quen])), exists([name=queen])", Some("(did you mean `queen`?)")),
        ("forall(event([name=queen, port=exit]), \\+ event([name=saef]))", Some("(did you mean `safe`?)")),
        ("aggregate_all(count, event([name=quen]), 0)", Some("(did you mean `queen`?)")),
        ("rule", Some("(did you mean `queen`?)")),
        ("exists([name=Queen])", Some("the variable `Queen` occurs only once")),
        ("responds([call=C], [port=call, name=queen, call=C])", Some("`responds` holds of any trace")),
        ("precedes([name=queen], [port=exit, name=queen], globally)", Some("`precedes` holds of any trace")),
        ("never([name=queen, name=safe])", Some("no event can have both `name = queen` and `name = safe`")),
        ("responds([port=[exit, fail], call=C], [port=call, proc=safe/1, call=C])", None),
        ("never([name=elephant])", None),
        ("never([name=queen, port=redo])", None),
        ("never([name=safer_still])", None),
        ("exists([name=_Name])", None),
    ];
    for (claim, warning) in cases {
        let script = format!("rule :- never([name=quen]).\ncheck(claim) :- {claim}.\n");
        let text = stdout(&mut check(&script, &["--to=json"]), 0);
        let outcome: Value = serde_json::from_str(text.trim()).unwrap();
        let told = outcome["warning"].as_str();
        assert_eq!(told.is_some(), warning.is_some(), "{claim}: {text}");
        assert!(told.unwrap_or_default().contains(warning.unwrap_or_default()), "{claim}: {text}");
        stdout(&mut check(&script, &["--no-vacuous"]), i32::from(warning.is_some()));
    }
}

/// As a misspelt port is, in every format. Own ports of a format that has any stay free.
#[test]
fn a_word_outside_of_a_closed_set_is_an_error() {
    let spans = r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"root","kind":2,"startTimeUnixNano":"1","endTimeUnixNano":"2"}]}]}]}"#;
    let zipkin = r#"[{"traceId":"5b8efff798038103","id":"eee19b7ec3c1b174","kind":"CLIENT","name":"get","timestamp":1,"duration":2}]"#;
    let lines =
        ["call", "retry", "exit"].map(|port| format!("{{\"port\": \"{port}\", \"name\": \"order\"}}\n")).concat();
    let kinds = "its values are internal, server, client, producer, consumer";
    let cases = [
        (spans, "never([kind=severr])", format!("expected a kind, found `severr` (did you mean `server`?); {kinds}")),
        (spans, "always([kind=[server, internal, consumr]])", "found `consumr` (did you mean `consumer`?)".into()),
        (spans, "never([status=failed])", "expected a status, found `failed`; its values are unset, ok, error".into()),
        (spans, "never([status=2])", "expected a status, found `2`".into()),
        (spans, "never([status=not(\"eror\")])", "(did you mean `error`?)".into()),
        (spans, "never([kind=producer]), never([status=error]), never([kind=matches(\"^cons\")])", String::new()),
        (zipkin, "never([kind=foo])", format!("expected a kind, found `foo`; {kinds}")),
        (&lines, "never([port=exeption])", "expected a port, found `exeption` (did you mean `exception`?)".into()),
        (&lines, "always([port=not(fial)])", "(did you mean `fail`?)".into()),
        (&lines, "never([port=[edit, give_up, users, exception]]), exists([port=retry])", String::new()),
    ];
    for (trace, claim, told) in cases {
        let (script, trace) =
            (kept_file("rules.pl", &format!("check(claim) :- {claim}.\n")), kept_file("t.json", trace));
        let mut command = papaver();
        let text = stdout(
            command.args(["check", "--no-vacuous"]).arg(&script).arg(&trace),
            if told.is_empty() { 0 } else { 2 },
        );
        assert!(text.contains(&told), "{claim}: {text}");
    }
}

/// A number in quotes, and a text without.
#[test]
fn a_value_of_another_type_is_told() {
    let trace = kept_file("cards.jsonl", "{\"name\": \"pay\", \"card\": \"4711\", \"cents\": 2000, \"rate\": 0.5}\n");
    let cases = [
        ("card=4711", "no event has `card = 4711` (did you mean `'4711'`?)"),
        ("cents='2000'", "no event has `cents = '2000'` (did you mean `2000`?)"),
        ("cents=\"2000\"", "no event has `cents = \"2000\"` (did you mean `2000`?)"),
        ("rate='0.5'", "no event has `rate = '0.5'` (did you mean `0.5`?)"),
        ("cents='2001'", "no event has `cents = '2001'`: cents holds numbers (2000, ...)"),
        ("cents=2001", ""),
        ("card='4712'", ""),
    ];
    for (constraint, told) in cases {
        assert_told(&format!("never([{constraint}])"), &trace, told);
    }
}

/// Told with a trace and without one.
#[test]
fn claims_that_are_wrong_whatever_the_trace_is_are_told() {
    let cases = [
        ("never([name=a, name=not(a)])", "no event can have both `name = a` and `name = not(a)`"),
        ("never([depth > 3, depth < 2])", "no event can have both `depth > 3` and `depth < 2`"),
        ("never([depth = 5..3])", "no event can have `depth = 5..3`"),
        ("never([arg(1)=\"a\", arg(1)=\"b\"])", "no event can have both `arg(1) = \"a\"` and `arg(1) = \"b\"`"),
        ("exists([port=exit], before([port=[call, exit], port=fail])), true", "no event can have both"),
        ("responds([port=not(exception), call=C], [port=call, call=C])", "`responds` holds of any trace"),
        ("precedes([port=[call, exit]], [port=call, name=a])", "`precedes` holds of any trace"),
        ("always([])", "`always` holds of any trace: it asks for nothing"),
        ("exists([name=a], at_least(0))", "`exists` holds of any trace: it asks for nothing"),
        ("forall(event([name=a]), true)", "`forall` holds of any trace: it asks for nothing"),
        ("true", "`true` holds of any trace: it asks for nothing"),
        ("( event([name=a]) ; true )", "`;` holds of any trace: `true` is an alternative"),
        ("forall(event([name=a, call=C]), event([call=C]))", "`forall` holds of any trace: it asks for what was found"),
        ("never([name=a, port=call], before([name=a]))", "`never` holds of any trace: the first such event ends"),
        ("aggregate_all(count, event([name=a]), N), N >= 0", "`>=` holds of any trace: a count is not negative"),
        ("findall(x, event([name=a]), L), length(L, N), -1 < N", "`<` holds of any trace: a count is not negative"),
        ("never([depth < 0])", "no event can have `depth < 0`"),
        ("never([duration < 0])", ""),
        ("never([depth = -1])", "no event can have `depth = -1`"),
        ("never([name=[]])", "no event can have `name = []`"),
        ("aggregate_all(count, event([name=a]), N), N >= 1", ""),
        ("( event([name=a]) -> fail ; true )", ""),
        ("( event([name=a]), tick(a, 1), fail ; true ), ticks(a, L), L = [1-3]", ""),
        ("forall(event([name=a, call=C]), event([port=exit, call=C]))", ""),
        ("never([name=a], before([name=a, port=exit]))", ""),
        ("never([args=[], duration < 1, name=[a, b]])", ""),
        ("\\+ fail", "`\\+` holds of any trace: `fail` has no answer"),
        ("never([])", "`never([])` holds of no trace with events"),
        ("never([], after([name=a, port=exit]))", ""),
        ("never([duration = s(5)..s(2)])", "no event can have `duration = s(5)..s(2)`"),
        ("never([time = 2024-01-01])", "`2024-1-1` is a difference of numbers, not a date"),
        ("never([time > 2024-01-31, duration = ms(1)..s(1)])", "`2024-1-31` is a difference of numbers, not a date"),
        ("never([args=[2024-01-01], arg(1)=2024-01-01])", ""),
        ("responds([name=a], [name=b], globally, within(time, 2..s(8)))", ""),
        ("responds([name=a], [name=b], globally, within(time, s(2)..8))", ""),
        ("never([depth > 3, depth < 5, name=[a, b], name=not(a), name=not(c), args=[1, _]])", ""),
        ("exists([[port=call], [port=exit]], at_least(2), globally)", ""),
        ("responds([port=not(call), call=C], [port=call, call=C])", ""),
        ("responds([name=a], [name=a, port=call], globally, within(chrono, 9))", "`responds` holds of any trace"),
        ("responds([name=a], [name=a, port=call], globally, within(chrono, 1..9))", ""),
        ("L = [a=1, a=2], never([name=L])", ""),
    ];
    for (claim, told) in cases {
        let script = kept_file("rules.pl", &format!("check(claim) :- {claim}.\n"));
        let output =
            papaver().arg("check").arg(&script).assert().code(i32::from(!told.is_empty())).get_output().clone();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(text.contains(told), "{claim}: {text}");
    }
    let told = |claim| stdout(&mut check(&format!("check(claim) :- {claim}.\n"), &["--no-vacuous"]), 1);
    assert!(told("never([depth > 3, depth < 2])").contains("no event can have both"));
    assert!(told("never([name=queen, proc=safe/1])").contains("both `name = queen` and `proc = safe/1`"));
}

/// The trace has `close`, `getuid`, `write`, `getpid` and `recvmsg`.
#[test]
fn another_system_call_is_no_misspelling() {
    let calls = ["close(3)", "getuid()", "write(1, \"a\", 1)", "getpid()", "recvmsg(3, {}, 0)"];
    let trace = kept_file("calls.strace", &calls.map(|call| format!("7 {call} = 0\n")).concat());
    let told = |name: &str| {
        let script = kept_file("rules.pl", &format!("check(claim) :- never([name={name}]).\n"));
        stdout(papaver().arg("check").arg(&script).arg(&trace), 0).contains("did you mean")
    };
    let others = ["clone", "setuid", "geteuid", "getgid", "writev", "getppid", "recvmmsg", "clone3"];
    assert_eq!(others.map(told), [false; 8]);
    assert_eq!(["clsoe", "gteuid", "wirte", "recvmgs", "clse"].map(told), [true; 5]);
}

#[test]
fn a_claim_about_calls_of_a_trace_without_calls_is_warned_about() {
    let trace = kept_file("log.jsonl", "{\"papaver\":1,\"source\":\"a\"}\n{\"name\":\"a\",\"time\":1}\n");
    for claim in ["every_call_ends", "\\+ (duration(_, Ns), Ns > 10)", "\\+ ancestor(_, _)"] {
        let script = kept_file("rules.pl", &format!("check(claim) :- {claim}.\n"));
        let text = stdout(papaver().arg("check").arg(&script).arg(&trace), 0);
        assert!(text.contains("warning: the trace has no calls"), "{claim}: {text}");
        stdout(papaver().args(["check", "--no-vacuous"]).arg(&script).arg(&trace), 1);
    }
}

/// A counterexample has the values that make it one, also of variables without names and of the goals before it.
#[test]
fn a_violation_shows_values() {
    let cases = [
        ("\\+ member(_, [a, b])", "counterexample: member(a, [a, b])"),
        ("aggregate_all(count, event([port=call, name=safe]), N), N < 5", "`N<5` has no answer: N = 18"),
        ("X = 3, Y = 4, X > 7", "`X>7` has no answer: X = 3"),
        ("3 > 7", "`3>7` has no answer"),
        ("forall(member(_, [a]), fail)", "counterexample"),
    ];
    for (claim, told) in cases {
        let text = stdout(&mut check(&format!("check(claim) :- {claim}.\n"), &["--to=json"]), 1);
        let outcome: Value = serde_json::from_str(text.trim()).unwrap();
        assert!(outcome["message"].as_str().unwrap().starts_with(told), "{claim}: {text}");
    }
}

/// The values that an event should not have, if its line need not show them.
#[test]
fn a_violation_of_a_range_shows_the_value() {
    let trace = kept_file(
        "calc.jsonl",
        "{\"port\":\"call\",\"name\":\"pay\",\"user\":\"ann\",\"amount\":3,\"time\":100}\n\
         {\"port\":\"exit\",\"name\":\"pay\",\"user\":\"bob\",\"amount\":100,\"time\":2000}\n",
    );
    let cases = [
        ("always([duration < 200])", "event 1 does not satisfy the constraints: duration = 1900;"),
        ("always([user=ann])", "event 2 does not satisfy the constraints: user = bob;"),
        ("always([time < 1000, amount < 50])", "event 2 does not satisfy the constraints: time = 2000, amount = 100;"),
        ("always([name=buy])", "event 1 does not satisfy the constraints;"),
        ("never([amount > 50])", "event 2 should never be: amount = 100"),
        ("never([user=not(ann), port=exit])", "event 2 should never be: user = bob"),
        ("never([user=bob])", "event 2 should never be"),
        (
            "never([amount > 50], after([user=ann]))",
            "event 2 should never be: amount = 100, in the stretch from event 1 on",
        ),
    ];
    for (claim, told) in cases {
        let script = kept_file("c.pl", &format!("check(c) :- {claim}.\n"));
        let text = stdout(papaver().args(["check", "--to=json"]).arg(&script).arg(&trace), 1);
        let outcome: Value = serde_json::from_str(text.trim()).unwrap();
        let message = outcome["message"].as_str().unwrap();
        assert!(format!("{message};").contains(told), "{claim}: {message}");
    }
}

/// With `--no-vacuous` a doubt is why a check is violated.
#[test]
fn a_doubt_is_the_message_where_it_is_the_only_reason() {
    let script = "check(claim) :- never([name=queen, name=safe]).\n";
    for (form, told) in [
        ("json", "\"message\": \"no event can have both `name = queen` and `name = safe`\""),
        ("junit", "<failure message=\"no event can have both `name = queen` and `name = safe`\">"),
        ("text", "    no event can have both `name = queen` and `name = safe`"),
    ] {
        let text = stdout(&mut check(script, &["--no-vacuous", &format!("--to={form}")]), 1);
        assert!(text.contains(told), "{form}: {text}");
    }
}

/// In text, JUnit, TAP and for GitHub.
#[test]
fn every_form_of_report_has_the_warning() {
    for form in ["text", "json", "junit", "tap", "github"] {
        let text = stdout(&mut check("check(no_redo) :- never([name=quen]).\n", &[&format!("--to={form}")]), 0);
        assert!(text.contains("(did you mean `queen`?)"), "{form}: {text}");
    }
}

#[test]
fn clauses_that_look_like_checks_are_told() {
    let script =
        "check(a) :- exists([name=queen]).\ncheck(a) :- exists([name=safe]).\ncheck(b, never([name=queen])).\n";
    let output = check(script, &[]).assert().code(0).get_output().clone();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(out.contains("warning: another check has the same name, in line 1"), "{out}");
    assert!(err.contains("`check/2` is not a check and is never called"), "{err}");
    stdout(&mut check("check(a) :- exists([name=queen]).\ncheck(b, c).\n", &["--no-vacuous"]), 2);
}

#[test]
fn checks_may_stand_apart() {
    let script = "check(a) :- exists([name=queen]).\nfound(X) :- event([name=X]).\ncheck(b) :- found(queen).\n\
                  called(X) :- check(X, 1).\ncheck(_, 1).\nmore.\ncheck(c) :- called(2), more.\ncheck(_, 2).\n";
    let output = check(script, &[]).assert().code(0).get_output().clone();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn an_error_in_one_check_leaves_the_others() {
    let text = stdout(&mut check(&format!("{ERROR}check(h) :- halt.\n{HOLDS}"), &["--to=json"]), 2);
    let results: Vec<Value> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["result"].clone()).collect();
    assert_eq!(results, ["error", "error", "holds"]);
}

#[test]
fn tap_numbers_the_checks() {
    let text = stdout(&mut check(&format!("{HOLDS}{VIOLATED}"), &["--to=tap"]), 1);
    let plain: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(plain[0] == "TAP version 14" && plain[1].starts_with("ok 1 - one result"), "{text}");
    assert!(plain[2].starts_with("not ok 2 - calls exit") && plain[3] == "1..2", "{text}");
}

/// Test reports count it neither as passed nor as failed, unless it may not be.
#[test]
fn a_vacuous_check_is_skipped_in_test_reports() {
    let one = |form: &str, more: &[&str], status| {
        let form = format!("--to={form}");
        stdout(&mut check(VACUOUS, &[&[form.as_str()], more].concat()), status)
    };
    for more in [&[][..], &["--total"]] {
        let junit = one("junit", more, 0);
        assert!(junit.contains("skipped=\"1\"") && junit.contains("<skipped message=\""), "{junit}");
        let tap = one("tap", more, 0);
        assert!(
            tap.lines().nth(1).unwrap().starts_with("ok 1 - nothing (") && tap.contains(") # SKIP nothing to check\n"),
            "{tap}"
        );
        let strict = [more, &["--no-vacuous"]].concat();
        let junit = one("junit", &strict, 1);
        assert!(junit.contains("skipped=\"0\"") && junit.contains("failures=\"1\""), "{junit}");
        let tap = one("tap", &strict, 1);
        assert!(tap.contains("\nnot ok 1 - nothing (") && !tap.contains("# SKIP"), "{tap}");
    }
}

#[test]
fn junit_survives_strange_names() {
    let text = stdout(&mut check("check('<&>\"\\x1\\') :- fail.\n", &["--to=junit"]), 1);
    assert!(text.starts_with("<?xml") && text.contains("failures=\"1\""), "{text}");
    assert!(text.contains("&lt;&amp;&gt;") && !text.contains('\u{1}'), "{text}");
}

#[test]
fn of_several_traces_each_is_named_and_a_wrong_script_is_told_once() {
    let script = format!("{HOLDS}check(wrong) :- (].\n");
    let (queens, qsort) = (data("queens.trace"), data("qsort.trace"));
    let output = check(&script, &[&qsort]).assert().code(2).get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[1]), (&*format!("trace {queens}"), "holds    one result"));
    assert_eq!(lines[2], format!("trace {qsort}"));
    assert!(lines[3].starts_with("violated one result"), "{text}");
    assert_eq!(*lines.last().unwrap(), "2 checks, 1 violated, 0 with errors, 1 script with errors");
    assert_eq!(String::from_utf8(output.stderr).unwrap().matches("error:").count(), 1);
}

#[test]
fn a_script_that_cannot_be_read_is_the_only_error() {
    let text = stderr(papaver().args(["check", "nope.pl", &data("queens.trace")]), 2);
    assert!(text.contains("cannot read `nope.pl`") && text.lines().count() == 1, "{text}");
    let text = stderr(papaver().args(["run", "nope.pl", &data("queens.trace")]), 2);
    assert!(text.contains("cannot read `nope.pl`") && text.lines().count() == 1, "{text}");
}

#[test]
fn a_vacuous_check_is_a_violation_where_that_is_asked_for() {
    let script = format!("{VACUOUS}{HOLDS}");
    let text = stdout(&mut check(&script, &["--no-vacuous"]), 1);
    assert!(text.starts_with("violated nothing  (") && text.contains("typo"), "{text}");
    assert!(text.ends_with("2 checks, 1 violated, 0 with errors\n"), "{text}");
    let text = stdout(&mut check(&script, &["--no-vacuous", "--to=json"]), 1);
    let outcome: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!((&outcome["result"], &outcome["vacuous"]), (&"violated".into(), &true.into()));
}

/// An annotation is one line: `%` and line breaks are escaped in it, and in its properties also `:` and `,`.
#[test]
fn annotations_of_github_stand_at_the_clause() {
    let script = format!("{HOLDS}\n  check('a, b: 100%') :- \\+ event([proc=queen/2, port=exit]).\n{VACUOUS}");
    let text = stdout(&mut check(&script, &["--to=github"]), 1);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("::error file=") && lines[0].contains("rules.pl,line=3,col=3,title="), "{text}");
    assert!(lines[0].contains("title=violated%3A a%2C b%3A 100%25 ("), "{text}");
    assert!(
        lines[0].contains("::counterexample%0A") && lines[0].contains("queens.trace:673: 673:  3 [2] exit"),
        "{text}"
    );
    assert!(lines[1].starts_with("::warning file=") && lines[1].contains("title=vacuous%3A nothing ("), "{text}");
    assert_eq!(lines[2..], ["3 checks, 1 violated, 0 with errors"]);
}

/// The names of the library's checks that a trace violates, and the number of checks run.
fn builtin(trace: &str) -> (Vec<String>, usize) {
    let output = papaver().args(["check", "--builtin", "--to=json", "-q", trace]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let outcomes: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let violated: Vec<_> = outcomes.iter().filter(|outcome| outcome["result"] == "violated").collect();
    assert_eq!(output.status.code(), Some(i32::from(!violated.is_empty())), "{text}");
    (violated.iter().map(|outcome| outcome["check"].as_str().unwrap().to_string()).collect(), outcomes.len())
}

#[test]
fn checks_of_the_library_hold_of_good_traces() {
    let good = [
        ("queens.trace", 4),
        ("queens.jsonl", 5),
        ("qsort.jsonl", 5),
        ("mpd/philos_ok.trc", 7),
        ("seq_trace/relay.raw", 3),
        ("visandor/synth_and.ev", 4),
        ("visandor/synth_or.ev", 3),
        ("posix/filter.jsonl", 4),
    ];
    for (name, n_checks) in good {
        assert_eq!(builtin(&data(name)), (Vec::new(), n_checks), "{name}");
    }
}

#[test]
fn checks_of_the_library_find_what_is_wrong() {
    let wrong: [(&str, &[&str]); 5] = [
        ("mpd/philos_deadlock.trc", &["every_process_ends", "no_deadlock", "every_semaphore_released"]),
        ("seq_trace/lossy.raw", &["every_message_received"]),
        ("posix/loop.jsonl", &["nothing_lost"]),
        ("posix/trunc.jsonl", &["nothing_truncated"]),
        ("visandor/bad/and_earlyjoin.ev", &["well_formed"]),
    ];
    for (name, violated) in wrong {
        assert_eq!(builtin(&data(name)).0, violated, "{name}");
    }
}

/// Event 400 of queens is in call 87, whose callers are open, too; the outermost call is `main/2`.
#[test]
fn a_call_without_an_end_is_shown_with_its_first_event() {
    let text = std::fs::read_to_string(data("queens.trace")).unwrap();
    let cut: String = text.split_inclusive('\n').take(400).collect();
    let (_folder, path) = file("cut.trace", &cut);
    let text = stdout(papaver().args(["check", "--builtin"]).arg(&path), 1);
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("violated every_call_ends")).unwrap();
    assert!(lines[at + 1].contains("counterexample: Call = 1"), "{text}");
    assert!(lines[at + 2].ends_with("cut.trace:1:   1: 1 [1] call main(state('<<c_pointer>>'), -) []  0 "), "{text}");
}

/// One fault on each line: a det call that fails, a semidet call that is re-entered, a multi call that fails at once,
/// and a call with events after the end of its parent.
#[test]
fn determinism_and_nesting_are_looked_at() {
    let event = |call: u32, depth: u32, port: &str, det: &str| {
        format!(
            "{{\"call\": {call}, \"depth\": {depth}, \"port\": \"{port}\", \"name\": \"p\", \"arity\": 0, \"det\": \"{det}\"}}\n"
        )
    };
    let checked = |events: &[(u32, u32, &str, &str)]| {
        let text: String = events.iter().map(|&(call, depth, port, det)| event(call, depth, port, det)).collect();
        let (_folder, path) = file("run.jsonl", &text);
        builtin(&path.display().to_string()).0
    };
    let good = [(1, 1, "call", "multidet"), (2, 2, "call", "det"), (2, 2, "exit", "det"), (1, 1, "exit", "multidet")];
    assert_eq!(checked(&good), [""; 0]);
    assert_eq!(checked(&[(1, 1, "call", "det"), (1, 1, "fail", "det")]), ["determinism_is_kept"]);
    assert_eq!(checked(&[(1, 1, "call", "multidet"), (1, 1, "fail", "multidet")]), ["determinism_is_kept"]);
    let again = ["call", "exit", "redo", "fail"].map(|port| (1, 1, port, "semidet"));
    assert_eq!(checked(&again), ["determinism_is_kept"]);
    assert_eq!(checked(&again.map(|(call, depth, port, _)| (call, depth, port, "nondet"))), [""; 0]);
    let [open, inner, end, close] = good;
    assert_eq!(checked(&[open, inner, close, end]), ["boxes_nest"]);
}

/// Six faults: calls that may not be entered again at 4 and 16, that may not fail at 7, that may not exit at 9 and 11,
/// and one that fails at 13 without an exit.
#[test]
fn faults_of_determinism_come_in_the_order_of_their_events() {
    let calls = [
        (2, "semidet", &["call", "exit", "redo", "fail"][..]),
        (3, "det", &["call", "fail"]),
        (4, "failure", &["call", "exit"]),
        (5, "erroneous", &["call", "exit"]),
        (6, "multidet", &["call", "fail"]),
        (7, "cc_nondet", &["call", "exit", "redo", "exit"]),
        (8, "multidet", &["call", "exit", "redo", "fail"]),
        (9, "nondet", &["call", "exit", "redo", "fail"]),
    ];
    let event = |call: u32, port: &str, det: &str| {
        format!("{{\"call\":{call},\"depth\":2,\"port\":\"{port}\",\"name\":\"p\",\"arity\":0,\"det\":\"{det}\"}}\n")
    };
    let within = calls.iter().flat_map(|&(call, det, ports)| ports.iter().map(move |port| event(call, port, det)));
    let text = format!("{}{}{}", event(1, "call", "det"), within.collect::<String>(), event(1, "exit", "det"));
    let (_folder, path) = file("faults.jsonl", &text);
    let goal = "determinism_fault(Chrono, Call, Det, Port)";
    let faults = [
        "Chrono = 4, Call = 2, Det = semidet, Port = redo",
        "Chrono = 7, Call = 3, Det = det, Port = fail",
        "Chrono = 9, Call = 4, Det = failure, Port = exit",
        "Chrono = 11, Call = 5, Det = erroneous, Port = exit",
        "Chrono = 13, Call = 6, Det = multidet, Port = fail",
        "Chrono = 16, Call = 7, Det = cc_nondet, Port = redo",
    ];
    let text = stdout(papaver().args(["query", "-q", goal]).arg(&path), 0);
    assert_eq!(text.lines().collect::<Vec<_>>(), faults);
    let text = stdout(papaver().args(["check", "--builtin"]).arg(&path), 1);
    assert!(text.contains(&format!("counterexample: {}", faults[0])), "{text}");
}

/// The first call of `safe/1` is number 15, at event 38; it fails.
#[test]
fn a_rule_is_looked_into_for_the_counterexample() {
    let script = "check('the test exits') :- X = safe/1, depth(D), exits(X, D).\n\
        depth(3).\n\
        exits(P, Depth) :- all_exit(P, [port=call, depth=Depth]).\n\
        all_exit(P, Constraints) :- forall(event([proc=P, call=C|Constraints]), event([port=exit, call=C])).\n";
    let text = stdout(&mut check(script, &[]), 1);
    assert!(text.contains("counterexample: ") && text.contains("C = 15"), "{text}");
    assert!(text.contains("queens.trace:38:  38: "), "{text}");
}

#[test]
fn a_rule_that_a_script_takes_from_the_library_is_looked_into() {
    let text = std::fs::read_to_string(data("queens.trace")).unwrap();
    let cut: String = text.split_inclusive('\n').take(400).collect();
    let (folder, path) = file("cut.trace", &cut);
    let script = folder.path().join("rules.pl");
    std::fs::write(
        &script,
        "check(ends) :- every_call_ends.\ncheck(goes_on) :- every_call_ends, goes_on.\ngoes_on :- goes_on.\n",
    )
    .unwrap();
    let text = stdout(papaver().arg("check").arg(&script).arg(&path), 1);
    assert_eq!(text.matches("counterexample: Call = 1").count(), 2, "{text}");
}

/// A script can neither end the checks of other scripts nor choose their exit status.
#[test]
fn a_script_that_halts_is_an_error() {
    for halt in [":- halt.", ":- halt(7).", ":- initialization(halt)."] {
        let text = stdout(&mut check(&format!("{halt}\n{VIOLATED}"), &[]), 2);
        assert!(text.contains("violated calls exit"), "{halt}: {text}");
    }
    let (folder, rules) = file("halts.pl", ":- halt.\n");
    let output = check(HOLDS, &["-l", rules.to_str().unwrap()]).assert().code(2).get_output().clone();
    assert!(String::from_utf8(output.stderr).unwrap().contains("no permission to call `halt`"));
    drop(folder);
}

/// The report alone must show that something could not be read.
#[test]
fn errors_because_of_which_outcomes_are_missing_are_in_every_report() {
    let script = format!("{HOLDS}check(wrong) :- (].\n");
    let report = |form: &str| stdout(&mut check(&script, &["no such trace", form]), 2);
    let json: Vec<Value> = report("--to=json").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let results: Vec<&Value> = json.iter().map(|line| &line["result"]).collect();
    assert_eq!(results, ["error", "holds", "error"]);
    let text = report("--to=tap");
    let plain: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(plain[1].starts_with("not ok 1 - ") && plain[1].contains("rules.pl:2:18: "), "{text}");
    assert!(plain[2].starts_with("ok 2 - one result") && plain[3].starts_with("not ok 3 - cannot read"), "{text}");
    assert_eq!(plain[4..], ["1..3"]);
    let text = report("--to=github");
    assert!(text.lines().next().unwrap().contains("rules.pl,line=2,col=18::expected"), "{text}");
    assert!(text.lines().nth(1).unwrap().starts_with("::error::cannot read"), "{text}");
    assert_eq!(report("--to=junit").matches("<error").count(), 2);
}

#[test]
fn of_a_trace_without_events_what_holds_says_nothing() {
    let (folder, trace) = file("empty.jsonl", "");
    let script = folder.path().join("rules.pl");
    std::fs::write(&script, "check(quiet) :- never([port=exit]).\ncheck(a) :- \\+ event([port=exit]).\n").unwrap();
    let check = |more: &[&str], status| {
        let mut command = papaver();
        stdout(
            command.arg("check").arg(&script).arg(&trace).args(["--from", "jsonl", "--allow-empty"]).args(more),
            status,
        )
    };
    let text = check(&[], 0);
    assert_eq!(text.matches("vacuous  ").count(), 2, "{text}");
    assert!(text.contains("    the trace has no events\n"), "{text}");
    assert!(check(&["--no-vacuous"], 1).ends_with("2 checks, 2 violated, 0 with errors\n"));
}

#[test]
fn a_trace_without_events_is_an_error_unless_it_may_be_empty() {
    let (_folder, rules) = file("rules.pl", "check(quiet) :- never([port=exception]).\n");
    let (_folder2, empty) = file("empty.jsonl", "");
    for follow in [false, true] {
        let command = |allows: bool| {
            let mut command = papaver();
            command.arg("check").arg(&rules).arg(&empty).args(["--from", "jsonl"]);
            command.args(follow.then_some(["--follow", "--until-idle=100ms"]).into_iter().flatten());
            command.args(allows.then_some("--allow-empty"));
            command
        };
        let message = stderr(&mut command(false), 2);
        assert!(message.contains("the trace has no events (`--allow-empty` lets that be)"), "{message}");
        assert!(stdout(&mut command(true), 0).contains("1 check, 0 violated"));
    }
}

#[test]
fn clauses_that_mean_something_else_than_they_say_are_warned_of() {
    let script = "check(a) :- event([port=exit]), helper(1).\nchek(h) :- fail.\nhelper(1).\nevent(_) :- true.\n";
    let message = stderr(&mut check(script, &[]), 0);
    assert!(message.contains("`chek/1` is not a check and is never called (did you mean `check`?)"), "{message}");
    assert!(message.contains("rules.pl:2:1"), "{message}");
    assert!(message.contains("`event/1` asks the trace; in this script"), "{message}");
    assert_eq!(message.matches("warning").count(), 2, "{message}");
    let message = stderr(&mut check("check(a) :- chek(1).\nchek(1).\n", &[]), 0);
    assert_eq!(message, "");
}

/// Three traces: a call of `p` exits in each; in the second and the third a call of `q` fails. The folder has a script, too.
fn three_traces(script: &str) -> (TempDir, [String; 4]) {
    let folder = tempfile::tempdir().unwrap();
    let event = |chrono: u32, call: u32, port: &str, name: &str| format!("{chrono}: {call} [1] {port} {name}() []\n");
    let exits = event(1, 1, "call", "p") + &event(2, 1, "exit", "p");
    let fails = |port: &str| exits.clone() + &event(3, 2, "call", "q") + &event(4, 2, port, "q");
    let files = [
        ("a.trace", exits.clone()),
        ("b.trace", fails("fail")),
        ("c.trace", fails("fail")),
        ("rules.pl", script.to_string()),
    ];
    let paths = files.map(|(name, text)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    });
    (folder, paths)
}

const ON_EACH: &str = "\
check('p exits') :- responds([port=exit, name=p], [port=call, name=p]).
check('nothing fails') :- never([port=fail]).
check('q ends') :- responds([port=[exit, fail], name=q], [port=call, name=q]).
check('r ends') :- responds([port=exit, name=r], [port=call, name=r]).
";

#[test]
fn the_total_says_on_how_many_traces_each_check_holds() {
    let (folder, [a, b, c, rules]) = three_traces(ON_EACH);
    let text = stdout(papaver().args(["check", "--total", &rules, &a, &b, &c]), 1);
    let expected = "holds    p exits\n    3 traces\n\
         violated nothing fails  (rules.pl:2:1)\n    3 traces, 2 violated, first in b.trace\n    \
         rules.pl:2:27: event 4 should never be\n    b.trace:4: 4: 2 [1] fail q() []\n\
         holds    q ends\n    3 traces, 1 vacuous\n\
         vacuous  r ends\n    3 traces\n    nothing to check: no event that anything must respond to\n\
         4 checks of 3 traces, 1 violated, 0 with errors\n";
    let text = text.replace(&format!("{}/", folder.path().display()), "");
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(plain(&text), plain(expected), "{text}");
    let of_folder = stdout(papaver().args(["check", "--total", &rules]).arg(folder.path()), 1);
    assert_eq!(of_folder.replace(&format!("{}/", folder.path().display()), ""), text);
}

#[test]
fn the_total_in_json_counts_what_the_lines_about_each_trace_say() {
    let (_folder, [a, b, c, rules]) = three_traces(&(ON_EACH.to_string() + ERROR));
    let lines = |options: &[&str], status: i32| -> Vec<Value> {
        let mut command = papaver();
        command.args(["check", "--builtin", "--to", "json", &rules, &a, &b, &c]).args(options);
        stdout(&mut command, status).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    for options in [&[][..], &["--no-vacuous"]] {
        let (each, totals) = (lines(options, 2), lines(&[options, &["--total"]].concat(), 2));
        assert!(totals.len() > 5 && each.len() > 2 * totals.len());
        for total in &totals {
            let of_check: Vec<&Value> = each.iter().filter(|line| line["check"] == total["check"]).collect();
            let count = |result: &str| of_check.iter().filter(|line| line["result"] == result).count();
            assert_eq!(total["traces"], of_check.len(), "{total}");
            let found = ["holds", "violated", "errors"].map(|key| total[key].as_u64());
            assert_eq!(found, ["holds", "violated", "error"].map(|result| Some(count(result) as u64)), "{total}");
            let vacuous = of_check.iter().filter(|line| line["result"] == "holds" && line["vacuous"] == true).count();
            assert_eq!(total["vacuous"], vacuous, "{total}");
            let first = of_check.iter().find(|line| line["result"] != "holds");
            assert_eq!(total["first"], first.map_or(Value::Null, |first| (*first).clone()));
        }
    }
}

#[test]
fn the_total_is_in_every_report_and_a_broken_trace_costs_only_itself() {
    let (folder, [a, b, c, rules]) = three_traces(ON_EACH);
    let broken = folder.path().join("broken.trace");
    std::fs::write(&broken, [0x1F, 0x8B, 8, 0]).unwrap();
    let report = |form: &str| {
        let mut command = papaver();
        command.args(["check", "--total", "--to", form, &rules, &a]).arg(&broken).args([&b, &c]);
        stdout(&mut command, 2).replace(&format!("{}/", folder.path().display()), "")
    };
    let tap = report("tap");
    assert!(tap.starts_with("TAP version 14\nnot ok 1 - cannot read `broken.trace`: "), "{tap}");
    assert!(tap.contains("\nok 2 - p exits (3 traces)\n# 3 traces\nnot ok 3 - nothing fails (3 traces)\n"), "{tap}");
    assert!(tap.contains("\n# 3 traces, 2 violated, first in b.trace\n") && tap.ends_with("1..5\n"), "{tap}");
    let junit = report("junit");
    assert!(
        junit.contains("<testsuite name=\"3 traces\" tests=\"4\" skipped=\"1\" errors=\"0\" failures=\"1\">"),
        "{junit}"
    );
    assert!(junit.contains("<failure message=\"3 traces, 2 violated, first in b.trace: "), "{junit}");
    let github = report("github");
    assert!(github.contains("::error file=rules.pl,line=2,col=1,title=violated%3A nothing fails (3 traces)::3 traces, 2 violated, first in b.trace%0A"), "{github}");
    assert!(github.contains("title=vacuous%3A r ends (3 traces)::"), "{github}");
    assert!(github.ends_with("\n4 checks of 3 traces, 1 violated, 0 with errors\n"), "{github}");
    assert_eq!(github.matches("::error").count(), 2, "{github}");
}

#[test]
fn a_budget_and_a_percentile_of_nothing_are_vacuous() {
    let of = |name: &str| {
        format!(
            "check(budget) :- within_budget([name={name}], 1000).\n\
             check(percentile) :- \\+ (percentile(95, D, event([name={name}, port=call, duration=D]), P), P > 1000).\n"
        )
    };
    let text = stdout(&mut check(&of("zzz"), &[]), 0);
    assert!(text.contains("vacuous  budget\n    nothing to check: no call that the budget is for\n"), "{text}");
    assert!(
        text.contains("vacuous  percentile\n    nothing to check: no number whose percentile is asked\n"),
        "{text}"
    );
    stdout(&mut check(&of("zzz"), &["--no-vacuous"]), 1);
    let text = stdout(&mut check(&of("nodiag"), &["--no-vacuous"]), 0);
    assert_eq!(text.matches("holds").count(), 2, "{text}");
}

#[test]
fn without_a_trace_a_script_is_searched_for_mistakes() {
    let lint = |script: &str| {
        let output = papaver().arg("check").arg(kept_file("c.pl", script)).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), told.lines().filter(|line| line.contains("c.pl:")).map(last_words).collect::<Vec<_>>())
    };
    let dynamic = ":- dynamic(seen/1).\n";
    for (script, status, told) in [
        ("check(a) :- never([name=b]), helper(1), seen(_).\nhelper(X) :- X > 0.\n", 0, vec![]),
        ("check(a) :- never([name=b, call=C]).\n", 1, vec!["1:33: warning: variable `C` occurs only once"]),
        (
            "check(a) :- never([name=b]).\ncheck(a) :- never([name=c]).\n",
            1,
            vec!["2:1: warning: another check has the same name"],
        ),
        ("chek(c) :- true.\n", 2, vec!["1:1: warning: `chek/1` is not a check"]),
        ("check(a) :- never([name=b]).\nchek(c) :- true.\n", 1, vec!["2:1: warning: `chek/1` is not a check"]),
        (
            "check(a) :- responds([call=C], [port=call, call=C]).\n",
            1,
            vec!["1:13: warning: `responds` holds of any trace"],
        ),
        (
            "check(a) :- \\+ (event([chrono=C]), evnt([chrono=C])).\n",
            2,
            vec!["1:36: error: unknown predicate `evnt/1` (did you mean `event`?)"],
        ),
        ("check(a) :- findall(X, Y^memberr(X, Y), []).\n", 2, vec!["1:26: error: unknown predicate `memberr/2`"]),
        ("check(a) :- maplist([X]>>(X > 0, odd(X)), [1]).\n", 2, vec!["1:34: error: unknown predicate `odd/1`"]),
        ("check(a) :- foldl(add, [1], 0, _).\n", 2, vec!["1:19: error: unknown predicate `add/3`"]),
        ("check(a) :- never([name=b).\n", 2, vec!["1:26: error: expected `]`, found `)`"]),
    ] {
        let (found, lines) = lint(&format!("{script}{dynamic}"));
        assert_eq!(found, Some(status), "{script}: {lines:?}");
        assert_eq!(lines.len().min(1), told.len(), "{script}: {lines:?}");
        assert!(told.iter().all(|words| lines.iter().any(|line| line.starts_with(words))), "{script}: {lines:?}");
    }
    stderr(papaver().args(["check", "--builtin"]), 2);
}

/// With a trace a check gets the same error.
#[test]
fn without_a_trace_the_errors_of_goals_are_told_with_their_places() {
    for (script, told) in [
        ("check(a) :- never([port=matches(\"(\")]).\n", "1:33: error: `(` is no regular expression: unclosed group"),
        ("check(a) :- fail, never([args=[matches(\"[a\"), _]]).\n", "1:40: error: `[a` is no regular expression"),
        (
            "check(a) :- \\+ bad(_).\nbad(X) :- event([name=X, arg(1)=not(matches(\"a)\"))]).\n",
            "2:45: error: `a)` is no",
        ),
        (
            "check(a) :- exists([port=exit], at_most(-1)).\n",
            "1:13: error: expected a number that is not less than zero, found `-1`",
        ),
        ("check(a) :- exists([port=exit], exactly(two)).\n", "1:13: error: expected an integer, found `two`"),
        ("check(a) :- exists([port=exit], 3).\n", "1:13: error: expected a scope (globally, "),
        ("check(a) :- never([name=a], between([name=b])).\n", "1:13: error: expected a scope (globally, "),
        (
            "check(a) :- responds([port=exit], [port=call], globally, within(chrono, 5..2)).\n",
            "1:13: error: expected the least distance before the greatest one, found `5..2`",
        ),
        (
            "check(a) :- responds([port=exit], [port=call], globally, within(s(5))).\n",
            "1:13: error: expected a distance such as `within(chrono, 100)`, found `within(s(5))`",
        ),
        (
            "check(a) :- never([port==exit]).\n",
            "1:20: error: expected constraints such as `[port=exit, proc=queen/2]`, found `==` (write `=`)",
        ),
        ("check(a) :- exists([port=exit], after([depth is 3])).\n", "1:40: error: expected constraints"),
        (
            "check(a) :- \\+ event([depth > hours(2)]).\n",
            "1:31: error: expected an evaluable, found `hours/1` (a time is `m(90)`, ",
        ),
        ("check(a) :- never([depth = 1..\"30\"]).\n", "1:31: error: expected a number, found `\"30\"`"),
        ("check(a) :- never([depth > \"2024-01-01\"]).\n", "1:28: error: expected a number, found `\"2024-01-01\"`"),
        ("check(a) :- never([arg(0)=\"x\"]).\n", "1:20: error: expected the number of an argument, from 1, found `0`"),
    ] {
        let output = papaver().arg("check").arg(kept_file("c.pl", script)).assert().code(2).get_output().clone();
        let found = String::from_utf8(output.stderr).unwrap();
        assert!(found.lines().map(last_words).any(|line| line.starts_with(told)), "{script}: {found}");
        let outcome: Value = serde_json::from_str(stdout(&mut check(script, &["--to=json"]), 2).trim()).unwrap();
        let (_, words) = told.split_once("error: ").unwrap();
        assert!(outcome["message"].as_str().unwrap().contains(words), "{script}: {outcome}");
    }
}

/// Times are in nanoseconds; the trace has milliseconds, and two events at one time.
#[test]
fn a_distance_without_a_unit_that_no_times_have_is_told() {
    let trace = |unit: &str| {
        let lines = [1000, 1010, 1010, 1260].map(|at| format!("{{\"name\": \"n{at}\", \"time\": {at}}}\n")).concat();
        kept_file("t.jsonl", &format!("{{\"papaver\": 1, \"port\": \"header\", \"time\": \"{unit}\"}}\n{lines}"))
    };
    let far = "`within(time, 60)` means ns(60), and no times of the trace are so near: `s(60)` is in seconds";
    for (claim, unit, told) in [
        ("never([name=n1260], after([name=n1000]), within(time, 60))", "ms", far),
        ("never([name=n1260], after([name=n1000]), within(time, 2..60))", "ms", "`within(time, 2..60)` means ns(60)"),
        ("never([name=n1260], after([name=n1000]), within(time, 0..ms(60)))", "ms", ""),
        ("never([name=n1260], after([name=n1000]), within(time, 0))", "ms", ""),
        ("never([name=n1260], after([name=n1000]), within(time, 60))", "ns", ""),
        ("never([name=n1260], after([name=n1000]), within(chrono, 2))", "ms", ""),
    ] {
        assert_told(claim, &trace(unit), told);
    }
}

/// What follows the name of the script.
fn last_words(line: &str) -> String {
    line.split_once("c.pl:").map(|(_, rest)| rest.to_string()).unwrap_or_default()
}

#[test]
fn a_misspelt_name_in_rules_that_a_check_calls_is_told() {
    let (_folder, rules) = file("rules.pl", "removed(F) :- event([name=qdelte, args=[F|_]]).\n");
    let (_other, script) = file("c.pl", "check(none) :- \\+ removed(_).\n");
    let mut check = papaver();
    check.args(["check", "--no-vacuous", "-l"]).arg(&rules).arg(&script).arg(data("queens.trace"));
    let told = stdout(&mut check, 1);
    assert!(told.contains("(did you mean `qdelete`?)"), "{told}");
}

/// Two calls: open("/etc/app", 3, {mode: "rw"}) and close(3).
const FILES: &str = "{\"port\":\"call\",\"call\":1,\"name\":\"open\",\"args\":[\"/etc/app\",3,{\"mode\":\"read\",\"at\":{\"line\":\"7\"}}]}\n\
    {\"port\":\"call\",\"call\":2,\"name\":\"close\",\"args\":[3]}\n";

#[test]
fn a_misspelt_word_among_arguments_is_told() {
    let trace = kept_file("files.jsonl", FILES);
    for (constraint, told) in [
        ("args=['/etc/pap'|_]", "no event has `arg(1) = '/etc/pap'` (did you mean `'/etc/app'`?)"),
        ("arg(2)=\"3\"", "no event has `arg(2) = \"3\"` (did you mean `3`?)"),
        ("'arg.mode'=raed", "no event has `arg.mode = raed` (did you mean `read`?)"),
        ("arg(3)={mdoe:_}", "no event has `arg.mdoe` (did you mean `arg.mode`?)"),
        ("arg(3)={at:{lien:_}}", "no event has `arg.at.lien` (did you mean `arg.at.line`?)"),
        ("arg(3)={at:{line:7}}", "no event has `arg.at.line = 7` (did you mean `'7'`?)"),
        ("arg(1)=\"/var/log\"", ""),
        ("arg(1)=3, name=open", ""),
        ("arg(2)=17", ""),
        ("'arg.mode'=read, name=close", ""),
        ("arg(3)={mode:write}", ""),
    ] {
        assert_told(&format!("never([port=call, {constraint}])"), &trace, told);
    }
}

/// What a format says at the ends that are errors, it does not say at others.
#[test]
fn what_events_of_a_port_do_not_have_is_told() {
    let calls = "7 10:00:00.000001 connect(5, {sa_family=AF_INET}, 16) = -1 ECONNREFUSED (refused) <0.000010>\n\
                 7 10:00:00.000005 close(5) = 0 <0.000010>\n";
    let (strace, spans) = (kept_file("t.strace", calls), std::path::PathBuf::from(data("otlp/shop_small.jsonl")));
    for (trace, list, told) in [
        (&strace, "port=exit, errno='ECONNREFUSED'", "no event has both `port = exit` and `errno`"),
        (&strace, "port=call, dur > ms(1)", "no event has both `port = call` and `dur`"),
        (&strace, "port=exit, name=connect", ""),
        (&strace, "port=exit, dur > ms(1)", ""),
        (&strace, "port=exception, errno='ENOENT'", ""),
        (&spans, "port=event, kind=server", "no event has both `port = event` and `kind = server`"),
        (&spans, "port=exit, kind=server, name=drop", ""),
    ] {
        assert_told(&format!("never([{list}])"), trace, told);
    }
}

#[test]
fn a_misspelt_procedure_and_a_method_without_its_class_are_told() {
    let methods = kept_file("m.jsonl", "{\"port\":\"call\",\"call\":1,\"name\":\"Account.withdraw\",\"args\":[1]}\n");
    let queens = std::path::PathBuf::from(data("queens.trace"));
    for (trace, constraint, told) in [
        (&queens, "proc=qdelte", "no event has `proc = qdelte` (did you mean `qdelete`?)"),
        (&queens, "proc=queen/3", "no event has `proc = queen/3` (did you mean `queen/2`?)"),
        (&queens, "proc=qdelte/3", "no event has `name = qdelte` (did you mean `qdelete`?)"),
        (&queens, "name=nodiags", "no event has `name = nodiags` (did you mean `nodiag`?)"),
        (&queens, "proc=append/3", ""),
        (&methods, "name=withdraw", "no event has `name = withdraw` (did you mean `'Account.withdraw'`?)"),
        (&methods, "proc=withdraw", "(did you mean `'Account.withdraw'`?)"),
        (&methods, "name=draw", ""),
    ] {
        assert_told(&format!("never([port=call, {constraint}])"), trace, told);
    }
}

/// The id of a process is part of the term for it and not equal to it, and a text is no number.
#[test]
fn a_variable_whose_values_are_alike_and_never_equal_is_told() {
    let calls = kept_file(
        "files.jsonl",
        &format!("{}{FILES}", FILES.replace("\"/etc/app\"", "\"3\"").replace("[3]", "[\"9\"]")),
    );
    let (family, philosophers) = (data("seq_trace/family.raw"), data("mpd/philos_deadlock.trc"));
    let people = "{\"name\":\"block\",\"by\":\"Ann\"}\n{\"name\":\"pay\",\"user\":\"ann\"}\n";
    let people = kept_file("people.jsonl", people).display().to_string();
    let apart =
        "`pid = '<128.0>'` and `to = 'nonode@nohost':'<128.0>'` are never equal (`process` is the term for `pid`)";
    for (trace, goal, told) in [
        (&family, "never([port=receive, pid=P], after([port=send, to=P]))", apart),
        (
            &family,
            "\\+ (event([port=receive, pid=P]), event([port=send, to=P]))",
            "but one has `'nonode@nohost':'<128.0>'`",
        ),
        (&family, "precedes([port=send, to=P], [port=receive, process=P])", ""),
        (&philosophers, "never([port=p, pid=P], after([port=proc, process=P]))", "are never equal"),
        (&philosophers, "\\+ blocked('94623C8', _)", "`blocked/2` has no answer with `'94623C8'` (did you mean"),
        (
            &calls.display().to_string(),
            "never([name=open, arg(1)=F], after([name=open, arg(2)=F]))",
            "`arg(1) = \"3\"` and `arg(2) = 3` are never equal",
        ),
        (
            &people,
            "never([name=pay, user=U], after([name=block, by=U]))",
            "`user = \"ann\"` and `by = \"Ann\"` are never equal",
        ),
    ] {
        let script = kept_file("c.pl", &format!("check(c) :- {goal}.\n"));
        for followed in [false, true] {
            let mut check = papaver();
            check.args(["check", "--no-vacuous"]).arg(&script).arg(trace);
            check.args(["--follow", "--until-idle", "50ms"].iter().filter(|_| followed));
            let found = stdout(&mut check, i32::from(!told.is_empty()));
            assert!(found.contains(told), "{goal}: {found}");
        }
    }
}

/// Who writes a header by hand writes no trailer, and nothing is missing.
#[test]
fn a_header_without_a_recorder_is_no_recording_that_was_cut() {
    let (_other, script) = file("c.pl", "check(none) :- never([name=alarm]).\n");
    for (header, is_warned) in [
        ("{\"papaver\": 1}", false),
        ("{\"papaver\": 1, \"port\": \"header\", \"time\": \"ms\"}", false),
        ("{\"papaver\": 1, \"source\": \"shop 1.2\"}", true),
        ("{\"papaver\": 1, \"recorder\": \"own 0\"}", true),
    ] {
        let (_folder, trace) = file("t.jsonl", &format!("{header}\n{{\"port\": \"event\", \"name\": \"sale\"}}\n"));
        let told = stdout(papaver().arg("check").arg(&script).arg(&trace), 0);
        assert_eq!(told.contains("what the recorder left out"), is_warned, "{header}: {told}");
    }
}

#[test]
fn reports_cut_long_texts_and_lists_and_keep_what_is_guilty() {
    let (long, edits) = ("x".repeat(3000), "{\"a\":1,\"b\":\"y\"},".repeat(40));
    let object = format!("{{\"content\":\"{long}\",\"edits\":[{edits}0],\"file_path\":\"/etc/app.conf\"}}");
    let line = format!("{{\"port\":\"call\",\"call\":1,\"name\":\"Write\",\"args\":[{object}]}}\n");
    let (_folder, trace) = file("t.jsonl", &line);
    let (_other, script) = file(
        "c.pl",
        "check(a) :- never(['arg.file_path'=matches(\"^/etc/\")]).\n\
         check(b) :- forall(event([args=[A]]), \\+ value(A, file_path, \"/etc/app.conf\")).\n",
    );
    for (form, n_guilty) in [("text", 2), ("github", 2), ("json", 1)] {
        let told = stdout(papaver().args(["check", "--to", form]).arg(&script).arg(&trace), 1);
        assert!(told.matches("/etc/app.conf").count() >= n_guilty, "{told}");
        assert!(told.lines().all(|line| line.len() < 1500), "{form}: {told}");
    }
}

#[test]
fn violations_show_what_is_guilty() {
    let cases = [
        ("always([depth =< 8])", "does not satisfy the constraints: depth = 9"),
        ("never([depth > 8])", "should never be: depth = 9"),
        ("( event([port=fail]) -> fail ; true )", "fail nodiag(1, 1, [2, 3, 4, 5])"),
        ("within_budget([name=queen, port=call], 3)", "counterexample: Call = 3, Duration = 669\n"),
        ("within_budget([name=queen, port=call], 3)", "queens.trace:4:   4:  3 [2] call queen("),
    ];
    for (claim, told) in cases {
        let printed = stdout(&mut check(&format!("check(claim) :- {claim}.\n"), &[]), 1);
        assert!(printed.contains(told), "{claim}: {printed}");
    }
}

/// What others call a port is no word of this trace; a trace with own ports may have any.
#[test]
fn words_of_others_for_ports_are_told() {
    let calls = "{\"port\":\"call\",\"name\":\"f\",\"call\":1}\n{\"port\":\"exit\",\"name\":\"f\",\"call\":1}\n";
    let (standard, own) =
        (kept_file("a.jsonl", calls), kept_file("b.jsonl", &format!("{calls}{{\"port\":\"log\"}}\n")));
    for (port, meant) in [("error", "exception"), ("failed", "fail"), ("return", "exit"), ("calls", "call")] {
        let told = format!("no event has `port = {port}` (did you mean `{meant}`?)");
        assert_told(&format!("never([port={port}])"), &standard, &told);
        assert_told(&format!("never([port={port}])"), &own, "");
    }
    assert_told("never([port=deploy])", &standard, "");
}

#[test]
fn attributes_of_spans_have_the_names_that_others_give_them() {
    let span = r#"{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"GET /","kind":2,
        "startTimeUnixNano":"1544712660000000000","endTimeUnixNano":"1544712661000000000","status":{"code":2}}"#;
    let resource = r#"{"attributes":[{"key":"service.name","value":{"stringValue":"cart"}}]}"#;
    let trace = format!("{{\"resourceSpans\":[{{\"resource\":{resource},\"scopeSpans\":[{{\"spans\":[{span}]}}]}}]}}");
    let trace = kept_file("o.json", &trace);
    for constraint in [
        "'service.name'=cart",
        "'span.kind'=server",
        "'otel.status_code'=error",
        "status_code=error",
        "trace_id='5b8efff798038103d269b633813fc60c'",
        "spanId=eee19b7ec3c1b174",
    ] {
        let script = kept_file("rules.pl", &format!("check(claim) :- never([{constraint}]).\n"));
        stdout(papaver().arg("check").arg(&script).arg(&trace), 1);
    }
}

/// Of the two that exit, only `audit` is in the fact.
#[test]
fn a_violation_is_about_the_values_of_facts() {
    let lines = "{\"port\":\"call\",\"name\":\"http\",\"call\":1}\n{\"port\":\"exit\",\"name\":\"http\",\"call\":1}\n\
        {\"port\":\"call\",\"name\":\"audit\",\"call\":2}\n{\"port\":\"exit\",\"name\":\"audit\",\"call\":2}\n";
    let trace = kept_file("a.jsonl", lines);
    for claim in [
        "svc(S), never([name=S, port=exit])",
        "svc(S), \\+ event([name=S, port=exit])",
        "svc(S), forall(event([port=exit, name=N]), N \\= S)",
        "limit(L), svc(S), exists([name=S], at_most(L))",
        "limit(L), svc(S), never([name=S, chrono > L + 2])",
    ] {
        let script = kept_file("rules.pl", &format!("svc(audit).\nlimit(1).\ncheck(c) :- {claim}.\n"));
        let printed = stdout(papaver().arg("check").arg(&script).arg(&trace), 1);
        assert!(printed.contains("audit") && !printed.contains("http"), "{claim}: {printed}");
    }
}

#[test]
fn values_of_another_type_that_a_claim_passes_over_are_told() {
    let lines = "{\"port\":\"call\",\"name\":\"pay\",\"amount\":50,\"id\":17}\n\
        {\"port\":\"call\",\"name\":\"pay\",\"amount\":\"5000\",\"id\":\"x\"}\n\
        {\"port\":\"call\",\"name\":\"ask\",\"amount\":\"1.5\",\"id\":\"18\"}\n";
    let trace = kept_file("a.jsonl", lines);
    for (claim, told) in [
        ("never([name=pay, amount > 1000])", "event 2 has `amount = \"5000\"`, which `amount > 1000` does not find"),
        ("never([amount = 1..2])", "event 3 has `amount = \"1.5\"`"),
        ("never([name=pay, id=\"17\"])", "did you mean `17`"),
        ("never([name=pay, id=[18, 17]]) ; never([name=ask, id=[18, 17]])", "event 3 has `id = \"18\"`"),
        ("never([name=ask, amount > 1000])", ""),
        ("never([name=pay, amount > 6000])", ""),
    ] {
        assert_told(claim, &trace, told);
    }
}

#[test]
fn words_of_a_type_that_an_attribute_never_has_are_told() {
    let lines = "{\"name\":\"a\",\"lev\":50,\"flag\":\"yes\",\"code\":\"E12\",\"v\":1e3,\"ok\":true}\n\
        {\"name\":\"b\",\"lev\":40,\"flag\":\"no\",\"code\":\"E13\",\"v\":2.5,\"mixed\":1}\n\
        {\"name\":\"c\",\"mixed\":\"one\"}\n";
    let trace = kept_file("a.jsonl", lines);
    for (claim, told) in [
        ("never([lev=error])", "no event has `lev = error`: lev holds numbers (50, ...)"),
        ("never([v=\"1000 ms\"])", "v holds numbers (1000.0, ...)"),
        ("never([flag=true])", "no event has `flag = true`: flag holds texts (\"yes\", ...)"),
        ("never([code=404])", "code holds texts (\"E12\", ...)"),
        ("never([lev=60])", ""),
        ("never([code='E404'])", ""),
        ("never([ok=false])", ""),
        ("never([flag=null])", ""),
        ("never([mixed=two])", ""),
        ("never([mixed=2])", ""),
    ] {
        assert_told(claim, &trace, told);
    }
}

/// Without `-T`, an exit has the time of its call; without `-ttt`, nothing has a time.
#[test]
fn times_of_ends_that_were_not_measured_are_told() {
    let call = |times: &str, took: &str| format!("{times}fsync(3) = 0{took}\n{times}fsync(4) = 0{took}\n");
    let kept = |name, text: String| kept_file(name, &text);
    let measured = kept("a.strace", call("1700000000.000000 ", " <0.300000>"));
    let unmeasured = kept("b.strace", call("1700000000.000000 ", ""));
    let timeless = kept("c.strace", call("", ""));
    let responds =
        "responds([name=fsync, port=exit, call=C], [name=fsync, port=call, call=C], globally, within(time, s(1)))";
    let goals =
        "\\+ (event([name=fsync, port=call, call=C, time=A]), event([port=exit, call=C, time=B]), B - A > s(1))";
    let ends = "\\+ (event([name=fsync, port=exit, time=B]), B > s(2000000000))";
    for (trace, claim, told) in [
        (&measured, responds, ""),
        (&measured, ends, ""),
        (&measured, goals, ""),
        (&unmeasured, responds, "the trace has no durations: it does not tell how long calls took"),
        (&unmeasured, ends, "the trace has no durations: it does not tell how long calls took"),
        (&unmeasured, "never([name=fsync, port=call, time < 5])", ""),
        (&timeless, goals, "no event of the trace has a time"),
        (&timeless, "never([name=write])", ""),
    ] {
        assert_told(claim, trace, told);
    }
}

/// strace shows 32 bytes of a text.
#[test]
fn a_search_in_texts_of_which_the_rest_was_cut_is_told() {
    let trace = kept_file("a.strace", "write(1, \"user=alice&\"..., 64) = 64\nopenat(AT_FDCWD, \"/etc/app\", 0) = 3\n");
    for (claim, told) in [
        ("never([name=write, arg(2)=matches(\"password=\")])", "of which the rest is not known"),
        ("never([name=write, arg(2)=matches(\"^password=\")])", ""),
        ("never([name=openat, arg(2)=matches(\"shadow\")])", ""),
        ("never([name=openat, arg(2)=not(matches(\"^/etc/\"))])", ""),
    ] {
        assert_told(claim, &trace, told);
    }
}

/// What a script defines is not what the library calls.
#[test]
fn a_fact_named_like_a_predicate_that_the_library_calls_changes_nothing() {
    let trace = kept_file(
        "a.jsonl",
        "{\"port\":\"call\",\"call\":1,\"name\":\"a\",\"time\":1}\n\
        {\"port\":\"exit\",\"call\":1,\"name\":\"a\",\"time\":2}\n",
    );
    let script = kept_file("c.pl", "limit(a, 400).\ncheck(c) :- within_budget([name=a], 9).\n");
    assert_eq!(
        stdout(papaver().args(["check", "--no-vacuous"]).arg(&script).arg(&trace), 0).lines().next(),
        Some("holds    c")
    );
}

#[test]
fn an_assertion_that_holds_for_one_answer_only_is_told() {
    let lines = ["audit", "http", "http"].map(|name| format!("{{\"port\":\"call\",\"name\":\"{name}\"}}\n")).concat();
    let trace = kept_file("a.jsonl", &lines);
    for (claim, told) in [
        (
            "member(S, [audit, http]), exists([name=S], at_most(1))",
            "`exists` holds for one answer to the goals before it, not for S = http",
        ),
        ("event([name=S]), exists([name=S], at_most(1))", "not for S = http: `forall` asks it of all"),
        ("forall(member(S, [audit]), exists([name=S], at_most(1)))", ""),
        ("member(S, [audit, none]), exists([name=S], at_most(1))", ""),
        ("L = 3, exists([port=call], at_most(L))", ""),
        ("event([name=audit, chrono=C]), exists([chrono=C], exactly(1))", ""),
    ] {
        assert_told(claim, &trace, told);
    }
    let script = kept_file("c.pl", "check(c) :- aggregate_all(sum(C), event([name=pay, chrono=C]), S), S < 9.\n");
    let printed = stdout(papaver().arg("check").arg(&script).arg(&trace), 0);
    assert!(printed.contains("vacuous  c\n    nothing to check: no event has `name = pay`"), "{printed}");
}

#[test]
fn a_claim_about_an_end_that_such_calls_do_not_have_is_told() {
    let span = |id: &str, code: u32, status: u32| {
        format!(
            r#"{{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"{id}","name":"GET /","kind":2,
            "startTimeUnixNano":"1544712660000000000","endTimeUnixNano":"1544712661000000000","status":{{"code":{status}}},
            "attributes":[{{"key":"http.status_code","value":{{"intValue":"{code}"}}}}]}}"#
        )
    };
    let spans = [span("eee19b7ec3c1b174", 500, 2), span("eee19b7ec3c1b175", 200, 1)].join(",");
    let trace = format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{spans}]}}]}}]}}");
    let trace = kept_file("o.json", &trace);
    let told = "no event of `port = exit` has `http.status_code >= 500`, but events of `port = exception` have";
    assert_told("never([port=exit, 'http.status_code' >= 500])", &trace, told);
    assert_told("never([port=exit, 'http.status_code' >= 600])", &trace, "");
    assert_told("never([port=exit, name=other])", &trace, "");
    assert_told("never([port=exception, 'http.status_code' = 200])", &trace, "");
    assert_told("never([port=exception, status=ok])", &trace, "no event has both");
}

/// Predicates of all formats tell it, of names, texts and terms.
#[test]
fn a_misspelt_name_in_a_goal_of_the_library_is_told() {
    for (trace, claim, told) in [
        (
            "chrome/phases.json",
            "\\+ ( total(reqeust, _, Ns), Ns > s(1) )",
            "`total/3` has no answer with `reqeust` (did you mean `request`?)",
        ),
        (
            "chrome/phases.json",
            "forall(self('Outre', Ns), Ns < s(1))",
            "`self/2` has no answer with `'Outre'` (did you mean `outer`?)",
        ),
        (
            "chrome/phases.json",
            "\\+ ( counter(memory-usd, _, V), V > 1000 )",
            "has no answer with `memory-usd` (did you mean `memory-used`?)",
        ),
        ("chrome/phases.json", "\\+ ( peak('memry 0x2', _, V), V > 1000 )", "(did you mean `'memory 0x2'`?)"),
        (
            "otlp/shop_small.jsonl",
            "\\+ ( calls_between_services(gatewy, orders, N), N > 9 )",
            "`gatewy` (did you mean `gateway`?)",
        ),
        (
            "strace/split_ff.28963",
            "\\+ ( bytes(\"/etc/ld.so.cahce\", R, _), R > 9 )",
            "(did you mean `\"/etc/ld.so.cache\"`?)",
        ),
        ("chrome/phases.json", "\\+ ( total(elephant, _, Ns), Ns > s(1) )", ""),
        ("chrome/phases.json", "\\+ ( total(request, _, Ns), Ns > s(1) )", ""),
        ("otlp/shop_small.jsonl", "\\+ ( calls_between_services(gateway, orders, N), N > 9 )", ""),
    ] {
        assert_told(claim, data(trace).as_ref(), told);
    }
    let rules = "big(N) :- total(reqeust, _, Ns), Ns > N.\ncheck(c) :- \\+ big(s(1)).\ntotal(a, b).\n";
    let mut command = papaver();
    command.args(["check", "--no-vacuous"]).arg(kept_file("c.pl", rules)).arg(data("chrome/phases.json"));
    assert!(stdout(&mut command, 1).contains("(did you mean `request`?)"));
}

/// Numbers replace the calls that a file names, and the values of model checkers are terms.
#[test]
fn a_name_for_a_number_and_quotes_around_a_text_get_hints() {
    let calls = kept_file("t.jsonl", "{\"port\": \"call\", \"call\": \"r3\", \"name\": \"pay\"}\n");
    let mut command = papaver();
    command.arg("check").arg(kept_file("c.pl", "check(c) :- never([call=r3]).\n")).arg(&calls);
    let told = stdout(&mut command, 2);
    assert!(told.contains("expected an integer for `call`, found `r3` (`call_` is what the file has)"), "{told}");
    let states = kept_file(
        "t.itf.json",
        "{\"#meta\": {\"format\": \"ITF\"}, \"vars\": [\"owner\", \"last\"], \"states\": [{\"#meta\": {\"index\": 0}, \
         \"owner\": \"Idle\", \"last\": {\"tag\": \"Mint\", \"value\": {\"#tup\": []}}}]}",
    );
    for (claim, told) in [
        ("never([owner='\\'Idle\\''])", "no event has `owner = '\\'Idle\\''` (did you mean `\"Idle\"`?)"),
        ("never([owner='\"Idle\"'])", "(did you mean `\"Idle\"`?)"),
        ("never([owner=idle])", "(did you mean `\"Idle\"`?)"),
        ("never([last='\\'Mint\\''])", "(did you mean `'Mint'`?)"),
        ("never([last=\"Mnit\"])", "(did you mean `'Mint'`?)"),
        ("never([owner=elsewhere])", ""),
    ] {
        assert_told(claim, &states, told);
    }
}
