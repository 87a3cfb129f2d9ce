//! Tests that a file read in chunks of any size is the trace that it is when each line is read by the general reader.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::path::Path;

use proptest::prelude::*;

use super::{FORMAT, FastPath, LineLayout, Lines, read_as};
use crate::trace::{AttributeId, Trace, TraceBuilder};

/// The trace of `bytes`, read in chunks of about `chunk_bytes`.
fn trace(bytes: &[u8], chunk_bytes: usize, plain: FastPath) -> Trace {
    let mut lines = Lines::new(Box::new(Cursor::new(bytes.to_vec())));
    lines.chunk_bytes = chunk_bytes;
    finish(lines, plain)
}

/// The same through a file, in which the arguments stay.
fn trace_of_file(bytes: &[u8], chunk_bytes: usize) -> Trace {
    let mut file = tempfile::tempfile().expect("temporary files can be made");
    file.write_all(bytes).expect("temporary files can be written");
    let mut lines = Lines::new(Box::new(Cursor::new(bytes.to_vec())));
    lines.chunk_bytes = chunk_bytes;
    lines.file = Some(file);
    finish(lines, FastPath::On)
}

fn finish(mut lines: Lines, plain: FastPath) -> Trace {
    let origin = FORMAT.origin(Path::new("test.trace"));
    let mut builder = TraceBuilder::new(origin);
    lines.fill_to(1 << 16);
    let layout = LineLayout::of(lines.sample());
    read_as(plain, layout, &mut lines, &mut builder);
    builder.finding("end", None, Some(lines.number()), "number of lines");
    builder.finish()
}

/// All contents of a trace as text.
fn shown(trace: &Trace) -> String {
    let mut text = String::new();
    for finding in trace.findings().kept() {
        writeln!(text, "{finding:?}").expect("strings take everything");
    }
    writeln!(text, "{:?}", trace.findings().total()).expect("strings take everything");
    writeln!(text, "{:?}", trace.ports().collect::<Vec<_>>()).expect("strings take everything");
    writeln!(text, "{:?}", trace.procs().collect::<Vec<_>>()).expect("strings take everything");
    let ids: Vec<AttributeId> = trace.schema().iter().map(|(id, _)| id).filter(|id| trace.schema().has(*id)).collect();
    trace.n_args_codes();
    for event in 0..trace.n_events() {
        let values: Vec<_> = ids.iter().map(|id| trace.value(event, *id)).collect();
        let code = trace.known_args_code(event).map(|code| trace.args_text(code).whole());
        writeln!(text, "{:?} {values:?} {code:?} {:?}", trace.source_line(event), trace.call(event))
            .expect("strings take everything");
    }
    for call in trace.calls() {
        let children: Vec<_> = trace.children(call).collect();
        let edges = (trace.call_first(call), trace.call_last(call));
        writeln!(text, "{:?} {:?} {children:?} {edges:?}", trace.parent(call), trace.call_events(call))
            .expect("strings take everything");
    }
    text
}

fn check(bytes: &[u8], sizes: impl Iterator<Item = usize>) {
    let expected = shown(&trace(bytes, 1 << 20, FastPath::Off));
    for size in sizes {
        let in_memory = trace(bytes, size, FastPath::On);
        assert_eq!(shown(&in_memory), expected, "in chunks of {size}");
        let in_file = trace_of_file(bytes, size);
        let texts: Vec<_> = (0..in_file.n_events()).map(|event| in_file.value(event, AttributeId::ARGS)).collect();
        let read_again = format!("{texts:?}");
        assert_eq!(shown(&in_file), expected, "from a file in chunks of {size}");
        let coded: Vec<_> = (0..in_file.n_events()).map(|event| in_file.value(event, AttributeId::ARGS)).collect();
        assert_eq!(read_again, format!("{coded:?}"), "from a file in chunks of {size}");
        assert_eq!(in_file.fault(), None);
    }
}

#[test]
fn the_sample_traces_are_the_same_in_chunks_of_any_size() {
    for name in ["queens.trace", "qsort.trace"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        let bytes = std::fs::read(path).expect("the samples are there");
        check(&bytes, [1, 7, 64, 100, 333, 1000, 4096, 20_000, 1 << 20].into_iter());
    }
}

#[test]
fn a_plain_line_at_any_cut_is_the_same() {
    let text = b"\xEF\xBB\xBF  1: 1 [1] call p(a, [b]) []\r\n2: 2 [2] call q []\n\n3: 2 [2] exit q [s1]  7 \rx\n4: 1 [1] exit p(a, [b]) [] 9";
    check(text, 1..=text.len() + 1);
}

