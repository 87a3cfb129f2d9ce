//! An error names the place of the goal that raised it, also through predicates of the library.

use crate::support::{data, file, papaver, stderr, stdout};

#[test]
fn an_error_inside_a_library_predicate_names_the_goal_of_the_query() {
    let goal = "true, findall(X, (member(X, [a]), _ is X + 1), _)";
    let errors = stderr(papaver().args(["query", goal, &data("qsort.trace")]), 2);
    assert_eq!(errors, "query:1:7: error: expected an evaluable, found `a/0` (in `is/2`)\n");
}

#[test]
fn an_error_in_the_last_goal_of_a_clause_names_the_line_of_the_script() {
    let script = "main :-\n    member(X, [a]),\n    forall(true, atom_length(X, no_number)).\n";
    let (_folder, path) = file("script.pl", script);
    let errors = stderr(papaver().arg("run").arg(&path).arg(data("qsort.trace")), 2);
    let place = format!("{}:3:5: error: ", path.display());
    assert!(errors.starts_with(&place), "{errors}");
}

#[test]
fn an_error_in_a_grammar_rule_names_the_line_of_its_goal() {
    let script = "main :-\n    phrase(line, [a, b, c]).\nline -->\n    item,\n    { true },\n    item(X),\n    { Y is X + 1, write(Y) }.\nitem --> [_].\nitem(X) --> [X].\n";
    let (_folder, path) = file("script.pl", script);
    let errors = stderr(papaver().arg("run").arg(&path).arg(data("qsort.trace")), 2);
    let path = path.display();
    let message = "expected an evaluable, found `b/0` (in `is/2`)";
    let goals = format!("  in `line/2` at {path}:7:7\n  in `main/0` at {path}:2:5\n");
    assert_eq!(errors, format!("{path}:7:7: error: {message}\n{goals}"));
}

/// Rules whose goals call each other.
const BILL: &str = "total(List, Sum) :-
    foldl(add, List, 0, Sum),
    Sum >= 0.
add(X, S0, S) :-
    cost(X, C),
    S is S0 + C.
cost(X, C) :-
    C is X * 2.
deep(0) :- throw(bottom).
deep(N) :- M is N - 1, deep(M), deep(M).
ping(0) :- atom_length(_, _).
ping(N) :- M is N - 1, pong(M), pong(M).
pong(N) :- ping(N), ping(N).
again :- catch(total([x], _), Ball, throw(Ball)), true, fail.
counted :- aggregate_all(count, total([x], _), _), fail.
quiet :- catch(total([x], _), _, true), cost(y, _), fail.
cleaned :- setup_call_cleanup(true, total([x], _), catch(throw(other), _, true)), fail.
cleaned_twice :- setup_call_cleanup(true, cleaned, cleanup), fail.
cleanup :- catch(setup_call_cleanup(true, throw(inner), true), inner, true).
check(bill) :- total([1, x], _).
";

/// The lines below the message, `FILE` for the script's path.
fn goals_of(goal: &str) -> Vec<String> {
    let (_folder, path) = file("bill.pl", BILL);
    let errors = stderr(papaver().args(["query", goal, &data("qsort.trace"), "-l"]).arg(&path), 2);
    errors.lines().skip(1).map(|line| line.replace(&path.display().to_string(), "FILE")).collect()
}

#[test]
fn an_uncaught_error_shows_the_goals_that_led_to_it() {
    let expected =
        ["  in `cost/2` at FILE:8:5", "  in `add/3` at FILE:5:5", "  in `foldl/4`", "  in `total/2` at FILE:2:5"];
    assert_eq!(goals_of("total([1, x, 2], _)"), expected);
}

#[test]
fn a_goal_of_the_query_itself_needs_no_trace() {
    assert_eq!(goals_of("true, atom_length(_, _)"), [""; 0]);
    assert_eq!(goals_of("true, findall(X, throw(X-a), _)"), [""; 0]);
}

#[test]
fn equal_goals_are_counted() {
    let expected = ["  in `deep/1` at FILE:9:12", "  in `deep/1` at FILE:10:24, 100000 times"];
    assert_eq!(goals_of("deep(100000)"), expected);
}

