//! Tests of the timeline: lanes of real traces, and tiles against a search of all slices.

use std::path::Path;
use std::sync::Arc;

use crate::formats::{LoadOptions, load};

use super::slices::flags;
use super::tile::{DrawnSlice, TilePart, each_drawn};
use super::timeline::{Axis, Timeline, Titles};

fn timeline(path: &str) -> Timeline {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    Timeline::new(Arc::new(load(&path, &LoadOptions::default()).unwrap()))
}

fn of_lines(lines: &[&str]) -> Timeline {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines.jsonl");
    std::fs::write(&path, lines.join("\n")).unwrap();
    Timeline::new(Arc::new(load(&path, &LoadOptions::default()).unwrap()))
}

/// Slices of no lane overlap.
fn assert_disjoint(timeline: &Timeline) {
    for axis in timeline.axes() {
        for lane in &timeline.layout(axis).lanes {
            for slice in lane.start + 1..lane.end {
                let (before, after) = (timeline.span(axis, slice - 1), timeline.span(axis, slice));
                assert!(before.1 <= after.0, "{axis:?} {lane:?} {before:?} {after:?}");
            }
        }
    }
}

const SAMPLES: &[&str] = &[
    "examples/queens/queens.trace",
    "examples/qsort/qsort.trace",
    "examples/philosophers/philos_deadlock.trc",
    "examples/parallel/ciao_qsort_3agents.ev",
    "examples/seqtrace/relay.raw",
    "examples/spans/books.jsonl",
    "examples/spans/depot.jsonl",
    "examples/chrome/shop.json",
    "examples/chrome/race.json",
    "examples/erlang/bank.jsonl",
    "examples/strace/restart.strace",
    "examples/itf/tokens_mbt.itf.json",
    "examples/overflow/loop.jsonl",
    "examples/recorded_prolog/payroll.jsonl",
    "examples/python/wrong.jsonl",
    "examples/mdb/delivery.txt",
    "examples/tracer/session.txt",
];

#[test]
fn every_event_of_every_format_is_in_a_slice_and_slices_of_a_lane_are_disjoint() {
    for sample in SAMPLES {
        let timeline = timeline(sample);
        assert_disjoint(&timeline);
        for axis in timeline.axes() {
            let layout = timeline.layout(axis);
            let mut seen = vec![false; timeline.trace.n_events() as usize];
            layout.first.iter().chain(&layout.last).for_each(|event| seen[*event as usize] = true);
            assert_eq!(seen.iter().position(|seen| !seen), None, "{sample}");
            let events: u32 = timeline.rows.iter().map(|row| row.n_events).sum();
            assert_eq!(events, timeline.trace.n_events(), "{sample}");
            for event in 0..timeline.trace.n_events() {
                assert!(timeline.slice_of(axis, event).is_some(), "{sample} {event}");
            }
        }
    }
}

#[test]
fn lanes_of_mercury_are_depths() {
    let timeline = timeline("examples/queens/queens.trace");
    let layout = timeline.layout(Axis::Number);
    for lane in &layout.lanes {
        for slice in lane.start..lane.end {
            let depth = timeline.trace.depth(layout.first[slice as usize]).unwrap();
            let is_instant = layout.flags[slice as usize] & flags::INSTANT != 0;
            // an instant lies below the box of its call
            assert_eq!(i64::from(lane.number), if is_instant { depth } else { depth - 1 });
        }
    }
    let mut titles = Titles::new(&timeline);
    let first = titles.of(0, layout.flags[0]);
    assert_eq!(titles.names.get_index(first).map(String::as_str), Some("main"));
}

