//! `papaver query`.

use serde_json::Value;

use crate::support::{data, file, papaver, program, stderr, stdout};

fn query(goal: &str) -> assert_cmd::Command {
    let mut command = papaver();
    command.args(["query", goal, &data("queens.trace")]);
    command
}

#[test]
fn a_move_prints_its_event_line_to_the_byte() {
    let line = "673:  3 [2] exit queen([1, 2, 3, 4, 5], [1, 3, 5, 2, 4]) []  16 \n";
    assert_eq!(stdout(&mut query("fget(name = queen and port = exit)"), 0), line);
    assert_eq!(stdout(query("fget([name=queen, port=exit])").arg("--to=none"), 0), line);
}

#[test]
fn an_event_goal_without_variables_prints_its_lines() {
    let text = stdout(&mut query("event([port=exit, proc=queen/2])"), 0);
    assert_eq!(text, "673:  3 [2] exit queen([1, 2, 3, 4, 5], [1, 3, 5, 2, 4]) []  16 \n");
    assert_eq!(stdout(&mut query("event([port=exit])"), 0).lines().count(), 149);
}

#[test]
fn answers_are_bindings_a_line_each() {
    assert_eq!(stdout(&mut query("member(X, [1, 'A b', f(Y, Y)])"), 0), "X = 1\nX = 'A b'\nX = f(Y, Y)\n");
    assert_eq!(
        stdout(&mut query("event([proc=queen/2, chrono=C, port=P])"), 0),
        "C = 4, P = call\nC = 673, P = exit\n"
    );
    assert_eq!(stdout(&mut query("true."), 0), "true\n");
}

#[test]
fn the_number_of_answers_can_be_limited_and_counted() {
    assert_eq!(stdout(query("event([port=exit, chrono=C])").arg("--first"), 0), "C = 3\n");
    assert_eq!(stdout(query("event([port=exit, chrono=_])").args(["-n", "2"]), 0).lines().count(), 2);
    assert_eq!(stdout(query("event([port=exit])").arg("--count"), 0), "149\n");
    assert_eq!(stdout(query("event([depth=99])").arg("--count"), 1), "0\n");
    assert_eq!(stdout(query("event([port=exit])").args(["--count", "-n", "2"]), 0), "2\n");
    assert_eq!(stdout(query("event([port=exit])").args(["--count", "-n", "1000"]), 0), "149\n");
    assert_eq!(stdout(query("event([port=exit])").args(["--count", "-n", "0"]), 1), "0\n");
}

#[test]
fn a_condition_searches_on() {
    assert_eq!(stdout(query("next_np, current(chrono=C), C > 10").arg("--first"), 0), "C = 11\n");
}

#[test]
fn json_has_bindings_and_the_event_that_was_moved_to() {
    let text = stdout(
        query("fget([port=exit, proc=queen/2]), current(chrono=C), T = f(a, \"s\", 1.5, [])").arg("--to=json"),
        0,
    );
    let answer: Value = serde_json::from_str(text.trim()).unwrap();
    assert_eq!(answer["bindings"]["C"], 673);
    assert_eq!(answer["bindings"]["T"], serde_json::json!({"functor": "f", "args": ["a", "s", 1.5, []]}));
    assert_eq!(answer["event"]["chrono"], 673);
    assert_eq!(answer["event"]["port"], "exit");
    let text = stdout(query("event([port=exit, proc=queen/2, chrono=C])").arg("--to=json"), 0);
    assert_eq!(text, "{\"bindings\": {\"C\": 673}}\n");
}

#[test]
fn arguments_of_an_event_are_terms_in_json() {
    let line = "1: 1 [1] call p(7, [1, a], f(b, X), 'A b', \"s\", -, -3, 1.5, <<x>>) []\n";
    let (_folder, path) = file("terms.trace", line);
    let text = stdout(papaver().args(["query", "fget([chrono=1])", "--to=json", "-C", "0"]).arg(&path), 0);
    let answer: Value = serde_json::from_str(text.trim()).unwrap();
    let compound = serde_json::json!({"functor": "f", "args": ["b", {"var": "_0"}]});
    let expected = serde_json::json!([7, [1, "a"], compound, "A b", "s", null, -3, 1.5, "<<x>>"]);
    assert_eq!(answer["event"]["args"], expected);
    assert_eq!(answer["around"][0]["args"], expected);
    let (_folder, shared) = file("shared.trace", "1: 1 [1] call p(X, Y, f(X), -) []\n");
    let text = stdout(papaver().args(["query", "fget([chrono=1])", "--to=json"]).arg(&shared), 0);
    let answer: Value = serde_json::from_str(text.trim()).unwrap();
    let args = &answer["event"]["args"];
    assert!(args[0] != args[1] && args[0] == args[2]["args"][0] && args[3].is_null(), "{text}");
    let text = stdout(papaver().arg("convert").arg(&path).args(["-o", "-", "--to=jsonl"]), 0);
    let event: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    assert_eq!((&event["args"][0], &event["args"][1]), (&"7".into(), &"[1, a]".into()));
}

