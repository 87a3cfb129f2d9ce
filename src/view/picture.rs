//! The traces of a page, and the pictures that it shows of them besides the timeline: a table of kinds, each in a file.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use super::arrows::{EventArrow, EventArrows};
use super::timeline::{Axis, Timeline};
use super::waits::ProcessWaits;
use super::{callgraph, compare, coverage, durations, parallelism, proof, sequence, waits};
use crate::trace::{EventId, Trace};

/// A trace of a page.
pub(crate) struct PageTrace {
    /// Its number on the page.
    pub(crate) index: usize,
    pub(crate) timeline: Timeline,
    arrows: OnceLock<EventArrows>,
    waits: OnceLock<ProcessWaits>,
}

impl PageTrace {
    /// Lays out a trace.
    pub(crate) fn new(index: usize, trace: Arc<Trace>) -> PageTrace {
        PageTrace { index, timeline: Timeline::new(trace), arrows: OnceLock::new(), waits: OnceLock::new() }
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

    /// When its processes wait, found at first use.
    pub(super) fn waits(&self) -> &ProcessWaits {
        self.waits.get_or_init(|| ProcessWaits::new(&self.timeline.trace))
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
    /// Whether it can be asked of an event.
    pub(crate) is_of_event: bool,
    /// Makes it; none if the trace has nothing to show.
    pub(crate) make: fn(&PictureRequest<'_>) -> Option<Picture>,
}

/// All kinds, in the order of the page.
pub(crate) const PICTURES: &[PictureKind] = &[
    compare::KIND,
    waits::KIND,
    proof::KIND,
    sequence::KIND,
    parallelism::KIND,
    callgraph::KIND,
    coverage::KIND,
    durations::KIND,
];

/// What a picture is asked of.
pub(crate) struct PictureRequest<'p> {
    /// All traces of the page.
    pub(crate) traces: &'p [PageTrace],
    /// The number of the trace.
    pub(crate) trace: usize,
    /// The event that it is about; without one, it is about the whole trace.
    pub(crate) event: Option<EventId>,
    /// The part that it is about, on an axis.
    pub(crate) range: Option<AxisRange>,
    pub(crate) scope: PictureScope,
    /// The folders of the sources.
    pub(crate) sources: &'p [PathBuf],
}

/// A part of an axis: its first position, and the one after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AxisRange {
    pub(crate) axis: Axis,
    pub(crate) from: u64,
    pub(crate) to: u64,
}

/// How much a picture holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PictureScope {
    /// It stands on the page, which draws it of other events and ranges too.
    Page,
    /// Only what was asked for.
    Asked,
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

impl PictureTable {
    /// A table with these titles of columns.
    pub(super) fn new(columns: &[&str], rows: Vec<Vec<PictureCell>>) -> PictureTable {
        PictureTable { columns: columns.iter().map(|title| (*title).to_string()).collect(), rows }
    }
}

impl PictureCell {
    /// A cell with a text.
    pub(super) fn text(text: impl ToString) -> PictureCell {
        PictureCell::Text(text.to_string())
    }

    /// A cell with the number of an event, which leads there.
    pub(super) fn event(number: i64) -> PictureCell {
        PictureCell::Event { text: number.to_string(), event: number }
    }
}

/// The pictures that every page has of its traces; those that can be asked of an event are about the first of `events` in
/// the trace. The sources are below the folders `sources`.
pub(crate) fn pictures(traces: &[PageTrace], events: &[(usize, EventId)], sources: &[PathBuf]) -> Vec<Picture> {
    let of_trace = |trace: usize| {
        let event = events.iter().find(|(of, _)| *of == trace).map(|(_, event)| *event);
        let request = move |kind: &PictureKind| PictureRequest {
            traces,
            trace,
            event: event.filter(|_| kind.is_of_event),
            range: None,
            scope: PictureScope::Page,
            sources,
        };
        PICTURES.iter().filter_map(move |kind| (kind.make)(&request(kind)))
    };
    (0..traces.len()).flat_map(of_trace).collect()
}
