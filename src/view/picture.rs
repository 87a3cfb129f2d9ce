//! The traces of a page, and the pictures that it shows of them besides the timeline: a table of kinds, each in a file.

use std::sync::{Arc, OnceLock};

use serde::Serialize;

use super::arrows::{EventArrow, EventArrows};
use super::durations;
use super::timeline::{Axis, Timeline};
use crate::trace::Trace;

/// A trace of a page.
pub(crate) struct PageTrace {
    /// Its number on the page.
    pub(crate) index: usize,
    pub(crate) timeline: Timeline,
    arrows: OnceLock<EventArrows>,
}

impl PageTrace {
    /// Lays out a trace.
    pub(crate) fn new(index: usize, trace: Arc<Trace>) -> PageTrace {
        PageTrace { index, timeline: Timeline::new(trace), arrows: OnceLock::new() }
    }

    /// The arrows of a part of an axis, and how many more than can be drawn there are.
    pub(crate) fn arrows_within(&self, axis: Axis, from: u64, to: u64) -> (Vec<EventArrow>, usize) {
        let timeline = &self.timeline;
        let is_seen = |arrow: &EventArrow| {
            let (start, end) = (timeline.position(axis, arrow.from), timeline.position(axis, arrow.to));
            start.min(end) <= to && start.max(end) >= from
        };
        self.arrows().some(is_seen)
    }

    /// Its arrows, found at first use.
    pub(crate) fn arrows(&self) -> &EventArrows {
        self.arrows.get_or_init(|| EventArrows::new(&self.timeline.trace))
    }
}

/// A kind of picture.
pub(crate) struct PictureKind {
    /// Its name, by which the page draws it.
    pub(crate) name: &'static str,
    /// Makes it; none if the trace has nothing to show.
    pub(crate) make: fn(&PictureRequest<'_>) -> Option<Picture>,
}

/// All kinds, in the order of the page.
pub(crate) const PICTURES: &[PictureKind] = &[durations::KIND];

/// What a picture is asked of.
pub(crate) struct PictureRequest<'p> {
    /// All traces of the page.
    pub(crate) traces: &'p [PageTrace],
    /// The number of the trace.
    pub(crate) trace: usize,
}

impl PictureRequest<'_> {
    /// The trace.
    pub(crate) fn of(&self) -> &PageTrace {
        &self.traces[self.trace]
    }
}

/// A picture: what the page draws, and the same as a table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Picture {
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    pub(crate) trace: usize,
    pub(crate) table: PictureTable,
    pub(crate) data: serde_json::Value,
}

/// The table of a picture.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PictureTable {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<PictureCell>>,
}

/// A cell of a table; one with an event leads to it.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum PictureCell {
    Text(String),
    Event { text: String, event: i64 },
}

/// The pictures that every page has of a trace.
pub(crate) fn pictures(traces: &[PageTrace]) -> Vec<Picture> {
    let of_trace =
        |trace: usize| PICTURES.iter().filter_map(move |kind| (kind.make)(&PictureRequest { traces, trace }));
    (0..traces.len()).flat_map(of_trace).collect()
}
