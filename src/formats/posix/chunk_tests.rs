//! Tests that a trace is the same in chunks of any size, with blanks and with carriage returns.

use std::path::PathBuf;

use super::FORMAT;
use crate::formats::testing::{in_chunks, shown};
use crate::trace::{AttributeId, Trace, Value};

fn trace(text: &str, chunk_bytes: usize) -> Trace {
    in_chunks(&FORMAT, text.as_bytes(), chunk_bytes)
}

fn sample(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/posix").join(name);
    std::fs::read_to_string(path).expect("the sample is there")
}

#[test]
fn chunks_and_blanks_make_no_difference() {
    for name in ["loop.jsonl", "filter.jsonl", "trunc.jsonl", "unnamed.jsonl", "untilfull.jsonl"] {
        let text = sample(name);
        let expected = shown(&trace(&text.replace("{\"t\":", "{ \"t\":"), 1 << 19));
        for chunk_bytes in [1, 500, 5000, 1 << 19] {
            assert_eq!(shown(&trace(&text, chunk_bytes)), expected, "{name} in chunks of {chunk_bytes}");
        }
        let returns = text.replace('\n', "\r\n");
        assert_eq!(shown(&trace(&returns, 1 << 19)), expected, "{name} with carriage returns");
    }
}

#[test]
fn faults_in_the_middle_make_no_difference() {
    let text = sample("loop.jsonl");
    let changes = [
        ("\"tid\":3", "\"tid\":0"),
        ("\"id\":35", "\"id\":77"),
        ("\"data\":\"00", "\"data\":\"0x"),
        ("\"t\":\"3176.14", "\"t\":\"3175.14"),
        ("NOT_TRUNCATED", "TRUNCATED_RECORD"),
        ("\"data\":\"", "\"wanted\":3,\"data\":\""),
        ("d56\",", "d56 \","),
    ];
    for (number, (from, to)) in changes.into_iter().enumerate() {
        let change = |(line, text): (usize, &str)| match line % 7 == number {
            true => text.replace(from, to),
            false => text.to_owned(),
        };
        let changed: String = text.split_inclusive('\n').enumerate().map(change).collect();
        let expected = shown(&trace(&changed.replace("{\"t\":", "{ \"t\":"), 1 << 19));
        assert_eq!(shown(&trace(&changed, 3000)), expected, "{from} is {to}");
    }
}

#[test]
fn data_are_there_whoever_asks_first() {
    let text = sample("loop.jsonl");
    let data = |trace: &Trace, event| {
        let id = trace.schema().find("data").expect("events have data");
        format!("{:?}", trace.value(event, id))
    };
    let args = |trace: &Trace, event| match trace.value(event, AttributeId::ARGS) {
        Value::Args(list) => list.whole().into_owned(),
        other => format!("{other:?}"),
    };
    let (first, second) = (trace(&text, 1 << 19), trace(&text, 1 << 19));
    let events = 0..first.n_events();
    let found: Vec<String> =
        events.clone().map(|event| format!("{} {}", data(&first, event), args(&first, event))).collect();
    let backwards = events.rev().map(|event| {
        let argument = args(&second, event);
        format!("{} {argument}", data(&second, event))
    });
    assert_eq!(found.iter().rev().cloned().collect::<Vec<_>>(), backwards.collect::<Vec<_>>());
    assert!(found.iter().any(|found| found.contains("finished job")), "some data are texts");
}
