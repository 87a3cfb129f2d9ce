//! The model of spans on small documents: identity, parents, order and rules.

use std::fmt::Write as _;

use super::FORMAT;
use crate::formats::testing::{in_chunks, shown};
use crate::trace::{AttributeId, Trace, Value};

const TRACE: &str = "5b8efff798038103d269b633813fc60c";

/// A span: its number, the one of its parent or 0, its times, and other fields.
fn span(id: u64, parent: u64, (start, end): (i64, i64), rest: &str) -> String {
    let parent = if parent == 0 { String::new() } else { format!("\"parentSpanId\":\"{parent:016x}\",") };
    let times = format!("\"startTimeUnixNano\":{start},\"endTimeUnixNano\":\"{end}\"");
    format!("{{\"traceId\":\"{TRACE}\",\"spanId\":\"{id:016x}\",{parent}\"name\":\"s{id}\",{times}{rest}}}")
}

fn document(spans: &[String]) -> String {
    format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{}]}}]}}]}}\n", spans.join(",\n "))
}

fn read(text: &str) -> Trace {
    in_chunks(&FORMAT, text.as_bytes(), 1 << 20)
}

/// The events as `call port name`, and the rules of the findings.
fn events(text: &str) -> (Vec<String>, Vec<&'static str>) {
    let trace = read(text);
    let line = |event| {
        let call = trace.call(event).map_or(0, |call| trace.call_number(call));
        let mut line = format!("{call}");
        for id in [AttributeId::PORT, AttributeId::NAME] {
            if let Value::Atom(name) = trace.value(event, id) {
                write!(line, " {name}").expect("it is a string");
            }
        }
        line
    };
    let rules = trace.findings().kept().iter().map(|finding| finding.rule).filter(|rule| rule.starts_with('S'));
    ((0..trace.n_events()).map(line).collect(), rules.collect())
}

#[test]
fn a_child_that_starts_before_its_parent_is_placed_after_it() {
    let text = document(&[span(1, 0, (1000, 3000), ""), span(2, 1, (900, 3000), ",\"status\":{\"code\":2}")]);
    let (lines, rules) = events(&text);
    assert_eq!(lines, ["1 call s1", "2 call s2", "2 exception s2", "1 exit s1"]);
    assert_eq!(rules, ["S5"]);
}

#[test]
fn at_one_place_what_ends_comes_before_what_begins() {
    let spans = [
        span(1, 0, (10, 40), ",\"events\":[{\"timeUnixNano\":20,\"name\":\"e\"}]"),
        span(2, 1, (10, 20), ""),
        span(3, 1, (20, 40), ""),
        span(4, 3, (40, 40), ""),
    ];
    let expected = [
        "1 call s1",
        "2 call s2",
        "1 event e",
        "2 exit s2",
        "3 call s3",
        "4 call s4",
        "4 exit s4",
        "3 exit s3",
        "1 exit s1",
    ];
    assert_eq!(events(&document(&spans)), (expected.map(str::to_owned).to_vec(), Vec::new()));
}

#[test]
fn repeats_are_one_span_and_drafts_are_replaced() {
    let same = span(
        1,
        0,
        (10, 20),
        ",\"attributes\":[{\"key\":\"a\",\"value\":{\"intValue\":1}},{\"key\":\"b\",\"value\":{}}]",
    );
    let again = span(
        1,
        0,
        (10, 20),
        ",\"attributes\":[{\"key\":\"b\",\"value\":{}},{\"key\":\"a\",\"value\":{\"intValue\":\"1\"}}]",
    );
    let draft = span(2, 1, (11, 0), "");
    let (lines, rules) = events(&document(&[same.clone(), draft, again, span(2, 1, (11, 12), "")]));
    assert_eq!(lines, ["1 call s1", "2 call s2", "2 exit s2", "1 exit s1"]);
    assert!(rules.is_empty(), "{rules:?}");
    let (lines, rules) = events(&document(&[same, span(1, 0, (10, 30), ""), span(1, 0, (10, 25), "")]));
    assert_eq!((lines.len(), rules), (2, vec!["S2", "S2"]));
}