#[test]
fn variables_below_an_event_stay_with_it_in_every_chunk() {
    let block = "Non-argument live variables:\n\tX = [1, 2] {list__list(int)}\n\t9: 1 [1] exit p(a) []\n";
    let text = format!(
        "1: 1 [1] call p(a) []\n{block}2: 1 [1] exit p(b) []\n\n{block}3: 2 [1] call p(c) []\n\t4: 2 [1] exit p(c) []\nbad\n{block}"
    );
    check(text.as_bytes(), 1..=text.len() + 1);
}

#[test]
fn lines_that_all_begin_with_a_tab_are_cut_too() {
    let text = "\t1: 1 [1] call p(a) []\n\t2: 1 [1] exit p(a) []\n".repeat(20);
    check(text.as_bytes(), [1, 10, 30, 100].into_iter());
    let mut lines = Lines::new(Box::new(Cursor::new(text.into_bytes())));
    lines.chunk_bytes = 50;
    let attached = Some(super::ATTACHED);
    assert!(lines.next_chunk(attached, Vec::new()).is_some_and(|chunk| chunk.text().len() < 60));
}

/// Lines of every kind.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let number = || prop_oneof![8 => 0..40_i64, 1 => Just(300), 1 => Just(70_000), 1 => Just(i64::MAX)];
    let port =
        prop::sample::select(vec!["call", "exit", "redo", "fail", "switch", "CALL", "SWTC", "exit nondet", "ext"]);
    let name = prop::sample::select(vec![
        "p",
        "qsort",
        "'a b'",
        "m:p",
        "det",
        "{m} m:p",
        "(predicate) p",
        "a.b",
        "++",
        "s1;",
        "p\u{e9}",
    ]);
    let args = prop::sample::select(vec![
        "",
        "(a)",
        "(-, [1, 2], f(x))",
        "('(')",
        "('it''s', \"a)\")",
        "(0'))",
        "()",
        "(a))",
        "((a)",
        "(\u{1f}3:abc)",
        "(caf\u{e9})",
        "([a|b], {c, d})",
        "(a)(b)",
        "(a)/1-0",
        "(\"open)",
    ]);
    let place = prop::sample::select(vec![
        " []",
        " [s1, c2]",
        " [s1, c2]  52 ",
        " s1;c2; 4",
        "",
        " 12",
        " [a",
        " [] x",
        "  []",
        "/3 []",
        " ['c]', 2]",
    ]);
    let blank = prop::sample::select(vec!["", " ", "  ", "\t"]);
    let event = (blank, number(), number(), 1..6_i64, port, name, args, place).prop_map(
        |(blank, chrono, call, depth, port, name, args, place)| {
            format!("{blank}{chrono}: {call} [{depth}] {port} {name}{args}{place}").into_bytes()
        },
    );
    let other = prop::sample::select(vec![
        &b""[..],
        b" ",
        b"Non-argument live variables:",
        b"\tX = 1 {int}",
        b"\tY",
        b"noise",
        b"Non",
        b"5: 6 [7] call p(\xE9) []",
        b"99999999999999999999: 1 [1] call p []",
        b"exit p(a) []",
        b"7: 8 call p(a)",
        b"\x00",
    ]);
    prop_oneof![8 => event, 2 => other.prop_map(<[u8]>::to_vec)]
}

/// FastPath lines, numbered without gaps at first.
fn plain_lines() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec((1..9_i64, 1..5_i64, 0..5_usize, 0..4_usize), 0..40).prop_map(|lines| {
        let line = |(index, (call, depth, port, args)): (usize, (i64, i64, usize, usize))| {
            let port = ["call", "exit", "redo", "fail", "switch"][port];
            let args = ["p(a)", "p([b, c], d)", "q", "r('x, y')"][args];
            format!("{}: {call} [{depth}] {port} {args} []", index + 1).into_bytes()
        };
        lines.into_iter().enumerate().map(line).collect()
    })
}

proptest! {
    #![proptest_config(crate::term::cases::cases(100))]
    #[test]
    fn chunks_of_every_size_give_the_relation_and_findings_of_one(
        plain in plain_lines(),
        lines in prop::collection::vec(any_line(), 0..30),
        ends in prop::collection::vec(prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\r", "\n\n"]), 70),
        has_last_end in any::<bool>(),
        sizes in prop::collection::vec(1..600_usize, 3),
    ) {
        let mut text = Vec::new();
        let mut ends = ends.into_iter();
        for line in plain.iter().chain(&lines) {
            text.extend_from_slice(line);
            text.extend_from_slice(ends.next().expect("there are enough").as_bytes());
        }
        if !has_last_end {
            text.pop();
        }
        check(&text, sizes.into_iter());
    }
}