#[test]
fn of_many_goals_the_middle_is_left_out() {
    let goals = goals_of("ping(20000)");
    assert_eq!(goals.len(), 15, "{goals:#?}");
    assert_eq!(goals[..2], ["  in `ping/1` at FILE:11:12", "  in `pong/1` at FILE:13:12"]);
    assert_eq!(goals[10], "  ... 39987 more");
    assert_eq!(goals[14], "  in `ping/1` at FILE:12:24");
}

#[test]
fn an_error_that_is_thrown_again_keeps_its_goals() {
    let innermost = "  in `cost/2` at FILE:8:5";
    assert_eq!(goals_of("again")[0], innermost);
    let counted = goals_of("counted");
    assert_eq!((counted[0].as_str(), counted.last().unwrap().as_str()), (innermost, "  in `counted/0` at FILE:15:12"));
}

/// An error keeps its place even if a cleanup throws and catches another error meanwhile.
#[test]
fn an_error_keeps_its_goals_through_cleanups() {
    let inner = ["  in `cost/2` at FILE:8:5", "  in `add/3` at FILE:5:5", "  in `foldl/4`"];
    let cleaned = ["  in `setup_call_cleanup/3`", "  in `cleaned/0` at FILE:17:12"];
    let twice = ["  in `setup_call_cleanup/3`", "  in `cleaned_twice/0` at FILE:18:18"];
    let total = ["  in `total/2` at FILE:2:5"];
    assert_eq!(goals_of("cleaned"), [&inner[..], &total, &cleaned].concat());
    assert_eq!(goals_of("cleaned_twice"), [&inner[..], &total, &cleaned, &twice].concat());
}

#[test]
fn an_error_that_was_caught_before_leaves_no_goals() {
    assert_eq!(goals_of("quiet"), ["  in `cost/2` at FILE:8:5", "  in `quiet/0` at FILE:16:41"]);
}

#[test]
fn a_directive_that_fails_by_an_error_shows_its_goals() {
    let script = ":- initialization(main).\n:- main.\nmain :- a, true.\na :- b, fail.\nb :- X is foo, write(X).\n";
    let (_folder, path) = file("script.pl", script);
    let errors = stderr(papaver().arg("run").arg(&path), 2).replace(&path.display().to_string(), "FILE");
    let goals = "  in `b/0` at FILE:5:6\n  in `a/0` at FILE:4:6\n";
    assert!(
        errors.contains(&format!("FILE:5:6: error: expected an evaluable, found `foo/0` (in `is/2`)\n{goals}")),
        "{errors}"
    );
}

#[test]
fn a_check_with_an_error_shows_its_goals_in_every_output() {
    let (_folder, path) = file("bill.pl", BILL);
    let output = |form: &str| {
        let mut command = papaver();
        let command = command.arg("check").arg(&path).args([&data("qsort.trace"), "--to", form]);
        crate::support::stdout(command, 2)
    };
    for form in ["text", "tap", "junit"] {
        assert!(output(form).contains("in `add/3` at "), "{}", output(form));
    }
    let json: serde_json::Value = serde_json::from_str(&output("json")).unwrap();
    assert_eq!(json["goals"][0]["predicate"], "cost/2");
    assert!(json["goals"][1]["place"].as_str().unwrap().ends_with(":5:5"), "{json}");
}

