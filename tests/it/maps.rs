//! Logs of other programs, read through maps: `--map` on every command, presets that can be printed and changed.

use std::path::Path;

use crate::support::{data, file, papaver, stderr, stdout};

/// A log with the same keys as no preset, and a map for it.
const LOG: &str = "{\"at\": 1, \"kind\": \"in\", \"job\": 7, \"what\": \"load\"}\n{\"at\": 2, \"kind\": \"out\", \"job\": 7, \"what\": \"load\"}\n";
const MAP: &str = "map(jobs, needs, [at, job]).\nmap(jobs, time, at:s).\nmap(jobs, port, kind, [in-call, out-exit]).\nmap(jobs, name, what).\nmap(jobs, key, job).\n";

fn log_and_map() -> (tempfile::TempDir, String, String) {
    let (folder, log) = file("jobs.jsonl", LOG);
    let map = folder.path().join("jobs.pl");
    std::fs::write(&map, MAP).expect("a temporary folder can be written to");
    (folder, log.display().to_string(), map.display().to_string())
}

#[test]
fn every_command_that_reads_a_trace_takes_a_map() {
    let (folder, log, map) = log_and_map();
    let script = folder.path().join("check.pl");
    std::fs::write(&script, "check(ends) :- every_call_ends.\nmain :- event([port=exit, time=T]), print(T).\n")
        .expect("a temporary folder can be written to");
    let script = script.display().to_string();
    let run = |words: &[&str]| stdout(papaver().args(words).args(["--map", &map, "-q"]), 0);
    assert_eq!(run(&["query", "event([port=exit, name=N, time=T])", &log]), "N = load, T = 2000000000\n");
    assert!(run(&["info", &log]).contains("\nmap         jobs\n"));
    assert!(run(&["check", &script, &log]).contains("holds    ends"));
    assert!(run(&["check", "--follow", "--until-idle", "200ms", &script, &log]).contains("holds    ends"));
    assert_eq!(run(&["run", &script, &log]), "2000000000");
    assert!(run(&["convert", &log]).contains(r#""port": "exit""#));
    let mut prompt = papaver();
    prompt.args([&log, "--map", &map, "-q"]).write_stdin("event([port=call, call=C]).\n");
    assert_eq!(stdout(&mut prompt, 0), "C = 1.\n");
}

#[test]
fn without_its_map_the_log_is_not_recognised() {
    let (_folder, log, _) = log_and_map();
    let message = stderr(papaver().args(["info", &log]), 2);
    assert!(message.contains("json: no line has the keys of a map (`papaver help maps`; `--map FILE`"), "{message}");
}

#[test]
fn a_map_that_cannot_be_used_is_an_error_with_its_place() {
    let (folder, log, _) = log_and_map();
    let wrong = folder.path().join("wrong.pl");
    std::fs::write(&wrong, "map(jobs, needs, [at]).\nmap(jobs, nmae, what).\n").expect("a folder can be written to");
    let message = stderr(papaver().args(["query", "true", &log, "--map"]).arg(&wrong), 2);
    let place = format!("{}:2:11: error: unknown word `nmae` (did you mean `name`?)", wrong.display());
    assert!(message.contains(&place), "{message}");
    let message = stderr(papaver().args(["query", "true", &log, "--map", "/no/such/file.pl"]), 2);
    assert!(message.contains("cannot read `/no/such/file.pl`"), "{message}");
    stderr(papaver().args(["query", "true", &log, "--map", "x.pl", "--from", "jsonl"]), 2);
}

#[test]
fn a_preset_is_printed_as_it_is_and_can_be_changed() {
    let text = stdout(papaver().args(["help", "go_test"]), 0);
    let preset = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/formats/mapping/presets/go_test.pl");
    assert_eq!(text, std::fs::read_to_string(preset).expect("the preset is there"));
    let (_folder, map) = file("mine.pl", &text.replace("skip-exit", "skip-skipped"));
    let query = ["query", "event([port=skipped, name=T])", &data("json/go_shop.jsonl"), "--first", "--map"];
    assert!(stdout(papaver().args(query).arg(map), 0).starts_with("T = "));
    assert!(stdout(papaver().args(["help", "maps"]), 0).contains("k8s_audit"));
    assert!(stdout(papaver().args(["man", "json"]), 0).contains("ATTRIBUTES OF THIS FORMAT"));
}

#[test]
fn the_map_of_a_file_is_the_one_that_most_lines_fit() {
    let (_folder, log, _) = log_and_map();
    let both = format!("map(other, needs, [at, x]).\nmap(few, needs, [at]).\n{MAP}");
    let (_folder_of_map, map) = file("both.pl", &both);
    let text = stdout(papaver().args(["info", &log, "--map"]).arg(map), 0);
    assert!(text.contains("\nmap         jobs\n"), "{text}");
}

#[test]
fn logs_of_several_programs_are_merged_by_time() {
    let run = ["query", "--merge", "tally(N, event([name=N]), _), event([chrono=1, time=T])", "-q"];
    let text = stdout(papaver().args(run).args([data("json/structlog.jsonl"), data("json/go_shop.jsonl")]), 0);
    assert!(text.contains("T = 1795363443364181303"), "{text}");
}
