//! The data of a page: what its traces, checks and goals are, and for a file the tiles and events that fit.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::value::RawValue;

use super::arrows::EventArrow;
use super::landmarks::{self, Landmark};
use super::picture::{PICTURES, PageTrace, Picture};
use super::place::Place;
use super::rows::TimelineRow;
use super::timeline::Axis;
use crate::trace::{EventId, Finding, Trace};

/// A check with its outcome, as the page tells it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PageVerdict {
    pub(crate) name: String,
    /// `holds`, `violated`, `vacuous`, `error`, or `blind` if the trace does not show enough.
    pub(crate) state: &'static str,
    /// `rules.pl:3:1`
    #[serde(rename = "where")]
    pub(crate) place: String,
    /// The text of the check.
    pub(crate) rule: String,
    /// What `papaver check` prints below its first line.
    pub(crate) text: Vec<String>,
    pub(crate) trace: usize,
    pub(crate) witnesses: Vec<PageWitness>,
}

/// An event that shows a violation.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PageWitness {
    pub(crate) trace: usize,
    pub(crate) event: i64,
    pub(crate) line: String,
    pub(crate) place: Place,
}

/// A goal with its answers.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PageLayer {
    pub(crate) id: usize,
    pub(crate) goal: String,
    pub(crate) color: usize,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<LayerRow>,
    /// Whether there are more answers.
    pub(crate) more: bool,
    pub(crate) error: Option<String>,
    /// Why there is no answer, and what the goal wrote.
    pub(crate) note: Option<String>,
}

/// An answer: the values of its variables, and its events.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LayerRow {
    pub(crate) cells: Vec<String>,
    pub(crate) events: Vec<LayerEvent>,
}

/// An event of an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerEvent {
    pub(crate) trace: usize,
    pub(crate) number: i64,
    pub(crate) place: Place,
}

impl Serialize for LayerEvent {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Place { row, lane, number, time } = self.place;
        (self.trace, self.number, row, lane, number, time).serialize(serializer)
    }
}

/// What a page is about.
pub(crate) struct PageContents {
    pub(crate) title: String,
    pub(crate) traces: Vec<PageTrace>,
    pub(crate) verdicts: Vec<PageVerdict>,
    pub(crate) layers: Vec<PageLayer>,
    pub(crate) pictures: Vec<Picture>,
    /// The kind of picture at which it opens.
    pub(crate) opens: Option<&'static str>,
    /// The folders of the sources.
    pub(crate) sources: Vec<PathBuf>,
}

/// Where a page gets what it does not hold.
#[derive(Clone, Debug)]
pub(crate) enum PageSource {
    /// From a server, below this path.
    Server(String),
    /// From nowhere: the file may have so many bytes.
    File(usize),
}

/// The data of a page, in the form that it reads.
#[derive(Serialize)]
struct PageData<'p> {
    version: u32,
    title: &'p str,
    served: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offers: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opens: Option<&'static str>,
    traces: Vec<TraceFacts>,
    verdicts: &'p [PageVerdict],
    layers: &'p [PageLayer],
    pictures: &'p [Picture],
    tiles: Vec<Box<RawValue>>,
    events: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct TraceFacts {
    name: String,
    format: &'static str,
    events: EventId,
    first: Option<i64>,
    last: Option<i64>,
    axes: Vec<&'static str>,
    time: Option<TimeFacts>,
    rows: Vec<RowFacts>,
    density: Density,
    blind: Vec<BlindWindow>,
    findings: Vec<FindingFacts>,
    n_findings: u64,
    arrows: Vec<ArrowFacts>,
    arrows_total: usize,
    longest: Vec<Landmark>,
    failures: Vec<Landmark>,
}

#[derive(Serialize)]
struct TimeFacts {
    unit: &'static str,
    first: String,
    length: u64,
}

#[derive(Serialize)]
struct RowFacts {
    id: usize,
    label: String,
    group: Option<String>,
    lanes: u32,
    events: u32,
}

#[derive(Serialize)]
struct Density {
    number: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Vec<u32>>,
}

