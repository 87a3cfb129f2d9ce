//! `papaver export`: folders of Parquet files, read by DuckDB.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::support::{data, papaver, stderr, stdout};

/// One trace of each format whose attributes are of another kind.
const SAMPLES: &[&str] = &[
    "queens.trace",
    "qsort.jsonl",
    "mpd/philos_deadlock.trc",
    "mpd/dvm.trc",
    "seq_trace/family.raw",
    "seq_trace/lossy.raw",
];

fn export(traces: &[&str], folder: &Path) {
    let mut command = papaver();
    command.arg("export").args(traces.iter().map(|name| data(name))).arg("-o").arg(folder).arg("-q");
    stdout(&mut command, 0);
}

/// The rows that DuckDB gives, as JSON; none, with a message, if it is not installed.
fn duckdb(sql: &str) -> Option<Vec<Vec<Json>>> {
    let script = "import sys, json, duckdb\nprint(json.dumps(duckdb.sql(sys.argv[1]).fetchall()))";
    let run = Command::new("python3").args(["-c", script, sql]).output().ok()?;
    let complaint = String::from_utf8_lossy(&run.stderr);
    if complaint.contains("No module named 'duckdb'") {
        eprintln!("not tested: python3 has no module duckdb");
        return None;
    }
    assert!(run.status.success(), "{sql}: {complaint}");
    Some(serde_json::from_slice(&run.stdout).expect("the script prints JSON"))
}

fn events(folder: &Path) -> String {
    let files = folder.join("events/*/*.parquet");
    format!("read_parquet('{}', union_by_name = true, hive_partitioning = false)", files.display())
}

fn calls(folder: &Path) -> String {
    let files = folder.join("calls/*/*.parquet");
    format!("read_parquet('{}', union_by_name = true, hive_partitioning = false)", files.display())
}

/// The answers of a goal, one object for each.
fn answers(goal: &str, trace: &str) -> Vec<Json> {
    let text = stdout(papaver().args(["query", "-q", "--to", "json", goal, &data(trace)]), 0);
    text.lines().map(|line| serde_json::from_str::<Json>(line).expect("an object")["bindings"].clone()).collect()
}

#[test]
fn duckdb_counts_what_papaver_counts() {
    for sample in SAMPLES {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path().join("out");
        export(&[sample], &folder);
        let mut expected: BTreeMap<(String, String), i64> = BTreeMap::new();
        let csv = stdout(papaver().args(["convert", "-q", "--to", "csv", &data(sample)]), 0);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let heading = reader.headers().expect("there is a heading").clone();
        let column = |name: &str| heading.iter().position(|field| field == name);
        for row in reader.records() {
            let row = row.expect("a row reads");
            let field = |name: &str| column(name).and_then(|at| row.get(at)).unwrap_or_default().to_string();
            *expected.entry((field("port"), field("name"))).or_default() += 1;
        }
        let sql =
            format!("SELECT coalesce(port, ''), coalesce(name, ''), count(*) FROM {} GROUP BY ALL", events(&folder));
        let Some(rows) = duckdb(&sql) else { return };
        let text = |value: &Json| value.as_str().expect("a text").to_string();
        let found = rows.iter().map(|row| ((text(&row[0]), text(&row[1])), row[2].as_i64().expect("a number")));
        assert_eq!(found.collect::<BTreeMap<_, _>>(), expected, "{sample}");
    }
}

#[test]
fn ancestors_and_open_calls_are_those_of_papaver() {
    for sample in SAMPLES {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path().join("out");
        export(&[sample], &folder);
        let calls = calls(&folder);
        let printed = |goal: &str| stdout(papaver().args(["query", "-q", "--to", "none", goal, &data(sample)]), 0);
        let list = |rows: &[Vec<Json>]| {
            let row = |row: &Vec<Json>| row.iter().map(Json::to_string).collect::<Vec<_>>().join("-");
            format!("[{}]", rows.iter().map(row).collect::<Vec<_>>().join(","))
        };
        let sql = format!(
            "SELECT c.call, a.call FROM {calls} c JOIN {calls} a ON a.tree_first < c.tree_first AND c.tree_first <= \
             a.tree_last ORDER BY c.call, a.call"
        );
        let Some(found) = duckdb(&sql) else { return };
        let expected = printed("findall(C-A, (event([call=C]), ancestor(C, A)), L), sort(L, S), print(S)");
        assert_eq!(list(&found), expected.trim(), "{sample}");
        let open = duckdb(&format!("SELECT call FROM {calls} WHERE open ORDER BY call")).unwrap_or_default();
        let expected = printed("findall(C, open_call(C), L), sort(L, S), print(S)");
        assert_eq!(list(&open), expected.trim(), "{sample}");
    }
}