#[test]
fn csv_has_a_column_a_variable() {
    let text = stdout(query("member(X-Y, [1-a, 'b,c'-[d]])").arg("--to=csv"), 0);
    assert_eq!(text, "X,Y\n1,a\n\"b,c\",[d]\n");
}

#[test]
fn events_around_an_answer_are_shown_with_a_mark() {
    let text = stdout(query("fget([chrono=673])").args(["-C", "1"]), 0);
    let marks: Vec<&str> = text.lines().map(|line| &line[..6]).collect();
    assert_eq!(marks, ["  672:", "> 673:", "  674:"]);
}

/// `queen/2` is called at 4 and exits at 673.
#[test]
fn csv_without_variables_tells_the_event_or_that_there_is_an_answer() {
    assert_eq!(stdout(query("event([proc=queen/2])").arg("--to=csv"), 0), "chrono\n4\n673\n");
    assert_eq!(stdout(query("fget([proc=queen/2])").arg("--to=csv"), 0), "chrono\n4\n673\n");
    assert_eq!(stdout(query("true ; true").arg("--to=csv"), 0), "answer\ntrue\ntrue\n");
    assert_eq!(stdout(query("event([depth=99])").arg("--to=csv"), 1), "chrono\n");
}

#[test]
fn events_around_an_answer_are_shown_for_event_too() {
    let text = stdout(query("event([proc=queen/2, port=exit, chrono=C])").args(["-C", "1"]), 0);
    let marks: Vec<&str> = text.lines().map(|line| &line[..line.len().min(7)]).collect();
    assert_eq!(marks, ["  672: ", "> 673: ", "  674: ", "C = 673"]);
    let output = query("member(X, [1, 2])").args(["-C", "1"]).assert().code(0).get_output().clone();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "X = 1\nX = 2\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr).matches("moves to no event").count(), 1);
}

#[test]
fn nothing_found_is_status_1_with_a_reason() {
    let text = stderr(&mut query("fget([port=exit, depth=99])"), 1);
    assert!(text.contains("depth"), "{text}");
}

#[test]
fn errors_are_status_2() {
    let text = stderr(&mut query("fget([port=exit)"), 2);
    assert!(text.starts_with("query:1:16: error:"), "{text}");
    assert!(text.contains('^'), "{text}");
    let text = stderr(&mut query("fget([prot=exit])"), 2);
    assert!(text.contains("`prot`") && text.contains("`port`"), "{text}");
    let text = stderr(&mut query("fgte([port=exit])"), 2);
    assert!(text.contains("fgte/1") && text.contains("fget/1"), "{text}");
    let text = stderr(&mut query("X is foo + 1"), 2);
    assert!(text.contains("foo"), "{text}");
    assert!(stderr(papaver().args(["query", "true", "tests/no-such.trace"]), 2).contains("tests/no-such.trace"));
    assert!(stderr(papaver().args(["query", "true"]), 2).contains("TRACE"));
}

#[test]
fn the_goals_output_leaves_standard_output_to_the_data() {
    let output = query("write(hello), nl, X = 1").arg("--to=json").assert().code(0).get_output().clone();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"bindings\": {\"X\": 1}}\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "hello\n");
    assert_eq!(stdout(query("write(hello), nl, X = 1").arg("--to=none"), 0), "hello\n");
}

#[test]
fn a_line_that_the_goal_has_begun_ends_before_the_answer() {
    assert_eq!(stdout(&mut query("member(X, [1, 2]), write(hello)"), 0), "hello\nX = 1\nhello\nX = 2\n");
    assert_eq!(stdout(&mut query("X = 1, write(hello), nl"), 0), "hello\nX = 1\n");
    let text = stdout(query("fget([chrono=2]), write(hello)").args(["-C", "0"]), 0);
    assert!(text.starts_with("hello\n> "), "{text}");
}

#[test]
fn several_traces_are_asked_in_turn() {
    let mut command = papaver();
    command.args(["query", "trace_info(events, N)", &data("queens.trace"), &data("qsort.trace"), "--to=json"]);
    let text = stdout(&mut command, 0);
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["trace"], data("queens.trace").as_str());
    assert_eq!((&answers[0]["bindings"]["N"], &answers[1]["bindings"]["N"]), (&698.into(), &65.into()));
}