#[test]
fn a_cycle_is_cut_at_the_first_span_of_the_file() {
    let n_spans = 1000;
    let spans: Vec<String> = (1..=n_spans).map(|id| span(id, id % n_spans + 1, (5, 9), "")).collect();
    let (lines, rules) = events(&document(&spans));
    assert_eq!((lines.len(), rules), (2000, vec!["S4"]));
    assert_eq!(lines[0], "1 call s1");
}

#[test]
fn many_orphans_are_counted_after_ten() {
    let spans: Vec<String> = (1..=12).map(|id| span(id, 100 + id, (5, 9), "")).collect();
    let (_, rules) = events(&document(&spans));
    assert_eq!(rules, ["S1"; 11]);
}

#[test]
fn what_is_around_a_broken_span_is_kept() {
    let spans = [span(1, 0, (1, 9), ""), "{\"traceId\" 5}".to_owned(), span(2, 1, (2, 3), "")];
    let (lines, rules) = events(&document(&spans));
    assert_eq!((lines.len(), rules), (4, vec!["S8"]));
    let text = format!("{}this is no JSON\n{{\"others\":[]}}\n", document(&[span(1, 0, (1, 9), "")]));
    assert_eq!(events(&text).1, ["S8", "S8"]);
}

#[test]
fn parts_of_any_size_give_the_same_trace_and_a_cut_loses_only_what_follows() {
    let text = document(&[span(1, 0, (1, 9), ",\"links\":[{\"spanId\":\"x\"}]"), span(2, 1, (2, 3), "")]).repeat(2);
    let whole = shown(&read(&text));
    for part_bytes in [1, 3, 50, 200] {
        assert_eq!(shown(&in_chunks(&FORMAT, text.as_bytes(), part_bytes)), whole, "in parts of {part_bytes} bytes");
    }
    let n_events: Vec<u32> = (0..=text.len() / 2).map(|end| read(&text[..end]).n_events()).collect();
    assert!(n_events.is_sorted() && n_events.ends_with(&[5]), "{n_events:?}");
}

#[test]
fn a_length_of_a_message_that_is_not_there_costs_nothing() {
    let trace = in_chunks(&FORMAT, &[6, 64, 0, 0, 1], 1 << 20);
    let rules: Vec<&str> = trace.findings().kept().iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, ["S8", "end"]);
}

/// What follows in the value is left out, as after any fault outside of a span.
#[test]
fn a_comma_that_is_missing_or_too_many_between_spans_is_found() {
    let [one, two, three] = [span(1, 0, (1, 9), ""), span(2, 1, (2, 3), ""), span(3, 1, (4, 5), "")];
    let document = |spans: &str| format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{spans}]}}]}}]}}\n");
    for (spans, n_kept) in [
        (format!("{one}, {two} {three}"), 2),
        (format!("{one},, {two}"), 1),
        (format!("{one}, {two},"), 2),
        (format!(", {one}"), 0),
    ] {
        let text = format!("{}{}", document(&spans), document(&span(4, 0, (6, 7), "")));
        let (lines, rules) = events(&text);
        assert_eq!((lines.len(), rules), (2 * n_kept + 2, vec!["S8"]), "{spans}");
    }
    let whole = document(&format!("{one}, {two}"));
    for (text, n_kept) in [
        (whole.replace("]}]}]}", "]}]}"), 2),
        (whole.replace("\n", "]\n"), 2),
        (format!("{whole}}}\n"), 2),
        (whole.replace("}]}\n", "}],}\n"), 2),
    ] {
        let (lines, rules) = events(&text);
        assert_eq!((lines.len(), rules), (2 * n_kept, vec!["S8"]), "{text}");
    }
}