#[test]
fn arguments_are_texts_and_integers() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path().join("out");
    export(&["queens.trace", "mpd/dvm.trc"], &folder);
    let sql = format!(
        "SELECT trace, chrono, args, arg1, arg2, arg1_int FROM {} WHERE name = 'nodiag' AND port = 'call' ORDER BY chrono LIMIT 1",
        events(&folder)
    );
    let Some(rows) = duckdb(&sql) else { return };
    let expected = answers("event([name=nodiag, port=call, chrono=C, args=[A, B|_]])", "queens.trace");
    assert_eq!(rows[0][1], expected[0]["C"]);
    assert_eq!((&rows[0][0], &rows[0][5]), (&Json::from("queens.trace"), &expected[0]["A"]));
    assert_eq!(rows[0][3], Json::from(expected[0]["A"].to_string()));
    let manifest = std::fs::read_to_string(folder.join("papaver.json")).expect("the folder says what it holds");
    let manifest: Json = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(manifest["traces"].as_array().map(Vec::len), Some(2));
    assert_eq!(manifest["traces"][0]["events"], 698);
}

#[test]
fn a_folder_is_replaced_only_if_it_is_an_export() {
    let top = tempfile::tempdir().expect("a folder can be made");
    let folder = top.path().join("out");
    export(&["queens.trace"], &folder);
    let again = |force: bool, status: i32| {
        let mut command = papaver();
        command.args(["export", &data("qsort.trace"), "-o"]).arg(&folder).args(force.then_some("--force"));
        stderr(&mut command, status)
    };
    assert!(again(false, 2).contains("`--force` replaces it"));
    assert!(folder.join("events/trace=queens.trace/part-00000.parquet").is_file());
    again(true, 0);
    assert!(!folder.join("events/trace=queens.trace").exists());
    assert!(folder.join("events/trace=qsort.trace/part-00000.parquet").is_file());
    assert_eq!(std::fs::read_dir(top.path()).expect("a folder").count(), 1, "no temporary folder is left");
    std::fs::remove_file(folder.join("papaver.json")).expect("a file can be removed");
    assert!(again(true, 2).contains("not an export"));
}

#[test]
fn a_trace_that_cannot_be_read_costs_nothing_else() {
    let top = tempfile::tempdir().expect("a folder can be made");
    let folder = top.path().join("out");
    let mut command = papaver();
    command.args(["export", "/nowhere/x.trace", &data("queens.trace"), "-o"]).arg(&folder);
    assert!(stderr(&mut command, 2).contains("cannot read `/nowhere/x.trace`"));
    assert!(folder.join("calls/trace=queens.trace/part-00000.parquet").is_file());
}

/// A trace of each format.
const FORMATS: &[&str] = &[
    "queens.trace",
    "queens.jsonl",
    "qsort.jsonl",
    "mpd/philos_deadlock.trc",
    "mpd/dvm.trc",
    "seq_trace/family.raw",
    "seq_trace/lossy.raw",
    "chrome/phases.json",
    "jaeger/one_trace.json",
    "json/agent_messages.jsonl",
    "lttng/shop.txt",
    "mdb/sums.txt",
    "otlp/values.jsonl",
    "otlp/shop_small.pb",
    "zipkin/shared.json",
];

fn lines(path: &Path) -> String {
    stdout(papaver().args(["convert", "-q", "--to", "jsonl"]).arg(path), 0)
}