#[test]
fn an_event_of_a_document_has_its_line_column_and_byte() {
    let slice =
        |name: &str, ts: u32| format!("{{\"ph\":\"X\",\"ts\":{ts},\"dur\":1,\"pid\":1,\"tid\":1,\"name\":\"{name}\"}}");
    let one_line = format!("{{\"traceEvents\": [{}, {}]}}", slice("late", 9), slice("early", 2));
    let span = |id: u32| {
        format!(
            "{{\"traceId\":\"{id:032x}\",\"id\":\"{id:016x}\",\"name\":\"s{id}\",\"timestamp\":{id},\"duration\":1}}"
        )
    };
    let zipkin = format!("[\n {},\n {}\n]", span(7), span(5));
    let states = "{\"vars\":[\"x\"],\"states\":[{\"x\":1},{\"x\":2}]}";
    for (name, text, begins) in [
        ("t.json", one_line.as_str(), slice("early", 2).as_str()),
        ("z.json", &zipkin, &span(5)),
        ("i.json", states, "{\"x\":1}"),
    ] {
        let (folder, path) = file(name, text);
        let places = stdout(papaver().args(["query", "-q", "file_place(1, Line, Byte)"]).arg(&path), 0);
        let byte = text.find(begins).expect("it is there");
        let before = &text[..byte];
        let line = before.matches('\n').count() + 1;
        assert_eq!(places, format!("Line = {line}, Byte = {byte}\n"), "{name}");
        let script = folder.path().join("c.pl");
        std::fs::write(&script, "check(c) :- never([chrono=1]).\n").expect("temporary files can be written to");
        let report = stdout(papaver().arg("check").arg(&script).arg(&path), 1);
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        let place = format!("{}:{line}:{column}:   1: ", path.display());
        assert!(report.contains(&place), "{place} is not in {report}");
        let saved = folder.path().join("saved.papaver");
        stdout(papaver().args(["convert", "-q"]).arg(&path).arg("-o").arg(&saved), 0);
        let again = stdout(papaver().args(["query", "-q", "file_place(1, Line, Byte)"]).arg(&saved), 0);
        assert_eq!(again, places, "{name} saved");
    }
}

/// The byte of each call in a file, with the id of its span.
fn spans_at(path: &std::path::Path) -> Vec<(String, String)> {
    let goal = "event([port=call, chrono=C, span=S]), file_place(C, _, B), format(\"~w ~w~n\", [B, S]), fail";
    let answers = stdout(papaver().args(["query", "-q", goal]).arg(path), 1);
    let pair = |line: &str| line.split_once(' ').map(|(byte, span)| (byte.to_string(), span.to_string()));
    answers.lines().filter_map(pair).collect()
}

#[test]
fn a_span_of_a_message_has_its_byte_unless_the_message_is_packed() {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let path = data("otlp/shop_small.pb");
    let bytes = std::fs::read(&path).expect("the sample can be read");
    let spans = spans_at(path.as_ref());
    for (byte, span) in &spans {
        // field 1: 16 bytes, the id of the trace; field 2: 8 bytes, that of the span
        let at: usize = byte.parse().expect("the byte is known");
        assert_eq!((&bytes[at..at + 2], &bytes[at + 18..at + 20]), (&[0x0A, 16][..], &[0x12, 8][..]), "{span} at {at}");
        assert_eq!(&hex(&bytes[at + 20..at + 28]), span);
    }
    assert!(spans.len() > 20, "{spans:?}");
    let packed = spans_at(data("otlp/shop_small_each_zstd.pb").as_ref());
    assert_eq!(packed, spans.into_iter().map(|(_, span)| ("-".to_string(), span)).collect::<Vec<_>>());
}

#[test]
fn a_span_of_a_message_of_json_has_its_byte() {
    let lines = std::fs::read_to_string(data("otlp/shop_small.jsonl")).expect("the sample can be read");
    let message = |line: &str| [&(line.len() as u32).to_be_bytes(), line.as_bytes()].concat();
    let bytes: Vec<u8> = lines.lines().flat_map(message).collect();
    let folder = tempfile::tempdir().expect("temporary folders can be made");
    let path = folder.path().join("t.bin");
    std::fs::write(&path, &bytes).expect("temporary files can be written to");
    let spans = spans_at(&path);
    for (byte, span) in &spans {
        let at: usize = byte.parse().expect("the byte is known");
        let object: serde_json::Value =
            serde_json::Deserializer::from_slice(&bytes[at..]).into_iter().next().expect("it begins").expect("it ends");
        assert_eq!(object["spanId"].as_str(), Some(span.as_str()));
    }
    assert!(spans.len() > 20, "{spans:?}");
}
