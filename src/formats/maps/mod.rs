//! The `json` format: JSON Lines of other programs, read through a map, which says how a line becomes an event.
//!
//! The language of maps and the presets are in [`mapping`](super::mapping). Here `fields` takes a line apart, `line` finds what
//! a source names, `values` converts it, `chunk` reads lines on all cores into columns, `boxes` pairs events by key, and `events`
//! hands them over. Arguments stay JSON until a query needs them (`args`).

mod args;
mod boxes;
mod chunk;
mod columns;
mod events;
mod fields;
mod line;
mod rules;
mod values;

use std::sync::Arc;

use super::checks::{Need, ReadyCheck, WELL_FORMED};
use super::drawing::{BoxOrder, Draw, Drawing};
use super::lines::{LineEnding, Lines, read_ahead, text};
use super::mapping::{JsonMap, preset_maps};
use super::{Format, mercury};
use crate::formats::lines::split_lines;
use crate::trace::{PortSet, RecordedAt, TraceBuilder};
use chunk::{LineReader, MappedLines};
use events::MappedReader;

/// The record of the format.
pub(crate) const FORMAT: Format = Format {
    name: "json",
    doc: "JSON Lines of another program, by a map: a preset, or your own with `--map FILE`",
    sample: r#"{"Time":"2026-11-22T16:04:03Z","Action":"run","Package":"shop","Test":"TestPear"}"#,
    missing: "no line has the keys of a map (`papaver help maps`; `--map FILE` reads others)",
    rule: "J1",
    ports: PortSet::Open(mercury::PORTS),
    attributes: columns::ATTRIBUTES,
    severities: rules::SEVERITIES,
    sniff,
    read,
    checks: CHECKS,
    drawing: Draw::ByAttributes { timed: &BOXES, timeless: &TIMELESS_BOXES },
    reads_maps: true,
    ..Format::PLAIN
};

/// The assertions that fit its traces.
const CHECKS: &[ReadyCheck] = &[
    WELL_FORMED,
    ReadyCheck::with("every_call_ends", &[Need::Attribute("call")]),
    ReadyCheck::with("no_exception", &[Need::Attribute("call")]),
];

/// How traces with times are drawn.
const BOXES: Drawing = Drawing {
    process: &[("process ", "pid")],
    thread: &[("thread ", "thread")],
    time: Some(("time", 1000)),
    order: BoxOrder::Free,
    ..Drawing::ONE_TRACK
};

/// The same for a trace without times: time is the number of the event.
const TIMELESS_BOXES: Drawing = Drawing { time: None, ..BOXES };

/// Lines that are looked at to find the map.
const N_LOOKED_AT: usize = 50;

/// How many of the first lines have the keys of the preset that most of them have.
fn sniff(head: &[u8]) -> usize {
    if !lines_of(head).any(|line| line.trim_ascii_start().starts_with(b"{")) {
        return 0;
    }
    fitting(preset_maps(), head).map_or(0, |(_, n_lines)| n_lines)
}

/// The map that most of the first lines fit, of those the one that needs most, and the number of these lines.
fn fitting<'m>(maps: &'m [JsonMap], head: &[u8]) -> Option<(&'m JsonMap, usize)> {
    let lines: Vec<_> = lines_of(head).map(text::visible_in_json).filter(|line| line::is_object(line)).collect();
    let lines = &lines[..lines.len().min(N_LOOKED_AT)];
    let fits = |map: &JsonMap| line::n_with_needs(map, lines.iter().map(|line| &**line));
    let counted = maps.iter().rev().map(|map| (map, fits(map)));
    counted.max_by_key(|(map, n_lines)| (*n_lines, map.needs.len()))
}

fn lines_of(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    split_lines(head).filter(|line| !line.trim_ascii().is_empty()).take(2 * N_LOOKED_AT)
}

fn read(lines: &mut Lines, builder: &mut TraceBuilder) {
    lines.fill_sample(|_| false);
    let own: Option<Arc<[JsonMap]>> = lines.maps.take();
    let fitting = match &own {
        Some(maps) => fitting(maps, lines.sample()),
        None => fitting(preset_maps(), lines.sample()).filter(|(_, n_lines)| *n_lines > 0),
    };
    let Some((map, _)) = fitting else {
        let message = "no preset fits the first lines: write a map (`papaver help maps`) and read it with --map";
        return builder.finding("map", None, None, message);
    };
    builder.recording().record(RecordedAt::Start, "map", crate::trace::Field::Atom(&map.name));
    read_by(map, lines, builder);
}

/// Reads all lines through a map.
fn read_by(map: &JsonMap, lines: &mut Lines, builder: &mut TraceBuilder) {
    let line_reader = LineReader::new(map, builder);
    let mut reader = MappedReader::new(&line_reader, builder);
    read_ahead::read(
        lines,
        None,
        |text, batch: &mut MappedLines| batch.read(&line_reader, text),
        |chunk, batch| match chunk.ending {
            LineEnding::TooLong => reader.leave_out(),
            _ => reader.take(batch),
        },
    );
    let n_lines = reader.finish();
    lines.count_lines(n_lines);
}

#[cfg(test)]
mod tests;
