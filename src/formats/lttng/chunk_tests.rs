//! Tests that a line is split in the same way whatever lines were read before.

use super::part::LttngPart;
use crate::formats::lines::kept::KeptBlocks;
use crate::term::cases::n_cases;

/// The events that are new in a part: their times, names, threads, names of arguments and fields; and the lines that are none.
fn shown(part: &LttngPart) -> Vec<String> {
    let mut groups = KeptBlocks::default();
    groups.add(0, &part.groups);
    let mut all: Vec<String> = part.others.iter().map(|other| format!("{} {:?}", other.message, other.name)).collect();
    groups.each(|event, _, group| {
        let event = &part.events[event as usize];
        let (names, owner) = part.known.heads.entry(event.head);
        let owner = part.known.owners.text(owner as u32);
        all.push(format!("{:?} {:?} {owner:?} {names:?} {group:?}", event.stamp, event.delta));
    });
    all
}

#[test]
fn changed_lines_are_split_as_if_no_line_was_before() {
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
        let (mut part, mut expected) = (LttngPart::default(), Vec::new());
        part.read(text.as_bytes());
        for line in text.lines() {
            let mut alone = LttngPart::default();
            alone.read(line.as_bytes());
            expected.append(&mut shown(&alone));
        }
        let mut found = shown(&part);
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{text}");
    }
}
