//! Texts of a trace that are not terms, and arguments that have types only on some lines.

use crate::support::{data, file, papaver, stderr, stdout};

const TRACE: &str = "  1: 1 [1] call p(a b, 1) []
  2: 1 [1] exit p(a b, list.list(int)) []
  3: 1 [1] fail p(x, y) []
";

#[test]
fn one_finding_names_the_first_text_that_is_no_term_and_counts_the_others() {
    let (_folder, path) = file("t.trace", TRACE);
    let text = stdout(papaver().arg("info").arg(&path), 0);
    let expected =
        "findings    1 warning\n  warning T1: line 1: `a b` is no term and is kept as a string, and so are 2 more\n";
    assert!(text.contains(expected), "{text}");
    let text =
        stdout(papaver().args(["query", "-q", "integrity('T1', C, _), event([chrono=C, args=[A, _]])"]).arg(&path), 0);
    assert_eq!(text, "C = 1, A = \"a b\"\n");
    let (_folder, path) = file("t.jsonl", "{\"port\": \"exit\", \"name\": \"f\", \"args\": [1]}\n");
    assert!(!stdout(papaver().arg("info").arg(path), 0).contains("T1"));
}

#[test]
fn loading_does_not_look_for_them() {
    let (_folder, path) = file("t.trace", TRACE);
    assert_eq!(stderr(papaver().args(["query", "event([chrono=1])"]).arg(path), 0), "");
}

#[test]
fn samples_have_only_terms() {
    for name in ["queens.trace", "queens.jsonl", "qsort.trace", "mpd/dvm.trc", "seq_trace/gen.raw"] {
        assert!(!stdout(papaver().arg("info").arg(data(name)), 0).contains("T1"), "{name}");
    }
}

#[test]
fn types_are_told_from_arguments_also_where_few_lines_have_them() {
    let mut text = String::new();
    for chrono in 1..300 {
        text.push_str(&format!("{chrono}: {chrono} [1] call p([{chrono}], -) []\n"));
    }
    text.push_str("300: 300 [1] call p([1, 2] {list__list(int)}, -) []\n301: 300 [1] exit p([1, 2], 3 - {int}) []\n");
    text.push_str("302: 300 [1] fail p([1, 2] {list__list(int)}, 7 {int}) []\n");
    let (_folder, path) = file("t.trace", &text);
    let goal = "findall(A-T, (member(C, [299, 300, 301, 302]), event([chrono=C, args=A]), (attribute(C, arg_types, T) -> true ; T = none)), L)";
    let text = stdout(papaver().args(["query", "-q", goal]).arg(&path), 0);
    let expected = "L = [[[299], -]-none, [[1, 2], -]-[\"list:list(int)\", -], [[1, 2], 3-{int}]-none, \
                    [[1, 2], 7]-[\"list:list(int)\", \"int\"]]\n";
    assert_eq!(text, expected);
    let counted = stdout(papaver().args(["query", "--count", "event([args=[[1, 2], _]])"]).arg(&path), 0);
    assert_eq!(counted, "3\n");
}
