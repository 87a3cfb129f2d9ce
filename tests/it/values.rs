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

/// Claims that hold although what they forbid happened, and claims that are violated although it did not: a text was
/// compared with an atom or a number, an integer with a float.
const COMPARED: [(&str, &str); 20] = [
    ("\\+ (event([user=U]), U == bob)", "`\"bob\"` was compared with `bob`: a text never equals an atom"),
    ("\\+ (event([user=U]), U = bob)", "`bob`: a text never"),
    ("\\+ (event([user=U]), memberchk(U, [bob, mallory]))", "`bob`: a text never"),
    ("\\+ (event([user=U]), member(U-_, [bob-1, mallory-2]))", "`bob`: a text never"),
    ("forall(event([user=U]), U \\= bob)", "`bob`: a text never"),
    ("forall(event([user=U]), U \\== bob)", "`bob`: a text never"),
    ("forall(event([user=U]), (U == bob -> fail ; true))", "`bob`: a text never"),
    ("forall(event([user=U]), memberchk(U, [bob, eve]))", "`bob`: a text never"),
    ("aggregate_all(count, (event([user=U]), U == bob), N), N =:= 0", "`bob`: a text never"),
    ("findall(U, event([user=U]), L), \\+ memberchk(bob, L)", "`bob` was compared with `\"bob\"`: a text never"),
    ("\\+ (event([user=U]), one(U))", "`bob`: a text never"),
    ("\\+ (event([user=U]), few(U))", "`bob`: a text never"),
    ("\\+ (event([user=U]), many(U))", "`bob`: a text never"),
    ("\\+ (event([name=N]), named(N))", "`login` was compared with `\"login\"`: a text never equals an atom"),
    ("\\+ (event([name=N]), named(_, N))", "`\"login\"`: a text never"),
    ("\\+ (event([amount=A]), A == 100)", "`100.0` was compared with `100`: only =:= takes an integer"),
    ("\\+ (event([amount=A]), limits(A))", "`100.0` was compared with `100`: only =:= takes an integer"),
    (
        "\\+ (event([tag=U]), atom_string(A, U), sub_atom(A, _, 1, 0, L), L == 7)",
        "`'7'` was compared with `7`: an atom",
    ),
    ("\\+ (event([tag=U]), atom_string(A, U), atom_chars(A, Cs), memberchk(7, Cs))", "an atom never equals a number"),
    ("\\+ (event([code=C]), C = 10)", "`\"10\"` was compared with `10`: a text never equals a number"),
];

#[test]
fn comparisons_of_values_with_terms_that_are_written_alike_are_told() {
    let lines = "{\"port\":\"call\",\"name\":\"login\",\"user\":\"bob\",\"amount\":100.0}\n\
        {\"port\":\"call\",\"name\":\"pay\",\"user\":\"eve\",\"code\":\"10\"}\n\
        {\"port\":\"call\",\"name\":\"pay\",\"tag\":\"x7\"}\n";
    let (folder, trace) = file("t.jsonl", lines);
    let names: Vec<String> = (0..30).map(|n| format!("many(a{n}).\n")).collect();
    let facts = format!(
        "one(bob).\nfew(mallory).\nfew(bob).\n{}many(bob).\nnamed(\"login\").\nnamed(1, \"login\").\n\
         named(2, \"logout\").\nlimits(50).\nlimits(100).\n",
        names.concat()
    );
    let script = folder.path().join("c.pl");
    let warning_of = |claim: &str| {
        fs::write(&script, format!("{facts}check(c) :- {claim}.\n")).expect("a temporary folder can be written to");
        let output = papaver().arg("check").arg(&script).arg(&trace).output().expect("papaver starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for (claim, expected) in COMPARED {
        let printed = warning_of(claim);
        assert!(printed.contains(expected), "{claim}: {printed}");
    }
    let query = papaver().args(["query", "event([user=U]), U == bob"]).arg(&trace).output().expect("papaver starts");
    let notes = String::from_utf8_lossy(&query.stderr);
    assert_eq!(notes, "papaver: note: `\"bob\"` was compared with `bob`: a text never equals an atom\n");
    let right = [
        "\\+ (event([user=U]), U == \"mallory\")",
        "\\+ (event([user=U]), memberchk(U, [mallory, \"mallory\"]))",
        "forall(event([user=U]), (U == \"bob\" ; U == eve ; U == \"eve\"))",
        "\\+ (event([amount=A]), A =:= 7)",
        "forall(event([user=U]), (atom_string(A, U), few(A) ; U == \"eve\"))",
    ];
    for claim in right {
        let printed = warning_of(claim);
        assert!(printed.starts_with("holds    c\n1 check"), "{claim}: {printed}");
    }
}
