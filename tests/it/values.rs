//! Values of a trace: texts that are compared with numbers, and types that are preserved.

use std::fs;

use crate::support::{file, papaver, stderr, stdout};

#[test]
fn texts_that_are_compared_with_numbers_are_told_and_an_error_of_a_check() {
    let (folder, trace) = file("t.jsonl", "{\"port\": \"p\", \"balance\": \"-5\"}\n");
    let script = folder.path().join("c.pl");
    fs::write(&script, "check(balance) :- never([balance < 0]).\n").expect("a temporary folder can be written to");
    let printed = stderr(papaver().args(["query", "\\+ event([balance < 0])"]).arg(&trace), 0);
    assert_eq!(printed, "papaver: note: balance holds texts (\"-5\", ...)\n");
    let error = stdout(papaver().arg("check").arg(&script).arg(&trace), 2);
    assert!(error.contains("balance holds texts (\"-5\", ...)"), "{error}");
}

#[test]
fn arguments_that_are_texts_and_compared_with_numbers_are_told_by_every_path() {
    let lines = "  1: 1 [1] call f(a, 1) []  1 \n  2: 1 [1] exit f(\"7\", b) []  1 \n  3: 2 [1] call g() []  1 \n";
    let (folder, trace) = file("t.trace", lines);
    let note = "papaver: note: arg(1) holds texts (\"a\", ...)\n";
    let notes = |goal: &str, executor: &[&str], status: i32| {
        stderr(papaver().args(["query", goal]).args(executor).arg(&trace), status)
    };
    for executor in [&[][..], &["--executor", "whole"], &["--executor", "machine"]] {
        assert_eq!(notes("\\+ event([name=f, arg(1) < 3])", executor, 0), note, "{executor:?}");
        assert!(notes("event([name=f, arg(1)=0..3])", executor, 1).starts_with(note), "{executor:?}");
        assert_eq!(notes("\\+ event([name=f, port=exit, arg(2) < 3])", executor, 0), "", "{executor:?}");
        assert_eq!(notes("\\+ event([name=f, arg(1)=7])", executor, 0), "", "{executor:?}");
    }
    let script = folder.path().join("c.pl");
    fs::write(&script, "check(n) :- never([arg(1) < 0]).\n").expect("a temporary folder can be written to");
    for follow in [&[][..], &["--follow", "--until-idle", "0.2"]] {
        let error = stdout(papaver().arg("check").args(follow).arg(&script).arg(&trace), 2);
        assert!(error.contains("arg(1) holds texts (\"a\", ...)"), "{error}");
    }
}

#[test]
fn values_keep_their_types_from_json_to_json_and_to_tables() {
    let values =
        ["12345678901234567890123", "true", "\"true\"", "1", "1.0", "[1,2.50,{\"a\":null}]", "{\"k\":\"v\"}", "\"1\""];
    let text: String = values.map(|value| format!("{{\"port\": \"p\", \"v\": {value}}}\n")).concat();
    let (_folder, trace) = file("t.jsonl", &text);
    let written = stdout(papaver().arg("convert").arg(&trace).args(["-o", "-", "--to", "jsonl"]), 0);
    for value in values {
        let ends = [",", "}"].map(|end| format!("\"v\": {value}{end}"));
        assert!(ends.iter().any(|end| written.contains(end)), "{value}: {written}");
    }
    let table = stdout(papaver().arg("convert").arg(&trace).args(["-o", "-", "--to", "csv"]), 0);
    assert!(table.contains(",1.0,") && table.contains(",12345678901234567890123,"), "{table}");
}