#[test]
fn rules_can_be_loaded_first() {
    let (_folder, rules) = file("rules.pl", "deep(C) :- event([depth=D, chrono=C]), D > 6.\n");
    let mut command = query("deep(C)");
    command.arg("-l").arg(&rules).arg("--first");
    assert!(stdout(&mut command, 0).starts_with("C = "));
}

#[test]
fn a_wrong_rule_is_shown_with_its_place() {
    let (_folder, rules) = file("rules.pl", "good(1).\nbad(].\nworse(]).\n");
    let mut command = query("good(X)");
    command.arg("-l").arg(&rules);
    let text = stderr(&mut command, 2);
    assert!(text.contains("rules.pl:2:") && text.contains("rules.pl:3:"), "{text}");
}

#[test]
fn a_limit_is_an_error_and_no_answer() {
    let text = stderr(query("repeat, fail").args(["--time-limit", "100ms"]), 2);
    assert!(text.contains("time limit"), "{text}");
}

#[test]
fn halt_ends_with_its_status() {
    query("halt(7)").assert().code(7);
    assert!(stderr(&mut query("halt(256)"), 2).contains("from 0 to 255"));
    query("halt(4294967296)").assert().code(2);
    query("halt(-1)").assert().code(2);
}

#[test]
fn help_and_version_are_no_errors() {
    assert!(stdout(papaver().arg("--help"), 0).contains("Examples:"));
    assert!(stdout(papaver().args(["info", "--help"]), 0).contains("Refuse a trace with lines that are not events"));
    assert!(stdout(papaver().arg("--version"), 0).starts_with("papaver "));
    assert!(stdout(papaver().args(["completions", "bash"]), 0).contains("papaver"));
    assert!(stdout(papaver().arg("man"), 0).starts_with(".ie"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_once() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = program();
    command.args(["query", "between(1, 100000, X)", &data("queens.trace")]).stdout(full);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let command =
        format!("{} query 'between(1, inf, X)' {} | head -1", env!("CARGO_BIN_EXE_papaver"), data("queens.trace"));
    let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
    assert_eq!((&*output.stdout, &*output.stderr), (&b"X = 1\n"[..], &b""[..]));
}

#[test]
fn attributes_of_the_trace_can_be_shown_in_event_lines() {
    let (_folder, path) = file(
        "a.jsonl",
        "{\"port\":\"call\",\"call\":1,\"depth\":1,\"name\":\"f\",\"dur\":1.5,\"who\":7}\n{\"port\":\"exit\",\"call\":1,\"depth\":1,\"name\":\"f\"}\n",
    );
    let mut command = papaver();
    command.args(["query", "event([name=f])", "--show", "dur,who,stack", "-q"]).arg(&path);
    let text = stdout(&mut command, 0);
    assert!(text.starts_with("  1: 1 [1] call f() dur=1.5  who=7 "), "{text}");
    assert!(text.contains(" stack=[[level(0), "), "{text}");
    let mut command = papaver();
    command.args(["query", "fget([chrono=1]), p_(X)", "-q", "-l"]);
    let (_folder2, rules) = file("p.pl", "p_(1) :- print_event, toggle(dur), print_event, toggle(dur), print_event.\n");
    command.arg(&rules).arg(&path);
    let text = stdout(&mut command, 0);
    assert_eq!(
        text,
        "  1: 1 [1] call f()\n  1: 1 [1] call f()\n  1: 1 [1] call f() dur=1.5 \n  1: 1 [1] call f()\nX = 1\n"
    );
    let mut command = papaver();
    command.args(["query", "event([name=f])", "--show", "dru"]).arg(&path);
    assert!(
        stderr(&mut command, 2).contains("expected an attribute, found `dru` (did you mean `dur`?); this trace has")
    );
    let mut command = papaver();
    command.args(["query", "fget([chrono=1])", "--show", "dur", "-C", "0"]).arg(&path);
    assert!(stdout(&mut command, 0).contains(">   1: 1 [1] call f() dur=1.5 \n"));
}

#[test]
fn a_script_that_can_be_read_only_once_is_consulted_and_checked_for_operators() {
    let script = ":- op(700, xfx, ===>).\nrule(a ===> b).\n";
    let mut query = papaver();
    query.args(["query", "-l", "/dev/stdin", "rule(X ===> Y)", &data("queens.trace")]).write_stdin(script);
    assert_eq!(stdout(&mut query, 0), "X = a, Y = b\n");
}
