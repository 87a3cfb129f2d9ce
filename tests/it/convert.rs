//! `papaver convert`.

use std::path::Path;

use crate::support::{data, file, papaver, stderr, stdout};

#[test]
fn morphine_gives_back_the_file_to_the_byte() {
    let text = stdout(papaver().args(["convert", &data("queens.trace"), "-o", "-", "--to=morphine"]), 0);
    assert_eq!(text, std::fs::read_to_string(data("queens.trace")).unwrap());
}

#[test]
fn the_ending_tells_the_format_and_the_way_back_gives_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (jsonl, back) = (folder.path().join("q.jsonl"), folder.path().join("back.trace"));
    stdout(papaver().args(["convert", &data("queens.trace"), "-o"]).arg(&jsonl), 0);
    stdout(papaver().arg("convert").arg(&jsonl).arg("-o").arg(&back), 0);
    assert_eq!(std::fs::read(back).unwrap(), std::fs::read(data("queens.trace")).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn an_unknown_ending_is_an_error_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.xyz");
    assert!(stderr(papaver().args(["convert", &data("queens.trace"), "-o"]).arg(&path), 2).contains("`--to`"));
    assert!(!path.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let mut command = papaver();
    command.args(["convert", &data("queens.trace"), "-o", "/dev/full", "--to=csv"]);
    assert!(stderr(&mut command, 2).contains("/dev/full"));
}

#[test]
fn a_line_may_be_nested_as_deep_as_it_likes() {
    let deep = format!("{{\"port\": \"call\", \"args\": [{}{}]}}\n", "[".repeat(100_000), "]".repeat(100_000));
    for (text, n_events) in [(deep.clone(), 1), (format!("{{\"port\": \"call\"}}\n{deep}"), 2)] {
        let (_folder, path) = file("deep.jsonl", &text);
        let info = stdout(papaver().args(["info", "--to", "json"]).arg(&path), 0);
        let info: serde_json::Value = serde_json::from_str(&info).unwrap();
        assert_eq!(info["events"], n_events, "{info}");
        assert_eq!(info["n_warnings"], 0, "{info}");
    }
}

#[test]
fn without_a_file_the_trace_goes_to_standard_output() {
    let mut command = papaver();
    command.args(["convert", &data("queens.trace"), "--to", "csv"]);
    assert!(stdout(&mut command, 0).starts_with("chrono,"));
    let mut command = papaver();
    command.args(["convert", &data("queens.trace")]);
    assert!(stdout(&mut command, 0).starts_with('{'));
}

#[test]
fn json_is_the_ending_of_chrome_traces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let mut command = papaver();
    command.args(["convert", &data("queens.trace"), "-o"]).arg(&path);
    stdout(&mut command, 0);
    assert!(std::fs::read_to_string(path).unwrap().contains("traceEvents"));
}

#[cfg(unix)]
#[test]
fn atoms_of_the_trace_stay_atoms_and_strings_strings() {
    let goals = [
        "aggregate_all(count, (tool_call(_, N, _, _), N == stock), 3)",
        "aggregate_all(count, (event([service=S]), atom(S)), N), N > 0",
        "\\+ (event([service=S]), string(S))",
        "aggregate_all(count, (event([port=call, span=S]), atom(S)), N), N > 0",
    ];
    let (folder, _) = file("empty", "");
    for ending in ["jsonl", "json", "papaver"] {
        let path = folder.path().join("again").with_extension(ending);
        papaver().args(["convert", &data("otlp/agent_books.jsonl"), "-o"]).arg(&path).assert().success();
        for goal in goals {
            assert_eq!(
                papaver().args(["query", goal]).arg(&path).output().unwrap().status.code(),
                Some(0),
                "{ending}: {goal}"
            );
        }
    }
    let strings = "{\"port\": \"call\", \"name\": \"p\", \"own\": \"a\"}\n";
    let (folder, path) = file("strings.jsonl", strings);
    let again = folder.path().join("again.jsonl");
    papaver().arg("convert").arg(&path).args(["-o"]).arg(&again).assert().success();
    papaver().args(["query", "event([own=A]), string(A)"]).arg(&again).assert().success();
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let lines = "{\"port\":\"call\",\"name\":\"a_name_of_some_length\",\"dur\":1.5}\n".repeat(20_000);
    let (_folder, path) = file("long.jsonl", &lines);
    for form in ["csv", "jsonl", "morphine", "chrome", "papaver"] {
        let pipe = format!("set -o pipefail; papaver convert {} -q --to {form} | head -c 1 >/dev/null", path.display());
        let outcome = crate::shell::run(&format!("bash -c '{pipe}'"));
        assert_eq!((outcome.text.as_str(), outcome.status), ("", Some(0)), "{form}");
    }
}

