//! Tests that a trace is the same whether its lines are taken apart in chunks of any size or one by one.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use super::fast::LttngChunk;
use super::{FORMAT, read_by};
use crate::formats::Lines;
use crate::formats::testing::{in_chunks, shown};
use crate::term::cases::n_cases;
use crate::trace::{Trace, TraceBuilder};

/// The trace in a text, each of whose lines is read by the full grammar.
fn line_by_line(text: &[u8]) -> Trace {
    let mut lines = Lines::new(Box::new(Cursor::new(text.to_vec())));
    let mut builder = TraceBuilder::new(FORMAT.origin(Path::new("test.trace")));
    read_by(LttngChunk::leave_all, &mut lines, &mut builder);
    builder.finding("end", None, Some(lines.number()), "number of lines");
    builder.finish()
}

/// The texts of all samples, sound and bad.
fn samples() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["tests/data/lttng", "tests/data/lttng/bad", "tests/fuzz/corpus/lttng"];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("there are samples"));
    let files = entries.map(|entry| entry.expect("a folder can be read").path()).filter(|path| path.is_file());
    let texts = files.filter_map(|path| Some((path.clone(), std::fs::read(&path).ok()?)));
    texts.filter(|(_, text)| (FORMAT.sniff)(text) > 0).collect()
}

#[test]
fn samples_are_read_in_chunks_as_line_by_line() {
    let mut n_samples = 0;
    for (path, text) in samples() {
        let expected = shown(&line_by_line(&text));
        for chunk_bytes in [1, 300, 5000, 1 << 19] {
            assert!(shown(&in_chunks(&FORMAT, &text, chunk_bytes)) == expected, "{} by {chunk_bytes}", path.display());
        }
        n_samples += 1;
    }
    assert!(n_samples > 5, "{n_samples} samples");
}

#[test]
fn changed_lines_are_read_in_chunks_as_line_by_line() {
    const LINES: &[&str] = &[
        "[16:09:02.133720888] (+?.?????????) app shop:item_entry: { cpu_id = 1 }, { vpid = 3, vtid = 4 }, { id = 1, who = \"a \\\"b\\\"\" }",
        "[16:09:02.133720890] (+0.000000002) app shop:item_exit: { cpu_id = 1 }, { vpid = 3, vtid = 4 }, { id = -7, n = 0xBEEF, f = 1.5 }",
        "[16:09:02.133720890] (+0.000000000) shop:tick: { cpu_id = 0 }, { }",
        "[16:09:02.133720895] shop:tick: { i = 1 }",
        "[16:09:03.133720895] app shop:k: { cpu_id = 1 }, { vpid = 3 }, { _s_length = 1, s = [ [0] = 5 ], k = ( \"A\" : container = 0 ) }",
        "[16:09:04.133720895] app shop:k: { cpu_id = 1 }, { vpid = 3 }, { p = { x = 1, y = \"}, { \" } }",
        "[2026-11-22 16:09:02.133714288] app shop:k: { cpu_id = 1 }, { procname = \"}, {\" }, { n = 1 }",
        "[12.133714288] (+0.000000001) app shop:k: { cpu_id = 1 }, { n = 1, 2, m = \"\u{e9}\" }",
        "[1213371] app shop:k: { cpu_id = 1 }, { n = 1 }",
        "timestamp = 2026-11-22 16:09:02.133714288, delta = +0.000000001, trace = a, , trace:hostname = app, \
            loglevel = X (1), name = shop:item_exit, stream.packet.context = { cpu_id = 1 }, event.fields = { id = 2 }",
        "timestamp = 12.133714288, trace = a, name = shop:k, stream.packet.context = { c = 1 }, \
            event.fields = { x = \"}, event.fields = { \" }",
        "timestamp = 12.133714288, name = shop:tick, event.fields = { x = 1 }",
    ];
    const PIECES: &[&str] = &[
        "(", ")", "[", "]", "{", "}", ":", "\"", "\\", " ", ",", "x", "7", "=", "-", ".", "_", "\t", "\u{e9}", "",
        "}, {",
    ];
    let mut seed = 7_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for _ in 0..n_cases(300) {
        let mut text = String::new();
        for _ in 0..12 {
            let mut line = LINES[next(LINES.len())].to_string();
            for _ in 0..next(3) {
                let at = next(line.len().max(1));
                let Some(byte) = line.get(at..).and_then(|rest| rest.chars().next()) else { continue };
                let end = if next(2) == 0 { at } else { at + byte.len_utf8() };
                line.replace_range(at..end, PIECES[next(PIECES.len())]);
            }
            text.push_str(&line);
            text.push('\n');
        }
        let expected = shown(&line_by_line(text.as_bytes()));
        assert_eq!(shown(&in_chunks(&FORMAT, text.as_bytes(), 1 << 19)), expected, "{text}");
        assert_eq!(shown(&in_chunks(&FORMAT, text.as_bytes(), 200)), expected, "{text}");
    }
}