#[test]
fn a_box_that_is_entered_again_has_several_slices() {
    let timeline = of_lines(&[
        r#"{"call": 1, "port": "call", "name": "p", "depth": 1}"#,
        r#"{"call": 1, "port": "exit", "name": "p", "depth": 1}"#,
        r#"{"call": 2, "port": "call", "name": "q", "depth": 1}"#,
        r#"{"call": 2, "port": "fail", "name": "q", "depth": 1}"#,
        r#"{"call": 1, "port": "redo", "name": "p", "depth": 1}"#,
        r#"{"call": 1, "port": "fail", "name": "p", "depth": 1}"#,
    ]);
    let layout = timeline.layout(Axis::Number);
    let slices: Vec<(u32, u32, u8)> =
        (0..3).map(|slice| (layout.first[slice], layout.last[slice], layout.flags[slice])).collect();
    assert_eq!(slices, [(0, 1, 0), (2, 3, flags::FAILED), (4, 5, flags::FAILED)]);
    assert_eq!(layout.lanes.len(), 1);
}

#[test]
fn siblings_that_overlap_get_lanes_of_their_own() {
    let timeline = timeline("examples/spans/books.jsonl");
    assert_disjoint(&timeline);
    let layout = timeline.layout(Axis::Time);
    assert!(layout.lanes.len() > timeline.rows.len());
}

/// What a tile must be, by looking at all slices of its lane.
fn by_search(timeline: &Timeline, lane: usize, part: &TilePart) -> Vec<DrawnSlice> {
    let lane = timeline.layout(part.axis).lanes[lane];
    let width = u128::from((part.to - part.from).max(1));
    let mut drawn: Vec<(u128, DrawnSlice)> = Vec::new();
    for slice in lane.start..lane.end {
        let (start, end) = timeline.span(part.axis, slice);
        let is_seen = start < part.to && (end > part.from || start >= part.from);
        if !is_seen {
            continue;
        }
        let column = u128::from(start.saturating_sub(part.from)) * u128::from(part.n_columns) / width;
        match drawn.last_mut() {
            Some((last, one)) if *last == column => {
                one.count += 1;
                if end - start > one.end - one.start {
                    *one = DrawnSlice { slice, start, end, count: one.count };
                }
            }
            _ => drawn.push((column, DrawnSlice { slice, start, end, count: 1 })),
        }
    }
    drawn.into_iter().map(|(_, one)| one).collect()
}

fn assert_tiles(timeline: &Timeline) {
    for axis in timeline.axes() {
        let length = timeline.length(axis).max(1);
        let parts = [(0, length), (0, length / 2), (length / 3, length / 3 * 2), (length / 7, length / 7 + 5)];
        for (from, to) in parts.into_iter().filter(|(from, to)| from < to) {
            for n_columns in [1, 7, 100, 5000] {
                let part = TilePart { axis, from, to, n_columns };
                for lane in 0..timeline.layout(axis).lanes.len() {
                    let mut drawn = Vec::new();
                    each_drawn(timeline, &timeline.layout(axis).lanes[lane], &part, |one| drawn.push(one));
                    let mut expected = by_search(timeline, lane, &part);
                    if to == length && axis == Axis::Time {
                        // the last position belongs to the last tile
                        drawn.retain(|one| one.start < to);
                        expected.retain(|one| one.start < to);
                    }
                    assert_eq!(drawn, expected, "{part:?}");
                }
            }
        }
    }
}

#[test]
fn tiles_show_the_longest_slice_of_each_column_and_count_all() {
    SAMPLES.iter().for_each(|sample| assert_tiles(&timeline(sample)));
}

mod random {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn boxes_in_any_order_have_lanes_and_tiles(
            events in proptest::collection::vec((0_u8..4, 0_u8..12, 0_u8..5, 0_u32..300), 1..200),
        ) {
            let line = |(port, call, thread, time): &(u8, u8, u8, u32)| {
                let port = ["call", "exit", "redo", "user"][*port as usize];
                format!(r#"{{"call": {call}, "port": "{port}", "name": "p{call}", "thread": "t{thread}", "time": {time}}}"#)
            };
            let lines: Vec<String> = events.iter().map(line).collect();
            let timeline = of_lines(&lines.iter().map(String::as_str).collect::<Vec<_>>());
            assert_disjoint(&timeline);
            assert_tiles(&timeline);
        }
    }
}
