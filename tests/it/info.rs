//! `papaver info`.

use serde_json::Value;

use crate::support::{data, file, papaver, stderr, stdout};

#[test]
fn json_tells_what_the_data_says() {
    let text = stdout(papaver().args(["info", &data("queens.jsonl"), "--to=json"]), 0);
    let info: Value = serde_json::from_str(text.trim()).unwrap();
    assert_eq!(
        (&info["events"], &info["ports"]["exit"], &info["procs"]["queen/2"]),
        (&698.into(), &149.into(), &2.into())
    );
    assert_eq!((&info["format"], &info["n_warnings"]), (&"jsonl".into(), &0.into()));
    assert!(info["attributes"].as_array().unwrap().contains(&"det".into()), "{text}");
}

#[test]
fn a_bad_line_is_told_with_its_number_and_costs_nothing_else() {
    let trace = std::fs::read_to_string(data("queens.trace")).unwrap();
    let (head, tail) = trace.split_at(trace.match_indices('\n').nth(5).unwrap().0 + 1);
    let (_folder, path) = file("bad.trace", &format!("{head}### garbage ###\n{tail}"));
    let text = stdout(papaver().arg("info").arg(&path).arg("--to=json"), 0);
    let info: Value = serde_json::from_str(text.trim()).unwrap();
    assert_eq!((&info["events"], &info["severities"]["fault"]), (&698.into(), &1.into()));
    assert_eq!((&info["warnings"][0]["line"], &info["warnings"][0]["severity"]), (&7.into(), &"fault".into()));
    stderr(papaver().arg("info").arg(&path).arg("--strict"), 2);
}

#[test]
fn text_names_the_most_frequent_first() {
    let text = stdout(papaver().args(["info", &data("queens.trace")]), 0);
    assert!(text.contains("events      698\n") && text.contains("format      morphine\n"), "{text}");
    assert!(text.contains("exit 149"), "{text}");
}

#[test]
fn a_packed_trace_of_which_nothing_can_be_read_is_an_error_everywhere() {
    let (_folder, path) = file("cut.trace.gz", "");
    std::fs::write(&path, [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B]).unwrap();
    for words in [&["info"][..], &["query", "true"], &["convert", "-o", "-", "--to=jsonl"]] {
        let text = stderr(papaver().args(words).arg(&path), 2);
        assert!(text.contains("the packed data is damaged"), "{words:?}: {text}");
    }
    let text = stderr(papaver().arg(&path).write_stdin("true.\n"), 2);
    assert!(text.contains("the packed data is damaged"), "{text}");
}

#[test]
fn a_wrong_format_that_was_asked_for_is_told_once() {
    let text = stderr(papaver().args(["query", "true", &data("queens.trace"), "--from=jsonl"]), 0);
    let expected = "the file looks like `morphine`; it was read as `jsonl` because of --from";
    assert_eq!((text.lines().count(), text.matches(expected).count()), (1, 1), "{text}");
    let text = stderr(papaver().args(["query", "true", &data("queens.jsonl"), "--from=morphine"]), 0);
    assert!(text.contains("the file looks like `jsonl`"), "{text}");
    assert_eq!(stderr(papaver().args(["query", "true", &data("queens.jsonl"), "--from=jsonl"]), 0), "");
}

#[test]
fn events_that_do_not_fit_their_calls_are_told_but_are_no_fault() {
    let (_folder, path) = file("part.trace", "hello\n1: 1 [1] exit p []\n2: 2 [1] call q []\n3: 2 [1] call q []\n");
    let text = stdout(papaver().arg("info").arg(&path), 0);
    let end = "findings    1 fault\n  fault L1: line 1: column 1: expected an event, found `hello`\n\
               structure   2 warnings\n  warning B1: line 2: call 1 is not opened before this event\n  warning B2: line 4: call 2 is opened a second time\n";
    assert!(text.ends_with(end), "{text}");
    let text = stdout(papaver().arg("info").arg(&path).arg("--to=json"), 0);
    let info: Value = serde_json::from_str(text.trim()).unwrap();
    assert_eq!((&info["n_warnings"], &info["n_structure"]), (&1.into(), &2.into()));
    assert_eq!((&info["severities"]["fault"], &info["severities"]["note"]), (&1.into(), &0.into()));
    assert_eq!((&info["structure"][0]["rule"], &info["structure"][0]["line"]), (&"B1".into(), &2.into()));
    let (_folder, path) = file("part.trace", "1: 1 [1] exit p []\n");
    stdout(papaver().arg("info").arg(&path).arg("--strict"), 0);
}

#[test]
fn what_is_no_trace_says_why() {
    let (_folder, path) = file("x.png", "\u{fffd}PNG\nnothing here\n");
    assert!(stderr(papaver().arg("info").arg(&path), 2).contains("cannot recognise the format"));
    assert!(stderr(papaver().args(["info", "tests/no-such.trace"]), 2).contains("No such file"));
    let (_folder, path) = file("empty.trace", "");
    assert!(stdout(papaver().arg("info").arg(&path), 0).contains("no events"));
}

#[test]
fn lines_that_are_no_json_are_told_in_our_own_words() {
    let lines = "{\"port\":\"call\"}\n{\"port\": nul}\n[1]\n{\"port\": \"a\"\n{\"port\":\"exit\"}\n";
    let (_folder, path) = file("a.jsonl", lines);
    let mut command = papaver();
    let text = stdout(command.arg("info").arg(&path), 0);
    assert!(text.contains("line 2: column 13: expected a JSON object, found `}`"), "{text}");
    assert!(text.contains("line 3: column 1: expected a JSON object, found `[1]`"), "{text}");
    assert!(text.contains("line 4: column 12: expected a JSON object, but the line ends inside of it"), "{text}");
    assert!(!text.contains("expected ident") && !text.contains("EOF while"), "{text}");
}

#[test]
fn all_findings_and_values_are_listed_on_demand() {
    let names: String = (0..30).map(|number| format!("{{\"name\": \"f{number}\", \"port\": \"event\"}}\n")).collect();
    let (_folder, path) = file("t.jsonl", &format!("{names}{}", "{\"name\"\n".repeat(30)));
    let told = |arguments: &[&str]| stdout(papaver().arg("info").args(arguments).arg(&path), 0);
    let (short, all) = (told(&[]), told(&["--all"]));
    assert_eq!((short.matches("  fault ").count(), all.matches("  fault ").count()), (20, 30), "{all}");
    assert!(short.contains("f19 1, and 10 more") && short.contains("\n  and 10 more\n"), "{short}");
    assert!(all.contains("f29 1") && !all.contains("more"), "{all}");
}