#[derive(Serialize)]
struct BlindWindow {
    from: i64,
    to: i64,
    text: &'static str,
    number: (u64, u64),
    time: Option<(u64, u64)>,
}

#[derive(Serialize)]
struct FindingFacts {
    event: Option<i64>,
    rule: &'static str,
    severity: &'static str,
    text: String,
    place: Option<Place>,
}

/// The most findings and the most blind windows that a page tells.
const MOST_FINDINGS: usize = 1000;
/// The parts of the overview.
const N_DENSITY: usize = 600;

/// An arrow with the places of its events.
#[derive(Serialize)]
pub(crate) struct ArrowFacts(i64, Place, i64, Place, &'static str);

impl ArrowFacts {
    /// An arrow of a trace.
    pub(crate) fn of(trace: &PageTrace, arrow: EventArrow) -> ArrowFacts {
        let number = |event| trace.timeline.trace.chrono(event);
        let place = |event| Place::of(&trace.timeline, event);
        ArrowFacts(number(arrow.from), place(arrow.from), number(arrow.to), place(arrow.to), arrow.kind)
    }
}

impl PageContents {
    /// The data of the page as JSON, without characters that could end the element in which it stands.
    pub(crate) fn json(&self, source: &PageSource) -> String {
        let (base, most) = match source {
            PageSource::Server(base) => (Some(base.as_str()), None),
            PageSource::File(most) => (None, Some(*most)),
        };
        let mut data = PageData {
            version: 1,
            title: &self.title,
            served: base.is_some(),
            base,
            offers: base.map(|_| PICTURES.iter().filter(|kind| kind.is_of_event).map(|kind| kind.name).collect()),
            opens: self.opens,
            traces: self.traces.iter().map(|trace| self.facts(trace, most.is_some())).collect(),
            verdicts: &self.verdicts,
            layers: &self.layers,
            pictures: &self.pictures,
            tiles: Vec::new(),
            events: serde_json::Map::new(),
        };
        if let Some(most) = most {
            let n_used = escaped(&serde_json::to_string(&data).expect(JSON)).len();
            let left = most.saturating_sub(n_used);
            data.tiles = self.tiles(left / 2);
            let n_tiles: usize = data.tiles.iter().map(|tile| tile.get().len() + 1).sum();
            data.events = self.events(left.saturating_sub(n_tiles));
        }
        escaped(&serde_json::to_string(&data).expect(JSON))
    }

    fn facts(&self, of: &PageTrace, has_arrows: bool) -> TraceFacts {
        let (timeline, trace) = (&of.timeline, &*of.timeline.trace);
        let last = trace.n_events().checked_sub(1);
        let mut lanes = vec![0; timeline.rows.len()];
        for axis in timeline.axes() {
            for lane in &timeline.layout(axis).lanes {
                let n_lanes: &mut u32 = &mut lanes[lane.row as usize];
                *n_lanes = (*n_lanes).max(lane.number + 1);
            }
        }
        let rows = timeline.rows.iter().zip(lanes).enumerate();
        let row = |(id, (row, lanes)): (usize, (&TimelineRow, u32))| RowFacts {
            id,
            label: row.label.clone(),
            group: row.group.clone(),
            lanes,
            events: row.n_events,
        };
        let arrows = if has_arrows { of.arrows().some(|_| true).0 } else { Vec::new() };
        TraceFacts {
            name: trace.origin().path.display().to_string(),
            format: trace.origin().format,
            events: trace.n_events(),
            first: last.map(|_| trace.chrono(0)),
            last: last.map(|last| trace.chrono(last)),
            axes: timeline.axes().map(Axis::name).collect(),
            time: timeline.times().map(|times| TimeFacts {
                unit: times.unit,
                first: times.first.to_string(),
                length: times.length,
            }),
            rows: rows.map(row).collect(),
            density: Density {
                number: density(of, Axis::Number),
                time: timeline.times().map(|_| density(of, Axis::Time)),
            },
            blind: blind_windows(of),
            findings: trace
                .findings()
                .kept()
                .iter()
                .take(MOST_FINDINGS)
                .map(|finding| finding_facts(of, finding))
                .collect(),
            n_findings: trace.findings().total(),
            arrows: arrows.into_iter().map(|arrow| ArrowFacts::of(of, arrow)).collect(),
            arrows_total: of.arrows().len(),
            longest: landmarks::longest(of),
            failures: landmarks::first_failures(of),
        }
    }
}

const JSON: &str = "the data of a page is JSON";

/// For each part of an axis what the overview shows: of times the number of events, of numbers, where that is the same
/// everywhere, the greatest number of lanes in use.
fn density(of: &PageTrace, axis: Axis) -> Vec<u32> {
    let timeline = &of.timeline;
    let length = timeline.length(axis).max(1);
    let n_parts = N_DENSITY.min(usize::try_from(length).unwrap_or(usize::MAX)).max(1);
    let mut parts = vec![0; n_parts];
    let part =
        |position: u64| ((u128::from(position) * n_parts as u128 / u128::from(length)) as usize).min(n_parts - 1);
    if axis == Axis::Time {
        (0..timeline.trace.n_events()).for_each(|event| parts[part(timeline.position(axis, event))] += 1);
        return parts;
    }
    for lane in &timeline.layout(axis).lanes {
        for slice in lane.start..lane.end {
            let (start, end) = timeline.span(axis, slice);
            for deepest in &mut parts[part(start)..=part(end - 1)] {
                *deepest = lane.number.saturating_add(1).max(*deepest);
            }
        }
    }
    parts
}

/// Where events are missing: in gaps of the recording, and in boxes of overflow.
fn blind_windows(of: &PageTrace) -> Vec<BlindWindow> {
    let (timeline, trace) = (&of.timeline, &*of.timeline.trace);
    let Some(last) = trace.n_events().checked_sub(1) else { return Vec::new() };
    let gaps = trace.recording_gaps().into_iter().map(|(from, to)| (from, to, "events may be missing here"));
    let overflows = trace.calls().filter(|call| {
        let first = trace.call_first(*call);
        trace.port(first).is_some_and(|port| port.as_str() == "overflow")
    });
    let overflows = overflows.map(|call| {
        let (from, to) = (trace.chrono(trace.call_first(call)), trace.chrono(trace.call_last(call)));
        (from, to, "the trace stream was full: events were lost")
    });
    let window = |(from, to, text): (i64, i64, &'static str)| {
        let event = |number: i64| first_from(trace, number).min(last);
        let (first, end) = (event(from), event(to));
        let on = |axis| (timeline.position(axis, first), timeline.position(axis, end));
        let number = if to > trace.chrono(last) {
            (on(Axis::Number).0, timeline.length(Axis::Number))
        } else {
            on(Axis::Number)
        };
        BlindWindow { from, to, text, number, time: timeline.times().map(|_| on(Axis::Time)) }
    };
    gaps.chain(overflows).take(MOST_FINDINGS).map(window).collect()
}

/// The first event whose number is at least `number`.
fn first_from(trace: &Trace, number: i64) -> EventId {
    let (mut low, mut high) = (0, trace.n_events());
    while low < high {
        let middle = low + (high - low) / 2;
        match trace.chrono(middle) < number {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

fn finding_facts(of: &PageTrace, finding: &Finding) -> FindingFacts {
    let event = finding.chrono.and_then(|number| of.timeline.trace.find_chrono(number));
    let place = finding.line.map_or(String::new(), |line| format!("line {line}: "));
    FindingFacts {
        event: event.map(|event| of.timeline.trace.chrono(event)),
        rule: finding.rule,
        severity: finding.severity.word(),
        text: format!("{place}{}", finding.message),
        place: event.map(|event| Place::of(&of.timeline, event)),
    }
}

/// JSON without characters that mean something to a page, which are all inside strings: written as their numbers.
pub(crate) fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + json.len() / 50);
    for character in json.chars() {
        match character {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            other => text.push(other),
        }
    }
    text
}
