//! `examples/spark/ask.py`: papaver on the workers of Spark, two of them on this machine. Spark is large: where it is not
//! installed, the tests say so and pass.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::golden::{self, Golden};
use crate::shell;
use crate::support::{data, papaver, stdout};

const SCRIPT: &str = "examples/spark/ask.py";

fn has_spark() -> bool {
    let module = Command::new("python3").args(["-c", "import pyspark"]).stderr(Stdio::null()).status();
    let has_module = module.is_ok_and(|status| status.success());
    let java = Command::new("java").arg("-version").output();
    let version = java.map_or(String::new(), |output| String::from_utf8_lossy(&output.stderr).into_owned());
    let major = version.split(['"', '.']).nth(1).and_then(|major| major.parse::<u32>().ok());
    let has_java = major.is_some_and(|major| major >= 17);
    if !has_module {
        eprintln!("not run: python3 has no module pyspark (pip install pyspark)");
    } else if !has_java {
        eprintln!("not run: there is no Java 17 or later (apt-get install openjdk-17-jre-headless)");
    }
    has_module && has_java
}

/// How Spark is started on this machine.
fn submitted(options: &str) -> String {
    format!("--master local[2] --conf spark.ui.enabled=false {options} pyspark-shell")
}

/// Asks about several sets of traces in one session; writes for each the rows of both data frames as two lines of JSON.
const ROWS: &str = r#"
import json, sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.sparkContext.addPyFile("examples/spark/ask.py")
from ask import answers
goal, papaver, rules = sys.argv[1:4]
for traces in sys.argv[4:]:
    for frame in answers(spark, goal, traces, papaver, [rules]):
        print(json.dumps([row.asDict(recursive=True) for row in frame.collect()]))
"#;

/// The answers about a trace as rows, which have the columns of other answers, too.
fn expected(goal: &str, rules: &Path, trace: &Path, name: &str) -> Vec<Value> {
    let mut command = papaver();
    command.args(["query", "-q", "--to", "json", "-l"]).arg(rules).arg(goal).arg(trace);
    let output = command.output().expect("papaver runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = |line: &str| {
        let answer: Value = serde_json::from_str(line).expect("an answer is JSON");
        json!({ "trace": name, "N": answer["bindings"]["N"], "D": answer["bindings"]["D"], "event": answer["event"]["chrono"] })
    };
    text.lines().map(row).collect()
}

#[test]
fn workers_of_spark_give_the_answers_of_papaver_about_each_trace() {
    if !has_spark() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let top = folder.path().join("traces");
    let (named, below) = (top.join("a b%20c.trace"), top.join("below"));
    fs::create_dir_all(&below).expect("a folder can be made");
    fs::copy(data("queens.trace"), &named).expect("a trace can be copied");
    fs::copy(data("qsort.jsonl"), below.join("sort.jsonl")).expect("a trace can be copied");
    fs::write(top.join("broken.trace"), [0x1F, 0x8B, 8, 0]).expect("a file can be written");
    fs::write(top.join("flat.trace"), "1: 1 [1] call main(a) []\n2: 1 [1] exit main(a) []\n")
        .expect("it can be written");
    let rules = folder.path().join("rules.pl");
    fs::write(&rules, "deep(N, D) :- fget([port=exit, name=N, depth=D]), D > 2.\n").expect("a file can be written");
    let goal = "deep(N, D)";
    let link = format!("--conf spark.hadoop.fs.viewfs.mounttable.lake.link./traces=file://{}", top.display());
    let output = Command::new("python3")
        .args(["-c", ROWS, goal, env!("CARGO_BIN_EXE_papaver")])
        .args([rules.to_string_lossy().as_ref(), &top.to_string_lossy(), "viewfs://lake/traces"])
        .env("PYSPARK_SUBMIT_ARGS", submitted(&link))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("python3 runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let frames: Vec<Vec<Value>> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("a frame is an array"))
        .collect();
    assert_eq!(frames.len(), 4, "{said}");
    let places = [format!("file:{}", top.display()), "viewfs://lake/traces".to_string()];
    for (place, frames) in places.iter().zip(frames.chunks(2)) {
        let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for mut row in frames[0].clone() {
            row["event"] = row["event"]["chrono"].clone();
            found.entry(row["trace"].as_str().unwrap_or_default().to_string()).or_default().push(row);
        }
        let traces = [("a b%20c.trace", &named), ("below/sort.jsonl", &below.join("sort.jsonl"))];
        let rows = traces.map(|(name, path)| {
            let name = format!("{place}/{name}");
            (name.clone(), expected(goal, &rules, path, &name))
        });
        assert!(rows.iter().all(|(_, rows)| rows.len() > 10));
        assert_eq!(found, BTreeMap::from(rows));
        ends_are_told(place, &frames[1]);
    }
}

/// Each trace has its status, and the broken one alone an error that names it.
fn ends_are_told(place: &str, ends: &[Value]) {
    let mut statuses: Vec<(String, i64)> = ends
        .iter()
        .map(|end| (end["trace"].as_str().unwrap_or_default().to_string(), end["status"].as_i64().unwrap_or(-1)))
        .collect();
    statuses.sort();
    let expected = [("a b%20c.trace", 0), ("below/sort.jsonl", 0), ("broken.trace", 2), ("flat.trace", 1)];
    assert_eq!(statuses, expected.map(|(name, status)| (format!("{place}/{name}"), status)));
    let broken = ends.iter().find(|end| end["status"] == 2).expect("one is broken");
    let messages = broken["messages"].as_str().unwrap_or_default();
    assert!(messages.contains(&format!("papaver: error: cannot read `{place}/broken.trace`: ")), "{messages}");
}

/// The command in the head of the script.
fn command() -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(SCRIPT)).expect("it can be read");
    text.lines().find_map(|line| line.strip_prefix("# $ ")).expect("the head holds the command").to_string()
}

#[test]
fn the_command_in_the_head_of_the_script_gives_what_stands_beside_it() {
    if !has_spark() {
        return;
    }
    let line = format!("PYSPARK_SUBMIT_ARGS='{}' {} 2>/dev/null", submitted(""), command());
    let outcome = shell::run(&line);
    assert_eq!(outcome.status, Some(0), "{}", outcome.text);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(SCRIPT).with_extension("out");
    golden::assert_all([Golden { path, text: outcome.text }]);
}

#[test]
fn mistakes_are_told_without_the_calls_of_python() {
    if !has_spark() {
        return;
    }
    let line = format!("PYSPARK_SUBMIT_ARGS='{}' python3 {SCRIPT} 'event([name=N])' /no/such/folder", submitted(""));
    let outcome = shell::run(&line);
    assert_eq!(outcome.status, Some(2), "{}", outcome.text);
    assert!(outcome.text.contains("/no/such/folder") && !outcome.text.contains("Traceback"), "{}", outcome.text);
}

#[test]
fn the_goal_in_the_head_of_the_script_has_answers() {
    let goal = command().split('\'').nth(1).expect("the goal is quoted").to_string();
    let depot = "examples/spans/depot.jsonl";
    let mut command = papaver();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["query", "-q", "--count", &goal, depot]);
    assert_ne!(stdout(&mut command, 0), "0\n");
}
