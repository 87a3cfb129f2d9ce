//! The timeline of a trace: its slices by lane, in columns of 32 bits, with what finds the longest of them fast.

use std::sync::Arc;

use crate::output::{Tracks, drawing_of};
use crate::trace::threads::{n_cores, on_cores};
use crate::trace::{AttributeId, EventId, Trace};

use super::lanes;
use super::longest::LongestTree;
use super::rows::{RowId, TimelineRow};
use super::slices::{NONE, Slices, flags, slices};

/// The axis on which positions are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Axis {
    /// The rank of the event in the trace, from 0. A slice ends after its last event.
    Number,
    /// Its time, from the least one of the trace.
    Time,
}

impl Axis {
    /// Its name in pages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Axis::Number => "number",
            Axis::Time => "time",
        }
    }

    /// The axis with a name.
    pub(crate) fn named(name: &str) -> Option<Axis> {
        [Axis::Number, Axis::Time].into_iter().find(|axis| axis.name() == name)
    }
}

/// A picture of a trace that can be asked for any part of it at any scale.
pub(crate) struct Timeline {
    pub(crate) trace: Arc<Trace>,
    pub(crate) rows: Vec<TimelineRow>,
    by_number: Layout,
    /// The lanes by time, if slices of a lane by number overlap there.
    by_time: Option<Layout>,
    times: Option<Times>,
}

/// Where slices lie on one axis.
pub(crate) struct Layout {
    /// The lanes of all rows, in order of rows.
    pub(crate) lanes: Vec<Lane>,
    pub(crate) first: Vec<EventId>,
    pub(crate) last: Vec<EventId>,
    pub(crate) flags: Vec<u8>,
    /// The slice that each event is, begins or ends.
    slice_at: Vec<u32>,
    longest: [LongestTree; 2],
}

/// A lane: its slices are disjoint, and in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) row: RowId,
    /// Its number on the row, from 0.
    pub(crate) number: u32,
    /// Its slices are those from here on.
    pub(crate) start: u32,
    /// Up to here.
    pub(crate) end: u32,
}

/// The times of all events, without those that go back on their row.
pub(crate) struct Times {
    /// Subtracted from each.
    pub(crate) first: i64,
    /// The greatest of them.
    pub(crate) length: u64,
    pub(crate) unit: &'static str,
    values: TimeColumn,
}

enum TimeColumn {
    Short(Vec<u32>),
    Long(Vec<u64>),
}

impl Times {
    /// The times of a trace whose drawing has a time axis. An event without a time has that of the one before it.
    fn new(trace: &Trace) -> Option<Times> {
        let (name, units) = drawing_of(trace).0.time?;
        let column = trace.integers(trace.schema().find(name)?)?;
        let events = || 0..trace.n_events() as usize;
        let first = events().filter_map(|event| column.at(event)).min()?;
        let greatest = events().filter_map(|event| column.at(event)).max()?;
        let length = greatest.wrapping_sub(first) as u64;
        let mut last = 0_u64;
        let mut time = |event: usize| {
            if let Some(time) = column.at(event) {
                last = time.wrapping_sub(first) as u64;
            }
            last
        };
        let values = match u32::try_from(length) {
            Ok(_) => TimeColumn::Short(events().map(|event| time(event) as u32).collect()),
            Err(_) => TimeColumn::Long(events().map(time).collect()),
        };
        let unit = if units == 1000 { "ns" } else { "us" };
        Some(Times { first, length, unit, values })
    }

    /// The time of an event, from the first.
    pub(crate) fn at(&self, event: EventId) -> u64 {
        match &self.values {
            TimeColumn::Short(values) => u64::from(values[event as usize]),
            TimeColumn::Long(values) => values[event as usize],
        }
    }
}

impl Timeline {
    /// Lays out a trace.
    pub(crate) fn new(trace: Arc<Trace>) -> Timeline {
        let times = Times::new(&trace);
        let (mut found, rows) = slices(&trace);
        let (rows, ranks) = rows.finish();
        found.rank_rows(&ranks);
        if found.are_free {
            lanes::assign(&mut found, rows.len(), |slices, slice| span(&slices.first, &slices.last, None, slice));
        }
        let by_number = Layout::new(found, times.as_ref());
        let unsorted = times.as_ref().filter(|times| !by_number.rises(times));
        let by_time = unsorted.map(|times| {
            let mut slices = by_number.slices();
            lanes::assign(&mut slices, rows.len(), |slices, slice| {
                span(&slices.first, &slices.last, Some(times), slice)
            });
            Layout::new(slices, Some(times))
        });
        Timeline { trace, rows, by_number, by_time, times }
    }

