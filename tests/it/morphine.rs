//! Scripts of Morphine: facts that declare, scenarios, and hints for what a stored trace does not need.

use std::fs;

use crate::support::{data, papaver, stderr, stdout};

const SCRIPT: &str = "opium_scenario(name : other, files : ['FOLDER/other'], scenarios : [], message : \"\").
opium_type(name : is_small, implementation : is_small_Op, message : \"a small number\").
is_small_Op(X) :- integer(X), X < 10.
opium_command(name : twice, arg_list : [N], arg_type_list : [is_small], abbrev : tw, interface : button,
              command_type : opium, implementation : twice_Op, parameters : [], message : \"Doubles.\").
twice_Op(N) :- M is 2 * N, print(M), nl.
opium_primitive(name : half, arg_list : [A, B], arg_type_list : [integer, var], abbrev : _,
                implementation : half_Op, message : \"Halves.\").
half_Op(A, B) :- B is A // 2.
opium_parameter(name : gap, arg_list : [W], arg_type_list : [integer], parameter_type : single, default : [3],
                commands : [twice], message : \"A width.\").
opium_procedure(name : greet, arg_list : [X], implementation : greet_Op, parameters : [], message : \"Greets.\").
greet_Op(X) :- print(hello(X)), nl.
";

/// The script in a folder, with the file of its scenario beside it.
fn script() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.pl");
    fs::write(&path, SCRIPT.replace("FOLDER", &folder.path().to_string_lossy())).unwrap();
    fs::write(folder.path().join("other.op"), "from_other(1).\n").unwrap();
    (folder, path)
}

fn query(goal: &str) -> std::process::Output {
    let (_folder, path) = script();
    papaver().args(["query", goal, "-l"]).arg(path).arg(data("queens.trace")).output().unwrap()
}

#[test]
fn facts_declare_what_they_declare_as_directives() {
    let output = query("twice(4), half(9, H), gap(W), gap(7), gap(V), greet(a), make(other), from_other(Z)");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "8\nhello(a)\nH = 4, W = 3, V = 7, Z = 1\n");
}

#[test]
fn types_that_scripts_declare_are_checked() {
    for (goal, expected) in [
        ("twice(40)", "expected a value of type `is_small`, found `40`"),
        ("gap(a)", "integer"),
        ("half(a, _)", "integer"),
    ] {
        let output = query(goal);
        assert_eq!(output.status.code(), Some(2), "{goal}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{goal}: {output:?}");
    }
}

#[test]
fn what_a_stored_trace_does_not_need_has_a_hint() {
    let message = |goal: &str| stderr(papaver().args(["query", goal]).arg(data("queens.jsonl")), 2);
    assert!(message("run(queens)").contains("papaver FILE"));
    assert!(message("checklist(var, [_])").contains("maplist/2"));
    assert!(message("read_input(X)").contains("read/1"));
    assert!(message("event([module=queens])").contains("did you mean `decl_module`?"));
}

#[test]
fn a_determinism_that_there_is_not_is_an_error() {
    let message = stderr(papaver().args(["query", "event([det=semidett])"]).arg(data("queens.jsonl")), 2);
    assert!(message.contains("expected a determinism, found `semidett` (did you mean `semidet`?)"), "{message}");
    let count = stdout(papaver().args(["query", "--count", "event([det=erroneous])"]).arg(data("queens.jsonl")), 1);
    assert_eq!(count, "0\n");
}
