//! What a file holds of its traces, so that the page needs no server: tiles at as many scales as fit, and events by worth.

use std::collections::BTreeSet;

use serde_json::value::RawValue;

use super::event::{self, STORED, event_facts};
use super::landmarks;
use super::payload::{PageContents, escaped};
use super::picture::PageTrace;
use super::place::Place;
use super::tile::{TilePart, TileSize, each_drawn, tile_json};
use super::timeline::Axis;
use crate::trace::EventId;

impl PageContents {
    /// For each trace and axis, as many levels of tiles as fit: level L divides the axis into 2^L tiles.
    pub(super) fn tiles(&self, most: usize) -> Vec<Box<RawValue>> {
        let axes = self.traces.iter().flat_map(|trace| trace.timeline.axes().map(move |axis| (trace, axis)));
        let n_axes = axes.clone().count().max(1);
        axes.flat_map(|(trace, axis)| levels(trace, axis, most / n_axes))
            .filter_map(|tile| RawValue::from_string(tile).ok())
            .collect()
    }

    /// Events by worth, as many as fit: first what the checks and goals found, then errors, long boxes, and the rest.
    pub(super) fn events(&self, most: usize) -> serde_json::Map<String, serde_json::Value> {
        let mut stored = StoredEvents { pages: &self.traces, events: serde_json::Map::new(), left: most / 10 * 7 };
        let mut around: BTreeSet<(usize, EventId)> = BTreeSet::new();
        for (trace, event) in self.by_worth() {
            if !stored.add_whole(trace, event) {
                break;
            }
            around.extend(event::neighbours(&self.traces[trace], event).into_iter().map(|event| (trace, event)));
        }
        stored.left += most - most / 10 * 7;
        let rest =
            self.traces.iter().flat_map(|trace| (0..trace.timeline.trace.n_events()).map(|event| (trace.index, event)));
        for (trace, event) in around.into_iter().chain(rest) {
            if !stored.add_line(trace, event) {
                break;
            }
        }
        stored.events
    }

    fn by_worth(&self) -> impl Iterator<Item = (usize, EventId)> {
        let find =
            |trace: usize, number: i64| Some((trace, self.traces.get(trace)?.timeline.trace.find_chrono(number)?));
        let witnesses = self.verdicts.iter().flat_map(|verdict| &verdict.witnesses);
        let witnesses = witnesses.filter_map(move |witness| find(witness.trace, witness.event));
        let answers = self.layers.iter().flat_map(|layer| &layer.rows).flat_map(|row| &row.events);
        let answers = answers.filter_map(move |event| find(event.trace, event.number));
        let drawn =
            self.traces.iter().flat_map(|trace| worthy_slices(trace).into_iter().map(|event| (trace.index, event)));
        let rest =
            self.traces.iter().flat_map(|trace| (0..trace.timeline.trace.n_events()).map(|event| (trace.index, event)));
        witnesses.chain(answers).chain(drawn).chain(rest)
    }
}

/// The events that a file holds, and the bytes that are left for more.
struct StoredEvents<'p> {
    pages: &'p [PageTrace],
    events: serde_json::Map<String, serde_json::Value>,
    left: usize,
}

impl StoredEvents<'_> {
    /// Adds all about an event; gives whether there was room.
    fn add_whole(&mut self, trace: usize, event: EventId) -> bool {
        let facts = event_facts(&self.pages[trace], event, STORED);
        self.add(trace, event, |_| serde_json::to_value(&facts).unwrap_or_default())
    }

    /// Adds the line of an event.
    fn add_line(&mut self, trace: usize, event: EventId) -> bool {
        self.add(trace, event, |of| {
            let line = event::line(of, event, STORED.text);
            let number = of.timeline.trace.chrono(event);
            serde_json::json!({ "trace": trace, "number": number, "line": line, "place": Place::of(&of.timeline, event) })
        })
    }

    fn add(&mut self, trace: usize, event: EventId, value: impl FnOnce(&PageTrace) -> serde_json::Value) -> bool {
        let of = &self.pages[trace];
        let key = format!("{trace}:{}", of.timeline.trace.chrono(event));
        if self.events.contains_key(&key) {
            return true;
        }
        let value = value(of);
        let length = escaped(&value.to_string()).len() + key.len() + 4;
        let fits = length <= self.left;
        if fits {
            self.left -= length;
            self.events.insert(key, value);
        }
        fits
    }
}

/// The first errors and the longest slices at the coarsest scale.
fn worthy_slices(of: &PageTrace) -> Vec<EventId> {
    let timeline = &of.timeline;
    let layout = timeline.layout(Axis::Number);
    let all = TilePart { axis: Axis::Number, from: 0, to: timeline.length(Axis::Number), n_columns: 256 };
    let mut drawn = Vec::new();
    for lane in layout.lanes.iter().take(1000) {
        each_drawn(timeline, lane, &all, |one| drawn.push((one.end - one.start, one.slice)));
    }
    drawn.sort_by_key(|(length, slice)| (std::cmp::Reverse(*length), *slice));
    let mut errors = landmarks::first_failed(of, 20);
    errors.extend(drawn.into_iter().map(|(_, slice)| layout.event_of(slice)));
    errors
}

/// The columns of a tile.
const COLUMNS: u32 = 2048;

/// The tiles of an axis in at most so many bytes.
fn levels(of: &PageTrace, axis: Axis, most: usize) -> Vec<String> {
    let timeline = &of.timeline;
    let length = timeline.length(axis);
    let rows = 0..timeline.rows.len() as u32;
    let part = |from, to, n_columns| TilePart { axis, from, to, n_columns };
    let tile = |part: &TilePart, most| tile_json(timeline, of.index, part, rows.clone(), TileSize(most));
    if let Some(exact) = tile(&part(0, length, 0), most) {
        return vec![exact];
    }
    let columns = std::iter::successors(Some(COLUMNS), |columns| Some(columns / 2)).take_while(|columns| *columns > 0);
    let coarse = columns.into_iter().find_map(|columns| tile(&part(0, length, columns), most));
    let Some(coarse) = coarse else { return some_rows(of, axis, most) };
    let mut left = most - coarse.len();
    let mut tiles = vec![coarse];
    for level in 1..40 {
        let n_tiles = 1_u64 << level;
        let edge = |index: u64| (u128::from(length) * u128::from(index) / u128::from(n_tiles)) as u64;
        let mut finer = Vec::new();
        for index in 0..n_tiles {
            let Some(one) = tile(&part(edge(index), edge(index + 1), COLUMNS), left) else { return tiles };
            left -= one.len();
            finer.push(one);
        }
        tiles.extend(finer);
    }
    tiles
}

/// The rows of a timeline that fit, where even one column of all rows does not.
fn some_rows(of: &PageTrace, axis: Axis, most: usize) -> Vec<String> {
    let part = TilePart { axis, from: 0, to: of.timeline.length(axis), n_columns: 64 };
    let tile = |n_rows: u32| tile_json(&of.timeline, of.index, &part, 0..n_rows, TileSize(most));
    let halves = std::iter::successors(Some(of.timeline.rows.len() as u32), |rows| Some(rows / 2));
    halves.take_while(|rows| *rows > 0).find_map(tile).into_iter().collect()
}