    /// The axes that the trace has.
    pub(crate) fn axes(&self) -> impl Iterator<Item = Axis> + Clone {
        std::iter::once(Axis::Number).chain(self.times.as_ref().map(|_| Axis::Time))
    }

    /// The times, if it has them.
    pub(crate) fn times(&self) -> Option<&Times> {
        self.times.as_ref()
    }

    /// Where the slices lie on an axis.
    pub(crate) fn layout(&self, axis: Axis) -> &Layout {
        self.by_time.as_ref().filter(|_| axis == Axis::Time).unwrap_or(&self.by_number)
    }

    /// The length of an axis; positions are from 0 to it.
    pub(crate) fn length(&self, axis: Axis) -> u64 {
        match (axis, &self.times) {
            (Axis::Time, Some(times)) => times.length,
            _ => u64::from(self.trace.n_events()),
        }
    }

    /// The position of an event.
    pub(crate) fn position(&self, axis: Axis, event: EventId) -> u64 {
        match (axis, &self.times) {
            (Axis::Time, Some(times)) => times.at(event),
            _ => u64::from(event),
        }
    }

    /// Where a slice begins and ends.
    #[inline]
    pub(crate) fn span(&self, axis: Axis, slice: u32) -> (u64, u64) {
        let layout = self.layout(axis);
        let times = self.times.as_ref().filter(|_| axis == Axis::Time);
        span(&layout.first, &layout.last, times, slice as usize)
    }

    /// The longest slice of a range of one lane, the first of several.
    pub(crate) fn longest(&self, axis: Axis, from: u32, to: u32) -> u32 {
        let layout = self.layout(axis);
        let length = |slice: u32| {
            let (start, end) = self.span(axis, slice);
            end - start
        };
        layout.longest[(axis == Axis::Time) as usize].longest(from, to, length)
    }

    /// The slice that an event is, begins or ends, with its lane.
    pub(crate) fn slice_of(&self, axis: Axis, event: EventId) -> Option<(Lane, u32)> {
        let layout = self.layout(axis);
        let slice = *layout.slice_at.get(event as usize).filter(|slice| **slice != NONE)?;
        let lane = layout.lanes.partition_point(|lane| lane.start <= slice).checked_sub(1)?;
        Some((layout.lanes[lane], slice))
    }
}