/// The numbers and ports of the events of a trace.
fn events(path: &Path) -> Vec<(i64, String, i64, i64)> {
    let goal = "event([chrono=A, port=B, call=C, depth=D])";
    let csv = stdout(papaver().args(["query", "--to", "csv", goal]).arg(path), 0);
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |field: &str| field.parse().expect("a number");
        (number(fields[0]), fields[1].to_string(), number(fields[2]), number(fields[3]))
    };
    csv.lines().skip(1).map(row).collect()
}

/// The events that satisfy a condition and those that open and close their calls, computed without papaver's search.
fn expected_part(wanted: impl Fn(&(i64, String, i64, i64)) -> bool) -> Vec<(i64, String, i64)> {
    let all = events(Path::new(&data("queens.trace")));
    let calls: Vec<i64> = all.iter().filter(|event| wanted(event)).map(|event| event.2).collect();
    let edges = ["call", "exit", "redo", "fail", "exception"];
    let is_kept =
        |event: &&(i64, String, i64, i64)| wanted(event) || calls.contains(&event.2) && edges.contains(&&*event.1);
    all.iter().filter(is_kept).map(|(chrono, port, call, _)| (*chrono, port.clone(), *call)).collect()
}

#[test]
fn the_part_that_is_wanted_is_written_with_boxes_closed() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("part.jsonl");
    let part = |wanted: &str| {
        stdout(papaver().args(["convert", "--where", wanted, &data("queens.trace"), "-o"]).arg(&path), 0);
        events(&path).into_iter().map(|(chrono, port, call, _)| (chrono, port, call)).collect::<Vec<_>>()
    };
    for (wanted, expected) in [
        ("port = exit, depth > 5", expected_part(|event| event.1 == "exit" && event.3 > 5)),
        ("[port = exit, depth = 6..9]", expected_part(|event| event.1 == "exit" && (6..=9).contains(&event.3))),
        ("port = then and depth < 4", expected_part(|event| event.1 == "then" && event.3 < 4)),
        ("current(chrono = C), C mod 7 =:= 0", expected_part(|event| event.0 % 7 == 0)),
    ] {
        let found = part(wanted);
        assert_eq!(found, expected, "{wanted}");
        assert!(found.len() < 698 && !found.is_empty(), "{wanted}");
    }
    let nothing = stdout(papaver().args(["convert", "--where", "port = exit, port = call", &data("queens.trace")]), 0);
    assert_eq!(nothing.lines().count(), 2, "{nothing}");
}

#[test]
fn depths_of_a_part_count_the_calls_that_are_left() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("part.trace");
    stdout(papaver().args(["convert", "--where", "name = [main, qdelete]", &data("queens.trace"), "-o"]).arg(&path), 0);
    let goal = "forall(event([depth=D, call=C, name=N]), ( N == main -> D =:= 1 ; ancestor(C, A), D > 1 )), \
                forall(event([name=qdelete, call=C]), aggregate_all(count, ancestor(C, _), _))";
    stdout(papaver().args(["query", goal]).arg(&path), 0);
    let structure = stdout(papaver().arg("info").arg(&path), 0);
    assert!(!structure.contains("structure"), "{structure}");
}

#[test]
fn a_wrong_condition_is_told_with_its_place() {
    let told = |wanted: &str| stderr(papaver().args(["convert", "--where", wanted, &data("queens.trace")]), 2);
    assert!(told("port = exit,").starts_with("error") || told("port = exit,").contains("--where:1"));
    assert!(told("prot = exit").contains("`prot`"));
    assert!(told("no_such_goal(1)").contains("no_such_goal/1"));
}
