//! The formats `otlp`, `jaeger` and `zipkin`: the relations of the samples are those that a program computed which shares no
//! code with this one.

use std::fs;

use serde_json::Value;

use crate::support::{data, file, papaver, stdout};

/// The events of traces as lines: chrono, call, depth, port, parent, time, service, name.
fn events(arguments: &[&str]) -> String {
    let objects = stdout(papaver().args(["convert", "--to", "jsonl"]).args(arguments), 0);
    objects.lines().filter(|object| !object.starts_with(r#"{"papaver""#)).map(event_line).collect()
}

fn event_line(object: &str) -> String {
    let object: Value = serde_json::from_str(object).expect("a line is an object");
    let keys = ["chrono", "call", "depth", "port", "parent", "time", "service", "name"];
    let shown = keys.map(|key| match &object[key] {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    format!("{}\n", shown.join("\t"))
}

fn expected(name: &str) -> String {
    fs::read_to_string(data(name)).expect("the sample is there")
}

#[test]
fn every_spelling_of_a_run_gives_the_same_events() {
    for (sample, known) in [
        ("otlp/shop_small.jsonl", "otlp/shop_small.events"),
        ("otlp/shop_small.pb", "otlp/shop_small.events"),
        ("otlp/shop_small_each_zstd.pb", "otlp/shop_small.events"),
        ("otlp/shop_small_reordered.jsonl", "otlp/shop_small.events"),
        ("otlp/values.jsonl", "otlp/values.events"),
        ("jaeger/one_trace.json", "jaeger/one_trace.events"),
        ("zipkin/shared.json", "zipkin/shared.events"),
    ] {
        assert_eq!(events(&[&data(sample)]), expected(known), "{sample}");
    }
}

#[test]
fn merged_files_are_one_trace_before_events_are_ordered() {
    let whole = expected("otlp/shop_small.jsonl");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let parts = [("one.jsonl", lines[..3].concat()), ("two.jsonl", lines[3..].concat())];
    let parts = parts.map(|(name, part)| file(name, &part));
    let paths = parts.each_ref().map(|(_, path)| path.to_string_lossy().into_owned());
    assert_eq!(events(&["--merge", &paths[0], &paths[1]]), expected("otlp/shop_small.events"));
    assert_eq!(events(&["--merge", &paths[1], &paths[0]]), expected("otlp/shop_small.events"));
}
