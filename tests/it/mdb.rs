//! Transcripts of the Mercury debugger: questions about their events and variables.

use crate::support::{data, file, papaver, stdout};

#[test]
fn questions_of_mercury_traces_can_be_put() {
    let query = |goal: &str| stdout(papaver().args(["query", goal, &data("mdb/delivery.txt"), "--first"]), 0);
    assert_eq!(query("fget_np([port=fail, proc=is_open/1]), current(chrono=C)").lines().next(), Some("C = 65"));
    assert_eq!(query("call_start(37, S), parent(37, P)").lines().next(), Some("S = 99, P = 32"));
}
/// A function whose variables hold values that cannot be read.
const FUNCTION: &str = "       3:      2  2 EXIT func m.p/2-0 (det) m.m:9 (m.m:6)
mdb> print *
       HeadVar__1             \t2
       HeadVar__2             \t55
       T                      \tlist.list(int)
       U                      \t1-[|]/2
";

#[test]
fn a_value_that_cannot_be_read_is_a_local_variable_with_a_string() {
    let (_folder, path) = file("f.exp", FUNCTION);
    let text = stdout(papaver().args(["query", "-q", "event([local_vars=L, port=exit])"]).arg(path), 0);
    assert_eq!(text, "L = [live_var(\"T\", \"list.list(int)\", -), live_var(\"U\", \"1-[|]/2\", -)]\n");
}

#[test]
fn lint_says_what_a_transcript_lacks_for_which_questions() {
    let missing = |name: &str| {
        let text = stdout(papaver().args(["info", "--lint", name]), 0);
        let from = text.find("\nmissing\n").expect("it has this part");
        text[from..text.find("\nwrong\n").expect("it has this part")].to_string()
    };
    let flow = missing(&format!("{}/examples/mdb/delivery.txt", env!("CARGO_MANIFEST_DIR")));
    assert!(flow.contains("  `args` at ") && flow.contains("(`print *`)"), "{flow}");
    assert!(!flow.contains("goal_path") && !flow.contains("context") && !flow.contains("header"), "{flow}");
    let again = missing(&data("mdb/again.txt"));
    assert!(again.contains("`goal_path` at 3 of 3 events"), "{again}");
    assert!(again.contains("`context` at 24 of 24 events: places in the source"), "{again}");
    let (_folder, path) = file(
        "gap.txt",
        "\
       1:      1  1 CALL pred m.main/2-0 (det) m.m:1
       2:      2  2 CALL pred m.p/1-0 (det) m.m:3 (m.m:2)
       9:      1  1 EXIT pred m.main/2-0 (det) m.m:1
",
    );
    let gap = missing(&path.display().to_string());
    assert!(gap.contains("events: 6 of 9 between the first and the last"), "{gap}");
    let whole = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/mdb/delivery.txt")).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let (_folder, path) = file("late.txt", &lines[11..].join("\n"));
    let late = missing(&path.display().to_string());
    assert!(late.contains("events: 4 before the first") && !late.contains("between"), "{late}");
    let (_folder, path) = file("early.txt", &lines[..20].join("\n"));
    let text = stdout(papaver().args(["info", "--lint"]).arg(path), 0);
    assert!(text.contains("call 1 never ends"), "{text}");
}
