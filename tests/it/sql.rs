//! `papaver sql`: the text of each construct, and what has none.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{papaver, stderr, stdout};

/// What `papaver.json` says of a trace with these attributes.
fn description() -> Value {
    let attribute = |name: &str, kind: &str, columns: &[(&str, &str)]| {
        let columns: Vec<Value> = columns.iter().map(|(name, kind)| json!({"name": name, "kind": kind})).collect();
        json!({"name": name, "type": kind, "columns": columns})
    };
    let integer = |name| attribute(name, "integer", &[(name, "integer")]);
    json!({"papaver_export": 1, "traces": [{
        "trace": "t", "format": "jsonl", "event_files": ["events.parquet"], "call_files": ["calls.parquet"],
        "attributes": [
            integer("chrono"), integer("call"), integer("depth"), attribute("port", "port", &[("port", "atom")]),
            attribute("name", "name", &[("name", "atom")]), integer("arity"),
            attribute("proc", "proc", &[("proc", "proc")]), integer("v"),
            attribute("w", "any", &[("w", "integer"), ("w_text", "text")]),
        ],
    }]})
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("papaver.json"), description().to_string()).unwrap();
    folder
}

fn sql(goal: &str, folder: &Path) -> assert_cmd::Command {
    let mut command = papaver();
    command.args(["sql", goal]).arg(folder);
    command
}

/// The SQL without the tables of the folder.
fn body(goal: &str, dialect: &str) -> String {
    let folder = folder();
    let text = stdout(sql(goal, folder.path()).args(["--dialect", dialect]), 0);
    let start = text.find("\nSELECT").expect("a query");
    text[start + 1..].trim_end().to_string()
}

#[test]
fn each_construct_has_its_text() {
    let cases = [
        (
            "fget([port=exit, depth > 2])",
            "SELECT e1.chrono AS chrono, e1.chrono AS order_0 FROM events AS e1 WHERE e1.port = 'exit' AND e1.depth > 2\n\
             ORDER BY order_0",
        ),
        (
            "event([port=call, call=C]), \\+ event([port=exit, call=C])",
            "SELECT e1.call AS \"C\", e1.chrono AS order_0 FROM events AS e1 WHERE e1.port = 'call' AND e1.call IS NOT \
             NULL AND NOT EXISTS (SELECT 1 FROM events AS e2 WHERE e2.port = 'exit' AND e2.call IS NOT NULL AND \
             e2.call = e1.call)\nORDER BY order_0",
        ),
        (
            "aggregate_all(count, event([name=matches(\"^q\")]), N)",
            "SELECT (SELECT count(*) FROM (SELECT 1 AS v FROM events AS e1 WHERE regexp_matches(e1.name, '^q'))) AS \"N\"",
        ),
        (
            "limit(2, parent(C, P))",
            "SELECT c1.call AS \"C\", c1.parent AS \"P\", c1.enter AS order_0 FROM calls AS c1 WHERE c1.parent IS NOT \
             NULL\nORDER BY order_0\nLIMIT 2",
        ),
    ];
    for (goal, expected) in cases {
        assert_eq!(body(goal, "duckdb"), expected, "{goal}");
    }
    let spark = "SELECT e1.name AS `N`, e1.chrono AS order_0 FROM events AS e1 WHERE e1.name IS NOT NULL AND e1.name \
                 RLIKE 'q\\\\z'\nORDER BY order_0";
    assert_eq!(body("event([name=N, name=matches(\"q$\")])", "spark"), spark);
}

#[test]
fn what_is_not_compiled_is_an_error_at_its_place() {
    let folder = folder();
    for (goal, place) in [
        ("event([port=call]), assertz(a)", "sql:1:21: error: `assertz/1` is not compiled to SQL"),
        ("event([prot=call])", "sql:1:8: error: the trace has no attribute `prot`"),
        ("event([call=C]), D > 3", "sql:1:18: error: the variable has no value here"),
        ("event([arg(1)=3])", "sql:1:8: error: constraints on arguments are not compiled"),
        ("event([port=", "sql:1:"),
    ] {
        let message = stderr(&mut sql(goal, folder.path()), 2);
        assert!(message.contains(place), "{goal}: {message}");
    }
    let message = stderr(&mut sql("true", Path::new("no such folder")), 2);
    assert!(message.contains("cannot read `no such folder/papaver.json`"), "{message}");
}
