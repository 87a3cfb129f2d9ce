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

#[test]
fn all_attributes_of_a_span_are_a_list_also_those_without_columns() {
    let attribute = |key: &str, value: &str| format!("{{\"key\":\"{key}\",\"value\":{{{value}}}}}");
    let many: Vec<String> = (0..1200).map(|n| attribute(&format!("k.{n}"), &format!("\"intValue\":{n}"))).collect();
    let tool = [
        attribute("gen_ai.operation.name", "\"stringValue\":\"execute_tool\""),
        attribute("gen_ai.tool.call.arguments", "\"stringValue\":\"{\\\"a\\\": 1}\""),
        attribute("last", "\"doubleValue\":-1.5"),
    ];
    let span = |id: u32, attributes: &[String]| {
        let ids = format!("\"traceId\":\"{:032x}\",\"spanId\":\"{id:016x}\"", 7);
        let times = format!("\"startTimeUnixNano\":{id},\"endTimeUnixNano\":9");
        format!("{{{ids},\"name\":\"s\",{times},\"attributes\":[{}]}}", attributes.join(","))
    };
    let spans = [span(1, &many), span(2, &tool)].join(",");
    let text = format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{spans}]}}]}}]}}");
    let (folder, path) = file("many.json", &text);
    let saved = folder.path().join("saved.papaver");
    stdout(papaver().args(["convert", "-q"]).arg(&path).arg("-o").arg(&saved), 0);
    for path in [path, saved] {
        let answer = |goal: &str| stdout(papaver().args(["query", "-q", goal]).arg(&path), 0);
        let goal = "event([call=1, port=exit, attributes=L]), length(L, N), last(L, X)";
        assert!(answer(goal).ends_with(", N = 1200, X = 'k.1199'-1199\n"));
        assert_eq!(answer("attribute(1, 'k.1100', V)"), "V = 1100\n");
        assert_eq!(answer("findall(C, attribute(C, 'k.1199', _), L)"), "L = [1, 3]\n");
        let list = "['gen_ai.operation.name'-execute_tool, 'gen_ai.tool.call.arguments'-'{\"a\": 1}', last- -1.5]";
        assert_eq!(answer("event([call=2, port=call, attributes=L])"), format!("L = {list}\n"));
        assert_eq!(answer("attribute(2, last, V)"), "V = -1.5\n");
        assert_eq!(answer("findall(C, event([chrono=C, attributes=['k.0'-_|_]]), L)"), "L = [1, 3]\n");
    }
}
