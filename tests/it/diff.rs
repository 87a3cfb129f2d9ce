//! `papaver diff`. What the traces have in common was computed from their JSON by a program in another language.

use serde_json::{Value, json};

use crate::support::{data, file, papaver, stderr, stdout};

fn object(one: &str, other: &str, options: &[&str], status: i32) -> Value {
    let text = stdout(papaver().args(["diff", "-q", one, other, "--to", "json"]).args(options), status);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn equal_traces_have_status_0_whatever_their_formats() {
    let (one, other) = (data("queens.trace"), data("queens.jsonl"));
    let text = stdout(papaver().args(["diff", &one, &other]), 0);
    assert!(
        text.starts_with(&format!("A  {one}: 698 events, 146 calls\nB  {other}: 698 events, 146 calls\n")),
        "{text}"
    );
    assert!(text.ends_with("\nThe traces are equal.\n"), "{text}");
    let found = object(&one, &other, &[], 0);
    assert_eq!((&found["equal"], &found["first_difference"]), (&json!(true), &Value::Null));
    assert_eq!(found["only_in"], json!([[], []]));
}

#[test]
fn the_first_difference_has_its_context_in_both() {
    let (one, other) = (data("queens.trace"), data("compare/queens_dropped.trace"));
    let text = stdout(papaver().args(["diff", &one, &other, "-C", "1"]), 1);
    assert!(
        text.contains("\nThe first difference: event 54 of A and event 54 of B differ in port, depth, args\n"),
        "{text}"
    );
    for line in ["A    53: ", "A >  54: ", "A    55: ", "B    53: ", "B >  54: ", "B    55: "] {
        assert_eq!(text.matches(&format!("\n{line}")).count(), 1, "{line} in {text}");
    }
    assert!(
        text.contains("\nCalls only in A: 1 of 146\nA    54:         17 [9] call qdelete(-, [], -) []  54 \n"),
        "{text}"
    );
    assert!(!text.contains("only in B"), "{text}");
    assert!(text.ends_with("\ncalls of    A   B  B - A\nqdelete/3  47  46     -1\n"), "{text}");
}

#[test]
fn what_is_ignored_does_not_differ() {
    let (one, other) = (data("queens.trace"), data("compare/queens_changed.trace"));
    let found = object(&one, &other, &[], 1);
    assert_eq!(found["first_difference"]["chronos"], json!([40, 40]));
    assert_eq!(found["first_difference"]["attributes"], json!(["args"]));
    assert_eq!(found["first_difference"]["events"][0].as_array().unwrap().len(), 7);
    assert_eq!(found["only_in"], json!([[16], [16]]));
    let found = object(&one, &other, &["--ignore", "args"], 0);
    assert_eq!((&found["equal"], &found["only_in"]), (&json!(true), &json!([[], []])));
    // an alias, and an attribute that is not compared anyway
    assert_eq!(object(&one, &other, &["--ignore", "a,line_number"], 0)["equal"], json!(true));
}

#[test]
fn a_trace_that_ends_earlier_differs_at_its_end() {
    let text = std::fs::read_to_string(data("queens.trace")).unwrap();
    let cut: String = text.lines().take(600).map(|line| format!("{line}\n")).collect();
    let (_folder, path) = file("cut.trace", &cut);
    let path = path.to_str().unwrap();
    let page = stdout(papaver().args(["diff", &data("queens.trace"), path]), 1);
    assert!(page.contains("\nThe first difference: event 601 of A and the end of B\n"), "{page}");
    assert!(page.contains("\nB > (the trace ends)\n"), "{page}");
    assert_eq!(object(path, &data("queens.trace"), &[], 1)["first_difference"]["chronos"], json!([null, 601]));
}

#[test]
fn trouble_has_status_2() {
    let queens = data("queens.trace");
    assert!(stderr(papaver().args(["diff", &queens, "/nowhere.trace"]), 2).contains("nowhere.trace"));
    let message = stderr(papaver().args(["diff", &queens, &queens, "--ignore", "colour"]), 2);
    assert!(message.contains("no trace has the attribute `colour`"), "{message}");
    let message = stderr(papaver().args(["diff", &queens, &queens, "--merge"]), 2);
    assert!(message.contains("expected two traces to compare"), "{message}");
}
