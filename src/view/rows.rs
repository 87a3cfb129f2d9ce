//! Rows of the timeline: the process, thread, node, agent or service of each event.

use crate::formats::drawing::Drawing;
use crate::output::Tracks;
use crate::trace::{AttributeId, Combinations, EventId, Trace};

/// The number of a row, in the order of appearance.
pub(crate) type RowId = u32;

/// A row of the timeline.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimelineRow {
    /// What it shows: `thread 7`.
    pub(crate) label: String,
    /// The process to which it belongs, if there are several rows.
    pub(crate) group: Option<String>,
    /// The number of its events.
    pub(crate) n_events: u32,
}

/// The rows of a trace, found as its events come.
pub(super) struct Rows<'t> {
    tracks: Tracks<'t>,
    /// The combination of the attributes that tell rows apart.
    combinations: Combinations<'t>,
    /// For each key 0, or the number of its tracks aside.
    aside_of_key: Vec<usize>,
    n_asides: usize,
    /// The row by combination and track aside, once it is known; one more than its number.
    known: Vec<u32>,
    n_events: Vec<u32>,
    is_one: bool,
}

impl<'t> Rows<'t> {
    pub(super) fn new(trace: &'t Trace, drawing: &'static Drawing) -> Rows<'t> {
        let labels = drawing.process.iter().chain(drawing.thread);
        let attributes: Vec<AttributeId> = labels.filter_map(|(_, name)| trace.schema().find(name)).collect();
        let aside = |event: Option<EventId>| {
            let port = event.and_then(|event| trace.port(event));
            let place =
                port.and_then(|port| drawing.aside.iter().position(|aside| aside.ports.contains(&port.as_str())));
            place.map_or(0, |place| place + 1)
        };
        Rows {
            tracks: Tracks::new(trace, drawing),
            combinations: Combinations::new(trace, &attributes),
            aside_of_key: trace.events_of_keys().map(aside).collect(),
            n_asides: drawing.aside.len() + 1,
            known: Vec::new(),
            n_events: Vec::new(),
            is_one: attributes.is_empty() && drawing.aside.is_empty(),
        }
    }

    /// The row of an event, which counts it.
    pub(super) fn of(&mut self, trace: &Trace, event: EventId) -> RowId {
        let place = if self.is_one {
            0
        } else {
            self.combinations.id(event) as usize * self.n_asides + self.aside_of_key[trace.key_of(event)]
        };
        if place >= self.known.len() {
            self.known.resize((place + 1).next_power_of_two(), 0);
        }
        if self.known[place] == 0 {
            self.known[place] = self.tracks.of(event) as u32 + 1;
            self.n_events.resize(self.tracks.len(), 0);
        }
        let row = self.known[place] - 1;
        self.n_events[row as usize] += 1;
        row
    }

    /// All rows, those of one process together; and for each number given so far its place among them.
    pub(super) fn finish(self) -> (Vec<TimelineRow>, Vec<RowId>) {
        let mut order: Vec<usize> = (0..self.n_events.len()).collect();
        order.sort_by_key(|track| (self.tracks.ids(*track).0, *track));
        let row = |track: &usize| {
            let (process, thread) = (self.tracks.process(*track), self.tracks.thread(*track));
            let group = (order.len() > 1).then(|| process.to_string());
            TimelineRow { label: thread.to_string(), group, n_events: self.n_events[*track] }
        };
        let rows = order.iter().map(row).collect();
        let mut ranks = vec![0; order.len()];
        (0..).zip(&order).for_each(|(rank, track)| ranks[*track] = rank);
        (rows, ranks)
    }
}
