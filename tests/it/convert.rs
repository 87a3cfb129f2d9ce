//! `papaver convert`.

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
fn a_reader_that_has_gone_is_no_error() {
    let lines = "{\"port\":\"call\",\"name\":\"a_name_of_some_length\",\"dur\":1.5}\n".repeat(20_000);
    let (_folder, path) = file("long.jsonl", &lines);
    for form in ["csv", "jsonl", "morphine", "chrome", "papaver"] {
        let pipe = format!("set -o pipefail; papaver convert {} -q --to {form} | head -c 1 >/dev/null", path.display());
        let outcome = crate::shell::run(&format!("bash -c '{pipe}'"));
        assert_eq!((outcome.text.as_str(), outcome.status), ("", Some(0)), "{form}");
    }
}