#[test]
fn an_exported_folder_is_the_trace_again() {
    for name in FORMATS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path().join("out");
        export(&[name], &folder);
        let expected = lines(Path::new(&data(name)));
        assert!(expected.lines().count() > 2, "{name}");
        assert_eq!(lines(&folder), expected, "{name}");
        let file =
            folder.join("events").read_dir().expect("a folder").next().expect("a trace").expect("readable").path();
        assert_eq!(lines(&file), expected, "{name}: the folder of events alone");
        let info = |path: &Path| {
            let text = stdout(papaver().args(["info", "-q", "--to", "json"]).arg(path), 0);
            let mut about: Json = serde_json::from_str(&text).expect("JSON");
            about["path"] = Json::Null;
            about["findings"].clone()
        };
        assert_eq!(info(&folder), info(Path::new(&data(name))), "{name}");
    }
}

#[test]
fn a_folder_of_several_traces_stands_for_each_of_them() {
    let top = tempfile::tempdir().expect("a folder can be made");
    let folder = top.path().join("out");
    export(&["queens.trace", "qsort.trace"], &folder);
    let text = stdout(papaver().args(["query", "-q", "--count", "event([port=call])"]).arg(&folder), 0);
    let counts: Vec<String> = ["queens.trace", "qsort.trace"]
        .iter()
        .map(|name| stdout(papaver().args(["query", "-q", "--count", "event([port=call])", &data(name)]), 0))
        .collect();
    let found: Vec<&str> = text.lines().map(|line| line.rsplit_once(':').expect("a name and a count").1).collect();
    assert_eq!(found.join("\n") + "\n", counts.concat());
    assert!(text.starts_with(&format!("{}/events/trace=queens.trace:", folder.display())), "{text}");
}

#[test]
fn damaged_files_are_errors() {
    let top = tempfile::tempdir().expect("a folder can be made");
    let folder = top.path().join("out");
    export(&["qsort.trace"], &folder);
    let file = folder.join("events/trace=qsort.trace/part-00000.parquet");
    let good = std::fs::read(&file).expect("a file");
    let mut random = 7_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for round in 0..40 {
        let mut bytes = good.clone();
        match round % 2 {
            0 => bytes.truncate(next(good.len())),
            _ => (0..4).for_each(|_| {
                let place = next(good.len());
                bytes[place] ^= 1 << next(8);
            }),
        }
        std::fs::write(&file, bytes).expect("a file can be written");
        let run = papaver().args(["query", "--count", "event([port=call])"]).arg(&folder).output().expect("it runs");
        let message = String::from_utf8_lossy(&run.stderr);
        assert!(matches!(run.status.code(), Some(0..=2)), "round {round}: {message}");
        assert!(!message.contains("sorry"), "round {round}: {message}");
        assert!(round % 2 > 0 || run.status.code() == Some(2), "round {round}: a cut file is read");
    }
    std::fs::write(folder.join("papaver.json"), "{\"papaver_export\": 2, \"traces\": []}").expect("a file");
    assert!(stderr(papaver().arg("info").arg(&folder), 2).contains("expected version 1"));
}

#[test]
fn a_folder_with_the_names_of_our_columns_is_a_trace() {
    let top = tempfile::tempdir().expect("a folder can be made");
    let file = top.path().join("own.parquet");
    let sql = format!(
        "COPY (SELECT * FROM (VALUES (1, 1, 'call', 'f', 7, 'x y', 0.5::DOUBLE), (2, 1, 'exit', 'f', 7, NULL, 1.5::DOUBLE)) t(chrono, call, \
         port, name, arg1, note, w)) TO '{}'",
        file.display()
    );
    if duckdb("SELECT 1").is_none() {
        return;
    }
    let script = "import sys, duckdb\nduckdb.execute(sys.argv[1])";
    assert!(Command::new("python3").args(["-c", script, &sql]).status().expect("python3 runs").success());
    let ask = |path: &Path| {
        stdout(papaver().args(["query", "-q", "event([port=P, name=f, note=N, w=W, call=C])"]).arg(path), 0)
    };
    assert_eq!(ask(top.path()), "P = call, N = \"x y\", W = 0.5, C = 1\n");
    assert_eq!(ask(&file), ask(top.path()));
}
