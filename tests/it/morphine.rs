//! Scripts of Morphine: declaring facts, scenarios, and hints for predicates that a stored trace does not need.

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
opium_parameter(name : mark, arg_list : [A], arg_type_list : [atom], parameter_type : multiple, default : nodefault,
                commands : [], message : \"Marks.\").
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
fn parameters_that_scripts_declare_are_set_and_shown_by_name() {
    let output = query("set_parameter(gap, [5]), get_parameter(gap, L), set_default(gap), get_parameter(gap, D)");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "L = [5], D = [3]\n");
    let output = query("set_parameter(mark, [a]), mark(b), findall(M, mark(M), L), set_default(mark), \\+ mark(_)");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "L = [a, b]\n");
    let output = query("aggregate_all(count, get_parameter(gap, _), N), findall(P, get_parameter(P, [3]), Ps)");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "N = 1, Ps = [gap]\n");
    for (goal, expected) in [
        ("set_parameter(gap, [a])", "integer"),
        ("set_parameter(gap, [1, 2])", "parameter values"),
        ("set_parameter(gap, [_])", "unbound"),
        ("get_parameter(gapp, _)", "gapp"),
    ] {
        let output = query(goal);
        assert_eq!(output.status.code(), Some(2), "{goal}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{goal}: {output:?}");
    }
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

/// The types in declarations of Morphine, each with a term of the type and a term of another type.
const TYPES: &[(&str, &str, &str)] = &[
    ("atom", "a", "1"),
    ("atomic", "1", "f(x)"),
    ("integer", "1", "a"),
    ("string", "\"a\"", "a"),
    ("is_string", "\"a\"", "a"),
    ("var", "_", "a"),
    ("is_member([on, off])", "on", "of"),
    ("member([yes, no])", "yes", "on"),
    ("is_integer_or_var", "_", "a"),
    ("is_atom_or_var", "a", "1"),
    ("is_list_or_var", "[]", "a"),
    ("is_atom_or_string", "\"a\"", "1"),
    ("is_string_or_var", "_", "a"),
    ("is_string_or_integer_or_var", "3", "a"),
    ("is_port", "'EXIT'", "exti"),
    ("is_port_or_var", "_", "exti"),
    ("is_list_of_ports", "[call, exit]", "[exti]"),
    ("is_port_attribute", "not(call)", "not(exti)"),
    ("is_goal_path", "[c2, s1, ?]", "[x]"),
    ("is_goal_path_or_var", "_", "[x]"),
    ("is_goal_path_attribute", "[[c2], [s1]]", "[[x]]"),
    ("is_atom_attribute", "[a, b]", "[1]"),
    ("is_string_attribute", "not(\"a\")", "a"),
    ("is_integer_attribute", "3..5", "5..3"),
    ("is_arg_attribute", "-", "a"),
    ("is_proc_type", "function", "relation"),
    ("is_proc_type_attribute", "not(function)", "relation"),
    ("is_det_marker", "'CCNON'", "semi"),
    ("is_det_marker_or_var", "_", "semi"),
    ("is_list_of_dets", "[det, semidet]", "[semi]"),
    ("is_det_marker_attribute", "\\+ det", "\\+ semi"),
    ("is_proc", "queens:queen/2-0", "queen/a"),
    ("is_proc_or_var", "_", "queen/a"),
    ("is_mercury_proc_or_type", "queen/2", "queen-2"),
    ("is_mercury_program_call", "\"./cat file\"", "\"./\""),
    ("is_list_or_conj_of_attribute_constraints_fget", "port=exit and depth=2..3", "port=exti"),
    ("is_list_or_conj_of_attributes_current", "[name=_]", "[colour=_]"),
];

#[test]
fn the_types_of_morphine_are_known_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("types.pl");
    let declared: String = TYPES.iter().enumerate().fold(String::new(), |text, (number, (kind, ..))| {
        text + &format!(
            "opium_primitive(name : t{number}, arg_list : [_], arg_type_list : [{kind}], abbrev : _,
                implementation : any, message : \"\").\n"
        )
    });
    fs::write(&path, declared + "any(_).\n").unwrap();
    let goals = TYPES.iter().enumerate().map(|(number, (_, good, bad))| {
        format!(
            "(t{number}({good}) -> true ; throw(refused({number}))),
            catch((t{number}({bad}), throw(accepted({number}))), error(E{number}, _), true)"
        )
    });
    let goal = goals.collect::<Vec<_>>().join(",");
    let count = stdout(papaver().args(["query", "--count", &goal, "-l"]).arg(&path).arg(data("queens.trace")), 0);
    assert_eq!(count, "1\n");
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
