//! Files that are cut anywhere: whatever was read of the whole file before the cut is read of what is left, and the cut is
//! found.

use std::collections::HashSet;
use std::path::Path;

use super::testing::in_chunks;
use super::{Format, test_formats};
use crate::trace::{AttributeId, EventId, Trace, Value};

/// The greatest file that is read up to each of its bytes.
const GREATEST: usize = 2000;

/// The small files in the corpus of a format for fuzzing, each with its name.
fn corpus(format: &Format) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(format.name);
    let entries = std::fs::read_dir(folder).expect("the corpus is part of the project");
    let read = |path: &Path| std::fs::read(path).expect("the corpus can be read");
    let file = |path: &Path| (path.display().to_string(), read(path));
    let files = entries.map(|entry| file(&entry.expect("the corpus can be read").path()));
    files.filter(|(_, text)| text.len() <= GREATEST).collect()
}

/// The text up to each place, with that place.
fn beginnings(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    (0..=text.len()).map(|length| (length, &text[..length]))
}

fn line_of(trace: &Trace, event: EventId) -> u64 {
    trace.source_line(event).expect("every event has a line")
}

/// What the first lines of a file say: the events with their ports and names.
fn of_lines(trace: &Trace, n_lines: u64) -> Vec<(u64, String)> {
    // whether an event of LTTng begins a box, a later line says
    let port = |event| trace.port(event).filter(|_| trace.origin().format != "lttng");
    let shown = |event| format!("{:?} {:?}", port(event), trace.value(event, AttributeId::NAME));
    let events = (0..trace.n_events()).filter(|event| line_of(trace, *event) <= n_lines);
    events.map(|event| (line_of(trace, event), shown(event))).collect()
}

/// Files without a session of one tracer, whose beginning another one may have printed.
const OF_NO_TRACER: &[&str] = &["prolog/bad", "prolog/lines"];

test_formats! { lines_before_a_cut, are_read_as_in_the_whole_file: strace lttng prolog }

fn are_read_as_in_the_whole_file(format: &Format) {
    for (name, text) in corpus(format) {
        if OF_NO_TRACER.iter().any(|other| name.ends_with(other)) {
            continue;
        }
        let whole = in_chunks(format, &text, 1 << 20);
        for (length, beginning) in beginnings(&text) {
            let n_lines = memchr::memchr_iter(b'\n', beginning).count() as u64;
            let cut = in_chunks(format, beginning, 1 << 20);
            assert_eq!(of_lines(&cut, n_lines), of_lines(&whole, n_lines), "{name} up to {length}");
        }
    }
}

// A system call, or an event of LTTng, that is cut may be a shorter one.
test_formats! { a_line_that_is_cut, is_an_event_or_a_finding: strace lttng }

fn is_an_event_or_a_finding(format: &Format) {
    let text = format.sample.as_bytes();
    // before that, the line may be output of the program
    let begun = memchr::memchr2(b'(', b']', text).expect("the sample has a bracket") + 1;
    for (length, beginning) in beginnings(text).skip(begun) {
        let cut = in_chunks(format, beginning, 1 << 20);
        let n_findings = cut.findings().kept().iter().filter(|finding| finding.rule != "end").count();
        assert!(cut.n_events() > 0 || n_findings > 0, "{} up to {length}", format.name);
    }
}

/// The number of records of spans, and their calls: id, name and time.
fn spans(trace: &Trace) -> (i64, HashSet<String>) {
    let records = trace.info(|key| key == "records");
    let n_records = records.iter().find_map(|(_, value)| if let Value::Int(n) = value { Some(*n) } else { None });
    let ids = ["span", "time"].map(|name| trace.schema().find(name)).into_iter().flatten();
    let ids: Vec<AttributeId> = ids.chain([AttributeId::NAME]).collect();
    let call = |event| ids.iter().map(|id| format!("{:?} ", trace.value(event, *id))).collect();
    let is_call = |event: &EventId| trace.port(*event).is_some_and(|port| port.as_str() == "call");
    (n_records.unwrap_or(0), (0..trace.n_events()).filter(is_call).map(call).collect())
}

/// Spans whose parts are put together in the whole file may have one part here, with other times.
const PUT_TOGETHER: &[&str] = &["zipkin", "jaeger"];

test_formats! { spans_before_a_cut, are_those_of_the_whole_file_and_the_cut_is_found: otlp jaeger zipkin }

fn are_those_of_the_whole_file_and_the_cut_is_found(format: &Format) {
    for (name, text) in corpus(format) {
        let (n_whole, of_whole) = spans(&in_chunks(format, &text, 1 << 20));
        let (mut n_before, mut n_with_cut) = (0, 0);
        for (length, beginning) in beginnings(&text) {
            let cut = in_chunks(format, beginning, 1 << 20);
            let (n_records, calls) = spans(&cut);
            assert!((n_before..=n_whole).contains(&n_records), "{name} up to {length}");
            n_before = n_records;
            let is_new = |call: &&String| !of_whole.contains(*call);
            let new: Vec<&String> = calls.iter().filter(is_new).collect();
            assert!(new.is_empty() || PUT_TOGETHER.contains(&format.name), "{name} up to {length}: {new:?}");
            n_with_cut += usize::from(cut.findings().kept().iter().any(|finding| finding.rule == "S8"));
        }
        assert_eq!(n_before, n_whole, "{name}");
        let n_values = memchr::memchr_iter(b'\n', &text).count() + 1;
        let n_whole_values = if text.starts_with(&[0]) { 20 } else { 2 * n_values + 2 };
        assert!(n_with_cut + n_whole_values >= text.len(), "{name}: {n_with_cut} of {}", text.len());
    }
}