/// How many of some slices a condition holds for, which holds for those before some place.
pub(super) fn partition(slices: std::ops::Range<u32>, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (slices.start, slices.end);
    while low < high {
        let middle = low + (high - low) / 2;
        match holds(middle) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low - slices.start
}

impl Layout {
    fn new(slices: Slices, times: Option<&Times>) -> Layout {
        let (lanes, order) = by_lane(&slices);
        let column = |column: &[u32]| -> Vec<u32> { order.iter().map(|slice| column[*slice as usize]).collect() };
        let (first, last) = (column(&slices.first), column(&slices.last));
        let flags: Vec<u8> = order.iter().map(|slice| slices.flags[*slice as usize]).collect();
        let slice_at = slices_at(&first, &last, &flags);
        let tree = |times: Option<&Times>| {
            LongestTree::new(first.len() as u32, |slice| {
                let (start, end) = span(&first, &last, times, slice as usize);
                end - start
            })
        };
        let mut trees = on_cores(n_cores(), [None, times].into_iter(), tree).into_iter();
        let longest = [trees.next().unwrap_or_default(), trees.next().unwrap_or_default()];
        Layout { lanes, first, last, flags, slice_at, longest }
    }

    /// Whether the slices of every lane are in order and disjoint on the time axis too.
    fn rises(&self, times: &Times) -> bool {
        let at = |slice: u32| span(&self.first, &self.last, Some(times), slice as usize);
        let in_order = |lane: &Lane| {
            let mut reached = 0;
            (lane.start..lane.end).all(|slice| {
                let (start, end) = at(slice);
                std::mem::replace(&mut reached, end) <= start
            })
        };
        self.lanes.iter().all(in_order)
    }

    /// The slices with their rows, and no lanes.
    fn slices(&self) -> Slices {
        let row = |lane: &Lane| std::iter::repeat_n(lane.row, (lane.end - lane.start) as usize);
        Slices {
            first: self.first.clone(),
            last: self.last.clone(),
            place: vec![NONE; self.first.len()],
            row: self.lanes.iter().flat_map(row).collect(),
            flags: self.flags.clone(),
            lanes: Vec::new(),
            are_free: true,
        }
    }

    /// The event by which a slice is known: that of its end if its beginning is not in the trace.
    pub(crate) fn event_of(&self, slice: u32) -> EventId {
        let columns = if self.flags[slice as usize] & flags::NO_BEGINNING != 0 { &self.last } else { &self.first };
        columns[slice as usize]
    }
}

#[inline]
fn span(first: &[EventId], last: &[EventId], times: Option<&Times>, slice: usize) -> (u64, u64) {
    let (first, last) = (first[slice], last[slice]);
    match times {
        None => (u64::from(first), u64::from(last) + 1),
        Some(times) => {
            let start = times.at(first);
            (start, times.at(last).max(start))
        }
    }
}

/// The slice that each event is or begins; otherwise the one that it ends.
fn slices_at(first: &[EventId], last: &[EventId], flags: &[u8]) -> Vec<u32> {
    let n_events = last.iter().max().map_or(0, |last| *last as usize + 1);
    let mut slice_at = vec![NONE; n_events];
    for (slice, last) in (0_u32..).zip(last) {
        if flags[slice as usize] & flags::NO_END == 0 {
            slice_at[*last as usize] = slice;
        }
    }
    for (slice, first) in (0_u32..).zip(first) {
        if flags[slice as usize] & flags::NO_BEGINNING == 0 {
            slice_at[*first as usize] = slice;
        }
    }
    slice_at
}

/// The lanes in the order of rows, and the slices in the order of lanes.
fn by_lane(slices: &Slices) -> (Vec<Lane>, Vec<u32>) {
    let mut order: Vec<u32> = (0..slices.lanes.len() as u32).collect();
    order.sort_by_key(|lane| slices.lanes[*lane as usize]);
    let mut sizes = vec![0_u32; slices.lanes.len()];
    slices.place.iter().for_each(|place| sizes[*place as usize] += 1);
    let mut lanes = Vec::with_capacity(order.len());
    let mut next = vec![0_u32; order.len()];
    let mut start = 0;
    for place in order {
        let end = start + sizes[place as usize];
        let (row, number) = slices.lanes[place as usize];
        lanes.push(Lane { row, number, start, end });
        next[place as usize] = start;
        start = end;
    }
    let mut sorted = vec![0_u32; slices.place.len()];
    for (slice, place) in (0_u32..).zip(&slices.place) {
        let at = &mut next[*place as usize];
        sorted[*at as usize] = slice;
        *at += 1;
    }
    (lanes, sorted)
}

/// The title of slices, as labels on them.
pub(crate) struct Titles<'t> {
    timeline: &'t Timeline,
    tracks: Tracks<'t>,
    /// By key, where the key alone determines the title.
    known: Vec<Option<u32>>,
    depends_on_key: [bool; 2],
    /// All titles so far.
    pub(crate) names: indexmap::IndexSet<String, crate::term::hash::RandomState>,
}

impl<'t> Titles<'t> {
    /// No titles yet.
    pub(crate) fn new(timeline: &'t Timeline) -> Titles<'t> {
        let trace = &*timeline.trace;
        let (drawing, _) = drawing_of(trace);
        let by_key = |label: &[(&str, &str)]| {
            let mut attributes = label.iter().filter_map(|(_, name)| trace.schema().find(name));
            attributes.all(|attribute: AttributeId| trace.is_part_of_key(attribute))
        };
        Titles {
            timeline,
            tracks: Tracks::new(trace, drawing),
            known: Vec::new(),
            depends_on_key: [by_key(drawing.boxed), by_key(drawing.instant)],
            names: indexmap::IndexSet::default(),
        }
    }

    /// The number of the title of a slice.
    pub(crate) fn of(&mut self, event: EventId, slice_flags: u8) -> usize {
        let trace = &*self.timeline.trace;
        let is_instant = slice_flags & flags::INSTANT != 0;
        let key = 2 * trace.key_of(event) + usize::from(is_instant);
        let by_key = self.depends_on_key[usize::from(is_instant)];
        if by_key && let Some(Some(known)) = self.known.get(key) {
            return *known as usize;
        }
        let title = if is_instant { self.tracks.instant_title(event) } else { self.tracks.box_title(event) };
        let number = self.names.insert_full(title).0;
        if by_key {
            if key >= self.known.len() {
                self.known.resize((key + 1).next_power_of_two(), None);
            }
            self.known[key] = Some(number as u32);
        }
        number
    }
}
